//! What operations work on.

use crate::recording::Store;
use crate::session::{KeptSessions, Sessions};

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

    /// The same, with sessions that outlive a server that is killed.
    pub fn keeping(self, kept: KeptSessions) -> Self {
        Self { sessions: Sessions::keeping(kept), ..self }
    }

    /// Finishes open recordings and ends all sessions.
    pub async fn close(&self) {
        self.sessions.close().await;
    }
}
