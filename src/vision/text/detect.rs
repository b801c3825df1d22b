//! Finds where text is: the detector's probability map becomes boxes in pixels of the frame.
//!
//! The map is made of tiles of bounded size, so that a large screen needs no more memory than a phone's.

use image::RgbaImage;
use rten_tensor::{AsView, Layout, NdTensor};

use super::bands::bands;
use super::models::{Cascade, TextError};
use crate::geometry::PixelRect;
use crate::vision::resample::resample;

/// Detector pixels a point: an iPhone's 852 points become 960.
const DETAIL: f64 = 960.0 / 852.0;
/// Longest side of a tile and its overlap with the next, in detector pixels.
const TILE: f64 = 992.0;
const OVERLAP: f64 = 64.0;
/// Sides of what the detector takes are multiples of this; a side may be squeezed by so much of one.
const STEP: f64 = 32.0;
const SQUEEZE: f64 = 0.2;
/// A side of fewer steps shows too little ground around a line for it to be seen as one.
const LEAST_STEPS: f64 = 2.0;
/// A picture is not looked at in more detail than this, in detector pixels.
const MAX_AREA: f64 = 4.0e6;
/// DB post-processing: what counts as text, the least mean over a box, how far a box is widened again.
const THRESHOLD: f32 = 0.3;
const LEAST_SCORE: f32 = 0.5;
const UNCLIP: f64 = 1.6;
/// ImageNet statistics in BGR order, on a scale of 0 to 255.
const MEAN: [f32; 3] = [0.406 * 255.0, 0.456 * 255.0, 0.485 * 255.0];
const DEVIATION: [f32; 3] = [0.225 * 255.0, 0.224 * 255.0, 0.229 * 255.0];

/// A place where the detector saw text, in pixels of the frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct TextBox {
    /// What the map marks: the middle of the letters.
    pub(super) core: PixelRect,
    /// Widened to hold the letters.
    pub(super) rect: PixelRect,
}

/// Text boxes that lie in `region`. `scale`: pixels a point.
pub(super) fn detect(
    models: &Cascade,
    pixels: &RgbaImage,
    region: PixelRect,
    scale: f64,
) -> Result<Vec<TextBox>, TextError> {
    let area = f64::from(pixels.width()) * f64::from(pixels.height());
    let factor = (DETAIL / scale).min((MAX_AREA / area).sqrt());
    let mut boxes = Vec::new();
    for band in bands(pixels, region, scale) {
        for tile in tiles(band, factor) {
            let found = detect_tile(models, pixels, in_steps(tile, factor, pixels.dimensions()), factor)?;
            // what stands around a tile was cut by its edge, or is another tile's
            boxes.extend(found.into_iter().filter(|found| is_center_in(tile, found.core)));
        }
    }
    Ok(boxes)
}

fn tiles(region: PixelRect, factor: f64) -> Vec<PixelRect> {
    let cut = |length: u32| -> Vec<(u32, u32)> {
        let wanted = f64::from(length) * factor;
        let count = ((wanted - OVERLAP) / (TILE - OVERLAP)).ceil().max(1.0);
        let size = ((wanted + OVERLAP * (count - 1.0)) / count / factor).ceil();
        let step = if count > 1.0 { (f64::from(length) - size) / (count - 1.0) } else { 0.0 };
        (0..count as u32).map(|i| ((f64::from(i) * step) as u32, (size as u32).min(length))).collect()
    };
    let columns = cut(region.width);
    cut(region.height)
        .into_iter()
        .flat_map(|(y, h)| {
            columns.iter().map(move |&(x, w)| PixelRect::new(region.x + x, region.y + y, w, h))
        })
        .collect()
}

fn is_center_in(tile: PixelRect, found: PixelRect) -> bool {
    tile.contains(found.x + found.width / 2, found.y + found.height / 2)
}

/// A tile grown to whole steps of the detector, so that letters keep their shape; a frame too small for that is
/// stretched.
fn in_steps(tile: PixelRect, factor: f64, (width, height): (u32, u32)) -> PixelRect {
    let grown = |at: u32, length: u32, most: u32| -> (u32, u32) {
        let steps = (f64::from(length) * factor / STEP - SQUEEZE).ceil().max(LEAST_STEPS);
        let wanted = (steps * STEP / factor).round() as u32;
        if wanted <= length || wanted > most {
            return (at, length);
        }
        (at.saturating_sub((wanted - length) / 2).min(most - wanted), wanted)
    };
    let (x, width) = grown(tile.x, tile.width, width);
    let (y, height) = grown(tile.y, tile.height, height);
    PixelRect::new(x, y, width, height)
}

