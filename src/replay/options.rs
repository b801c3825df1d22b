//! How to replay. Uses `recording`, `vision` types.

use std::path::PathBuf;

use serde::Deserialize;

use crate::recording::Variables;
use crate::vision::gate::GateOptions;
use crate::vision::mask::{self, Mask};

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

/// How one recording is replayed.
#[derive(Clone, Debug)]
pub struct ReplayOptions {
    pub on_drift: OnDrift,
    /// Go on with a target that was found by other means than the recorded ones.
    pub heal: bool,
    /// Keep the frames of today, and healed targets, as proposals beside the recording.
    pub update: bool,
    /// Below those of the step and of the recording.
    pub gate: GateOptions,
    /// Beside those of the recording and of the step; normally the default ones.
    pub masks: Vec<Mask>,
    pub variables: Variables,
    /// Where pictures of what drifted are written.
    pub pictures: Option<PathBuf>,
    /// Steps before this one, counted from 1, are done without their gates.
    pub resume_from: usize,
    /// Where the device's screen is of another size than a recorded frame, the target alone is checked.
    pub other_screens: bool,
}

impl Default for ReplayOptions {
    fn default() -> Self {
        Self {
            on_drift: OnDrift::Halt,
            heal: false,
            update: false,
            gate: GateOptions::default(),
            masks: mask::with_defaults(&[]),
            variables: Variables::default(),
            pictures: None,
            resume_from: 1,
            other_screens: false,
        }
    }
}
