//! The connection to a companion: one channel kept open, a deadline on every call. Uses `device`, `protocol`.
//!
//! A lost connection is made anew. A call that only reads is then asked again, once; one that acts
//! (`hid`, `launch`, `install`) never is, because nobody knows whether it already did.

use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use hyper_util::rt::TokioIo;
use tokio::net::{TcpStream, UnixStream};
use tokio::sync::Mutex;
use tokio::time::{sleep, timeout};
use tonic::transport::Channel;
use tonic::{Code, Response, Status};
use tower::service_fn;

use crate::device::idb::Endpoint;
use crate::device::idb::protocol::CLIENT_MESSAGE_LIMIT;
use crate::device::idb::protocol::companion::ConnectRequest;
use crate::device::idb::protocol::companion::companion_service_client::CompanionServiceClient;
use crate::device::idb::protocol::control::simulator_control_client::SimulatorControlClient;
use crate::device::process::Standing;
use crate::device::{DeviceError, Result};

pub type Companion = CompanionServiceClient<Channel>;
pub type Control = SimulatorControlClient<Channel>;

/// For a connection to stand, `connect` answered.
const CONNECT_DEADLINE: Duration = Duration::from_secs(4);
/// The same where the companion may have to be started again first.
const RESTART_DEADLINE: Duration = Duration::from_secs(30);
/// Between two tries to reach a companion that is being started again.
const REDIAL: Duration = Duration::from_millis(100);
/// A screenshot of several megabytes should not wait for window updates.
const WINDOW: u32 = 16 << 20;

/// A call's name for messages, and how long it may take.
#[derive(Clone, Copy)]
pub struct Call {
    pub name: &'static str,
    pub deadline: Duration,
}

impl Call {
    pub const fn new(name: &'static str, deadline: Duration) -> Self {
        Self { name, deadline }
    }
}

/// A companion and the channel to it, if one stands.
pub struct Link {
    endpoint: Endpoint,
    /// The channel, and at which start of the companion it was made.
    channel: Mutex<Option<(u32, Channel)>>,
    process: Option<Arc<dyn Standing>>,
    /// The companion knows what came with version 1.7.
    is_recent: AtomicBool,
}

impl Link {
    pub fn new(endpoint: Endpoint) -> Self {
        Self { endpoint, channel: Mutex::new(None), process: None, is_recent: false.into() }
    }

    /// A link to a companion that is started again where it dies; calls wait for that.
    pub fn to_process(endpoint: Endpoint, process: Arc<dyn Standing>) -> Self {
        Self { process: Some(process), ..Self::new(endpoint) }
    }

    /// Whether a companion answers there.
    ///
    /// # Errors
    /// [`DeviceError::Unreachable`] within a few seconds.
    pub async fn check(&self) -> Result<()> {
        self.channel().await.map(drop)
    }

    /// Whether the companion told, when it was connected, what only one of version 1.7 or later tells.
    pub fn is_recent(&self) -> bool {
        self.is_recent.load(Ordering::Relaxed)
    }

    /// Lets the connection go; the next call makes a new one.
    pub async fn drop_channel(&self) {
        self.channel.lock().await.take();
    }

    /// A call that only reads, asked again once where the connection was lost.
    pub async fn read<R, F>(&self, call: Call, ask: impl Fn(Companion) -> F) -> Result<R>
    where
        F: Future<Output = std::result::Result<Response<R>, Status>>,
    {
        match self.act(call, &ask).await {
            Err(DeviceError::Unreachable { .. }) => self.act(call, &ask).await,
            answer => answer,
        }
    }

    /// A call that acts, sent once.
    pub async fn act<R, F>(&self, call: Call, ask: impl FnOnce(Companion) -> F) -> Result<R>
    where
        F: Future<Output = std::result::Result<Response<R>, Status>>,
    {
        let companion = companion(self.channel().await?);
        self.within(call, ask(companion)).await
    }

    /// A call to the embedded simulator's control service.
    pub async fn control<R, F>(&self, call: Call, ask: impl FnOnce(Control) -> F) -> Result<R>
    where
        F: Future<Output = std::result::Result<Response<R>, Status>>,
    {
        let control = SimulatorControlClient::new(self.channel().await?)
            .max_decoding_message_size(CLIENT_MESSAGE_LIMIT);
        self.within(call, ask(control)).await
    }

    async fn within<R, F>(&self, call: Call, answer: F) -> Result<R>
    where
        F: Future<Output = std::result::Result<Response<R>, Status>>,
    {
        let error = match timeout(call.deadline, answer).await {
            Ok(Ok(response)) => return Ok(response.into_inner()),
            Ok(Err(status)) => self.error(call, &status),
            Err(_) => self.timeout(call),
        };
        if matches!(error, DeviceError::Unreachable { .. }) {
            self.drop_channel().await;
        }
        Err(error)
    }

