//! What operations work on.

use crate::device::Driver;
use crate::diagnostics::baseline::Baselines;
use crate::home::home;
use crate::recording::Store;
use crate::session::{KeptSessions, Sessions};

/// Everything an operation may reach.
pub struct Context {
    pub sessions: Sessions,
    pub store: Store,
    /// The device of sessions that name none.
    pub device: Option<String>,
    /// Who drives simulators of a Mac whose selector doesn't say.
    pub driver: Driver,
    /// What `perf_compare` compares with.
    pub baselines: Baselines,
}

impl Context {
    pub fn new(store: Store, device: Option<String>) -> Self {
        Self {
            sessions: Sessions::default(),
            store,
            device,
            driver: Driver::default(),
            baselines: Baselines::at(home().join("baselines")),
        }
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
