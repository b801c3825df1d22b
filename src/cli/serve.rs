//! `simdrive serve --http`: MCP for several clients, until it is asked to stop.

use std::net::SocketAddr;
use std::num::NonZeroU32;
use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;

use super::policy::PolicyArgs;
use super::{Settings, output};
use crate::exit::Exit;
use crate::operation::OperationError;
use crate::server::http::{self, HttpOptions};

/// Serve MCP over HTTP, to several clients.
#[derive(Args, Debug)]
pub struct ServeArgs {
    /// Serve Streamable HTTP at /mcp of this address; port 0 takes a free one, which is told on stderr
    #[arg(long, value_name = "HOST:PORT", value_parser = address, required = true)]
    http: SocketAddr,
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
    /// Requests a second that one address may make, twice as many in a burst
    #[arg(long, value_name = "N", default_value = "500")]
    rate: NonZeroU32,
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
    let options = HttpOptions {
        address: args.http,
        token_file: args.token_file,
        allow_remote: args.allow_remote,
        origins: args.allow_origin,
        hosts: args.allow_host,
        rate: args.rate,
    };
    options.check()?;
    let context = Arc::new(args.policy.governed(args.settings)?);
    http::serve(context, options).await
}

/// An address, or a port of `localhost`.
fn address(given: &str) -> Result<SocketAddr, String> {
    let literal = given.strip_prefix("localhost:").map(|port| format!("127.0.0.1:{port}"));
    literal.as_deref().unwrap_or(given).parse().map_err(|_| {
        "an IP address and a port are wanted, such as 127.0.0.1:7333, localhost:7333 or [::1]:7333".to_owned()
    })
}
