use image::{Rgba, RgbaImage};

use super::*;

const SIDE: u32 = 300;
const GREY: [u8; 3] = [242, 242, 247];

/// A grey ground with a white card and some black strokes.
fn screen() -> RgbaImage {
    let mut picture = RgbaImage::from_pixel(SIDE, SIDE, rgba(GREY));
    fill(&mut picture, PixelRect::new(30, 100, 240, 120), [255; 3]);
    for i in 0..8 {
        fill(&mut picture, PixelRect::new(60 + i * 20, 140, 6, 30), [0; 3]);
    }
    picture
}

fn rgba([r, g, b]: [u8; 3]) -> Rgba<u8> {
    Rgba([r, g, b, 255])
}

fn fill(picture: &mut RgbaImage, rect: PixelRect, colour: [u8; 3]) {
    for y in rect.y..rect.bottom() {
        for x in rect.x..rect.right() {
            picture.put_pixel(x, y, rgba(colour));
        }
    }
}

fn frame(picture: RgbaImage) -> Frame {
    Frame::new(picture).unwrap()
}

/// The same answer whichever of the two is expected, and with every kernel.
fn compared(a: &Frame, b: &Frame, masks: &[PixelRect]) -> Comparison {
    let options = GateOptions::default();
    let answer = compare(a, b, 3.0, masks, &options).unwrap();
    for kernel in Kernel::available() {
        for (a, b) in [(a, b), (b, a)] {
            let other = compare_with(kernel, a, b, 3.0, masks, &options).unwrap();
            assert_eq!((other.verdict, other.rule), (answer.verdict, answer.rule), "{kernel:?}");
        }
    }
    answer
}

fn changed(change: impl FnOnce(&mut RgbaImage)) -> Comparison {
    let mut picture = screen();
    change(&mut picture);
    compared(&frame(screen()), &frame(picture), &[])
}

#[test]
fn equal_frames_match_with_the_full_margin() {
    let answer = changed(|_| {});
    assert_eq!(answer.verdict, Verdict::Match);
    assert_eq!((answer.score, answer.margin, answer.mean_ssim), (0.0, 1.0, Some(1.0)));
}

#[test]
fn a_stroke_that_is_gone_is_drift_by_structure_and_located() {
    let answer = changed(|p| fill(p, PixelRect::new(100, 140, 6, 30), [255; 3]));
    assert_eq!((answer.verdict, answer.rule), (Verdict::Drift, Some(Rule::Structure)));
    assert!(answer.score >= answer.limit && answer.margin <= 0.0);
    let [region] = &answer.regions[..] else { panic!("{:?}", answer.regions) };
    let stroke = PixelRect::new(100, 140, 6, 30);
    assert!(region.rect.intersection(&stroke) == Some(region.rect) && region.rect.height >= 28);
    assert!((region.points.x - f64::from(region.rect.x) / 3.0).abs() < 1e-9);
}

#[test]
fn a_small_change_where_four_tiles_meet_is_drift() {
    // 24 pixels, 6 in each tile
    let answer = changed(|p| fill(p, PixelRect::new(125, 62, 6, 4), [0; 3]));
    assert_eq!(answer.rule, Some(Rule::Structure), "{}", answer.summary());
    assert_eq!(answer.regions[0].rect, PixelRect::new(125, 62, 6, 4));
}

#[test]
fn noise_of_two_levels_matches() {
    let mut state = 1u32;
    let answer = changed(|p| {
        for pixel in p.pixels_mut() {
            for level in &mut pixel.0[..3] {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                *level =
                    level.saturating_add((state >> 24) as u8 % 3).saturating_sub((state >> 16) as u8 % 3);
            }
        }
    });
    assert_eq!(answer.verdict, Verdict::Match, "{}", answer.summary());
    assert!(answer.mean_ssim.unwrap() < 0.999, "a mean would call this less alike than a changed digit");
}

#[test]
fn strokes_that_wander_by_two_pixels_match_and_by_five_drift() {
    let moved = |by: u32| {
        changed(move |p| {
            for i in 0..8 {
                fill(p, PixelRect::new(60 + i * 20, 140, 6, 30), [255; 3]);
            }
            for i in 0..8 {
                fill(p, PixelRect::new(60 + i * 20 + by, 140, 6, 30), [0; 3]);
            }
        })
    };
    assert_eq!(moved(2).verdict, Verdict::Match, "{}", moved(2).summary());
    assert_eq!(moved(5).rule, Some(Rule::Structure));
}

