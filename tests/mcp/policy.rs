//! What a server lets its clients do: modes, chosen tools, rules of files, confirmation, and the log of it all.

use std::fs;

use serde_json::{Value, json};

use crate::wire::{Wire, command};

/// A server with these flags, and this `simdrive.toml` beside it.
fn governed(flags: &[&str], rules: &str) -> Wire {
    let home = tempfile::tempdir().unwrap();
    fs::write(home.path().join("simdrive.toml"), rules).unwrap();
    let mut command = command(&home);
    command.args(flags).env("HOME", home.path()).env_remove("XDG_CONFIG_HOME");
    Wire::over(command, home).greeted()
}

fn refused(wire: &mut Wire, code: &str, tool: &str, arguments: Value) -> String {
    let (text, is_error) = wire.text(tool, arguments);
    assert!(is_error && text.starts_with(&format!("error {code}: ")), "{tool}: {text}");
    text
}

fn names(wire: &mut Wire) -> Vec<String> {
    let id = wire.request("tools/list", json!({}));
    let response = wire.response(id);
    let tools = response["result"]["tools"].as_array().unwrap();
    tools.iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect()
}

/// Every tool that does something, with arguments that it takes.
pub fn deeds() -> Vec<(&'static str, Value)> {
    vec![
        ("tap", json!({"label": "Count up"})),
        ("tap_and_wait_keyboard", json!({"label": "Count up"})),
        ("swipe", json!({"direction": "up"})),
        ("type_text", json!({"text": "x"})),
        ("press_key", json!({"key": "home"})),
        ("clear_field", json!({})),
        ("dismiss_sheet", json!({})),
        ("set_appearance", json!({"appearance": "dark"})),
        ("open_url", json!({"url": "https://example.com"})),
        ("record_start", json!({"name": "x"})),
        ("record_stop", json!({})),
        ("replay", json!({"name": "x"})),
        ("migrate_recording", json!({"name": "x"})),
        ("lint_recordings", json!({"fix": true})),
        ("perf_baseline", json!({"label": "x"})),
        ("dismiss_first_launch_alerts", json!({})),
        ("pre_grant_permissions", json!({"permissions": {"photos": true}})),
        ("instruct", json!({"text": "tap Count up"})),
        ("session_start", json!({"permissions": {"photos": true}})),
    ]
}

#[test]
fn a_server_that_only_looks_touches_nothing() {
    let mut wire = governed(&["--read-only", "--mode", "full"], "");
    let offered = names(&mut wire);
    wire.well("session_start", json!({"device": "sim:demo"}));
    let before = wire.well("observe", json!({"image": "none"}));
    for (tool, arguments) in deeds() {
        let text = refused(&mut wire, "policy_denied", tool, arguments);
        assert!(text.contains("needs mode interact; this server runs in mode observe"), "{text}");
        let looks_too = ["session_start", "lint_recordings", "migrate_recording", "instruct"].contains(&tool);
        assert_eq!(offered.iter().any(|name| name == tool), looks_too, "{tool}");
    }
    // every tool is either among the deeds or only reads
    let mut all = governed(&[], "");
    for name in names(&mut all) {
        let is_deed = deeds().iter().any(|(deed, _)| *deed == name);
        assert!(is_deed || offered.contains(&name), "{name} is in no table");
    }
    let after = wire.well("observe", json!({"image": "none"}));
    let lines = |text: &str| text.lines().skip(1).map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(lines(&before), lines(&after));
    wire.well("instruct", json!({"text": "find Count up"}));
    wire.well("instruct", json!({"text": "tap Count up", "dry_run": true}));
}

#[test]
fn only_chosen_tools_are_offered() {
    let mut wire = governed(&["--toolsets", "observation,lifecycle", "--tools", "tap"], "");
    let expected =
        ["session_start", "session_end", "session_status", "list_devices", "observe", "tap", "wait_for"];
    assert_eq!(names(&mut wire), expected);
    refused(&mut wire, "policy_denied", "swipe", json!({"direction": "up"}));
    let home = tempfile::tempdir().unwrap();
    let wrong = command(&home).args(["--tools", "tapp"]).output().unwrap();
    assert_eq!(wrong.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&wrong.stderr).contains("did you mean `tap`?"));
}

