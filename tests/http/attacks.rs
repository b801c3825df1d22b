//! What must not come in, and what it gets instead.

use std::io::{Read, Write};
use std::time::Instant;

use serde_json::json;

use crate::site::{Client, Reply, Site, TOKEN, command, reply};

fn list(site: &Site, headers: &[(&str, &str)]) -> Reply {
    let mut all =
        vec![("Content-Type", "application/json"), ("Accept", "application/json, text/event-stream")];
    all.extend(headers);
    let message = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"});
    site.raw("POST", "/mcp", &all, &message.to_string())
}

#[test]
fn only_the_token_opens() {
    let site = Site::open();
    let host = site.address.to_string();
    let (right, longer) = (format!("Bearer {TOKEN}"), format!("Bearer {TOKEN}x"));
    for wrong in
        [None, Some("Bearer wrong"), Some("Bearer "), Some("Basic YTpi"), Some(&*longer), Some(TOKEN)]
    {
        let mut headers = vec![("Host", host.as_str())];
        headers.extend(wrong.map(|wrong| ("Authorization", wrong)));
        let refused = list(&site, &headers);
        assert_eq!(refused.status, 401, "{wrong:?} {refused:?}");
        assert!(refused.header("www-authenticate").is_some_and(|scheme| scheme.starts_with("bearer")));
        assert!(!refused.body.contains(TOKEN) && !refused.body.contains("result"));
    }
    for path in ["/", "/mcp", "/token", "/mcp/../healthz", "/..%2f..%2fetc/passwd"] {
        assert_eq!(site.request("GET", path, &[], "").status, 401, "{path}");
    }
    let log = site.audit();
    // six calls and four paths; the page at `/` asks for the token
    assert_eq!(log.matches("\"status\":401").count(), 10, "{log}");
    assert!(!log.contains("wrong") && !log.contains("YTpi") && !log.contains("passwd"), "{log}");
    assert_eq!(site.request("GET", "/nothing", &[("Authorization", &right)], "").status, 404);
    assert!(!site.said.contains(TOKEN));
}

#[test]
fn foreign_pages_and_rebound_names_are_refused_even_with_the_token() {
    let site = Site::open();
    let host = site.address.to_string();
    let right = ("Authorization", "Bearer a-token-of-the-tests");
    for origin in ["https://evil.example", "null", "http://localhost.evil.example"] {
        assert_eq!(list(&site, &[("Host", &host), right, ("Origin", origin)]).status, 403, "{origin}");
    }
    for rebound in ["evil.example", "127.0.0.1.evil.example:80", "localhost@evil.example"] {
        assert_eq!(list(&site, &[("Host", rebound), right]).status, 403, "{rebound}");
    }
    assert_eq!(list(&site, &[right]).status, 403, "no Host");
    assert_eq!(list(&site, &[("Host", &host), ("Host", "evil.example"), right]).status, 403, "two Hosts");
    let log = site.audit();
    assert!(log.matches("\"status\":403").count() == 8 && !log.contains("evil"), "{log}");
    // a page of this machine comes in, and is then told that it has no session
    let local = format!("http://{host}");
    assert_eq!(list(&site, &[("Host", &host), right, ("Origin", &local)]).status, 400);
}

