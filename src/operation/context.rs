//! What operations work on.

use crate::audit::AuditLog;
use crate::device::Driver;
use crate::diagnostics::baseline::Baselines;
use crate::home::home;
use crate::policy::Policy;
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
    /// What callers may do.
    pub policy: Policy,
    /// Where it is written down what they did, and what they were refused.
    pub audit: Option<AuditLog>,
}

impl Context {
    pub fn new(store: Store, device: Option<String>) -> Self {
        Self {
            sessions: Sessions::default(),
            store,
            device,
            driver: Driver::default(),
            baselines: Baselines::at(home().join("baselines")),
            policy: Policy::default(),
            audit: None,
        }
    }

    /// The same, for callers that are held to a policy and whose acts are written down.
    pub fn governed(self, policy: Policy, audit: AuditLog) -> Self {
        Self { policy, audit: Some(audit), ..self }
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
