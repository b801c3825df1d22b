//! Waiting in the time of the device. Uses `Device`.

use std::time::{Duration, Instant};

use super::Device;

/// How long something has been waited for. Where the device's time passes in its sleep only, a slow machine
/// takes nothing of it.
pub struct Stopwatch<'d> {
    device: &'d dyn Device,
    started: Instant,
    slept: Duration,
}

impl<'d> Stopwatch<'d> {
    pub fn start(device: &'d dyn Device) -> Self {
        Self { device, started: Instant::now(), slept: Duration::ZERO }
    }

    pub async fn sleep(&mut self, duration: Duration) {
        self.device.sleep(duration).await;
        self.slept += duration;
    }

    pub fn elapsed(&self) -> Duration {
        if self.device.keeps_own_time() { self.slept } else { self.started.elapsed() }
    }
}
