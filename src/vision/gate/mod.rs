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
//! 24 levels, and masked places are not seen. At 2 pixels a point text has strokes of one pixel, and what softer
//! drawing takes of them, up to 7/16 of the contrast around a pixel, is not drift. Uses `vision::ssim`, `vision::mask`
//! and the types.

mod colour;
mod flat;
mod judge;
mod masked;
mod options;
mod picture;
mod regions;
mod tile;

use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use crate::code::ErrorCode;
use crate::frame::Frame;
use crate::geometry::{PixelRect, Rect, Screen};
use crate::vision::mask::{LocateError, Mask};
use crate::vision::ssim::{Changes, Kernel, Pair, Similarity};
use judge::{grid, judge};
pub use masked::compare_masked;
pub use options::{GateOptions, Limits, STATED_SCALE};
pub use picture::{difference, picture};
use regions::{Cell, Group};

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
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
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
        let (score, limit) = (plain(self.score), plain(self.limit));
        let measure = self.measure.as_str();
        format!("{verdict} by {measure}: {score} {relation} the limit of {limit} {}", self.unit)
    }
}

/// A score or a limit for people, to two decimals at most.
pub fn plain(number: f64) -> f64 {
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

#[cfg(test)]
mod tests;
