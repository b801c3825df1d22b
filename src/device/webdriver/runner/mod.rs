//! WebDriverAgent on a phone that is paired with this Mac: started, forwarded to a port here, watched and stopped.
//! Uses `client`, `features`, `device::devicectl` and `device::process`.
//!
//! `way` is how it is started, `words` what it means when that fails, `service` when it is ready and whether it
//! still is.

mod service;
mod way;
mod words;

use std::net::{Ipv4Addr, TcpListener};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;

use crate::device::devicectl::{self, PhysicalDevice};
use crate::device::process::{self, Command, Owned, Service, Standing, State, Status, Supervisor, Timing};
use crate::device::{DeviceError, Result, patience};
use crate::home::home;
use service::{Forwarding, Installed, Runner, Server};
pub use way::Way;

const FORWARDER: &str = "iproxy";
/// How to get it.
pub const FORWARDER_INSTALL: &str = "brew install libusbmuxd";
/// Where the agent listens, on the phone.
const ON_THE_PHONE: u16 = 8100;
/// What is built already starts sooner.
const STARTED_WITHIN: Duration = Duration::from_secs(150);
const ELSEWHERE: &str = "phones are driven from the Mac that they are paired with, and `xcrun` is not here: install \
                         Xcode there; from elsewhere name its agent, `wda+http://HOST:PORT`";

/// The phone of this UDID or name, as it is now.
///
/// # Errors
/// [`DeviceError::NotFound`], naming what there is; no Xcode.
pub async fn find(name: &str) -> Result<PhysicalDevice> {
    let not_found = |reason: String| DeviceError::NotFound { selector: format!("wda:{name}"), reason };
    if process::find("xcrun").is_none() {
        return Err(not_found(ELSEWHERE.to_owned()));
    }
    if let Some(phone) = devicectl::find(name).await {
        return Ok(phone);
    }
    let known = devicectl::list().await;
    let known: Vec<String> = known.iter().map(|p| format!("\n  wda:{}  {}", p.udid, p.described())).collect();
    Err(not_found(if known.is_empty() {
        "no iPhone or iPad is paired with this Mac: connect it by cable, unlock it and tap Trust; \
         `xcrun devicectl list devices` (Xcode 15 or newer) must list it"
            .to_owned()
    } else {
        format!("paired with this Mac are:{}", known.concat())
    }))
}

/// What keeps a phone from being driven, in words that say what to do.
pub fn hindrance(phone: &PhysicalDevice) -> Option<&'static str> {
    if !phone.paired {
        Some("it is not paired with this Mac: connect it by cable, unlock it and tap Trust")
    } else if !phone.connected {
        Some("it is not connected: connect it by cable, and unlock it")
    } else if !phone.developer_mode {
        Some("its Developer Mode is off: on the phone, Settings, Privacy & Security, Developer Mode")
    } else {
        None
    }
}

/// An agent that runs until this is stopped or dropped.
pub struct Agent {
    phone: PhysicalDevice,
    port: u16,
    forward: Supervisor,
    /// `xcodebuild`, which the agent lives in; `None` where it was installed before, and lives by itself.
    runner: Option<Supervisor>,
}

impl Agent {
    /// Starts the agent of a phone, and waits until it answers.
    ///
    /// # Errors
    /// The phone or a tool is not there, or the agent does not come up; in plain words, and what was last said.
    pub async fn start(name: &str) -> Result<Self> {
        let phone = find(name).await?;
        let device = format!("wda:{}", phone.udid);
        let unreachable = |reason: String| DeviceError::Unreachable { device: device.clone(), reason };
        if let Some(why) = hindrance(&phone) {
            return Err(unreachable(why.to_owned()));
        }
        let way = Way::of_environment().and_then(|way| way.suits(&phone).map(|()| way));
        let way = way.map_err(unreachable)?;
        if process::find(FORWARDER).is_none() {
            return Err(unreachable(format!(
                "`{FORWARDER}`, which forwards its port, is not on the PATH: {FORWARDER_INSTALL}"
            )));
        }
        let left_behind = reclaim().await;
        if !left_behind.is_empty() {
            tracing::info!("agents that were left behind are ended: {left_behind:?}");
        }
        let port = free_port().map_err(|e| unreachable(format!("no port is free on this machine: {e}")))?;
        let agent = Self::supervised(phone, &way, port).await.map_err(unreachable)?;
        if let Err(reason) = agent.ready().await {
            agent.stop().await;
            return Err(unreachable(reason));
        }
        Ok(agent)
    }

