//! Whether a recording can be replayed, and what to do where not. Uses `lint`, whose findings it tells.

use std::collections::BTreeSet;
use std::convert::Infallible;
use std::path::Path;

use serde::Serialize;

use super::lint::{self, Rule, check_integrity};
use super::variables::{map_texts, names};
use super::{Check, Recording, StepBody};
use crate::act::Action;
use crate::act::action::TypedText;
use crate::code::ErrorCode;

/// One thing that is wrong, or worth knowing.
#[derive(Clone, Debug, Serialize)]
pub struct Finding {
    pub code: ErrorCode,
    /// What lint calls it.
    pub rule: Rule,
    pub message: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub step: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u64>,
}

impl Finding {
    fn of(found: lint::Finding) -> Self {
        let lint::Finding { code: rule, file, line, step, message, fix, .. } = found;
        let code = match rule {
            Rule::SchemaVersion => ErrorCode::RecordingVersion,
            _ => ErrorCode::RecordingInvalid,
        };
        let message = if rule.stops_replay() {
            // told by itself where a replay is refused
            let line = line.map_or_else(String::new, |line| format!(":{line}"));
            let step = step.map_or_else(String::new, |step| format!(" (step {step})"));
            format!("{}{line}{step}: {message}; {fix}", file.display())
        } else {
            format!("{message}; {fix}")
        };
        Self { code, rule, message, step, line }
    }
}

/// With no errors, the recording can be replayed.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Validation {
    pub errors: Vec<Finding>,
    pub warnings: Vec<Finding>,
    /// How many steps could be read.
    pub steps: usize,
    /// Variables and secrets that a replay needs.
    pub needs: Vec<String>,
}

impl Validation {
    pub fn is_valid(&self) -> bool {
        self.errors.is_empty()
    }
}

/// Checks the recording in this folder: its file, every frame, and what a replay would need.
/// A folder whose recording was broken off is valid up to its last complete step.
pub fn validate(dir: &Path) -> Validation {
    let mut validation = Validation::default();
    let checked = check_integrity::<Infallible>(dir, &mut |_, _, _| Ok(()));
    let (loaded, found) = match checked {
        Ok(checked) => checked,
        Err(never) => match never {},
    };
    let findings = found.into_list(true).into_iter();
    let (errors, warnings): (Vec<_>, Vec<_>) = findings.partition(|found| found.code.stops_replay());
    validation.errors = errors.into_iter().map(Finding::of).collect();
    validation.warnings = warnings.into_iter().map(Finding::of).collect();
    if let Some(loaded) = loaded {
        validation.steps = loaded.recording.steps.len();
        validation.needs = needs(&loaded.recording).into_iter().collect();
    }
    validation
}

/// The names of variables and secrets that the steps use.
fn needs(recording: &Recording) -> BTreeSet<String> {
    let mut needed = BTreeSet::new();
    for step in &recording.steps {
        match &step.body {
            StepBody::Act(action) => {
                if let Action::TypeText { text: TypedText::Secret(name), .. } = &**action {
                    needed.insert(name.clone());
                }
                let gathered = map_texts((**action).clone(), |text| {
                    needed.extend(names(&text).map(str::to_owned));
                    Ok::<_, Infallible>(text)
                });
                match gathered {
                    Ok(_) => {}
                    Err(never) => match never {},
                }
            }
            StepBody::Check(Check { label, value, .. }) => {
                for text in [label, value].into_iter().flatten() {
                    needed.extend(names(text).map(str::to_owned));
                }
            }
        }
    }
    needed
}
