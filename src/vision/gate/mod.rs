//! The gate: does the screen still look as it was recorded, and where not?
//!
//! Local evidence decides, never a mean: a changed price digit has a mean similarity of 0.9999, harmless noise one of
//! 0.994. What differs in memory is found first; then each tile of 64×64 pixels is judged by two rules.
//!
//! * `structure`: pixels that lie more than 24 levels outside the range of the 3×3 neighbourhood of their place in the
//!   other frame, either way, with the tile moved by up to 2 pixels where that makes them fewer; 12 or more are drift
//!   (at scale 3; the number grows with the square of the scale).
//! * `colour`: a flat area whose colour moved by 2 or more (CIEDE2000), which may be well under 24 levels.
//!
//! Frames of different size drift by the rule `size`. Moves of 2 pixels or less, text whose colour moves by less than
//! 24 levels, and masked places are not seen. Uses `vision::ssim`, `vision::mask` and the types.

mod colour;
mod flat;
mod masked;
mod options;
mod picture;
mod regions;
mod tile;

use std::ops::Range;
use std::time::{Duration, Instant};

use serde::Serialize;

use crate::code::ErrorCode;
use crate::frame::Frame;
use crate::geometry::{PixelRect, Rect, Screen};
use crate::vision::mask::{LocateError, Mask};
use crate::vision::ssim::{self, CELL, Changes, Kernel, Pair, Similarity};
use flat::{BLOCKS, FlatBlocks};
pub use masked::compare_masked;
pub use options::{GateOptions, Limits};
pub use picture::picture;
use regions::{Cell, Group};
use tile::{TILE, Tile};

/// Why two frames could not be compared. A comparison that could not run is never a pass.
#[derive(Debug, thiserror::Error, PartialEq)]
pub enum GateError {
    #[error("`{option}` is {value}; it must lie between {least} and {most}")]
    Option { option: &'static str, value: f64, least: f64, most: f64 },
    #[error("the scale is {0} pixels a point; it must lie between 0.25 and 16")]
    Scale(f64),
    #[error("a mask of {}×{} pixels at {}, {} lies outside the frame of {width}×{height}", mask.width, mask.height, mask.x, mask.y)]
    MaskOutside { mask: PixelRect, width: u32, height: u32 },
    #[error(transparent)]
    Locate(#[from] LocateError),
}

impl GateError {
    pub fn code(&self) -> ErrorCode {
        match self {
            Self::Locate(LocateError::Text(_)) => ErrorCode::Internal,
            _ => ErrorCode::InvalidArgument,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    Match,
    Drift,
}

/// What makes frames differ; the first that fires is the one named.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Rule {
    /// The frames differ in size.
    Size,
    /// Pixels lie outside what is around them in the other frame.
    Structure,
    /// A flat area changed colour.
    Colour,
}

impl Rule {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Size => "size",
            Self::Structure => "structure",
            Self::Colour => "colour",
        }
    }

    /// Of what the score and the limit are numbers.
    pub fn unit(self) -> &'static str {
        match self {
            Self::Size => "pixels of width or height",
            Self::Structure => "outlying pixels in a tile of 64×64",
            Self::Colour => "CIEDE2000 of a flat area",
        }
    }
}

/// A box around something that drifted.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Region {
    /// In pixels of the frame.
    #[serde(flatten)]
    pub rect: PixelRect,
    /// The same in points.
    pub points: Rect,
    pub rule: Rule,
    /// How many pixels in it differ.
    pub pixels: u32,
}

/// A place that was left out.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Masked {
    /// The mask that lies here, where one was named.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mask: Option<Mask>,
    /// In pixels of the frame.
    #[serde(flatten)]
    pub rect: PixelRect,
    /// The same in points.
    pub points: Rect,
}

/// The answer to one comparison.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Comparison {
    pub verdict: Verdict,
    /// The rule that fired.
    pub rule: Option<Rule>,
    /// The rule that `score` and `limit` belong to: the one that fired, or else the one that came closest.
    pub measure: Rule,
    /// The number that was compared; drift where it reaches `limit`.
    pub score: f64,
    pub limit: f64,
    pub unit: &'static str,
    /// How far the score is from the limit as a share of it: 1 is nothing at all, 0 the limit, below 0 drift.
    pub margin: f64,
    /// Mean and least similarity (Wang SSIM); nothing is decided by them. Missing where the sizes differ.
    pub mean_ssim: Option<f64>,
    pub lowest_ssim: Option<f64>,
    /// Where it drifted, in reading order; empty for a match.
    pub regions: Vec<Region>,
    /// Pixels a point.
    pub scale: f64,
    /// What was left out.
    pub masks: Vec<Masked>,
    #[serde(rename = "duration_ms", serialize_with = "milliseconds")]
    pub duration: Duration,
    /// The similarity of every cell, for pictures.
    #[serde(skip)]
    pub similarity: Option<Similarity>,
    /// The regions before near ones are joined.
    #[serde(skip)]
    pub patches: Vec<PixelRect>,
}

fn milliseconds<S: serde::Serializer>(duration: &Duration, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_f64((duration.as_secs_f64() * 1e6).round() / 1e3)
}

impl Comparison {
    pub fn is_drift(&self) -> bool {
        self.verdict == Verdict::Drift
    }

    /// One line for people: the verdict and the number it rests on.
    pub fn summary(&self) -> String {
        let verdict = if self.is_drift() { "drift" } else { "match" };
        let relation = if self.is_drift() { "reaches" } else { "is under" };
        let (score, limit) = (round(self.score), round(self.limit));
        let measure = self.measure.as_str();
        format!("{verdict} by {measure}: {score} {relation} the limit of {limit} {}", self.unit)
    }
}

