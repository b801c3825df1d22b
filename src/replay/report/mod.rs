//! Reporters: each shows the same events to somebody else. Uses `events` and the outcome's types.

mod bar;
mod folder;
mod html;
mod json_lines;
mod junit;
#[cfg(test)]
mod samples;
mod terminal;

pub use folder::{Folder, ReportError, merge, save_review};
pub use json_lines::JsonLines;
pub use junit::{JUnit, write as write_junit};
pub use terminal::Terminal;

use super::outcome::{RecordingReport, RecordingVerdict, StepVerdict};

/// How a verdict is to be taken; each reporter has a colour for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Tone {
    Good,
    Warning,
    Bad,
    Soft,
}

impl From<StepVerdict> for Tone {
    fn from(verdict: StepVerdict) -> Self {
        match verdict {
            StepVerdict::Passed => Self::Good,
            StepVerdict::Flaky | StepVerdict::Healed => Self::Warning,
            StepVerdict::Drifted | StepVerdict::Missing | StepVerdict::Failed => Self::Bad,
            StepVerdict::Ungated | StepVerdict::NotRun => Self::Soft,
        }
    }
}

impl From<&RecordingReport> for Tone {
    fn from(recording: &RecordingReport) -> Self {
        match recording.verdict {
            RecordingVerdict::Passed => Self::Good,
            RecordingVerdict::Flaky => Self::Warning,
            RecordingVerdict::Drifted if recording.forced => Self::Warning,
            RecordingVerdict::NotRun => Self::Soft,
            _ => Self::Bad,
        }
    }
}

/// Text for XML and HTML: what can't stand in it at all is left out.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\n' => out.push_str("&#10;"),
            '\t' => out.push('\t'),
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => {}
            c => out.push(c),
        }
    }
    out
}
