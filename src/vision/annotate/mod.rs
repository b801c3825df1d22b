//! The picture an agent is shown: the screen at one pixel a point, with numbered boxes. Uses the types.
//!
//! Colours tell kinds apart and hold on light and dark; numbers stand beside what they name, where the
//! picture is quietest ([`annotated`]).

mod canvas;
mod digits;
mod encode;
mod tags;

use image::{Rgb, RgbImage};

pub use encode::{jpeg, png};

use crate::frame::Frame;
use crate::geometry::{PixelRect, Screen};
use crate::mark::Mark;
use crate::role::Role;
use crate::vision::resample::resample;
use canvas::{Area, Canvas};

/// A picture is never longer than this, in pixels: models scale larger ones down themselves.
pub const MAX_SIDE: f64 = 1568.0;
const MIN_SCALE: f64 = 0.05;

/// The frame with its marks. `scale`: output pixels a point, see [`fit_scale`].
pub fn annotated(frame: &Frame, screen: &Screen, marks: &[Mark], scale: f64) -> RgbImage {
    let picture = plain(frame, screen, scale);
    let quiet = tags::Unrest::of(&picture);
    let mut canvas = Canvas::new(picture, scale);
    let boxes: Vec<(Area, &Mark)> = marks.iter().map(|m| (around(m, scale), m)).collect();
    // text first, so that the lines of controls lie on top
    for text in [true, false] {
        for (area, mark) in boxes.iter().filter(|(_, m)| (m.role == Role::Text) == text) {
            canvas.outline(*area, colour(mark.role), if text { 0.75 } else { 1.0 });
        }
    }
    let wanted: Vec<(Area, String)> = boxes.iter().map(|(area, m)| (*area, m.id.to_string())).collect();
    for (place, (_, mark)) in tags::places(&canvas, &quiet, &wanted).into_iter().zip(&boxes) {
        canvas.tag(place, &mark.id.to_string(), colour(mark.role));
    }
    canvas.into_picture()
}

/// The frame alone. `scale`: output pixels a point.
pub fn plain(frame: &Frame, screen: &Screen, scale: f64) -> RgbImage {
    let scale = fit_scale(screen, scale);
    let side = |points: f64| (points * scale).round().max(1.0) as u32;
    let (width, height) = (side(screen.points.width), side(screen.points.height));
    let size = frame.size();
    let whole = PixelRect::new(0, 0, size.width, size.height);
    let colours = resample(frame.pixels(), whole, width as usize, height as usize);
    let mut picture = RgbImage::new(width, height);
    for (byte, level) in picture.iter_mut().zip(&colours) {
        *byte = (level + 0.5) as u8;
    }
    picture
}

/// The scale nearest to `wanted` (output pixels a point) that keeps the long side within [`MAX_SIDE`].
pub fn fit_scale(screen: &Screen, wanted: f64) -> f64 {
    let long = screen.points.width.max(screen.points.height).max(1.0);
    let most = MAX_SIDE / long;
    if wanted.is_finite() { wanted.clamp(MIN_SCALE.min(most), most) } else { most.min(1.0) }
}

/// The box drawn for a mark: a little wider than the mark, so that lines don't touch letters.
fn around(mark: &Mark, scale: f64) -> Area {
    let space = if mark.role == Role::Text { 2.0 } else { 0.5 };
    Area {
        left: ((mark.frame.x - space) * scale) as f32,
        top: ((mark.frame.y - space) * scale) as f32,
        right: ((mark.frame.right() + space) * scale) as f32,
        bottom: ((mark.frame.bottom() + space) * scale) as f32,
    }
}

/// One colour a kind; all are dark enough for white digits and bright enough for a black ground.
fn colour(role: Role) -> Rgb<u8> {
    match role {
        Role::TextField | Role::SecureField | Role::SearchField => Rgb([124, 58, 237]),
        Role::Switch | Role::Checkbox | Role::Slider | Role::Stepper | Role::Segmented => Rgb([217, 91, 0]),
        Role::Text => Rgb([71, 105, 150]),
        Role::Image | Role::Alert | Role::Sheet | Role::Progress | Role::Other => Rgb([0, 128, 110]),
        Role::Tab | Role::Cell | Role::KeyboardKey => Rgb([0, 102, 214]),
        Role::Button | Role::IconButton | Role::Link | Role::BackButton => Rgb([214, 28, 96]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::{PixelSize, Rect};
    use crate::mark::{MarkId, Source, StableId};
    use image::RgbaImage;

    fn mark(id: u32, role: Role, frame: Rect) -> Mark {
        Mark {
            id: MarkId(id),
            stable_id: StableId(String::new()),
            role,
            label: "a".into(),
            value: None,
            frame,
            enabled: true,
            selected: None,
            identifier: None,
            confidence: 1.0,
            sources: vec![Source::Text],
            text_unread: false,
        }
    }

    fn blank(width: u32, height: u32) -> (Frame, Screen) {
        let frame = Frame::new(RgbaImage::from_pixel(width, height, image::Rgba([255; 4]))).unwrap();
        (frame, Screen::of_picture(PixelSize::new(width, height), 3.0))
    }

    #[test]
    fn a_phone_s_picture_is_one_pixel_a_point_and_an_ipad_s_is_capped() {
        let (frame, screen) = blank(1179, 2556);
        assert_eq!(plain(&frame, &screen, 1.0).dimensions(), (393, 852));
        let large = Screen::of_picture(PixelSize::new(2048, 2732), 1.0);
        assert!((fit_scale(&large, 1.0) * 2732.0 - 1568.0).abs() < 1e-6);
        assert_eq!(fit_scale(&screen, f64::NAN), 1.0);
    }

    #[test]
    fn what_lies_inside_a_box_stays_untouched() {
        let (frame, screen) = blank(1179, 2556);
        let picture =
            annotated(&frame, &screen, &[mark(17, Role::Text, Rect::new(50.0, 100.0, 80.0, 20.0))], 1.0);
        for (x, y) in [(52, 102), (90, 110), (128, 118)] {
            assert_eq!(picture.get_pixel(x, y).0, [255; 3], "{x},{y}");
        }
        assert!(picture.pixels().any(|p| p.0 != [255; 3]));
    }

    #[test]
    fn marks_outside_the_picture_do_no_harm() {
        let (frame, screen) = blank(30, 30);
        let far = [(-500.0, -500.0), (5000.0, 5.0), (2.0, 2.0)];
        let marks: Vec<Mark> = far
            .iter()
            .enumerate()
            .map(|(i, &(x, y))| mark(4_000_000_000 + i as u32, Role::Button, Rect::new(x, y, 900.0, 900.0)))
            .collect();
        assert_eq!(annotated(&frame, &screen, &marks, 1.0).dimensions(), (10, 10));
    }

    #[test]
    fn a_noisy_picture_still_fits_its_limit() {
        let noise = RgbImage::from_fn(393, 852, |x, y| {
            let v = x.wrapping_mul(2_654_435_761) ^ y.wrapping_mul(40_503).wrapping_mul(x + 7);
            Rgb([v as u8, (v >> 8) as u8, (v >> 16) as u8])
        });
        let bytes = jpeg(&noise, 150_000);
        assert!(bytes.len() <= 150_000, "{}", bytes.len());
        assert!(image::load_from_memory(&bytes).is_ok());
        assert_eq!(image::load_from_memory(&png(&noise)).unwrap().into_rgb8(), noise);
    }
}
