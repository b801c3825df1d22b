//! `simdrive migrate`: recordings of older versions, and of the original SimDrive, as those of this version.

use crate::cli::{Settings, output};
use crate::exit::Exit;
use crate::operation::Call;
use crate::operation::migrate::{MigrateOptions, migrate};

#[derive(Debug, clap::Args)]
pub struct MigrateArgs {
    #[command(flatten)]
    settings: Settings,
    /// Recordings: folders, folders of them, or names
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<String>,
    /// Print the difference, and write nothing
    #[arg(long)]
    dry_run: bool,
    /// Replace another recording that has the name already; a backup of it is kept
    #[arg(long)]
    force: bool,
    /// Print one JSON document
    #[arg(long)]
    json: bool,
}

pub async fn run(args: MigrateArgs) -> Exit {
    let options = MigrateOptions { dry_run: args.dry_run, force: args.force };
    let outcome = match args.settings.context() {
        Ok(context) => migrate(&context.store, &args.paths, options, &Call::default()).await,
        Err(error) => Err(error),
    };
    match outcome {
        Ok(outcome) => output::finished(&outcome, args.json),
        Err(error) => output::failed(&error, args.json),
    }
}
