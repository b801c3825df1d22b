//! Resources, prompts and completions, as they go over the pipe.

use std::fs;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use crate::wire::{Wire, command};

impl Wire {
    fn ask(&mut self, method: &str, params: Value) -> Value {
        let id = self.request(method, params);
        self.response(id)
    }

    /// The text at an address.
    fn read(&mut self, uri: &str) -> String {
        let answer = self.ask("resources/read", json!({"uri": uri}));
        let content = &answer["result"]["contents"][0];
        assert_eq!(content["uri"], uri, "{answer}");
        content["text"].as_str().unwrap_or_else(|| panic!("{answer}")).to_owned()
    }

    fn read_bytes(&mut self, uri: &str, media_type: &str) -> Vec<u8> {
        let answer = self.ask("resources/read", json!({"uri": uri}));
        let content = &answer["result"]["contents"][0];
        assert_eq!(content["mimeType"], media_type, "{uri}");
        STANDARD.decode(content["blob"].as_str().unwrap()).unwrap()
    }

    /// Our code of the refusal of an address.
    fn unread(&mut self, uri: &str) -> String {
        let error = self.ask("resources/read", json!({"uri": uri}))["error"].clone();
        assert!(error["message"].as_str().is_some_and(|text| !text.is_empty()), "{uri}: {error}");
        error["data"]["code"].as_str().unwrap_or_else(|| panic!("{uri}: {error}")).to_owned()
    }

    fn complete(&mut self, reference: Value, name: &str, typed: &str) -> Vec<String> {
        let argument = json!({"name": name, "value": typed});
        let answer = self.ask("completion/complete", json!({"ref": reference, "argument": argument}));
        let values = answer["result"]["completion"]["values"].as_array();
        let values = values.unwrap_or_else(|| panic!("{answer}"));
        values.iter().map(|value| value.as_str().unwrap().to_owned()).collect()
    }
}

fn uris(answer: &Value) -> Vec<&str> {
    answer["result"]["resources"].as_array().unwrap().iter().map(|r| r["uri"].as_str().unwrap()).collect()
}

#[test]
fn what_was_seen_and_recorded_is_read_by_address() {
    let mut wire = Wire::initialized();
    assert_eq!(wire.unread("simdrive://sessions/s1/observation"), "no_session");
    wire.well("session_start", json!({"device": "sim:demo"}));
    wire.well("record_start", json!({"name": "tour"}));
    wire.well("tap", json!({"label": "Count up"}));
    wire.well("record_stop", json!({}));

    let listed = wire.ask("resources/list", json!({}));
    let there = uris(&listed);
    for uri in [
        "simdrive://recordings",
        "simdrive://recordings/tour",
        "simdrive://sessions/s1/observation",
        "simdrive://sessions/s1/picture",
        "simdrive://audit",
    ] {
        assert!(there.contains(&uri), "{uri}: {there:?}");
    }
    let templates = wire.ask("resources/templates/list", json!({}));
    assert!(templates["result"]["resourceTemplates"].to_string().contains("{name}/frames/{frame}"));

    let seen: Value = serde_json::from_str(&wire.read("simdrive://sessions/s1/observation")).unwrap();
    assert!(seen["marks"].as_array().unwrap().iter().any(|mark| mark["label"] == "Counter: 1"), "{seen}");
    assert!(wire.read_bytes("simdrive://sessions/s1/picture", "image/jpeg").starts_with(&[0xff, 0xd8]));
    let yaml = wire.read("simdrive://recordings/tour");
    let frame = yaml.lines().find_map(|line| line.trim().strip_prefix("before: ")).unwrap().trim_matches('"');
    let address = format!("simdrive://recordings/tour/frames/{frame}");
    assert!(wire.read_bytes(&address, "image/png").starts_with(b"\x89PNG"));
    assert!(wire.read("simdrive://recordings").contains("\"tour\""));

    wire.well("replay", json!({"name": "tour", "report_dir": "report"}));
    let report: Value = serde_json::from_str(&wire.read("simdrive://reports/r1")).unwrap();
    assert_eq!(report["passed"], 1, "{report}");
    let audit = wire.read("simdrive://audit");
    let tools: Vec<Value> = audit.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(tools.iter().any(|line| line["tool"] == "tap" && line["verdict"] == "done"), "{audit}");
}

