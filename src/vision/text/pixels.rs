//! Rows, distances and commonest colours of pixels. Uses `geometry`.

use image::RgbaImage;

use crate::geometry::PixelRect;

/// The commonest colour of a place as its ground, and what stands out most against it as its ink.
pub(super) fn plain(pixels: &RgbaImage, rect: PixelRect) -> ([u8; 3], [u8; 3]) {
    let ground = commonest(pixels, rect, |_| true).unwrap_or([255; 3]);
    let places = (rect.y..rect.bottom()).flat_map(|y| row(pixels, rect, y).chunks_exact(4));
    let ink = places.max_by_key(|p| distance(p, ground)).map_or(ground, |p| [p[0], p[1], p[2]]);
    (ink, ground)
}

/// The pixels of a rectangle in one row of the frame.
pub(super) fn row(pixels: &RgbaImage, rect: PixelRect, y: u32) -> &[u8] {
    let from = (y as usize * pixels.width() as usize + rect.x as usize) * 4;
    &pixels.as_raw()[from..from + rect.width as usize * 4]
}

/// The largest difference of a channel.
pub(super) fn distance(pixel: &[u8], ground: [u8; 3]) -> u8 {
    (0..3).map(|c| pixel[c].abs_diff(ground[c])).max().unwrap_or(0)
}

/// The commonest of some colours: the mean of the fullest of 4,096 bins.
pub(super) fn commonest(
    pixels: &RgbaImage,
    rect: PixelRect,
    counts_in: impl Fn(&[u8]) -> bool,
) -> Option<[u8; 3]> {
    let bin = |p: &[u8]| usize::from(p[0] >> 4) << 8 | usize::from(p[1] >> 4) << 4 | usize::from(p[2] >> 4);
    let mut counts = vec![0u32; 4096];
    for y in rect.y..rect.bottom() {
        for p in row(pixels, rect, y).chunks_exact(4).filter(|p| counts_in(p)) {
            counts[bin(p)] += 1;
        }
    }
    let fullest = (0..4096).max_by_key(|&b| counts[b]).filter(|&b| counts[b] > 0)?;
    let (mut sum, mut count) = ([0u64; 3], 0u64);
    for y in rect.y..rect.bottom() {
        for p in row(pixels, rect, y).chunks_exact(4).filter(|p| bin(p) == fullest && counts_in(p)) {
            for c in 0..3 {
                sum[c] += u64::from(p[c]);
            }
            count += 1;
        }
    }
    Some(sum.map(|s| (s / count.max(1)) as u8))
}
