//! From YAML to a checked app; what is wrong is said with file, line and key.

use std::path::Path;

use serde_saphyr::Error;

use super::check;
use super::embedded::{EMBEDDED, embedded};
use super::screen::App;
use crate::sim::error::{SimError, closest};

/// Loads an app by the name of an embedded one or the path of a YAML file.
///
/// # Errors
/// [`SimError::UnknownApp`], [`SimError::Unreadable`], or as [`parse`].
pub fn load(name_or_path: &str) -> Result<App, SimError> {
    if let Some(yaml) = embedded(name_or_path) {
        return parse(yaml, &format!("fixtures/apps/{name_or_path}.yaml"));
    }
    let path = Path::new(name_or_path);
    if !path.exists() {
        let known = EMBEDDED.iter().map(|app| app.name.to_owned()).collect();
        return Err(SimError::UnknownApp { name: name_or_path.to_owned(), known });
    }
    let yaml = std::fs::read_to_string(path)
        .map_err(|e| SimError::Unreadable { file: name_or_path.to_owned(), reason: e.to_string() })?;
    parse(&yaml, name_or_path)
}

/// Reads and checks an app; `file` only names it in errors.
///
/// # Errors
/// [`SimError::App`] with the place of the first fault.
pub fn parse(yaml: &str, file: &str) -> Result<App, SimError> {
    let app: App = serde_saphyr::from_str(yaml).map_err(|e| located(&e, file))?;
    check::check(&app).map_err(|fault| SimError::App {
        file: file.to_owned(),
        line: fault.line,
        column: fault.column,
        message: fault.message,
    })?;
    Ok(app)
}

fn located(error: &Error, file: &str) -> SimError {
    let error = error.without_snippet();
    let location = error.location();
    SimError::App {
        file: file.to_owned(),
        line: location.map_or(0, |l| l.line()),
        column: location.map_or(0, |l| l.column()),
        message: match error {
            Error::SerdeUnknownField { field, expected, .. } => unknown("key", field, expected),
            Error::SerdeUnknownVariant { variant, expected, .. } => unknown("word", variant, expected),
            other => message(other),
        },
    }
}

fn unknown(what: &str, name: &str, expected: &[&str]) -> String {
    let hint = closest(name, expected.iter().copied())
        .map_or_else(String::new, |n| format!(", did you mean `{n}`?"));
    format!("unknown {what} `{name}`{hint} (known: {})", expected.join(", "))
}

/// The error's own sentence, without its place.
fn message(error: &Error) -> String {
    let text = error.to_string();
    match text.split_once(": ") {
        Some((place, rest)) if place.contains("line ") && place.len() < 40 => rest.to_owned(),
        _ => text,
    }
}
