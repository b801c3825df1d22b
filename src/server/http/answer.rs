//! The answers that are not the protocol's: small, of JSON, and kept by nobody.

use std::convert::Infallible;

use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt, Full};
use hyper::body::Bytes;
use hyper::header::{CACHE_CONTROL, CONTENT_TYPE, HeaderValue, WWW_AUTHENTICATE, X_CONTENT_TYPE_OPTIONS};
use hyper::{Response, StatusCode};
use serde_json::{Value, json};

pub type Answer = Response<BoxBody<Bytes, Infallible>>;

pub fn json(status: StatusCode, document: &Value) -> Answer {
    let mut answer = Response::new(Full::new(Bytes::from(document.to_string())).boxed());
    *answer.status_mut() = status;
    let headers = answer.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    answer
}

pub fn empty(status: StatusCode) -> Answer {
    let mut answer = Response::new(Full::new(Bytes::new()).boxed());
    *answer.status_mut() = status;
    answer
}

/// Says what is wrong, and nothing of what was sent.
pub fn refusal(status: StatusCode, why: &str) -> Answer {
    let mut answer = json(status, &json!({"error": {"status": status.as_u16(), "message": why}}));
    if status == StatusCode::UNAUTHORIZED {
        answer.headers_mut().insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer realm=\"simdrive\""));
    }
    answer
}
