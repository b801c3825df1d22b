//! The tools: what is published, and how arguments are taken.

use std::path::Path;
use std::process::Stdio;

use rmcp::model::{CallToolRequestParams, CallToolResult, ContentBlock, Tool};
use rmcp::service::RunningService;
use rmcp::{RoleClient, ServiceExt};
use serde_json::{Map, Value, json};

use crate::wire::command;

/// A server and the client of the SDK in front of it.
struct Peer {
    client: RunningService<RoleClient, ()>,
    _server: tokio::process::Child,
    home: tempfile::TempDir,
}

impl Peer {
    async fn open() -> Self {
        let home = tempfile::tempdir().unwrap();
        let mut server = tokio::process::Command::from(command(&home))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .unwrap();
        let pipes = (server.stdout.take().unwrap(), server.stdin.take().unwrap());
        Self { client: ().serve(pipes).await.unwrap(), _server: server, home }
    }

    async fn call(&self, tool: &'static str, arguments: Value) -> CallToolResult {
        let Value::Object(arguments) = arguments else { panic!("an object") };
        let params = CallToolRequestParams::new(tool).with_arguments(arguments);
        self.client.call_tool(params).await.unwrap()
    }

    async fn well(&self, tool: &'static str, arguments: Value) -> CallToolResult {
        let result = self.call(tool, arguments).await;
        assert_ne!(result.is_error, Some(true), "{tool}: {}", text(&result));
        result
    }

    /// The text of a call that must be refused.
    async fn refused(&self, tool: &'static str, arguments: Value) -> String {
        let result = self.call(tool, arguments.clone()).await;
        assert_eq!(result.is_error, Some(true), "{tool} {arguments}: {}", text(&result));
        text(&result)
    }
}

fn text(result: &CallToolResult) -> String {
    let texts = result.content.iter().filter_map(|block| block.as_text()).map(|block| block.text.as_str());
    texts.collect::<Vec<_>>().join("\n")
}

/// The list as it goes over the pipe.
fn published(tools: &[Tool]) -> Value {
    serde_json::to_value(tools).unwrap()
}

#[tokio::test]
async fn the_published_tools_are_the_golden_ones_and_few_bytes() {
    let peer = Peer::open().await;
    let tools = published(&peer.client.list_all_tools().await.unwrap());
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/tools.json");
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(&golden, format!("{tools:#}\n")).unwrap();
    }
    let expected: Value = serde_json::from_str(&std::fs::read_to_string(&golden).unwrap()).unwrap();
    assert_eq!(tools, expected, "run with UPDATE_GOLDEN=1 and read the difference");

    let tools = tools.as_array().unwrap();
    let bytes: usize = tools.iter().map(|tool| tool.to_string().len()).sum();
    assert!(bytes <= 700 * tools.len(), "{bytes} bytes for {} tools", tools.len());
}

#[tokio::test]
async fn every_schema_is_plain_and_every_tool_says_what_it_may_do() {
    let peer = Peer::open().await;
    for tool in peer.client.list_all_tools().await.unwrap() {
        let tool = serde_json::to_value(&tool).unwrap();
        let name = tool["name"].as_str().unwrap().to_owned();
        assert!(tool.get("outputSchema").is_none(), "{name}");
        for hint in ["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"] {
            assert!(tool["annotations"][hint].is_boolean(), "{name}: {hint}");
        }
        assert!(!tool["annotations"]["title"].as_str().unwrap().is_empty(), "{name}");
        assert_plain(&name, &tool["inputSchema"]);
    }
}

fn assert_plain(place: &str, node: &Value) {
    let object = node.as_object().unwrap_or_else(|| panic!("{place}: {node}"));
    assert!(object["type"].is_string(), "{place}: {node}");
    for key in ["$ref", "$defs", "anyOf", "oneOf", "allOf", "format", "$schema", "default"] {
        assert!(!object.contains_key(key), "{place}: {key}");
    }
    for (name, property) in object.get("properties").and_then(Value::as_object).unwrap_or(&Map::new()) {
        assert_plain(&format!("{place}.{name}"), property);
    }
    if let Some(items) = object.get("items") {
        assert_plain(&format!("{place}[]"), items);
    }
}

