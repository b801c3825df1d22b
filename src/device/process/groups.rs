//! The process groups that this process has started, so that none outlives it. Uses nothing of this crate.

use std::collections::BTreeSet;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process_group, test_kill_process_group};

static LIVE: Mutex<BTreeSet<i32>> = Mutex::new(BTreeSet::new());
/// When this process began to end.
static ENDING: OnceLock<Instant> = OnceLock::new();

/// How long what was told to end may take before it is killed.
const GRACE: Duration = Duration::from_millis(700);

/// A group whose leader we started; killed when this is dropped.
#[derive(Debug)]
pub struct Group(Pid);

impl Group {
    /// The group of a child that was started as its leader; `None` once it has been waited for.
    pub fn of(child: &tokio::process::Child) -> Option<Self> {
        let pid = Pid::from_raw(i32::try_from(child.id()?).ok()?)?;
        live().insert(pid.as_raw_nonzero().get());
        Some(Self(pid))
    }

    pub fn id(&self) -> i32 {
        self.0.as_raw_nonzero().get()
    }

    pub fn signal(&self, signal: Signal) {
        // a group that is gone needs no signal
        let _ = kill_process_group(self.0, signal);
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        self.signal(Signal::KILL);
        live().remove(&self.id());
    }
}

/// Whether this process is about to end: nothing is started again then, and what stops does so at once.
pub fn is_ending() -> bool {
    ENDING.get().is_some()
}

/// Tells everything that was started to end, without waiting. From now on nothing is started again.
pub fn terminate_all() {
    ENDING.get_or_init(Instant::now);
    for pid in all() {
        let _ = kill_process_group(pid, Signal::TERM);
    }
}

/// Leaves no child behind: when dropped, what was started is told to end, and killed 0.7 s after that.
#[derive(Debug, Default)]
pub struct Sweep;

impl Drop for Sweep {
    fn drop(&mut self) {
        if all().is_empty() {
            return;
        }
        terminate_all();
        let end = *ENDING.get_or_init(Instant::now) + GRACE;
        while Instant::now() < end && all().into_iter().any(|pid| test_kill_process_group(pid).is_ok()) {
            std::thread::sleep(Duration::from_millis(10));
        }
        for pid in all() {
            let _ = kill_process_group(pid, Signal::KILL);
        }
    }
}

fn all() -> Vec<Pid> {
    live().iter().filter_map(|pid| Pid::from_raw(*pid)).collect()
}

fn live() -> MutexGuard<'static, BTreeSet<i32>> {
    LIVE.lock().unwrap_or_else(PoisonError::into_inner)
}
