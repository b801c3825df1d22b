//! What a replay asks of whoever drives the device. Uses `act`, `observe`.

use std::sync::Arc;
use std::time::{Duration, Instant};

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
    /// The device's time passes in its pauses only.
    fn keeps_own_time(&self) -> bool;
    /// Time of the looks so far that is ours and not the device's.
    fn own_time(&self) -> Duration;
}

/// How long something on a stage has been waited for, in the device's time.
pub struct Waited {
    started: Instant,
    paused: Duration,
}

impl Waited {
    pub fn start() -> Self {
        Self { started: Instant::now(), paused: Duration::ZERO }
    }

    /// Pauses, and looks again.
    pub async fn look_again(
        &mut self,
        stage: &mut dyn Stage,
        after: Duration,
    ) -> Result<Arc<Observation>, Refusal> {
        stage.pause(after).await;
        self.paused += after;
        stage.observe().await
    }

    pub fn elapsed(&self, stage: &dyn Stage) -> Duration {
        if stage.keeps_own_time() { self.paused } else { self.started.elapsed() }
    }
}
