//! How to replay. Uses `recording`, `vision` types.

use std::path::PathBuf;

use serde::Deserialize;

use crate::recording::Variables;
use crate::vision::gate::GateOptions;
use crate::vision::mask::Mask;

/// What to do where the screen is not as recorded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, schemars::JsonSchema, clap::ValueEnum)]
#[serde(rename_all = "snake_case")]
pub enum OnDrift {
    /// Stop there.
    #[default]
    Halt,
    /// Go on, and fail in the end.
    Warn,
    /// Go on, and pass: what drifted is listed.
    Force,
}

/// Which masks apply besides those of the recording and its steps.
#[derive(Clone, Debug, PartialEq)]
pub struct MaskOptions {
    /// Status bar, caret, home indicator and what never rests are masked where they are found.
    pub default: bool,
    pub more: Vec<Mask>,
}

impl Default for MaskOptions {
    fn default() -> Self {
        Self { default: true, more: Vec::new() }
    }
}

/// How one recording is replayed.
#[derive(Clone, Debug, Default)]
pub struct ReplayOptions {
    pub on_drift: OnDrift,
    /// Go on with a target that was found by other means than the recorded ones.
    pub heal: bool,
    /// Keep the frames of today, and healed targets, as proposals beside the recording.
    pub update: bool,
    /// Below those of the step and of the recording.
    pub gate: GateOptions,
    pub masks: MaskOptions,
    pub variables: Variables,
    /// Where pictures of what drifted are written.
    pub pictures: Option<PathBuf>,
}
