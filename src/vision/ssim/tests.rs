use image::{Rgba, RgbaImage};

use super::*;
use crate::frame::Frame;
use crate::geometry::PixelRect;

const WIDTH: u32 = 203;
const HEIGHT: u32 = 151;

/// The pictures of `golden.py`, to the level.
fn pictures() -> (Frame, Frame) {
    let mut state = 12345u32;
    let mut expected = RgbaImage::new(WIDTH, HEIGHT);
    let mut actual = RgbaImage::new(WIDTH, HEIGHT);
    for y in 0..HEIGHT {
        for x in 0..WIDTH {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let noise = (state >> 24) as i32 % 9;
            let (mut e, mut a) = ([255u8; 4], [255u8; 4]);
            for c in 0..3 {
                let mut level = if y < 60 { 255 } else { (x * 3 + y * 2 + c * 40) % 256 };
                if (20..60).contains(&x) && (10..40).contains(&y) {
                    level = 0;
                }
                e[c as usize] = level as u8;
                if (100..130).contains(&x) && (20..50).contains(&y) {
                    level = 90 * c;
                }
                let noisy = (level as i32 + noise - 4).clamp(0, 255);
                a[c as usize] = if y < 75 { level as u8 } else { noisy as u8 };
            }
            expected.put_pixel(x, y, Rgba(e));
            actual.put_pixel(x, y, Rgba(a));
        }
    }
    (Frame::new(expected).unwrap(), Frame::new(actual).unwrap())
}

fn pair<'a>(frames: &'a (Frame, Frame), masks: &'a [PixelRect]) -> Pair<'a> {
    Pair::new(&frames.0, &frames.1, masks).unwrap()
}

#[test]
fn every_kernel_equals_scikit_image() {
    const MEAN: f64 = 0.936_466_735_620_926_2;
    const LOWEST: f64 = 0.006_304_178_650_564_949;
    const WINDOWS: [(usize, usize, f32); 9] = [
        (0, 0, 1.0),
        (15, 100, 0.006_363_3),
        (27, 95, 0.006_363_3),
        (60, 10, 1.0),
        (70, 70, 0.972_487_6),
        (72, 192, 0.954_905_3),
        (100, 40, 0.965_447_3),
        (140, 192, 0.950_317_5),
        (130, 3, 0.949_117_9),
    ];
    let frames = pictures();
    let pair = pair(&frames, &[]);
    for kernel in Kernel::available() {
        let found = measure(kernel, &pair, &Changes::of(&pair));
        assert!((found.mean - MEAN).abs() < 1e-5, "{kernel:?}: mean {}", found.mean);
        assert!((f64::from(found.lowest) - LOWEST).abs() < 2e-4, "{kernel:?}: lowest {}", found.lowest);
        let windows = windows(kernel, &pair);
        for (y, x, golden) in WINDOWS {
            let window = windows[y * (WIDTH as usize - 10) + x];
            assert!((window - golden).abs() < 2e-4, "{kernel:?} at {x}, {y}: {window}, not {golden}");
        }
    }
}

#[test]
fn kernels_agree_with_each_other() {
    let frames = pictures();
    let pair = pair(&frames, &[]);
    let changes = Changes::of(&pair);
    let results: Vec<_> = Kernel::available()
        .into_iter()
        .map(|kernel| (kernel, measure(kernel, &pair, &changes), windows(kernel, &pair)))
        .collect();
    let (_, first, first_windows) = &results[0];
    for (kernel, found, windows) in &results[1..] {
        assert!((found.mean - first.mean).abs() < 1e-6, "{kernel:?}");
        let furthest = windows.iter().zip(first_windows).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
        assert!(furthest < 2e-4, "{kernel:?}: {furthest}");
    }
}

#[test]
fn skipping_what_is_equal_changes_nothing() {
    let frames = pictures();
    let pair = pair(&frames, &[]);
    let kernel = Kernel::best();
    let found = measure(kernel, &pair, &Changes::of(&pair));
    let all = windows(kernel, &pair);
    let mean = all.iter().map(|s| f64::from(*s)).sum::<f64>() / all.len() as f64;
    assert!((found.mean - mean).abs() < 1e-9);
    let columns = WIDTH as usize - 10;
    for (i, s) in all.iter().enumerate() {
        let (x, y) = (i % columns + 5, i / columns + 5);
        assert!(found.map[y / CELL * found.columns + x / CELL] <= *s, "the cell of {x}, {y}");
    }
}

