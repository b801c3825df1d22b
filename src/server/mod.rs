//! MCP over stdio and HTTP: translates tool calls into operations and their outcomes into results. Uses `operation`.
//!
//! Only JSON-RPC goes to stdout. No tool declares an output schema and no result carries structured content:
//! clients drop the pictures where it is there.

mod confirmation;
mod handler;
pub mod http;
mod input;
mod prompts;
mod resources;
mod result;
mod tools;

use std::sync::Arc;
use std::time::Duration;

use rmcp::ServiceExt;
use rmcp::transport::io::stdio_pipes;
use tokio::signal::unix::{SignalKind, signal};
use tokio_util::sync::CancellationToken;

use crate::device::process;
use crate::exit::Exit;
use crate::operation::Context;
use handler::Handler;
use input::Input;

/// How long calls that are under way at the end of input may still answer.
const ANSWERING: Duration = Duration::from_millis(200);
/// At the end open recordings are finished and sessions ended, but nobody waits longer for it.
const CLOSING: Duration = Duration::from_millis(700);

/// Serves until the input ends or a signal comes, then closes everything that is open.
pub async fn serve_stdio(context: Arc<Context>) -> Exit {
    let exit = tokio::select! {
        exit = serve(context.clone()) => exit,
        exit = stopped() => exit,
    };
    process::terminate_all();
    if tokio::time::timeout(CLOSING, context.close()).await.is_err() {
        tracing::warn!("sessions did not end within {} ms", CLOSING.as_millis());
    }
    exit
}

async fn serve(context: Arc<Context>) -> Exit {
    let ended = CancellationToken::new();
    let (reader, writer) = stdio_pipes();
    let transport = (Input::new(reader, ended.clone()), writer);
    let running = match Handler::new(context).serve(transport).await {
        Ok(running) => running,
        // a client that goes away before it says hello is no fault
        Err(e) => {
            tracing::debug!("no session with a client: {e}");
            return Exit::Success;
        }
    };
    tokio::select! {
        end = running.waiting() => match end {
            Ok(reason) => tracing::debug!(?reason, "the client is gone"),
            Err(e) => {
                tracing::error!("the server broke: {e}");
                return Exit::Internal;
            }
        },
        () = async {
            ended.cancelled().await;
            tokio::time::sleep(ANSWERING).await;
        } => tracing::debug!("calls were under way at the end of input"),
    }
    Exit::Success
}

/// Waits for SIGINT or SIGTERM.
pub async fn stopped() -> Exit {
    let (Ok(mut interrupt), Ok(mut terminate)) =
        (signal(SignalKind::interrupt()), signal(SignalKind::terminate()))
    else {
        return std::future::pending().await;
    };
    tokio::select! {
        _ = interrupt.recv() => Exit::Interrupted,
        _ = terminate.recv() => Exit::Terminated,
    }
}
