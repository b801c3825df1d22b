//! What a replay found, in the form that reporters and `--json` show. Uses the gate's and the recording's types.

use std::borrow::Cow;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::words;
use crate::code::ErrorCode;
use crate::exit::Exit;
use crate::geometry::{PixelRect, Rect};
use crate::recording::{Side, Step};
use crate::vision::gate::{Comparison, Rule, plain};

/// How one step went.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StepVerdict {
    Passed,
    /// It passed, but not at an earlier attempt.
    Flaky,
    /// It was done without its gate, on the way to the step that `--resume-from` names.
    Ungated,
    /// The target was found by other means than the recorded ones, which `--heal` allowed.
    Healed,
    /// The screen is not as recorded.
    Drifted,
    /// The target is not there as recorded.
    Missing,
    /// A check did not hold, or the act could not be done.
    Failed,
    /// An earlier step halted the recording.
    NotRun,
}

impl StepVerdict {
    /// For people.
    pub fn word(self) -> &'static str {
        match self {
            Self::Passed => "passed",
            Self::Flaky => "flaky",
            Self::Ungated => "ungated",
            Self::Healed => "healed",
            Self::Drifted => "drift",
            Self::Missing => "missing",
            Self::Failed => "failed",
            Self::NotRun => "not run",
        }
    }

    /// Whether it is a reason for its recording to fail.
    pub fn is_failure(self) -> bool {
        matches!(self, Self::Drifted | Self::Missing | Self::Failed)
    }
}

/// How one recording went, all attempts taken together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RecordingVerdict {
    Passed,
    /// It needed more than one attempt.
    Flaky,
    Drifted,
    Failed,
    /// It could not be read, or asks for what is not given.
    Invalid,
    /// The device could not be had, or was lost.
    NoDevice,
    /// Another recording failed first (`--fail-fast`).
    NotRun,
}

impl RecordingVerdict {
    /// For people.
    pub fn word(self) -> &'static str {
        match self {
            Self::Passed => "passed",
            Self::Flaky => "flaky",
            Self::Drifted => "drifted",
            Self::Failed => "failed",
            Self::Invalid => "invalid",
            Self::NoDevice => "no device",
            Self::NotRun => "not run",
        }
    }
}

/// One place where the screen is not as recorded.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RegionReport {
    pub pixels: PixelRect,
    pub points: Rect,
    pub rule: Rule,
    /// How many pixels in it differ.
    pub changed_pixels: u32,
    /// The mark that it lies in or next to, such as `text “$12.00”`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nearest: Option<String>,
}

/// One gate: what it was held against and what it said.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct GateReport {
    pub frame: Side,
    /// The numbers that were compared.
    #[serde(flatten)]
    pub measured: Measured,
    pub regions: Vec<RegionReport>,
    /// What was left out, in pixels.
    pub masked: Vec<PixelRect>,
    /// How long the gate polled, and how often it looked.
    pub waited_ms: u64,
    pub looks: u32,
    /// The recorded frame.
    pub expected: PathBuf,
    /// Written where a report was asked for and the gate did not match.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub actual: Option<PathBuf>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub difference: Option<PathBuf>,
}

/// The numbers of a comparison (see [`Comparison`]).
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Measured {
    pub matched: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rule: Option<Rule>,
    pub measure: Rule,
    pub score: f64,
    pub limit: f64,
    pub unit: Cow<'static, str>,
    pub margin: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mean_ssim: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lowest_ssim: Option<f64>,
    pub scale: f64,
}

impl From<&Comparison> for Measured {
    fn from(c: &Comparison) -> Self {
        Self {
            matched: !c.is_drift(),
            rule: c.rule,
            measure: c.measure,
            score: c.score,
            limit: c.limit,
            unit: c.unit.into(),
            margin: c.margin,
            mean_ssim: c.mean_ssim,
            lowest_ssim: c.lowest_ssim,
            scale: c.scale,
        }
    }
}

/// One step's result.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct StepReport {
    /// From 1.
    pub step: usize,
    /// The action's name, or `check`.
    pub action: Cow<'static, str>,
    /// Such as `tap button “Sign In”`.
    pub description: String,
    pub verdict: StepVerdict,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<ErrorCode>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// What the target may be now, where it was not found as recorded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub suggestion: Option<String>,
    /// The gate before the step; after the last step the one against its `after` too.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub gates: Vec<GateReport>,
    /// Where the target was, in points.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub targets: Vec<Rect>,
    /// How long the screen took to rest after the act.
    pub settled_ms: u64,
    pub duration_ms: u64,
}