#[test]
fn rules_of_a_project_hold() {
    let mut wire = governed(
        &[],
        "[policy]\ndeny_apps = [\"com.example.shop\"]\nallow_devices = [\"sim:demo*\", \"sim:shop\"]\n\
         deny_tools = [\"swipe\"]\nallow_hosts = [\"example.com\"]\nmax_actions_per_minute = 3\n",
    );
    assert!(!names(&mut wire).contains(&"swipe".to_owned()));
    refused(&mut wire, "policy_denied", "session_start", json!({"device": "sim:settings"}));
    // the app that the device opens by itself
    let text = refused(&mut wire, "policy_denied", "session_start", json!({"device": "sim:shop"}));
    assert!(text.contains("deny_apps names `com.example.shop`") && text.contains("simdrive.toml"), "{text}");
    assert!(wire.well("session_status", json!({})).contains("no session"));
    wire.well("session_start", json!({"device": "sim:demo"}));
    refused(&mut wire, "policy_denied", "swipe", json!({"direction": "up"}));
    refused(&mut wire, "policy_denied", "instruct", json!({"text": "swipe up"}));
    refused(&mut wire, "policy_denied", "open_url", json!({"url": "https://example.com@evil.org"}));
    // what was refused does not count
    for _ in 0..3 {
        wire.well("tap", json!({"label": "Count up"}));
    }
    let text = refused(&mut wire, "limit_exceeded", "tap", json!({"label": "Count up"}));
    assert!(text.contains("3 acts a minute"), "{text}");
}

#[test]
fn a_file_that_can_t_be_understood_stops_the_server() {
    let home = tempfile::tempdir().unwrap();
    for (rules, said) in [
        ("[policy]\ndeny_app = [\"x\"]", "deny_app"),
        ("[policy]\nmode = \"all\"", "all"),
        ("[policy", "simdrive.toml"),
    ] {
        fs::write(home.path().join("simdrive.toml"), rules).unwrap();
        let output = command(&home).env("HOME", home.path()).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{rules}");
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(told.contains(said) && told.contains("simdrive.toml"), "{rules}: {told}");
    }
}

const ASKS: &str = "[policy]\nconfirm = \"always\"\nconfirm_labels = [\"Count up\"]\n";

fn token(text: &str) -> String {
    text.lines().find_map(|line| line.strip_prefix("confirm: ")).unwrap().to_owned()
}

#[test]
fn a_sensitive_tap_goes_through_with_its_token_once() {
    let mut wire = governed(&[], ASKS);
    wire.well("session_start", json!({"device": "sim:demo"}));
    let count = |wire: &mut Wire| {
        let text = wire.well("observe", json!({"image": "none"}));
        text.lines().find(|line| line.contains("Counter:")).map(str::to_owned).unwrap_or(text)
    };
    let before = count(&mut wire);
    let first = token(&refused(&mut wire, "confirmation_required", "tap", json!({"label": "Count up"})));
    assert_eq!(count(&mut wire), before, "nothing was touched");
    wire.well("tap", json!({"label": "Count up", "confirm": first}));
    let text =
        refused(&mut wire, "confirmation_required", "tap", json!({"label": "Count up", "confirm": first}));
    assert!(text.contains("used already"), "{text}");
    // with other arguments, and after the screen has changed
    for (between, arguments, reason) in [
        (None, json!({"label": "Count up", "count": 2}), "another call"),
        (Some(json!({"label": "Cities"})), json!({"label": "Count up"}), ""),
    ] {
        let given = refused(&mut wire, "confirmation_required", "tap", json!({"label": "Count up"}));
        let given = token(&given);
        if let Some(act) = between {
            wire.well("tap", act);
        }
        let mut with = arguments;
        with["confirm"] = json!(given);
        let (text, is_error) = wire.text("tap", with);
        assert!(is_error && text.contains(reason), "{text}");
    }
    let log = fs::read_to_string(wire.home.path().join("audit.jsonl")).unwrap();
    let lines: Vec<Value> = log.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let taps: Vec<&Value> = lines.iter().filter(|line| line["tool"] == "tap").collect();
    assert_eq!(taps[0]["verdict"], "to_confirm");
    assert_eq!((&taps[0]["who"], &taps[0]["session"]), (&json!("test"), &json!("s1")));
    assert_eq!((&taps[0]["target"], &taps[1]["verdict"]), (&json!("button “Count up”"), &json!("done")));
    assert_eq!(taps[0]["frame"].as_str().unwrap().len(), 64);
    assert!(!log.contains(&first), "tokens stay out of the log");
}

/// A message, whose keyboard sends it.
const MESSAGE: &str = "name: Chat
bundle: com.example.chat
start: chat
state: {text: '', note: '', sent: 0}
screens:
  chat:
    title: Chat
    body:
      - text: {text: 'Sent: {sent}'}
      - field: {bind: text, placeholder: Message, id: message, return_key: send, submit: [{set: {sent: '{sent + 1}'}}]}
      - field: {bind: note, placeholder: Note, id: note}
