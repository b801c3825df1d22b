//! One tile of both frames: which pixels of one lie outside what is around their place in the other.
//!
//! The neighbourhood of 3×3 forgives antialiasing and moves of a pixel; moving the tile forgives a little more.
//! Uses `vision::ssim`.

mod softness;

use std::ops::Range;

use super::options::{Limits, MAX_SHIFT};
use crate::vision::ssim::{Kernel, Pair, STRIP, compiled_for_every_kernel};

/// Side of a tile in pixels.
pub(super) const TILE: usize = STRIP;
/// Pixels around a tile that its neighbourhoods and shifts reach.
const MARGIN: usize = MAX_SHIFT + 1;
const SIDE: usize = TILE + 2 * MARGIN;
/// Bytes of a row, filled up to whole vectors.
const ROW: usize = (SIDE * 4).next_multiple_of(64);
/// The rows whose neighbourhoods a shift can reach.
const TALLEST: Range<usize> = 1..SIDE - 1;
/// Of a tile's pixels; where as many differ, some rows are judged first.
const MOSTLY: u32 = (TILE * TILE / 4) as u32;

type Row = [u8; ROW];
/// RGBA with margins; what fills a row up is never used. Alpha 0 where a pixel doesn't count: outside the frame, or masked.
type Plane = [Row; SIDE];
/// 1 for each outlying pixel of a tile.
pub(super) type Flags = [[u8; TILE]; TILE];

/// Room for one tile of both frames and what is made of them; made once, used for many tiles.
pub(super) struct Tile {
    kernel: Kernel,
    tolerance: u8,
    shift: usize,
    /// Whether strokes are so thin that softer drawing takes much of their ink.
    thin_strokes: bool,
    furthest: u8,
    expected: Box<Envelope>,
    actual: Box<Envelope>,
    flags: Box<Flags>,
    spare: Box<Flags>,
}

/// What was found in a tile.
pub(super) struct Count {
    /// Outlying pixels: those of the alignment that decided, or those that lie outside under every one.
    pub(super) pixels: u32,
    /// As many as the limit or more, under every alignment.
    pub(super) drift: bool,
}

/// The pixels of a tile in one frame, unmoved.
pub(super) struct Picture<'a>(&'a Plane);

impl<'a> Picture<'a> {
    /// So many rows of the tile from row `y`; RGBA, alpha 0 where a pixel doesn't count.
    pub(super) fn rows(&self, y: usize, count: usize) -> impl Iterator<Item = &'a [u8; TILE * 4]> + use<'a> {
        self.0[y + MARGIN..y + MARGIN + count].iter().map(|row| cut(row, MARGIN * 4))
    }
}

/// A picture, and the least and the greatest around each of its pixels.
struct Envelope {
    picture: Plane,
    least: Plane,
    greatest: Plane,
    wide_least: Plane,
    wide_greatest: Plane,
}

impl Tile {
    pub(super) fn new(kernel: Kernel, limits: &Limits) -> Self {
        let flags = || Box::new([[0; TILE]; TILE]);
        Self {
            kernel,
            tolerance: limits.tolerance,
            shift: limits.shift,
            thin_strokes: limits.thin_strokes,
            furthest: 0,
            expected: Envelope::new(),
            actual: Envelope::new(),
            flags: flags(),
            spare: flags(),
        }
    }

    /// Takes the pixels of the tile at column `x`, row `y`.
    pub(super) fn load(&mut self, pair: &Pair<'_>, x: usize, y: usize) {
        for row in 0..SIDE {
            let frame_row = (y + row).checked_sub(MARGIN);
            let inside = frame_row.is_some_and(|r| r < pair.height());
            let frame_row = frame_row.unwrap_or(0).min(pair.height() - 1);
            let (a, b) = pair.rows(frame_row);
            let (expected, actual) = (&mut self.expected.picture[row], &mut self.actual.picture[row]);
            copy_clamped(a, x, inside, expected);
            copy_clamped(b, x, inside, actual);
            for masked in pair.masked(frame_row) {
                let column = |c: usize| (c + MARGIN).saturating_sub(x).min(SIDE) * 4;
                for i in (column(masked.start)..column(masked.end)).step_by(4) {
                    expected[i + 3] = 0;
                    actual[i..i + 4].copy_from_slice(&{
                        let [r, g, b] = [expected[i], expected[i + 1], expected[i + 2]];
                        [r, g, b, 0]
                    });
                }
            }
        }
    }

