//! Bringing recordings up to this version, and handing them on.

use std::path::{Path, PathBuf};
use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::observe::ModelVision;
use crate::operation::record::recording_of;
use crate::operation::{Call, Context, OperationError, Outcome, Run, allow};
use crate::policy::Mode;
use crate::recording::maestro::{self, Flow};
use crate::recording::migrate::{From, Plan, plan};
use crate::recording::{RecordingError, Store};

/// How recordings are migrated.
#[derive(Clone, Copy, Debug, Default)]
pub struct MigrateOptions {
    /// Show what would change, and write nothing.
    pub dry_run: bool,
    /// Also where another recording has the name that one becomes.
    pub force: bool,
}

#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct MigrateRecording {
    name: Option<String>,
    /// Folder of the recording
    path: Option<String>,
    /// Only shows the difference
    dry_run: Option<bool>,
    /// Replaces another recording of that name
    force: Option<bool>,
}

impl Run for MigrateRecording {
    fn deadline(&self) -> Duration {
        // every frame of an original is read
        Duration::from_secs(900)
    }

    fn needs(&self) -> Mode {
        if self.dry_run == Some(true) { Mode::Observe } else { Mode::Interact }
    }

    fn permitted(&self, context: &Context) -> Result<(), OperationError> {
        allow::recording(context, &recording_of(self.name.clone(), self.path.clone())?)
    }

    async fn run(self, context: &Context, call: &Call) -> Result<Outcome, OperationError> {
        let which = recording_of(self.name, self.path)?;
        let options =
            MigrateOptions { dry_run: self.dry_run.unwrap_or(false), force: self.force.unwrap_or(false) };
        migrate(&context.store, &[which], options, call).await
    }
}

/// Migrates what names and paths mean, one after the other. What can't be migrated keeps no other from it, and fails
/// the whole in the end.
///
/// # Errors
/// A name or path means nothing, or the only recording can't be migrated.
pub async fn migrate(
    store: &Store,
    which: &[String],
    options: MigrateOptions,
    call: &Call,
) -> Result<Outcome, OperationError> {
    let mut folders: Vec<PathBuf> = Vec::new();
    for name in which {
        for folder in store.folders(name)? {
            if !folders.contains(&folder) {
                folders.push(folder);
            }
        }
    }
    let (total, mut told, mut facts, mut failed) = (folders.len(), Vec::new(), Vec::new(), false);
    for (i, folder) in folders.into_iter().enumerate() {
        if call.cancellation.is_cancelled() {
            return Err(OperationError::cancelled("migrating"));
        }
        call.progress(i as f64, Some(total as f64), &folder.display().to_string());
        let shown = folder.display().to_string();
        let one = tokio::task::spawn_blocking(move || one(&folder, options));
        match one.await.map_err(|e| OperationError::internal(e.to_string()))? {
            Ok((text, fact)) => {
                told.push(text);
                facts.push(fact);
            }
            Err(error) if total == 1 => return Err(refused(error)),
            Err(error) => {
                failed = true;
                let error = refused(error);
                told.push(format!("error {}: {error}", error.code));
                facts.push(json!({"source": shown, "error": error.to_json()["error"]}));
            }
        }
    }
    let facts = json!({"dry_run": options.dry_run, "recordings": facts});
    Ok(Outcome { failed, ..Outcome::new(told.join("\n"), facts) })
}

fn refused(error: RecordingError) -> OperationError {
    let is_taken = matches!(error, RecordingError::Exists { .. });
    let error = OperationError::from(error);
    if is_taken {
        return error.with_hint("with force it is replaced; backups of both stay beside it");
    }
    error
}

fn one(folder: &Path, options: MigrateOptions) -> Result<(String, Value), RecordingError> {
    let vision = || -> Result<Box<dyn crate::observe::Vision>, RecordingError> {
        Ok(Box::new(ModelVision::new().map_err(RecordingError::Unseen)?))
    };
    let plan = plan(folder, vision)?;
    let (mut backups, mut diff) = (Vec::new(), None);
    if options.dry_run {
        plan.check_target(options.force)?;
        diff = Some(plan.diff());
    } else {
        backups = plan.carry_out(options.force)?;
    }
    let written = !options.dry_run && plan.from != From::Newest;
    let facts = json!({"name": plan.name(), "source": plan.source, "path": plan.target, "from": plan.from,
        "steps": plan.steps, "written": written, "backups": backups, "notes": plan.notes, "diff": diff});
    Ok((told(&plan, &backups, diff.as_deref()), facts))
}

fn told(plan: &Plan, backups: &[PathBuf], diff: Option<&str>) -> String {
    let mut lines = vec![plan.told()];
    if plan.from != From::Newest {
        lines.extend(plan.notes.iter().map(|note| format!("note {note}")));
        match diff {
            Some(diff) => lines.extend([diff.trim_end().to_owned(), "nothing was written".to_owned()]),
            None => lines.push(format!("written to {}", plan.target.display())),
        }
    }
    lines.extend(backups.iter().map(|backup| format!("backup {}", backup.display())));
    lines.join("\n")
}

/// A recording as a flow of Maestro.
///
/// # Errors
/// There is no such recording, or it can't be read.
pub fn export_maestro(store: &Store, name_or_path: &str) -> Result<Flow, OperationError> {
    Ok(maestro::flow(&store.find(name_or_path)?.recording))
}
