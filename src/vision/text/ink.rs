//! The ink in a text box: its tight extent, its colour and the ground's, and where wide gaps part it.
//!
//! The detector's boxes are rough; everything after this looks at rectangles that follow from the pixels
//! alone, so that the same text at another place gives the same crop.

use image::RgbaImage;

use super::detect::TextBox;
use crate::geometry::PixelRect;

/// A gap wider than this, in heights of the ink, parts two texts.
const WIDE_GAP: f32 = 1.1;
/// Levels (largest of the channels) that ink must differ from its ground at least.
const LEAST_CONTRAST: u8 = 14;
/// Share of the strongest contrast from which a pixel is ink.
const INK_SHARE: f32 = 0.3;

/// One stretch of ink that is read as one line.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Strip {
    /// Tight on the ink.
    pub(super) rect: PixelRect,
    /// What the recogniser is shown.
    pub(super) crop: PixelRect,
    pub(super) ink: [u8; 3],
    pub(super) ground: [u8; 3],
}

/// The texts in a box, from left to right; empty where there is no ink at all.
pub(super) fn strips(pixels: &RgbaImage, found: &TextBox) -> Vec<Strip> {
    let height = found.core.height.max(found.rect.height * 2 / 3);
    let window = grown(found.rect, height / 2, height / 3, pixels);
    let Some(contrast) = Contrast::of(pixels, window, found.rect) else { return Vec::new() };
    let rows = contrast.rows(found);
    let columns = contrast.columns(found, rows);
    let tall = rows.1 - rows.0;
    let mut strips = Vec::new();
    for (left, right) in parted(&contrast.inked_columns(rows), columns, (tall as f32 * WIDE_GAP) as u32) {
        let Some((top, bottom)) = contrast.extent(left, right, rows) else { continue };
        let rect = PixelRect::new(window.x + left, window.y + top, right - left, bottom - top);
        let line = rect.height.max(found.rect.height * 55 / 100);
        let lift = (line - rect.height).div_ceil(2);
        let crop = grown(rect, line / 4, lift + line / 6, pixels);
        strips.push(Strip { rect, crop, ink: contrast.ink(pixels, rect), ground: contrast.ground });
    }
    strips
}

fn grown(rect: PixelRect, by_x: u32, by_y: u32, pixels: &RgbaImage) -> PixelRect {
    let (x, y) = (rect.x.saturating_sub(by_x), rect.y.saturating_sub(by_y));
    let right = (rect.right() + by_x).min(pixels.width());
    let bottom = (rect.bottom() + by_y).min(pixels.height());
    PixelRect::new(x, y, right - x, bottom - y)
}

/// How far every pixel of a window is from its ground.
struct Contrast {
    window: PixelRect,
    ground: [u8; 3],
    least: u8,
    /// Rows of the window.
    levels: Vec<u8>,
}

impl Contrast {
    /// `None` where nothing stands out.
    fn of(pixels: &RgbaImage, window: PixelRect, inner: PixelRect) -> Option<Self> {
        let ground = commonest(pixels, inner);
        let mut levels = Vec::with_capacity(window.area() as usize);
        for y in window.y..window.bottom() {
            levels.extend(row(pixels, window, y).chunks_exact(4).map(|p| distance(p, ground)));
        }
        let mut contrast = Self { window, ground, least: 0, levels };
        let strongest = contrast.strongest(inner);
        if strongest < LEAST_CONTRAST {
            return None;
        }
        contrast.least = ((f32::from(strongest) * INK_SHARE) as u8).max(LEAST_CONTRAST / 2);
        Some(contrast)
    }

    /// The level that few pixels of `inner` pass.
    fn strongest(&self, inner: PixelRect) -> u8 {
        let mut counts = [0u32; 256];
        for y in inner.y..inner.bottom() {
            let from = ((y - self.window.y) * self.window.width + inner.x - self.window.x) as usize;
            for &level in &self.levels[from..from + inner.width as usize] {
                counts[level as usize] += 1;
            }
        }
        let few = (inner.area() / 500).max(4) as u32;
        let mut passed = 0;
        (0..=255u8)
            .rev()
            .find(|&level| {
                passed += counts[level as usize];
                passed > few
            })
            .unwrap_or(0)
    }

    fn inked(&self, x: u32, y: u32) -> bool {
        self.levels[(y * self.window.width + x) as usize] >= self.least
    }

