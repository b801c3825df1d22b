//! `simdrive version`: which simdrive this is.

use serde_json::json;

use crate::cli::{Settings, output};
use crate::exit::Exit;

#[derive(Debug, clap::Args)]
pub struct VersionArgs {
    #[command(flatten)]
    settings: Settings,
    /// Print one JSON document
    #[arg(long)]
    json: bool,
}

pub async fn run(args: VersionArgs) -> Exit {
    match args.settings.context() {
        Ok(context) => output::operate(&context, "version", json!({}), args.json).await,
        Err(error) => output::failed(&error, args.json),
    }
}
