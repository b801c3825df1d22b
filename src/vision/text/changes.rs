//! Regions to look at again: what changed, near places together. Uses `vision::difference`.

use crate::frame::Frame;
use crate::geometry::PixelRect;
use crate::vision::difference::differences;

/// Places as near as this, as a share of the width or in pixels of the height, are one region: looking at one costs
/// less than at two beside each other.
const NEAR_X: u32 = 8;
const NEAR_Y: u32 = 64;

/// Regions that hold every changed pixel, for two frames of one size.
pub(super) fn changes(before: &Frame, after: &Frame) -> Vec<PixelRect> {
    let near_x = after.size().width / NEAR_X;
    let near = |a: &PixelRect, b: &PixelRect| {
        a.x <= b.right() + near_x
            && b.x <= a.right() + near_x
            && a.y <= b.bottom() + NEAR_Y
            && b.y <= a.bottom() + NEAR_Y
    };
    let mut regions: Vec<PixelRect> = Vec::new();
    for mut place in differences(before, after) {
        while let Some(i) = regions.iter().position(|region| near(region, &place)) {
            place = place.union(&regions.swap_remove(i));
        }
        regions.push(place);
    }
    regions
}

#[cfg(test)]
mod tests {
    use image::{Rgba, RgbaImage};

    use super::*;

    #[test]
    fn near_places_are_one_region_and_far_ones_two() {
        let frame = |dots: &[(u32, u32)]| {
            let mut pixels = RgbaImage::new(400, 600);
            dots.iter().for_each(|&(x, y)| pixels.put_pixel(x, y, Rgba([90, 0, 0, 255])));
            Frame::new(pixels).unwrap()
        };
        let before = frame(&[]);
        assert_eq!(changes(&before, &before.clone()), []);
        assert_eq!(changes(&before, &frame(&[(70, 40), (100, 90)])), [PixelRect::new(70, 40, 31, 51)]);
        assert_eq!(changes(&before, &frame(&[(70, 40), (100, 400)])).len(), 2);
    }
}
