//! Reading and writing YAML for people: errors with their line, short mappings on one line. Uses `serde-saphyr`.

use std::path::Path;

use serde::de::DeserializeOwned;
use serde::{Serialize, Serializer};
use serde_saphyr::{Error, FlowMap, FlowSeq};

use super::{Place, RecordingError, Result};

/// Written on one line: `{by: label, label: Sign In}`.
pub(super) fn flow<T: Serialize, S: Serializer>(
    value: &T,
    serializer: S,
) -> std::result::Result<S::Ok, S::Error> {
    FlowMap(value).serialize(serializer)
}

/// Written on one line: `[smoke, checkout]`.
pub(super) fn flow_list<T: Serialize, S: Serializer>(
    value: &Vec<T>,
    serializer: S,
) -> std::result::Result<S::Ok, S::Error> {
    FlowSeq(value).serialize(serializer)
}

pub(super) fn flow_option<T: Serialize, S: Serializer>(
    value: &Option<T>,
    serializer: S,
) -> std::result::Result<S::Ok, S::Error> {
    match value {
        Some(value) => flow(value, serializer),
        None => serializer.serialize_none(),
    }
}

/// The known word closest to a wrong one; the first where nothing is close.
pub(crate) fn nearest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> &'a str {
    known.into_iter().min_by_key(|k| strsim::damerau_levenshtein(word, k)).unwrap_or_default()
}

/// What is wrong with a YAML text, and in which line.
#[derive(Debug)]
pub(crate) struct YamlError {
    /// From 1.
    pub line: Option<u64>,
    /// The key that is not known, where that is what is wrong.
    pub unknown_key: Option<String>,
    pub message: String,
}

/// Reads a text whose file the caller knows.
pub(crate) fn parse<T: DeserializeOwned>(text: &str) -> std::result::Result<T, YamlError> {
    let options = serde_saphyr::options! { with_snippet: false };
    serde_saphyr::from_str_with_options(text, options).map_err(|e| {
        let error = e.without_snippet();
        let unknown_key = match error {
            Error::SerdeUnknownField { field, .. } => Some(field.clone()),
            _ => None,
        };
        YamlError { line: error.location().map(|l| l.line()), unknown_key, message: message(error) }
    })
}

pub(super) fn read<T: DeserializeOwned>(path: &Path, text: &str) -> Result<T> {
    parse(text).map_err(|YamlError { line, unknown_key, message }| {
        let place = Place { path: path.into(), line, step: None };
        match unknown_key {
            Some(key) => RecordingError::UnknownKey { place, key, message },
            None => RecordingError::Invalid { place, message },
        }
    })
}

pub(super) fn write<T: Serialize>(path: &Path, value: &T) -> Result<String> {
    let options = serde_saphyr::ser_options! {
        prefer_block_scalars: false,
        compact_list_indent: false,
        // our own reader follows 1.2; quotes that only older ones need would be noise in reviews
        yaml_12: true,
        no_lang_directive: true,
    };
    serde_saphyr::to_string_with_options(value, options)
        .map_err(|e| RecordingError::Invalid { place: Place::file(path), message: e.to_string() })
}

fn message(error: &Error) -> String {
    match error {
        Error::SerdeUnknownField { field, .. } if matches!(field.as_str(), "variants" | "bands") => {
            format!("`{field}` is reserved for a later version of the format and can't be used yet")
        }
        Error::SerdeUnknownField { field, expected, .. } => {
            format!("unknown key `{field}`; did you mean `{}`?", nearest(field, expected.iter().copied()))
        }
        Error::SerdeUnknownVariant { variant, expected, .. } => {
            format!(
                "`{variant}` is not known here; did you mean `{}`?",
                nearest(variant, expected.iter().copied())
            )
        }
        Error::SerdeMissingField { field, .. } => format!("the key `{field}` is missing"),
        Error::SerdeInvalidType { unexpected, expected, .. } => {
            format!("found {unexpected} where {expected} is expected")
        }
        Error::ExpectedMappingEndAfterEnumVariantValue { .. } => {
            "one entry holds one key; begin the next one with `- `".to_owned()
        }
        Error::Message { msg, .. } => msg.to_string(),
        other => {
            let text = other.to_string();
            text.lines().next().unwrap_or_default().to_owned()
        }
    }
}
