//! `simdrive report merge`: the reports of several machines as one.

use std::path::PathBuf;

use crate::cli::output;
use crate::code::ErrorCode;
use crate::exit::Exit;
use crate::operation::OperationError;
use crate::replay::report::{ReportError, merge, write_junit};

#[derive(Debug, clap::Args)]
pub struct ReportArgs {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, clap::Subcommand)]
enum What {
    /// Make one report of those that shards wrote with `replay --report`
    Merge(MergeArgs),
}

#[derive(Debug, clap::Args)]
struct MergeArgs {
    /// Folders that `replay --report` wrote
    #[arg(required = true, value_name = "DIR")]
    reports: Vec<PathBuf>,
    /// Folder for the new one
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Write JUnit XML of all of them here
    #[arg(long, value_name = "FILE")]
    junit: Option<PathBuf>,
    /// Print one JSON document with every step's verdict, scores and regions
    #[arg(long)]
    json: bool,
}

/// Ends as one run over all of the recordings would have.
pub fn run(args: &ReportArgs) -> Exit {
    let What::Merge(args) = &args.what;
    match merged(args) {
        Ok(exit) => exit,
        Err(error) => output::failed(&error, args.json),
    }
}

fn merged(args: &MergeArgs) -> Result<Exit, OperationError> {
    let report = merge(&args.reports, &args.out).map_err(|e| match e {
        ReportError::Write { .. } => OperationError::new(ErrorCode::Internal, e.to_string()),
        _ => OperationError::invalid(e.to_string()),
    })?;
    if let Some(path) = &args.junit {
        write_junit(path, &report)
            .map_err(|e| OperationError::invalid(format!("`--junit {}`: {e}", path.display())))?;
    }
    if args.json {
        let document = serde_json::to_value(&report).map_err(|e| OperationError::internal(e.to_string()))?;
        output::print_json(&document);
    } else {
        let (passed, failed) = (report.passed, report.failed);
        output::print_line(&format!("{passed} passed, {failed} failed: {}", args.out.display()));
    }
    Ok(report.exit())
}
