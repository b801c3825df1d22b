//! What goes wrong between us and a phone: each ends in recovery or a typed error, and nothing is done twice.

use std::time::Duration;

use serde_json::json;
use simdrive::code::ErrorCode;
use simdrive::device::{Device, DeviceError};
use tokio::task::JoinSet;

use crate::standin::{Fault, StandIn};
use crate::wire::Wire;
use crate::{TAP_AT, phone, tap};

#[derive(Clone, Copy, Debug)]
enum Deed {
    Look,
    ReadTree,
    Tap,
    Type,
}
use Deed::{Look, ReadTree, Tap, Type};

impl Deed {
    async fn on(self, device: &dyn Device) -> Result<(), DeviceError> {
        match self {
            Look => device.screenshot().await.map(drop),
            ReadTree => device.accessibility().await.map(drop),
            Tap => device.hid(&tap(TAP_AT)).await,
            Type => device.type_text("Ada").await,
        }
    }
}

struct Row {
    name: &'static str,
    call: &'static str,
    fault: Fault,
    /// So many calls meet it.
    times: usize,
    deed: Deed,
    /// The code of the error, where it is not got over.
    error: Option<ErrorCode>,
    /// How often it was asked for, and how often done.
    asked: usize,
    done: usize,
}

const SHOT: &str = "GET /screenshot";
const LOCKED: &str = "GET /wda/locked";
const TREE: &str = "GET /source?format=json";
const ACT: &str = "POST /actions";
const KEYS: &str = "POST /wda/keys";
/// Every call that comes.
const ALWAYS: usize = 99;

#[rustfmt::skip]
fn rows() -> Vec<Row> {
    use ErrorCode::{DeviceUnreachable, Internal, InvalidArgument, Timeout, UnsupportedOnTarget};
    use Fault::{Cut, Drop, Error, Hang, Html, Stall, Value};
    let long = Duration::from_secs(30);
    let lost = || Error(404, "invalid session id", "Session does not exist");
    let stale = || Error(404, "stale element reference", "the application was replaced");
    let row = |name, (call, deed), (fault, times), error, (asked, done)| {
        Row { name, call, fault, times, deed, error, asked, done }
    };
    let (look, read, tap, typing) = ((SHOT, Look), (TREE, ReadTree), (ACT, Tap), (KEYS, Type));
    vec![
        row("a tap fails inside XCTest", tap, (Error(500, "unknown error", "Error Domain=XCTest"), ALWAYS), Some(UnsupportedOnTarget), (1, 0)),
        row("a tap is malformed to the server", tap, (Error(400, "invalid argument", "'y' is required"), ALWAYS), Some(InvalidArgument), (1, 0)),
        row("another client took the session before a look", look, (lost(), 1), None, (2, 1)),
        row("another client took the session before a tap", tap, (lost(), 1), None, (2, 1)),
        row("another client took the session before typing", typing, (lost(), 1), None, (2, 1)),
        row("the session is taken again and again", tap, (lost(), ALWAYS), Some(DeviceUnreachable), (2, 0)),
        row("a read hangs", (LOCKED, Look), (Hang(long), 1), Some(Timeout), (1, 0)),
        row("half an answer comes, and then nothing", (LOCKED, Look), (Stall(long), 1), Some(Timeout), (1, 1)),
        row("a tap is slow", tap, (Hang(Duration::from_secs(1)), 1), None, (1, 1)),
        row("the phone is locked", (LOCKED, Look), (Value(json!(true)), 1), Some(UnsupportedOnTarget), (1, 0)),
        row("the connection is closed twice while looking", look, (Drop, 2), None, (3, 1)),
        row("the connection is closed whenever it is looked", look, (Drop, ALWAYS), Some(DeviceUnreachable), (3, 0)),
        row("the connection is closed on a tap", tap, (Drop, ALWAYS), Some(DeviceUnreachable), (1, 0)),
        row("the connection breaks in the middle of a picture", look, (Cut, 2), None, (3, 3)),
        row("the connection breaks in the answer to a tap", tap, (Cut, ALWAYS), Some(DeviceUnreachable), (1, 1)),
        row("the connection breaks in the answer to typing", typing, (Cut, ALWAYS), Some(DeviceUnreachable), (1, 1)),
        row("a proxy answers a look in HTML", look, (Html, 2), None, (3, 1)),
        row("a proxy answers a tap in HTML", tap, (Html, ALWAYS), Some(Internal), (1, 0)),
        row("an old agent knows no actions", tap, (Error(404, "unknown command", "Unhandled endpoint"), ALWAYS), Some(UnsupportedOnTarget), (1, 0)),
        row("the app is replaced while its tree is read", read, (stale(), 1), None, (2, 1)),
        row("the app is replaced under a tap", tap, (stale(), ALWAYS), Some(UnsupportedOnTarget), (1, 0)),
        row("the screen can't be captured for a moment", look, (Error(500, "unable to capture screen", "timed out"), 2), None, (3, 1)),
        row("a picture is no base64", look, (Value(json!("not base64!")), 1), Some(Internal), (1, 0)),
        row("JSON comes as text", look, (Fault::Type("text/html"), 1), None, (1, 1)),
        row("a tap is answered as text", tap, (Fault::Type("text/plain"), 1), None, (1, 1)),
        row("no field has the focus", typing, (Error(400, "invalid element state", "no keyboard"), ALWAYS), Some(UnsupportedOnTarget), (1, 0)),
    ]
}

