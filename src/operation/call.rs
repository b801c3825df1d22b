//! One call of an operation: who wants to hear of its progress, and whether it is still wanted.

use std::sync::Arc;

use tokio_util::sync::CancellationToken;

/// Hears how far long work has come: steps done, steps in all where known, and what is being done.
pub type ProgressListener = Arc<dyn Fn(f64, Option<f64>, &str) + Send + Sync>;

/// What accompanies an operation on its way.
#[derive(Clone, Default)]
pub struct Call {
    pub cancellation: CancellationToken,
    progress: Option<ProgressListener>,
}

impl Call {
    pub fn new(cancellation: CancellationToken, progress: Option<ProgressListener>) -> Self {
        Self { cancellation, progress }
    }

    /// Tells whoever listens.
    pub fn progress(&self, done: f64, total: Option<f64>, message: &str) {
        if let Some(listener) = &self.progress {
            listener(done, total, message);
        }
    }
}
