//! When an agent and its forwarder are ready, and whether they still are. Uses `client`, `features`, `words`.

use std::net::Ipv4Addr;
use std::time::Duration;

use async_trait::async_trait;
use serde_json::Value;
use tokio::net::TcpStream;
use tokio::sync::Mutex;
use tokio::time::{Instant, sleep};

use super::super::client::{Client, Command as Request};
use super::super::error::Failure;
use super::super::features::Status;
use super::{address, words};
use crate::device::process::{Command, NotReady, Output, Service};

/// An agent that does something else answers nothing meanwhile, and a touch may take a minute.
const BUSY: Request = Request::get("status", "/status").of_server().within(60);
const AT_ONCE: Request = BUSY.within(5);
const SHUTDOWN: Request = Request::get("shutdown", "/wda/shutdown").of_server().within(5);
/// How long one of before may take to end, and how often it is looked for.
const UNTIL_ENDED: Duration = Duration::from_secs(10);
const BETWEEN_LOOKS: Duration = Duration::from_millis(200);
/// A launch that led to nothing is tried again only after so long.
const BETWEEN_LAUNCHES: Duration = Duration::from_secs(30);

/// The agent, as it is reached from here.
pub struct Server {
    client: Client,
}

impl Server {
    pub fn at(port: u16) -> Result<Self, String> {
        let client = Client::new(address(port), None).map_err(|failure| format!("{failure:?}"))?;
        Ok(Self { client })
    }

    async fn ask(&self, request: Request) -> Result<Value, Failure> {
        self.client.send(request, request.path, None).await
    }

    /// Ends the agent, and waits until it answers no more. One that does not answer has ended.
    pub async fn end(&self) {
        let end = Instant::now() + UNTIL_ENDED;
        if self.answers(AT_ONCE).await.is_err() {
            return;
        }
        if let Err(failure) = self.ask(SHUTDOWN).await {
            tracing::debug!("the agent was not shut down: {failure:?}");
            return;
        }
        while self.answers(AT_ONCE).await.is_ok() && Instant::now() < end {
            sleep(BETWEEN_LOOKS).await;
        }
    }

    async fn answers(&self, request: Request) -> Result<(), String> {
        match self.ask(request).await {
            Ok(status) if Status::of(&status).is_agent => Ok(()),
            Ok(_) => Err("somebody else answers at its port".to_owned()),
            Err(Failure::Transport(why) | Failure::Unreadable(why)) => Err(why),
            Err(Failure::Timeout(after)) => Err(format!("no answer within {} s", after.as_secs())),
            Err(Failure::Told { message, .. }) => Err(message),
        }
    }
}

/// `iproxy`: ready once it listens.
pub struct Forwarding {
    pub port: u16,
}

#[async_trait]
impl Service for Forwarding {
    async fn ready(&self, output: &Output) -> Result<(), NotReady> {
        if let Some(why) = self.hopeless(output) {
            return Err(NotReady::Never(why));
        }
        self.healthy().await.map_err(NotReady::Yet)
    }

    async fn healthy(&self) -> Result<(), String> {
        let reached = TcpStream::connect((Ipv4Addr::LOCALHOST, self.port)).await;
        reached.map(drop).map_err(|e| format!("port {} is not forwarded: {e}", self.port))
    }

    fn hopeless(&self, output: &Output) -> Option<String> {
        words::meaning(&output.text()).map(str::to_owned)
    }
}

/// `xcodebuild`: ready once the agent that lives in it answers.
pub struct Runner {
    pub server: Server,
}

#[async_trait]
impl Service for Runner {
    async fn ready(&self, output: &Output) -> Result<(), NotReady> {
        let Err(why) = self.server.answers(AT_ONCE).await else { return Ok(()) };
        Err(self.hopeless(output).map_or(NotReady::Yet(why), NotReady::Never))
    }

    async fn healthy(&self) -> Result<(), String> {
        self.server.answers(BUSY).await
    }

    fn hopeless(&self, output: &Output) -> Option<String> {
        words::meaning(&output.text()).map(str::to_owned)
    }
}

/// `iproxy` before an agent that was installed before: launched where it does not answer.
pub struct Installed {
    server: Server,
    launch: Command,
    launched: Mutex<Option<Instant>>,
}

impl Installed {
    pub fn new(server: Server, launch: Command) -> Self {
        Self { server, launch, launched: Mutex::new(None) }
    }

    async fn launch(&self) -> Result<(), NotReady> {
        let finished = self.launch.run(Duration::from_secs(60)).await;
        let finished = finished.map_err(|error| NotReady::Never(error.to_string()))?;
        if finished.succeeded() {
            return Ok(());
        }
        let said = format!("{}\n{}", finished.text(), finished.stderr);
        let said = said.trim();
        let meaning = words::meaning(said).unwrap_or("the agent can't be launched");
        Err(NotReady::Never(format!("{meaning}; devicectl said:\n{said}")))
    }
}

#[async_trait]
impl Service for Installed {
    async fn ready(&self, output: &Output) -> Result<(), NotReady> {
        if let Some(why) = self.hopeless(output) {
            return Err(NotReady::Never(why));
        }
        let Err(why) = self.server.answers(AT_ONCE).await else { return Ok(()) };
        let mut launched = self.launched.lock().await;
        if launched.is_none_or(|at| at.elapsed() > BETWEEN_LAUNCHES) {
            *launched = Some(Instant::now());
            self.launch().await?;
        }
        Err(NotReady::Yet(why))
    }

    async fn healthy(&self) -> Result<(), String> {
        self.server.answers(BUSY).await
    }

    fn hopeless(&self, output: &Output) -> Option<String> {
        words::meaning(&output.text()).map(str::to_owned)
    }
}