#[test]
fn an_admitted_page_may_read_what_it_is_answered_and_no_other_may() {
    let home = tempfile::tempdir().unwrap();
    let mut command = command(&home);
    command.args(["serve", "--http", "127.0.0.1:0", "--allow-origin", "https://app.example.com"]);
    let site = Site::over(command, home);
    let page = ("Origin", "https://app.example.com");
    let asks = ("Access-Control-Request-Method", "POST");
    let preflight = site.request("OPTIONS", "/mcp", &[page, asks], "");
    assert_eq!(preflight.status, 204);
    assert_eq!(preflight.header("access-control-allow-origin"), Some("https://app.example.com"));
    let headers = preflight.header("access-control-allow-headers").unwrap();
    assert!(headers.contains("authorization") && headers.contains("mcp-session-id"), "{headers}");
    // a page sees that it lacks the token, and its answers, but nothing opens without the token
    let refused = site.request("POST", "/mcp", &[page], "{}");
    assert_eq!(
        (refused.status, refused.header("access-control-allow-origin")),
        (401, Some("https://app.example.com"))
    );
    let foreign = site.request("OPTIONS", "/mcp", &[("Origin", "https://evil.example"), asks], "");
    assert_eq!((foreign.status, foreign.header("access-control-allow-origin")), (403, None));
    assert_eq!(site.request("OPTIONS", "/", &[page, asks], "").status, 401);
}

#[test]
fn large_bodies_and_heads_are_refused_and_the_server_goes_on() {
    let site = Site::open();
    let bearer = format!("Bearer {TOKEN}");
    let headers = [
        ("Authorization", bearer.as_str()),
        ("Content-Type", "application/json"),
        ("Accept", "application/json, text/event-stream"),
    ];
    let body = format!("\"{}\"", "x".repeat(2 * 1024 * 1024));
    assert_eq!(site.request("POST", "/mcp", &headers, &body).status, 413);

    let many: String = (0..100_000).map(|i| format!("x-{i}: y\r\n")).collect();
    let mut stream = site.connect();
    // it may be cut off while still writing
    let _ = stream.write_all(format!("GET /healthz HTTP/1.1\r\nHost: localhost\r\n{many}\r\n").as_bytes());
    let refused = reply(&mut stream);
    assert!(matches!(refused.status, 0 | 431), "{refused:?}");

    // a gigabyte is announced, and not waited for
    let mut stream = site.connect();
    write!(
        stream,
        "POST /mcp HTTP/1.1\r\nHost: localhost\r\nAuthorization: {bearer}\r\nContent-Length: 1073741824\r\n\r\nx"
    )
    .unwrap();
    let mut start = [0; 12];
    stream.read_exact(&mut start).unwrap();
    assert_eq!(&start, b"HTTP/1.1 413");
    let log = site.audit();
    assert_eq!(log.matches("\"status\":413").count(), 2, "{log}");
    assert_eq!(log.matches("\"status\":431").count(), 1, "{log}");
    assert!(Client::legacy(&site).well("version", json!({})).starts_with("simdrive "));
}

#[test]
fn a_slow_body_is_not_waited_for() {
    let site = Site::open();
    let mut stream = site.connect();
    let begin = Instant::now();
    write!(
        stream,
        "POST /mcp HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nAuthorization: Bearer {TOKEN}\r\nContent-Length: 100\r\n\r\n{{"
    )
    .unwrap();
    // others are served meanwhile
    assert!(Client::legacy(&site).well("version", json!({})).starts_with("simdrive "));
    assert_eq!(reply(&mut stream).status, 408);
    assert!(site.audit().contains("\"status\":408"));
    assert!((8..60).contains(&begin.elapsed().as_secs()));
}

#[test]
fn who_asks_too_often_is_told_to_wait() {
    let home = tempfile::tempdir().unwrap();
    let mut command = command(&home);
    command.args(["serve", "--http", "127.0.0.1:0", "--rate", "2"]).env("SIMDRIVE_TOKEN", TOKEN);
    let site = Site::over(command, home);
    let mut stream = site.connect();
    let one = "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n";
    let last = "GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
    stream.write_all(format!("{}{last}", one.repeat(49)).as_bytes()).unwrap();
    let mut answers = String::new();
    stream.read_to_string(&mut answers).unwrap();
    let (well, refused) = (answers.matches("HTTP/1.1 200").count(), answers.matches("HTTP/1.1 429").count());
    assert_eq!(well + refused, 50, "{answers}");
    assert!((4..40).contains(&well), "{well} were let in");
}