    pub fn timeout(&self, call: Call) -> DeviceError {
        DeviceError::Timeout { device: self.endpoint.to_string(), call: call.name, after: call.deadline }
    }

    pub fn malformed(&self, call: Call, reason: impl Into<String>) -> DeviceError {
        DeviceError::Malformed { device: self.endpoint.to_string(), call: call.name, reason: reason.into() }
    }

    fn unreachable(&self, reason: impl Into<String>) -> DeviceError {
        DeviceError::Unreachable { device: self.endpoint.to_string(), reason: reason.into() }
    }

    /// What a failed call means.
    pub fn error(&self, call: Call, status: &Status) -> DeviceError {
        use std::error::Error;
        let device = self.endpoint.to_string();
        let reason = status.message().to_owned();
        match status.code() {
            Code::Unavailable => self.unreachable(reason),
            Code::DeadlineExceeded => self.timeout(call),
            Code::Unimplemented => DeviceError::Unsupported {
                device,
                what: call.name.to_owned(),
                instead: "a newer idb_companion may know it".to_owned(),
            },
            Code::OutOfRange | Code::DataLoss => DeviceError::Malformed { device, call: call.name, reason },
            // what came from below the protocol, not from the companion, carries its cause
            _ if status.source().is_some() => {
                self.unreachable(format!("the connection was lost during {}: {reason}", call.name))
            }
            Code::InvalidArgument => DeviceError::InvalidRequest { device, call: call.name, reason },
            _ => DeviceError::Refused { device, call: call.name, reason },
        }
    }

    async fn channel(&self) -> Result<Channel> {
        let mut slot = self.channel.lock().await;
        let start = match &self.process {
            Some(process) => process.standing().await.map_err(|why| self.unreachable(why))?,
            None => 0,
        };
        if let Some((made, channel)) = &*slot
            && *made == start
        {
            return Ok(channel.clone());
        }
        let patience = if self.process.is_some() { RESTART_DEADLINE } else { CONNECT_DEADLINE };
        let channel = timeout(patience, self.connect()).await.map_err(|_| {
            self.unreachable(format!("no answer to connect within {} s", patience.as_secs()))
        })??;
        *slot = Some((start, channel.clone()));
        Ok(channel)
    }

    /// A channel on which the companion has answered. One of our own that has just died is noticed in a moment and
    /// then started again: that is waited for.
    async fn connect(&self) -> Result<Channel> {
        loop {
            match (self.greet().await, &self.process) {
                (Err(error), Some(process)) => {
                    tracing::debug!("{error}");
                    sleep(REDIAL).await;
                    process.standing().await.map_err(|why| self.unreachable(why))?;
                }
                (greeted, _) => return greeted,
            }
        }
    }

    /// Opens the channel and says `connect`, which a companion wants first.
    async fn greet(&self) -> Result<Channel> {
        let channel = dial(&self.endpoint).await.map_err(|e| self.unreachable(explain(&e)))?;
        let answer =
            companion(channel.clone()).connect(ConnectRequest::default()).await.map_err(|status| {
                self.unreachable(format!("it does not answer as an idb companion: {}", status.message()))
            })?;
        let told = answer.into_inner().companion.unwrap_or_default();
        self.is_recent.store(!told.supported_compressions.is_empty(), Ordering::Relaxed);
        Ok(channel)
    }
}

fn companion(channel: Channel) -> Companion {
    CompanionServiceClient::new(channel).max_decoding_message_size(CLIENT_MESSAGE_LIMIT)
}

async fn dial(endpoint: &Endpoint) -> std::result::Result<Channel, tonic::transport::Error> {
    // the address is only the name in the request; where it goes is up to the connector
    let builder = Channel::from_static("http://companion")
        .initial_stream_window_size(WINDOW)
        .initial_connection_window_size(WINDOW);
    match endpoint.clone() {
        Endpoint::Tcp { host, port } => {
            let connect = move |_| {
                let host = host.clone();
                async move {
                    let stream = TcpStream::connect((host.as_str(), port)).await?;
                    stream.set_nodelay(true)?;
                    Ok::<_, std::io::Error>(TokioIo::new(stream))
                }
            };
            builder.connect_with_connector(service_fn(connect)).await
        }
        Endpoint::Unix(path) => {
            let connect = move |_| {
                let path = path.clone();
                async move { Ok::<_, std::io::Error>(TokioIo::new(UnixStream::connect(path).await?)) }
            };
            builder.connect_with_connector(service_fn(connect)).await
        }
    }
}

/// The innermost cause says the most: "Connection refused" rather than "transport error".
fn explain(error: &dyn std::error::Error) -> String {
    let mut cause = error;
    while let Some(inner) = cause.source() {
        cause = inner;
    }
    cause.to_string()
}
