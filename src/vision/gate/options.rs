//! What the gate tolerates: one set of options, in layers (step over recording over command line over config).
//! Uses nothing of this crate.

use serde::{Deserialize, Serialize};

use super::GateError;

/// The scale at which limits in pixels are stated.
pub const STATED_SCALE: f64 = 3.0;
/// Below so many pixels a point, text has strokes of one pixel.
const THIN_STROKES: f64 = 2.5;
// what holds where nothing is said
const TOLERANCE: u8 = 24;
const OUTLYING_PIXELS: f64 = 12.0;
const SHIFT: f64 = 2.0;
const COLOUR_DELTA: f64 = 2.0;
/// The most pixels that text and edges may be allowed to wander.
pub(super) const MAX_SHIFT: usize = 3;

/// What may differ before it is drift. Everything may be left out; what is left out is asked of the next layer, and
/// in the end is the default.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GateOptions {
    /// How many of 255 levels, in any of red, green and blue, a pixel may lie outside what is around its place in
    /// the other frame. Default 24.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tolerance: Option<u8>,
    /// As many outlying pixels in a tile of 64×64 are drift. Stated for scale 3; grows with its square. Default 12.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outlying_pixels: Option<f64>,
    /// By how many pixels a tile may be moved, in each direction. Stated for scale 3; grows with the scale, and is 1
    /// at least unless it is 0. 0 to 3, default 2.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shift: Option<f64>,
    /// A flat area whose colour moves by as much (CIEDE2000) is drift. Default 2, about what an eye sees without
    /// looking for it; moves of 3 levels or less never count.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub colour_delta: Option<f64>,
    /// How long replay looks again and again until the screen matches, in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout_ms: Option<u64>,
}

impl GateOptions {
    /// What holds where nothing is said; how long is waited is up to who waits.
    pub const DEFAULT: Self = Self {
        tolerance: Some(TOLERANCE),
        outlying_pixels: Some(OUTLYING_PIXELS),
        shift: Some(SHIFT),
        colour_delta: Some(COLOUR_DELTA),
        timeout_ms: None,
    };

    /// These options; what they leave out is taken from `below`.
    pub fn over(self, below: Self) -> Self {
        Self {
            tolerance: self.tolerance.or(below.tolerance),
            outlying_pixels: self.outlying_pixels.or(below.outlying_pixels),
            shift: self.shift.or(below.shift),
            colour_delta: self.colour_delta.or(below.colour_delta),
            timeout_ms: self.timeout_ms.or(below.timeout_ms),
        }
    }

    pub fn is_default(&self) -> bool {
        *self == Self::default()
    }

    /// The limits at one scale (pixels a point).
    pub fn limits(&self, scale: f64) -> Result<Limits, GateError> {
        if !(scale.is_finite() && (0.25..=16.0).contains(&scale)) {
            return Err(GateError::Scale(scale));
        }
        let within = |option: &'static str, value: f64, least: f64, most: f64| {
            if (least..=most).contains(&value) {
                Ok(value)
            } else {
                Err(GateError::Option { option, value, least, most })
            }
        };
        let pixels = within("outlying_pixels", self.outlying_pixels.unwrap_or(OUTLYING_PIXELS), 1.0, 4096.0)?;
        let shift = within("shift", self.shift.unwrap_or(SHIFT), 0.0, MAX_SHIFT as f64)?;
        let colour_delta = within("colour_delta", self.colour_delta.unwrap_or(COLOUR_DELTA), 0.5, 100.0)?;
        let density = scale / STATED_SCALE;
        let shift = if shift == 0.0 { 0.0 } else { (shift * density).round().clamp(1.0, MAX_SHIFT as f64) };
        Ok(Limits {
            tolerance: self.tolerance.unwrap_or(TOLERANCE),
            outlying_pixels: (pixels * density * density).max(1.0),
            shift: shift as usize,
            colour_delta,
            thin_strokes: scale < THIN_STROKES,
        })
    }
}

/// Options at one scale, checked.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limits {
    pub tolerance: u8,
    pub outlying_pixels: f64,
    /// Whole pixels of this frame.
    pub shift: usize,
    pub colour_delta: f64,
    /// Whether text has strokes of one pixel, which lose much of their ink where they are drawn softer.
    pub thin_strokes: bool,
}
