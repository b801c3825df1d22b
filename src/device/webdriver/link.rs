//! One session on a server: begun when first needed, begun anew once it is lost. Uses `client`, `features`.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::sync::Mutex;

use super::capabilities;
use super::client::{Client, Command, Credentials, Scope};
use super::error::{Failure, ProtocolError};
use super::features::{Features, Status};
use crate::device::process::Standing;
use crate::device::{DeviceError, Result};

const STATUS: Command = Command::get("status", "/status").of_server().within(20);
/// A farm may take minutes to find a phone.
const NEW_SESSION: Command = Command::post("new session", "/session").of_server().within(230);
const END_SESSION: Command = Command::delete("end session", "").within(20);
const SCRIPT: Command = Command::post("execute script", "/execute/sync").within(20).reading();
const CDP: Command = Command::post("goog/cdp/execute", "/goog/cdp/execute").within(20).reading();
const UNTIL_NOTICED: Duration = Duration::from_millis(300);

/// A server, and our session there.
pub struct Link {
    client: Client,
    /// As errors call the device.
    device: String,
    capabilities: Value,
    session: Mutex<Option<String>>,
    features: Features,
    /// What keeps the server running, where we do.
    keeper: Option<Arc<dyn Standing>>,
}

impl Link {
    /// Asks the server what it is, and begins a session.
    ///
    /// # Errors
    /// The server does not answer, is none of this protocol, or gives no session.
    pub async fn open(base: String, device: String, capabilities: Option<&Path>) -> Result<Self> {
        let asked = match capabilities {
            Some(file) => capabilities::read(file)?,
            None => json!({"alwaysMatch": {}}),
        };
        let reached = reach(&base).await;
        let (client, status) = reached.map_err(|failure| failure.of(&device, STATUS.name))?;
        let capabilities =
            if status.is_agent { asked } else { capabilities::completed(asked, status.is_chromedriver) };
        let begun = begin(&client, &capabilities).await;
        let (id, answered) = begun.map_err(|failure| failure.of(&device, NEW_SESSION.name))?;
        let features = probe(&client, &id, status, answered).await;
        Ok(Self { client, device, capabilities, session: Mutex::new(Some(id)), features, keeper: None })
    }

    /// The same, to a server that is started again where it dies: commands wait for that.
    pub fn kept_by(self, keeper: Arc<dyn Standing>) -> Self {
        Self { keeper: Some(keeper), ..self }
    }

    pub fn features(&self) -> &Features {
        &self.features
    }

    pub fn device(&self) -> &str {
        &self.device
    }

    /// Sends a command; of a session that is lost a new one is begun, once, and the command, which the server
    /// refused, is sent to it.
    ///
    /// A browser's new session shows another page: there, only what reads is sent again.
    pub async fn send(&self, command: Command, body: Option<&Value>) -> std::result::Result<Value, Failure> {
        self.send_to(command, command.path, body).await
    }

    /// The same, to a path that is not known beforehand.
    pub async fn send_to(
        &self,
        command: Command,
        path: &str,
        body: Option<&Value>,
    ) -> std::result::Result<Value, Failure> {
        let start = self.standing().await?;
        match self.exchange(command, path, body).await {
            Err(Failure::Transport(_)) if command.is_read && self.keeper.is_some() => {
                // that a server has died is noticed in a moment
                tokio::time::sleep(UNTIL_NOTICED).await;
                let again = self.standing().await?;
                tracing::debug!("{}: asked again at start {again}, after {start}", command.name);
                self.exchange(command, path, body).await
            }
            answered => answered,
        }
    }

    /// Waits until a server of our own stands.
    async fn standing(&self) -> std::result::Result<u32, Failure> {
        match &self.keeper {
            Some(keeper) => keeper.standing().await.map_err(Failure::Transport),
            None => Ok(0),
        }
    }

    async fn exchange(
        &self,
        command: Command,
        path: &str,
        body: Option<&Value>,
    ) -> std::result::Result<Value, Failure> {
        if command.scope == Scope::Server {
            return self.client.send(command, path, body).await;
        }
        let id = self.session_id().await?;
        let answer = self.client.send(command, &format!("/session/{id}{path}"), body).await;
        match answer {
            Err(Failure::Told { error: ProtocolError::InvalidSessionId, .. }) => {
                let id = self.begin_anew(&id).await?;
                if self.features.is_browser() && !command.is_read {
                    return Err(Failure::Told {
                        error: ProtocolError::InvalidSessionId,
                        message: "the browser's session was lost, and a new one begun: nothing was sent; \
                                  open the page again"
                            .to_owned(),
                    });
                }
                self.client.send(command, &format!("/session/{id}{path}"), body).await
            }
            answered => answered,
        }
    }

