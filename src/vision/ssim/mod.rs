//! Exact structural similarity (Wang et al. 2004): 11×11 Gaussian windows of sigma 1.5, K1 0.01, K2 0.03, on grey.
//!
//! Equal to scikit-image with `gaussian_weights=True, use_sample_covariance=False, data_range=255`. Rows stream
//! through a small ring that stays in cache; what is equal is skipped. Uses `frame`, `geometry`.

mod kernel;
mod pair;
mod window;

use std::ops::Range;

use rayon::prelude::*;

pub use kernel::Kernel;
pub(in crate::vision) use kernel::{Set, compiled_for_every_kernel};
pub use pair::{Changes, Pair, SizesDiffer};
pub(in crate::vision) use window::STRIP;
use window::{Grey, INPUT, Moments, RADIUS, TAPS, grey, moments, similarity};

/// Rows that one task works on; the gate's tiles are as high.
const BAND: usize = STRIP;
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
    measure_beside(kernel, pair, changes, || (), |(), _| ()).0
}

/// As [`measure`]; does other work on each band of rows that changed while its pixels are in the cache: `work`, with
/// what `prepare` made for this band or an earlier one, and the band's rows.
pub(in crate::vision) fn measure_beside<T, R: Send>(
    kernel: Kernel,
    pair: &Pair<'_>,
    changes: &Changes,
    prepare: impl Fn() -> T + Sync + Send,
    work: impl Fn(&mut T, Range<usize>) -> R + Sync + Send,
) -> (Similarity, Vec<R>) {
    let (width, height) = (pair.width(), pair.height());
    let columns = width.div_ceil(CELL);
    if !changes.any_in_rows(0..height) {
        return (Similarity { mean: 1.0, lowest: 1.0, map: Vec::new(), columns }, Vec::new());
    }
    let has_windows = width >= TAPS && height >= TAPS;
    let mut map = vec![1.0f32; columns * height.div_ceil(CELL)];
    let bands: Vec<(f64, Option<R>)> = map
        .par_chunks_mut(columns * (BAND / CELL))
        .enumerate()
        .map_init(
            || None,
            |prepared, (band, cells)| {
                let rows = band * BAND..((band + 1) * BAND).min(height);
                let mut tally = Tally::new(cells, columns, rows.start);
                if has_windows {
                    each_window_row(kernel, pair, changes, rows.clone(), |x, y, row| tally.add(x, y, row));
                }
                let changed = changes.any_in_rows(rows.clone());
                (tally.finish(), changed.then(|| work(prepared.get_or_insert_with(&prepare), rows)))
            },
        )
        .collect();
    let (lost, found): (Vec<f64>, Vec<Option<R>>) = bands.into_iter().unzip();
    let similarity = if has_windows {
        let windows = (width - 2 * RADIUS) as f64 * (height - 2 * RADIUS) as f64;
        let lowest = map.iter().copied().fold(1.0, f32::min);
        Similarity { mean: 1.0 - lost.iter().sum::<f64>() / windows, lowest, map, columns }
    } else {
        Similarity { mean: 0.0, lowest: 0.0, map: Vec::new(), columns }
    };
    (similarity, found.into_iter().flatten().collect())
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
        // the last strip of a row may lie wholly in the margin
        let inside = x.max(RADIUS)..(x + STRIP).min(width - RADIUS);
        if !inside.is_empty() {
            let at = (y - RADIUS) * columns;
            out[at + inside.start - RADIUS..at + inside.end - RADIUS]
                .copy_from_slice(&row[inside.start - x..inside.end - x]);
        }
    });
    out
}

/// Calls `found(x, y, similarities)` for a strip of windows with centres from column `x` in row `y`, strip by strip,
/// from top to bottom. Rows of windows of equal pixels, which are exactly 1, are left out; so are, as 1, those that
/// reach out of the frame.
fn each_window_row(
    kernel: Kernel,
    pair: &Pair<'_>,
    changes: &Changes,
    rows: Range<usize>,
    mut found: impl FnMut(usize, usize, &[f32; STRIP]),
) {
    let (width, height) = (pair.width(), pair.height());
    let rows = rows.start.max(RADIUS)..rows.end.min(height - RADIUS);
    if rows.is_empty() || !changes.any_in_rows(rows.start - RADIUS..rows.end + RADIUS) {
        return;
    }
    bring_into_cache(pair, rows.start - RADIUS..rows.end + RADIUS);
    let pieces = width.div_ceil(STRIP);
    let mut strip = Strip::new(kernel, *pair);
    for piece in 0..pieces {
        let near = piece.saturating_sub(1)..(piece + 2).min(pieces);
        let changed = |row: usize| changes.any(row..row + 1, near.clone());
        let x = piece * STRIP;
        // windows as far as this row of pixels are to be measured
        let mut until = rows.start;
        strip.begin(x, rows.start - RADIUS);
        for row in rows.start - RADIUS..rows.end + RADIUS {
            if changed(row) {
                for y in until.max(row.saturating_sub(RADIUS))..(row + RADIUS + 1).min(rows.end) {
                    found(x, y, strip.windows_at(y));
                }
                until = until.max(row + RADIUS + 1);
            }
        }
    }
}

