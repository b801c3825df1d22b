//! What can be wrong with a journey. Uses `code`, and how `recording` reads YAML.

use std::path::Path;

use serde::de::DeserializeOwned;

use crate::code::ErrorCode;
use crate::recording::Place;
use crate::recording::yaml::{self, YamlError};

/// Larger files are refused unread.
const MAX_BYTES: u64 = 1 << 20;

/// Why a journey or a persona can't be had.
#[derive(Debug, thiserror::Error)]
#[error("{place}: {message}")]
pub struct JourneyError {
    pub place: Place,
    pub message: String,
}

impl JourneyError {
    pub fn new(path: &Path, line: Option<u64>, message: impl Into<String>) -> Self {
        Self { place: Place { path: path.into(), line, step: None }, message: message.into() }
    }

    pub fn code(&self) -> ErrorCode {
        ErrorCode::InvalidArgument
    }
}

/// The text of a file that is not too long to be one of these.
pub(super) fn text_of(path: &Path) -> Result<String, JourneyError> {
    let unreadable = |e: std::io::Error| JourneyError::new(path, None, format!("it can't be read: {e}"));
    let length = std::fs::metadata(path).map_err(unreadable)?.len();
    if length > MAX_BYTES {
        let message = format!("the file has {length} bytes; at most {MAX_BYTES} are read");
        return Err(JourneyError::new(path, None, message));
    }
    std::fs::read_to_string(path).map_err(unreadable)
}

pub(super) fn parse<T: DeserializeOwned>(path: &Path, text: &str) -> Result<T, JourneyError> {
    yaml::parse(text).map_err(|YamlError { line, message, .. }| JourneyError::new(path, line, message))
}
