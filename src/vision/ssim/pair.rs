//! Two frames of one size with the places that don't count, and the pieces of their rows that differ.
//!
//! Rows are compared as memory, so that what is equal costs one read and nothing else. Uses `frame`, `geometry`.

use std::ops::Range;

use rayon::prelude::*;

use super::window::STRIP;
use crate::frame::Frame;
use crate::geometry::{PixelRect, PixelSize};

/// Two frames of one size. Masked pixels count as equal.
#[derive(Clone, Copy)]
pub struct Pair<'a> {
    expected: &'a Frame,
    actual: &'a Frame,
    masks: &'a [PixelRect],
}

/// Why two frames make no pair.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[error("the frames differ in size: {}×{} and {}×{} pixels", expected.width, expected.height, actual.width, actual.height)]
pub struct SizesDiffer {
    pub expected: PixelSize,
    pub actual: PixelSize,
}

impl<'a> Pair<'a> {
    pub fn new(expected: &'a Frame, actual: &'a Frame, masks: &'a [PixelRect]) -> Result<Self, SizesDiffer> {
        if expected.size() != actual.size() {
            return Err(SizesDiffer { expected: expected.size(), actual: actual.size() });
        }
        Ok(Self { expected, actual, masks })
    }

    pub fn width(&self) -> usize {
        self.expected.pixels().width() as usize
    }

    pub fn height(&self) -> usize {
        self.expected.pixels().height() as usize
    }

    /// RGBA of all rows of both.
    pub(super) fn pixels(&self) -> (&'a [u8], &'a [u8]) {
        (self.expected.pixels().as_raw(), self.actual.pixels().as_raw())
    }

    /// RGBA of one row of both.
    pub fn rows(&self, y: usize) -> (&'a [u8], &'a [u8]) {
        let stride = self.width() * 4;
        let row = y * stride..(y + 1) * stride;
        let (expected, actual) = self.pixels();
        (&expected[row.clone()], &actual[row])
    }

    /// The masked columns of one row, in no order, perhaps overlapping.
    pub fn masked(&self, y: usize) -> impl Iterator<Item = Range<usize>> + use<'a> {
        self.masks
            .iter()
            .filter(move |m| (m.y as usize..m.bottom() as usize).contains(&y))
            .map(|m| m.x as usize..m.right() as usize)
    }
}

/// Which pieces of `STRIP` pixels of which rows differ.
pub struct Changes {
    /// Words of 64 pieces a row.
    words: usize,
    bits: Vec<u64>,
}

impl Changes {
    pub fn of(pair: &Pair<'_>) -> Self {
        const ROWS: usize = 64;
        let words = pair.width().div_ceil(STRIP).div_ceil(64);
        let mut bits = vec![0u64; words * pair.height()];
        bits.par_chunks_mut(words * ROWS).enumerate().for_each(|(chunk, bits)| {
            for (row, bits) in bits.chunks_mut(words).enumerate() {
                compare_row(pair, chunk * ROWS + row, bits);
            }
        });
        Self { words, bits }
    }

    /// Whether any of `pieces` differs in any of `rows`.
    pub fn any(&self, rows: Range<usize>, pieces: Range<usize>) -> bool {
        rows.into_iter()
            .any(|y| pieces.clone().any(|p| self.bits[y * self.words + p / 64] >> (p % 64) & 1 == 1))
    }

    /// Whether anything differs in any of `rows`.
    pub fn any_in_rows(&self, rows: Range<usize>) -> bool {
        self.bits[rows.start * self.words..rows.end * self.words].iter().any(|w| *w != 0)
    }
}

fn compare_row(pair: &Pair<'_>, y: usize, bits: &mut [u64]) {
    let (a, b) = pair.rows(y);
    if a == b {
        return;
    }
    for (piece, (a, b)) in a.chunks(STRIP * 4).zip(b.chunks(STRIP * 4)).enumerate() {
        if a != b && differ_unmasked(pair, y, piece * STRIP, a, b) {
            bits[piece / 64] |= 1 << (piece % 64);
        }
    }
}

/// Whether two unequal pieces that begin at column `x` differ outside the masks too.
fn differ_unmasked(pair: &Pair<'_>, y: usize, x: usize, a: &[u8], b: &[u8]) -> bool {
    let mut masked = pair.masked(y).filter(|m| m.start < x + STRIP && m.end > x).peekable();
    if masked.peek().is_none() {
        return true;
    }
    let masked: Vec<_> = masked.collect();
    let pixels = a.as_chunks::<4>().0.iter().zip(b.as_chunks::<4>().0);
    pixels.enumerate().any(|(i, (a, b))| a != b && !masked.iter().any(|m| m.contains(&(x + i))))
}
