//! Why something may not be done. Uses `code` and the types.

use std::path::PathBuf;

use super::Mode;
use crate::code::ErrorCode;
use crate::role::Role;

/// A refusal. Nothing was done.
#[derive(Clone, Debug, thiserror::Error)]
pub enum PolicyError {
    #[error("{tool} needs mode {needs}; this server runs in mode {runs}")]
    Mode { tool: &'static str, needs: Mode, runs: Mode },
    #[error("{tool} is not among the tools that this server was started with")]
    NotOffered { tool: &'static str },
    #[error("the {what} `{name}` may not be used: {refusal} ({})", file.display())]
    Denied { what: &'static str, name: String, file: PathBuf, refusal: String },
    #[error("{limit} acts a minute are allowed, and were done")]
    TooFast { limit: u32 },
    #[error("a session may last {minutes} minutes, and this one is older")]
    SessionTooLong { minutes: u64 },
    #[error("a tap on {} “{label}” must be confirmed", role.as_str())]
    Confirmation { role: Role, label: String, token: String },
    #[error("this confirmation is void: {reason}")]
    ConfirmationVoid { reason: &'static str },
    #[error("no random numbers: {0}")]
    NoRandom(String),
    /// A file that is not as it must be.
    #[error("{}: {message}", file.display())]
    File { file: PathBuf, message: String },
}

impl PolicyError {
    pub fn code(&self) -> ErrorCode {
        match self {
            Self::Mode { .. } | Self::NotOffered { .. } | Self::Denied { .. } => ErrorCode::PolicyDenied,
            Self::TooFast { .. } | Self::SessionTooLong { .. } => ErrorCode::LimitExceeded,
            Self::Confirmation { .. } | Self::ConfirmationVoid { .. } => ErrorCode::ConfirmationRequired,
            Self::NoRandom(_) => ErrorCode::Internal,
            Self::File { .. } => ErrorCode::InvalidArgument,
        }
    }

    /// What to do about it.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Mode { .. } => "its user starts it with --mode, or without --read-only, to allow more",
            Self::NotOffered { .. } => "its user names more with --toolsets or --tools",
            Self::Denied { .. } => "only its user can change that file; do without",
            Self::TooFast { .. } => "wait a little, and do less at a time",
            Self::SessionTooLong { .. } => "end it with session_end, and tell your user",
            Self::Confirmation { .. } => {
                "nothing was touched; ask your user, and only if they agree repeat this very call with \
                 `confirm` and the token below, within 2 minutes"
            }
            Self::ConfirmationVoid { .. } => {
                "nothing was touched; look again, and call without `confirm` to ask anew"
            }
            Self::NoRandom(_) => "this system can't make tokens",
            Self::File { .. } => "mend the file",
        }
    }
}
