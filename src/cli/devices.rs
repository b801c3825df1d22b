//! `simdrive devices`: the devices that can be named.

use serde_json::json;

use crate::cli::{Settings, output};
use crate::exit::Exit;

#[derive(Debug, clap::Args)]
pub struct DevicesArgs {
    #[command(flatten)]
    settings: Settings,
    /// Only these: embedded, companion, simulator, device
    #[arg(long)]
    kind: Option<String>,
    /// Print one JSON document
    #[arg(long)]
    json: bool,
}

pub async fn run(args: DevicesArgs) -> Exit {
    match args.settings.context() {
        Ok(context) => output::operate(&context, "list_devices", json!({"kind": args.kind}), args.json).await,
        Err(error) => output::failed(&error, args.json),
    }
}
