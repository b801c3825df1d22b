//! `simdrive serve --http`: MCP for several clients, until it is asked to stop.

use std::net::SocketAddr;
use std::num::NonZeroU32;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use serde_json::json;

use super::governed::{PolicyArgs, governed};
use super::{Settings, output};
use crate::config::{DEFAULT_IDLE, DEFAULT_RATE, Flag};
use crate::exit::Exit;
use crate::operation::OperationError;
use crate::server::http::{self, HttpOptions};

/// Serve MCP over HTTP, to several clients.
#[derive(Args, Debug)]
pub struct ServeArgs {
    /// Serve Streamable HTTP at /mcp of this address [default: http.address of the configuration]; port 0 takes a free
    /// one, which is told on stderr
    #[arg(long, value_name = "HOST:PORT", value_parser = address)]
    http: Option<SocketAddr>,
    /// File with the bearer token [default: SIMDRIVE_TOKEN, else SIMDRIVE_HOME/token, which is made]
    #[arg(long, value_name = "FILE")]
    token_file: Option<PathBuf>,
    /// Listen beyond loopback: whoever has the token drives the devices, and nothing is encrypted
    #[arg(long)]
    allow_remote: bool,
    /// Let pages of this origin in, such as https://app.example.com; those of this machine may come in anyway
    #[arg(long, value_name = "ORIGIN,…", value_delimiter = ',')]
    allow_origin: Vec<String>,
    /// Answer to this name of the machine too
    #[arg(long, value_name = "HOST,…", value_delimiter = ',')]
    allow_host: Vec<String>,
    /// Requests a second that one address may make, twice as many in a burst [default: 500]
    #[arg(long, value_name = "N")]
    rate: Option<NonZeroU32>,
    /// End what a client has open that is silent for so long, its recordings finished [default: 1800]
    #[arg(long, value_name = "SECONDS")]
    idle: Option<NonZeroU32>,
    #[command(flatten)]
    settings: Settings,
    #[command(flatten)]
    policy: PolicyArgs,
}

pub async fn run(args: ServeArgs) -> Exit {
    let served = serve(args).await;
    served.unwrap_or_else(|error| output::failed(&error, false))
}

async fn serve(args: ServeArgs) -> Result<Exit, OperationError> {
    let ServeArgs { http, token_file, allow_remote, allow_origin, allow_host, rate, idle, settings, policy } =
        args;
    let list = |given: Vec<String>| (!given.is_empty()).then(|| json!(given));
    let given = Flag::given([
        ("http.address", "--http", http.map(|address| json!(address))),
        ("http.token_file", "--token-file", token_file.map(|file| json!(file))),
        ("http.allow_origins", "--allow-origin", list(allow_origin)),
        ("http.allow_hosts", "--allow-host", list(allow_host)),
        ("http.rate", "--rate", rate.map(|rate| json!(rate))),
        ("http.idle", "--idle", idle.map(|seconds| json!(seconds))),
    ]);
    let config = policy.config(settings, given.collect())?;
    let said = config.values.http.clone();
    let options = HttpOptions {
        address: said.address.ok_or_else(|| {
            OperationError::invalid("no address to serve at")
                .with_hint("pass --http 127.0.0.1:7333, or set http.address in your config.toml")
        })?,
        token_file: said.token_file,
        allow_remote,
        origins: said.allow_origins.unwrap_or_default(),
        hosts: said.allow_hosts.unwrap_or_default(),
        rate: said.rate.unwrap_or(DEFAULT_RATE),
        idle: Duration::from_secs(said.idle.unwrap_or(DEFAULT_IDLE).get().into()),
    };
    options.check()?;
    http::serve(Arc::new(governed(&config)?), options).await
}

/// An address, or a port of `localhost`.
fn address(given: &str) -> Result<SocketAddr, String> {
    let literal = given.strip_prefix("localhost:").map(|port| format!("127.0.0.1:{port}"));
    literal.as_deref().unwrap_or(given).parse().map_err(|_| {
        "an IP address and a port are wanted, such as 127.0.0.1:7333, localhost:7333 or [::1]:7333".to_owned()
    })
}