fn round(number: f64) -> f64 {
    (number * 100.0).round() / 100.0
}

/// Compares two frames at a scale (pixels a point), leaving out `masks` (pixels of the frame).
pub fn compare(
    expected: &Frame,
    actual: &Frame,
    scale: f64,
    masks: &[PixelRect],
    options: &GateOptions,
) -> Result<Comparison, GateError> {
    compare_with(Kernel::best(), expected, actual, scale, masks, options)
}

/// As [`compare`], with a kernel of one's choice; all give the same verdict.
pub fn compare_with(
    kernel: Kernel,
    expected: &Frame,
    actual: &Frame,
    scale: f64,
    masks: &[PixelRect],
    options: &GateOptions,
) -> Result<Comparison, GateError> {
    let begun = Instant::now();
    let limits = options.limits(scale)?;
    let screen = Screen::of_picture(expected.size(), scale);
    let Ok(pair) = Pair::new(expected, actual, masks) else {
        return Ok(different_sizes(expected, actual, &screen, masks, begun));
    };
    let frame = PixelRect::new(0, 0, screen.pixels.width, screen.pixels.height);
    if let Some(mask) = masks.iter().find(|m| frame.intersection(m) != Some(**m)) {
        return Err(GateError::MaskOutside { mask: *mask, width: frame.width, height: frame.height });
    }
    let changes = Changes::of(&pair);
    let (similarity, found) = judge(kernel, &pair, &changes, &limits, scale);

    let structure = (Rule::Structure, f64::from(found.most_outlying), limits.outlying_pixels);
    let colour = (Rule::Colour, f64::from(found.most_moved), limits.colour_delta);
    let fired = [structure, colour].into_iter().find(|(_, score, limit)| score >= limit);
    let share = |(_, score, limit): (Rule, f64, f64)| score / limit;
    let (measure, score, limit) =
        fired.unwrap_or(if share(colour) > share(structure) { colour } else { structure });

    let cells: &[Cell] = if fired.is_some() { &found.cells } else { &[] };
    let mut patches = regions::connected(cells, grid(&pair), scale.round() as u32);
    patches.retain(|group| group.drift);
    // letters of a word and words of a line belong together
    let groups = regions::merged(patches.clone(), (6.0 * scale).round() as u32);
    Ok(Comparison {
        verdict: if fired.is_some() { Verdict::Drift } else { Verdict::Match },
        rule: fired.map(|(rule, ..)| rule),
        measure,
        score,
        limit,
        unit: measure.unit(),
        margin: (limit - score) / limit,
        mean_ssim: Some(similarity.mean),
        lowest_ssim: Some(f64::from(similarity.lowest)),
        regions: groups.iter().map(|group| region(group, &screen)).collect(),
        scale,
        masks: masked(masks, &screen),
        duration: begun.elapsed(),
        similarity: Some(similarity),
        patches: patches.iter().map(|group| group.bounds).collect(),
    })
}

fn masked(masks: &[PixelRect], screen: &Screen) -> Vec<Masked> {
    masks.iter().map(|rect| Masked { mask: None, rect: *rect, points: screen.to_points(*rect) }).collect()
}

fn region(group: &Group, screen: &Screen) -> Region {
    Region {
        rect: group.bounds,
        points: screen.to_points(group.bounds),
        rule: group.rule,
        pixels: group.pixels,
    }
}

/// Frames of different size always drift, whichever of the two is expected.
fn different_sizes(
    expected: &Frame,
    actual: &Frame,
    screen: &Screen,
    masks: &[PixelRect],
    begun: Instant,
) -> Comparison {
    let (e, a) = (expected.size(), actual.size());
    let score = f64::from(e.width.abs_diff(a.width).max(e.height.abs_diff(a.height)));
    let rect = PixelRect::new(0, 0, e.width, e.height);
    Comparison {
        verdict: Verdict::Drift,
        rule: Some(Rule::Size),
        measure: Rule::Size,
        score,
        limit: 1.0,
        unit: Rule::Size.unit(),
        margin: 1.0 - score,
        mean_ssim: None,
        lowest_ssim: None,
        regions: vec![Region {
            rect,
            points: screen.to_points(rect),
            rule: Rule::Size,
            pixels: rect.area().min(u64::from(u32::MAX)) as u32,
        }],
        scale: screen.scale_x(),
        masks: masked(masks, screen),
        duration: begun.elapsed(),
        similarity: None,
        patches: vec![rect],
    }
}

/// What the two rules found.
#[derive(Default)]
struct Found {
    /// Outlying pixels of the worst tile.
    most_outlying: u32,
    /// The colour difference of the worst tile.
    most_moved: f32,
    cells: Vec<Cell>,
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
fn judge(
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
        || Judge {
            kernel,
            tile: Tile::new(kernel, limits.tolerance, limits.shift),
            flat: FlatBlocks::new(),
            limits,
            blocks,
        },
        |judge, rows| judge.band(pair, changes, rows),
    );
    let mut found = bands.into_iter().fold(Found::default(), Found::and);
    let tile = || Tile::new(kernel, limits.tolerance, limits.shift);
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
fn grid(pair: &Pair<'_>) -> (usize, usize) {
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
fn flagged(flags: &tile::Flags, x: usize, y: usize) -> Option<(PixelRect, u8)> {
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

#[cfg(test)]
mod tests;
