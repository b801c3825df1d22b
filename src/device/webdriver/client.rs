//! One exchange with a WebDriver server: deadline, retries of reads, and the envelope taken off. Uses `error`.

use std::time::Duration;

use reqwest::Method;
use reqwest::header::CONTENT_TYPE;
use serde_json::Value;

use super::error::{Failure, ProtocolError};

/// A Grid refuses the type without its character set.
const JSON: &str = "application/json; charset=utf-8";
/// How often a read is tried, and the pause after the first failure; it doubles.
const TRIES: u32 = 3;
const PAUSE: Duration = Duration::from_millis(100);
/// No answer of a server is larger.
const LARGEST_ANSWER: usize = 256 * 1024 * 1024;
/// What a Grid says of a session whose node has died or does not answer.
const NODE_IS_GONE: &str = "Unable to execute request for an existing session";
/// So much of an answer that is none is told.
const TOLD: usize = 200;

/// One command of the protocol.
#[derive(Clone, Copy, Debug)]
pub struct Command {
    /// As errors call it.
    pub name: &'static str,
    pub method: Verb,
    /// Behind the session, or behind the server's address.
    pub path: &'static str,
    pub scope: Scope,
    pub deadline: Duration,
    /// Changes nothing: may be sent again.
    pub is_read: bool,
    /// Its error reaches whoever drives the device; that of a tree or a size may end as a note.
    pub is_look: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verb {
    Get,
    Post,
    Delete,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    Server,
    Session,
}

impl Command {
    pub const fn get(name: &'static str, path: &'static str) -> Self {
        let deadline = Duration::from_secs(60);
        Self { name, method: Verb::Get, path, scope: Scope::Session, deadline, is_read: true, is_look: false }
    }

    pub const fn post(name: &'static str, path: &'static str) -> Self {
        Self { method: Verb::Post, is_read: false, ..Self::get(name, path) }
    }

    pub const fn delete(name: &'static str, path: &'static str) -> Self {
        Self { method: Verb::Delete, is_read: false, ..Self::get(name, path) }
    }

    /// A POST that changes nothing.
    pub const fn reading(self) -> Self {
        Self { is_read: true, ..self }
    }

    /// A read that shows the screen.
    pub const fn looking(self) -> Self {
        Self { is_look: true, ..self }
    }

    pub const fn tells_loss(self) -> bool {
        self.is_look || !self.is_read
    }

    pub const fn of_server(self) -> Self {
        Self { scope: Scope::Server, ..self }
    }

    pub const fn within(self, seconds: u64) -> Self {
        Self { deadline: Duration::from_secs(seconds), ..self }
    }
}

/// A name and its key, which are never shown.
#[derive(Clone)]
pub struct Credentials {
    pub user: String,
    pub key: String,
}

/// Speaks to one server.
pub struct Client {
    http: reqwest::Client,
    base: String,
    credentials: Option<Credentials>,
}

impl Client {
    /// # Errors
    /// TLS can't be set up on this machine.
    pub fn new(base: String, credentials: Option<Credentials>) -> Result<Self, Failure> {
        // another session may have chosen it already
        let _ = rustls::crypto::ring::default_provider().install_default();
        let http = reqwest::Client::builder()
            .connect_timeout(Duration::from_secs(10))
            .redirect(reqwest::redirect::Policy::none())
            .build()
            .map_err(|error| Failure::Transport(told(&error)))?;
        Ok(Self { http, base, credentials })
    }

    /// Sends a command and gives the value of its answer. Reads are tried again after what passes.
    pub async fn send(&self, command: Command, path: &str, body: Option<&Value>) -> Result<Value, Failure> {
        let mut pause = PAUSE;
        let tries = if command.is_read { TRIES } else { 1 };
        for _ in 1..tries {
            match self.send_once(command, path, body).await {
                Err(failure) if failure.is_passing() => tokio::time::sleep(pause).await,
                answered => return answered,
            }
            pause *= 2;
        }
        self.send_once(command, path, body).await
    }

    async fn send_once(&self, command: Command, path: &str, body: Option<&Value>) -> Result<Value, Failure> {
        let method = match command.method {
            Verb::Get => Method::GET,
            Verb::Post => Method::POST,
            Verb::Delete => Method::DELETE,
        };
        let mut request = self.http.request(method, format!("{}{path}", self.base)).timeout(command.deadline);
        if let Some(Credentials { user, key }) = &self.credentials {
            request = request.basic_auth(user, Some(key));
        }
        if command.method == Verb::Post {
            let body = body.map_or_else(|| "{}".to_owned(), Value::to_string);
            request = request.header(CONTENT_TYPE, JSON).body(body);
        }
        let failed = |error: reqwest::Error| {
            if error.is_timeout() && !error.is_connect() {
                Failure::Timeout(command.deadline)
            } else {
                Failure::Transport(told(&error))
            }
        };
        let mut answer = request.send().await.map_err(failed)?;
        let status = answer.status();
        let mut bytes = Vec::new();
        while let Some(part) = answer.chunk().await.map_err(failed)? {
            if bytes.len() + part.len() > LARGEST_ANSWER {
                return Err(Failure::Unreadable("an answer of more than 256 MiB".to_owned()));
            }
            bytes.extend_from_slice(&part);
        }
        open(&bytes, status)
    }
}

/// Takes the envelope off.
fn open(bytes: &[u8], status: reqwest::StatusCode) -> Result<Value, Failure> {
    if status == reqwest::StatusCode::UNAUTHORIZED {
        let message = "the server wants a user name and a key: set SIMDRIVE_WEBDRIVER_USER and \
                       SIMDRIVE_WEBDRIVER_KEY"
            .to_owned();
        return Err(Failure::Told { error: ProtocolError::SessionNotCreated, message });
    }
    let Ok(Value::Object(mut envelope)) = serde_json::from_slice::<Value>(bytes) else {
        let begin: String = String::from_utf8_lossy(bytes).chars().take(TOLD).collect();
        return Err(Failure::Unreadable(format!("HTTP {status}: {begin:?}")));
    };
    // older agents answer with the session beside the value
    let session = envelope.remove("sessionId");
    let mut value = envelope.remove("value").unwrap_or(Value::Null);
    if let Some(error) = value.get("error").and_then(Value::as_str)
        && (!status.is_success() || value.get("message").is_some())
    {
        let message = value.get("message").and_then(Value::as_str).unwrap_or_default();
        // the stack of the driver follows
        let message = message.lines().next().unwrap_or_default();
        if message.starts_with(NODE_IS_GONE) {
            let reason =
                format!("the Grid does not reach this session's node; start a new session ({message})");
            return Err(Failure::Transport(reason));
        }
        let message = if message.is_empty() { error.to_owned() } else { format!("{error}: {message}") };
        return Err(Failure::Told { error: ProtocolError::named(error), message });
    }
    if !status.is_success() {
        return Err(Failure::Unreadable(format!("HTTP {status} without an error of the protocol")));
    }
    if let (Some(id @ Value::String(_)), Value::Object(value)) = (session, &mut value)
        && value.contains_key("capabilities")
    {
        value.entry("sessionId").or_insert(id);
    }
    Ok(value)
}

/// An error of the connection with its causes, without the address, which may hold a key.
fn told(error: &reqwest::Error) -> String {
    let mut told = match error {
        e if e.is_connect() => "no connection".to_owned(),
        _ => "the connection broke".to_owned(),
    };
    let mut cause = std::error::Error::source(error);
    while let Some(error) = cause {
        told = format!("{told}: {error}");
        cause = error.source();
    }
    told
}
