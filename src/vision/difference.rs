//! Where two frames differ, found by comparing memory tile by tile. Uses `frame`, `geometry`.

use rayon::prelude::*;

use crate::frame::Frame;
use crate::geometry::PixelRect;

/// Side of a tile in pixels.
const TILE: u32 = 32;
/// A channel that differs by less is taken for noise of the encoder, not for a change.
const NOISE: u8 = 6;

/// The places where two frames of one size differ, each tight on its changed pixels, touching ones joined.
///
/// Frames of different sizes differ everywhere.
pub fn differences(a: &Frame, b: &Frame) -> Vec<PixelRect> {
    let size = b.size();
    if a.size() != size {
        return vec![PixelRect::new(0, 0, size.width, size.height)];
    }
    let (left, right) = (a.pixels().as_raw().as_slice(), b.pixels().as_raw().as_slice());
    if std::ptr::eq(left, right) {
        return Vec::new();
    }
    let stride = size.width as usize * 4;
    let bands = size.height.div_ceil(TILE);
    let band = |band: u32| {
        let (top, bottom) = (band * TILE, ((band + 1) * TILE).min(size.height));
        let rows = top as usize * stride..bottom as usize * stride;
        let columns = if left[rows.clone()] == right[rows] { 0 } else { size.width };
        let tiles = (0..columns).step_by(TILE as usize);
        let tile = move |x: u32| PixelRect::new(x, top, TILE.min(size.width - x), bottom - top);
        tiles.filter_map(move |x| tight(left, right, stride, tile(x)))
    };
    join((0..bands).into_par_iter().flat_map_iter(band).collect())
}

/// The extent of the changed pixels within a tile.
fn tight(a: &[u8], b: &[u8], stride: usize, tile: PixelRect) -> Option<PixelRect> {
    let (mut x0, mut y0, mut x1, mut y1) = (u32::MAX, u32::MAX, 0, 0);
    for y in tile.y..tile.bottom() {
        let start = y as usize * stride + tile.x as usize * 4;
        let row = start..start + tile.width as usize * 4;
        if a[row.clone()] == b[row.clone()] {
            continue;
        }
        for (i, (p, q)) in a[row.clone()].chunks_exact(4).zip(b[row].chunks_exact(4)).enumerate() {
            if p.iter().zip(q).any(|(p, q)| p.abs_diff(*q) >= NOISE) {
                let x = tile.x + i as u32;
                (x0, x1) = (x0.min(x), x1.max(x));
                (y0, y1) = (y0.min(y), y1.max(y));
            }
        }
    }
    (x0 <= x1).then(|| PixelRect::new(x0, y0, x1 - x0 + 1, y1 - y0 + 1))
}

/// Joins rectangles that lie within half a tile of each other.
fn join(rects: Vec<PixelRect>) -> Vec<PixelRect> {
    let mut joined: Vec<PixelRect> = Vec::new();
    for mut rect in rects {
        // a grown rectangle may reach others that were apart before
        while let Some(i) = joined.iter().position(|other| near(&rect, other)) {
            rect = rect.union(&joined.swap_remove(i));
        }
        joined.push(rect);
    }
    joined.sort_by_key(|r| (r.y, r.x));
    joined
}

fn near(a: &PixelRect, b: &PixelRect) -> bool {
    let reach = TILE / 2;
    a.x <= b.right() + reach
        && b.x <= a.right() + reach
        && a.y <= b.bottom() + reach
        && b.y <= a.bottom() + reach
}

#[cfg(test)]
mod tests {
    use image::{Rgba, RgbaImage};

    use super::*;

    fn frame(boxes: &[(u32, u32, u32, u32)]) -> Frame {
        let mut pixels = RgbaImage::from_pixel(300, 400, Rgba([255, 255, 255, 255]));
        for &(x, y, w, h) in boxes {
            for yy in y..y + h {
                for xx in x..x + w {
                    pixels.put_pixel(xx, yy, Rgba([0, 0, 0, 255]));
                }
            }
        }
        Frame::new(pixels).unwrap()
    }

    #[test]
    fn a_change_is_located_tightly_and_apart_from_others() {
        let (a, b) =
            (frame(&[(10, 10, 4, 4)]), frame(&[(10, 10, 4, 4), (100, 50, 70, 20), (250, 380, 3, 5)]));
        assert_eq!(differences(&a, &b), [PixelRect::new(100, 50, 70, 20), PixelRect::new(250, 380, 3, 5)]);
        assert!(differences(&a, &a.clone()).is_empty());
    }
}
