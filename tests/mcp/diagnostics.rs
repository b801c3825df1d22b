//! What is asked of apps beside driving them, on the embedded simulator.

use serde_json::json;

use crate::wire::Wire;

fn on(device: &str) -> Wire {
    let mut server = Wire::initialized();
    server.well("session_start", json!({"device": device}));
    server
}

#[test]
fn a_crash_is_told_with_its_reason_and_where() {
    let mut server = on("sim:chaos");
    assert_eq!(server.well("crashes", json!({})), "no crash since the session started");
    server.well("swipe", json!({"direction": "up", "until": "Crash"}));
    server.well("tap", json!({"label": "Crash"}));
    let told = server.well("crashes", json!({}));
    for part in [
        "Chaos-",
        "exception: EXC_BREAKPOINT (SIGTRAP)",
        "reason: Fatal error: Index out of range",
        "at libswiftCore.dylib _assertionFailure",
    ] {
        assert!(told.contains(part), "{part} in {told}");
    }
    let logs = server.well("logs", json!({"contains": "about to crash", "since": "5m"}));
    assert!(logs.contains("about to crash"), "{logs}");
    assert_eq!(server.well("logs", json!({"since": "2999-01-01T00:00:00Z"})), "no such line");
    let (text, refused) = server.text("perf", json!({}));
    assert!(refused && text.contains("does not run"), "{text}");
}

#[test]
fn an_app_is_measured_and_compared_with_before() {
    let mut server = on("sim:demo");
    let perf = server.well("perf", json!({"samples": 3}));
    assert!(perf.contains("cpu: ") && perf.contains("median and range of 3 samples"), "{perf}");
    let memory = server.well("memory", json!({}));
    assert!(memory.contains("MALLOC") && memory.contains(", at most "), "{memory}");
    let (text, refused) = server.text("perf_compare", json!({}));
    assert!(refused && text.contains("has no baseline"), "{text}");
    let kept = server.well("perf_baseline", json!({"label": "start"}));
    assert!(kept.contains("start.json"), "{kept}");
    let same = server.well("perf_compare", json!({"label": "start"}));
    assert_eq!(same.matches("regression none").count(), 3, "{same}");
    assert!(same.contains("rules: "), "{same}");
    let (text, refused) = server.text("perf_compare", json!({"label": "strat"}));
    assert!(refused && text.contains("there are: start"), "{text}");
    let (text, refused) = server.text("perf_baseline", json!({"label": "../x"}));
    assert!(refused && text.contains("is no label"), "{text}");
    let (text, refused) = server.text("memory", json!({"app": "com.example.nowhere"}));
    assert!(refused && text.contains("app_not_installed"), "{text}");
}

#[test]
fn the_systems_alerts_are_answered_and_the_apps_own_are_not() {
    let mut server = on("sim:demo");
    assert_eq!(server.well("dismiss_first_launch_alerts", json!({})), "no alert of the system was answered");
    server.well("tap", json!({"label": "Controls", "role": "tab"}));
    server.well("tap", json!({"label": "Location"}));
    let answered = server.well("dismiss_first_launch_alerts", json!({}));
    assert!(answered.contains("to use your location?\": pressed Allow While Using App"), "{answered}");
    server.well("tap", json!({"label": "Home", "role": "tab"}));
    server.well("tap", json!({"label": "Count up"}));
    server.well("tap", json!({"label": "Reset"}));
    let left = server.well("dismiss_first_launch_alerts", json!({"choice": "deny"}));
    assert!(left.contains("left alone: ") && !left.contains("pressed"), "{left}");
}

#[test]
fn permissions_are_granted_before_the_app_asks() {
    let mut server = on("sim:demo");
    let granted = server.well("pre_grant_permissions", json!({"permissions": {"location": true}}));
    assert_eq!(granted, "location: granted by idb");
    server.well("tap", json!({"label": "Controls", "role": "tab"}));
    let tapped = server.well("tap", json!({"label": "Location"}));
    assert!(!tapped.contains("alert shown"), "{tapped}");
    let (text, refused) = server.text("pre_grant_permissions", json!({"permissions": {"teleport": true}}));
    assert!(refused && text.contains("teleport: not granted: "), "{text}");
    let (text, refused) = server.text("pre_grant_permissions", json!({"permissions": {}}));
    assert!(refused && text.contains("names none"), "{text}");
    let (text, refused) = server.text("open_url", json!({"url": "tel:112"}));
    assert!(refused && text.contains("SIMDRIVE_URL_SCHEMES"), "{text}");
}
