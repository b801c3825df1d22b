//! What a user relies on from `simdrive compare`: every kind of mask, and bad input.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use image::{Rgba, RgbaImage};
use serde_json::Value;
use simdrive::sim::{Simulator, SimulatorOptions, app};

const APP: &str = r#"
name: Masks
bundle: com.example.masks
start: home
state: {note: ""}
screens:
  home:
    title: Masks
    body:
      - text: {text: "Updated at 9:41"}
      - spacer: 20
      - text: {text: "December 4, 2026"}
      - spacer: 20
      - text: {text: "$3.40"}
      - spacer: 20
      - text: {text: "17 points"}
      - spacer: 20
      - field: {label: Note, bind: note, placeholder: Write something, id: note}
      - spacer: 20
      - button: {label: Balance}
"#;

fn simulator(yaml: &str, clock: &str) -> Simulator {
    let options = SimulatorOptions::parse(&format!("clock=2026-01-01T{clock}:00Z")).unwrap();
    let mut simulator = Simulator::new(app::parse(yaml, "masks.yaml").unwrap(), options);
    simulator.advance(Duration::from_secs(2));
    simulator
}

fn shown(yaml: &str) -> RgbaImage {
    (*simulator(yaml, "09:41").render()).clone()
}

struct Files(tempfile::TempDir);

impl Files {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn write(&self, name: &str, picture: &RgbaImage) -> PathBuf {
        let path = self.0.path().join(name);
        picture.save(&path).unwrap();
        path
    }
}

fn compare(a: &Path, b: &Path, more: &[&str]) -> (i32, Value) {
    let out = Command::new(env!("CARGO_BIN_EXE_simdrive"))
        .arg("compare")
        .args([a, b])
        .args(more)
        .arg("--json")
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&out.stderr);
    (out.status.code().unwrap_or_else(|| panic!("{said}")), serde_json::from_slice(&out.stdout).unwrap())
}

/// Drift without masks, a match with this one, which is named in the answer; either way round.
#[track_caller]
fn hides(what: &str, mask: &str, a: &RgbaImage, b: &RgbaImage) {
    let files = Files::new();
    let (a, b) = (files.write("a.png", a), files.write("b.png", b));
    let (code, bare) = compare(&a, &b, &["--mask", "none"]);
    assert_eq!(code, 1, "{what} is no change without a mask: {bare:#}");
    for (a, b) in [(&a, &b), (&b, &a)] {
        let (code, masked) = compare(a, b, &["--mask", "none", "--mask", mask]);
        assert_eq!((code, &masked["verdict"]), (0, &Value::from("match")), "{what} by {mask}: {masked:#}");
        assert!(!masked["masks"].as_array().unwrap().is_empty(), "{what}: {masked:#}");
    }
}

#[track_caller]
fn does_not_hide(what: &str, masks: &[&str], a: &RgbaImage, b: &RgbaImage) {
    let files = Files::new();
    let (a, b) = (files.write("a.png", a), files.write("b.png", b));
    let flags: Vec<&str> = masks.iter().flat_map(|mask| ["--mask", mask]).collect();
    let (code, answer) = compare(&a, &b, &flags);
    assert_eq!(code, 1, "{what} is hidden by {masks:?}: {answer:#}");
}

#[test]
fn masks_by_content_hide_what_they_name_and_nothing_else() {
    let base = shown(APP);
    let with = |from: &str, to: &str| shown(&APP.replacen(from, to, 1));
    let (time, date) = (with("9:41", "9:47"), with("December 4", "December 8"));
    let (price, points) = (with("$3.40", "$3.90"), with("17 points", "15 points"));
    hides("a time", "content=time", &base, &time);
    hides("a date", "content=date", &base, &date);
    hides("a number", "content=number", &base, &points);
    hides("a price", r"content=number:^\$\d+\.\d\d$", &base, &price);
    does_not_hide("a date", &["content=time"], &base, &date);
    does_not_hide("a price", &["content=time", "content=date"], &base, &price);
    does_not_hide("another number", &[r"content=number:^\$\d+\.\d\d$"], &base, &points);
}

#[test]
fn masks_by_label_role_and_place_hide_what_they_name_and_nothing_else() {
    let base = shown(APP);
    let button = shown(&APP.replacen("label: Balance", "label: Balance now", 1));
    hides("a label that grows", "label=Balance", &base, &button);
    hides("a button", "role=button", &base, &button);
    let points = shown(&APP.replacen("17 points", "15 points", 1));
    does_not_hide("a number", &["label=Balance", "role=button"], &base, &points);
    hides("a place", "0,60,393,700", &base, &points);
    does_not_hide("a place elsewhere", &["0,0,393,60"], &base, &points);
}