#[test]
fn a_flat_area_that_changes_colour_by_few_levels_is_drift_by_colour() {
    // white to the grey of grouped lists: 13 levels, under the tolerance of 24
    let answer = changed(|p| {
        fill(p, PixelRect::new(30, 100, 240, 40), GREY);
        fill(p, PixelRect::new(30, 170, 240, 50), GREY);
    });
    assert_eq!((answer.verdict, answer.rule), (Verdict::Drift, Some(Rule::Colour)));
    assert_eq!(answer.unit, "CIEDE2000 of a flat area");
    let around = answer.regions.iter().map(|r| r.rect).reduce(|a, b| a.union(&b)).unwrap();
    assert!(around.x <= 40 && around.right() >= 256, "{around:?}");
}

#[test]
fn a_colour_that_rounding_moves_matches() {
    for by in 1..=3 {
        let answer = changed(|p| {
            for pixel in p.pixels_mut() {
                pixel.0[0] = pixel.0[0].saturating_sub(by);
                pixel.0[2] = pixel.0[2].saturating_add(by);
            }
        });
        assert_eq!(answer.verdict, Verdict::Match, "{by}: {}", answer.summary());
    }
}

#[test]
fn a_changed_place_under_a_mask_matches_and_beside_it_drifts() {
    let stroke = PixelRect::new(100, 140, 6, 30);
    let mut picture = screen();
    fill(&mut picture, stroke, [255; 3]);
    let (a, b) = (frame(screen()), frame(picture));
    assert_eq!(compared(&a, &b, &[stroke]).verdict, Verdict::Match);
    let half = PixelRect::new(100, 140, 6, 15);
    let answer = compared(&a, &b, &[half]);
    assert_eq!(answer.verdict, Verdict::Drift);
    assert!(answer.regions.iter().all(|r| half.intersection(&r.rect).is_none()), "{:?}", answer.regions);
}

#[test]
fn what_is_masked_does_not_tell_against_a_tile_that_moves() {
    let (stroke, mask) = (PixelRect::new(60, 105, 30, 20), PixelRect::new(60, 105, 31, 21));
    let mut picture = RgbaImage::from_pixel(SIDE, SIDE, rgba([255; 3]));
    fill(&mut picture, PixelRect::new(66, 150, 3, 30), [0; 3]);
    let mut other = RgbaImage::from_pixel(SIDE, SIDE, rgba([255; 3]));
    fill(&mut other, PixelRect::new(68, 150, 3, 30), [0; 3]);
    fill(&mut other, stroke, [200, 0, 0]);
    assert_eq!(compared(&frame(picture), &frame(other), &[mask]).verdict, Verdict::Match);
}

#[test]
fn frames_of_different_size_drift_by_size_either_way() {
    let (a, b) = (frame(screen()), frame(RgbaImage::from_pixel(SIDE, SIDE - 1, rgba(GREY))));
    for answer in [compared(&a, &b, &[]), compared(&b, &a, &[])] {
        assert_eq!((answer.verdict, answer.rule, answer.score), (Verdict::Drift, Some(Rule::Size), 1.0));
        assert_eq!((answer.mean_ssim, answer.lowest_ssim), (None, None));
    }
}

#[test]
fn letters_of_a_word_are_one_region_and_far_changes_are_two() {
    let answer = changed(|p| {
        fill(p, PixelRect::new(80, 140, 6, 30), [255; 3]);
        fill(p, PixelRect::new(100, 140, 6, 30), [255; 3]);
        fill(p, PixelRect::new(200, 10, 20, 20), [255, 0, 0]);
    });
    assert_eq!(answer.regions.len(), 2, "{:?}", answer.regions);
}

#[test]
fn the_limit_grows_with_the_square_of_the_scale() {
    let limits = |scale| GateOptions::default().limits(scale).unwrap();
    assert_eq!(limits(3.0).outlying_pixels, 12.0);
    assert!((limits(1.5).outlying_pixels - 3.0).abs() < 1e-9);
    assert_eq!((limits(3.0).shift, limits(2.0).shift, limits(1.0).shift), (2, 1, 1));
}

#[test]
fn options_outside_their_range_and_masks_outside_the_frame_are_refused() {
    let a = frame(screen());
    let refused = |scale, masks: &[PixelRect], options| compare(&a, &a, scale, masks, &options).unwrap_err();
    for scale in [0.0, -3.0, f64::NAN, f64::INFINITY, 99.0] {
        assert!(matches!(refused(scale, &[], GateOptions::default()), GateError::Scale(_)));
    }
    let none = GateOptions::default();
    for options in [
        GateOptions { outlying_pixels: Some(0.0), ..none },
        GateOptions { shift: Some(-1.0), ..none },
        GateOptions { shift: Some(5.0), ..none },
        GateOptions { colour_delta: Some(f64::NAN), ..none },
    ] {
        assert!(matches!(refused(3.0, &[], options), GateError::Option { .. }), "{options:?}");
    }
    let outside = PixelRect::new(290, 0, 20, 20);
    assert!(matches!(refused(3.0, &[outside], none), GateError::MaskOutside { .. }));
}