    /// Counts outlying pixels and decides whether they are `limit` or more under every alignment.
    pub(super) fn count(&mut self, limit: f64) -> Count {
        let count = self.count_outlying(limit);
        if count.drift && self.thin_strokes {
            return self.lost_if_only_softer(limit).map_or(count, |pixels| Count { pixels, drift: false });
        }
        count
    }

    fn count_outlying(&mut self, limit: f64) -> Count {
        let (differing, furthest) = self.differing();
        self.furthest = furthest;
        // a pixel within tolerance of its own place is within tolerance of what is around it
        if differing == 0 {
            return Count { pixels: 0, drift: false };
        }
        if differing >= MOSTLY
            && let Some(count) = self.mostly_changed(limit)
        {
            return count;
        }
        self.expected.surround(self.kernel, TALLEST);
        self.actual.surround(self.kernel, TALLEST);
        let unmoved = self.outlying(0, 0);
        if f64::from(unmoved) < limit {
            return Count { pixels: unmoved, drift: false };
        }
        // A pixel outside the range of everything that the shifts reach is outside under each of them: most real
        // changes are decided here, without looking for an alignment.
        self.widen(MARGIN..MARGIN + TILE);
        let always = self.always_outlying(MARGIN..MARGIN + TILE);
        if f64::from(always) >= limit {
            return Count { pixels: always, drift: true };
        }
        self.best_alignment(limit, unmoved)
    }

    /// How far any level of the tile lies from its own place in the other frame.
    pub(super) fn furthest(&self) -> u8 {
        self.furthest
    }

    /// Flags and counts the pixels that lie further than tolerated from their own place.
    fn differing(&mut self) -> (u32, u8) {
        let (kernel, tolerance) = (self.kernel, self.tolerance);
        let pictures = self.expected.picture.iter().zip(&self.actual.picture).skip(MARGIN);
        let (mut count, mut furthest) = (0, 0);
        for ((e, a), flags) in pictures.zip(self.flags.iter_mut()) {
            let (pixels, most) = apart(kernel, cut(e, MARGIN * 4), cut(a, MARGIN * 4), tolerance, flags);
            count += pixels;
            furthest = furthest.max(most);
        }
        (count, furthest)
    }

    /// Decides by the middle rows of a tile of which much has changed, where they suffice. The flags stay those of
    /// what differs.
    fn mostly_changed(&mut self, limit: f64) -> Option<Count> {
        const ROWS: Range<usize> = MARGIN + TILE / 2 - 8..MARGIN + TILE / 2 + 8;
        let reach = self.shift;
        self.expected.surround(self.kernel, ROWS.start - reach..ROWS.end + reach);
        self.actual.surround(self.kernel, ROWS.start - reach..ROWS.end + reach);
        self.widen(ROWS);
        let pixels = self.always_outlying(ROWS);
        (f64::from(pixels) >= limit).then_some(Count { pixels, drift: true })
    }

    fn widen(&mut self, rows: Range<usize>) {
        self.expected.widen(self.kernel, self.shift, rows.clone());
        self.actual.widen(self.kernel, self.shift, rows);
    }

    /// The flags that go with the last count.
    pub(super) fn flags(&self) -> &Flags {
        &self.flags
    }

    pub(super) fn expected(&self) -> Picture<'_> {
        Picture(&self.expected.picture)
    }

    pub(super) fn actual(&self) -> Picture<'_> {
        Picture(&self.actual.picture)
    }

    fn best_alignment(&mut self, limit: f64, unmoved: u32) -> Count {
        let mut best = unmoved;
        self.spare.copy_from_slice(&*self.flags);
        for (dx, dy) in self.moves() {
            let pixels = self.outlying(dx, dy);
            if f64::from(pixels) < limit {
                return Count { pixels, drift: false };
            }
            if pixels < best {
                best = pixels;
                std::mem::swap(&mut self.flags, &mut self.spare);
            }
        }
        std::mem::swap(&mut self.flags, &mut self.spare);
        Count { pixels: best, drift: true }
    }

    /// By how many columns and rows the tile may be moved.
    fn moves(&self) -> impl Iterator<Item = (isize, isize)> + use<> {
        let reach = self.shift as isize;
        (-reach..=reach).flat_map(move |dy| (-reach..=reach).map(move |dx| (dx, dy)))
    }

    /// Outlying pixels with `actual` moved by so many pixels; flags them.
    fn outlying(&mut self, dx: isize, dy: isize) -> u32 {
        let (kernel, tolerance) = (self.kernel, self.tolerance);
        let column = MARGIN.wrapping_add_signed(dx) * 4;
        let mut count = 0;
        for (y, flags) in self.flags.iter_mut().enumerate() {
            let (row, moved) = (y + MARGIN, (y + MARGIN).wrapping_add_signed(dy));
            let expected = self.expected.cut(row, MARGIN * 4);
            let actual = self.actual.cut(moved, column);
            count += outside(kernel, &expected, &actual, tolerance, flags);
        }
        count
    }

    fn always_outlying(&self, rows: Range<usize>) -> u32 {
        let mut flags = [0; TILE];
        let count = |row: usize| {
            let (expected, actual) = (self.expected.cut_wide(row), self.actual.cut_wide(row));
            outside(self.kernel, &expected, &actual, self.tolerance, &mut flags)
        };
        rows.map(count).sum()
    }
}

