//! What lasts from one observation to another, and what hostile pictures do: names, memory, time.

use std::collections::BTreeMap;
use std::io::Write;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use image::{DynamicImage, ImageFormat, Rgba, RgbaImage};
use simdrive::frame::Frame;
use simdrive::geometry::Point;
use simdrive::mark::Mark;
use simdrive::observe::{ModelVision, Observation, ObserveError, Sources, Vision, observe_image};
use simdrive::sim::{Simulator, SimulatorOptions, app};

fn simulator(name: &str, query: &str) -> Simulator {
    let options = SimulatorOptions::parse(&format!("clock=2026-01-01T09:41:00Z&{query}")).unwrap();
    let mut simulator = Simulator::new(app::load(name).unwrap(), options);
    simulator.advance(Duration::from_millis(2_500));
    simulator
}

fn observed(simulator: &mut Simulator, vision: &mut dyn Vision) -> Observation {
    let frame = Frame::new((*simulator.render()).clone()).unwrap();
    observe_image(frame, simulator.screen().scale_x(), Sources::default(), vision).unwrap()
}

/// Drags the content up by so many points.
fn scroll(simulator: &mut Simulator, by: f64) {
    let size = simulator.screen().points;
    for step in 0..=20 {
        let y = size.height * 0.75 - by * f64::from(step) / 20.0;
        simulator.touch_down(simulator.screen().to_panel(Point::new(size.width / 2.0, y)));
        simulator.advance(Duration::from_millis(30));
    }
    let end = Point::new(size.width / 2.0, size.height * 0.75 - by);
    simulator.touch_up(simulator.screen().to_panel(end));
    simulator.advance(Duration::from_millis(2_500));
}

/// Marks that can be acted on, by label; a label that stands more than once on a screen tells nothing here.
fn by_label(observation: &Observation) -> BTreeMap<&str, &Mark> {
    let mut found: BTreeMap<&str, Vec<&Mark>> = BTreeMap::new();
    let named = observation.marks.iter().filter(|m| m.role.is_control() && !m.label.is_empty());
    named.for_each(|mark| found.entry(&mark.label).or_default().push(mark));
    found.into_iter().filter(|(_, marks)| marks.len() == 1).map(|(label, marks)| (label, marks[0])).collect()
}

#[test]
fn stable_ids_hold_in_the_dark_in_other_sizes_and_when_scrolled() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let (mut shared, mut lost) = (0, Vec::new());
    let mut vision = ModelVision::new().unwrap();
    for name in ["demo", "shop", "settings", "chaos"] {
        let before = observed(&mut simulator(name, "appearance=light"), &mut vision);
        let mut scrolled = simulator(name, "appearance=light");
        scroll(&mut scrolled, 160.0);
        let others = [
            ("dark", observed(&mut simulator(name, "appearance=dark"), &mut vision)),
            ("small", observed(&mut simulator(name, "text_size=s"), &mut vision)),
            ("large", observed(&mut simulator(name, "text_size=xl"), &mut vision)),
            ("scrolled", observed(&mut scrolled, &mut vision)),
        ];
        for (way, after) in &others {
            let after = by_label(after);
            for (label, mark) in by_label(&before) {
                let Some(now) = after.get(label) else { continue };
                shared += 1;
                if now.stable_id != mark.stable_id {
                    lost.push(format!("{name} {way}: {} “{label}” became {}", mark.role, now.role));
                }
            }
        }
    }
    assert!(shared >= 80, "{shared}");
    assert!(lost.len() * 50 <= shared, "{} of {shared} lost:\n{}", lost.len(), lost.join("\n"));
}

/// Resident memory of this process in bytes; `None` where the system doesn't tell.
fn resident() -> Option<usize> {
    let statm = std::fs::read_to_string("/proc/self/statm").ok()?;
    Some(statm.split_whitespace().nth(1)?.parse::<usize>().ok()? * 4096)
}

/// Looks at screens that change all the time; answers how much memory was taken after the first third.
fn growth(looks: usize) -> Option<isize> {
    let mut vision = ModelVision::new().unwrap();
    let mut simulator = simulator("settings", "");
    let mut warm = None;
    for look in 0..looks {
        simulator.advance(Duration::from_secs(61));
        scroll(&mut simulator, if look % 2 == 0 { 120.0 } else { -110.0 });
        observed(&mut simulator, &mut vision);
        if look == looks / 3 {
            warm = resident();
        }
    }
    Some(resident()?.cast_signed() - warm?.cast_signed())
}

/// One test at a time: memory is that of the whole process.
static ALONE: Mutex<()> = Mutex::new(());

const MEGABYTE: isize = 1 << 20;

#[test]
fn memory_stays_flat() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(grown) = growth(60) {
        assert!(grown < 40 * MEGABYTE, "{} MB", grown / MEGABYTE);
    }
}

