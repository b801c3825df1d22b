use std::path::Path;

use super::*;

const RECORDING: &str = r#"schema: simdrive.recording/1
name: sign-in
description: Sign in with a valid account
created: 2026-11-30T10:15:00Z
simdrive: 0.1.0
tags: [smoke]
device: {selector: "sim:shop", kind: simulator, model: iPhone 16, os: iOS 18.2, screen: {width: 393, height: 852, scale: 3}}
app: com.example.shop
setup: {launch_arguments: ["-fast"], permissions: {photos: true}, open_url: "shop://start?x=${X}", reset: true}
requires: {appearance: light, labels: [Email, "Sign In (now)"]}
gaps: [{after: 1, action: swipe, error: timeout}]
steps:
  - {action: tap, target: {by: label, label: Sign In, role: button, identifier: signin, frame: [24, 520, 345, 50]}, before: &f "0000000000000001", after: *f}
  - {action: tap, target: {by: label, label: "Add (1)", role: button, nth: 2, of: 3}, count: 2, before: *f, after: *f}
  - {action: tap, target: {by: stable_id, stable_id: 7f3a09c41d2e, role: icon_button, frame: [10, 20, 30, 40]}, hold_ms: 900, before: *f, after: *f}
  - {action: tap, target: {by: point, x: 12.4, y: 50}, before: *f, after: *f}
  - {action: type_text, text: "${NAME}: $${x}", into: {by: label, label: Email, role: text_field}, clear_first: true, submit: true, before: *f, after: *f}
  - {action: type_text, secret: SHOP_PASSWORD, into: {by: label, label: Password, role: secure_field, identifier: pw}, before: *f, after: *f}
  - {action: swipe, direction: up, until: "Aurora Lamp", before: *f, after: *f}
  - {action: swipe, direction: left, from: {by: label, label: Card}, distance: 120, duration_ms: 500, before: *f, after: *f}
  - {action: swipe, from: {by: point, x: 10, y: 700}, to: {by: point, x: 10, y: 100}, before: *f, after: *f}
  - {action: wait_for, label: "Total $3.40", timeout_ms: 5000, before: *f, after: *f}
  - {action: wait_for, label: Loading, gone: true, stable: true, before: *f, after: *f}
  - {action: press_key, key: return, before: *f, after: *f}
  - {action: press_key, key: a, modifiers: [command], before: *f, after: *f}
  - {action: clear_field, before: *f, after: *f}
  - {action: dismiss_sheet, before: *f, after: *f}
  - {action: set_appearance, appearance: dark, before: *f, after: *f}
  - {action: open_url, url: "shop://item/7", before: *f, after: *f}
  - {action: tap_and_wait_keyboard, target: {by: label, label: Search}, before: *f, after: *f}
  - {action: tap, target: {by: label, label: done, role: keyboard_key}, before: *f, after: *f}
  - check: {label: Welcome, role: text}
  - check: {label: Wi-Fi, value: "on"}
  - check: {label: Error, gone: true}
  - check: {role: alert, gone: true}
"#;

const FLOW: &str = r##"# sign-in: written by `simdrive export maestro`
# Sign in with a valid account
appId: com.example.shop
tags:
  - smoke
---
- launchApp:
    clearState: true
    permissions: {photos: allow}
# not said: launch arguments -fast
- openLink: "shop://start?x=${X}"
# not said: appearance light
- assertVisible: ".*Email.*"
- assertVisible: ".*Sign In \\(now\\).*"
- tapOn:
    id: signin
# not said: after step 1 swipe reached the device and failed (timeout), so it is not replayed
- doubleTapOn:
    text: "Add \\(1\\)"
    index: 1
# not said: icon_button 7f3a09c41d2e has neither text nor identifier; its place is touched
- longPressOn:
    point: "25, 40"
- tapOn:
    point: "12, 50"
# not said: a raw point moves with the layout
- tapOn: Email
- eraseText
- inputText: "${NAME}: \\${x}"
- pressKey: Enter
- tapOn:
    id: pw
- inputText: "${SHOP_PASSWORD}"
- scrollUntilVisible:
    element: ".*Aurora Lamp.*"
    direction: DOWN
- swipe:
    from: {text: Card}
    direction: LEFT
    duration: 500
# not said: the swipe goes 120 points far
- swipe:
    start: "10, 700"
    end: "10, 100"
    duration: 300
- extendedWaitUntil:
    visible: ".*Total \\$3\\.40.*"
    timeout: 5000
- extendedWaitUntil:
    notVisible: ".*Loading.*"
    timeout: 10000
- waitForAnimationToEnd:
    timeout: 10000
- pressKey: Enter
# not said: press_key character('a') [command]
- eraseText
- swipe:
    direction: DOWN
# not said: set_appearance
- openLink: "shop://item/7"
- tapOn: Search
# not said: waits for the keyboard
- hideKeyboard
- assertVisible: Welcome
- assertVisible:
    text: Wi-Fi
    checked: true
- assertNotVisible: Error
# not said: check of no alert
# not said: the recorded frames are not compared
"##;

#[test]
fn every_step_is_said_or_named() {
    let recording = Recording::parse(Path::new("r/recording.yaml"), RECORDING).unwrap();
    let Flow { text, unsaid } = flow(&recording);
    for (got, wanted) in text.lines().zip(FLOW.lines()) {
        assert_eq!(got, wanted);
    }
    assert_eq!(text, FLOW);
    assert_eq!(unsaid.len(), FLOW.matches("# not said").count());
    assert!(unsaid.contains(&"step 4: a raw point moves with the layout".to_owned()), "{unsaid:?}");
}

#[test]
fn a_flow_is_yaml_and_its_texts_come_back() {
    let recording = Recording::parse(Path::new("r/recording.yaml"), RECORDING).unwrap();
    let flow = flow(&recording).text;
    let (head, body) = flow.split_once("---\n").unwrap();
    let head: serde_json::Value = serde_saphyr::from_str(head).unwrap();
    assert_eq!(head["appId"], "com.example.shop");
    let body: Vec<serde_json::Value> = serde_saphyr::from_str(body).unwrap();
    assert!(body.contains(&serde_json::json!({"inputText": r"${NAME}: \${x}"})), "{body:?}");
    assert!(body.contains(&serde_json::json!({"tapOn": {"id": "signin"}})), "{body:?}");
}

#[test]
fn a_label_means_nothing_but_itself() {
    assert_eq!(selector("Wi-Fi", false), "Wi-Fi");
    assert_eq!(selector("Is it?", false), r#""Is it\\?""#);
    assert_eq!(selector("Hi ${NAME}.", false), r#""Hi ${NAME}\\.""#);
    assert_eq!(selector("$${x}", false), r#""\\$\\{x\\}""#);
    assert_eq!(quoted("Yes"), "\"Yes\"");
    assert_eq!(quoted("a\"b\\\n"), r#""a\"b\\\n""#);
}