    async fn supervised(phone: PhysicalDevice, way: &Way, port: u16) -> std::result::Result<Self, String> {
        let server = Server::at(port)?;
        let udid = phone.udid.clone();
        let keep = |name: &str, role: &str, command: Command, service: Arc<dyn Service>, timing| {
            let owned = Owned::new(&records(), &format!("{udid}-{role}"), None);
            Supervisor::start(name, command, service, timing, Some(owned))
        };
        let timing = |ready_within| Timing { ready_within, ..Timing::default() };
        let ports = [port.to_string(), ON_THE_PHONE.to_string(), "-u".to_owned(), udid.clone()];
        let forwarder = Command::new(FORWARDER).arguments(ports);
        let command = way.command(&phone, ON_THE_PHONE);
        let (forward, runner) = match way {
            Way::Installed { .. } => {
                let service = Arc::new(Installed::new(server, command));
                (keep("WebDriverAgent", "agent", forwarder, service, timing(STARTED_WITHIN)), None)
            }
            Way::Built { .. } | Way::Project { .. } => {
                let within =
                    if matches!(way, Way::Project { .. }) { patience::AGENT } else { STARTED_WITHIN };
                let forwarding = Arc::new(Forwarding { port });
                let forward = keep(FORWARDER, "forward", forwarder, forwarding, Timing::default());
                if let Err(why) = forward.ready().await {
                    forward.stop().await;
                    return Err(why);
                }
                // one of before would be taken for the new one, until that takes its place
                server.end().await;
                let runner = Arc::new(Runner { server });
                (forward, Some(keep("WebDriverAgent", "agent", command, runner, timing(within))))
            }
        };
        Ok(Self { phone, port, forward, runner })
    }

    async fn ready(&self) -> std::result::Result<(), String> {
        self.forward.ready().await?;
        match &self.runner {
            Some(runner) => runner.ready().await,
            None => Ok(()),
        }
    }

    pub fn phone(&self) -> &PhysicalDevice {
        &self.phone
    }

    /// Where it answers.
    pub fn url(&self) -> String {
        address(self.port)
    }

    /// The agent's, or the forwarder's while that is not well.
    pub fn status(&self) -> Status {
        let forward = self.forward.status();
        match &self.runner {
            Some(runner) if forward.state == State::Ready => runner.status(),
            _ => forward,
        }
    }

    /// Stops all of it in steps, and returns once it is gone.
    pub async fn stop(&self) {
        match &self.runner {
            Some(runner) => runner.stop().await,
            None if self.forward.status().state == State::Ready => {
                // it lives on the phone, where nothing but itself can end it
                if let Ok(server) = Server::at(self.port) {
                    server.end().await;
                }
            }
            None => {}
        }
        self.forward.stop().await;
    }
}

#[async_trait]
impl Standing for Agent {
    async fn standing(&self) -> std::result::Result<u32, String> {
        self.ready().await?;
        let restarts = |supervisor: &Supervisor| supervisor.status().restarts;
        Ok(restarts(&self.forward) + self.runner.as_ref().map_or(0, restarts))
    }
}

/// Ends the agents that a killed simdrive has left behind, and gives their process ids.
pub async fn reclaim() -> Vec<i32> {
    process::reclaim(&records()).await
}

fn records() -> PathBuf {
    home().join("agents")
}

fn address(port: u16) -> String {
    format!("http://{}:{port}", Ipv4Addr::LOCALHOST)
}

/// One that nobody listens on; told to the forwarder, which can't choose one itself.
fn free_port() -> std::io::Result<u16> {
    Ok(TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()?.port())
}