#[test]
fn layers_of_options_go_from_the_nearest_outwards() {
    let step = GateOptions { tolerance: Some(30), ..GateOptions::default() };
    let recording = GateOptions { tolerance: Some(40), shift: Some(1.0), ..GateOptions::default() };
    let both = step.over(recording);
    assert_eq!((both.tolerance, both.shift, both.colour_delta), (Some(30), Some(1.0), None));
}

#[test]
fn the_smallest_frames_are_compared() {
    let one = |colour| frame(RgbaImage::from_pixel(1, 1, rgba(colour)));
    assert_eq!(compared(&one([0; 3]), &one([0; 3]), &[]).verdict, Verdict::Match);
    let options = GateOptions { outlying_pixels: Some(1.0), ..GateOptions::default() };
    let answer = compare(&one([0; 3]), &one([255; 3]), 3.0, &[], &options).unwrap();
    assert_eq!(answer.verdict, Verdict::Drift);
}

#[test]
fn a_caret_that_blinks_is_found_and_left_out() {
    let caret = PixelRect::new(150, 20, 6, 52);
    let mut with = screen();
    fill(&mut with, caret, [0, 122, 255]);
    let (with, without) = (frame(with), frame(screen()));
    let screen = Screen::of_picture(with.size(), 3.0);
    let masks = crate::vision::mask::with_defaults(&[]);
    let mut unread = |_: &Frame| Ok(Vec::new());
    for (a, b) in [(&with, &without), (&without, &with)] {
        let [e, a] = [a, b].map(crate::vision::mask::Side::of);
        let options = GateOptions::default();
        let answer = compare_masked(e, a, &screen, &masks, &options, &mut unread).unwrap();
        assert_eq!(answer.verdict, Verdict::Match, "{}", answer.summary());
        assert_eq!(answer.masks.len(), 1, "{:?}", answer.masks);
        assert_eq!(compared(e.frame, a.frame, &[]).verdict, Verdict::Drift);
    }
}

#[test]
fn a_lone_stroke_that_went_is_drift_unless_it_stands_in_a_field() {
    // a letter `l` as large titles have it, in ink and in a tint, and a caret in ink
    let (letter, caret) = (PixelRect::new(150, 12, 12, 75), PixelRect::new(150, 20, 6, 60));
    let field = crate::recording::samples::mark(
        1,
        crate::role::Role::TextField,
        "Note",
        crate::geometry::Rect::new(40.0, 2.0, 50.0, 30.0),
    );
    let field = [field];
    for (stroke, colour, marks, hidden) in [
        (letter, [0; 3], None, false),
        (letter, [0, 122, 255], None, false),
        (caret, [0; 3], None, false),
        (caret, [0; 3], Some(&field[..]), true),
        (caret, [0, 122, 255], None, true),
    ] {
        let mut with = screen();
        fill(&mut with, stroke, colour);
        let (with, without) = (frame(with), frame(screen()));
        let size = Screen::of_picture(with.size(), 3.0);
        let masks = crate::vision::mask::with_defaults(&[]);
        let mut unread = |_: &Frame| Ok(Vec::new());
        let observed = marks.map(|marks| crate::vision::mask::Observed { marks, status_bar: None });
        let [e, a] = [&with, &without].map(|frame| crate::vision::mask::Side { frame, observed });
        let answer = compare_masked(e, a, &size, &masks, &GateOptions::default(), &mut unread).unwrap();
        assert_eq!(answer.is_drift(), !hidden, "{stroke:?} {colour:?}: {}", answer.summary());
    }
}

#[test]
fn a_difference_is_drawn_for_frames_of_one_size_and_regions_lie_on_it() {
    let stroke = PixelRect::new(100, 140, 6, 30);
    let mut other = screen();
    fill(&mut other, stroke, [255; 3]);
    let (a, b) = (frame(screen()), frame(other));
    let answer = compared(&a, &b, &[]);
    let drawn = difference(&a, &b, &answer).unwrap();
    let red = |x, y| {
        let [r, g, _] = drawn.get_pixel(x, y).0;
        r > 200 && g < 120
    };
    assert!(red(102, 150) && !red(200, 250));
    assert_eq!(picture(&a, &b, &answer).width(), 3 * SIDE + 2 * 24);
    let smaller = frame(RgbaImage::from_pixel(SIDE - 1, SIDE, rgba(GREY)));
    let answer = compared(&a, &smaller, &[]);
    assert!(difference(&a, &smaller, &answer).is_none());
    assert_eq!(picture(&a, &smaller, &answer).width(), 2 * SIDE - 1 + 24);
}
