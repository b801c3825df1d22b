//! Outcomes and errors on a terminal or in a pipe: data on stdout, words for people on stderr where stdout is data.

use std::io::Write;

use serde_json::Value;

use crate::exit::Exit;
use crate::operation::{Call, Context, Operation, OperationError, Outcome};

/// Runs one operation by name and prints what came of it.
pub async fn operate(context: &Context, name: &str, arguments: Value, json: bool) -> Exit {
    let arguments = match arguments {
        Value::Object(arguments) => arguments,
        _ => serde_json::Map::new(),
    };
    let outcome = match Operation::parse(name, arguments) {
        Ok(operation) => operation.run(context, &Call::default()).await,
        Err(error) => Err(error),
    };
    match outcome {
        Ok(outcome) => finished(&outcome, json),
        Err(error) => failed(&error, json),
    }
}

/// Prints an outcome: one JSON document, or its text.
pub fn finished(outcome: &Outcome, json: bool) -> Exit {
    if json {
        print_json(&outcome.facts);
    } else if !outcome.text.is_empty() {
        print_line(&outcome.text);
    }
    if outcome.failed { Exit::Failed } else { Exit::Success }
}

/// Prints what went wrong, with what to do about it.
pub fn failed(error: &OperationError, json: bool) -> Exit {
    if json {
        print_json(&error.to_json());
    }
    eprintln!("error: {}", error.message);
    if let Some(hint) = &error.hint {
        eprintln!("hint: {hint}");
    }
    if !error.text.is_empty() && !json {
        eprintln!("{}", error.text);
    }
    error.exit()
}

pub fn print_json(document: &Value) {
    print_line(&format!("{document:#}"));
}

/// A closed pipe (`| head`) is not a fault.
pub fn print_line(text: &str) {
    let _ = writeln!(std::io::stdout().lock(), "{text}");
}
