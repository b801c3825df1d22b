//! Whether a tile was only drawn softer: at two pixels a point strokes are one pixel wide and lose a good part of their
//! ink where a whole screen is resampled.
//!
//! What such a pixel loses is a share of the contrast around it, and is missed in one frame only: a letter that changed
//! loses all of it, and puts new ink elsewhere. Uses the tile.

use super::{Cut, MARGIN, TALLEST, TILE, Tile};

/// Of the contrast around a pixel, sixteenths that softer drawing may take. A lone pixel that lies a fifth of a pixel
/// off in one direction and a fourth in the other loses 6.5 of them.
const SHARE: u16 = 7;

impl Tile {
    /// How many pixels lose more than softness takes, with the tile moved as far as it may be, where fewer than
    /// `limit` do.
    pub(super) fn lost_if_only_softer(&mut self, limit: f64) -> Option<u32> {
        self.expected.surround(self.kernel, TALLEST);
        self.actual.surround(self.kernel, TALLEST);
        self.moves().find_map(|(dx, dy)| self.lost_moved(dx, dy, limit))
    }

    fn lost_moved(&self, dx: isize, dy: isize, limit: f64) -> Option<u32> {
        let column = MARGIN.wrapping_add_signed(dx) * 4;
        let mut count = 0;
        for row in MARGIN..MARGIN + TILE {
            let expected = self.expected.cut(row, MARGIN * 4);
            let actual = self.actual.cut(row.wrapping_add_signed(dy), column);
            count += (0..TILE).filter(|&i| is_lost(&expected, &actual, i, self.tolerance)).count() as u32;
            // most changes are told by a few rows
            if f64::from(count) >= limit {
                return None;
            }
        }
        Some(count)
    }
}

/// Whether a pixel of either frame lies further outside the other than softness and the tolerance allow.
fn is_lost(expected: &Cut<'_>, actual: &Cut<'_>, i: usize, tolerance: u8) -> bool {
    let at = i * 4;
    let counts = expected.picture[at + 3] != 0 && actual.picture[at + 3] != 0;
    let lost = |own: &Cut<'_>, other: &Cut<'_>, c: usize| {
        let level = own.picture[c];
        let over = level.saturating_sub(other.greatest[c]).max(other.least[c].saturating_sub(level));
        let contrast = u16::from(own.greatest[c] - own.least[c]);
        over > tolerance && u16::from(over) * 16 > contrast * SHARE
    };
    counts && (at..at + 3).any(|c| lost(expected, actual, c) || lost(actual, expected, c))
}
