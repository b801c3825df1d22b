//! Exact structural similarity (Wang et al. 2004): 11×11 Gaussian windows of sigma 1.5, K1 0.01, K2 0.03, on grey.
//!
//! Equal to scikit-image with `gaussian_weights=True, use_sample_covariance=False, data_range=255`. Rows stream
//! through a small ring that stays in cache; what is equal is skipped. Uses `frame`, `geometry`.

mod kernel;
mod pair;
mod window;

use rayon::prelude::*;

pub use kernel::Kernel;
pub(in crate::vision) use kernel::{Set, compiled_for_every_kernel};
pub use pair::{Changes, Pair, SizesDiffer};
pub(in crate::vision) use window::STRIP;
use window::{Grey, INPUT, Moments, RADIUS, TAPS, grey, moments, similarity};

/// Rows that one task works on.
const BAND: usize = 64;
/// Side of the cells of a [`Similarity`]'s map, in pixels.
pub const CELL: usize = 8;

/// How alike two frames are.
#[derive(Clone, Debug, PartialEq)]
pub struct Similarity {
    /// Mean over all windows that lie wholly inside the frame; 1 for equal frames.
    pub mean: f64,
    /// The least like window.
    pub lowest: f32,
    /// The least like window centred in each cell of 8×8 pixels, row by row; empty where the frames are equal.
    pub map: Vec<f32>,
    /// Cells in a row of `map`.
    pub columns: usize,
}

/// Measures two frames, working only where `changes` says that they differ.
///
/// A frame smaller than a window has none; it measures 1 where equal and 0 where not.
pub fn measure(kernel: Kernel, pair: &Pair<'_>, changes: &Changes) -> Similarity {
    let (width, height) = (pair.width(), pair.height());
    let columns = width.div_ceil(CELL);
    if !changes.any_in_rows(0..height) {
        return Similarity { mean: 1.0, lowest: 1.0, map: Vec::new(), columns };
    }
    if width < TAPS || height < TAPS {
        return Similarity { mean: 0.0, lowest: 0.0, map: Vec::new(), columns };
    }
    let mut map = vec![1.0f32; columns * height.div_ceil(CELL)];
    let lost: Vec<f64> = map
        .par_chunks_mut(columns * (BAND / CELL))
        .enumerate()
        .map(|(band, cells)| {
            let mut lost = 0.0;
            let first = band * BAND;
            each_window_row(kernel, pair, changes, first..(first + BAND).min(height), |x, y, row| {
                lost += row.iter().map(|s| f64::from(1.0 - s)).sum::<f64>();
                let cells = &mut cells[(y - first) / CELL * columns..][..columns];
                lower(cells, x, row);
            });
            lost
        })
        .collect();
    let windows = (width - 2 * RADIUS) as f64 * (height - 2 * RADIUS) as f64;
    let lowest = map.iter().copied().fold(1.0, f32::min);
    Similarity { mean: 1.0 - lost.iter().sum::<f64>() / windows, lowest, map, columns }
}

/// The similarity of every window that lies wholly inside: `width - 10` a row, `height - 10` rows; empty for frames
/// smaller than a window.
pub fn windows(kernel: Kernel, pair: &Pair<'_>) -> Vec<f32> {
    let (width, height) = (pair.width(), pair.height());
    if width < TAPS || height < TAPS {
        return Vec::new();
    }
    let columns = width - 2 * RADIUS;
    let mut out = vec![1.0; columns * (height - 2 * RADIUS)];
    each_window_row(kernel, pair, &Changes::of(pair), 0..height, |x, y, row| {
        let at = (y - RADIUS) * columns + x - RADIUS;
        out[at..at + row.len()].copy_from_slice(row);
    });
    out
}

