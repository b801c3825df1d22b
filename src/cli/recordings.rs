//! `simdrive recordings`: which there are, what one holds, whether one is whole; other steps, another name, none.

use std::io::{IsTerminal, Write};

use clap::Subcommand;
use serde_json::json;

use crate::cli::{Settings, output};
use crate::code::ErrorCode;
use crate::exit::Exit;
use crate::operation::{OperationError, Outcome};

#[derive(Debug, clap::Args)]
pub struct RecordingsArgs {
    #[command(subcommand)]
    command: RecordingsCommand,
}

/// What every one of them can be told.
#[derive(Debug, clap::Args)]
struct Common {
    #[command(flatten)]
    settings: Settings,
    /// Print one JSON document
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Subcommand)]
enum RecordingsCommand {
    /// List the recordings of the folder
    List {
        #[command(flatten)]
        common: Common,
        /// Only those that carry this tag
        #[arg(long)]
        tag: Option<String>,
    },
    /// Print what a recording holds
    Show {
        #[command(flatten)]
        common: Common,
        /// Name or folder
        recording: String,
    },
    /// Check that a recording is whole and can be replayed
    #[command(visible_alias = "check")]
    Validate {
        #[command(flatten)]
        common: Common,
        /// Name or folder
        recording: String,
    },
    /// Keep only some steps of a recording, and their frames
    Trim {
        #[command(flatten)]
        common: Common,
        name: String,
        /// First step to keep, from 1
        #[arg(long, value_name = "N", required_unless_present = "to")]
        from: Option<usize>,
        /// Last step to keep
        #[arg(long, value_name = "M")]
        to: Option<usize>,
    },
    /// Give a recording another name
    Rename {
        #[command(flatten)]
        common: Common,
        old: String,
        new: String,
    },
    /// Delete a recording
    Rm {
        #[command(flatten)]
        common: Common,
        name: String,
        /// Don't ask
        #[arg(long)]
        yes: bool,
    },
}

pub async fn run(args: RecordingsArgs) -> Exit {
    match args.command {
        RecordingsCommand::List { common, tag } => operate(common, "list_replays", json!({"tag": tag})).await,
        RecordingsCommand::Validate { common, recording } => {
            let by = if recording.contains('/') || std::path::Path::new(&recording).is_dir() {
                "path"
            } else {
                "name"
            };
            operate(common, "validate_replay", json!({by: recording})).await
        }
        RecordingsCommand::Show { common, recording } => finished(common, |it| show(it, &recording)),
        RecordingsCommand::Trim { common, name, from, to } => {
            finished(common, |it| trim(it, &name, from, to))
        }
        RecordingsCommand::Rename { common, old, new } => finished(common, |it| rename(it, &old, &new)),
        RecordingsCommand::Rm { common, name, yes } => finished(common, |it| remove(it, &name, yes)),
    }
}

async fn operate(Common { settings, json }: Common, name: &str, arguments: serde_json::Value) -> Exit {
    match settings.context() {
        Ok(context) => output::operate(&context, name, arguments, json).await,
        Err(error) => output::failed(&error, json),
    }
}

fn finished(
    Common { settings, json }: Common,
    work: impl FnOnce(Settings) -> Result<Outcome, OperationError>,
) -> Exit {
    match work(settings) {
        Ok(outcome) => output::finished(&outcome, json),
        Err(error) => output::failed(&error, json),
    }
}

fn show(settings: Settings, recording: &str) -> Result<Outcome, OperationError> {
    let loaded = settings.context()?.store.find(recording)?;
    let document = serde_json::to_value(&loaded.recording);
    let text = std::fs::read_to_string(loaded.file());
    Ok(Outcome::new(
        text.map_err(|e| OperationError::invalid(e.to_string()))?.trim_end(),
        document.map_err(|e| OperationError::internal(e.to_string()))?,
    ))
}

fn trim(
    settings: Settings,
    name: &str,
    from: Option<usize>,
    to: Option<usize>,
) -> Result<Outcome, OperationError> {
    let trimmed = settings.context()?.store.trim(name, from, to)?;
    let mut text = format!("{name}: {} steps kept, {} removed", trimmed.kept, trimmed.removed);
    for warning in &trimmed.warnings {
        text += &format!("\nwarning: {warning}");
    }
    Ok(Outcome::new(text, json!(trimmed)))
}

fn rename(settings: Settings, old: &str, new: &str) -> Result<Outcome, OperationError> {
    let path = settings.context()?.store.rename(old, new)?;
    Ok(Outcome::new(format!("{old} is now {}", path.display()), json!({"name": new, "path": path})))
}

fn remove(settings: Settings, name: &str, yes: bool) -> Result<Outcome, OperationError> {
    let store = settings.context()?.store;
    let path = store.existing(name)?;
    if !yes && !agreed(&format!("delete {}?", path.display()))? {
        return Ok(Outcome::new(
            "nothing was deleted",
            json!({"name": name, "path": path, "deleted": false}),
        ));
    }
    let path = store.remove(name)?;
    let text = format!("deleted {}", path.display());
    Ok(Outcome::new(text, json!({"name": name, "path": path, "deleted": true})))
}

/// Asks whoever sits at the terminal; where nobody does, nobody agrees.
fn agreed(question: &str) -> Result<bool, OperationError> {
    let refused = |message: &str| {
        let error = OperationError::new(ErrorCode::ConfirmationRequired, message);
        error.with_hint("nothing was deleted; pass --yes")
    };
    if !std::io::stdin().is_terminal() {
        return Err(refused("deleting a recording needs to be confirmed"));
    }
    eprint!("{question} [y/N] ");
    let mut answer = String::new();
    let read = std::io::stderr().flush().and_then(|()| std::io::stdin().read_line(&mut answer));
    read.map_err(|e| refused(&format!("no answer could be read: {e}")))?;
    Ok(matches!(answer.trim(), "y" | "Y" | "yes"))
}
