//! Replaying a recording, as a tool.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;

use crate::code::ErrorCode;
use crate::device::Selector;
use crate::exit::Exit;
use crate::operation::record::recording_of;
use crate::operation::{Call, Context, OperationError, Outcome, Run, allow};
use crate::replay::events::{Event, Reporter};
use crate::replay::outcome::RunReport;
use crate::replay::report::{Folder, Terminal};
use crate::replay::selection::{Chosen, choose};
use crate::replay::{OnDrift, ReplayOptions, RunOptions, run};
use crate::session::{DeviceHold, SessionError};
use crate::vision::gate::GateOptions;
use crate::vision::mask::with_defaults;

#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct Replay {
    name: Option<String>,
    /// Folder of the recording
    path: Option<String>,
    /// Where the screen differs: stop, go on and fail, go on and pass
    on_drift: Option<OnDrift>,
    /// Go on with targets found by other means
    heal: Option<bool>,
    /// Departures from the gate's defaults
    gate: Option<GateOptions>,
    /// Keep today's frames as proposals
    update: Option<bool>,
    /// Where pictures of drift go
    report_dir: Option<PathBuf>,
}

impl Run for Replay {
    fn deadline(&self) -> Duration {
        Duration::from_secs(1_800)
    }

    fn permitted(&self, context: &Context) -> Result<(), OperationError> {
        let which = recording_of(self.name.clone(), self.path.clone())?;
        allow::recording(context, &which)?;
        if let Some(folder) = &self.report_dir {
            context.policy.admit_path(folder)?;
        }
        // one that can't be read is refused as such when it is replayed
        let chosen = choose(&[which], &context.store, &[]).unwrap_or_default();
        let mut recordings = chosen.iter().filter_map(|chosen| chosen.loaded.as_ref().ok());
        recordings.try_for_each(|loaded| allow::replay(context, loaded))
    }

    async fn run(self, context: &Context, call: &Call) -> Result<Outcome, OperationError> {
        let which = recording_of(self.name, self.path)?;
        let chosen = choose(&[which], &context.store, &[])?;
        let _devices = hold(context, &chosen).await?;
        let options = RunOptions {
            replay: ReplayOptions {
                on_drift: self.on_drift.unwrap_or_default(),
                heal: self.heal.unwrap_or(false),
                update: self.update.unwrap_or(false),
                gate: self.gate.unwrap_or_default().over(context.project.gate),
                masks: with_defaults(&context.project.masks),
                ..ReplayOptions::default()
            },
            workers: 1,
            report: self.report_dir.clone(),
            ..RunOptions::default()
        };
        let lines = Lines::default();
        let kept = self.report_dir.clone();
        let mut reporters: Vec<Box<dyn Reporter>> =
            vec![Box::new(Terminal::plain(lines.clone())), Box::new(Progress::of(call))];
        reporters
            .extend(self.report_dir.map(|folder| -> Box<dyn Reporter> { Box::new(Folder::new(folder)) }));
        let report = tokio::select! {
            report = run(chosen, options, reporters) => {
                report.map_err(|e| OperationError::internal(format!("a report can't be written: {e}")))?
            }
            () = call.cancellation.cancelled() => return Err(OperationError::cancelled("replay")),
        };
        let mut text = lines.text();
        if let Some(folder) = kept {
            text += &format!("report: simdrive://reports/{}\n", context.reports.add(&folder));
        }
        verdict(&report, &text)
    }
}

/// The devices of the recordings: nobody else may open them while they are replayed on.
async fn hold(context: &Context, chosen: &[Chosen]) -> Result<Vec<DeviceHold>, OperationError> {
    let recordings = chosen.iter().filter_map(|chosen| chosen.loaded.as_ref().ok());
    // what is no selector, the replay itself refuses
    let selectors: BTreeMap<String, Selector> = recordings
        .filter_map(|loaded| loaded.recording.device.selector.parse::<Selector>().ok())
        .filter(|selector| !matches!(selector, Selector::Embedded { .. }))
        .map(|selector| (selector.to_string(), selector))
        .collect();
    let mut held = Vec::new();
    for selector in selectors.into_values() {
        match context.sessions.borrow(selector).await {
            Ok(hold) => held.push(hold),
            // a device that is not to be had, the replay itself reports
            Err(SessionError::Device(_)) => {}
            Err(busy) => return Err(busy.into()),
        }
    }
    Ok(held)
}

/// A replay that did not pass is an error of the recording's own code.
fn verdict(report: &RunReport, text: &str) -> Result<Outcome, OperationError> {
    let facts = serde_json::to_value(report).map_err(|e| OperationError::internal(e.to_string()))?;
    if report.exit() == Exit::Success {
        return Ok(Outcome::new(text.trim_end(), facts));
    }
    let failed = report.recordings.iter().find(|recording| recording.exit() != Exit::Success);
    let code = failed.and_then(|recording| recording.code).unwrap_or(ErrorCode::ReplayDrift);
    let message = failed.map_or_else(String::new, |recording| {
        let why = recording.message.as_deref().unwrap_or("the screen is not as recorded");
        format!("{}: {why}", recording.name)
    });
    Err(OperationError::new(code, message).with_detail("report", facts).with_text(text.trim_end()))
}

/// Tells the caller of every step.
struct Progress {
    call: Call,
    done: f64,
    total: Option<f64>,
}

impl Progress {
    fn of(call: &Call) -> Self {
        Self { call: call.clone(), done: 0.0, total: None }
    }
}

impl Reporter for Progress {
    fn tell(&mut self, event: &Event) -> io::Result<()> {
        match event {
            Event::RecordingStarted { steps, .. } => self.total = Some(*steps as f64),
            Event::StepFinished { step, .. } => {
                self.done += 1.0;
                self.call.progress(self.done, self.total, &step.description);
            }
            _ => {}
        }
        Ok(())
    }
}

/// Lines kept in memory.
#[derive(Clone, Default)]
struct Lines(Arc<Mutex<Vec<u8>>>);

impl Lines {
    fn text(&self) -> String {
        String::from_utf8_lossy(&self.0.lock().unwrap_or_else(PoisonError::into_inner)).into_owned()
    }
}

impl Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
