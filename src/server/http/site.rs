//! Answers one request: refuses what may not come in, and hands the rest to the protocol. Uses its siblings.

use std::collections::BTreeSet;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use http_body_util::Full;
use hyper::body::Incoming;
use hyper::header::{AUTHORIZATION, ORIGIN};
use hyper::http::request::Parts;
use hyper::{Method, Request, StatusCode};
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use serde_json::json;
use tokio_util::sync::CancellationToken;

use super::answer::{self, Answer};
use super::body;
use super::cors;
use super::guard::{Guard, Refused};
use super::rate::Rate;
use super::refusals::Refusals;
use super::token::Token;
use super::viewer::{self, Viewer};
use crate::operation::Context;
use crate::server::handler::Handler;
use crate::session::Client;

pub struct Site {
    pub guard: Guard,
    pub token: Token,
    pub rate: Rate,
    /// How long a client may be silent.
    idle: Duration,
    refusals: Refusals,
    viewer: Viewer,
    protocol: Protocol,
    context: Arc<Context>,
}

/// The protocol, and its own sessions.
struct Protocol {
    service: StreamableHttpService<Handler, LocalSessionManager>,
    sessions: Arc<LocalSessionManager>,
}

impl Site {
    /// `ended` ends the streams that clients listen to.
    pub fn new(
        context: Arc<Context>,
        guard: Guard,
        token: Token,
        rate: Rate,
        idle: Duration,
        viewer: Viewer,
        ended: CancellationToken,
    ) -> Self {
        let mut sessions = LocalSessionManager::default();
        sessions.session_config.keep_alive = Some(idle);
        let sessions = Arc::new(sessions);
        let config = StreamableHttpServerConfig::default()
            // the guard knows them
            .disable_allowed_hosts()
            .disable_allowed_origins()
            .with_json_response(true)
            .with_max_request_body_bytes(body::LARGEST)
            .with_cancellation_token(ended);
        let of_handlers = context.clone();
        let factory = move || Ok(Handler::new(of_handlers.clone()));
        let service = StreamableHttpService::new(factory, sessions.clone(), config);
        let refusals = Refusals::new(context.audit.clone());
        Self { guard, token, rate, idle, refusals, viewer, protocol: Protocol { service, sessions }, context }
    }

    pub async fn answer(&self, peer: IpAddr, request: Request<Incoming>) -> Answer {
        let (parts, body) = request.into_parts();
        let admitted = self.guard.admit(&parts);
        let page = parts.headers.get(ORIGIN).filter(|_| admitted.is_ok()).cloned();
        let mut answer = match self.check(peer, &parts, admitted) {
            Ok(()) => self.answer_to(peer, parts, body).await,
            Err((status, why)) => self.refuse(peer, &parts, status, &why),
        };
        if let Some(origin) = page {
            cors::readable(answer.headers_mut(), origin);
        }
        answer
    }

    fn refuse(&self, peer: IpAddr, request: &Parts, status: StatusCode, why: &str) -> Answer {
        // whoever opens the page without a token is asked for it
        if status == StatusCode::UNAUTHORIZED && request.uri.path() == "/" {
            return viewer::shut_out(false);
        }
        self.refusals.tell(peer, status, why);
        answer::refusal(status, why)
    }

    async fn answer_to(&self, peer: IpAddr, parts: Parts, body: Incoming) -> Answer {
        match (parts.uri.path(), &parts.method) {
            ("/mcp" | "/mcp/", &Method::OPTIONS) if cors::is_preflight(&parts) => cors::preflight(),
            ("/healthz", &Method::GET | &Method::HEAD) => {
                answer::json(StatusCode::OK, &json!({"status": "ok", "version": env!("CARGO_PKG_VERSION")}))
            }
            ("/healthz", _) => answer::refusal(StatusCode::METHOD_NOT_ALLOWED, "only GET is known here"),
            ("/mcp" | "/mcp/", _) => self.speak(peer, parts, body).await,
            (path, _) if viewer::is_path(path) => self.view(peer, &parts, body).await,
            _ => answer::refusal(StatusCode::NOT_FOUND, "there is nothing here; MCP is at /mcp"),
        }
    }