/// Touches rows from end to end. Strips go down them in steps that no prefetcher foresees; this way most of the
/// waiting for memory is gone when they do.
fn bring_into_cache(pair: &Pair<'_>, rows: Range<usize>) {
    const LINE: usize = 64;
    let stride = pair.width() * 4;
    let (a, b) = pair.pixels();
    for frame in [a, b] {
        let lines = frame[rows.start * stride..rows.end * stride].iter().step_by(LINE);
        std::hint::black_box(lines.fold(0, |sum, byte| sum ^ byte));
    }
}

/// A strip of windows on its way down a pair of frames.
struct Strip<'a> {
    kernel: Kernel,
    pair: Pair<'a>,
    /// Column of the first window's centre.
    x: usize,
    /// Windows that lie wholly inside the frame.
    inside: Range<usize>,
    /// The next row of pixels to filter.
    next: usize,
    /// Moments of the last rows, by row modulo [`TAPS`].
    ring: Box<[Moments; TAPS]>,
    grey: [Grey; 2],
    out: [f32; STRIP],
}

impl<'a> Strip<'a> {
    fn new(kernel: Kernel, pair: Pair<'a>) -> Self {
        let ring = Box::new([Moments([[0.0; STRIP]; 4]); TAPS]);
        let grey = [[0.0; INPUT]; 2];
        Self { kernel, pair, x: 0, inside: 0..0, next: 0, ring, grey, out: [1.0; STRIP] }
    }

    fn begin(&mut self, x: usize, row: usize) {
        self.x = x;
        self.next = row;
        self.inside = RADIUS.saturating_sub(x)..(self.pair.width() - RADIUS).saturating_sub(x).min(STRIP);
    }

    /// The windows centred in row `y`; rows are asked for from top to bottom.
    fn windows_at(&mut self, y: usize) -> &[f32; STRIP] {
        for row in self.next.max(y - RADIUS)..=y + RADIUS {
            self.filter(row);
        }
        self.next = y + RADIUS + 1;
        let rows: [&Moments; TAPS] = std::array::from_fn(|i| &self.ring[(y - RADIUS + i) % TAPS]);
        similarity(self.kernel, &rows, &mut self.out);
        if self.inside != (0..STRIP) {
            self.out[..self.inside.start].fill(1.0);
            self.out[self.inside.end.max(self.inside.start)..].fill(1.0);
        }
        &self.out
    }

    fn filter(&mut self, y: usize) {
        let (a, b) = self.pair.pixels();
        let [grey_a, grey_b] = &mut self.grey;
        let at = (y * self.pair.width() + self.x) * 4;
        read(self.kernel, a, at, grey_a);
        read(self.kernel, b, at, grey_b);
        for masked in self.pair.masked(y) {
            // input `i` is column `x + i - RADIUS`
            let input = |column: usize| (column + RADIUS).saturating_sub(self.x).min(INPUT);
            let masked = input(masked.start)..input(masked.end);
            grey_b[masked.clone()].copy_from_slice(&grey_a[masked]);
        }
        moments(self.kernel, grey_a, grey_b, &mut self.ring[y % TAPS]);
    }
}

/// Grey of the pixels around byte `at` of a frame that a strip beginning there needs. Of those beyond the ends of the
/// row, which are in no window that counts, it is anything: of the rows before and behind.
fn read(kernel: Kernel, frame: &[u8], at: usize, out: &mut Grey) {
    let whole = at.checked_sub(RADIUS * 4).and_then(|start| frame.get(start..)?.first_chunk());
    if let Some(pixels) = whole {
        grey(kernel, pixels, out);
        return;
    }
    let mut pixels = [0u8; INPUT * 4];
    let missing = (RADIUS * 4).saturating_sub(at);
    let start = at + missing - RADIUS * 4;
    let inside = &frame[start..frame.len().min(start + INPUT * 4 - missing)];
    pixels[missing..][..inside.len()].copy_from_slice(inside);
    grey(kernel, &pixels, out);
}

/// Sums up the windows of one band: what they lack to 1, and the least of each cell.
struct Tally<'a> {
    cells: &'a mut [f32],
    columns: usize,
    /// The first row of the band.
    first: usize,
    /// Column and row of the cells that `least` is gathered for.
    at: (usize, usize),
    lost: [f32; STRIP],
    least: [f32; STRIP],
    total: f64,
}

impl<'a> Tally<'a> {
    fn new(cells: &'a mut [f32], columns: usize, first: usize) -> Self {
        let at = (0, 0);
        Self { cells, columns, first, at, lost: [0.0; STRIP], least: [1.0; STRIP], total: 0.0 }
    }

    fn add(&mut self, x: usize, y: usize, row: &[f32; STRIP]) {
        let at = (x / CELL, (y - self.first) / CELL);
        if at != self.at {
            self.flush();
            self.at = at;
        }
        for ((lost, least), window) in self.lost.iter_mut().zip(&mut self.least).zip(row) {
            *lost += 1.0 - window;
            *least = least.min(*window);
        }
    }

    fn flush(&mut self) {
        self.total += self.lost.iter().map(|lost| f64::from(*lost)).sum::<f64>();
        let (column, row) = self.at;
        let cells = self.cells[row * self.columns..].iter_mut().take(self.columns).skip(column);
        for (cell, least) in cells.zip(self.least.chunks_exact(CELL)) {
            *cell = least.iter().copied().fold(*cell, f32::min);
        }
        self.lost = [0.0; STRIP];
        self.least = [1.0; STRIP];
    }

    fn finish(mut self) -> f64 {
        self.flush();
        self.total
    }
}

#[cfg(test)]
mod tests;
