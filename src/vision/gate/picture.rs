//! A picture of a comparison: expected, actual and what differs, side by side. Uses the types.

use image::{Rgb, RgbImage, imageops};

use super::{Comparison, Rule};
use crate::frame::Frame;
use crate::geometry::PixelRect;
use crate::vision::ssim::CELL;

const GAP: u32 = 24;
const GROUND: Rgb<u8> = Rgb([128, 128, 132]);
const DRIFT: [u8; 3] = [230, 0, 60];
const MASK: [u8; 3] = [0, 110, 230];
/// Levels under which a pixel is shown as unchanged.
const SEEN: u8 = 3;

/// Draws a comparison of these frames, in their pixels: expected, actual and, where they are of one size, the
/// [`difference`]. Regions are framed in red, masks hatched in blue.
pub fn picture(expected: &Frame, actual: &Frame, comparison: &Comparison) -> RgbImage {
    let difference = difference(expected, actual, comparison);
    let mut panels = vec![rgb(expected), rgb(actual)];
    panels.iter_mut().for_each(|panel| mark(panel, comparison));
    panels.extend(difference);
    let height = panels.iter().map(RgbImage::height).max().unwrap_or(0);
    let width = panels.iter().map(|panel| panel.width() + GAP).sum::<u32>().saturating_sub(GAP);
    let mut picture = RgbImage::from_pixel(width, height, GROUND);
    let mut left = 0;
    for panel in &panels {
        imageops::replace(&mut picture, panel, i64::from(left), 0);
        left += panel.width() + GAP;
    }
    picture
}

/// A pale copy of `actual` on which pixels that differ are red, and paler red where only the similarity around them is
/// lower; with regions and masks. `None` for frames of different size.
pub fn difference(expected: &Frame, actual: &Frame, comparison: &Comparison) -> Option<RgbImage> {
    if expected.size() != actual.size() {
        return None;
    }
    let similar = |x: u32, y: u32| {
        let similarity = comparison.similarity.as_ref()?;
        similarity.map.get(y as usize / CELL * similarity.columns + x as usize / CELL).copied()
    };
    let (then, now) = (expected.pixels(), actual.pixels());
    let mut picture = RgbImage::from_fn(now.width(), now.height(), |x, y| {
        let (a, b) = (then.get_pixel(x, y).0, now.get_pixel(x, y).0);
        let apart = a.iter().zip(b).map(|(a, b)| a.abs_diff(b)).max().unwrap_or(0);
        let strength = if apart > SEEN {
            0.45 + 0.55 * f32::from(apart) / 255.0
        } else {
            0.25 * (1.0 - similar(x, y).unwrap_or(1.0)).clamp(0.0, 1.0)
        };
        Rgb([0, 1, 2].map(|c| mix(191 + b[c] / 4, DRIFT[c], strength)))
    });
    mark(&mut picture, comparison);
    Some(picture)
}

fn rgb(frame: &Frame) -> RgbImage {
    let pixels = frame.pixels();
    RgbImage::from_fn(pixels.width(), pixels.height(), |x, y| {
        let [r, g, b, _] = pixels.get_pixel(x, y).0;
        Rgb([r, g, b])
    })
}

fn mark(panel: &mut RgbImage, comparison: &Comparison) {
    comparison.masks.iter().for_each(|masked| hatch(panel, masked.rect));
    let regions = comparison.regions.iter().filter(|r| r.rule != Rule::Size);
    regions.for_each(|region| outline(panel, region.rect, comparison.scale));
}

fn mix(from: u8, to: u8, share: f32) -> u8 {
    (f32::from(from) + (f32::from(to) - f32::from(from)) * share).round() as u8
}

fn hatch(picture: &mut RgbImage, rect: PixelRect) {
    for y in rect.y..rect.bottom().min(picture.height()) {
        for x in (rect.x..rect.right().min(picture.width())).filter(|x| (x + y) % 12 < 3) {
            picture.put_pixel(x, y, Rgb(MASK));
        }
    }
}

/// A frame around a region, two points away from it and one point thick.
fn outline(picture: &mut RgbImage, rect: PixelRect, scale: f64) {
    let (away, thick) = ((2.0 * scale).round() as i64, scale.round().max(1.0) as i64);
    let (x0, y0) = (i64::from(rect.x) - away, i64::from(rect.y) - away);
    let (x1, y1) = (i64::from(rect.right()) + away, i64::from(rect.bottom()) + away);
    for y in y0 - thick..y1 + thick {
        for x in x0 - thick..x1 + thick {
            let inside = (x0..x1).contains(&x) && (y0..y1).contains(&y);
            let (Ok(x), Ok(y)) = (u32::try_from(x), u32::try_from(y)) else { continue };
            if !inside && x < picture.width() && y < picture.height() {
                picture.put_pixel(x, y, Rgb(DRIFT));
            }
        }
    }
}
