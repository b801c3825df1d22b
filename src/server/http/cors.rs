//! Lets pages of admitted origins read what they are answered (Fetch standard, CORS protocol). Uses nothing of this
//! crate; which origins those are is the guard's.

use hyper::header::{
    ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN,
    ACCESS_CONTROL_EXPOSE_HEADERS, ACCESS_CONTROL_MAX_AGE, ACCESS_CONTROL_REQUEST_METHOD, HeaderMap,
    HeaderValue, ORIGIN, VARY,
};
use hyper::http::request::Parts;
use hyper::{Method, StatusCode};

use super::answer::{self, Answer};

/// What clients of MCP send beyond what a page may send anyhow.
const HEADERS: HeaderValue = HeaderValue::from_static(
    "authorization, content-type, last-event-id, mcp-method, mcp-name, mcp-protocol-version, mcp-session-id",
);
const METHODS: HeaderValue = HeaderValue::from_static("GET, POST, DELETE");
const READABLE: HeaderValue = HeaderValue::from_static("mcp-session-id, www-authenticate");
/// So long a browser need not ask again.
const TEN_MINUTES: HeaderValue = HeaderValue::from_static("600");

/// Whether a browser asks, before it sends a request of a page's, if it may. It sends no token with that.
pub fn is_preflight(request: &Parts) -> bool {
    request.method == Method::OPTIONS
        && request.headers.contains_key(ORIGIN)
        && request.headers.contains_key(ACCESS_CONTROL_REQUEST_METHOD)
}

pub fn preflight() -> Answer {
    let mut answer = answer::empty(StatusCode::NO_CONTENT);
    let headers = answer.headers_mut();
    headers.insert(ACCESS_CONTROL_ALLOW_METHODS, METHODS);
    headers.insert(ACCESS_CONTROL_ALLOW_HEADERS, HEADERS);
    headers.insert(ACCESS_CONTROL_MAX_AGE, TEN_MINUTES);
    answer
}

/// The page that asked, whose origin was admitted, may read the answer.
pub fn readable(headers: &mut HeaderMap, origin: HeaderValue) {
    headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, origin);
    headers.insert(ACCESS_CONTROL_EXPOSE_HEADERS, READABLE);
    headers.append(VARY, HeaderValue::from_static("origin"));
}
