//! What a session records: its acts as steps, and what of them is no step. Uses `recording`.

use std::path::PathBuf;

use serde::Serialize;

use super::{Session, SessionError};
use crate::act::ActOutcome;
use crate::code::ErrorCode;
use crate::recording::{Finished, RecordOptions, Recorder, RecordingFacts, Store};

/// The recording that is going on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RecordingStatus {
    pub name: String,
    pub path: PathBuf,
    pub steps: usize,
    /// Acts that reached the device, failed, and are no steps.
    pub gaps: usize,
}

impl Session {
    /// Begins a recording, and says what may make it hard to replay.
    ///
    /// # Errors
    /// One is going on already, or the store refuses it.
    pub async fn start_recording(
        &self,
        store: &Store,
        options: RecordOptions,
    ) -> Result<(RecordingStatus, Vec<String>), SessionError> {
        let _desk = self.desk.lock().await;
        self.alive()?;
        if let Some(going_on) = self.status().recording {
            return Err(SessionError::AlreadyRecording(going_on.name));
        }
        let facts = RecordingFacts {
            device: self.opened.description.clone(),
            app: self.opened.app.as_ref().map(|app| app.bundle_id.clone()),
            setup: self.opened.setup.clone(),
            appearance: self.opened.device.appearance().await.ok().and_then(|(appearance, _)| appearance),
            acted_since_launch: self.opened.goes_on || self.memory().acts > 0,
        };
        let (recorder, warnings) = Recorder::start(store, options, facts)?;
        let status = status_of(&recorder);
        self.recorder.with(|slot| *slot = Some(recorder)).await;
        self.memory().recording = Some(status.clone());
        Ok((status, warnings))
    }

    /// Finishes the recording; with `discard` nothing is kept of it.
    ///
    /// # Errors
    /// None is going on, or it can't be written.
    pub async fn stop_recording(&self, discard: bool) -> Result<Option<Finished>, SessionError> {
        let _desk = self.desk.lock().await;
        let finish = move |slot: &mut Option<Recorder>| match slot.take() {
            None => Err(SessionError::NotRecording),
            Some(recorder) if discard => Ok(recorder.discard().map(|()| None)?),
            Some(recorder) => Ok(recorder.stop().map(Some)?),
        };
        let finished = self.recorder.with(finish).await;
        self.memory().recording = None;
        finished
    }

    /// Writes the step; an act that was done but not recorded says so.
    pub(super) async fn record(&self, outcome: &mut ActOutcome) {
        if self.status().recording.is_none() {
            return;
        }
        let done = outcome.clone();
        let append = move |slot: &mut Option<Recorder>| {
            let recorder = slot.as_mut()?;
            Some((recorder.append(&done), status_of(recorder)))
        };
        let Some((appended, status)) = self.recorder.with(append).await else { return };
        match appended {
            Ok(appended) => outcome.notes.extend(appended.notices),
            Err(error) => outcome.notes.push(format!("this step was not recorded: {error}")),
        }
        self.memory().recording = Some(status);
    }

    /// Has the recording say that an act was done which is no step of it.
    pub(super) async fn record_gap(&self, action: &'static str, error: ErrorCode) {
        if self.status().recording.is_none() {
            return;
        }
        let append = move |slot: &mut Option<Recorder>| {
            let recorder = slot.as_mut()?;
            Some((recorder.append_gap(action, error), status_of(recorder)))
        };
        let Some((appended, status)) = self.recorder.with(append).await else { return };
        if let Err(error) = appended {
            tracing::warn!("the recording does not say that {action} failed: {error}");
        }
        self.memory().recording = Some(status);
    }
}

fn status_of(recorder: &Recorder) -> RecordingStatus {
    RecordingStatus {
        name: recorder.name().to_owned(),
        path: recorder.path().to_owned(),
        steps: recorder.steps(),
        gaps: recorder.gaps(),
    }
}
