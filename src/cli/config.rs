//! `simdrive config`: what simdrive goes by, and where each value comes from.

use clap::Subcommand;
use serde_json::{Value, json};

use super::governed::PolicyArgs;
use super::{Settings, output};
use crate::config::{self, Entry};
use crate::exit::Exit;
use crate::operation::OperationError;

#[derive(Debug, clap::Args)]
pub struct ConfigArgs {
    #[command(subcommand)]
    command: ConfigCommand,
}

#[derive(Debug, Subcommand)]
enum ConfigCommand {
    /// Print every value
    Show {
        #[command(flatten)]
        settings: Settings,
        #[command(flatten)]
        policy: PolicyArgs,
        /// Tell where each value comes from, too: a default, a file with its line, a variable or a flag
        #[arg(long)]
        origin: bool,
        /// Print one JSON document, with origins
        #[arg(long)]
        json: bool,
    },
    /// Print the JSON Schema of simdrive.toml and of the user's config.toml
    Schema,
}

pub fn run(args: ConfigArgs) -> Exit {
    match args.command {
        ConfigCommand::Schema => {
            output::print_json(config::schema());
            Exit::Success
        }
        ConfigCommand::Show { settings, policy, origin, json } => {
            match show(settings, policy, origin, json) {
                Ok(()) => Exit::Success,
                Err(error) => output::failed(&error, json),
            }
        }
    }
}

fn show(settings: Settings, policy: PolicyArgs, origin: bool, json: bool) -> Result<(), OperationError> {
    let config = policy.config(settings, Vec::new())?;
    if json {
        output::print_json(&json!({"values": config.entries()}));
        return Ok(());
    }
    let entries = config.entries();
    let said: Vec<(String, &Entry)> = entries.iter().map(|entry| (line(entry), entry)).collect();
    let width =
        said.iter().map(|(line, _)| line.chars().count()).filter(|width| *width <= 60).max().unwrap_or(0);
    for (line, entry) in &said {
        match origin {
            true => output::print_line(&format!("{line:width$}  # {}", entry.origin)),
            false => output::print_line(line),
        }
    }
    Ok(())
}

/// As a file would say it; what is not said at all has no value.
fn line(Entry { key, value, .. }: &Entry) -> String {
    match value {
        Value::Null => format!("{key} is not set"),
        value => format!("{key} = {value}"),
    }
}
