//! Beginning, concurrency, cancellation and end of a server.

use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};

use crate::companion::Companion;
use crate::wire::{Wire, command};

#[test]
fn both_protocol_eras_are_served() {
    let mut legacy = Wire::open();
    let params = json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}});
    let id = legacy.request("initialize", params);
    let result = legacy.response(id)["result"].clone();
    assert_eq!(result["protocolVersion"], "2025-06-18");
    assert_eq!(result["serverInfo"]["name"], "simdrive");
    assert!(result["instructions"].as_str().unwrap().contains("never an instruction"));

    let mut modern = Wire::open();
    let meta = json!({"io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "t", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {}});
    let id = modern.request("server/discover", json!({"_meta": meta}));
    let versions = modern.response(id)["result"]["supportedVersions"].clone();
    assert!(versions.as_array().unwrap().contains(&json!("2026-07-28")), "{versions}");
    let id = modern.request("tools/call", json!({"name": "version", "arguments": {}, "_meta": meta}));
    let result = modern.response(id)["result"].clone();
    assert!(result["content"][0]["text"].as_str().unwrap().starts_with("simdrive "), "{result}");
}

#[test]
fn a_slow_device_delays_nothing_else() {
    let mut wire = Wire::initialized();
    wire.well("session_start", json!({"device": "sim:demo?latency_ms=400"}));
    let slow = wire.call("observe", json!({"session": "s1", "image": "none"}));
    wire.well("version", json!({}));
    assert!(wire.well("session_status", json!({})).starts_with("s1: "));
    assert!(!wire.is_answered(slow), "the slow call is still under way");
    assert_eq!(wire.response(slow)["result"]["isError"], false);
}

#[test]
fn waiting_tells_its_progress_and_can_be_cancelled() {
    let mut wire = Wire::initialized();
    wire.well("session_start", json!({"device": "sim:demo"}));
    let arguments = json!({"label": "never there", "timeout_ms": 100_000});
    let params = json!({"name": "wait_for", "arguments": arguments, "_meta": {"progressToken": "p"}});
    let waiting = wire.request("tools/call", params);
    let progress = wire.message(|m| m["method"] == "notifications/progress");
    assert_eq!(progress["params"]["progressToken"], "p");
    assert_eq!(progress["params"]["total"], 100.0);
    // the device is free between two looks
    assert!(wire.well("apps", json!({})).contains("com.example.demo"));
    wire.send(
        &json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": waiting}}),
    );
    wire.well("session_end", json!({}));
    assert!(!wire.is_answered(waiting), "what was cancelled is not answered");
}

#[test]
fn at_the_end_of_input_an_open_recording_is_finished() {
    let mut wire = Wire::initialized();
    wire.well("session_start", json!({"device": "sim:demo"}));
    wire.well("record_start", json!({"name": "tour"}));
    wire.well("tap", json!({"label": "Count up"}));
    wire.end_input();
    assert_eq!(wire.exit().code(), Some(0));
    let recording = wire.home.path().join("recordings/tour");
    assert!(recording.join("recording.yaml").is_file());
    let listed = command(&wire.home).args(["recordings", "list", "--json"]).output().unwrap();
    let listed: Value = serde_json::from_slice(&listed.stdout).unwrap();
    assert_eq!(listed["recordings"][0]["steps"], 1);
    assert!(listed["recordings"][0].get("unfinished").is_none(), "{listed}");
    let checked = command(&wire.home).args(["recordings", "validate", "tour"]).output().unwrap();
    assert_eq!(checked.status.code(), Some(0));
}

#[test]
fn a_recording_whose_server_was_killed_is_whole_up_to_its_last_step() {
    let mut wire = Wire::initialized();
    wire.well("session_start", json!({"device": "sim:demo"}));
    wire.well("record_start", json!({"name": "tour"}));
    wire.well("tap", json!({"label": "Count up"}));
    wire.call("tap", json!({"label": "Count up"}));
    wire.signal("KILL");
    wire.exit();
    let checked = command(&wire.home).args(["recordings", "validate", "tour"]).output().unwrap();
    assert_eq!(checked.status.code(), Some(0), "{checked:?}");

    let mut next = Wire::initialized_at(std::mem::replace(&mut wire.home, tempfile::tempdir().unwrap()));
    assert!(next.well("list_replays", json!({})).contains("never finished"));
    assert!(next.well("record_stop", json!({})).starts_with("recorded tour: "));
    assert!(!next.well("list_replays", json!({})).contains("never finished"));
}

#[test]
fn a_session_of_a_killed_server_is_gone_on_with() {
    let companion = Companion::of("demo");
    let mut wire = Wire::initialized();
    wire.well("session_start", json!({"device": companion.selector}));
    let seen = wire.well("tap", json!({"label": "Count up"}));
    let number = seen.split_whitespace().nth(1).unwrap().to_owned();
    let second = wire.call("tap", json!({"label": "Count up"}));
    wire.response(second);

    let mut next = wire.killed_and_started_again();
    let status = next.well("session_status", json!({}));
    assert!(status.contains("s1: idb+unix://") && status.contains("session_start with attach"), "{status}");
    let (refused, _) = next.text("session_start", json!({"attach": "s1", "device": "sim:demo"}));
    assert!(refused.starts_with("error invalid_argument: ") && refused.contains("`device`"), "{refused}");
    let (refused, _) = next.text("session_start", json!({"attach": "s7"}));
    assert!(
        refused.starts_with("error no_session: ") && refused.contains("`s1` on idb+unix://"),
        "{refused}"
    );
    let attached = next.well("session_start", json!({"attach": "s1"}));
    assert!(attached.starts_with("session s1: idb+unix://"), "{attached}");
    assert!(
        attached.contains("the app runs as it was left") && attached.contains("Counter: 2"),
        "{attached}"
    );
    // numbers of the server that was killed are no numbers of this one
    let (stale, _) = next.text("tap", json!({"mark": number}));
    assert!(stale.starts_with("error target_stale: "), "{stale}");
    let (forgotten, _) = next.text("observe", json!({"since": "o1", "image": "none"}));
    assert!(forgotten.starts_with("error no_observation: "), "{forgotten}");
    assert!(next.well("tap", json!({"label": "Count up"})).contains("Counter: 3"));

    // killed again, and again gone on with
    let mut last = next.killed_and_started_again();
    assert!(last.well("session_start", json!({"attach": "s1"})).contains("Counter: 3"));
    assert!(
        last.well("session_start", json!({"attach": "s1"})).starts_with("session s1: "),
        "it is open already"
    );
    last.well("session_end", json!({}));
    let left = std::fs::read_dir(last.home.path().join("sessions")).unwrap().count();
    assert_eq!(left, 0, "a session that ended leaves nothing");
    assert!(last.text("session_start", json!({"attach": "s1"})).0.starts_with("error no_session: "));
}

/// Killed at twenty moments of a session that records: in the middle of a touch, of settling, of writing.
#[test]
fn whenever_a_server_is_killed_its_session_goes_on_and_its_recording_is_whole() {
    let companion = Companion::of("demo");
    let mut wire = Wire::initialized();
    wire.well("session_start", json!({"device": companion.selector}));
    for round in 0..20_u64 {
        let name = format!("round-{round}");
        wire.well("record_start", json!({"name": name}));
        for _ in 0..3 {
            wire.call("tap", json!({"label": "Count up"}));
        }
        // from at once to after the third act, unevenly
        std::thread::sleep(Duration::from_millis(round * 83 % 1_600));
        wire = wire.killed_and_started_again();
        let attached = wire.well("session_start", json!({"attach": "s1"}));
        assert!(attached.starts_with("session s1: ") && attached.contains("Counter: "), "{attached}");

        let folder = wire.home.path().join("recordings").join(&name);
        // what was being written has no name yet, so whatever has one is whole
        let is_named = |file: &String| !file.ends_with(".tmp") && !file.ends_with("/.unfinished");
        for file in files(&folder).into_iter().filter(is_named) {
            assert!(is_whole(&file), "{round}: {file}");
        }
        let (told, is_error) = wire.text("record_stop", json!({}));
        if is_error {
            // it was killed before there was a recording
            assert!(told.starts_with("error not_recording: "), "{round}: {told}");
            continue;
        }
        assert!(told.starts_with(&format!("recorded {name}: ")), "{told}");
        let left = files(&folder);
        assert!(left.iter().all(|file| is_whole(file)), "{round}: {left:?}");
        let checked = command(&wire.home).args(["recordings", "validate", &name]).output().unwrap();
        assert_eq!(checked.status.code(), Some(0), "{round} {told}: {checked:?}");
    }
}

/// Whether a file is a recording or a frame that can be read to its end.
fn is_whole(file: &str) -> bool {
    match file.rsplit('.').next() {
        Some("yaml") => std::fs::read_to_string(file).unwrap().ends_with('\n'),
        Some("png") => image::open(file).is_ok(),
        _ => false,
    }
}

/// The names of all files in a folder and below.
fn files(folder: &Path) -> Vec<String> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let each = entries.map(|entry| entry.unwrap().path());
    each.flat_map(|path| if path.is_dir() { files(&path) } else { vec![path.display().to_string()] })
        .collect()
}

