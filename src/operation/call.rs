//! One call of an operation: who wants to hear of its progress, and whether it is still wanted.

use std::sync::Arc;
use std::time::Duration;

use tokio_util::sync::CancellationToken;

use crate::audit::AuditNote;

/// Hears how far long work has come: steps done, steps in all where known, and what is being done.
pub type ProgressListener = Arc<dyn Fn(f64, Option<f64>, &str) + Send + Sync>;

/// Between two words on work that can't say how far it has come.
const BETWEEN_WORDS: Duration = Duration::from_millis(500);

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

    /// Does work that can't say how far it has come: whoever listens is told the seconds it took so far, of those
    /// that it may take.
    pub async fn telling<T>(&self, message: &str, total: Option<f64>, work: impl Future<Output = T>) -> T {
        tokio::pin!(work);
        let mut words = tokio::time::interval(BETWEEN_WORDS);
        let started = words.tick().await;
        loop {
            tokio::select! {
                done = &mut work => return done,
                now = words.tick() => self.progress((now - started).as_secs_f64(), total, message),
            }
        }
    }
}
