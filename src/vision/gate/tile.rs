//! One tile of both frames: which pixels of one lie outside what is around their place in the other.
//!
//! The neighbourhood of 3×3 forgives antialiasing and moves of a pixel; moving the tile forgives a little more.
//! Uses `vision::ssim`.

use super::options::MAX_SHIFT;
use crate::vision::ssim::{Kernel, Pair, STRIP, compiled_for_every_kernel};

/// Side of a tile in pixels.
pub(super) const TILE: usize = STRIP;
/// Pixels around a tile that its neighbourhoods and shifts reach.
const MARGIN: usize = MAX_SHIFT + 1;
const SIDE: usize = TILE + 2 * MARGIN;
const ROW: usize = SIDE * 4;

type Row = [u8; ROW];
/// RGBA with margins. Alpha 0 where a pixel doesn't count: outside the frame, or masked.
type Plane = [Row; SIDE];
/// 1 for each outlying pixel of a tile.
pub(super) type Flags = [[u8; TILE]; TILE];

/// Room for one tile of both frames and what is made of them; made once, used for many tiles.
pub(super) struct Tile {
    kernel: Kernel,
    tolerance: u8,
    shift: usize,
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
    /// The rows of a square of `side` pixels at column `x`, row `y` of the tile; RGBA, alpha 0 where one doesn't count.
    pub(super) fn rows(&self, x: usize, y: usize, side: usize) -> impl Iterator<Item = &'a [u8]> + use<'a> {
        let from = (x + MARGIN) * 4;
        self.0[y + MARGIN..y + MARGIN + side].iter().map(move |row| &row[from..from + side * 4])
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
    pub(super) fn new(kernel: Kernel, tolerance: u8, shift: usize) -> Self {
        let flags = || Box::new([[0; TILE]; TILE]);
        Self {
            kernel,
            tolerance,
            shift,
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
        self.expected.surround(self.kernel);
        self.actual.surround(self.kernel);
        let unmoved = self.outlying(0, 0);
        if f64::from(unmoved) < limit {
            return Count { pixels: unmoved, drift: false };
        }
        // A pixel outside the range of everything that the shifts reach is outside under each of them: most real
        // changes are decided here, without looking for an alignment.
        self.expected.widen(self.kernel, self.shift);
        self.actual.widen(self.kernel, self.shift);
        let always = self.always_outlying();
        if f64::from(always) >= limit {
            return Count { pixels: always, drift: true };
        }
        self.best_alignment(limit, unmoved)
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
        let reach = self.shift as isize;
        for dy in -reach..=reach {
            for dx in -reach..=reach {
                let pixels = self.outlying(dx, dy);
                if f64::from(pixels) < limit {
                    return Count { pixels, drift: false };
                }
                if pixels < best {
                    best = pixels;
                    std::mem::swap(&mut self.flags, &mut self.spare);
                }
            }
        }
        std::mem::swap(&mut self.flags, &mut self.spare);
        Count { pixels: best, drift: true }
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

    fn always_outlying(&mut self) -> u32 {
        let mut count = 0;
        let mut flags = [0; TILE];
        for row in MARGIN..MARGIN + TILE {
            let expected = self.expected.cut_wide(row);
            let actual = self.actual.cut_wide(row);
            count += outside(self.kernel, &expected, &actual, self.tolerance, &mut flags);
        }
        count
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

    fn surround(&mut self, kernel: Kernel) {
        spread(kernel, &self.picture, &self.picture, &mut self.least, &mut self.greatest);
    }

    fn widen(&mut self, kernel: Kernel, by: usize) {
        self.wide_least.copy_from_slice(&self.least);
        self.wide_greatest.copy_from_slice(&self.greatest);
        for _ in 0..by {
            let (least, greatest) = (self.wide_least, self.wide_greatest);
            spread(kernel, &least, &greatest, &mut self.wide_least, &mut self.wide_greatest);
        }
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
    for p in out[lead + copied..].as_chunks_mut::<4>().0 {
        *p = edge(width - 1);
    }
    if !inside {
        out.iter_mut().skip(3).step_by(4).for_each(|alpha| *alpha = 0);
    }
}

compiled_for_every_kernel! {
    /// The least of `least` and the greatest of `greatest` in the 3×3 around each pixel.
    fn spread(least: &Plane, greatest: &Plane, out_least: &mut Plane, out_greatest: &mut Plane) = spread_body
}

compiled_for_every_kernel! {
    /// Flags and counts the pixels of one row that lie more than `tolerance` outside, either way.
    fn outside(expected: &Cut<'_>, actual: &Cut<'_>, tolerance: u8, flags: &mut [u8; TILE]) -> u32 = outside_body
}

#[inline(always)]
fn spread_body<const FUSED: bool>(
    least: &Plane,
    greatest: &Plane,
    out_least: &mut Plane,
    out_greatest: &mut Plane,
) {
    let (mut low, mut high) = ([0u8; ROW], [0u8; ROW]);
    for y in 0..SIDE {
        let (above, below) = (y.saturating_sub(1), (y + 1).min(SIDE - 1));
        for i in 0..ROW {
            low[i] = least[above][i].min(least[y][i]).min(least[below][i]);
            high[i] = greatest[above][i].max(greatest[y][i]).max(greatest[below][i]);
        }
        // the outermost pixels are further out than any use reaches
        for i in 4..ROW - 4 {
            out_least[y][i] = low[i - 4].min(low[i]).min(low[i + 4]);
            out_greatest[y][i] = high[i - 4].max(high[i]).max(high[i + 4]);
        }
        out_least[y][..4].copy_from_slice(&low[..4]);
        out_greatest[y][..4].copy_from_slice(&high[..4]);
        out_least[y][ROW - 4..].copy_from_slice(&low[ROW - 4..]);
        out_greatest[y][ROW - 4..].copy_from_slice(&high[ROW - 4..]);
    }
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
    const COLOUR: u32 = u32::from_le_bytes([255, 255, 255, 0]);
    const ALPHA: u32 = !COLOUR;
    let pixel = |bytes: &[u8; TILE * 4], i: usize| {
        u32::from_le_bytes([bytes[i * 4], bytes[i * 4 + 1], bytes[i * 4 + 2], bytes[i * 4 + 3]])
    };
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