fn detect_tile(
    models: &Cascade,
    pixels: &RgbaImage,
    tile: PixelRect,
    factor: f64,
) -> Result<Vec<TextBox>, TextError> {
    let side = |length: u32| ((f64::from(length) * factor / STEP).round().max(1.0) * STEP) as usize;
    let (width, height) = (side(tile.width), side(tile.height));
    let sampled = resample(pixels, tile, width, height);
    let mut planes = vec![0f32; 3 * width * height];
    for (channel, plane) in planes.chunks_exact_mut(width * height).enumerate() {
        for (out, colour) in plane.iter_mut().zip(sampled.chunks_exact(3)) {
            *out = (colour[2 - channel] - MEAN[channel]) / DEVIATION[channel];
        }
    }
    let input = NdTensor::from_data([1, 3, height, width], planes);
    let network = &models.detector;
    let map: NdTensor<f32, 4> = network.run((network.input, &input), network.output)?;
    let [.., map_height, map_width] = map.shape();
    let map = Map { width: map_width, height: map_height, values: map.to_vec() };

    let (sx, sy) = (f64::from(tile.width) / map.width as f64, f64::from(tile.height) / map.height as f64);
    Ok(map.components().into_iter().filter_map(|c| c.into_box(&map, tile, sx, sy)).collect())
}

struct Map {
    width: usize,
    height: usize,
    values: Vec<f32>,
}

/// Pixels of the map that hang together.
struct Component {
    left: usize,
    top: usize,
    /// Exclusive.
    right: usize,
    bottom: usize,
    sum: f32,
    count: usize,
}

impl Map {
    fn components(&self) -> Vec<Component> {
        let mut seen = vec![false; self.values.len()];
        let mut found = Vec::new();
        let mut stack = Vec::new();
        for start in 0..self.values.len() {
            if seen[start] || self.values[start] <= THRESHOLD {
                continue;
            }
            let (x, y) = (start % self.width, start / self.width);
            let mut c = Component { left: x, top: y, right: x + 1, bottom: y + 1, sum: 0.0, count: 0 };
            seen[start] = true;
            stack.push(start);
            while let Some(at) = stack.pop() {
                let (x, y) = (at % self.width, at / self.width);
                c.left = c.left.min(x);
                c.top = c.top.min(y);
                c.right = c.right.max(x + 1);
                c.bottom = c.bottom.max(y + 1);
                c.sum += self.values[at];
                c.count += 1;
                for ny in y.saturating_sub(1)..(y + 2).min(self.height) {
                    for nx in x.saturating_sub(1)..(x + 2).min(self.width) {
                        let next = ny * self.width + nx;
                        if !seen[next] && self.values[next] > THRESHOLD {
                            seen[next] = true;
                            stack.push(next);
                        }
                    }
                }
            }
            found.push(c);
        }
        found
    }
}

impl Component {
    fn into_box(self, map: &Map, tile: PixelRect, sx: f64, sy: f64) -> Option<TextBox> {
        let (w, h) = ((self.right - self.left) as f64, (self.bottom - self.top) as f64);
        if self.sum / (self.count as f32) < LEAST_SCORE || w.min(h) < 2.0 {
            return None;
        }
        let widen = w * h * UNCLIP / (2.0 * (w + h));
        let place = |by: f64| {
            let left = (self.left as f64 - by).max(0.0) * sx;
            let top = (self.top as f64 - by).max(0.0) * sy;
            let right = (self.right as f64 + by).min(map.width as f64) * sx;
            let bottom = (self.bottom as f64 + by).min(map.height as f64) * sy;
            let (x, y) = (left as u32, top as u32);
            let right = (right.ceil() as u32).min(tile.width);
            let bottom = (bottom.ceil() as u32).min(tile.height);
            (right > x && bottom > y).then(|| PixelRect::new(tile.x + x, tile.y + y, right - x, bottom - y))
        };
        Some(TextBox { core: place(0.0)?, rect: place(widen)? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tiles_cover_a_large_region_and_overlap() {
        let region = PixelRect::new(10, 20, 3000, 900);
        let tiles = tiles(region, 1.0);
        assert_eq!((tiles[0].x, tiles[0].y), (10, 20));
        assert_eq!(tiles.iter().map(PixelRect::right).max(), Some(3010));
        assert!(tiles.windows(2).all(|pair| pair[1].x + 60 <= pair[0].right()));
        assert!(tiles.iter().all(|t| t.width <= 992 && t.height == 900));
    }

    #[test]
    fn a_small_tile_grows_to_whole_steps_within_the_frame() {
        let factor = 0.375;
        let tile = in_steps(PixelRect::new(400, 1400, 250, 121), factor, (1179, 2556));
        assert_eq!((tile.width, tile.height), (256, 171));
        assert!(tile.x <= 400 && tile.right() >= 650 && tile.y <= 1400 && tile.bottom() >= 1521);
        let at_the_edge = in_steps(PixelRect::new(0, 2500, 1179, 56), factor, (1179, 2556));
        assert_eq!((at_the_edge.x, at_the_edge.bottom()), (0, 2556));
        let small = PixelRect::new(0, 0, 40, 30);
        assert_eq!(in_steps(small, factor, (40, 30)), small);
    }

    #[test]
    fn touching_pixels_are_one_component() {
        let mut values = vec![0.0; 64];
        for at in [9, 10, 19, 45] {
            values[at] = 0.9;
        }
        let map = Map { width: 8, height: 8, values };
        let sizes: Vec<_> = map.components().iter().map(|c| c.count).collect();
        assert_eq!(sizes, [3, 1]);
    }
}
