//! `simdrive recordings`: which there are, what one holds, whether one is whole.

use clap::Subcommand;
use serde_json::json;

use crate::cli::{Settings, output};
use crate::exit::Exit;
use crate::operation::OperationError;

#[derive(Debug, clap::Args)]
pub struct RecordingsArgs {
    #[command(subcommand)]
    command: RecordingsCommand,
}

#[derive(Debug, Subcommand)]
enum RecordingsCommand {
    /// List the recordings of the folder
    List {
        #[command(flatten)]
        settings: Settings,
        /// Only those that carry this tag
        #[arg(long)]
        tag: Option<String>,
        /// Print one JSON document
        #[arg(long)]
        json: bool,
    },
    /// Print what a recording holds
    Show {
        #[command(flatten)]
        settings: Settings,
        /// Name or folder
        recording: String,
        /// Print one JSON document
        #[arg(long)]
        json: bool,
    },
    /// Check that a recording is whole and can be replayed
    Validate {
        #[command(flatten)]
        settings: Settings,
        /// Name or folder
        recording: String,
        /// Print one JSON document
        #[arg(long)]
        json: bool,
    },
}

pub async fn run(args: RecordingsArgs) -> Exit {
    match args.command {
        RecordingsCommand::List { settings, tag, json } => {
            operate(settings, "list_replays", json!({"tag": tag}), json).await
        }
        RecordingsCommand::Validate { settings, recording, json } => {
            let by = if recording.contains('/') || std::path::Path::new(&recording).is_dir() {
                "path"
            } else {
                "name"
            };
            operate(settings, "validate_replay", json!({by: recording}), json).await
        }
        RecordingsCommand::Show { settings, recording, json } => match show(settings, &recording, json) {
            Ok(()) => Exit::Success,
            Err(error) => output::failed(&error, json),
        },
    }
}

async fn operate(settings: Settings, name: &str, arguments: serde_json::Value, json: bool) -> Exit {
    match settings.context() {
        Ok(context) => output::operate(&context, name, arguments, json).await,
        Err(error) => output::failed(&error, json),
    }
}

fn show(settings: Settings, recording: &str, json: bool) -> Result<(), OperationError> {
    let loaded = settings.context()?.store.find(recording)?;
    if json {
        let document = serde_json::to_value(&loaded.recording);
        output::print_json(&document.map_err(|e| OperationError::internal(e.to_string()))?);
    } else {
        let text = std::fs::read_to_string(loaded.file());
        output::print_line(text.map_err(|e| OperationError::invalid(e.to_string()))?.trim_end());
    }
    Ok(())
}
