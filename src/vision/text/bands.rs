//! Bands of rows that can hold text: where nothing changes from one row to the next over a long way, there is none.
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

/// The parts of a region, as wide as it, that can hold text. `scale`: pixels a point.
pub(super) fn bands(pixels: &RgbaImage, region: PixelRect, scale: f64) -> Vec<PixelRect> {
    let (margin, gap) = ((MARGIN * scale) as u32, (GAP * scale) as u32);
    let mut bands: Vec<Range<u32>> = Vec::new();
    for y in (region.y + 1..region.bottom()).filter(|y| differs_from_above(pixels, region, *y)) {
        let (top, bottom) = (y.saturating_sub(margin).max(region.y), (y + margin).min(region.bottom()));
        match bands.last_mut() {
            Some(band) if top <= band.end + gap => band.end = bottom,
            _ => bands.push(top..bottom),
        }
    }
    let rect = |band: Range<u32>| PixelRect::new(region.x, band.start, region.width, band.end - band.start);
    bands.into_iter().map(rect).collect()
}

fn differs_from_above(pixels: &RgbaImage, region: PixelRect, y: u32) -> bool {
    let stride = pixels.width() as usize * 4;
    let row = |y: u32| {
        let from = y as usize * stride + region.x as usize * 4;
        &pixels.as_raw()[from..from + region.width as usize * 4]
    };
    let (above, here) = (row(y - 1), row(y));
    // most rows are the very same as the one above, which is told fastest
    above != here && above.iter().zip(here).any(|(a, b)| a.abs_diff(*b) >= STEP)
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
    fn the_edges_of_a_region_bound_its_bands() {
        let region = PixelRect::new(50, 500, 200, 100);
        let found = bands(&screen(&[510..550, 550..590]), region, 3.0);
        assert_eq!(found, [region]);
    }
}
