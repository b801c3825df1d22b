//! Flat areas whose colour moved: blocks of 8×8 pixels that hold one colour in both frames, but not the same.
//!
//! Uses `tile`, `colour`.

use super::colour::{Colour, difference};
use super::tile::{TILE, Tile};
use crate::vision::ssim::{CELL, Kernel, compiled_for_every_kernel};

/// Blocks along a side of a tile.
pub(super) const BLOCKS: usize = TILE / CELL;
/// A block whose levels lie no further apart is flat.
const FLAT: u8 = 8;
/// Colour management and rounding move colours by as many levels.
pub(super) const ROUNDING: u8 = 3;

/// How far the colour of each flat block of a tile moved (CIEDE2000); 0 where it isn't flat or didn't.
pub(super) struct FlatBlocks {
    pub(super) delta: [[f32; BLOCKS]; BLOCKS],
    /// Most blocks of an area have the colours of the one before.
    last: (Colour, Colour, f32),
}

impl FlatBlocks {
    pub(super) fn new() -> Self {
        Self { delta: [[0.0; BLOCKS]; BLOCKS], last: ([0.0; 3], [0.0; 3], 0.0) }
    }

    pub(super) fn measure(&mut self, kernel: Kernel, tile: &Tile) {
        for row in 0..BLOCKS {
            let [expected, actual] = [tile.expected(), tile.actual()].map(|picture| {
                let mut columns = Columns::new();
                picture.rows(row * CELL, CELL).for_each(|pixels| gather(kernel, pixels, &mut columns));
                columns
            });
            for column in 0..BLOCKS {
                let colours = expected.flat_colour(column).zip(actual.flat_colour(column));
                self.delta[row][column] = match colours {
                    Some((a, b)) if a.iter().zip(b).any(|(a, b)| (a - b).abs() > f64::from(ROUNDING)) => {
                        self.look_up(a, b)
                    }
                    _ => 0.0,
                };
            }
        }
    }

    /// The `rank`th greatest difference, from 1: what a flat area of so many blocks moved by at least.
    pub(super) fn ranked(&self, rank: usize) -> f32 {
        let mut delta = self.delta;
        let all = delta.as_flattened_mut();
        all.sort_unstable_by(|a, b| b.total_cmp(a));
        all[rank.clamp(1, all.len()) - 1]
    }

    fn look_up(&mut self, a: Colour, b: Colour) -> f32 {
        if (self.last.0, self.last.1) != (a, b) {
            self.last = (a, b, difference(a, b) as f32);
        }
        self.last.2
    }
}

/// Levels of some rows of a tile, by column and channel.
struct Columns {
    least: [u8; TILE * 4],
    greatest: [u8; TILE * 4],
    sum: [u16; TILE * 4],
}

impl Columns {
    fn new() -> Self {
        Self { least: [255; TILE * 4], greatest: [0; TILE * 4], sum: [0; TILE * 4] }
    }

    /// The mean colour of a block that is flat and counts as a whole.
    fn flat_colour(&self, block: usize) -> Option<Colour> {
        let span = block * CELL * 4..(block + 1) * CELL * 4;
        let (mut least, mut greatest, mut sum) = ([255u8; 4], [0u8; 4], [0u32; 4]);
        for i in span.step_by(4) {
            for c in 0..4 {
                least[c] = least[c].min(self.least[i + c]);
                greatest[c] = greatest[c].max(self.greatest[i + c]);
                sum[c] += u32::from(self.sum[i + c]);
            }
        }
        let flat = (0..3).all(|c| greatest[c].saturating_sub(least[c]) <= FLAT);
        (flat && least[3] != 0).then(|| [0, 1, 2].map(|c| f64::from(sum[c]) / (CELL * CELL) as f64))
    }
}

compiled_for_every_kernel! {
    fn gather(pixels: &[u8; TILE * 4], columns: &mut Columns) = gather_body
}

#[inline(always)]
fn gather_body<const FUSED: bool>(pixels: &[u8; TILE * 4], columns: &mut Columns) {
    for (i, level) in pixels.iter().enumerate() {
        columns.least[i] = columns.least[i].min(*level);
        columns.greatest[i] = columns.greatest[i].max(*level);
        columns.sum[i] += u16::from(*level);
    }
}
