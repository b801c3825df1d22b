//! The recorder of a session. It writes pictures, so it works on threads that may block. Uses `recording`.

use std::sync::{Arc, Mutex, PoisonError};

use crate::recording::Recorder;

/// A recorder, while something is recorded.
#[derive(Clone, Default)]
pub(super) struct RecorderSlot(Arc<Mutex<Option<Recorder>>>);

impl RecorderSlot {
    /// Works with the recorder on a thread of its own. What was begun is done to its end, even where the caller
    /// no longer waits for it: a step is written whole, or not at all.
    pub async fn with<R, F>(&self, work: F) -> R
    where
        R: Send + 'static,
        F: FnOnce(&mut Option<Recorder>) -> R + Send + 'static,
    {
        let slot = self.0.clone();
        let done = tokio::task::spawn_blocking(move || {
            work(&mut slot.lock().unwrap_or_else(PoisonError::into_inner))
        });
        match done.await {
            Ok(result) => result,
            Err(panicked) => std::panic::resume_unwind(panicked.into_panic()),
        }
    }
}
