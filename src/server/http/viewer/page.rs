//! The page's files, and the headers that keep it to itself. Uses its siblings' answers.

use http_body_util::{BodyExt, Full};
use hyper::body::Bytes;
use hyper::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HeaderName, HeaderValue, REFERRER_POLICY,
    X_CONTENT_TYPE_OPTIONS, X_FRAME_OPTIONS,
};
use hyper::{Response, StatusCode};

use crate::server::http::answer::Answer;

/// Nothing from elsewhere, nothing inline, in nobody's frame.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; \
form-action 'self'; base-uri 'none'; frame-ancestors 'none'";
const HTML: &str = "text/html; charset=utf-8";

/// Whether the viewer answers there.
pub fn is_path(path: &str) -> bool {
    path == "/" || path.starts_with("/viewer/")
}

/// A file that holds nothing of anybody's.
pub fn asset(path: &str) -> Option<Answer> {
    let (text, media_type) = match path {
        "/viewer/page.css" => (include_str!("page.css"), "text/css; charset=utf-8"),
        "/viewer/page.js" => (include_str!("page.js"), "text/javascript; charset=utf-8"),
        "/viewer/enter.js" => (include_str!("enter.js"), "text/javascript; charset=utf-8"),
        "/viewer/icon.svg" => (include_str!("icon.svg"), "image/svg+xml"),
        _ => return None,
    };
    Some(answer(StatusCode::OK, text.into(), media_type))
}

pub fn page() -> Answer {
    answer(StatusCode::OK, include_str!("page.html").into(), HTML)
}

/// The page with a field for the token.
pub fn shut_out(was_wrong: bool) -> Answer {
    let note = if was_wrong { "That is not this server's token." } else { "" };
    let text = include_str!("enter.html").replace("{{note}}", note);
    answer(StatusCode::UNAUTHORIZED, text.into(), HTML)
}

pub fn picture(bytes: Vec<u8>, media_type: &'static str) -> Answer {
    answer(StatusCode::OK, bytes.into(), media_type)
}

pub fn empty(status: StatusCode) -> Answer {
    let mut answer = Response::new(Full::new(Bytes::new()).boxed());
    *answer.status_mut() = status;
    guarded(answer)
}

fn answer(status: StatusCode, body: Bytes, media_type: &'static str) -> Answer {
    let mut answer = Response::new(Full::new(body).boxed());
    *answer.status_mut() = status;
    answer.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(media_type));
    guarded(answer)
}

/// The same, for this page alone.
pub fn guarded(mut answer: Answer) -> Answer {
    const SAME: &str = "same-origin";
    let headers: [(HeaderName, &'static str); 7] = [
        (CONTENT_SECURITY_POLICY, POLICY),
        // not `no-referrer`: a form would then be sent with `Origin: null`, which the guard keeps out
        (REFERRER_POLICY, SAME),
        (X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (X_FRAME_OPTIONS, "DENY"),
        (CACHE_CONTROL, "no-store"),
        (HeaderName::from_static("cross-origin-resource-policy"), SAME),
        (HeaderName::from_static("cross-origin-opener-policy"), SAME),
    ];
    for (name, value) in headers {
        answer.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    answer
}