#[test]
#[ignore = "takes a quarter of an hour; the short form runs always"]
fn memory_stays_flat_over_10_000_looks() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(grown) = growth(10_000) {
        assert!(grown < 60 * MEGABYTE, "{} MB", grown / MEGABYTE);
    }
}

/// A picture as a file, and its answer: how many marks, or the error.
fn look_at(bytes: &[u8], scale: f64) -> Result<usize, String> {
    let frame = Frame::decode(bytes).map_err(|e| e.to_string())?;
    let mut vision = ModelVision::new().unwrap();
    match observe_image(frame, scale, Sources::default(), &mut vision) {
        Ok(observation) => Ok(observation.marks.len()),
        Err(ObserveError::Invalid(reason)) => Err(reason),
        Err(other) => panic!("{other}"),
    }
}

fn png(picture: impl Into<DynamicImage>) -> Vec<u8> {
    let mut bytes = Vec::new();
    picture.into().write_to(&mut std::io::Cursor::new(&mut bytes), ImageFormat::Png).unwrap();
    bytes
}

/// A PNG written by hand, for kinds that the encoder doesn't write; `data` is not yet compressed.
fn raw_png(header: [u8; 13], palette: Option<&[u8]>, data: &[u8]) -> Vec<u8> {
    let mut zlib = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::fast());
    zlib.write_all(data).unwrap();
    let mut bytes = b"\x89PNG\r\n\x1a\n".to_vec();
    let mut chunk = |kind: &[u8; 4], content: &[u8]| {
        bytes.extend((content.len() as u32).to_be_bytes());
        let mut crc = flate2::Crc::new();
        crc.update(kind);
        crc.update(content);
        bytes.extend_from_slice(kind);
        bytes.extend_from_slice(content);
        bytes.extend(crc.sum().to_be_bytes());
    };
    chunk(b"IHDR", &header);
    palette.into_iter().for_each(|palette| chunk(b"PLTE", palette));
    chunk(b"IDAT", &zlib.finish().unwrap());
    chunk(b"IEND", &[]);
    bytes
}

fn header(side: u32, depth: u8, kind: u8, interlaced: bool) -> [u8; 13] {
    let [a, b, c, d] = side.to_be_bytes();
    [a, b, c, d, a, b, c, d, depth, kind, 0, 0, u8::from(interlaced)]
}

/// The seven passes of an interlaced 8×8 picture in grey: 1, 1, 2, 4, 8, 16, 32 pixels.
fn passes() -> Vec<u8> {
    let rows = [(1, 1), (1, 1), (1, 2), (2, 2), (2, 4), (4, 4), (4, 8)];
    rows.iter()
        .flat_map(|(rows, width)| std::iter::repeat_n([vec![0], vec![90; *width]].concat(), *rows))
        .flatten()
        .collect()
}

#[test]
fn hostile_pictures_give_an_answer_or_a_typed_error_in_bounded_time() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let noise = RgbaImage::from_fn(1179, 2556, |x, y| {
        let v = (x.wrapping_mul(2_654_435_761) ^ y.wrapping_mul(2_246_822_519)).wrapping_mul(3_266_489_917);
        Rgba([v as u8, (v >> 9) as u8, (v >> 17) as u8, (v >> 24) as u8])
    });
    let whole = png(noise.clone());
    let indexed: Vec<u8> = (0..64).flat_map(|_| [vec![0], vec![1; 64]].concat()).collect();
    let mut bomb = png(RgbaImage::new(1, 1));
    bomb[16..24].copy_from_slice(&[0, 1, 0, 0, 0, 1, 0, 0]);
    let pictures: Vec<(&str, Vec<u8>, bool)> = vec![
        ("1×1", png(RgbaImage::new(1, 1)), true),
        ("8192×8192", png(DynamicImage::new_luma8(8192, 8192)), true),
        ("16 bit", png(DynamicImage::new_rgb16(300, 500)), true),
        ("grey", png(DynamicImage::new_luma8(300, 500)), true),
        ("grey with alpha", png(DynamicImage::new_luma_a8(300, 500)), true),
        ("palette", raw_png(header(64, 8, 3, false), Some(&[0, 0, 0, 200, 10, 10]), &indexed), true),
        ("interlaced", raw_png(header(8, 8, 0, true), None, &passes()), true),
        ("noise with alpha", whole.clone(), true),
        ("all black", png(RgbaImage::from_pixel(1179, 2556, Rgba([0, 0, 0, 255]))), true),
        ("truncated", whole[..whole.len() / 2].to_vec(), false),
        ("bomb", bomb, false),
        ("nothing", Vec::new(), false),
        ("no picture", b"%PDF-1.7".to_vec(), false),
    ];
    for (kind, bytes, is_picture) in pictures {
        for scale in [1.0, 3.0] {
            let started = Instant::now();
            let answer = look_at(&bytes, scale);
            assert_eq!(answer.is_ok(), is_picture, "{kind}: {answer:?}");
            assert!(started.elapsed() < Duration::from_secs(60), "{kind} took {:?}", started.elapsed());
        }
    }
}
