//! What a replay asks of whoever drives the device. Uses `act`, `observe`.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;

use crate::act::{ActOutcome, Action};
use crate::code::ErrorCode;
use crate::observe::Observation;

/// Why something was not done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    pub code: ErrorCode,
    pub message: String,
}

impl Refusal {
    /// The device itself is gone, so nothing more can be done on it.
    pub fn is_device_lost(&self) -> bool {
        matches!(self.code, ErrorCode::DeviceUnreachable | ErrorCode::DeviceNotFound | ErrorCode::DeviceBusy)
    }
}

/// A device in the state that a recording starts from: a session, or a script in tests.
#[async_trait]
pub trait Stage: Send + Sync {
    /// A settled look.
    async fn observe(&mut self) -> Result<Arc<Observation>, Refusal>;
    /// Acts as an agent would, with all the checks of an act.
    async fn act(&mut self, action: Action) -> Result<ActOutcome, Refusal>;
    /// Lets the device's time pass.
    async fn pause(&mut self, duration: Duration);
}
