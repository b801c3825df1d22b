//! Finds the recorded picture of a target on another screen. Uses `geometry`, `frame`, `observe`.

use image::GrayImage;
use image::imageops::{self, FilterType};
use imageproc::template_matching::{MatchTemplateMethod, find_extremes, match_template_parallel};

use crate::frame::Frame;
use crate::geometry::{Rect, Screen};
use crate::observe::Observation;

/// Squared error as a share of both pictures' energy; above it, it is another picture.
const MOST_ERROR: f32 = 0.02;
/// Levels that a patch must span: a flat one is found everywhere.
const LEAST_CONTRAST: u8 = 32;
/// Points; smaller patches are found by chance.
const LEAST_SIDE: u32 = 10;

/// Where the pixels that were recorded at `place` are now, in points of `screen`.
pub fn find(recorded: &Frame, place: Rect, screen: &Observation) -> Option<Rect> {
    let now = at_one_pixel_a_point(&screen.frame, &screen.screen);
    let then = at_one_pixel_a_point(recorded, &screen.screen);
    let (x, y) = (place.x.max(0.0).round() as u32, place.y.max(0.0).round() as u32);
    let width = (place.right().round() as u32).min(then.width()).checked_sub(x)?;
    let height = (place.bottom().round() as u32).min(then.height()).checked_sub(y)?;
    if width < LEAST_SIDE || height < LEAST_SIDE || width > now.width() || height > now.height() {
        return None;
    }
    let patch = imageops::crop_imm(&then, x, y, width, height).to_image();
    let (darkest, brightest) = patch.pixels().fold((255, 0), |(d, b), p| (p.0[0].min(d), p.0[0].max(b)));
    if brightest - darkest < LEAST_CONTRAST {
        return None;
    }
    let method = MatchTemplateMethod::SumOfSquaredErrorsNormalized;
    let best = find_extremes(&match_template_parallel(&now, &patch, method));
    let (x, y) = best.min_value_location;
    (best.min_value <= MOST_ERROR)
        .then(|| Rect::new(f64::from(x), f64::from(y), f64::from(width), f64::from(height)))
}

fn at_one_pixel_a_point(frame: &Frame, screen: &Screen) -> GrayImage {
    let grey = imageops::grayscale(frame.pixels());
    let width = (f64::from(grey.width()) / screen.scale_x()).round().max(1.0) as u32;
    let height = (f64::from(grey.height()) / screen.scale_y()).round().max(1.0) as u32;
    imageops::resize(&grey, width, height, FilterType::Triangle)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recording::samples;
    use image::{Rgba, RgbaImage};

    /// A frame of 60×120 points at 3 pixels a point with a checked square at this place.
    fn square(x: u32, y: u32) -> Frame {
        Frame::new(RgbaImage::from_fn(180, 360, |px, py| {
            let (inside_x, inside_y) = (px.wrapping_sub(x * 3), py.wrapping_sub(y * 3));
            let dark = inside_x < 48 && inside_y < 48 && (inside_x / 12 + inside_y / 12) % 2 == 0;
            Rgba(if dark { [20, 20, 20, 255] } else { [240, 240, 240, 255] })
        }))
        .unwrap()
    }

    fn looking_at(frame: Frame) -> Observation {
        let mut screen = (*samples::screen(0, vec![])).clone();
        screen.screen = Screen::of_picture(frame.size(), 3.0);
        screen.frame = frame;
        screen
    }

    #[test]
    fn a_moved_picture_is_found_and_another_is_not() {
        let place = Rect::new(8.0, 10.0, 16.0, 16.0);
        let moved = find(&square(8, 10), place, &looking_at(square(30, 70))).unwrap();
        assert_eq!((moved.x, moved.y), (30.0, 70.0));
        assert_eq!(find(&square(8, 10), place, &looking_at(square(200, 200))), None);
        assert_eq!(find(&square(30, 70), place, &looking_at(square(30, 70))), None, "a flat patch");
    }
}
