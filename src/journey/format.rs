//! The file of a journey. Uses `criterion`, `original` for files of the original SimDrive.

use std::fmt;
use std::path::Path;

use schemars::JsonSchema;
use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};

use super::error::{parse, text_of};
use super::{Criterion, JourneyError, Result, original};

/// The version that this build reads.
pub const SCHEMA: &str = "simdrive.journey/1";

/// Goals, who goes for them, what they may cost, and how it is told that they were reached.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Journey {
    /// Always `simdrive.journey/1`.
    pub schema: String,
    pub name: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// What is to be reached, in words for an agent; at least one.
    pub goals: Vec<String>,
    /// Who does it: the name of a file in `personas` beside this one, without `.yaml`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub persona: Option<String>,
    /// Bundle id of the app.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub app: Option<String>,
    /// Selector of the device.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub device: Option<String>,
    #[serde(default)]
    pub budget: Budget,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// What must all hold in the end; at least one.
    pub success: Vec<Criterion>,
    /// What a file of the original says and nothing here stands for.
    #[serde(skip)]
    pub left_out: Vec<LeftOut>,
}

/// What a journey may cost, at most.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Budget {
    /// Acts on the device. Default 30.
    #[schemars(range(min = 1))]
    pub steps: u32,
    /// Default 180.
    #[schemars(range(min = 1))]
    pub seconds: u32,
    /// Calls of a model. Default 40.
    #[schemars(range(min = 1))]
    pub calls: u32,
}

impl Default for Budget {
    fn default() -> Self {
        Self { steps: 30, seconds: 180, calls: 40 }
    }
}

/// A part of an original journey that is not carried over.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LeftOut {
    /// From 1.
    pub line: Option<u64>,
    pub key: String,
    pub why: String,
    /// A criterion that can't be told: a journey that has one is never seen to succeed.
    pub is_criterion: bool,
}

impl fmt::Display for LeftOut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let line = self.line.map_or_else(String::new, |line| format!("line {line}: "));
        write!(f, "{line}`{}` is left out: {}", self.key, self.why)
    }
}

/// What tells whose file it is.
#[derive(Deserialize)]
struct Versions {
    schema: Option<String>,
    schema_version: Option<IgnoredAny>,
}

impl Journey {
    /// # Errors
    /// The file can't be read, or is no journey.
    pub fn read(path: &Path) -> Result<Self> {
        Self::parse(path, &text_of(path)?)
    }

    pub fn parse(path: &Path, text: &str) -> Result<Self> {
        let versions: Versions = parse(path, text)?;
        let journey = match (versions.schema.as_deref(), versions.schema_version) {
            (Some(SCHEMA), _) => parse(path, text)?,
            (Some(other), _) => {
                let message = format!("`schema` is `{other}`; this simdrive reads `{SCHEMA}`");
                return Err(JourneyError::new(path, line_of(text, "schema:"), message));
            }
            (None, Some(_)) => original::read(path, text)?,
            (None, None) => {
                return Err(JourneyError::new(
                    path,
                    None,
                    format!("the key `schema` is missing: `{SCHEMA}`"),
                ));
            }
        };
        match journey.problem() {
            Some((key, problem)) => {
                let line = line_of(text, &format!("{key}:"));
                Err(JourneyError::new(path, line, format!("`{key}` {problem}")))
            }
            None => Ok(journey),
        }
    }

    /// The key and what is wrong with it.
    fn problem(&self) -> Option<(&'static str, &'static str)> {
        let Budget { steps, seconds, calls } = self.budget;
        let is_blank = |text: &String| text.trim().is_empty();
        if is_blank(&self.name) {
            Some(("name", "is empty"))
        } else if self.goals.is_empty() || self.goals.iter().any(is_blank) {
            Some(("goals", "needs at least one goal, and none may be empty"))
        } else if self.success.is_empty() && !self.left_out.iter().any(|left| left.is_criterion) {
            Some(("success", "needs at least one criterion"))
        } else if [steps, seconds, calls].contains(&0) {
            Some(("budget", "must be 1 at least, in each of `steps`, `seconds` and `calls`"))
        } else {
            None
        }
    }
}

/// Where a key of the file itself stands.
pub(super) fn line_of(text: &str, key: &str) -> Option<u64> {
    text.lines().zip(1..).find(|(line, _)| line.starts_with(key)).map(|(_, number)| number)
}
