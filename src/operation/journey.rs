//! Journeys: read for an agent, checked, and held against a device.

use std::path::{Path, PathBuf};
use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::journey::{self, Budget, JourneyError, Loaded};
use crate::operation::lifecycle::choose;
use crate::operation::{Call, Context, OperationError, Outcome, Run};
use crate::session::SessionStart;

#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct LoadJourney {
    path: PathBuf,
    /// File of another persona than its own
    persona: Option<PathBuf>,
}

impl Run for LoadJourney {
    fn deadline(&self) -> Duration {
        Duration::from_secs(20)
    }

    fn permitted(&self, context: &Context) -> Result<(), OperationError> {
        context.policy.admit_path(&self.path)?;
        self.persona.as_ref().map_or(Ok(()), |file| Ok(context.policy.admit_path(file)?))
    }

    async fn run(self, _: &Context, _: &Call) -> Result<Outcome, OperationError> {
        let loaded = journey::load(&self.path, self.persona.as_deref())?;
        Ok(Outcome::new(told(&loaded), facts(&self.path, &loaded)))
    }
}

fn told(Loaded { journey, persona, notes }: &Loaded) -> String {
    let Budget { steps, seconds, calls } = journey.budget;
    let mut lines = vec![format!("journey {}", journey.name)];
    lines.extend(journey.description.clone());
    lines.extend(
        [("app", &journey.app), ("device", &journey.device)]
            .into_iter()
            .filter_map(|(what, is)| Some(format!("{what} {}", is.as_ref()?))),
    );
    lines.extend(journey.goals.iter().map(|goal| format!("goal: {goal}")));
    lines.extend(journey.success.iter().map(|criterion| format!("must hold: {criterion}")));
    lines.push(format!("budget: {steps} acts, {seconds} s, {calls} calls of a model"));
    lines.extend(persona.as_ref().map(|persona| format!("act as {}", persona.told())));
    lines.extend(notes.iter().map(|note| format!("note: {note}")));
    lines.join("\n")
}

fn facts(path: &Path, Loaded { journey, persona, notes }: &Loaded) -> Value {
    json!({"path": path, "journey": journey, "persona": persona, "left_out": journey.left_out, "notes": notes})
}

/// Checks the journeys that paths name: files, or folders of them. All are checked, whatever is wrong with one.
///
/// # Errors
/// A path names nothing.
pub fn check(paths: &[PathBuf]) -> Result<Outcome, OperationError> {
    let mut files = Vec::new();
    for path in paths {
        let found = journeys_under(path);
        if found.is_empty() {
            let message = format!("{} holds no journey: no .yaml file outside of `personas`", path.display());
            return Err(OperationError::invalid(message));
        }
        files.extend(found);
    }
    let (mut lines, mut checked, mut failed) = (Vec::new(), Vec::new(), false);
    for file in files {
        match journey::load(&file, None) {
            Ok(loaded) => {
                let (goals, criteria) = (loaded.journey.goals.len(), loaded.journey.success.len());
                let name = &loaded.journey.name;
                lines.push(format!("ok {}: {name}, {goals} goals, {criteria} criteria", file.display()));
                lines.extend(loaded.notes.iter().map(|note| format!("   note: {note}")));
                checked.push(json!({"path": file, "valid": true, "name": name, "notes": loaded.notes}));
            }
            Err(error) => {
                failed = true;
                lines.push(format!("invalid {error}"));
                checked.push(json!({"path": file, "valid": false, "error": OperationError::from(error).to_json()["error"]}));
            }
        }
    }
    let facts = json!({"valid": !failed, "journeys": checked});
    Ok(Outcome { failed, ..Outcome::new(lines.join("\n"), facts) })
}

/// The file itself, or the YAML files of a folder and below it; personas are none.
fn journeys_under(path: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(path) else { return vec![path.to_owned()] };
    let mut below: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    below.sort();
    let is_yaml = |path: &Path| path.extension().is_some_and(|is| is == "yaml" || is == "yml");
    let is_other = |path: &Path| {
        path.file_name().is_none_or(|name| name == "personas" || name.to_string_lossy().starts_with('.'))
    };
    let below = below.into_iter().filter(|path| !is_other(path));
    below
        .flat_map(|path| match path.is_dir() {
            true => journeys_under(&path),
            false => Some(path).filter(|path| is_yaml(path)).into_iter().collect(),
        })
        .collect()
}

/// Where a journey is verified.
#[derive(Clone, Debug)]
pub enum VerifyOn {
    /// A device, its app as it is where it runs; the journey's own, or the one that is there, where none is named.
    Device(Option<String>),
    /// A session that a killed server left.
    Session(String),
}

/// Says of every criterion whether it holds now.
///
/// # Errors
/// The journey is none, or the device not to be had.
pub async fn verify(context: &Context, path: &Path, on: VerifyOn) -> Result<Outcome, OperationError> {
    let Loaded { journey, .. } = journey::load(path, None)?;
    let (id, session) = match &on {
        VerifyOn::Session(id) => (id.clone(), context.sessions.attach(id).await?),
        VerifyOn::Device(named) => {
            let named = named.as_deref().or(journey.device.as_deref());
            let (selector, _) = choose(named, journey.app.is_some(), context).await?;
            let start = SessionStart {
                app: journey.app.clone(),
                as_found: true,
                ..SessionStart::new(context.selector(&selector)?)
            };
            context.sessions.start(start, false).await?
        }
    };
    let verdicts = journey::verify(&journey, path, &session, &context.store).await;
    // a session that is gone on with stays for who goes on with it next
    if let VerifyOn::Device(_) = on
        && let Err(error) = context.sessions.end(Some(&id), false).await
    {
        tracing::warn!("ending the session: {error}");
    }
    let verdicts = verdicts?;
    let held = verdicts.iter().filter(|verdict| verdict.holds).count();
    let mut lines: Vec<String> = verdicts
        .iter()
        .map(|v| format!("{} {}: {}", if v.holds { "holds" } else { "fails" }, v.criterion, v.detail))
        .collect();
    lines.push(format!("{held} of {} hold: {}", verdicts.len(), journey.name));
    let failed = held < verdicts.len();
    let facts = json!({"journey": journey.name, "device": session.description().selector, "holds": !failed,
        "criteria": verdicts});
    Ok(Outcome { failed, ..Outcome::new(lines.join("\n"), facts) })
}

impl From<JourneyError> for OperationError {
    fn from(error: JourneyError) -> Self {
        let this = Self::new(error.code(), error.to_string())
            .with_detail("file", error.place.path.display().to_string());
        match error.place.line {
            Some(line) => this.with_detail("line", line),
            None => this,
        }
    }
}
