//! `simdrive instruct`: carries out what a sentence, or a file of them, says.

use std::io::Read;
use std::path::PathBuf;

use serde_json::{Map, json};

use crate::cli::{Settings, output};
use crate::exit::Exit;
use crate::operation::{Call, Operation, OperationError, instruct};

#[derive(Debug, clap::Args)]
pub struct InstructArgs {
    #[command(flatten)]
    settings: Settings,
    /// What to do, such as "tap Sign In then type hello into Email"
    #[arg(required_unless_present = "file", conflicts_with = "file")]
    text: Option<String>,
    /// Read it from a file, a command a line; `-` reads standard input
    #[arg(short, long, value_name = "FILE")]
    file: Option<PathBuf>,
    /// Print the plan, and do nothing
    #[arg(long)]
    dry_run: bool,
    /// After a step that fails
    #[arg(long, value_name = "WHAT", value_parser = ["stop", "continue"])]
    on_error: Option<String>,
    /// The language, where it is not to be found out
    #[arg(long, value_name = "LANGUAGE", value_parser = ["en", "es"])]
    language: Option<String>,
    /// Print one JSON document
    #[arg(long)]
    json: bool,
}

pub async fn run(args: InstructArgs) -> Exit {
    let json = args.json;
    match carry_out(args).await {
        Ok(exit) => exit,
        Err(error) => output::failed(&error, json),
    }
}

async fn carry_out(args: InstructArgs) -> Result<Exit, OperationError> {
    let text = match (args.text, args.file) {
        (Some(text), _) => text,
        (None, Some(file)) => read(&file)?,
        (None, None) => return Err(OperationError::invalid("say what to do, or name a file with -f")),
    };
    let context = args.settings.context()?;
    let language = args.language.as_deref().and_then(|name| serde_json::from_value(json!(name)).ok());
    let plan = instruct::planned(&text, language)?;
    let arguments = json!({
        "text": text, "dry_run": args.dry_run, "on_error": args.on_error, "language": args.language,
    });
    if !args.dry_run && instruct::needs_session(&plan) {
        let started = Operation::parse("session_start", Map::new())?.run(&context, &Call::default()).await?;
        for note in started.facts["notes"].as_array().into_iter().flatten().filter_map(|note| note.as_str()) {
            eprintln!("note: {note}");
        }
    }
    let exit = output::operate(&context, "instruct", arguments, args.json).await;
    context.close().await;
    Ok(exit)
}

fn read(file: &PathBuf) -> Result<String, OperationError> {
    let unreadable = |e| OperationError::invalid(format!("{} can't be read: {e}", file.display()));
    if file.as_os_str() != "-" {
        return std::fs::read_to_string(file).map_err(unreadable);
    }
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text).map_err(unreadable)?;
    Ok(text)
}
