//! Why something may not be done. Uses `code` and the types.

use std::path::{Path, PathBuf};

use super::{Mode, Rule};
use crate::code::ErrorCode;
use crate::role::Role;

/// A refusal. Nothing was done.
#[derive(Clone, Debug, thiserror::Error)]
pub enum PolicyError {
    #[error("{tool} needs mode {needs}; this server runs in mode {runs}{}", because(by))]
    Mode { tool: &'static str, needs: Mode, runs: Mode, by: Option<String> },
    #[error("{tool} is not among the tools that this server was started with")]
    NotOffered { tool: &'static str },
    #[error("the {what} `{name}` may not be used: {} ({rule})", says(rule))]
    Denied { what: &'static str, name: String, rule: Box<Rule> },
    #[error("`{scheme}:` may not be opened: {why}")]
    Scheme { scheme: String, why: String },
    /// A path with `..` in it.
    #[error("the path {} leads up: `..` may not be in it", path.display())]
    LeadsUp { path: PathBuf },
    #[error("the path {}{} lies outside of the folders that clients may use: {folders}", path.display(), by_link(leads.as_deref()))]
    Outside { path: PathBuf, leads: Option<PathBuf>, folders: String },
    #[error("{limit} acts a minute are allowed, and were done ({rule})")]
    TooFast { limit: u32, rule: Box<Rule> },
    #[error("a session may last {minutes} minutes, and this one is older ({rule})")]
    SessionTooLong { minutes: u64, rule: Box<Rule> },
    #[error("a tap on {} “{label}” must be confirmed", role.as_str())]
    Confirmation { role: Role, label: String, token: String },
    #[error("this confirmation is void: {reason}")]
    ConfirmationVoid { reason: &'static str },
    #[error("no random numbers: {0}")]
    NoRandom(String),
}

fn because(by: &Option<String>) -> String {
    by.as_ref().map_or_else(String::new, |by| format!(" ({by})"))
}

fn by_link(leads: Option<&Path>) -> String {
    leads.map_or_else(String::new, |leads| format!(" leads to {} and", leads.display()))
}

fn says(Rule { rule, pattern, .. }: &Rule) -> String {
    match pattern {
        Some(pattern) => format!("{rule} names `{pattern}`"),
        None => format!("{rule} does not name it"),
    }
}

impl PolicyError {
    pub fn code(&self) -> ErrorCode {
        match self {
            Self::Mode { .. }
            | Self::NotOffered { .. }
            | Self::Denied { .. }
            | Self::Scheme { .. }
            | Self::LeadsUp { .. }
            | Self::Outside { .. } => ErrorCode::PolicyDenied,
            Self::TooFast { .. } | Self::SessionTooLong { .. } => ErrorCode::LimitExceeded,
            Self::Confirmation { .. } | Self::ConfirmationVoid { .. } => ErrorCode::ConfirmationRequired,
            Self::NoRandom(_) => ErrorCode::Internal,
        }
    }

    /// The rule of a file that decided, where one did.
    pub fn rule(&self) -> Option<&Rule> {
        match self {
            Self::Denied { rule, .. } | Self::TooFast { rule, .. } | Self::SessionTooLong { rule, .. } => {
                Some(rule.as_ref())
            }
            _ => None,
        }
    }

    /// What to do about it.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Mode { .. } => "its user starts it with --mode, or without --read-only, to allow more",
            Self::NotOffered { .. } => "its user names more with --toolsets or --tools",
            Self::Denied { .. } => "only its user can change that file; do without",
            Self::Scheme { .. } => "open a web page or a link of an app",
            Self::LeadsUp { .. } => "nothing was read or written; give a path without `..`",
            Self::Outside { .. } => {
                "nothing was read or written; its user allows more with --recordings, or allow_folders in their own file"
            }
            Self::TooFast { .. } => "wait a little, and do less at a time",
            Self::SessionTooLong { .. } => "end it with session_end, and tell your user",
            Self::Confirmation { .. } => {
                "it was not done; ask your user, and only if they agree repeat this very call with \
                 `confirm` and the token below, within 2 minutes"
            }
            Self::ConfirmationVoid { .. } => {
                "it was not done; look again, and call without `confirm` to ask anew"
            }
            Self::NoRandom(_) => "this system can't make tokens",
        }
    }
}
