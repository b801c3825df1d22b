//! `simdrive doctor`: what simdrive needs on this machine.

use serde_json::json;

use crate::cli::{Settings, output};
use crate::exit::Exit;

#[derive(Debug, clap::Args)]
pub struct DoctorArgs {
    #[command(flatten)]
    settings: Settings,
    /// Also try on the device itself (--device, else the one that runs) what simdrive does with one
    #[arg(long)]
    hardware: bool,
    /// Print one JSON document
    #[arg(long)]
    json: bool,
}

pub async fn run(args: DoctorArgs) -> Exit {
    match args.settings.context() {
        Ok(context) => {
            output::operate(&context, "doctor", json!({"hardware": args.hardware}), args.json).await
        }
        Err(error) => output::failed(&error, args.json),
    }
}
