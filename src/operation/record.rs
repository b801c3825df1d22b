//! Recordings: which there are, whether they are whole.

use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use crate::operation::{Call, Context, OperationError, Outcome, Run};
use crate::recording::{self, Finding, Listed};

#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct ListReplays {
    /// Only those that carry it
    tag: Option<String>,
}

impl Run for ListReplays {
    async fn run(self, context: &Context, _: &Call) -> Result<Outcome, OperationError> {
        let listed = context.store.list(self.tag.as_deref());
        let folder = context.store.root().display().to_string();
        let mut lines = vec![format!("{} recordings in {folder}", listed.len())];
        lines.extend(listed.iter().map(line));
        Ok(Outcome::new(lines.join("\n"), json!({"folder": folder, "recordings": listed})))
    }
}

fn line(listed: &Listed) -> String {
    let mut line = format!("{}  {} steps", listed.name, listed.steps);
    if !listed.tags.is_empty() {
        line += &format!("  [{}]", listed.tags.join(", "));
    }
    if listed.unfinished {
        line += "  never finished: record_stop finishes it";
    }
    match (&listed.problem, &listed.description) {
        (Some(problem), _) => line += &format!("  can't be read: {problem}"),
        (None, Some(description)) => line += &format!("  {description}"),
        (None, None) => {}
    }
    line
}

/// A recording by its name or its path: exactly one.
fn recording_of(name: Option<String>, path: Option<String>) -> Result<String, OperationError> {
    match (name, path) {
        (Some(name), None) if !name.contains(['/', '\\']) => Ok(name),
        (Some(name), None) => {
            Err(OperationError::invalid(format!("`name` is no path; use `path` for {name:?}")))
        }
        (None, Some(path)) if Path::new(&path).is_absolute() => Ok(path),
        (None, Some(path)) => Ok(Path::new(".").join(path).display().to_string()),
        _ => Err(OperationError::invalid("give exactly one of `name` and `path`")),
    }
}

#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct ValidateReplay {
    name: Option<String>,
    /// Folder of the recording
    path: Option<String>,
}

impl Run for ValidateReplay {
    async fn run(self, context: &Context, _: &Call) -> Result<Outcome, OperationError> {
        let which = recording_of(self.name, self.path)?;
        let folder: PathBuf = match context.store.find(&which) {
            Ok(loaded) => loaded.dir,
            // one that can't be read is there all the same
            Err(error) => match context.store.list(None).into_iter().find(|l| l.name == which) {
                Some(listed) => listed.path,
                None if Path::new(&which).join("recording.yaml").is_file() => PathBuf::from(&which),
                None => return Err(error.into()),
            },
        };
        let checked = tokio::task::spawn_blocking({
            let folder = folder.clone();
            move || recording::validate(&folder)
        });
        let validation = checked.await.map_err(|e| OperationError::internal(e.to_string()))?;
        let verdict = if validation.is_valid() { "valid" } else { "not valid" };
        let mut lines = vec![format!("{verdict}: {}, {} steps", folder.display(), validation.steps)];
        if !validation.needs.is_empty() {
            lines.push(format!("needs {}", validation.needs.join(", ")));
        }
        lines.extend(validation.errors.iter().map(|finding| finding_line("error", finding)));
        lines.extend(validation.warnings.iter().map(|finding| finding_line("warning", finding)));
        let facts = json!({"valid": validation.is_valid(), "path": folder, "validation": validation});
        Ok(Outcome { failed: !validation.is_valid(), ..Outcome::new(lines.join("\n"), facts) })
    }
}

fn finding_line(severity: &str, finding: &Finding) -> String {
    let step = finding.step.map_or_else(String::new, |step| format!("step {step}: "));
    format!("{severity} {}: {step}{}", finding.code, finding.message)
}