/// The part of a row that a tile covers: the pixels, and the least and greatest around them.
struct Cut<'a> {
    picture: &'a [u8; TILE * 4],
    least: &'a [u8; TILE * 4],
    greatest: &'a [u8; TILE * 4],
}

fn cut(row: &Row, at: usize) -> &[u8; TILE * 4] {
    // `at` is at most 2·MARGIN·4, so that the chunk is always there; an array of the row's end stands in otherwise.
    row[at..].first_chunk().unwrap_or(const { &[0; TILE * 4] })
}

impl Envelope {
    fn new() -> Box<Self> {
        let plane = [[0; ROW]; SIDE];
        Box::new(Self {
            picture: plane,
            least: plane,
            greatest: plane,
            wide_least: plane,
            wide_greatest: plane,
        })
    }

    fn surround(&mut self, kernel: Kernel, rows: Range<usize>) {
        spread(kernel, [&self.picture; 2], 1, rows, [&mut self.least, &mut self.greatest]);
    }

    /// What the 3×3 neighbourhoods of all places up to `by` pixels away hold: those of the outermost and of the middle
    /// hold it all, for `by` is 3 at most.
    fn widen(&mut self, kernel: Kernel, by: usize, rows: Range<usize>) {
        let out = [&mut self.wide_least, &mut self.wide_greatest];
        spread(kernel, [&self.least, &self.greatest], by, rows, out);
    }

    fn cut(&self, row: usize, at: usize) -> Cut<'_> {
        Cut {
            picture: cut(&self.picture[row], at),
            least: cut(&self.least[row], at),
            greatest: cut(&self.greatest[row], at),
        }
    }

    fn cut_wide(&self, row: usize) -> Cut<'_> {
        let at = MARGIN * 4;
        Cut {
            picture: cut(&self.picture[row], at),
            least: cut(&self.wide_least[row], at),
            greatest: cut(&self.wide_greatest[row], at),
        }
    }
}

fn copy_clamped(row: &[u8], x: usize, inside: bool, out: &mut Row) {
    let width = row.len() / 4;
    let from = x.saturating_sub(MARGIN);
    let to = (x + TILE + MARGIN).min(width);
    let lead = (from + MARGIN - x) * 4;
    let copied = (to - from) * 4;
    out[lead..lead + copied].copy_from_slice(&row[from * 4..to * 4]);
    let edge = |at: usize| [row[at * 4], row[at * 4 + 1], row[at * 4 + 2], 0];
    for p in out[..lead].as_chunks_mut::<4>().0 {
        *p = edge(0);
    }
    for p in out[lead + copied..SIDE * 4].as_chunks_mut::<4>().0 {
        *p = edge(width - 1);
    }
    if !inside {
        out.iter_mut().skip(3).step_by(4).for_each(|alpha| *alpha = 0);
    }
}

compiled_for_every_kernel! {
    /// The least of the first plane and the greatest of the second over nine places: in both directions the pixel's
    /// own, and those `reach` pixels before and behind. For some rows, all that far from the edge; right for columns
    /// that far from it.
    fn spread(planes: [&Plane; 2], reach: usize, rows: Range<usize>, out: [&mut Plane; 2]) = spread_body
}