#[test]
fn an_embedded_simulator_that_ended_with_its_server_is_started_again_and_that_is_said() {
    let mut wire = Wire::initialized();
    wire.well("session_start", json!({"device": "sim:demo"}));
    wire.well("record_start", json!({"name": "tour"}));
    wire.well("tap", json!({"label": "Count up"}));
    let mut next = wire.killed_and_started_again();
    let attached = next.well("session_start", json!({"attach": "s1"}));
    assert!(attached.contains("the app was started again") && attached.contains("Counter: 0"), "{attached}");
    assert!(attached.contains("never finished: tour"), "{attached}");
    // another session has another name
    assert!(next.well("session_start", json!({"device": "sim:demo"})).starts_with("session s2: "));
}

#[test]
fn a_device_that_died_is_told_and_other_tools_go_on() {
    let mut companion = Companion::of("demo");
    let mut wire = Wire::initialized();
    wire.well("session_start", json!({"device": companion.selector}));
    wire.well("record_start", json!({"name": "cut-off"}));
    wire.well("tap", json!({"label": "Count up"}));
    companion.kill();
    for (tool, arguments) in
        [("tap", json!({"label": "Count up"})), ("observe", json!({})), ("apps", json!({}))]
    {
        let (told, is_error) = wire.text(tool, arguments);
        assert!(is_error && told.starts_with("error device_unreachable: "), "{tool}: {told}");
    }
    assert!(wire.well("session_status", json!({})).contains("recording cut-off (1 steps)"));
    assert!(wire.well("record_stop", json!({})).starts_with("recorded cut-off: 1 steps"));
    wire.well("session_end", json!({}));
    // the device is free for another session, once it runs again
    wire.well("session_start", json!({"device": "sim:demo"}));
}

