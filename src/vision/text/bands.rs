//! Bands of rows that can hold text: where nothing changes from one row to the next over a long way, there is none.
//! To the left and right of the changes of a band there is none either.
//! Uses nothing of this crate but the types.

use std::ops::Range;

use image::RgbaImage;

use crate::geometry::PixelRect;

/// A channel that moves by less from a row to the next is a gradient or noise.
const STEP: u8 = 10;
/// Kept above and below what changes, in points: the detector wants to see the ground around a text.
const MARGIN: f64 = 16.0;
/// A shorter gap between two bands, in points, is not worth two runs; a stem of the largest titles is shorter too.
const GAP: f64 = 40.0;

/// The parts of a region that can hold text, from top to bottom. `scale`: pixels a point.
pub(super) fn bands(pixels: &RgbaImage, region: PixelRect, scale: f64) -> Vec<PixelRect> {
    let (margin, gap) = ((MARGIN * scale) as u32, (GAP * scale) as u32);
    let mut bands: Vec<PixelRect> = Vec::new();
    for y in region.y + 1..region.bottom() {
        let Some(changed) = differs_from_above(pixels, region, y) else { continue };
        let (top, bottom) = (y.saturating_sub(margin).max(region.y), (y + margin).min(region.bottom()));
        let (left, right) =
            (changed.start.saturating_sub(margin).max(region.x), (changed.end + margin).min(region.right()));
        let row = PixelRect::new(left, top, right - left, bottom - top);
        match bands.last_mut() {
            Some(band) if top <= band.bottom() + gap => *band = band.union(&row),
            _ => bands.push(row),
        }
    }
    bands
}

/// From the first to the last column of a region in which a row differs from the one above it.
fn differs_from_above(pixels: &RgbaImage, region: PixelRect, y: u32) -> Option<Range<u32>> {
    let stride = pixels.width() as usize * 4;
    let row = |y: u32| {
        let from = y as usize * stride + region.x as usize * 4;
        &pixels.as_raw()[from..from + region.width as usize * 4]
    };
    let (above, here) = (row(y - 1), row(y));
    // most rows are the very same as the one above, which is told fastest
    if above == here {
        return None;
    }
    let differs = |(a, b): (&u8, &u8)| a.abs_diff(*b) >= STEP;
    let first = above.iter().zip(here).position(differs)?;
    let last = above.iter().zip(here).rposition(differs)?;
    let column = |byte: usize| region.x + (byte / 4) as u32;
    Some(column(first)..column(last) + 1)
}

#[cfg(test)]
mod tests {
    use image::Rgba;

    use super::*;

    fn screen(rows: &[Range<u32>]) -> RgbaImage {
        RgbaImage::from_fn(300, 2000, |x, y| {
            let ink = x > 100 && x < 110 && rows.iter().any(|r| r.contains(&y));
            if ink { Rgba([0, 0, 0, 255]) } else { Rgba([250, 250, (y / 20) as u8, 255]) }
        })
    }

    fn found(rows: &[Range<u32>]) -> Vec<(u32, u32)> {
        let whole = PixelRect::new(0, 0, 300, 2000);
        bands(&screen(rows), whole, 3.0).iter().map(|b| (b.y, b.bottom())).collect()
    }

    #[test]
    fn what_lies_far_apart_is_looked_at_apart_and_a_gradient_not_at_all() {
        assert_eq!(found(&[]), []);
        assert_eq!(found(&[500..540, 1200..1230]), [(452, 588), (1152, 1278)]);
    }

    #[test]
    fn neighbours_and_long_stems_stay_together() {
        assert_eq!(found(&[500..540, 640..680]), [(452, 728)]);
        assert_eq!(found(&[500..600, 600..700]), [(452, 748)]);
    }

    #[test]
    fn a_band_is_as_wide_as_what_changes_in_it() {
        let whole = PixelRect::new(0, 0, 300, 2000);
        let found = bands(&screen(&[500..540, 1200..1230]), whole, 3.0);
        assert!(found.iter().all(|band| (band.x, band.right()) == (101 - 48, 110 + 48)), "{found:?}");
    }

    #[test]
    fn the_edges_of_a_region_bound_its_bands() {
        let region = PixelRect::new(80, 500, 50, 100);
        let found = bands(&screen(&[510..550, 550..590]), region, 3.0);
        assert_eq!(found, [region]);
    }
}
