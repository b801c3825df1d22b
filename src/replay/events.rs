//! The one stream of events that feeds every reporter. Uses the outcome's types.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use serde::{Serialize, Serializer};

use super::outcome::{RecordingReport, RunReport, StepReport};

/// What happened. Recordings that run side by side are told apart by `run`.
#[derive(Clone, Debug, Serialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum Event {
    RunStarted {
        recordings: usize,
        /// Of all recordings together, without those of retries.
        steps: usize,
    },
    RecordingStarted {
        run: usize,
        name: String,
        path: PathBuf,
        device: String,
        steps: usize,
        /// From 1; more than one only with `--retries`.
        attempt: u32,
    },
    StepFinished {
        run: usize,
        name: String,
        attempt: u32,
        step: Arc<StepReport>,
    },
    RecordingFinished {
        run: usize,
        /// In the stream without its steps, which were told one by one.
        #[serde(serialize_with = "without_steps")]
        recording: Arc<RecordingReport>,
    },
    RunFinished {
        #[serde(serialize_with = "totals")]
        report: Arc<RunReport>,
    },
}

fn without_steps<S: Serializer>(recording: &Arc<RecordingReport>, serializer: S) -> Result<S::Ok, S::Error> {
    RecordingReport { steps: Vec::new(), ..(**recording).clone() }.serialize(serializer)
}

fn totals<S: Serializer>(report: &Arc<RunReport>, serializer: S) -> Result<S::Ok, S::Error> {
    RunReport { recordings: Vec::new(), ..RunReport::clone(report) }.serialize(serializer)
}

/// Shows events to somebody. One that fails to write fails the run, for its file would tell a lie.
pub trait Reporter: Send {
    fn tell(&mut self, event: &Event) -> io::Result<()>;
}
