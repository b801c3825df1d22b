//! What operations work on.

use crate::recording::Store;

/// Everything an operation may reach.
pub struct Context {
    pub store: Store,
    /// The device of sessions that name none.
    pub device: Option<String>,
}

impl Context {
    pub fn new(store: Store, device: Option<String>) -> Self {
        Self { store, device }
    }

    /// Finishes open recordings and ends all sessions.
    pub async fn close(&self) {}
}
