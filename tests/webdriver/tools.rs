//! Every published tool on a phone behind WebDriverAgent: what a phone can do is done, and seen on its screen; the
//! rest says that it can't.

use serde_json::{Value, json};

use crate::standin::StandIn;
use crate::wire::{SECRET, Wire};

/// How a call ends.
#[derive(Debug)]
enum End {
    /// Well, with this in its text.
    Says(&'static str),
    /// It is refused with `unsupported_on_target`.
    Unsupported,
}
use End::{Says, Unsupported};

const APP: &str = "com.example.demo";
const JOURNEY: &str = "schema: simdrive.journey/1\nname: count\ngoals: [Count to two]\napp: com.example.demo\n\
                       success: [{text: Welcome}]\n";

/// In an order in which each finds what it needs.
fn rows(server: &StandIn) -> Vec<(&'static str, Value, End)> {
    let name = json!({"label": "Name", "role": "text_field"});
    vec![
        ("version", json!({}), Says("simdrive ")),
        ("list_devices", json!({}), Says("sim:demo")),
        (
            "session_start",
            json!({"device": server.selector(), "app": APP, "permissions": {"photos": true}}),
            Unsupported,
        ),
        ("session_start", json!({"device": server.selector(), "app": APP}), Says("Count up")),
        ("session_status", json!({}), Says("wda+http://")),
        ("observe", json!({}), Says("button \"Count up\"")),
        ("apps", json!({}), Says("com.example.demo")),
        ("app_state", json!({}), Says("running")),
        // touches
        ("record_start", json!({"name": "phone"}), Says("phone")),
        ("tap", json!({"label": "Count up"}), Says("Counter: 1")),
        ("tap", json!({"label": "Count up", "count": 2}), Says("Counter: 3")),
        ("tap", json!({"label": "Count up", "hold_ms": 700}), Says("Counter: 4")),
        ("tap", json!({"label": "Cities"}), Says("Amsterdam")),
        ("swipe", json!({"direction": "up"}), Says("effect changed")),
        ("swipe", json!({"direction": "down", "until": "Amsterdam"}), Says("came into view")),
        ("tap", json!({"label": "Home"}), Says("Counter: 4")),
        ("tap", json!({"label": "Greeting"}), Says("Type your name")),
        ("record_stop", json!({}), Says("recorded phone: 8 steps")),
        // text
        ("tap_and_wait_keyboard", name.clone(), Says("effect changed")),
        ("type_text", json!({"text": "Zoë 🙂"}), Says("Zoë")),
        ("press_key", json!({"key": "delete"}), Says("effect changed")),
        ("clear_field", name.clone(), Says("effect changed")),
        ("type_text", json!({"text": "Ada", "into": name, "submit": true}), Says("Hello, Ada!")),
        // links, sheets, waiting, alerts
        ("open_url", json!({"url": "demo://controls"}), Says("Wi-Fi")),
        ("wait_for", json!({"label": "Wi-Fi"}), Says("wait_for")),
        ("tap", json!({"label": "Location", "role": "switch"}), Says("Allow While Using App")),
        ("dismiss_first_launch_alerts", json!({"choice": "allow"}), Says("pressed Allow")),
        ("tap", json!({"label": "More", "role": "tab"}), Says("Likes")),
        ("tap", json!({"label": "Sign in"}), Says("Any name")),
        (
            "type_text",
            json!({"secret": SECRET, "into": {"label": "Password", "role": "secure_field"}}),
            Says("13 characters"),
        ),
        ("dismiss_sheet", json!({}), Says("Likes")),
        ("instruct", json!({"text": "tap Cities then tap Amsterdam"}), Says("Netherlands")),
        // the phone itself
        ("set_appearance", json!({"appearance": "dark"}), Says("effect changed")),
        ("set_appearance", json!({"appearance": "light"}), Says("effect changed")),
        ("set_appearance", json!({"content_size": "extra-large"}), Unsupported),
        ("press_key", json!({"key": "volume_up"}), Says("press_key")),
        ("press_key", json!({"key": "siri"}), Unsupported),
        ("press_key", json!({"key": "shake"}), Unsupported),
        ("pre_grant_permissions", json!({"permissions": {"photos": true}}), Unsupported),
        ("logs", json!({}), Unsupported),
        ("crashes", json!({}), Unsupported),
        ("perf", json!({"samples": 1}), Unsupported),
        ("perf_baseline", json!({"samples": 1}), Unsupported),
        ("perf_compare", json!({"samples": 1}), Unsupported),
        ("memory", json!({}), Unsupported),
        ("press_key", json!({"key": "home"}), Says("effect changed")),
        ("session_end", json!({"terminate_app": true}), Says("ended")),
        // without a session
        ("list_replays", json!({}), Says("phone")),
        ("validate_replay", json!({"name": "phone"}), Says("phone")),
        ("lint_recordings", json!({}), Says("1 recording: 0 errors")),
        ("migrate_recording", json!({"name": "phone", "dry_run": true}), Says("phone")),
        ("replay", json!({"name": "phone"}), Says("1 passed, 0 failed")),
        ("load_journey", json!({"path": "count.yaml"}), Says("Count to two")),
        ("doctor", json!({}), Says("ok")),
    ]
}

#[test]
fn every_tool_works_on_a_phone_or_says_that_it_can_not() {
    let server = StandIn::of("demo");
    let mut wire = Wire::initialized();
    std::fs::write(wire.home.path().join("count.yaml"), JOURNEY).unwrap();
    let rows = rows(&server);
    let id = wire.request("tools/list", json!({}));
    for tool in wire.response(id)["result"]["tools"].as_array().unwrap() {
        assert!(rows.iter().any(|(name, ..)| tool["name"] == *name), "{} is in no row", tool["name"]);
    }
    let mut wrong = Vec::new();
    for (tool, arguments, end) in &rows {
        let (text, is_error) = wire.text(tool, arguments.clone());
        let as_wanted = match end {
            Says(part) => !is_error && text.contains(part),
            // permissions are answered one by one
            Unsupported if *tool == "pre_grant_permissions" => {
                is_error && text.contains("photos: not granted") && text.contains("is not supported on")
            }
            Unsupported => is_error && text.starts_with("error unsupported_on_target: "),
        };
        if !as_wanted {
            wrong.push(format!("{tool} {arguments} wants {end:?}: {text}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
    // the permission was given to the alert itself, not to a place on the screen
    assert_eq!(server.last_body("POST /alert/accept"), json!({"name": "Allow While Using App"}));
    assert_eq!(server.count("POST /alert/accept"), 1);
}

#[test]
fn a_phone_held_sideways_is_seen_and_tapped() {
    let server = StandIn::of("demo?orientation=landscape");
    let mut wire = Wire::initialized();
    let seen = wire.well("session_start", json!({"device": server.selector(), "app": APP}));
    assert!(seen.contains("852×393"), "{seen}");
    let tapped = wire.well("tap", json!({"label": "Cities", "role": "tab"}));
    assert!(tapped.contains("Amsterdam"), "{tapped}");
}
