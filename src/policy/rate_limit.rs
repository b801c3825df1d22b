//! How many acts a minute. Uses nothing of this crate.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

const MINUTE: Duration = Duration::from_secs(60);

/// When the acts of the last minute were done.
#[derive(Debug, Default)]
pub(super) struct RateLimit {
    done: Mutex<VecDeque<Instant>>,
}

impl RateLimit {
    /// One more act; whether there may be one.
    pub fn step(&self, limit: u32) -> bool {
        let mut done = self.done.lock().unwrap_or_else(PoisonError::into_inner);
        while done.front().is_some_and(|at| at.elapsed() >= MINUTE) {
            done.pop_front();
        }
        if done.len() >= limit as usize {
            return false;
        }
        done.push_back(Instant::now());
        true
    }
}
