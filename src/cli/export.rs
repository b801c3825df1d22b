//! `simdrive export`: a recording in the words of other tools.

use std::path::PathBuf;

use clap::Subcommand;
use serde_json::json;

use crate::cli::{Settings, output};
use crate::exit::Exit;
use crate::operation::OperationError;
use crate::operation::migrate::export_maestro;

#[derive(Debug, clap::Args)]
pub struct ExportArgs {
    #[command(subcommand)]
    to: ExportTo,
}

#[derive(Debug, Subcommand)]
enum ExportTo {
    /// A flow of Maestro: the steps by meaning; what it can't say is listed on stderr
    Maestro(MaestroArgs),
}

#[derive(Debug, clap::Args)]
struct MaestroArgs {
    #[command(flatten)]
    settings: Settings,
    /// Name or folder
    recording: String,
    /// Write the flow here instead of to stdout
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Print one JSON document
    #[arg(long)]
    json: bool,
}

pub fn run(args: ExportArgs) -> Exit {
    let ExportTo::Maestro(args) = args.to;
    let json = args.json;
    match maestro(args) {
        Ok(()) => Exit::Success,
        Err(error) => output::failed(&error, json),
    }
}

fn maestro(args: MaestroArgs) -> Result<(), OperationError> {
    let flow = export_maestro(&args.settings.context()?.store, &args.recording)?;
    if let Some(file) = &args.out {
        std::fs::write(file, &flow.text)
            .map_err(|e| OperationError::invalid(format!("{} can't be written: {e}", file.display())))?;
    }
    match (args.json, &args.out) {
        (true, _) => output::print_json(&json!({"flow": flow.text, "unsaid": flow.unsaid, "out": args.out})),
        (false, None) => output::print_line(flow.text.trim_end()),
        (false, Some(file)) => output::print_line(&file.display().to_string()),
    }
    flow.unsaid.iter().for_each(|what| eprintln!("not said: {what}"));
    Ok(())
}
