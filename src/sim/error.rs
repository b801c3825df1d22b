//! What the simulator refuses, and why. Uses `code`.

use crate::code::ErrorCode;

#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SimError {
    /// The place is `file:line:column`; the message names the key.
    #[error("{file}:{line}:{column}: {message}")]
    App { file: String, line: u64, column: u64, message: String },
    #[error("no app `{name}`: not a file, and the embedded apps are {}", known.join(", "))]
    UnknownApp { name: String, known: Vec<String> },
    #[error("{file} can't be read: {reason}")]
    Unreadable { file: String, reason: String },
    #[error("unknown simulator option `{key}`{}; known are {}", did_you_mean(.nearest), known.join(", "))]
    UnknownOption { key: String, nearest: Option<String>, known: Vec<String> },
    #[error("simulator option `{key}={value}`: {expected}")]
    InvalidOption { key: String, value: String, expected: String },
    #[error("`{bundle}` is not installed; installed are {}", installed.join(", "))]
    NotInstalled { bundle: String, installed: Vec<String> },
    #[error("unknown permission `{name}`; known are {}", known.join(", "))]
    UnknownPermission { name: String, known: Vec<String> },
    #[error("nothing opens `{url}`")]
    NoHandler { url: String },
    #[error("no crash report `{0}`")]
    NoCrash(String),
    #[error("{0}")]
    InvalidArgument(String),
}

fn did_you_mean(name: &Option<String>) -> String {
    name.as_ref().map_or_else(String::new, |n| format!(" (did you mean `{n}`?)"))
}

impl SimError {
    pub fn code(&self) -> ErrorCode {
        match self {
            Self::UnknownApp { .. } => ErrorCode::DeviceNotFound,
            Self::NotInstalled { .. } => ErrorCode::AppNotInstalled,
            _ => ErrorCode::InvalidArgument,
        }
    }
}

/// The known word closest to a wrong one, if any is close at all.
pub(crate) fn closest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<String> {
    known
        .into_iter()
        .map(|k| (strsim::jaro_winkler(word, k), k))
        .filter(|(score, _)| *score > 0.75)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, k)| k.to_owned())
}
