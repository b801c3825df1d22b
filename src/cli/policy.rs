//! `simdrive policy check`: what a call of a client would get, and why.

use std::sync::Arc;

use clap::Subcommand;
use serde_json::{Map, Value};

use super::governed::{PolicyArgs, policy};
use super::output;
use super::settings::{self, Settings};
use crate::exit::Exit;
use crate::operation::{Context, Operation, OperationError, Outcome, verdict};

#[derive(Debug, clap::Args)]
pub struct PolicyCommand {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Say what a call would get: 0 allowed, 1 refused or to be confirmed, 2 no such call
    Check {
        /// Such as tap
        tool: String,
        /// As JSON, or NAME=VALUE each, such as label="Place Order"
        arguments: Vec<String>,
        #[command(flatten)]
        settings: Settings,
        #[command(flatten)]
        policy: PolicyArgs,
        /// Print one JSON document
        #[arg(long)]
        json: bool,
    },
}

pub fn run(args: PolicyCommand) -> Exit {
    let Command::Check { tool, arguments, settings, policy, json } = args.command;
    match check(&tool, &arguments, settings, policy) {
        Ok(outcome) => output::finished(&outcome, json),
        Err(error) => output::failed(&error, json),
    }
}

fn check(
    tool: &str,
    arguments: &[String],
    settings: Settings,
    flags: PolicyArgs,
) -> Result<Outcome, OperationError> {
    let config = flags.config(settings, Vec::new())?;
    let context = Context { policy: Arc::new(policy(&config)), ..settings::context(&config) };
    verdict(&Operation::parse(tool, read(arguments)?)?, &context)
}

/// One JSON object, or names and values.
fn read(given: &[String]) -> Result<Map<String, Value>, OperationError> {
    if let [only] = given
        && only.trim_start().starts_with('{')
    {
        return serde_json::from_str(only)
            .map_err(|e| OperationError::invalid(format!("the arguments are no JSON object: {e}")));
    }
    let pairs = given.iter().map(|pair| match pair.split_once('=') {
        Some((name, value)) if !name.is_empty() => Ok((name.to_owned(), Value::from(value))),
        _ => Err(OperationError::invalid(format!("`{pair}` is neither NAME=VALUE nor a JSON object"))),
    });
    pairs.collect()
}