#[tokio::test]
async fn a_session_is_observed_and_acted_on() {
    let peer = Peer::open().await;
    let started = text(&peer.well("session_start", json!({"device": "sim:demo"})).await);
    assert!(started.starts_with("session s1: sim:demo"), "{started}");
    let seen = peer.well("observe", json!({"session": "s1"})).await;
    assert!(seen.structured_content.is_none());
    let [ContentBlock::Image(picture), ContentBlock::Text(marks)] = seen.content.as_slice() else {
        panic!("a picture, then the marks: {seen:?}")
    };
    assert_eq!(picture.mime_type, "image/jpeg");
    assert!(picture.data.len() <= 150 * 1024 * 4 / 3 + 4, "{}", picture.data.len());
    assert!(marks.text.contains("button \"Count up\""), "{}", marks.text);
    let tapped = text(&peer.well("tap", json!({"label": "Count up", "count": "1"})).await);
    assert!(tapped.contains("effect changed") && tapped.contains("Counter: 1"), "{tapped}");
    let typed = peer.refused("type_text", json!({"secret": "SIMDRIVE_NO_SUCH_SECRET"})).await;
    assert!(typed.starts_with("error secret_unset"), "{typed}");
    let ended = text(&peer.well("session_end", json!({"terminate_app": true})).await);
    assert_eq!(ended, "session s1 has ended");
    assert!(peer.refused("observe", json!({})).await.starts_with("error no_session"));
}

#[tokio::test]
async fn bad_arguments_are_refused_by_name_and_touch_nothing() {
    let peer = Peer::open().await;
    peer.well("session_start", json!({"device": "sim:demo"})).await;
    for (tool, arguments, part) in [
        (
            "session_start",
            json!({"bundle_id": "com.example.demo"}),
            "unknown argument `bundle_id`; did you mean `app`?",
        ),
        ("tap", json!({}), "a target is missing"),
        ("tap", json!({"mark": 1, "label": "x"}), "exactly one of"),
        ("tap", json!({"mark": "one"}), "`mark` must be a whole number"),
        ("tap", json!({"mark": -1}), "`mark` must be at least 0"),
        ("tap", json!({"x": 10}), "`y` is missing"),
        ("tap", json!({"x": "NaN", "y": 1}), "`x` must be a finite number"),
        ("tap", json!({"label": "Count up", "count": 3}), "`count` must be from 1 to 2"),
        ("tap", json!({"label": "Count up", "role": "buttn"}), "did you mean `button`?"),
        ("swipe", json!({"direction": "sideways"}), "`direction` must be one of up, down, left, right"),
        ("swipe", json!({"to": {"makr": 1}, "from": {"mark": 1}}), "did you mean `mark`?"),
        ("swipe", json!({}), "`from` and `to`, or `direction`"),
        ("type_text", json!({}), "exactly one of `text` and `secret`"),
        ("press_key", json!({"key": "hum"}), "no key is called"),
        ("wait_for", json!({"gone": true}), "wait_for takes"),
        ("observe", json!({"image": "huge"}), "`image` must be one of annotated, plain, none"),
        ("observe", json!({"since": "yesterday"}), "`since` must be an observation id"),
        ("observe", json!({"min_confidence": 2}), "`min_confidence` must be from 0 to 1"),
        ("record_start", json!({"name": "../x"}), "is no name for a recording"),
        ("record_start", json!({}), "`name` is missing"),
        ("record_start", json!({"name": "x", "masks": [{"name": "clock"}]}), "`masks[0]`"),
        ("open_url", json!({"url": "no address"}), "`url` must be an address"),
        ("logs", json!({"regex": "("}), "`regex` is no regular expression"),
        ("set_appearance", json!({}), "set_appearance takes"),
        ("replay", json!({}), "exactly one of `name` and `path`"),
        ("migrate_recording", json!({}), "exactly one of `name` and `path`"),
        ("migrate_recording", json!({"name": "x", "dry_run": "maybe"}), "`dry_run` must be true or false"),
        ("load_journey", json!({}), "`path` is missing"),
        ("load_journey", json!({"path": "nowhere.yaml"}), "nowhere.yaml: it can't be read"),
    ] {
        let refused = peer.refused(tool, arguments.clone()).await;
        assert!(refused.starts_with("error invalid_argument: "), "{tool} {arguments}: {refused}");
        assert!(refused.contains(part), "{tool} {arguments}: {refused}");
    }
    for (tool, arguments, code) in [
        ("tap", json!({"x": 5000, "y": 1}), "target_offscreen"),
        ("tap", json!({"label": "nowhere at all"}), "target_not_found"),
        ("session_start", json!({"device": "sim:nowhere"}), "device_not_found"),
        ("session_start", json!({"device": "idb+unix:///nowhere.sock"}), "device_unreachable"),
        (
            "session_start",
            json!({"device": "sim:demo", "permissions": {"teeth": true}}),
            "unsupported_on_target",
        ),
        ("session_end", json!({"session": "s9"}), "no_session"),
        ("replay", json!({"name": "nowhere"}), "recording_not_found"),
        ("migrate_recording", json!({"name": "nowhere"}), "recording_not_found"),
        ("migrate_recording", json!({"path": "nowhere"}), "recording_not_found"),
        ("validate_replay", json!({"path": "nowhere"}), "recording_not_found"),
        ("open_url", json!({"url": "file:///etc/passwd"}), "policy_denied"),
        ("record_stop", json!({}), "not_recording"),
        ("app_state", json!({"app": "com.example.nowhere"}), "app_not_installed"),
        ("open_url", json!({"url": "nowhere://at-all"}), "unsupported_on_target"),
    ] {
        let refused = peer.refused(tool, arguments.clone()).await;
        assert!(refused.starts_with(&format!("error {code}: ")), "{tool} {arguments}: {refused}");
    }
    let status = text(&peer.well("session_status", json!({})).await);
    assert!(status.contains(" 0 acts"), "{status}");
}