/// Calls `found(x, y, similarities)` for runs of windows by their centres in `rows`; windows of equal pixels, which
/// are exactly 1, are left out.
fn each_window_row(
    kernel: Kernel,
    pair: &Pair<'_>,
    changes: &Changes,
    rows: std::ops::Range<usize>,
    mut found: impl FnMut(usize, usize, &[f32]),
) {
    let (width, height) = (pair.width(), pair.height());
    let rows = rows.start.max(RADIUS)..rows.end.min(height - RADIUS);
    if rows.is_empty() || !changes.any_in_rows(rows.start - RADIUS..rows.end + RADIUS) {
        return;
    }
    let pieces = width.div_ceil(STRIP);
    let mut strip = Strip::new(kernel, *pair);
    for piece in 0..pieces {
        let near = piece.saturating_sub(1)..(piece + 2).min(pieces);
        if !changes.any(rows.start - RADIUS..rows.end + RADIUS, near.clone()) {
            continue;
        }
        let first = piece * STRIP;
        let centres = first.max(RADIUS)..(first + STRIP).min(width - RADIUS);
        if centres.is_empty() {
            continue;
        }
        strip.begin(first, rows.start - RADIUS);
        for y in rows.clone() {
            if changes.any(y - RADIUS..y + RADIUS + 1, near.clone()) {
                let row = strip.windows_at(y);
                found(centres.start, y, &row[centres.start - first..centres.end - first]);
            }
        }
    }
}

/// A strip of windows on its way down a pair of frames.
struct Strip<'a> {
    kernel: Kernel,
    pair: Pair<'a>,
    /// Column of the first window's centre.
    x: usize,
    /// The next row of pixels to filter.
    next: usize,
    /// Moments of the last rows, by row modulo [`TAPS`].
    ring: Box<[Moments; TAPS]>,
    out: [f32; STRIP],
}

impl<'a> Strip<'a> {
    fn new(kernel: Kernel, pair: Pair<'a>) -> Self {
        let ring = Box::new([[[0.0; STRIP]; 4]; TAPS]);
        Self { kernel, pair, x: 0, next: 0, ring, out: [1.0; STRIP] }
    }

    fn begin(&mut self, x: usize, row: usize) {
        self.x = x;
        self.next = row;
    }

    /// The windows centred in row `y`; rows are asked for from top to bottom.
    fn windows_at(&mut self, y: usize) -> &[f32; STRIP] {
        for row in self.next.max(y - RADIUS)..=y + RADIUS {
            self.filter(row);
        }
        self.next = y + RADIUS + 1;
        let rows: [&Moments; TAPS] = std::array::from_fn(|i| &self.ring[(y - RADIUS + i) % TAPS]);
        similarity(self.kernel, &rows, &mut self.out);
        &self.out
    }

    fn filter(&mut self, y: usize) {
        let (a, b) = self.pair.rows(y);
        let (mut grey_a, mut grey_b): (Grey, Grey) = ([0.0; INPUT], [0.0; INPUT]);
        self.read(a, &mut grey_a);
        self.read(b, &mut grey_b);
        for masked in self.pair.masked(y) {
            // input `i` is column `x + i - RADIUS`
            let input = |column: usize| (column + RADIUS).saturating_sub(self.x).min(INPUT);
            let masked = input(masked.start)..input(masked.end);
            grey_b[masked.clone()].copy_from_slice(&grey_a[masked]);
        }
        moments(self.kernel, &grey_a, &grey_b, &mut self.ring[y % TAPS]);
    }

    /// Grey of the pixels this strip needs of a row; those beyond its ends, which no window uses, are anything.
    fn read(&self, row: &[u8], out: &mut Grey) {
        let whole = self.x.checked_sub(RADIUS).and_then(|start| row.get(start * 4..)?.first_chunk());
        if let Some(pixels) = whole {
            grey(self.kernel, pixels, out);
            return;
        }
        let mut pixels = [0u8; INPUT * 4];
        let missing = RADIUS.saturating_sub(self.x);
        let start = (self.x + missing - RADIUS) * 4;
        let inside = &row[start..row.len().min(start + (INPUT - missing) * 4)];
        pixels[missing * 4..][..inside.len()].copy_from_slice(inside);
        grey(self.kernel, &pixels, out);
    }
}

/// Lowers the cells under a run of windows that begins at column `x`.
fn lower(cells: &mut [f32], x: usize, row: &[f32]) {
    let head = (CELL - x % CELL) % CELL;
    let (head, rest) = row.split_at(head.min(row.len()));
    if !head.is_empty() {
        lower_cell(&mut cells[x / CELL], head);
    }
    for (cell, run) in cells[x.div_ceil(CELL)..].iter_mut().zip(rest.chunks(CELL)) {
        lower_cell(cell, run);
    }
}

fn lower_cell(cell: &mut f32, run: &[f32]) {
    *cell = run.iter().copied().fold(*cell, f32::min);
}

#[cfg(test)]
mod tests;
