//! The page at `/`: what agents see and do, for a person to look on. It reads and never acts. Uses `operation`'s
//! `watch`.
//!
//! Who gives the token by the form gets a key in a cookie: the key opens this page and nothing else, scripts can't read
//! it, it is sent from no other site, and it is void when the server ends. The token itself is neither kept by the
//! browser nor part of an address that is sent.

mod glances;
mod page;

use std::sync::Arc;

use hyper::header::{COOKIE, HeaderValue, LOCATION, SET_COOKIE};
use hyper::http::request::Parts;
use hyper::{Method, StatusCode};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

use super::answer::{self, Answer};
use crate::frame::hex;
use crate::operation::{Context, OperationError, watch};
use glances::Glances;

pub use page::{is_path, shut_out};

const ENTRANCE: &str = "/viewer/enter";
/// Bytes of a key.
const KEY: usize = 32;

pub struct Viewer {
    context: Arc<Context>,
    /// What the browser brings back, in hexadecimal digits.
    key: String,
    /// Cookies are shared by all ports of a host.
    cookie: String,
    glances: Glances,
}

/// Whether somebody wants to be let in.
pub fn is_entrance(request: &Parts) -> bool {
    request.uri.path() == ENTRANCE && request.method == Method::POST
}

/// The token that the form was sent with.
pub fn token_in(form: &[u8]) -> Option<String> {
    let (_, token) = form_urlencoded::parse(form).find(|(name, _)| name == "token")?;
    Some(token.into_owned())
}

impl Viewer {
    /// # Errors
    /// The system has no random numbers.
    pub fn new(context: Arc<Context>, port: u16) -> Result<Self, OperationError> {
        let mut key = [0; KEY];
        getrandom::fill(&mut key).map_err(|e| OperationError::internal(format!("no random numbers: {e}")))?;
        let cookie = format!("simdrive_viewer_{port}");
        Ok(Self { context, key: hex(&key), cookie, glances: Glances::default() })
    }

    /// Whether a request without token may come in: it brings the key, or asks for what is no secret.
    pub fn admits(&self, request: &Parts) -> bool {
        is_entrance(request) || page::asset(request.uri.path()).is_some() || self.has_key(request)
    }

    fn has_key(&self, request: &Parts) -> bool {
        let cookies = request.headers.get_all(COOKIE).iter().filter_map(|header| header.to_str().ok());
        let mut pairs =
            cookies.flat_map(|header| header.split(';')).filter_map(|pair| pair.trim().split_once('='));
        pairs.any(|(name, value)| {
            name == self.cookie && bool::from(value.as_bytes().ct_eq(self.key.as_bytes()))
        })
    }

    /// Who gave the token: from here on the key is enough.
    pub fn let_in(&self) -> Answer {
        let mut answer = page::empty(StatusCode::SEE_OTHER);
        answer.headers_mut().insert(LOCATION, HeaderValue::from_static("/"));
        let cookie = format!("{}={}; Path=/; HttpOnly; SameSite=Strict", self.cookie, self.key);
        if let Ok(cookie) = HeaderValue::from_str(&cookie) {
            answer.headers_mut().insert(SET_COOKIE, cookie);
        }
        answer
    }

    /// One request of somebody who was let in.
    pub async fn answer(&self, request: &Parts) -> Answer {
        if request.method != Method::GET && request.method != Method::HEAD {
            return answer::refusal(StatusCode::METHOD_NOT_ALLOWED, "this page only reads");
        }
        if let Some(asset) = page::asset(request.uri.path()) {
            return asset;
        }
        let parts: Vec<&str> = request.uri.path().trim_start_matches('/').split('/').collect();
        let answered = match parts.as_slice() {
            [""] => return page::page(),
            ["viewer", "state"] => Ok(self.state(request).await),
            ["viewer", "sessions", session, "picture", hash] => self.picture(session, hash).await,
            ["viewer", "recordings"] => self.read(|context| Ok(watch::recordings(context))).await,
            ["viewer", "recordings", name] => {
                let name = (*name).to_owned();
                self.read(move |context| watch::recording(context, &name)).await
            }
            ["viewer", "recordings", name, "frames", frame] => self.frame(name, frame).await,
            _ => return answer::refusal(StatusCode::NOT_FOUND, "there is nothing here"),
        };
        match answered {
            Ok(Reply::Facts(facts)) => conditional(request, &facts),
            Ok(Reply::Picture(bytes, media_type)) => page::picture(bytes, media_type),
            Err(error) => answer::refusal(StatusCode::NOT_FOUND, &error.message),
        }
    }

    /// What is on now; `?session=` chooses whose screen is shown.
    async fn state(&self, request: &Parts) -> Reply {
        let query = request.uri.query().unwrap_or_default();
        let wanted = form_urlencoded::parse(query.as_bytes()).find(|(name, _)| name == "session");
        let open = self.context.sessions.of_everyone();
        self.glances.forget_all_but(&open);
        let chosen = wanted.and_then(|(_, id)| open.iter().find(|(known, _)| *known == id));
        let shown = match chosen.or_else(|| open.last()) {
            Some((id, session)) => self.glances.look(id, session).await,
            None => Value::Null,
        };
        Reply::Facts(json!({
            "version": env!("CARGO_PKG_VERSION"),
            "mode": self.context.policy.mode().to_string(),
            "sessions": watch::sessions(&self.context),
            "shown": shown,
            "actions": watch::actions(&self.context),
        }))
    }

    async fn picture(&self, session: &str, hash: &str) -> Result<Reply, OperationError> {
        let bytes = self.glances.picture(session, hash).await;
        let bytes =
            bytes.ok_or_else(|| OperationError::invalid("this picture is gone; a newer one is there"))?;
        Ok(Reply::Picture(bytes, "image/jpeg"))
    }

    async fn frame(&self, name: &str, frame: &str) -> Result<Reply, OperationError> {
        let (context, name, frame) = (self.context.clone(), name.to_owned(), frame.to_owned());
        let read = tokio::task::spawn_blocking(move || context.store.frame(&name, &frame));
        let bytes = read.await.map_err(|e| OperationError::internal(e.to_string()))??;
        Ok(Reply::Picture(bytes, "image/png"))
    }

    async fn read(
        &self,
        work: impl FnOnce(&Context) -> Result<Value, OperationError> + Send + 'static,
    ) -> Result<Reply, OperationError> {
        let context = self.context.clone();
        let read = tokio::task::spawn_blocking(move || work(&context));
        read.await.map_err(|e| OperationError::internal(e.to_string()))?.map(Reply::Facts)
    }
}

enum Reply {
    Facts(Value),
    Picture(Vec<u8>, &'static str),
}

/// The facts, or only that they are the same as those that the browser has.
fn conditional(request: &Parts, facts: &Value) -> Answer {
    use hyper::header::{ETAG, IF_NONE_MATCH};
    let tag = format!("\"{}\"", hex(&Sha256::digest(facts.to_string())[..12]));
    let is_known = request.headers.get(IF_NONE_MATCH).is_some_and(|known| known.as_bytes() == tag.as_bytes());
    let mut answer = match is_known {
        true => page::empty(StatusCode::NOT_MODIFIED),
        false => page::guarded(answer::json(StatusCode::OK, facts)),
    };
    if let Ok(tag) = HeaderValue::from_str(&tag) {
        answer.headers_mut().insert(ETAG, tag);
    }
    answer
}
