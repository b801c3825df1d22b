//! How fast frames are compared, as ratios in one run: against the grey structural similarity of `image-compare`, and
//! against reading both frames once. Also the most memory that a comparison takes besides its frames.
//!
//! `cargo bench --bench compare`

use std::alloc::{GlobalAlloc, Layout, System};
use std::hint::black_box;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use image::{DynamicImage, GrayImage, Rgba, RgbaImage};
use simdrive::frame::Frame;
use simdrive::vision::gate::{GateOptions, Verdict, compare_with};
use simdrive::vision::ssim::Kernel;

const WIDTH: u32 = 1179;
const HEIGHT: u32 = 2556;
const ROUNDS: usize = 25;

/// Counts what is allocated, and the most that was at one time.
struct Counting;

static NOW: AtomicUsize = AtomicUsize::new(0);
static MOST: AtomicUsize = AtomicUsize::new(0);

// SAFETY: everything is passed on to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let now = NOW.fetch_add(layout.size(), Ordering::Relaxed) + layout.size();
        MOST.fetch_max(now, Ordering::Relaxed);
        // SAFETY: the caller's promises are those of `System`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        NOW.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: as above.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn main() {
    let kernels: Vec<&str> = Kernel::available().iter().map(|k| k.name()).collect();
    println!("{WIDTH}×{HEIGHT}, kernels {}, {} threads", kernels.join(" "), rayon::current_num_threads());
    println!(
        "times are the fastest of {ROUNDS} rounds in ms: what others do on the machine only makes them longer\n"
    );
    println!(
        "{:16} {:>8} {:>8} {:>8} {:>8} {:>10} {:>10} {:>9}",
        "change", "verdict", "gate", "image-c.", "reading", "image-c./g", "g/reading", "memory kB"
    );
    let screen = draw();
    for (name, change) in CHANGES {
        let mut changed = screen.clone();
        change(&mut changed);
        measure(name, &frame(screen.clone()), &frame(changed));
    }
}

/// A name and what it does to the screen.
type Change = (&'static str, fn(&mut RgbaImage));

const CHANGES: &[Change] = &[
    ("identical", |_| {}),
    ("one row", |p| fill(p, 48, 1100, 900, 1, [90, 20, 200])),
    ("digit", |p| digit(p, 900, 1010, 7)),
    ("clock", |p| (0..4).for_each(|i| digit(p, 150 + i * 30, 60, 4 + i))),
    ("cell", |p| fill(p, 48, 1000, 1083, 130, [250, 240, 230])),
    ("noise", noise),
    ("dimmed", |p| {
        p.pixels_mut().for_each(|p| p.0[..3].iter_mut().for_each(|c| *c = (u16::from(*c) * 3 / 5) as u8))
    }),
    ("fully changed", |p| p.pixels_mut().for_each(|p| p.0[..3].iter_mut().for_each(|c| *c = 255 - *c))),
];

fn measure(name: &str, expected: &Frame, actual: &Frame) {
    let options = GateOptions::default();
    let kernel = Kernel::best();
    let gate = || compare_with(kernel, expected, actual, 3.0, &[], &options);
    let grey = [expected, actual].map(luma);
    let algorithm = image_compare::Algorithm::MSSIMSimple;
    let mut times: [Vec<Duration>; 3] = Default::default();
    // the first round warms up
    for round in 0..=ROUNDS {
        let taken = [
            time(gate),
            time(|| image_compare::gray_similarity_structure(&algorithm, &grey[0], &grey[1])),
            time(|| read(expected) ^ read(actual)),
        ];
        if round > 0 {
            times.iter_mut().zip(taken).for_each(|(times, taken)| times.push(taken));
        }
    }
    let [ours, theirs, reading] = times.map(fastest);
    let before = NOW.load(Ordering::Relaxed);
    MOST.store(before, Ordering::Relaxed);
    let verdict = match gate() {
        Ok(comparison) if comparison.verdict == Verdict::Drift => "drift",
        Ok(_) => "match",
        Err(_) => "error",
    };
    let memory = (MOST.load(Ordering::Relaxed) - before) / 1024;
    println!(
        "{name:16} {verdict:>8} {ours:>8.2} {theirs:>8.2} {reading:>8.2} {:>10.1} {:>10.2} {memory:>9}",
        theirs / ours,
        ours / reading
    );
}

fn time<T>(run: impl FnOnce() -> T) -> Duration {
    let begun = Instant::now();
    black_box(run());
    begun.elapsed()
}

/// In milliseconds.
fn fastest(times: Vec<Duration>) -> f64 {
    times.into_iter().min().unwrap_or_default().as_secs_f64() * 1e3
}

/// Reads every byte once.
fn read(frame: &Frame) -> u64 {
    let (words, rest) = frame.pixels().as_raw().as_chunks::<8>();
    let sum = words.iter().fold(0u64, |sum, word| sum ^ u64::from_le_bytes(*word));
    sum ^ rest.len() as u64
}

fn luma(frame: &Frame) -> GrayImage {
    DynamicImage::ImageRgba8(frame.pixels().clone()).into_luma8()
}

fn frame(pixels: RgbaImage) -> Frame {
    Frame::new(pixels).unwrap_or_else(|e| panic!("{e}"))
}

/// A list of cells with strokes like text, under a bar with a clock.
fn draw() -> RgbaImage {
    let mut picture = RgbaImage::from_pixel(WIDTH, HEIGHT, Rgba([242, 242, 247, 255]));
    (0..4).for_each(|i| digit(&mut picture, 150 + i * 30, 60, i));
    for row in 0..16 {
        let top = 200 + row * 140;
        fill(&mut picture, 48, top, 1083, 130, [255, 255, 255]);
        (0..18).for_each(|i| digit(&mut picture, 80 + i * 30, top + 40, i * 7 + row));
        (0..5).for_each(|i| digit(&mut picture, 870 + i * 30, top + 50, i + row * 3));
    }
    picture
}

/// A figure of seven segments, 18×36 pixels.
fn digit(picture: &mut RgbaImage, x: u32, y: u32, figure: u32) {
    const SEGMENTS: [u8; 10] = [0x77, 0x24, 0x5d, 0x6d, 0x2e, 0x6b, 0x7b, 0x25, 0x7f, 0x6f];
    let on = SEGMENTS[figure as usize % 10];
    let ground = picture.get_pixel(x - 4, y).0;
    fill(picture, x, y, 18, 36, [ground[0], ground[1], ground[2]]);
    let bars = [
        (0, 0, 18, 4),
        (0, 0, 4, 18),
        (14, 0, 4, 18),
        (0, 16, 18, 4),
        (0, 18, 4, 18),
        (14, 18, 4, 18),
        (0, 32, 18, 4),
    ];
    for (i, (dx, dy, width, height)) in bars.into_iter().enumerate() {
        if on >> i & 1 == 1 {
            fill(picture, x + dx, y + dy, width, height, [0, 0, 0]);
        }
    }
}

fn fill(picture: &mut RgbaImage, x: u32, y: u32, width: u32, height: u32, [r, g, b]: [u8; 3]) {
    for y in y..y + height {
        for x in x..x + width {
            picture.put_pixel(x, y, Rgba([r, g, b, 255]));
        }
    }
}

fn noise(picture: &mut RgbaImage) {
    let mut state = 1u32;
    for level in picture.pixels_mut().flat_map(|p| &mut p.0[..3]) {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        *level = level.saturating_add((state >> 24) as u8 % 3).saturating_sub((state >> 16) as u8 % 3);
    }
}