#[tokio::test]
async fn a_recording_that_is_not_whole_is_refused_and_left_as_it_is() {
    let peer = Peer::open().await;
    let folder = peer.home.path().join("recordings");
    let committed = Path::new(env!("CARGO_MANIFEST_DIR")).join("recordings/settings-wifi/recording.yaml");
    let whole = std::fs::read_to_string(committed).unwrap();
    for (name, yaml, code) in [
        ("frameless", whole.as_str(), "recording_invalid"),
        ("broken", "schema: simdrive.recording/1\nname: [", "recording_invalid"),
        ("newer", "schema: simdrive.recording/9\n", "recording_version"),
    ] {
        let file = folder.join(name).join("recording.yaml");
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(&file, yaml).unwrap();
        let refused = peer.refused("replay", json!({"name": name})).await;
        assert!(refused.starts_with(&format!("error {code}: ")), "{name}: {refused}");
        let checked = peer.call("validate_replay", json!({"name": name})).await;
        assert!(text(&checked).starts_with("not valid: "), "{name}: {checked:?}");
        assert_eq!(std::fs::read_to_string(&file).unwrap(), yaml);
        assert_eq!(std::fs::read_dir(file.parent().unwrap()).unwrap().count(), 1, "{name}");
    }
}

#[tokio::test]
async fn recordings_are_linted_and_changed_only_when_asked() {
    let peer = Peer::open().await;
    let committed = Path::new(env!("CARGO_MANIFEST_DIR")).join("recordings/settings-wifi");
    let recording = peer.home.path().join("recordings/settings-wifi");
    let frames = recording.join("frames");
    std::fs::create_dir_all(&frames).unwrap();
    std::fs::copy(committed.join("recording.yaml"), recording.join("recording.yaml")).unwrap();
    for frame in std::fs::read_dir(committed.join("frames")).unwrap().map(Result::unwrap) {
        std::fs::copy(frame.path(), frames.join(frame.file_name())).unwrap();
    }
    let orphan = frames.join("00000000000000ff.png");
    std::fs::write(&orphan, b"left over").unwrap();

    let found = text(&peer.well("lint_recordings", json!({})).await);
    assert!(found.contains("warning orphaned_frame: ") && found.contains("1 recording: 0 errors"), "{found}");
    assert!(orphan.exists());
    let elsewhere = tempfile::tempdir().unwrap();
    let outside = json!({"path": elsewhere.path(), "fix": true});
    assert!(peer.refused("lint_recordings", outside).await.starts_with("error policy_denied: "));
    let nowhere = peer.refused("lint_recordings", json!({"path": recording.join("nowhere")})).await;
    assert!(nowhere.starts_with("error recording_not_found: "), "{nowhere}");
    let fixed = text(&peer.well("lint_recordings", json!({"path": recording, "fix": true})).await);
    assert!(fixed.starts_with("fixed ") && fixed.ends_with("0 notes; 1 fixed"), "{fixed}");
    assert!(!orphan.exists());
    std::fs::remove_file(std::fs::read_dir(&frames).unwrap().next().unwrap().unwrap().path()).unwrap();
    assert!(peer.refused("lint_recordings", json!({})).await.contains("error missing_frame: "));
}

#[tokio::test]
async fn an_unknown_tool_is_a_protocol_error_that_names_the_nearest() {
    let peer = Peer::open().await;
    let error =
        peer.client.call_tool(CallToolRequestParams::new("screenshot_tap")).await.unwrap_err().to_string();
    assert!(error.contains("there is no `screenshot_tap`"), "{error}");
    let error = peer.client.call_tool(CallToolRequestParams::new("observ")).await.unwrap_err().to_string();
    assert!(error.contains("did you mean `observe`?"), "{error}");
}
