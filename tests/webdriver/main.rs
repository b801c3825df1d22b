//! A WebDriver device against a stand-in with WebDriverAgent's answers: what a phone can do, and every fault ends
//! in recovery or a typed error, with nothing sent twice.

mod bring_up;
mod faults;
mod loss;
#[path = "../mac/standin.rs"]
#[allow(dead_code)]
mod mac;
mod phone;
mod standin;
mod tools;
mod video;
#[path = "../mcp/wire.rs"]
#[allow(dead_code)]
mod wire;

use std::sync::Arc;
use std::time::Duration;

use serde_json::json;
use simdrive::code::ErrorCode;
use simdrive::device::{Appearance, Device, DeviceError, DeviceKind, HardwareButton, HidEvent, Launch};
use simdrive::geometry::{Orientation, PanelPoint};
use simdrive::session::open::open;
use standin::{Fault, StandIn};

const TAP_AT: PanelPoint = PanelPoint { x: 330.0, y: 82.0 };

async fn phone(server: &StandIn) -> Arc<dyn Device> {
    let device = open(&server.selector().parse().unwrap()).await.unwrap();
    device.describe().await.unwrap();
    device
}

fn tap(at: PanelPoint) -> [HidEvent; 3] {
    [HidEvent::TouchDown(at), HidEvent::Delay(Duration::from_millis(60)), HidEvent::TouchUp(at)]
}

#[tokio::test]
async fn a_phone_does_what_a_phone_can() {
    let server = StandIn::start();
    let device = phone(&server).await;
    let described = device.describe().await.unwrap();
    assert_eq!((described.kind, described.panel_points.width), (DeviceKind::Device, 390.0));
    assert_eq!((described.panel_pixels.width, described.os.as_str()), (780, "iOS 18.2"));
    assert_eq!(device.screenshot().await.unwrap().orientation, Some(Orientation::Portrait));
    let tree = device.accessibility().await.unwrap().unwrap();
    assert_eq!(tree.root.children[0].label.as_deref(), Some("Done"));

    device.hid(&tap(TAP_AT)).await.unwrap();
    let sent = server.last_body("POST /actions");
    assert_eq!(sent["actions"][0]["parameters"]["pointerType"], "touch");
    assert_eq!(
        (&sent["actions"][0]["actions"][0]["x"], &sent["actions"][0]["actions"][0]["y"]),
        (&json!(330), &json!(82))
    );

    device.type_text("Grüße 🙂\n").await.unwrap();
    assert_eq!(
        server.last_body("POST /wda/keys")["value"],
        json!(["G", "r", "ü", "ß", "e", " ", "🙂", "\n"])
    );
    assert!(matches!(device.type_text("a\u{7}").await, Err(DeviceError::TextUnsupported(_))));
    device
        .hid(&[HidEvent::ButtonDown(HardwareButton::Home), HidEvent::ButtonUp(HardwareButton::Home)])
        .await
        .unwrap();
    assert_eq!(server.count("POST /wda/homescreen"), 1);

    let launch = Launch { bundle_id: "com.example.notes".into(), ..Launch::default() };
    assert_eq!(device.launch(&launch).await.unwrap(), 71);
    assert_eq!(server.count("POST /wda/apps/terminate"), 1);
    assert_eq!(device.apps().await.unwrap()[0].pid, Some(71));
    device.open_url("notes://new").await.unwrap();
    assert_eq!(server.last_body("POST /url"), json!({"url": "notes://new"}));
    device.set_appearance(Some(Appearance::Dark), None).await.unwrap();
    assert_eq!(device.appearance().await.unwrap().0, Some(Appearance::Dark));
    let shaken = device.hid(&[HidEvent::Shake]).await.unwrap_err();
    assert_eq!(shaken.code(), ErrorCode::UnsupportedOnTarget);
    device.close().await;
    assert_eq!(server.count("DELETE "), 1);
}

#[tokio::test]
async fn a_phone_held_sideways_is_touched_where_it_is_seen() {
    let server = StandIn::start();
    let device = phone(&server).await;
    server.fault("GET /orientation", Fault::Value(json!("LANDSCAPE")), 1);
    device.screenshot().await.unwrap();
    // the interface point (100, 50) on a panel of 390×844 that is turned to the left
    device.hid(&tap(PanelPoint { x: 50.0, y: 744.0 })).await.unwrap();
    let moved = &server.last_body("POST /actions")["actions"][0]["actions"][0];
    assert_eq!((&moved["x"], &moved["y"]), (&json!(100), &json!(50)));
}

#[tokio::test]
async fn an_alert_without_a_picture_is_drawn_and_answered_by_a_tap() {
    let server = StandIn::start();
    let device = phone(&server).await;
    server.fault("GET /screenshot", Fault::Error(500, "unexpected alert open", "Alert open"), 1);
    let capture = device.screenshot().await.unwrap();
    assert!(image::load_from_memory(&capture.bytes).is_ok());
    let tree = device.accessibility().await.unwrap().unwrap();
    let allow = tree.root.walk().find(|node| node.label.as_deref() == Some("Allow")).unwrap();
    let at = allow.frame.unwrap().center();
    device.hid(&tap(PanelPoint { x: at.x, y: at.y })).await.unwrap();
    assert_eq!(server.last_body("POST /alert/accept"), json!({"name": "Allow"}));
    assert_eq!(server.count("POST /actions"), 0);
    // a touch into an alert that nobody has seen yet is refused, and says so
    server.fault("POST /actions", Fault::Error(500, "unexpected alert open", "Alert open"), 1);
    let error = device.hid(&tap(TAP_AT)).await.unwrap_err();
    assert!(error.to_string().contains("an alert is open"), "{error}");
    // answered by somebody else in the meantime
    server.fault("GET /screenshot", Fault::Error(500, "unexpected alert open", "Alert open"), 1);
    device.screenshot().await.unwrap();
    server.fault("POST /alert/accept", Fault::Error(404, "no such alert", "none"), 1);
    let error = device.hid(&tap(PanelPoint { x: at.x, y: at.y })).await.unwrap_err();
    assert!(error.to_string().contains("not open any more"), "{error}");
}

#[tokio::test]
async fn what_can_not_be_opened_says_why() {
    let server = StandIn::start();
    server.fault("POST /session", Fault::Error(500, "session not created", "no app to test"), 1);
    let refused = |selector: String| async move {
        match open(&selector.parse().unwrap()).await {
            Ok(_) => panic!("{selector} was opened"),
            Err(error) => error,
        }
    };
    let error = refused(server.selector()).await;
    assert_eq!(error.code(), ErrorCode::DeviceUnreachable);
    assert!(error.to_string().contains("no app to test"), "{error}");
    server.fault("POST /session", Fault::Value(json!({"sessionId": "../evil", "capabilities": {}})), 1);
    assert_eq!(refused(server.selector()).await.code(), ErrorCode::Internal);
    assert_eq!(refused("wda+http://127.0.0.1:9".into()).await.code(), ErrorCode::DeviceUnreachable);
    // somebody else's server
    server.fault("GET /status", Fault::Value(json!({"ready": true})), 1);
    server.fault("POST /session", Fault::Value(json!({"sessionId": "S1", "capabilities": {}})), 1);
    assert!(refused(server.selector()).await.to_string().contains("no WebDriverAgent"));
}