#[test]
fn masks_by_name_hide_what_they_name_and_nothing_else() {
    let base = shown(APP);
    let later = (*simulator(APP, "09:48").render()).clone();
    hides("the clock", "status-bar", &base, &later);

    // the indicator is painted over with the ground beside it
    let mut without = base.clone();
    let (width, height) = without.dimensions();
    let ground = *without.get_pixel(10, height - 24);
    for (x, y) in (height - 60..height).flat_map(|y| (0..width).map(move |x| (x, y))) {
        without.put_pixel(x, y, ground);
    }
    hides("the home indicator", "home-indicator", &base, &without);

    let (on, off) = blinking();
    hides("the caret", "caret", &on, &off);
    does_not_hide("a digit", &[], &base, &shown(&APP.replacen("$3.40", "$3.90", 1)));

    hides("the scroll indicator", "scroll-indicator", &scrolling(&base), &base);

    let mut other_keys = on.clone();
    for (x, y) in (height - 700..height - 640).flat_map(|y| (200..300).map(move |x| (x, y))) {
        other_keys.put_pixel(x, y, Rgba([255, 0, 0, 255]));
    }
    hides("a key", "keyboard", &on, &other_keys);
}

/// The same field with its caret and without, the keyboard up.
fn blinking() -> (RgbaImage, RgbaImage) {
    let mut simulator = simulator(APP, "09:41");
    let field = simulator.truth().iter().find(|t| t.role.is_field()).map(|t| t.frame.center()).unwrap();
    let at = simulator.screen().to_panel(field);
    simulator.touch_down(at);
    simulator.touch_up(at);
    simulator.advance(Duration::from_secs(2));
    let first = (*simulator.render()).clone();
    for _ in 0..20 {
        simulator.advance(Duration::from_millis(100));
        let other = (*simulator.render()).clone();
        if other != first {
            return (first, other);
        }
    }
    panic!("the caret never blinked")
}

/// With a bar at the right edge, as a list shows while it scrolls.
fn scrolling(picture: &RgbaImage) -> RgbaImage {
    let mut picture = picture.clone();
    let left = picture.width() - 18;
    for (x, y) in (600..1100).flat_map(|y| (left..left + 9).map(move |x| (x, y))) {
        let corner = !(603..1097).contains(&y) && !(left + 3..left + 6).contains(&x);
        if !corner {
            picture.put_pixel(x, y, Rgba([130, 130, 134, 255]));
        }
    }
    picture
}

#[test]
fn the_default_masks_are_on_until_they_are_turned_off() {
    let files = Files::new();
    let a = files.write("a.png", &shown(APP));
    let b = files.write("b.png", &simulator(APP, "09:48").render());
    assert_eq!(compare(&a, &b, &[]).0, 0);
    assert_eq!(compare(&a, &b, &["--mask", "none"]).0, 1);
}

#[test]
fn what_a_project_says_of_its_gate_and_masks_holds_and_flags_are_stronger() {
    let files = Files::new();
    let a = files.write("a.png", &shown(APP));
    let b = files.write("b.png", &shown(&APP.replace("$3.40", "$3.90")));
    let compared = |settings: &str, more: &[&str]| {
        std::fs::write(files.0.path().join("simdrive.toml"), settings).unwrap();
        let command = &mut Command::new(env!("CARGO_BIN_EXE_simdrive"));
        let status = command.arg("compare").args([&a, &b]).args(more).current_dir(files.0.path()).status();
        status.unwrap().code()
    };
    assert_eq!(compared("", &[]), Some(1));
    assert_eq!(compared("[gate]\noutlying_pixels = 4000\n", &[]), Some(0));
    assert_eq!(compared("[gate]\noutlying_pixels = 4000\n", &["--outlying-pixels", "12"]), Some(1));
    assert_eq!(compared("masks = [{content = \"number\"}]\n", &[]), Some(0));
    assert_eq!(compared("[gate]\noutlying_pixel = 3\n", &[]), Some(2));
}