#[tokio::test]
async fn every_fault_ends_in_recovery_or_a_typed_error_and_nothing_is_done_twice() {
    let mut running = JoinSet::new();
    for row in rows() {
        running.spawn(meets(row));
    }
    running.join_all().await;
}

async fn meets(row: Row) {
    let Row { name, call, fault, times, deed, error, asked, done } = row;
    let server = StandIn::start();
    let device = phone(&server).await;
    let (asked_before, done_before) = (server.count(call), server.done(call));
    server.fault(call, fault.clone(), times);
    let ended = deed.on(&*device).await;
    assert_eq!(ended.as_ref().err().map(DeviceError::code), error, "{name}: {ended:?}");
    let counted = (server.count(call) - asked_before, server.done(call) - done_before);
    assert_eq!(counted, (asked, done), "{name}: asked, done");
    // and the next command goes well
    server.fault(call, fault, 0);
    deed.on(&*device).await.unwrap_or_else(|error| panic!("{name}, and after it: {error}"));
}

#[tokio::test]
async fn a_tap_on_an_alert_that_hangs_is_sent_once_and_times_out() {
    let server = StandIn::start();
    let device = phone(&server).await;
    server.fault(SHOT, Fault::Error(500, "unexpected alert open", "Alert open"), 1);
    device.screenshot().await.unwrap();
    let tree = device.accessibility().await.unwrap().unwrap();
    let allow = tree.root.walk().find(|node| node.label.as_deref() == Some("Allow")).unwrap();
    let at = allow.frame.unwrap().center();
    server.fault("POST /alert/accept", Fault::Hang(Duration::from_secs(40)), 1);
    let tapped = device.hid(&tap(simdrive::geometry::PanelPoint { x: at.x, y: at.y })).await;
    assert_eq!(tapped.unwrap_err().code(), ErrorCode::Timeout);
    assert_eq!(server.count("POST /alert/accept"), 1);
}

#[tokio::test]
async fn a_runner_that_died_is_unreachable_and_one_that_came_back_is_gone_on_with() {
    let server = StandIn::start();
    let device = phone(&server).await;
    server.die();
    for deed in [Look, Tap, Type] {
        let error = deed.on(&*device).await.unwrap_err();
        assert_eq!(error.code(), ErrorCode::DeviceUnreachable, "{deed:?}: {error}");
    }
    assert_eq!((server.count(ACT), server.count(KEYS)), (0, 0), "nothing was sent");
    server.come_back();
    Tap.on(&*device).await.unwrap();
    // refused for its old session, and sent to the new one
    assert_eq!((server.count("POST /session"), server.count(ACT), server.done(ACT)), (2, 2, 1));
}

/// The code of the error that a tool answers with, or none.
fn code(text: &str, is_error: bool) -> &str {
    if is_error { text["error ".len()..].split(':').next().unwrap_or_default() } else { "" }
}

#[test]
fn an_agent_is_told_what_went_wrong_and_its_taps_are_counted_once() {
    let server = StandIn::of("demo");
    let mut wire = Wire::initialized();
    wire.well("session_start", json!({"device": server.selector(), "app": "com.example.demo"}));
    let mut taps = 0;
    for (name, call, fault, times, wanted, arrives) in [
        ("well", ACT, Fault::Hang(Duration::ZERO), 1, "", true),
        ("XCTest", ACT, Fault::Error(500, "unknown error", "XCTest"), 1, "unsupported_on_target", false),
        ("lost", ACT, Fault::Error(404, "invalid session id", "gone"), 1, "", true),
        ("cut", ACT, Fault::Cut, 1, "device_unreachable", true),
        ("locked", LOCKED, Fault::Value(json!(true)), 1, "unsupported_on_target", false),
        ("no picture", SHOT, Fault::Value(json!("bm8gcGljdHVyZQ==")), 1, "internal", false),
        ("half a picture", SHOT, Fault::Value(json!(truncated())), 1, "internal", false),
        ("pictures again", SHOT, Fault::Cut, 2, "", true),
    ] {
        server.fault(call, fault, times);
        let (text, is_error) = wire.text("tap", json!({"label": "Count up"}));
        assert_eq!(code(&text, is_error), wanted, "{name}: {text}");
        taps += usize::from(arrives);
        assert_eq!(server.done(ACT), taps, "{name}: {text}");
        let seen = wire.well("observe", json!({"image": "none"}));
        assert!(seen.contains(&format!("Counter: {taps}")), "{name}: {seen}");
    }
    // the runner dies and comes back in the middle of the session
    server.die();
    let (text, is_error) = wire.text("tap", json!({"label": "Count up"}));
    assert_eq!(code(&text, is_error), "device_unreachable", "{text}");
    server.come_back();
    let tapped = wire.well("tap", json!({"label": "Count up"}));
    assert!(tapped.contains(&format!("Counter: {}", taps + 1)), "{tapped}");
}

/// The first half of a PNG, in base64.
fn truncated() -> String {
    use base64::Engine;
    let mut png = std::io::Cursor::new(Vec::new());
    let picture = image::RgbaImage::from_fn(393, 852, |x, y| image::Rgba([x as u8, y as u8, 90, 255]));
    picture.write_to(&mut png, image::ImageFormat::Png).unwrap();
    let png = png.into_inner();
    base64::engine::general_purpose::STANDARD.encode(&png[..png.len() / 2])
}