#[test]
fn equal_frames_measure_exactly_one() {
    let (a, _) = pictures();
    let pair = Pair::new(&a, &a, &[]).unwrap();
    for kernel in Kernel::available() {
        assert_eq!(measure(kernel, &pair, &Changes::of(&pair)).mean, 1.0);
    }
}

#[test]
fn what_is_masked_measures_as_equal() {
    let frames = pictures();
    let masks = [PixelRect::new(100, 20, 30, 30), PixelRect::new(0, 75, WIDTH, HEIGHT - 75)];
    let pair = pair(&frames, &masks);
    let found = measure(Kernel::best(), &pair, &Changes::of(&pair));
    assert_eq!((found.mean, found.lowest), (1.0, 1.0));
    assert!(windows(Kernel::best(), &pair).iter().all(|s| *s == 1.0));
}

#[test]
fn a_mask_over_a_part_leaves_the_rest_to_be_seen() {
    let frames = pictures();
    let masks = [PixelRect::new(100, 20, 29, 30), PixelRect::new(0, 75, WIDTH, HEIGHT - 75)];
    let pair = pair(&frames, &masks);
    assert!(measure(Kernel::best(), &pair, &Changes::of(&pair)).lowest < 0.5);
}

#[test]
fn frames_smaller_than_a_window_are_equal_or_not() {
    let frame = |level| Frame::new(RgbaImage::from_pixel(9, 40, Rgba([level, 0, 0, 255]))).unwrap();
    let (a, b) = (frame(10), frame(12));
    let measured = |a, b| {
        let pair = Pair::new(a, b, &[]).unwrap();
        measure(Kernel::best(), &pair, &Changes::of(&pair)).mean
    };
    assert_eq!(measured(&a, &a), 1.0);
    assert_eq!(measured(&a, &b), 0.0);
}

#[test]
fn odd_widths_reach_the_last_column() {
    for width in [11, 12, 63, 64, 65, 73, 74, 75, 128, 133, 138, 139] {
        let mut b = RgbaImage::from_pixel(width, 20, Rgba([200, 200, 200, 255]));
        let a = Frame::new(b.clone()).unwrap();
        b.put_pixel(width - 1, 10, Rgba([0, 0, 0, 255]));
        let b = Frame::new(b).unwrap();
        let pair = Pair::new(&a, &b, &[]).unwrap();
        for kernel in Kernel::available() {
            let windows = windows(kernel, &pair);
            let changed: Vec<_> = (0..windows.len()).filter(|i| windows[*i] < 0.9999).collect();
            let columns = width as usize - 10;
            assert!(changed.iter().all(|i| i % columns == columns - 1), "{width}: {changed:?}");
            assert_eq!(changed.len(), 10, "{width}");
        }
    }
}

/// `image-compare` uses blocks of 8×8 without weights: not the same numbers, but more noise ranks lower in both.
#[test]
fn image_compare_ranks_pictures_alike() {
    let (a, _) = pictures();
    let noise = |frame: &Frame, by: u8| {
        let mut pixels = frame.pixels().clone();
        for (i, p) in pixels.pixels_mut().enumerate() {
            p.0[..3].iter_mut().for_each(|c| *c = c.saturating_sub(((i * 7) % 3) as u8 * by));
        }
        Frame::new(pixels).unwrap()
    };
    let others = [a.clone(), noise(&a, 4), noise(&a, 1), noise(&a, 40)];
    let ours = others.each_ref().map(|other| {
        let pair = Pair::new(&a, other, &[]).unwrap();
        measure(Kernel::best(), &pair, &Changes::of(&pair)).mean
    });
    let luma = |frame: &Frame| image::DynamicImage::ImageRgba8(frame.pixels().clone()).into_luma8();
    let theirs = others.each_ref().map(|other| {
        let algorithm = image_compare::Algorithm::MSSIMSimple;
        image_compare::gray_similarity_structure(&algorithm, &luma(&a), &luma(other)).unwrap().score
    });
    let order = |scores: &[f64]| {
        let mut order: Vec<usize> = (0..scores.len()).collect();
        order.sort_by(|a, b| scores[*b].total_cmp(&scores[*a]));
        order
    };
    assert_eq!(order(&ours), order(&theirs), "{ours:?} {theirs:?}");
}
