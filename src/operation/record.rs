//! Recordings: their making, which there are, whether they are whole.

use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::operation::lifecycle::finished_line;
use crate::operation::{Call, Context, OperationError, Outcome, Run, allow};
use crate::recording::{self, Finding, Finished, Listed, RecordOptions};
use crate::session::SessionError;
use crate::vision::mask::Mask;

/// A mask as a tool takes it: one of name, label, role, or all of x, y, width and height.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
struct MaskArguments {
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    label: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    role: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    x: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    y: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    width: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    height: Option<f64>,
}

impl MaskArguments {
    /// The mask, by the rules of the recording's own format.
    fn mask(self, place: usize) -> Result<Mask, OperationError> {
        serde_json::to_value(self).and_then(serde_json::from_value).map_err(|e| {
            OperationError::invalid(format!("`masks[{place}]`: {e}")).with_detail("argument", "masks")
        })
    }
}

#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct RecordStart {
    session: Option<String>,
    /// a-z, 0-9, - _ .
    name: String,
    description: Option<String>,
    tags: Option<Vec<String>>,
    /// What replay leaves out: each {name: status-bar, caret, scroll-indicator, home-indicator or keyboard}, {label}, {role}, or {x, y, width, height}
    masks: Option<Vec<MaskArguments>>,
}

impl Run for RecordStart {
    fn permitted(&self, context: &Context) -> Result<(), OperationError> {
        allow::named(context, &self.name)
    }

    async fn run(self, context: &Context, call: &Call) -> Result<Outcome, OperationError> {
        let (id, session) = context.sessions.get(self.session.as_deref())?;
        let masks = self.masks.unwrap_or_default().into_iter().enumerate();
        let options = RecordOptions {
            name: self.name,
            description: self.description,
            tags: self.tags.unwrap_or_default(),
            masks: masks.map(|(i, mask)| mask.mask(i)).collect::<Result<_, _>>()?,
        };
        let starting = session.start_recording(&context.store, options);
        let (status, warnings) = call.telling("starting", None, starting).await?;
        let mut text = format!("recording {} into {}", status.name, status.path.display());
        for warning in &warnings {
            text += &format!("\nwarning: {warning}");
        }
        Ok(Outcome::new(text, json!({"session": id, "recording": status, "warnings": warnings})))
    }
}

#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct RecordStop {
    session: Option<String>,
    /// Keep nothing
    discard: Option<bool>,
    /// One that a broken-off server left unfinished
    name: Option<String>,
}

impl Run for RecordStop {
    fn permitted(&self, context: &Context) -> Result<(), OperationError> {
        self.name.as_ref().map_or(Ok(()), |name| allow::named(context, name))
    }

    async fn run(self, context: &Context, call: &Call) -> Result<Outcome, OperationError> {
        let discard = self.discard.unwrap_or(false);
        if let Some(name) = &self.name {
            return left_unfinished(context, Some(name), discard);
        }
        let stopped = match context.sessions.get(self.session.as_deref()) {
            Ok((_, session)) => call.telling("finishing", None, session.stop_recording(discard)).await,
            Err(error) => Err(error),
        };
        match stopped {
            Ok(finished) => Ok(stopped_outcome(finished)),
            // nothing goes on in this server: perhaps an earlier one was broken off
            Err(SessionError::NotRecording | SessionError::NoneOpen)
                if self.session.is_none() && !context.store.unfinished().is_empty() =>
            {
                left_unfinished(context, None, discard)
            }
            Err(error) => Err(error.into()),
        }
    }
}

fn left_unfinished(context: &Context, name: Option<&str>, discard: bool) -> Result<Outcome, OperationError> {
    if discard {
        context.store.discard(name)?;
        return Ok(stopped_outcome(None));
    }
    Ok(stopped_outcome(Some(context.store.finish(name)?)))
}

fn stopped_outcome(finished: Option<Finished>) -> Outcome {
    let text = finished.as_ref().map_or_else(|| "the recording was discarded".to_owned(), finished_line);
    Outcome::new(text, json!({"recording": finished}))
}

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
pub(crate) fn recording_of(name: Option<String>, path: Option<String>) -> Result<String, OperationError> {
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
    fn permitted(&self, context: &Context) -> Result<(), OperationError> {
        allow::recording(context, &recording_of(self.name.clone(), self.path.clone())?)
    }

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