    /// Runs a script in the page.
    pub async fn script(&self, script: &str, arguments: Value) -> std::result::Result<Value, Failure> {
        self.send(SCRIPT, Some(&json!({"script": script, "args": arguments}))).await
    }

    /// Runs a `mobile: …` script of Appium, which may change something.
    pub async fn mobile(&self, name: &str, argument: Value) -> std::result::Result<Value, Failure> {
        let command = Command { is_read: false, ..SCRIPT }.within(60);
        self.send(command, Some(&json!({"script": format!("mobile: {name}"), "args": [argument]}))).await
    }

    /// A command of the browser's own protocol that only sets or reads.
    pub async fn cdp(&self, command: &str, parameters: Value) -> std::result::Result<Value, Failure> {
        self.send(CDP, Some(&json!({"cmd": command, "params": parameters}))).await
    }

    /// Ends the session and begins another: a browser without cookies and pages.
    pub async fn renew(&self) -> std::result::Result<(), Failure> {
        self.end().await;
        self.session_id().await.map(drop)
    }

    /// Ends the session, as far as the server still listens.
    pub async fn end(&self) {
        let ended = self.session.lock().await.take();
        if let Some(id) = ended
            && let Err(failure) = self.client.send(END_SESSION, &format!("/session/{id}"), None).await
        {
            tracing::debug!("the session did not end: {failure:?}");
        }
    }

    /// The error of a command.
    pub fn error(&self, command: Command, failure: Failure) -> DeviceError {
        failure.of(&self.device, command.name)
    }

    async fn session_id(&self) -> std::result::Result<String, Failure> {
        let mut session = self.session.lock().await;
        if let Some(id) = &*session {
            return Ok(id.clone());
        }
        let (id, _) = begin(&self.client, &self.capabilities).await?;
        *session = Some(id.clone());
        Ok(id)
    }

    /// A session in place of the lost one, unless somebody else has begun it already.
    async fn begin_anew(&self, lost: &str) -> std::result::Result<String, Failure> {
        {
            let mut session = self.session.lock().await;
            if session.as_deref() == Some(lost) {
                *session = None;
            }
        }
        self.session_id().await
    }
}

/// The server as it answers; behind `/wd/hub` where it answers there only.
async fn reach(base: &str) -> std::result::Result<(Client, Status), Failure> {
    let client = Client::new(base.to_owned(), credentials())?;
    let refused = match client.send(STATUS, STATUS.path, None).await {
        Ok(status) => return Ok((client, Status::of(&status))),
        Err(failure @ (Failure::Transport(_) | Failure::Timeout(_))) => return Err(failure),
        Err(refused) => refused,
    };
    let client = Client::new(format!("{base}/wd/hub"), credentials())?;
    match client.send(STATUS, STATUS.path, None).await {
        Ok(status) => Ok((client, Status::of(&status))),
        Err(_) => Err(refused),
    }
}

/// From the environment, never from the selector.
fn credentials() -> Option<Credentials> {
    let user = std::env::var("SIMDRIVE_WEBDRIVER_USER").ok()?;
    let key = std::env::var("SIMDRIVE_WEBDRIVER_KEY").unwrap_or_default();
    Some(Credentials { user, key })
}

/// A new session's id and capabilities.
async fn begin(client: &Client, capabilities: &Value) -> std::result::Result<(String, Value), Failure> {
    let body = json!({"capabilities": capabilities});
    let mut answer = client.send(NEW_SESSION, NEW_SESSION.path, Some(&body)).await?;
    let Some(id) = answer["sessionId"].as_str().map(str::to_owned) else {
        return Err(Failure::Unreadable("a new session without an id".to_owned()));
    };
    // it is put into paths
    if id.is_empty() || !id.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.')) {
        return Err(Failure::Unreadable(format!("a session with the id {id:?}")));
    }
    let capabilities = answer.get_mut("capabilities").map(Value::take).unwrap_or(answer);
    Ok((id, capabilities))
}

/// Tries what only some servers do.
async fn probe(client: &Client, id: &str, status: Status, capabilities: Value) -> Features {
    if status.is_agent {
        return Features::of(status, capabilities, false, false);
    }
    let script = json!({"script": "return window.innerWidth > 0", "args": []});
    let javascript = client.send(SCRIPT, &format!("/session/{id}{}", SCRIPT.path), Some(&script)).await;
    let version = json!({"cmd": "Browser.getVersion", "params": {}});
    let javascript = matches!(javascript, Ok(Value::Bool(true)));
    let cdp =
        javascript && client.send(CDP, &format!("/session/{id}{}", CDP.path), Some(&version)).await.is_ok();
    Features::of(status, capabilities, javascript, cdp)
}
