//! The ink in a text box: its tight extent, its colour and the ground's, and where wide gaps part it.
//!
//! The detector's boxes are rough; everything after this looks at rectangles that follow from the pixels
//! alone, so that the same text at another place gives the same crop.

use image::RgbaImage;

use super::caret;
use super::detect::TextBox;
use super::pixels::{commonest, distance, row};
use crate::geometry::PixelRect;

/// Gaps, in heights of the ink. From this on they part two words:
const WORD_GAP: f32 = 0.32;
/// two texts (a label and its value).
const WIDE_GAP: f32 = 0.8;
/// a chevron or box from a text that it doesn't stand in line with.
const ICON_GAP: f32 = 0.22;
/// Levels (largest of the channels) that ink must differ from its ground at least.
const LEAST_CONTRAST: u8 = 14;
/// Share of the strongest contrast from which a pixel is ink: a placeholder beside a black word still is.
const INK_SHARE: f32 = 0.18;

/// Share of a box that has the ground's colour at least: less is noise or a picture.
const LEAST_GROUND: f32 = 0.10;
/// Share of its bounds that a dot fills at least; a disc fills 0.79.
const DISC: f32 = 0.66;
/// Levels (of any channel) by which the ink of an icon differs from that of the words beside it.
const OTHER_INK: u8 = 60;

/// One stretch of ink that is read as one line.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Strip {
    /// Tight on the ink.
    pub(super) rect: PixelRect,
    /// What the recogniser is shown.
    pub(super) crop: PixelRect,
    pub(super) ink: [u8; 3],
    pub(super) ground: [u8; 3],
    /// Middles of the gaps between words, in pixels of the frame.
    pub(super) gaps: Vec<u32>,
    /// Columns of the frame (the second exclusive) where the text cursor stands: nothing to read.
    pub(super) caret: Option<(u32, u32)>,
    /// How many dots it is made of, where it is nothing but a row of equal dots (a hidden password).
    pub(super) dots: Option<usize>,
}

/// The texts in a box, from left to right; empty where there is no ink at all.
pub(super) fn strips(pixels: &RgbaImage, found: &TextBox) -> Vec<Strip> {
    let height = found.core.height.max(found.rect.height * 2 / 3);
    let window = grown(found.rect, height / 2, height / 3, pixels);
    let middle = PixelRect::new(window.x, found.core.y, window.width, found.core.height);
    let caret = caret::columns(pixels, middle, found.rect.height);
    let Some(contrast) = Contrast::of(pixels, window, found.rect, caret) else { return Vec::new() };
    let rows = contrast.rows(found);
    let columns = contrast.columns(found, rows);
    let runs = runs(&contrast.inked_columns(rows), columns);
    contrast
        .texts(pixels, &runs, rows)
        .into_iter()
        .filter_map(|runs| contrast.strip(pixels, found, runs, rows))
        .collect()
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
    /// Rows of the window; 0 where the text cursor stands.
    levels: Vec<u8>,
    caret: Option<(u32, u32)>,
}

