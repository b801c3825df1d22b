//! Judges what differs between two frames, tile by tile, by the gate's two rules.
//!
//! Uses `vision::ssim`, and of this folder `tile`, `flat` and `regions`.

use std::ops::Range;

use super::Rule;
use super::flat::{self, BLOCKS, FlatBlocks};
use super::options::Limits;
use super::regions::{self, Cell};
use super::tile::{Flags, TILE, Tile};
use crate::geometry::PixelRect;
use crate::vision::ssim::{self, CELL, Changes, Kernel, Pair, Similarity};

/// What the two rules found.
#[derive(Default)]
pub(super) struct Found {
    /// Outlying pixels of the worst tile.
    pub(super) most_outlying: u32,
    /// The colour difference of the worst tile.
    pub(super) most_moved: f32,
    pub(super) cells: Vec<Cell>,
}

impl Found {
    fn and(mut self, mut other: Self) -> Self {
        self.most_outlying = self.most_outlying.max(other.most_outlying);
        self.most_moved = self.most_moved.max(other.most_moved);
        self.cells.append(&mut other.cells);
        self
    }
}

/// Measures and judges two frames, band by band, so that pixels are read once.
pub(super) fn judge(
    kernel: Kernel,
    pair: &Pair<'_>,
    changes: &Changes,
    limits: &Limits,
    scale: f64,
) -> (Similarity, Found) {
    // an area of 28 square points
    let blocks = (4.0 * (scale / 3.0).powi(2)).round().clamp(1.0, 64.0) as usize;
    let (similarity, bands) = ssim::measure_beside(
        kernel,
        pair,
        changes,
        || Judge { kernel, tile: Tile::new(kernel, limits), flat: FlatBlocks::new(), limits, blocks },
        |judge, rows| judge.band(pair, changes, rows),
    );
    let mut found = bands.into_iter().fold(Found::default(), Found::and);
    let tile = || Tile::new(kernel, limits);
    judge_across_tiles(tile, pair, limits, &mut found);
    (similarity, found)
}

/// A small change where tiles meet gives each of them too few pixels: it is judged again in a tile of its own.
fn judge_across_tiles(tile: impl FnOnce() -> Tile, pair: &Pair<'_>, limits: &Limits, found: &mut Found) {
    let weak: Vec<Cell> = found.cells.iter().filter(|cell| !cell.drift).copied().collect();
    let enough = |pixels: u32| f64::from(pixels) >= limits.outlying_pixels;
    if !enough(weak.iter().map(|cell| u32::from(cell.pixels)).sum()) {
        return;
    }
    let mut tile = tile();
    for group in
        regions::connected(&weak, grid(pair), CELL as u32).iter().filter(|group| enough(group.pixels))
    {
        let around = |at: u32, side: u32| ((at + side / 2) as usize).saturating_sub(TILE / 2);
        let bounds = group.bounds;
        tile.load(pair, around(bounds.x, bounds.width), around(bounds.y, bounds.height));
        let count = tile.count(limits.outlying_pixels);
        found.most_outlying = found.most_outlying.max(count.pixels);
        if count.drift {
            let inside = |cell: &&mut Cell| bounds.intersection(&cell.bounds()).is_some();
            found.cells.iter_mut().filter(inside).for_each(|cell| cell.drift = true);
        }
    }
}

/// Columns and rows of cells.
pub(super) fn grid(pair: &Pair<'_>) -> (usize, usize) {
    (pair.width().div_ceil(CELL), pair.height().div_ceil(CELL))
}

struct Judge<'a> {
    kernel: Kernel,
    tile: Tile,
    flat: FlatBlocks,
    limits: &'a Limits,
    /// As many flat blocks make an area.
    blocks: usize,
}

impl Judge<'_> {
    fn band(&mut self, pair: &Pair<'_>, changes: &Changes, rows: Range<usize>) -> Found {
        let mut found = Found::default();
        for piece in 0..pair.width().div_ceil(TILE) {
            if changes.any(rows.clone(), piece..piece + 1) {
                self.tile.load(pair, piece * TILE, rows.start);
                self.judge_tile(piece * TILE, rows.start, &mut found);
            }
        }
        found
    }

    fn judge_tile(&mut self, x: usize, y: usize, found: &mut Found) {
        let count = self.tile.count(self.limits.outlying_pixels);
        found.most_outlying = found.most_outlying.max(count.pixels);
        let mut moved = false;
        // colours that move by no more than rounding does are the same
        if !count.drift && self.tile.furthest() > flat::ROUNDING {
            self.flat.measure(self.kernel, &self.tile);
            let delta = self.flat.ranked(self.blocks);
            found.most_moved = found.most_moved.max(delta);
            moved = f64::from(delta) >= self.limits.colour_delta;
        }
        if count.pixels == 0 && !moved {
            return;
        }
        for row in 0..BLOCKS {
            for column in 0..BLOCKS {
                let (left, top) = (column * CELL, row * CELL);
                let placed = |bounds: PixelRect| PixelRect {
                    x: x as u32 + bounds.x,
                    y: y as u32 + bounds.y,
                    ..bounds
                };
                if let Some((bounds, pixels)) = flagged(self.tile.flags(), left, top) {
                    found.cells.push(Cell::holding(placed(bounds), pixels, Rule::Structure, count.drift));
                } else if moved && f64::from(self.flat.delta[row][column]) >= self.limits.colour_delta {
                    let side = CELL as u32;
                    let whole = placed(PixelRect::new(left as u32, top as u32, side, side));
                    found.cells.push(Cell::holding(whole, (side * side) as u8, Rule::Colour, true));
                }
            }
        }
    }
}

/// The box of the flags in one cell of a tile, and how many there are.
fn flagged(flags: &Flags, x: usize, y: usize) -> Option<(PixelRect, u8)> {
    let (mut count, mut columns, mut rows) = (0, 0u64, 0u8);
    for (row, flags) in flags[y..y + CELL].iter().enumerate() {
        let flags = u64::from_le_bytes(*flags[x..].first_chunk()?);
        count += flags.count_ones();
        columns |= flags;
        rows |= u8::from(flags != 0) << row;
    }
    // a byte a column
    let (left, right) = (columns.trailing_zeros() / 8, 8 - columns.leading_zeros() / 8);
    let (top, bottom) = (rows.trailing_zeros(), 8 - rows.leading_zeros());
    let bounds = PixelRect {
        x: x as u32 + left,
        y: y as u32 + top,
        width: right.saturating_sub(left),
        height: bottom.saturating_sub(top),
    };
    (count > 0).then_some((bounds, count as u8))
}