impl StepReport {
    /// Of a step that nothing has happened to yet. `number` is from 1.
    pub(super) fn untouched(number: usize, step: &Step) -> Self {
        Self {
            step: number,
            action: step.body.name().into(),
            description: words::describe(&step.body),
            verdict: StepVerdict::Passed,
            code: None,
            message: None,
            suggestion: None,
            gates: Vec::new(),
            targets: Vec::new(),
            settled_ms: 0,
            duration_ms: 0,
        }
    }

    /// The gate that did not match, if any.
    pub fn drift(&self) -> Option<&GateReport> {
        self.gates.iter().find(|g| !g.measured.matched)
    }

    /// One line on what happened, for people.
    pub fn reason(&self) -> Option<String> {
        self.message.clone().or_else(|| {
            let gate = self.drift()?;
            let region = gate.regions.first()?;
            let near = region.nearest.as_deref().map(|n| format!(" at {n}")).unwrap_or_default();
            let others = match gate.regions.len() {
                1 => String::new(),
                count => format!(" and in {} more places", count - 1),
            };
            let (p, m) = (region.points, &gate.measured);
            Some(format!(
                "the screen {} it differs{near} ({:.0}×{:.0} pt at {:.0}, {:.0}){others}: \
                 {} reaches the limit of {} {}",
                gate.frame.as_str(),
                p.width,
                p.height,
                p.x,
                p.y,
                plain(m.score),
                plain(m.limit),
                m.unit
            ))
        })
    }
}

/// One recording's result on one device.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct RecordingReport {
    pub name: String,
    /// Its folder.
    pub path: PathBuf,
    pub device: String,
    pub verdict: RecordingVerdict,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<ErrorCode>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// Drift was gone past because of `--on-drift force`.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub forced: bool,
    pub attempts: u32,
    /// Of the last attempt.
    pub steps: Vec<StepReport>,
    pub warnings: Vec<String>,
    pub duration_ms: u64,
    /// Of `duration_ms`, what was spent checking, decoding, reading and comparing; the rest is the device's.
    #[serde(default)]
    pub own_ms: u64,
}

impl RecordingReport {
    pub fn exit(&self) -> Exit {
        match self.verdict {
            RecordingVerdict::Passed | RecordingVerdict::Flaky | RecordingVerdict::NotRun => Exit::Success,
            RecordingVerdict::Drifted if self.forced => Exit::Success,
            RecordingVerdict::Drifted | RecordingVerdict::Failed => Exit::Failed,
            RecordingVerdict::Invalid => Exit::Invalid,
            RecordingVerdict::NoDevice => Exit::NoDevice,
        }
    }

    /// The first step that did not pass, where one ran.
    pub fn failing_step(&self) -> Option<&StepReport> {
        self.steps.iter().find(|s| s.verdict.is_failure())
    }
}

/// Everything that was replayed.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct RunReport {
    pub simdrive: Cow<'static, str>,
    pub passed: usize,
    pub failed: usize,
    pub recordings: Vec<RecordingReport>,
    pub duration_ms: u64,
}

impl RunReport {
    pub fn new(recordings: Vec<RecordingReport>, duration_ms: u64) -> Self {
        let failed = recordings.iter().filter(|r| r.exit() != Exit::Success).count();
        let run = recordings.iter().filter(|r| r.verdict != RecordingVerdict::NotRun).count();
        Self {
            simdrive: env!("CARGO_PKG_VERSION").into(),
            passed: run - failed,
            failed,
            recordings,
            duration_ms,
        }
    }

    /// What the whole run comes to: a device that was not to be had counts most, then wrong input, then drift.
    pub fn exit(&self) -> Exit {
        let all: Vec<Exit> = self.recordings.iter().map(RecordingReport::exit).collect();
        [Exit::NoDevice, Exit::Invalid, Exit::Failed]
            .into_iter()
            .find(|e| all.contains(e))
            .unwrap_or(Exit::Success)
    }
}