impl Contrast {
    /// `None` where nothing stands out.
    fn of(
        pixels: &RgbaImage,
        window: PixelRect,
        inner: PixelRect,
        caret: Option<(u32, u32)>,
    ) -> Option<Self> {
        let ground = commonest(pixels, inner, |_| true)?;
        let mut levels = Vec::with_capacity(window.area() as usize);
        for y in window.y..window.bottom() {
            levels.extend(row(pixels, window, y).chunks_exact(4).map(|p| distance(p, ground)));
        }
        if let Some((left, right)) = caret {
            for row in levels.chunks_exact_mut(window.width as usize) {
                row[(left - window.x) as usize..(right - window.x) as usize].fill(0);
            }
        }
        let mut contrast = Self { window, ground, least: 0, levels, caret };
        let strongest = contrast.strongest(inner);
        if strongest < LEAST_CONTRAST {
            return None;
        }
        contrast.least = ((f32::from(strongest) * INK_SHARE) as u8).max(LEAST_CONTRAST / 2);
        (contrast.share_of_ground(inner) >= LEAST_GROUND).then_some(contrast)
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

    fn share_of_ground(&self, inner: PixelRect) -> f32 {
        let rows = (inner.y..inner.bottom()).flat_map(|y| {
            let from = ((y - self.window.y) * self.window.width + inner.x - self.window.x) as usize;
            &self.levels[from..from + inner.width as usize]
        });
        rows.filter(|level| **level < self.least).count() as f32 / inner.area().max(1) as f32
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

impl Contrast {
    /// Parts runs of ink where another text begins; lone chevrons are left out.
    fn texts<'a>(&self, pixels: &RgbaImage, runs: &'a [Run], rows: (u32, u32)) -> Vec<&'a [Run]> {
        let height = (rows.1 - rows.0) as f32;
        let gap = |i: usize| (runs[i].left - runs[i - 1].right) as f32 / height;
        let apart: Vec<bool> = (0..runs.len()).map(|i| self.stands_apart(pixels, runs, i, rows)).collect();
        let parts = |i: usize| gap(i) >= WIDE_GAP || (gap(i) >= ICON_GAP && (apart[i - 1] || apart[i]));
        let mut texts = Vec::new();
        let mut begin = 0;
        for i in 1..=runs.len() {
            if i == runs.len() || parts(i) {
                if !(i - begin == 1 && self.is_chevron(runs[begin], rows)) {
                    texts.push(&runs[begin..i]);
                }
                begin = i;
            }
        }
        texts
    }

    /// A chevron that doesn't stand on the line of the rest; or, before or behind words, an icon: higher than they
    /// or in another ink.
    fn stands_apart(&self, pixels: &RgbaImage, runs: &[Run], i: usize, rows: (u32, u32)) -> bool {
        let last = runs.len() - 1;
        let place = |part: &[Run]| {
            let (left, right) = (part.first()?.left, part.last()?.right);
            let (top, bottom) = self.extent(left, right, rows)?;
            Some(PixelRect::new(self.window.x + left, self.window.y + top, right - left, bottom - top))
        };
        let rest = [place(&runs[..i]), place(&runs[i + 1..])].into_iter().flatten();
        let (Some(own), Some(rest)) = (place(&runs[i..=i]), rest.reduce(|a, b| a.union(&b))) else {
            return false;
        };
        let at_an_end = i == 0 || i == last;
        let square = own.width * 4 >= own.height * 3 && own.width * 3 <= own.height * 4;
        if at_an_end && square {
            let [a, b] = [own, rest].map(|part| self.ink(pixels, part));
            let other_ink = (0..3).any(|c| a[c].abs_diff(b[c]) >= OTHER_INK);
            if other_ink || own.height * 10 >= rest.height * 14 {
                return true;
            }
        }
        let out_of_line = own.bottom().abs_diff(rest.bottom()) as f32 > (rows.1 - rows.0) as f32 * 0.08;
        // between words only the chevron of a menu, which lies
        out_of_line && (at_an_end || own.width > own.height) && self.is_chevron(runs[i], rows)
    }

    /// `‹`, `›`, `⌄` or `⌃`: a thin line with one corner in the middle of its long side.
    fn is_chevron(&self, run: Run, rows: (u32, u32)) -> bool {
        let Some((top, bottom)) = self.extent(run.left, run.right, rows) else { return false };
        let (width, height) = (run.right - run.left, bottom - top);
        if height > width {
            let line =
                |i: u32| -> Vec<u32> { (0..width).filter(|x| self.inked(run.left + x, top + i)).collect() };
            width * 10 < height * 8 && bent(height, width, line)
        } else {
            let line =
                |i: u32| -> Vec<u32> { (0..height).filter(|y| self.inked(run.left + i, top + y)).collect() };
            height * 10 < width * 8 && bent(width, height, line)
        }
    }

    /// Filled as a disc is, which a letter is not.
    fn is_solid(&self, run: Run, rows: (u32, u32)) -> bool {
        let Some((top, bottom)) = self.extent(run.left, run.right, rows) else { return false };
        let inked =
            (top..bottom).map(|y| (run.left..run.right).filter(|&x| self.inked(x, y)).count()).sum::<usize>();
        inked as f32 >= DISC * ((run.right - run.left) * (bottom - top)) as f32
    }

    fn strip(&self, pixels: &RgbaImage, found: &TextBox, runs: &[Run], rows: (u32, u32)) -> Option<Strip> {
        let (left, right) = (runs.first()?.left, runs.last()?.right);
        let (top, bottom) = self.extent(left, right, rows)?;
        let window = self.window;
        let rect = PixelRect::new(window.x + left, window.y + top, right - left, bottom - top);
        let line = rect.height.max(found.rect.height * 55 / 100);
        let lift = (line - rect.height).div_ceil(2);
        let least = (line as f32 * WORD_GAP) as u32;
        let gaps = runs
            .windows(2)
            .filter(|pair| pair[1].left - pair[0].right >= least)
            .map(|pair| window.x + (pair[0].right + pair[1].left) / 2)
            .collect();
        Some(Strip {
            rect,
            crop: grown(rect, line / 4, lift + line / 6, pixels),
            ink: self.ink(pixels, rect),
            ground: self.ground,
            gaps,
            caret: self.caret,
            dots: dots(runs, rect.height).filter(|_| runs.iter().all(|run| self.is_solid(*run, rows))),
        })
    }
}

/// Lines across a stroke that is bent once: thin everywhere, both ends on one side, the middle on the other.
fn bent(length: u32, across: u32, line: impl Fn(u32) -> Vec<u32>) -> bool {
    if length < 5 || across < 3 {
        return false;
    }
    let mut places = Vec::with_capacity(length as usize);
    for i in 0..length {
        let inked = line(i);
        let (Some(&first), Some(&last)) = (inked.first(), inked.last()) else { return false };
        // rounded ends and the corner itself are a little wider
        if (last - first + 1) as f32 > across as f32 * 0.72 {
            return false;
        }
        places.push((first + last) as f32 / 2.0 / across as f32);
    }
    let mean = |part: &[f32]| part.iter().sum::<f32>() / part.len().max(1) as f32;
    let fifth = (length as usize / 5).max(1);
    let (begin, end) = (mean(&places[..fifth]), mean(&places[places.len() - fifth..]));
    let half = places.len() / 2;
    let middle = mean(&places[half - fifth / 2..(half + fifth / 2 + 1).min(places.len())]);
    (begin - end).abs() < 0.2 && (middle - begin).abs() > 0.3 && (middle - end).abs() > 0.3
}

/// How many equal, evenly spaced dots the runs are, from three on.
fn dots(runs: &[Run], height: u32) -> Option<usize> {
    let near = |a: u32, b: u32| a.abs_diff(b) <= 1 + height / 8;
    let step = runs.get(1)?.left - runs[0].left;
    let even = runs.windows(2).all(|pair| near(pair[1].left - pair[0].left, step));
    let round = runs.iter().all(|run| near(run.right - run.left, height));
    (runs.len() >= 3 && even && round && step < height * 3).then_some(runs.len())
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

/// Columns of ink without a gap, in columns of the window.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Run {
    left: u32,
    /// Exclusive.
    right: u32,
}

fn runs(inked: &[bool], (left, right): (u32, u32)) -> Vec<Run> {
    let mut runs: Vec<Run> = Vec::new();
    for x in (left..right).filter(|&x| inked[x as usize]) {
        match runs.last_mut() {
            Some(run) if run.right == x => run.right = x + 1,
            _ => runs.push(Run { left: x, right: x + 1 }),
        }
    }
    runs
}
