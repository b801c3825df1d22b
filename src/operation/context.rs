//! What operations work on: the configuration, and soon the sessions and the store.

use crate::config::Config;

/// Everything an operation may reach.
pub struct Context {
    pub config: Config,
}

impl Context {
    pub fn new(config: Config) -> Self {
        Self { config }
    }

    /// Finishes open recordings and ends all sessions.
    pub async fn close(&self) {}
}
