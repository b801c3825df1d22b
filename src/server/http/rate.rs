//! How many requests a peer may make: a bucket for each address, which fills again as time goes by.

use std::collections::HashMap;
use std::net::IpAddr;
use std::num::NonZeroU32;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

/// Beyond so many peers those are forgotten that have not asked for a while.
const PEERS: usize = 1024;
/// Seconds of the rate that a burst may use at once.
const BURST: f64 = 2.0;

pub struct Rate {
    /// Requests a second.
    rate: f64,
    buckets: Mutex<HashMap<IpAddr, Bucket>>,
}

#[derive(Clone, Copy)]
struct Bucket {
    left: f64,
    at: Instant,
}

impl Rate {
    pub fn new(rate: NonZeroU32) -> Self {
        Self { rate: rate.get().into(), buckets: Mutex::default() }
    }

    /// Whether the peer may make one request now.
    pub fn admits(&self, peer: IpAddr, now: Instant) -> bool {
        let full = self.rate * BURST;
        let filled = |bucket: Bucket| {
            let since = now.saturating_duration_since(bucket.at).as_secs_f64();
            Bucket { left: since.mul_add(self.rate, bucket.left).min(full), at: now }
        };
        let mut buckets = self.buckets.lock().unwrap_or_else(PoisonError::into_inner);
        if buckets.len() >= PEERS {
            buckets.retain(|_, bucket| filled(*bucket).left < full);
        }
        let bucket = buckets.entry(peer).or_insert(Bucket { left: full, at: now });
        *bucket = filled(*bucket);
        let admits = bucket.left >= 1.0;
        if admits {
            bucket.left -= 1.0;
        }
        admits
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_burst_is_let_in_and_then_the_rate() {
        let rate = Rate::new(NonZeroU32::new(5).unwrap());
        let (one, other) = ([127, 0, 0, 1].into(), [127, 0, 0, 2].into());
        let start = Instant::now();
        assert_eq!((0..20).filter(|_| rate.admits(one, start)).count(), 10);
        assert!(rate.admits(other, start));
        let later = start + Duration::from_secs(1);
        assert_eq!((0..20).filter(|_| rate.admits(one, later)).count(), 5);
    }
}