#[test]
fn what_is_not_there_or_lies_elsewhere_is_refused() {
    let mut wire = Wire::initialized();
    let recordings = wire.home.path().join("recordings");
    let outside = wire.home.path().join("outside");
    fs::create_dir_all(&outside).unwrap();
    fs::create_dir_all(recordings.join("whole/frames")).unwrap();
    fs::write(outside.join("recording.yaml"), "a secret").unwrap();
    fs::write(recordings.join("whole/recording.yaml"), "schema: simdrive.recording/1\n").unwrap();
    fs::write(recordings.join("whole/frames/00112233445566aa.png"), "not those pixels").unwrap();
    std::os::unix::fs::symlink(&outside, recordings.join("linked")).unwrap();
    for (uri, code) in [
        ("simdrive://recordings/none", "recording_not_found"),
        ("simdrive://recordings/linked", "recording_not_found"),
        ("simdrive://recordings/..", "invalid_argument"),
        ("simdrive://recordings/..%2Foutside", "invalid_argument"),
        ("simdrive://recordings/../outside", "invalid_argument"),
        ("simdrive://recordings/whole/frames/..", "recording_invalid"),
        ("simdrive://recordings/whole/frames/0123456789abcdef", "recording_invalid"),
        ("simdrive://recordings/whole/frames/00112233445566aa", "recording_invalid"),
        ("simdrive://sessions/../observation", "no_session"),
        ("simdrive://reports/r1", "invalid_argument"),
        ("file:///etc/passwd", "invalid_argument"),
        ("", "invalid_argument"),
    ] {
        assert_eq!(wire.unread(uri), code, "{uri}");
    }
}

#[test]
fn prompts_are_filled_in_and_arguments_completed() {
    let mut wire = Wire::initialized();
    wire.well("session_start", json!({"device": "sim:demo"}));
    let listed = wire.ask("prompts/list", json!({}));
    let names: Vec<&str> =
        listed["result"]["prompts"].as_array().unwrap().iter().map(|p| p["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["explore_app", "reproduce_bug", "record_journey"]);
    let arguments = json!({"bug": "the counter jumps", "device": "sim:demo"});
    let filled = wire.ask("prompts/get", json!({"name": "reproduce_bug", "arguments": arguments}));
    let text = filled["result"]["messages"][0]["content"]["text"].as_str().unwrap();
    assert!(text.contains("the counter jumps") && text.contains("\"device\":\"sim:demo\""), "{text}");
    for (name, arguments) in
        [("reproduce_bug", json!({})), ("explore_ap", json!({})), ("explore_app", json!({"x": "y"}))]
    {
        let refused = wire.ask("prompts/get", json!({"name": name, "arguments": arguments}));
        assert_eq!(refused["error"]["code"], -32602, "{refused}");
    }

    let explore = json!({"type": "ref/prompt", "name": "explore_app"});
    assert!(wire.complete(explore.clone(), "device", "sim:s").contains(&"sim:shop".to_owned()));
    assert_eq!(wire.complete(explore.clone(), "label", "count u"), ["Count up"]);
    let recordings = json!({"type": "ref/resource", "uri": "simdrive://recordings/{name}"});
    assert!(wire.complete(recordings.clone(), "name", "").is_empty());
    wire.well("record_start", json!({"name": "tour"}));
    wire.well("record_stop", json!({}));
    assert_eq!(wire.complete(recordings, "name", "to"), ["tour"]);
    for (reference, name) in [
        (explore, "colour"),
        (json!({"type": "ref/prompt", "name": "none"}), "device"),
        (json!({"type": "ref/resource", "uri": "file:///{name}"}), "name"),
    ] {
        let argument = json!({"name": name, "value": ""});
        let refused = wire.ask("completion/complete", json!({"ref": reference, "argument": argument}));
        assert_eq!(refused["error"]["code"], -32602, "{refused}");
    }
}

#[test]
fn a_server_that_only_looks_shows_what_can_be_read_and_no_prompt_that_acts() {
    let home = tempfile::tempdir().unwrap();
    let mut command = command(&home);
    command.args(["--read-only", "--tools", "session_start,observe"]).env("HOME", home.path());
    let mut wire = Wire::over(command, home).greeted();
    wire.well("session_start", json!({"device": "sim:demo"}));
    assert_eq!(wire.ask("prompts/list", json!({}))["result"]["prompts"], json!([]));
    assert!(wire.read("simdrive://sessions/s1/observation").contains("Count up"));
    // list_replays is not offered
    assert_eq!(wire.unread("simdrive://recordings"), "policy_denied");
    let listed = wire.ask("resources/list", json!({}));
    assert!(!uris(&listed).contains(&"simdrive://recordings"), "{listed}");
}

#[test]
fn long_work_tells_how_long_it_takes_and_can_be_cancelled() {
    let mut wire = Wire::initialized();
    wire.well("session_start", json!({"device": "sim:demo"}));
    for (tool, arguments, is_cancelled) in [
        ("wait_for", json!({"label": "never", "timeout_ms": 60_000}), true),
        ("tap", json!({"label": "Count up", "hold_ms": 1_500}), false),
        ("observe", json!({}), false),
    ] {
        let meta = json!({"progressToken": tool});
        let params = json!({"name": tool, "arguments": arguments, "_meta": meta});
        let id = wire.request("tools/call", params);
        if tool != "observe" {
            let told =
                |m: &Value| m["method"] == "notifications/progress" && m["params"]["progressToken"] == tool;
            wire.message(told);
        }
        if is_cancelled {
            let params = json!({"requestId": id});
            wire.send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params}));
        } else {
            assert_ne!(wire.response(id)["result"]["isError"], true);
        }
    }
}
