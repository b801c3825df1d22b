//! What operations work on.

use std::path::PathBuf;
use std::sync::Arc;

use crate::audit::AuditLog;
use crate::device::{DeviceError, Driver, Selector};
use crate::diagnostics::baseline::Baselines;
use crate::home::home;
use crate::operation::resource::Reports;
use crate::policy::Policy;
use crate::recording::{Project, Store};
use crate::session::{Client, KeptSessions, Sessions};

/// Everything an operation may reach. Clones share it.
#[derive(Clone)]
pub struct Context {
    pub sessions: Sessions,
    pub store: Store,
    /// The device of sessions that name none.
    pub device: Option<String>,
    /// Who drives simulators of a Mac whose selector doesn't say.
    pub driver: Driver,
    /// Where an idb companion runs already, as the idb client is told.
    pub companion: Option<String>,
    /// What holds for every recording that says nothing else.
    pub project: Project,
    /// What sessions of WebDriver servers are to be capable of, where their selector doesn't say.
    pub capabilities: Option<PathBuf>,
    /// What `perf_compare` compares with.
    pub baselines: Arc<Baselines>,
    /// What callers may do.
    pub policy: Arc<Policy>,
    /// Where it is written down what they did, and what they were refused.
    pub audit: Option<Arc<AuditLog>>,
    /// Reports of replays that clients may read.
    pub reports: Reports,
}

impl Context {
    pub fn new(store: Store, device: Option<String>) -> Self {
        Self {
            sessions: Sessions::default(),
            store,
            device,
            driver: Driver::default(),
            companion: None,
            project: Project::default(),
            capabilities: None,
            baselines: Arc::new(Baselines::at(home().join("baselines"))),
            policy: Arc::default(),
            audit: None,
            reports: Reports::default(),
        }
    }

    /// The same, for callers that are held to a policy and whose acts are written down.
    pub fn governed(self, policy: Policy, audit: AuditLog) -> Self {
        Self { policy: Arc::new(policy), audit: Some(Arc::new(audit)), ..self }
    }

    /// Reads a selector; what it leaves open is as the command line says.
    ///
    /// # Errors
    /// It is none.
    pub fn selector(&self, named: &str) -> Result<Selector, DeviceError> {
        let selector: Selector = named.parse()?;
        Ok(selector.with_driver(self.driver).with_capabilities(self.capabilities.as_deref()))
    }

    /// The same, with sessions that outlive a server that is killed.
    pub fn keeping(self, kept: KeptSessions) -> Self {
        Self { sessions: Sessions::keeping(kept), ..self }
    }

    /// The same, as one of several clients of this server may use it.
    pub fn of(&self, client: Client) -> Self {
        Self { sessions: self.sessions.of(client), ..self.clone() }
    }

    /// Finishes open recordings and ends all sessions.
    pub async fn close(&self) {
        self.sessions.close().await;
    }
}