";

#[test]
fn a_return_key_that_sends_is_asked_about_like_a_tap_on_it() {
    let mut wire = governed(&[], "[policy]\nconfirm = \"always\"\n");
    let app = wire.home.path().join("chat.yaml");
    fs::write(&app, MESSAGE).unwrap();
    wire.well("session_start", json!({"device": format!("sim:{}", app.display())}));
    let sent = |wire: &mut Wire, count: u32| {
        let text = wire.well("observe", json!({"image": "none"}));
        assert!(text.contains(&format!("Sent: {count}")), "{text}");
    };
    let typed = json!({"text": "Hello", "into": {"label": "Message"}, "submit": true});
    let said = refused(&mut wire, "confirmation_required", "type_text", typed.clone());
    assert!(said.contains("“send” must be confirmed"), "{said}");
    sent(&mut wire, 0);
    let confirmed = |arguments: &Value, said: &str| {
        let mut arguments = arguments.clone();
        arguments["confirm"] = json!(token(said));
        arguments
    };
    // another text is another call
    let mut other = confirmed(&typed, &said);
    other["text"] = json!("Goodbye");
    assert!(refused(&mut wire, "confirmation_required", "type_text", other).contains("another call"));
    let said = refused(&mut wire, "confirmation_required", "type_text", typed.clone());
    wire.well("type_text", confirmed(&typed, &said));
    sent(&mut wire, 1);

    wire.well("tap_and_wait_keyboard", json!({"label": "Message"}));
    wire.well("type_text", json!({"text": "no line ends here"}));
    let lines = json!({"text": "one\ntwo"});
    refused(&mut wire, "confirmation_required", "type_text", lines);
    let said = refused(&mut wire, "confirmation_required", "press_key", json!({"key": "return"}));
    sent(&mut wire, 1);
    wire.well("press_key", confirmed(&json!({"key": "return"}), &said));
    sent(&mut wire, 2);
    // a key that only ends a line, or another key, is nobody's concern
    wire.well("type_text", json!({"text": "x", "into": {"label": "Note"}, "submit": true}));
    wire.well("press_key", json!({"key": "tab"}));
    sent(&mut wire, 2);
}

#[test]
fn a_client_that_can_ask_its_user_does() {
    for (action, code) in
        [("accept", None), ("decline", Some("policy_denied")), ("cancel", Some("policy_denied"))]
    {
        let home = tempfile::tempdir().unwrap();
        fs::write(home.path().join("simdrive.toml"), ASKS).unwrap();
        let mut command = command(&home);
        command.env("HOME", home.path());
        let mut wire = Wire::over(command, home);
        let params = json!({"protocolVersion": "2025-11-25", "capabilities": {"elicitation": {}},
            "clientInfo": {"name": "test", "version": "1"}});
        let id = wire.request("initialize", params);
        wire.response(id);
        wire.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        wire.well("session_start", json!({"device": "sim:demo"}));
        let tapped = wire.call("tap", json!({"label": "Count up"}));
        let question = wire.message(|m| m["method"] == "elicitation/create");
        let said = question["params"]["message"].as_str().unwrap();
        assert!(said.contains("a tap on button “Count up” must be confirmed"), "{said}");
        wire.send(
            &json!({"jsonrpc": "2.0", "id": question["id"], "result": {"action": action, "content": {}}}),
        );
        let result = wire.response(tapped)["result"].clone();
        let text = result["content"][0]["text"].as_str().unwrap();
        match code {
            None => assert_eq!(result["isError"], false, "{text}"),
            Some(code) => {
                assert!(
                    text.starts_with(&format!("error {code}: ")) && text.contains("did not agree"),
                    "{text}"
                );
                assert!(!text.contains("confirm: "), "no token after a no: {text}");
            }
        }
    }
}

#[test]
fn the_log_holds_neither_typed_text_nor_secrets() {
    let mut wire = governed(&[], "");
    wire.well("session_start", json!({"device": "sim:shop"}));
    wire.well("type_text", json!({"text": "ana@example.com", "into": {"label": "Email"}}));
    wire.well("type_text", json!({"secret": crate::wire::SECRET, "into": {"label": "Password"}}));
    let log = fs::read_to_string(wire.home.path().join("audit.jsonl")).unwrap();
    assert_eq!(log.lines().count(), 2, "{log}");
    assert!(!log.contains("ana@") && !log.contains("correct-horse"), "{log}");
}
