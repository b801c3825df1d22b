//! A picture of a comparison: expected, actual and what differs, side by side. Uses the types.

use image::{Rgb, RgbImage};

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

/// Draws a comparison of these frames, in their pixels. Regions are framed in red, masks hatched in blue; on the
/// right, pixels that differ are red on a pale copy, paler red where only the similarity around them is lower.
pub fn picture(expected: &Frame, actual: &Frame, comparison: &Comparison) -> RgbImage {
    let (a, b) = (expected.size(), actual.size());
    let height = a.height.max(b.height);
    let difference_at = a.width + b.width + 2 * GAP;
    let width = difference_at + if a == b { a.width } else { 0 };
    let mut picture = RgbImage::from_pixel(width, height, GROUND);
    paste(&mut picture, 0, expected);
    paste(&mut picture, a.width + GAP, actual);
    let mut panels = vec![0, a.width + GAP];
    if a == b {
        draw_difference(&mut picture, difference_at, expected, actual, comparison);
        panels.push(difference_at);
    }
    for left in panels {
        for masked in &comparison.masks {
            hatch(&mut picture, left, masked.rect);
        }
        for region in comparison.regions.iter().filter(|r| r.rule != Rule::Size) {
            outline(&mut picture, left, region.rect, comparison.scale);
        }
    }
    picture
}

fn paste(picture: &mut RgbImage, left: u32, frame: &Frame) {
    for (x, y, pixel) in frame.pixels().enumerate_pixels() {
        let [r, g, b, _] = pixel.0;
        picture.put_pixel(left + x, y, Rgb([r, g, b]));
    }
}

fn draw_difference(
    picture: &mut RgbImage,
    left: u32,
    expected: &Frame,
    actual: &Frame,
    comparison: &Comparison,
) {
    let similar = |x: u32, y: u32| {
        let similarity = comparison.similarity.as_ref()?;
        similarity.map.get(y as usize / CELL * similarity.columns + x as usize / CELL).copied()
    };
    for ((x, y, a), b) in expected.pixels().enumerate_pixels().zip(actual.pixels().pixels()) {
        let pale = b.0.map(|c| 191 + c / 4);
        let apart = a.0.iter().zip(b.0).map(|(a, b)| a.abs_diff(b)).max().unwrap_or(0);
        let strength = if apart > SEEN {
            0.45 + 0.55 * f32::from(apart) / 255.0
        } else {
            0.25 * (1.0 - similar(x, y).unwrap_or(1.0)).clamp(0.0, 1.0)
        };
        let mixed = [0, 1, 2].map(|c| mix(pale[c], DRIFT[c], strength));
        picture.put_pixel(left + x, y, Rgb(mixed));
    }
}

fn mix(from: u8, to: u8, share: f32) -> u8 {
    (f32::from(from) + (f32::from(to) - f32::from(from)) * share).round() as u8
}

fn hatch(picture: &mut RgbImage, left: u32, rect: PixelRect) {
    for y in rect.y..rect.bottom().min(picture.height()) {
        for x in (rect.x..rect.right()).filter(|x| (x + y) % 12 < 3) {
            if left + x < picture.width() {
                picture.put_pixel(left + x, y, Rgb(MASK));
            }
        }
    }
}

/// A frame around a region, two points away from it and one point thick.
fn outline(picture: &mut RgbImage, left: u32, rect: PixelRect, scale: f64) {
    let (away, thick) = ((2.0 * scale).round() as i64, scale.round().max(1.0) as i64);
    let (x0, y0) = (i64::from(left + rect.x) - away, i64::from(rect.y) - away);
    let (x1, y1) = (i64::from(left + rect.right()) + away, i64::from(rect.bottom()) + away);
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
