//! Child processes: run once with a deadline, or kept running. Uses `files`.
//!
//! No shell is ever involved: arguments are arrays. Every child leads a process group of its own, so that what it
//! starts in turn ends with it; its pipes are always read, and only so much of them is kept.

mod command;
mod groups;
mod health;
mod owner;
mod supervisor;
mod tail;
mod worker;

use std::path::{Path, PathBuf};
use std::time::Duration;

pub use command::{Command, Finished};
pub use groups::{Sweep, terminate_all};
pub use health::{NotReady, Output, Service, Standing};
pub use owner::{Owned, reclaim};
pub use supervisor::{State, Status, Supervisor, Timing};
pub use worker::Worker;

/// Why a program did not do its work.
#[derive(Clone, Debug, thiserror::Error)]
pub enum ProcessError {
    #[error("`{0}` is not on the PATH")]
    Missing(String),
    #[error("`{program}` can't be started: {reason}")]
    Start { program: String, reason: String },
    #[error("`{program}` did not end within {} s{}", after.as_secs_f64(), said(.stderr))]
    Overdue { program: String, after: Duration, stderr: String },
    /// Before it was told to, or not well.
    #[error("`{program}` ended{}{}", code.map_or_else(String::new, |code| format!(" with code {code}")), said(.stderr))]
    Ended { program: String, code: Option<i32>, stderr: String },
}

fn said(stderr: &str) -> String {
    let last = stderr.lines().rev().find(|line| !line.trim().is_empty());
    last.map_or_else(String::new, |line| format!("; it last said: {}", line.trim()))
}

/// The file that running `program` would run: itself where it is a path, else the first on the `PATH`.
pub fn find(program: &str) -> Option<PathBuf> {
    let runs = |file: &Path| {
        use std::os::unix::fs::PermissionsExt;
        file.metadata().is_ok_and(|m| m.is_file() && m.permissions().mode() & 0o111 != 0)
    };
    if program.contains('/') {
        return Some(PathBuf::from(program)).filter(|file| runs(file));
    }
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(program)).find(|file| runs(file))
}
