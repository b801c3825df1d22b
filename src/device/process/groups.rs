//! The process groups that this process has started, so that none outlives it. Uses nothing of this crate.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, WaitOptions, kill_process_group, test_kill_process_group, waitpid};

static LIVE: Mutex<BTreeMap<i32, Leave>> = Mutex::new(BTreeMap::new());
/// When this process began to end.
static ENDING: OnceLock<Instant> = OnceLock::new();

/// How a group ends with this process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Leave {
    AtOnce,
    /// It still has to finish a file.
    Finishing,
}

impl Leave {
    fn signal(self) -> Signal {
        match self {
            Self::AtOnce => Signal::TERM,
            Self::Finishing => Signal::INT,
        }
    }

    /// How long it may take once it was told to end, before it is killed.
    fn grace(self) -> Duration {
        match self {
            Self::AtOnce => Duration::from_millis(700),
            Self::Finishing => Duration::from_secs(5),
        }
    }
}

/// A group whose leader we started; killed when this is dropped.
#[derive(Debug)]
pub struct Group {
    pid: Pid,
    leave: Leave,
}

impl Group {
    /// The group of a child that was started as its leader; `None` once it has been waited for.
    pub fn of(child: &tokio::process::Child) -> Option<Self> {
        Self::leaving(child, Leave::AtOnce)
    }

    /// The same, of one that is interrupted at the end of this process, and may then finish its work.
    pub fn that_finishes(child: &tokio::process::Child) -> Option<Self> {
        Self::leaving(child, Leave::Finishing)
    }

    fn leaving(child: &tokio::process::Child, leave: Leave) -> Option<Self> {
        let pid = Pid::from_raw(i32::try_from(child.id()?).ok()?)?;
        live().insert(pid.as_raw_nonzero().get(), leave);
        Some(Self { pid, leave })
    }

    pub fn id(&self) -> i32 {
        self.pid.as_raw_nonzero().get()
    }

    pub fn signal(&self, signal: Signal) {
        // a group that is gone needs no signal
        let _ = kill_process_group(self.pid, signal);
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        // the sweep waits for it
        if self.leave == Leave::Finishing && is_ending() {
            return;
        }
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
    for (pid, leave) in all() {
        let _ = kill_process_group(pid, leave.signal());
    }
}

/// Leaves no child behind: when dropped, what was started is told to end, and killed 0.7 s after that, or 5 s where it
/// has a file to finish.
#[derive(Debug, Default)]
pub struct Sweep;

impl Drop for Sweep {
    fn drop(&mut self) {
        if all().is_empty() {
            return;
        }
        if !is_ending() {
            terminate_all();
        }
        let since = *ENDING.get_or_init(Instant::now);
        let is_waited_for = |(pid, leave): (Pid, Leave)| since.elapsed() < leave.grace() && is_there(pid);
        while all().into_iter().any(is_waited_for) {
            std::thread::sleep(Duration::from_millis(10));
        }
        for (pid, _) in all() {
            let _ = kill_process_group(pid, Signal::KILL);
        }
    }
}

fn is_there(pid: Pid) -> bool {
    // nobody else may be left to reap it
    let _ = waitpid(Some(pid), WaitOptions::NOHANG);
    test_kill_process_group(pid).is_ok()
}

fn all() -> Vec<(Pid, Leave)> {
    live().iter().filter_map(|(pid, leave)| Some((Pid::from_raw(*pid)?, *leave))).collect()
}

fn live() -> MutexGuard<'static, BTreeMap<i32, Leave>> {
    LIVE.lock().unwrap_or_else(PoisonError::into_inner)
}
