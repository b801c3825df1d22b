//! One call of an operation: who wants to hear of its progress, and whether it is still wanted.

use std::sync::Arc;

use tokio_util::sync::CancellationToken;

use crate::audit::AuditNote;

/// Hears how far long work has come: steps done, steps in all where known, and what is being done.
pub type ProgressListener = Arc<dyn Fn(f64, Option<f64>, &str) + Send + Sync>;

/// What accompanies an operation on its way.
#[derive(Clone, Default)]
pub struct Call {
    pub cancellation: CancellationToken,
    /// What the client calls itself.
    pub caller: Option<String>,
    /// What the audit log is to say of it.
    pub audit: AuditNote,
    progress: Option<ProgressListener>,
}

impl Call {
    pub fn new(cancellation: CancellationToken, progress: Option<ProgressListener>) -> Self {
        Self { cancellation, progress, ..Self::default() }
    }

    /// Tells whoever listens.
    pub fn progress(&self, done: f64, total: Option<f64>, message: &str) {
        if let Some(listener) = &self.progress {
            listener(done, total, message);
        }
    }
}