    /// # Errors
    /// It may not come in: how that is answered, and why.
    fn check(
        &self,
        peer: IpAddr,
        request: &Parts,
        admitted: Result<(), Refused>,
    ) -> Result<(), (StatusCode, String)> {
        if !self.rate.admits(peer, Instant::now()) {
            return Err((StatusCode::TOO_MANY_REQUESTS, "too many requests; wait a second".to_owned()));
        }
        admitted.map_err(|refused| (StatusCode::FORBIDDEN, refused.to_string()))?;
        let mut given = request.headers.get_all(AUTHORIZATION).iter();
        let has_token =
            given.next().is_some_and(|header| self.token.is_in(header.as_bytes())) && given.next().is_none();
        let path = request.uri.path();
        // the viewer asks for the token itself, by a page
        let is_preflight = path.starts_with("/mcp") && cors::is_preflight(request);
        if has_token
            || is_preflight
            || path == "/healthz"
            || (viewer::is_path(path) && self.viewer.admits(request))
        {
            return Ok(());
        }
        let why = "send `Authorization: Bearer TOKEN`; the server says at its start where the token is";
        Err((StatusCode::UNAUTHORIZED, why.to_owned()))
    }

    fn unreadable(&self, peer: IpAddr, error: &body::BodyError) -> Answer {
        self.refusals.tell(peer, error.status(), &error.to_string());
        answer::refusal(error.status(), &error.to_string())
    }

    /// The pages of the viewer.
    async fn view(&self, peer: IpAddr, request: &Parts, body: Incoming) -> Answer {
        if !viewer::is_entrance(request) {
            return self.viewer.answer(request).await;
        }
        let body = match body::read(body).await {
            Ok(body) => body,
            Err(error) => return self.unreadable(peer, &error),
        };
        match viewer::token_in(&body).is_some_and(|given| self.token.is(given.as_bytes())) {
            true => self.viewer.let_in(),
            false => {
                self.refusals.tell(peer, StatusCode::UNAUTHORIZED, "a wrong token was given to the viewer");
                viewer::shut_out(true)
            }
        }
    }

    async fn speak(&self, peer: IpAddr, mut parts: Parts, body: Incoming) -> Answer {
        let body = match body::read(body).await {
            Ok(body) => body,
            Err(error) => return self.unreadable(peer, &error),
        };
        // what handlers and logs see of a request holds no token
        parts.headers.remove(AUTHORIZATION);
        let leaves = parts.method == Method::DELETE;
        let answer = self.protocol.service.handle(Request::from_parts(parts, Full::new(body))).await;
        if leaves {
            self.end_what_is_over().await;
        }
        answer
    }

    /// A connection broke off whose head was no request, or was not to be taken.
    pub fn broke_off(&self, peer: IpAddr, error: &hyper::Error) {
        if error.is_parse() {
            let status = StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE;
            let (status, why) = match error.is_parse_too_large() {
                true => (status, "the head of the request is too large"),
                false => (StatusCode::BAD_REQUEST, "this is no request of HTTP"),
            };
            self.refusals.tell(peer, status, why);
        } else {
            tracing::debug!(%peer, "a connection broke off: {error}");
        }
    }

    /// Ends the sessions of clients that are gone, and those that nobody used for long.
    pub async fn end_what_is_over(&self) {
        let connected: BTreeSet<String> =
            self.protocol.sessions.sessions.read().await.keys().map(|id| id.to_string()).collect();
        let is_gone = |owner: &Client| matches!(owner, Client::Connected(id) if !connected.contains(id));
        self.context.sessions.end_where(|owner, idle| is_gone(owner) || idle > self.idle).await;
    }

    /// Ends everything that is open.
    pub async fn close(&self) {
        self.context.close().await;
    }
}