compiled_for_every_kernel! {
    /// Flags and counts the pixels of one row that lie more than `tolerance` from their own place, and tells how far
    /// any level lies from it.
    fn apart(a: &[u8; TILE * 4], b: &[u8; TILE * 4], tolerance: u8, flags: &mut [u8; TILE]) -> (u32, u8) = apart_body
}

compiled_for_every_kernel! {
    /// Flags and counts the pixels of one row that lie more than `tolerance` outside, either way.
    fn outside(expected: &Cut<'_>, actual: &Cut<'_>, tolerance: u8, flags: &mut [u8; TILE]) -> u32 = outside_body
}

#[inline(always)]
fn spread_body<const FUSED: bool>(
    [least, greatest]: [&Plane; 2],
    reach: usize,
    rows: Range<usize>,
    [out_least, out_greatest]: [&mut Plane; 2],
) {
    // room for the furthest reach on both sides
    const PAD: usize = MAX_SHIFT * 4;
    let (mut low, mut high) = ([255u8; ROW + 2 * PAD], [0u8; ROW + 2 * PAD]);
    let reach = reach.min(MAX_SHIFT);
    let (before, behind) = (PAD - reach * 4, PAD + reach * 4);
    for y in rows {
        let [above, own, below] = [y - reach, y, y + reach];
        for i in 0..ROW {
            low[PAD + i] = least[above][i].min(least[own][i]).min(least[below][i]);
            high[PAD + i] = greatest[above][i].max(greatest[own][i]).max(greatest[below][i]);
        }
        let (Some(low_before), Some(low_behind)) =
            (low[before..].first_chunk::<ROW>(), low[behind..].first_chunk::<ROW>())
        else {
            continue;
        };
        let (Some(high_before), Some(high_behind)) =
            (high[before..].first_chunk::<ROW>(), high[behind..].first_chunk::<ROW>())
        else {
            continue;
        };
        for i in 0..ROW {
            out_least[y][i] = low_before[i].min(low[PAD + i]).min(low_behind[i]);
            out_greatest[y][i] = high_before[i].max(high[PAD + i]).max(high_behind[i]);
        }
    }
}

const COLOUR: u32 = u32::from_le_bytes([255, 255, 255, 0]);
const ALPHA: u32 = !COLOUR;

#[inline(always)]
fn apart_body<const FUSED: bool>(
    a: &[u8; TILE * 4],
    b: &[u8; TILE * 4],
    tolerance: u8,
    flags: &mut [u8; TILE],
) -> (u32, u8) {
    let (mut over, mut most) = ([0u8; TILE * 4], 0);
    for i in 0..TILE * 4 {
        let apart = a[i].abs_diff(b[i]);
        most = most.max(apart);
        over[i] = apart.saturating_sub(tolerance);
    }
    let mut count = 0;
    for (i, flag) in flags.iter_mut().enumerate() {
        let counts = pixel(a, i) & ALPHA != 0;
        *flag = u8::from(pixel(&over, i) & COLOUR != 0 && counts);
        count += u32::from(*flag);
    }
    (count, most)
}

#[inline(always)]
fn pixel(row: &[u8; TILE * 4], i: usize) -> u32 {
    u32::from_le_bytes([row[i * 4], row[i * 4 + 1], row[i * 4 + 2], row[i * 4 + 3]])
}

#[inline(always)]
fn outside_body<const FUSED: bool>(
    expected: &Cut<'_>,
    actual: &Cut<'_>,
    tolerance: u8,
    flags: &mut [u8; TILE],
) -> u32 {
    let (mut forth, mut back) = ([0u8; TILE * 4], [0u8; TILE * 4]);
    for i in 0..TILE * 4 {
        let (e, a) = (expected.picture[i], actual.picture[i]);
        let over = e.saturating_sub(actual.greatest[i]).max(actual.least[i].saturating_sub(e));
        forth[i] = over.saturating_sub(tolerance);
        let over = a.saturating_sub(expected.greatest[i]).max(expected.least[i].saturating_sub(a));
        back[i] = over.saturating_sub(tolerance);
    }
    let mut count = 0;
    for (i, flag) in flags.iter_mut().enumerate() {
        let counts = |picture| pixel(picture, i) & ALPHA != 0;
        let forth = pixel(&forth, i) & COLOUR != 0 && counts(expected.picture);
        let back = pixel(&back, i) & COLOUR != 0 && counts(actual.picture);
        *flag = u8::from(forth | back);
        count += u32::from(*flag);
    }
    count
}
