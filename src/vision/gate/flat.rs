//! Flat areas whose colour moved: blocks of 8×8 pixels that hold one colour in both frames, but not the same.
//!
//! Uses `tile`, `colour`.

use super::colour::{Colour, difference};
use super::tile::{TILE, Tile};
use crate::vision::ssim::CELL;

/// Blocks along a side of a tile.
pub(super) const BLOCKS: usize = TILE / CELL;
/// A block whose levels lie no further apart is flat.
const FLAT: u8 = 8;
/// Colour management and rounding move colours by as many levels.
const ROUNDING: f64 = 3.0;

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

    pub(super) fn measure(&mut self, tile: &Tile) {
        for row in 0..BLOCKS {
            for column in 0..BLOCKS {
                self.delta[row][column] = match flat_colours(tile, column * CELL, row * CELL) {
                    Some((a, b)) if a.iter().zip(b).any(|(a, b)| (a - b).abs() > ROUNDING) => {
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

/// The mean colours of a block that is flat in both frames and counts as a whole.
fn flat_colours(tile: &Tile, x: usize, y: usize) -> Option<(Colour, Colour)> {
    let [expected, actual] = [tile.expected(), tile.actual()].map(|plane| {
        let (mut least, mut greatest, mut sum) = ([255u8; 4], [0u8; 4], [0u32; 4]);
        for row in plane.rows(x, y, CELL) {
            for pixel in row.as_chunks::<4>().0 {
                for c in 0..4 {
                    least[c] = least[c].min(pixel[c]);
                    greatest[c] = greatest[c].max(pixel[c]);
                    sum[c] += u32::from(pixel[c]);
                }
            }
            if least[3] == 0 || (0..3).any(|c| greatest[c] - least[c] > FLAT) {
                return None;
            }
        }
        Some([0, 1, 2].map(|c| f64::from(sum[c]) / (CELL * CELL) as f64))
    });
    expected.zip(actual)
}
