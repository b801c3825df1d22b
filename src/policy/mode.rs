//! How much a caller may do. Uses nothing of this crate.

use std::fmt;

use serde::{Deserialize, Serialize};

/// What may be done, each holding the one before (design.md section 9).
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    schemars::JsonSchema,
    clap::ValueEnum,
)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// Read only
    Observe,
    /// Touch, type, record, replay
    #[default]
    Interact,
    /// Install, uninstall, erase, boot and shut down
    Full,
}

impl fmt::Display for Mode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Observe => "observe",
            Self::Interact => "interact",
            Self::Full => "full",
        })
    }
}
