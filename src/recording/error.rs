//! What can be wrong with a recording. Uses `code`, `observe` errors.

use std::fmt;
use std::path::PathBuf;

use crate::code::ErrorCode;
use crate::observe::ObserveError;

/// A place in a recording's file, as precisely as it is known.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Place {
    pub path: PathBuf,
    /// From 1.
    pub line: Option<u64>,
    /// The step, from 1.
    pub step: Option<usize>,
}

impl Place {
    pub fn file(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into(), ..Self::default() }
    }

    pub fn step(path: impl Into<PathBuf>, step: usize) -> Self {
        Self { path: path.into(), line: None, step: Some(step) }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.path.display())?;
        if let Some(line) = self.line {
            write!(f, ":{line}")?;
        }
        if let Some(step) = self.step {
            write!(f, " (step {step})")?;
        }
        Ok(())
    }
}

/// Why a recording could not be found, read or written. Nothing on disk was changed by what failed.
#[derive(Debug, thiserror::Error)]
pub enum RecordingError {
    #[error(
        "`{0}` is no name for a recording; use 1 to 64 of a-z, 0-9, `-`, `_` and `.`, a letter or digit first"
    )]
    InvalidName(String),
    #[error("no recording `{name}` in {root}{}", closest.as_ref().map(|c| format!("; did you mean `{c}`?")).unwrap_or_default())]
    NotFound { name: String, root: String, closest: Option<String> },
    #[error(
        "a recording `{name}` is already at {}; choose another name, or delete that folder{}",
        path.display(),
        if *unfinished { " (it was never finished: record_stop finishes it, record_stop with discard deletes it)" } else { "" }
    )]
    Exists { name: String, path: PathBuf, unfinished: bool },
    #[error("{place}: {message}")]
    Invalid { place: Place, message: String },
    #[error("{place}: {message}")]
    UnknownKey { place: Place, key: String, message: String },
    #[error("{place}: {message}")]
    Version { place: Place, message: String },
    #[error("{place}: the frame `{frame}` is missing: no {}; bring it back from version control, or record again", file.display())]
    MissingFrame { place: Place, frame: String, file: PathBuf },
    #[error("{place}: the frame {} was altered: {reason}; bring it back from version control, or record again", file.display())]
    AlteredFrame { place: Place, file: PathBuf, reason: String },
    #[error("`{name}` is being recorded by another process")]
    InUse { name: String },
    #[error("nothing is being recorded{}", hint.as_ref().map(|h| format!("; {h}")).unwrap_or_default())]
    NotRecording { hint: Option<String> },
    #[error(
        "{file} needs `{name}`, which is not set; give --var {name}=VALUE or set the environment variable"
    )]
    VariableUnset { name: String, file: String },
    #[error("there are {steps} steps, so `from` and `to` must lie from 1 to {steps}, in this order")]
    NoSuchSteps { steps: usize },
    #[error("changes to `{name}` wait for review; accept or reject them first with `simdrive review`")]
    InReview { name: String },
    #[error("`{name}` was never finished; finish it with record_stop first")]
    Unfinished { name: String },
    #[error("the frames can't be looked at: {0}")]
    Unseen(#[source] ObserveError),
    #[error("{what} {}: {source}", path.display())]
    Io { what: &'static str, path: PathBuf, source: std::io::Error },
    #[error("the frame can't be written: {0}")]
    Picture(String),
    #[error("the act can't be recorded: {0}")]
    Unrecordable(String),
}

impl RecordingError {
    pub fn code(&self) -> ErrorCode {
        match self {
            Self::InvalidName(_) => ErrorCode::InvalidArgument,
            Self::NotFound { .. } => ErrorCode::RecordingNotFound,
            Self::Exists { .. } => ErrorCode::RecordingExists,
            Self::Invalid { .. }
            | Self::UnknownKey { .. }
            | Self::MissingFrame { .. }
            | Self::AlteredFrame { .. }
            | Self::Unfinished { .. } => ErrorCode::RecordingInvalid,
            Self::NoSuchSteps { .. } | Self::InReview { .. } => ErrorCode::InvalidArgument,
            Self::Unseen(error) => error.code(),
            Self::Version { .. } => ErrorCode::RecordingVersion,
            Self::InUse { .. } => ErrorCode::AlreadyRecording,
            Self::NotRecording { .. } => ErrorCode::NotRecording,
            Self::VariableUnset { .. } => ErrorCode::SecretUnset,
            Self::Io { .. } | Self::Picture(_) | Self::Unrecordable(_) => ErrorCode::Internal,
        }
    }

    /// Where it is, for those that are in a recording's file.
    pub fn place(&self) -> Option<&Place> {
        match self {
            Self::Invalid { place, .. }
            | Self::UnknownKey { place, .. }
            | Self::Version { place, .. }
            | Self::MissingFrame { place, .. }
            | Self::AlteredFrame { place, .. } => Some(place),
            _ => None,
        }
    }

    pub(super) fn io(what: &'static str, path: impl Into<PathBuf>) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.into();
        move |source| Self::Io { what, path, source }
    }
}
