//! Where two frames of one size differ: tiles compared as memory. Uses nothing of this crate but the types.

use image::RgbaImage;
use rayon::prelude::*;

use crate::geometry::PixelRect;

/// Side of a tile in pixels.
const TILE: u32 = 32;

/// Regions (whole tiles, clipped to the frame) that hold every changed pixel; near ones are joined.
pub(super) fn changes(before: &RgbaImage, after: &RgbaImage) -> Vec<PixelRect> {
    let (width, height) = after.dimensions();
    let bands = height.div_ceil(TILE);
    let spans: Vec<PixelRect> = (0..bands)
        .into_par_iter()
        .flat_map_iter(|band| {
            let (top, bottom) = (band * TILE, ((band + 1) * TILE).min(height));
            spans(before, after, top, bottom)
                .into_iter()
                .map(move |(x, right)| PixelRect::new(x, top, right - x, bottom - top))
        })
        .collect();
    joined(spans, width)
}

/// Columns of changed tiles in the rows from `top` to `bottom`, side by side ones joined.
fn spans(before: &RgbaImage, after: &RgbaImage, top: u32, bottom: u32) -> Vec<(u32, u32)> {
    let width = after.width();
    let stride = width as usize * 4;
    let (from, to) = (top as usize * stride, bottom as usize * stride);
    let (a, b) = (&before.as_raw()[from..to], &after.as_raw()[from..to]);
    if a == b {
        return Vec::new();
    }
    let mut spans: Vec<(u32, u32)> = Vec::new();
    for x in (0..width).step_by(TILE as usize) {
        let right = (x + TILE).min(width);
        let columns = x as usize * 4..right as usize * 4;
        let differs = a
            .chunks_exact(stride)
            .zip(b.chunks_exact(stride))
            .any(|(a, b)| a[columns.clone()] != b[columns.clone()]);
        match spans.last_mut() {
            Some(span) if differs && span.1 == x => span.1 = right,
            _ if differs => spans.push((x, right)),
            _ => {}
        }
    }
    spans
}

/// Joins spans that touch or nearly touch, until none do.
fn joined(spans: Vec<PixelRect>, width: u32) -> Vec<PixelRect> {
    // looking at one region costs less than at two beside each other
    let (near_x, near_y) = (width / 8, TILE * 2);
    let near = |a: &PixelRect, b: &PixelRect| {
        a.x <= b.right() + near_x
            && b.x <= a.right() + near_x
            && a.y <= b.bottom() + near_y
            && b.y <= a.bottom() + near_y
    };
    let mut regions: Vec<PixelRect> = Vec::new();
    for mut span in spans {
        while let Some(i) = regions.iter().position(|region| near(region, &span)) {
            span = span.union(&regions.swap_remove(i));
        }
        regions.push(span);
    }
    regions
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_changed_pixel_marks_its_tile_and_no_other() {
        let before = RgbaImage::new(200, 100);
        let mut after = before.clone();
        assert_eq!(changes(&before, &after), []);
        after.put_pixel(70, 40, image::Rgba([1, 0, 0, 0]));
        assert_eq!(changes(&before, &after), [PixelRect::new(64, 32, 32, 32)]);
        after.put_pixel(199, 99, image::Rgba([1, 0, 0, 0]));
        assert_eq!(changes(&before, &after).iter().map(PixelRect::area).sum::<u64>(), 32 * 32 + 8 * 4);
    }
}