#[test]
fn bad_input_is_refused_with_exit_code_two() {
    let files = Files::new();
    let picture = RgbaImage::from_pixel(90, 120, Rgba([250, 250, 250, 255]));
    let good = files.write("good.png", &picture);
    let bytes = std::fs::read(&good).unwrap();
    let broken = |name: &str, bytes: &[u8]| {
        let path = files.0.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        path
    };
    let header = |width: u32, height: u32| {
        let mut bytes = bytes.clone();
        bytes[16..20].copy_from_slice(&width.to_be_bytes());
        bytes[20..24].copy_from_slice(&height.to_be_bytes());
        bytes
    };
    let bad = [
        broken("truncated.png", &bytes[..bytes.len() / 2]),
        broken("empty.png", &[]),
        broken("zero.png", &header(0, 120)),
        broken("huge.png", &header(200_000, 200_000)),
        broken("text.png", b"not a picture"),
        files.0.path().join("missing.png"),
    ];
    for path in &bad {
        let (code, answer) = compare(&good, path, &[]);
        let named = answer.to_string().contains(path.file_name().unwrap().to_str().unwrap());
        assert!(code == 2 && named, "{}: {code} {answer:#}", path.display());
    }
    for wrong in [
        &["--mask", "0,0,5000,10,1"][..],
        &["--mask", "400,900,10,10"],
        &["--mask", "content=number:("],
        &["--outlying-pixels", "0"],
        &["--shift", "9"],
        &["--colour-delta", "nan"],
        &["--scale", "0"],
        &["--metric", "image-compare", "--threshold", "2"],
    ] {
        assert_eq!(compare(&good, &good, wrong).0, 2, "{wrong:?}");
    }
}

#[test]
fn deep_interlaced_and_transparent_pictures_are_the_pictures_they_show() {
    let files = Files::new();
    let plain = RgbaImage::from_fn(64, 64, |x, y| Rgba([x as u8 * 3, y as u8 * 3, 90, 255]));
    let reference = files.write("plain.png", &plain);
    let deep = files.0.path().join("deep.png");
    image::DynamicImage::ImageRgba8(plain.clone()).into_rgba16().save(&deep).unwrap();
    assert_eq!(compare(&reference, &deep, &[]).0, 0, "16 bits a channel");

    // seven passes written by hand: the encoder writes none
    let interlaced = files.0.path().join("interlaced.png");
    std::fs::write(&interlaced, interlaced_png(&plain)).unwrap();
    assert_eq!(compare(&reference, &interlaced, &[]).0, 0, "interlaced");

    let clear = files.write("clear.png", &RgbaImage::from_pixel(64, 64, Rgba([0, 0, 0, 0])));
    let white = files.write("white.png", &RgbaImage::from_pixel(64, 64, Rgba([255, 255, 255, 255])));
    assert_eq!(compare(&clear, &white, &[]).0, 0, "transparency lies on white");
    assert_eq!(compare(&clear, &reference, &[]).0, 1);

    let wider = files.write("wider.png", &RgbaImage::from_pixel(65, 64, Rgba([255, 255, 255, 255])));
    for (a, b) in [(&white, &wider), (&wider, &white)] {
        let (code, answer) = compare(a, b, &[]);
        assert_eq!((code, &answer["rule"], &answer["score"]), (1, &Value::from("size"), &Value::from(1.0)));
    }
}

/// An Adam7 PNG.
fn interlaced_png(picture: &RgbaImage) -> Vec<u8> {
    use std::io::Write as _;
    const PASSES: [(u32, u32, u32, u32); 7] =
        [(0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2)];
    let (width, height) = picture.dimensions();
    let mut rows = Vec::new();
    for (left, top, right, down) in PASSES {
        for y in (top..height).step_by(down as usize) {
            rows.push(0);
            (left..width).step_by(right as usize).for_each(|x| rows.extend(picture.get_pixel(x, y).0));
        }
    }
    let mut zlib = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::fast());
    zlib.write_all(&rows).unwrap();
    let mut header = Vec::new();
    header.extend(width.to_be_bytes());
    header.extend(height.to_be_bytes());
    header.extend([8, 6, 0, 0, 1]);
    let mut png = b"\x89PNG\r\n\x1a\n".to_vec();
    for (kind, data) in [(b"IHDR", header), (b"IDAT", zlib.finish().unwrap()), (b"IEND", Vec::new())] {
        png.extend((data.len() as u32).to_be_bytes());
        let mut crc = flate2::Crc::new();
        crc.update(kind);
        crc.update(&data);
        png.extend(kind);
        png.extend(data);
        png.extend(crc.sum().to_be_bytes());
    }
    png
}
