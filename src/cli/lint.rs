//! `simdrive lint`: what is wrong with recordings, for people, scripts and code hosts.

use std::path::PathBuf;

use clap::ValueEnum;

use crate::cli::{Settings, output};
use crate::exit::Exit;
use crate::operation::lint::{LintReport, chosen, lint};
use crate::operation::{Call, OperationError};
use crate::recording::Store;
use crate::recording::lint::{Severity, sarif};

#[derive(Debug, clap::Args)]
pub struct LintArgs {
    #[command(flatten)]
    settings: Settings,
    /// Recordings, or folders of them [default: the folder of recordings]
    paths: Vec<PathBuf>,
    /// Do what is safe: delete orphaned frames, write large ones anew, mask a status bar, fill in `requires`
    #[arg(long)]
    fix: bool,
    /// Fail on warnings, too
    #[arg(long, value_enum, value_name = "WHAT")]
    deny: Option<Deny>,
    /// How findings are printed
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    /// Print one JSON document
    #[arg(long, conflicts_with = "format")]
    json: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Deny {
    Warnings,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Format {
    #[default]
    Text,
    Json,
    /// SARIF 2.1.0, for code hosts
    Sarif,
}

pub async fn run(args: LintArgs) -> Exit {
    let format = if args.json { Format::Json } else { args.format };
    let deny = args.deny.is_some();
    match report(args).await {
        Ok(report) => {
            match format {
                Format::Text => output::print_line(&report.to_text(usize::MAX)),
                Format::Json => output::print_json(&report.to_json()),
                Format::Sarif => {
                    output::print_json(&sarif(&report.linted));
                    eprintln!("{}", report.summary());
                }
            }
            let bad = report.count(Severity::Error) > 0 || (deny && report.count(Severity::Warning) > 0);
            if bad { Exit::Failed } else { Exit::Success }
        }
        Err(error) => output::failed(&error, format != Format::Text),
    }
}

async fn report(args: LintArgs) -> Result<LintReport, OperationError> {
    let context = args.settings.context()?;
    let (store, project) = (context.store, context.project);
    let paths = if args.paths.is_empty() { vec![from_here(&store)] } else { args.paths };
    lint(chosen(&store, &paths)?, project, args.fix, &Call::default()).await
}

/// The folder of recordings as it is written from here, as code hosts want it.
fn from_here(store: &Store) -> PathBuf {
    let here = std::env::current_dir().ok();
    let below = here.and_then(|here| store.root().strip_prefix(here).ok().map(PathBuf::from));
    below.filter(|path| !path.as_os_str().is_empty()).unwrap_or_else(|| store.root().to_owned())
}
