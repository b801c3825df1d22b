//! Pictures of what drifted. Uses `frame`, `vision`.

use std::path::{Path, PathBuf};

use image::{DynamicImage, Rgb, RgbImage};

use super::outcome::RegionReport;
use crate::frame::Frame;
use crate::geometry::PixelRect;
use crate::vision::annotate;

/// Levels between two channels that a person may see.
const SEEN: u8 = 16;
const CHANGED: [u8; 3] = [214, 0, 110];
const OUTLINE: [u8; 3] = [214, 0, 110];
const MASKED: [u8; 3] = [150, 190, 235];

/// Writes a frame as a PNG.
pub fn write_frame(path: &Path, frame: &Frame) -> std::io::Result<PathBuf> {
    write(path, &DynamicImage::ImageRgba8(frame.pixels().clone()).into_rgb8())
}

/// Writes the screen of today, paled, with what differs painted and its regions outlined.
pub fn write_difference(
    path: &Path,
    expected: &Frame,
    actual: &Frame,
    regions: &[RegionReport],
    masked: &[PixelRect],
) -> std::io::Result<PathBuf> {
    write(path, &difference(expected, actual, regions, masked))
}

fn write(path: &Path, picture: &RgbImage) -> std::io::Result<PathBuf> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)?;
    }
    std::fs::write(path, annotate::png(picture))?;
    Ok(path.to_owned())
}

fn difference(expected: &Frame, actual: &Frame, regions: &[RegionReport], masked: &[PixelRect]) -> RgbImage {
    let (then, now) = (expected.pixels(), actual.pixels());
    let mut picture = RgbImage::from_fn(now.width(), now.height(), |x, y| {
        let p = now.get_pixel(x, y).0;
        let pale = ((u32::from(p[0]) * 3 + u32::from(p[1]) * 6 + u32::from(p[2])) / 40 + 190).min(255) as u8;
        if masked.iter().any(|m| m.contains(x, y)) {
            return Rgb(MASKED.map(|c| c / 2 + pale / 2));
        }
        let differs = x >= then.width() || y >= then.height() || {
            let e = then.get_pixel(x, y).0;
            p.iter().zip(e).any(|(a, b)| a.abs_diff(b) > SEEN)
        };
        Rgb(if differs { CHANGED } else { [pale; 3] })
    });
    let thickness = (now.width() / 200).max(1);
    for region in regions {
        outline(&mut picture, region.pixels, thickness);
    }
    picture
}

/// A frame around a rectangle, outside of it so that it hides nothing.
fn outline(picture: &mut RgbImage, around: PixelRect, thickness: u32) {
    let (left, top) = (around.x.saturating_sub(2 * thickness), around.y.saturating_sub(2 * thickness));
    let right = (around.right() + 2 * thickness).min(picture.width());
    let bottom = (around.bottom() + 2 * thickness).min(picture.height());
    for y in top..bottom {
        for x in left..right {
            let at_edge = x < left + thickness || y < top + thickness;
            if at_edge || x + thickness >= right || y + thickness >= bottom {
                picture.put_pixel(x, y, Rgb(OUTLINE));
            }
        }
    }
}
