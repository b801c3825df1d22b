//! Exit codes of every command (design.md section 7). Uses nothing of this crate.

use std::process::ExitCode;

/// How a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// All well.
    Success,
    /// Drift, or a check that failed.
    Failed,
    /// Wrong usage or invalid input.
    Invalid,
    /// The device is not to be had.
    NoDevice,
    /// A fault of our own.
    Internal,
    /// Ctrl-C.
    Interrupted,
    /// SIGTERM.
    Terminated,
}

impl Exit {
    pub fn code(self) -> u8 {
        match self {
            Self::Success => 0,
            Self::Failed => 1,
            Self::Invalid => 2,
            Self::NoDevice => 3,
            Self::Internal => 70,
            Self::Interrupted => 130,
            Self::Terminated => 143,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        ExitCode::from(exit.code())
    }
}
