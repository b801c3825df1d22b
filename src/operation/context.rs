//! What operations work on.

use crate::recording::Store;
use crate::session::Sessions;

/// Everything an operation may reach.
pub struct Context {
    pub sessions: Sessions,
    pub store: Store,
    /// The device of sessions that name none.
    pub device: Option<String>,
}

impl Context {
    pub fn new(store: Store, device: Option<String>) -> Self {
        Self { sessions: Sessions::default(), store, device }
    }

    /// Finishes open recordings and ends all sessions.
    pub async fn close(&self) {
        self.sessions.close().await;
    }
}
