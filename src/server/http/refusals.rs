//! Tells what was not let in: in the server's log, and in the audit log, so far that nobody can fill a disk with it.
//! Uses `audit`.

use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use hyper::StatusCode;

use crate::audit::AuditLog;

/// Lines in the audit log within one [`WINDOW`].
const MOST: u32 = 120;
const WINDOW: Duration = Duration::from_secs(60);

pub struct Refusals {
    audit: Option<Arc<AuditLog>>,
    window: Mutex<Window>,
}

struct Window {
    began: Instant,
    told: u32,
}

impl Refusals {
    pub fn new(audit: Option<Arc<AuditLog>>) -> Self {
        Self { audit, window: Mutex::new(Window { began: Instant::now(), told: 0 }) }
    }

    /// `why` is in words of our own: what a stranger sent stands in no log.
    pub fn tell(&self, peer: IpAddr, status: StatusCode, why: &str) {
        tracing::warn!(%peer, status = status.as_u16(), "request refused: {why}");
        let Some(audit) = &self.audit else { return };
        match self.count(Instant::now()) {
            told if told < MOST => audit.request_refused(peer, status.as_u16(), why),
            MOST => audit.request_refused(peer, status.as_u16(), "and more, which are not told for a minute"),
            _ => {}
        }
    }

    /// How many were told in this window before.
    fn count(&self, now: Instant) -> u32 {
        let mut window = self.window.lock().unwrap_or_else(PoisonError::into_inner);
        if now.duration_since(window.began) >= WINDOW {
            *window = Window { began: now, told: 0 };
        }
        let told = window.told;
        window.told = told.saturating_add(1);
        told
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flood_of_refusals_fills_no_disk() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("audit.jsonl");
        let refusals = Refusals::new(Some(Arc::new(AuditLog::at(&file).unwrap())));
        for _ in 0..10_000 {
            refusals.tell([127, 0, 0, 1].into(), StatusCode::UNAUTHORIZED, "no token");
        }
        let log = std::fs::read_to_string(&file).unwrap();
        assert_eq!(log.lines().count(), MOST as usize + 1);
        assert!(log.lines().last().unwrap().contains("not told for a minute"));
        let later = Instant::now() + WINDOW;
        assert_eq!(refusals.count(later), 0, "a new minute is told again");
    }
}