    /// Rows that belong to the line: from the core outwards until nothing is inked any more.
    fn rows(&self, found: &TextBox) -> (u32, u32) {
        let (left, right) = (found.rect.x - self.window.x, found.rect.right() - self.window.x);
        let counts: Vec<u32> = (0..self.window.height)
            .map(|y| (left..right).filter(|&x| self.inked(x, y)).count() as u32)
            .collect();
        // a row inked almost throughout is the edge of a field or a separator, not text
        let inked = |y: u32| counts[y as usize] > 0 && counts[y as usize] * 10 < (right - left) * 9;
        let (top, bottom) = (found.core.y - self.window.y, found.core.bottom() - self.window.y);
        // i-dots and accents stand apart by this much
        let gap = (found.core.height / 4).max(2);
        let up = walk((0..top).rev(), gap, top, inked);
        let down = walk(bottom..self.window.height, gap, bottom - 1, inked) + 1;
        let first = (up..down).find(|&y| inked(y)).unwrap_or(top);
        let last = (up..down).rev().find(|&y| inked(y)).unwrap_or(bottom - 1);
        (first, (last + 1).max(first + 1))
    }

    fn inked_columns(&self, rows: (u32, u32)) -> Vec<bool> {
        (0..self.window.width).map(|x| (rows.0..rows.1).any(|y| self.inked(x, y))).collect()
    }

    /// Columns that belong to the line: the box, and letters that it cuts.
    fn columns(&self, found: &TextBox, rows: (u32, u32)) -> (u32, u32) {
        let inked = self.inked_columns(rows);
        let (mut left, mut right) = (found.rect.x - self.window.x, found.rect.right() - self.window.x);
        while left > 0 && inked[left as usize] && inked[left as usize - 1] {
            left -= 1;
        }
        while right < self.window.width && inked[right as usize - 1] && inked[right as usize] {
            right += 1;
        }
        (left, right)
    }

    /// First and last inked row between two columns.
    fn extent(&self, left: u32, right: u32, rows: (u32, u32)) -> Option<(u32, u32)> {
        let inked = |&y: &u32| (left..right).any(|x| self.inked(x, y));
        let top = (rows.0..rows.1).find(inked)?;
        let bottom = (rows.0..rows.1).rev().find(inked)?;
        Some((top, bottom + 1))
    }

    /// Mean colour of the pixels that differ most from the ground.
    fn ink(&self, pixels: &RgbaImage, rect: PixelRect) -> [u8; 3] {
        let strong = (f32::from(self.strongest(rect)) * 0.8) as u8;
        let (mut sum, mut count) = ([0u64; 3], 0u64);
        for y in rect.y..rect.bottom() {
            for p in row(pixels, rect, y).chunks_exact(4) {
                if distance(p, self.ground) >= strong.max(1) {
                    for c in 0..3 {
                        sum[c] += u64::from(p[c]);
                    }
                    count += 1;
                }
            }
        }
        sum.map(|s| (s / count.max(1)) as u8)
    }
}

/// Goes outwards over inked rows and gaps of at most `gap`; the last inked row, or `start`.
fn walk(rows: impl Iterator<Item = u32>, gap: u32, start: u32, inked: impl Fn(u32) -> bool) -> u32 {
    let (mut last, mut missing) = (start, 0);
    for y in rows {
        if inked(y) {
            last = y;
            missing = 0;
        } else {
            missing += 1;
            if missing > gap {
                break;
            }
        }
    }
    last
}

/// Runs of inked columns, with gaps of at most `gap` closed.
fn parted(inked: &[bool], (left, right): (u32, u32), gap: u32) -> Vec<(u32, u32)> {
    let mut runs: Vec<(u32, u32)> = Vec::new();
    for x in (left..right).filter(|&x| inked[x as usize]) {
        match runs.last_mut() {
            Some(run) if x - run.1 <= gap => run.1 = x + 1,
            _ => runs.push((x, x + 1)),
        }
    }
    runs
}

fn row(pixels: &RgbaImage, rect: PixelRect, y: u32) -> &[u8] {
    let from = (y as usize * pixels.width() as usize + rect.x as usize) * 4;
    &pixels.as_raw()[from..from + rect.width as usize * 4]
}

fn distance(pixel: &[u8], ground: [u8; 3]) -> u8 {
    (0..3).map(|c| pixel[c].abs_diff(ground[c])).max().unwrap_or(0)
}

/// The commonest colour: the mean of the fullest of 4,096 bins.
fn commonest(pixels: &RgbaImage, rect: PixelRect) -> [u8; 3] {
    let bin = |p: &[u8]| usize::from(p[0] >> 4) << 8 | usize::from(p[1] >> 4) << 4 | usize::from(p[2] >> 4);
    let mut counts = vec![0u32; 4096];
    for y in rect.y..rect.bottom() {
        for p in row(pixels, rect, y).chunks_exact(4) {
            counts[bin(p)] += 1;
        }
    }
    let fullest = (0..4096).max_by_key(|&b| counts[b]).unwrap_or(0);
    let (mut sum, mut count) = ([0u64; 3], 0u64);
    for y in rect.y..rect.bottom() {
        for p in row(pixels, rect, y).chunks_exact(4).filter(|p| bin(p) == fullest) {
            for c in 0..3 {
                sum[c] += u64::from(p[c]);
            }
            count += 1;
        }
    }
    sum.map(|s| (s / count.max(1)) as u8)
}
