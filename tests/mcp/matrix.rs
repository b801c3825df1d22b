//! Every tool in every mode and with every outcome of the policy, on a simulator that notes each call it gets: what is
//! refused sends nothing that acts.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::companion::Companion;
use crate::policy::deeds;
use crate::wire::{Wire, command};

/// Tools that only look, with arguments that they take.
fn looks() -> Vec<(&'static str, Value)> {
    vec![
        ("session_status", json!({})),
        ("list_devices", json!({"kind": "embedded"})),
        ("observe", json!({"image": "none"})),
        ("wait_for", json!({"stable": true})),
        ("list_replays", json!({})),
        ("validate_replay", json!({"name": "x"})),
        ("lint_recordings", json!({})),
        ("migrate_recording", json!({"name": "x", "dry_run": true})),
        ("load_journey", json!({"path": "x.yaml"})),
        ("app_state", json!({})),
        ("apps", json!({})),
        ("logs", json!({"lines": 1})),
        ("crashes", json!({})),
        ("perf", json!({"samples": 1})),
        ("perf_compare", json!({"samples": 1})),
        ("memory", json!({})),
        ("doctor", json!({})),
        ("version", json!({})),
        ("instruct", json!({"text": "find Count up"})),
        ("session_start", json!({"attach": "s99"})),
        ("session_end", json!({"session": "s99"})),
    ]
}

/// Calls of the protocol that change nothing.
const READS: [&str; 12] = [
    "get_orientation",
    "describe",
    "screenshot",
    "accessibility_info",
    "list_apps",
    "log",
    "crash_list",
    "crash_show",
    "Describe",
    "GetAppearance",
    "GetPasteboard",
    "Measure",
];

/// A server with these flags and rules, in a session on the simulator.
fn server(companion: &Companion, flags: &[&str], rules: &str) -> Wire {
    let home = tempfile::tempdir().unwrap();
    fs::write(home.path().join("simdrive.toml"), rules).unwrap();
    let mut command = command(&home);
    command.args(flags).env("HOME", home.path()).env_remove("XDG_CONFIG_HOME");
    let mut wire = Wire::over(command, home).greeted();
    wire.well("session_start", json!({"device": companion.selector}));
    wire
}

/// The calls that arrived at the simulator, by name, in their order.
fn calls(companion: &Companion) -> Vec<String> {
    let socket = Path::new(companion.selector.strip_prefix("idb+unix://").unwrap());
    let log = fs::read_to_string(socket.with_file_name("calls")).unwrap();
    let asked = log.lines().filter(|line| line.contains("asked"));
    asked.map(|line| line.rsplit('/').next().unwrap().trim_matches('"').to_owned()).collect()
}

/// What a call sent that acts, and what it answered.
fn sent(companion: &Companion, wire: &mut Wire, tool: &str, arguments: &Value) -> (Vec<String>, String) {
    let before = calls(companion).len();
    let (text, _) = wire.text(tool, arguments.clone());
    let acts = calls(companion).into_iter().skip(before).filter(|call| !READS.contains(&call.as_str()));
    (acts.collect(), text)
}

#[test]
fn what_is_refused_sends_nothing_whatever_the_mode_and_the_rules() {
    let companion = Companion::of("demo");
    let mut all = server(&companion, &["--mode", "full"], "");
    let id = all.request("tools/list", json!({}));
    let tools = all.response(id)["result"]["tools"].as_array().unwrap().clone();
    for tool in &tools {
        let has_row = deeds().iter().chain(&looks()).any(|(name, _)| tool["name"] == *name);
        assert!(has_row, "{} is in no row", tool["name"]);
    }
    // the log shows what acts
    let (acts, text) = sent(&companion, &mut all, "tap", &json!({"label": "Count up"}));
    assert_eq!(acts, ["hid"], "{text}");
    all.well("session_end", json!({}));

    let denied: Vec<String> = deeds()
        .iter()
        .filter(|(tool, _)| *tool != "session_start")
        .map(|(tool, _)| format!("{tool:?}"))
        .collect();
    let denied = format!("[policy]\ndeny_tools = [{}]\n", denied.join(", "));
    let nothing = "[policy]\nallow_tools = [\"session_*\"]\n";
    let by_name: Vec<&str> =
        deeds().iter().map(|(tool, _)| *tool).filter(|tool| *tool != "session_start").collect();
    type Refuses<'r> = Box<dyn Fn(&str, bool) -> bool + 'r>;
    let is_session = |tool: &str| tool.starts_with("session_");
    // whether a tool is refused, by its name and by whether the call acts
    let rows: [(&[&str], &str, Refuses<'_>); 7] = [
        (&["--mode", "observe"], "", Box::new(|_, acts| acts)),
        (&["--mode", "full", "--read-only"], "", Box::new(|_, acts| acts)),
        (&["--mode", "interact"], "", Box::new(|_, _| false)),
        (&["--mode", "full"], "", Box::new(|_, _| false)),
        (&["--mode", "full"], &denied, Box::new(|tool, _| by_name.contains(&tool))),
        (&["--mode", "full"], nothing, Box::new(|tool, _| !is_session(tool))),
        (
            &["--mode", "full", "--toolsets", "lifecycle"],
            "",
            Box::new(|tool, _| !is_session(tool) && tool != "list_devices"),
        ),
    ];
    for (flags, rules, refuses) in rows {
        let mut wire = server(&companion, flags, rules);
        let calls =
            looks().into_iter().map(|row| (false, row)).chain(deeds().into_iter().map(|row| (true, row)));
        for (acts, (tool, arguments)) in calls {
            let refused = refuses(tool, acts);
            // these would end or leave what the rows after them need; what they do is tested elsewhere
            if acts && !refused && ["press_key", "open_url", "session_start"].contains(&tool) {
                continue;
            }
            let (sent, text) = sent(&companion, &mut wire, tool, &arguments);
            let place = format!("{flags:?} {rules} {tool} {arguments}");
            assert_eq!(text.starts_with("error policy_denied: "), refused, "{place}: {text}");
            if refused || !acts {
                assert_eq!(sent, [""; 0], "{place}: {text}");
            }
        }
        wire.well("session_end", json!({}));
    }

    let rules = "[policy]\nconfirm = \"always\"\nconfirm_labels = [\"Count up\", \"Parcel\"]\n";
    let mut wire = server(&companion, &[], rules);
    for (tool, arguments) in [
        ("tap", json!({"label": "Count up"})),
        ("tap_and_wait_keyboard", json!({"label": "Count up"})),
        ("instruct", json!({"text": "tap Count up"})),
        // other ways to touch the same button
        ("tap", json!({"x": 103, "y": 444})),
        ("type_text", json!({"text": "x", "into": {"label": "Count up"}})),
        ("clear_field", json!({"label": "Count up"})),
        ("swipe", json!({"from": {"label": "Count up"}, "to": {"x": 105, "y": 447}})),
        ("swipe", json!({"from": {"x": 103, "y": 444}, "direction": "up", "distance": 2})),
    ] {
        let (acts, text) = sent(&companion, &mut wire, tool, &arguments);
        assert!(text.starts_with("error confirmation_required: "), "{tool} {arguments}: {text}");
        assert_eq!(acts, [""; 0], "{tool} {arguments}");
    }

    // what came after the last look is asked about too
    wire.well("tap", json!({"label": "Late content"}));
    std::thread::sleep(std::time::Duration::from_secs(3));
    let (acts, text) = sent(&companion, &mut wire, "tap", &json!({"label": "Parcel"}));
    assert!(text.starts_with("error confirmation_required: "), "{text}");
    assert_eq!(acts, [""; 0]);
}