#[test]
fn the_log_since_a_time_is_told() {
    let mut wire = Wire::initialized();
    wire.well("session_start", json!({"device": "sim:demo?clock=2026-01-01T09:41:00Z"}));
    let all = wire.well("logs", json!({}));
    assert!(all.lines().count() >= 1 && all != "no such line", "{all}");
    assert_eq!(wire.well("logs", json!({"since": "1h"})), all);
    assert_eq!(wire.well("logs", json!({"since": "2026-01-01T09:00:00Z"})), all);
    assert_eq!(wire.well("logs", json!({"since": "2026-01-01T11:00:00Z"})), "no such line");
    let (refused, _) = wire.text("logs", json!({"since": "yesterday"}));
    assert!(refused.starts_with("error invalid_argument: `since` must be a duration"), "{refused}");
}

#[test]
fn the_server_ends_with_the_input_also_in_the_middle_of_a_call() {
    let mut silent = Wire::open();
    silent.end_input();
    assert_eq!(silent.exit().code(), Some(0), "before any message");

    let mut busy = Wire::initialized();
    busy.well("session_start", json!({"device": "sim:demo"}));
    busy.call("wait_for", json!({"label": "never there", "timeout_ms": 600_000}));
    busy.end_input();
    assert_eq!(busy.exit().code(), Some(0));
}

#[test]
fn signals_end_it_with_their_own_exit_codes() {
    for (name, code) in [("TERM", 143), ("INT", 130)] {
        let mut wire = Wire::initialized();
        wire.well("version", json!({}));
        wire.signal(name);
        assert_eq!(wire.exit().code(), Some(code), "{name}");
    }
}

#[test]
fn what_is_no_json_is_passed_over() {
    let mut wire = Wire::initialized();
    wire.send(&json!("not a message"));
    wire.well("version", json!({}));
}
