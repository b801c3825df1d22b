//! Where a value comes from. Uses nothing of this crate.

use std::fmt;
use std::path::PathBuf;

use serde::Serialize;

/// The weakest first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "from", rename_all = "snake_case")]
pub enum Origin {
    Default,
    /// A file; the line counts from 1, and is left out where it isn't known.
    File {
        file: PathBuf,
        #[serde(skip_serializing_if = "Option::is_none")]
        line: Option<usize>,
    },
    Variable {
        name: String,
    },
    Flag {
        name: String,
    },
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Default => f.write_str("default"),
            Self::File { file, line: Some(line) } => write!(f, "{}:{line}", file.display()),
            Self::File { file, line: None } => write!(f, "{}", file.display()),
            Self::Variable { name } | Self::Flag { name } => f.write_str(name),
        }
    }
}
