//! The recorded frames, read from disk: the next one while the device is busy with a step. Uses `recording`.

use tokio::task::{JoinHandle, spawn_blocking};

use super::stage::Refusal;
use crate::code::ErrorCode;
use crate::frame::Frame;
use crate::recording::{FrameName, Loaded, Place, RecordingError};

/// Frames of one recording.
pub struct Expected<'a> {
    loaded: &'a Loaded,
    ahead: Option<(FrameName, Loading)>,
}

type Loading = JoinHandle<Result<Frame, RecordingError>>;

impl<'a> Expected<'a> {
    pub fn of(loaded: &'a Loaded) -> Self {
        Self { loaded, ahead: None }
    }

    /// Begins to read what the gate after a step, counted from 1, will ask for.
    pub fn prepare_after(&mut self, step: usize) {
        let steps = &self.loaded.recording.steps;
        let (frame, of) = match steps.get(step) {
            Some(next) => (next.before.as_ref(), step + 1),
            None => (steps.last().and_then(|last| last.after.as_ref()), step),
        };
        self.ahead = frame.map(|name| (name.clone(), self.begin(name, of)));
    }

    /// A frame of a step.
    pub async fn frame(&mut self, name: &FrameName, step: usize) -> Result<Frame, Refusal> {
        let loading = match self.ahead.take() {
            Some((prepared, loading)) if prepared == *name => loading,
            _ => self.begin(name, step),
        };
        let broken_off = |error: tokio::task::JoinError| Refusal {
            code: ErrorCode::Internal,
            message: format!("reading a frame was broken off: {error}"),
        };
        Ok(loading.await.map_err(broken_off)??)
    }

    fn begin(&self, name: &FrameName, step: usize) -> Loading {
        let (frames, name) = (self.loaded.frames(), name.clone());
        let place = Place::step(self.loaded.file(), step);
        spawn_blocking(move || frames.load(&name, &place))
    }
}
