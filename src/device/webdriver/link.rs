//! One session on a server: begun when first needed, begun anew once it is lost. Uses `client`, `features`.
//!
//! A browser's new session is another browser: what was opened and typed is gone. So a loss is told, by the first
//! command that looks or changes something, before a new one is begun, which shows the page that was started with.

use std::path::Path;
use std::sync::{Arc, PoisonError};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::sync::Mutex;

use super::capabilities;
use super::client::{Client, Command, Credentials, Scope};
use super::error::{Failure, ProtocolError};
use super::features::{Features, Status};
use crate::device::process::Standing;
use crate::device::{DeviceError, Result, patience};

const STATUS: Command = Command::get("status", "/status").of_server().within(20);
/// A farm may take minutes to find a phone.
const NEW_SESSION: Command =
    Command::post("new session", "/session").of_server().within(patience::WEBDRIVER_SESSION.as_secs());
const END_SESSION: Command = Command::delete("end session", "").within(20);
const GO: Command = Command::post("open URL", "/url").within(90);
const SCRIPT: Command = Command::post("execute script", "/execute/sync").within(20).reading();
const CDP: Command = Command::post("goog/cdp/execute", "/goog/cdp/execute").within(20).reading();
const UNTIL_NOTICED: Duration = Duration::from_millis(300);

/// A server, and our session there.
pub struct Link {
    client: Client,
    /// As errors call the device.
    device: String,
    capabilities: Value,
    session: Mutex<Held>,
    /// The address a browser was started with.
    page: std::sync::Mutex<Option<String>>,
    features: Features,
    /// What keeps the server running, where we do.
    keeper: Option<Arc<dyn Standing>>,
}

/// What is held of a session.
enum Held {
    Id(String),
    /// Not begun, or ended by us.
    None,
    /// Gone, and a page with it.
    Lost {
        /// An error has said so.
        is_told: bool,
    },
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
        let (session, page) = (Mutex::new(Held::Id(id)), std::sync::Mutex::default());
        Ok(Self { client, device, capabilities, session, page, features, keeper: None })
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

    /// The address a browser was started with.
    pub fn page(&self) -> Option<String> {
        self.page.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// A browser's new session begins at this address.
    pub fn starts_at(&self, page: &str) {
        *self.page.lock().unwrap_or_else(PoisonError::into_inner) = Some(page.to_owned());
    }

    /// Sends a command; of a phone's session that is lost a new one is begun, once, and the command, which the
    /// server refused, is sent to it.
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
        let id = self.session_id(command).await?;
        let answer = self.client.send(command, &format!("/session/{id}{path}"), body).await;
        match answer {
            Err(Failure::Told { error: ProtocolError::InvalidSessionId, .. }) => {
                self.lose(&id, command).await?;
                let id = self.session_id(command).await?;
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
        self.session_id(NEW_SESSION).await.map(drop)
    }

    /// Whether there is a session, as far as is known.
    pub async fn is_held(&self) -> bool {
        matches!(*self.session.lock().await, Held::Id(_))
    }

    /// Ends the session, as far as the server still listens.
    pub async fn end(&self) {
        let ended = std::mem::replace(&mut *self.session.lock().await, Held::None);
        if let Held::Id(id) = ended
            && let Err(failure) = self.client.send(END_SESSION, &format!("/session/{id}"), None).await
        {
            tracing::debug!("the session did not end: {failure:?}");
        }
    }

    /// The error of a command.
    pub fn error(&self, command: Command, failure: Failure) -> DeviceError {
        failure.of(&self.device, command.name)
    }

    /// The session for a command, begun where there is none.
    async fn session_id(&self, command: Command) -> std::result::Result<String, Failure> {
        let mut session = self.session.lock().await;
        let page = match &mut *session {
            Held::Id(id) => return Ok(id.clone()),
            Held::None => None,
            Held::Lost { is_told: true } => self.page(),
            Held::Lost { is_told } => {
                *is_told = command.tells_loss();
                return Err(self.loss());
            }
        };
        let (id, _) = begin(&self.client, &self.capabilities).await?;
        *session = Held::Id(id.clone());
        if let Some(page) = page {
            let go = format!("/session/{id}{}", GO.path);
            self.client.send(GO, &go, Some(&json!({ "url": page }))).await?;
        }
        Ok(id)
    }

    /// The session is lost, unless somebody else has begun another already.
    async fn lose(&self, lost: &str, command: Command) -> std::result::Result<(), Failure> {
        let mut session = self.session.lock().await;
        let is_browser = self.features.is_browser();
        if matches!(&*session, Held::Id(id) if id == lost) {
            *session = if is_browser { Held::Lost { is_told: command.tells_loss() } } else { Held::None };
        }
        if is_browser { Err(self.loss()) } else { Ok(()) }
    }

    fn loss(&self) -> Failure {
        let page = self.page();
        let next = page.map_or_else(|| "with an empty page".to_owned(), |page| format!("at {page}"));
        Failure::Told {
            error: ProtocolError::InvalidSessionId,
            message: format!(
                "the browser's session was lost, and what was opened and typed in it; nothing was sent. \
                 The next command begins a new session {next}: observe first"
            ),
        }
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
