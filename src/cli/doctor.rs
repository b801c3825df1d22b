//! `simdrive doctor`: what simdrive needs on this machine.

use serde_json::json;

use crate::cli::{Settings, output};
use crate::exit::Exit;

#[derive(Debug, clap::Args)]
pub struct DoctorArgs {
    #[command(flatten)]
    settings: Settings,
    /// Print one JSON document
    #[arg(long)]
    json: bool,
}

pub async fn run(args: DoctorArgs) -> Exit {
    match args.settings.context() {
        Ok(context) => output::operate(&context, "doctor", json!({}), args.json).await,
        Err(error) => output::failed(&error, args.json),
    }
}
