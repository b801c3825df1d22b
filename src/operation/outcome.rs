//! What an operation answers: words a model reads, facts a script reads, and a picture where there is one.

use serde_json::Value;

/// A picture ready to be sent.
#[derive(Clone, Debug, PartialEq)]
pub struct Picture {
    pub bytes: Vec<u8>,
    /// Such as `image/jpeg`.
    pub media_type: &'static str,
}

/// The answer to an operation that went well.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Outcome {
    /// Compact text, a line for each thing.
    pub text: String,
    /// The same as JSON, for `--json`.
    pub facts: Value,
    pub picture: Option<Picture>,
    /// The operation ran, and what it checked does not hold (a replay that drifted): an error to an agent,
    /// exit code 1 on the command line.
    pub failed: bool,
}

impl Outcome {
    pub fn new(text: impl Into<String>, facts: Value) -> Self {
        Self { text: text.into(), facts, picture: None, failed: false }
    }
}
