//! The embedded simulator as an idb companion: a gRPC server on a unix socket or a loopback port.
//! Uses `sim` and the protocol of `device::idb`.
//!
//! [`start`] gives a [`RunningCompanion`], which stops and cleans up after itself when it is dropped.

mod accessibility;
mod control;
mod crash;
mod install;
mod listen;
mod live;
mod picture;
mod service;
mod stream;
#[cfg(test)]
mod tests;
mod touch;

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use tokio::task::JoinHandle;
use tonic::transport::Server;

pub use listen::Listen;
pub use live::Live;

use crate::device::idb::Endpoint;
use crate::device::idb::protocol::COMPANION_MESSAGE_LIMIT;
use crate::device::idb::protocol::companion::companion_service_server::CompanionServiceServer;
use crate::device::idb::protocol::control::simulator_control_server::SimulatorControlServer;
use crate::frame::hex;
use crate::sim::{SimError, Simulator, SimulatorOptions, app};
use listen::{Listener, SocketFile};

/// Calls under way get this long when the companion stops.
const GRACE: Duration = Duration::from_secs(1);
/// An upload of several megabytes should not wait for window updates.
const WINDOW: u32 = 4 << 20;

/// Why a companion could not be started.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    #[error(transparent)]
    App(#[from] SimError),
    #[error("can't listen on {place}: {reason}")]
    Listen { place: String, reason: String },
}

/// A companion that serves until it is dropped or stopped.
pub struct RunningCompanion {
    endpoint: Endpoint,
    live: Arc<Live>,
    server: JoinHandle<()>,
    /// Removes the socket.
    _socket: Option<SocketFile>,
}

/// Starts a simulator running an app (by its name, or the path of its YAML file) and serves it.
///
/// # Errors
/// An app that can't be read, or a place that can't be listened on.
pub async fn start(
    app: &str,
    options: SimulatorOptions,
    listen: Listen,
) -> Result<RunningCompanion, StartError> {
    let app = app::load(app)?;
    let udid = udid_of(&app.bundle, options.profile.name);
    let (listener, endpoint, socket) = listen.open().await?;
    let live = Arc::new(Live::new(Simulator::new(app, options)));
    let companion = CompanionServiceServer::new(service::Companion::new(Arc::clone(&live), udid))
        .max_decoding_message_size(COMPANION_MESSAGE_LIMIT)
        .max_encoding_message_size(usize::MAX);
    let control = SimulatorControlServer::new(control::Control::new(Arc::clone(&live)));
    let router = Server::builder()
        .initial_stream_window_size(WINDOW)
        .initial_connection_window_size(WINDOW)
        .trace_fn(|request| {
            tracing::debug!(call = request.uri().path(), "asked");
            tracing::Span::none()
        })
        .add_service(companion)
        .add_service(control);
    let stopped = live.stopped().clone();
    let served = async move {
        let asked = stopped.clone().cancelled_owned();
        let serving = async {
            match listener {
                Listener::Tcp(incoming) => router.serve_with_incoming_shutdown(incoming, asked).await,
                Listener::Unix(incoming) => router.serve_with_incoming_shutdown(incoming, asked).await,
            }
        };
        let overdue = async {
            stopped.cancelled().await;
            tokio::time::sleep(GRACE).await;
        };
        tokio::select! {
            ended = serving => if let Err(error) = ended {
                tracing::error!(%error, "the companion stopped serving");
            },
            () = overdue => {}
        }
    };
    Ok(RunningCompanion { endpoint, live, server: tokio::spawn(served), _socket: socket })
}

impl RunningCompanion {
    pub fn endpoint(&self) -> &Endpoint {
        &self.endpoint
    }

    /// The simulator itself, for tests.
    pub fn simulator(&self) -> &Arc<Live> {
        &self.live
    }

    /// The one line that a companion writes to standard output once it listens.
    pub fn start_up_line(&self) -> Value {
        match &self.endpoint {
            Endpoint::Tcp { port, .. } => json!({"grpc_swift_port": port, "grpc_port": port}),
            Endpoint::Unix(path) => json!({"grpc_path": path}),
        }
    }

    /// Stops serving; calls under way get a moment to end.
    pub async fn stop(mut self) {
        self.live.stopped().cancel();
        // only a panic could fail here, and it has been reported
        let _ = (&mut self.server).await;
    }
}

impl Drop for RunningCompanion {
    fn drop(&mut self) {
        self.live.stopped().cancel();
    }
}

/// The same device and app always have the same UDID.
fn udid_of(bundle: &str, device: &str) -> String {
    let digest = hex(&Sha256::digest(format!("{device} {bundle}"))).to_uppercase();
    format!(
        "{}-{}-4{}-A{}-{}",
        &digest[..8],
        &digest[8..12],
        &digest[13..16],
        &digest[17..20],
        &digest[20..32]
    )
}
