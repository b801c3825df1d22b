//! What is meant to do harm through files and addresses: refused quickly, written down, without effect.

use std::fmt::Write;
use std::fs;
use std::time::{Duration, Instant};

use serde_json::json;

use crate::wire::{Wire, command};

/// Nine levels of aliases, nine of each: 9⁹ items if it were unfolded.
fn bomb(schema: &str) -> String {
    let mut text = format!("schema: {schema}\nname: bomb\na0: &a0 [x, x, x, x, x, x, x, x, x]\n");
    for level in 1..9 {
        let below = vec![format!("*a{}", level - 1); 9].join(", ");
        // writing to a String can't fail
        let _ = writeln!(text, "a{level}: &a{level} [{below}]");
    }
    text + "goals: *a8\nsteps: *a8\ntags: *a8\n"
}

#[test]
fn bombs_and_files_are_refused_at_once_and_written_down() {
    let home = tempfile::tempdir().unwrap();
    fs::create_dir_all(home.path().join("recordings/bomb")).unwrap();
    fs::write(home.path().join("recordings/bomb/recording.yaml"), bomb("simdrive.recording/1")).unwrap();
    fs::write(home.path().join("bomb.yaml"), bomb("simdrive.journey/1")).unwrap();
    let mut command = command(&home);
    command.env("HOME", home.path()).env_remove("XDG_CONFIG_HOME");
    let mut wire = Wire::over(command, home).greeted();
    wire.well("session_start", json!({"device": "sim:demo"}));
    let started = Instant::now();
    for (tool, arguments, code) in [
        ("replay", json!({"name": "bomb"}), "recording_invalid"),
        ("migrate_recording", json!({"name": "bomb"}), "recording_invalid"),
        ("load_journey", json!({"path": "bomb.yaml"}), "invalid_argument"),
        ("load_journey", json!({"path": "recordings/bomb/recording.yaml"}), "invalid_argument"),
        ("open_url", json!({"url": "file:///etc/passwd"}), "policy_denied"),
        ("open_url", json!({"url": "FILE:/etc/passwd"}), "policy_denied"),
        ("open_url", json!({"url": "javascript:alert(1)"}), "policy_denied"),
        ("open_url", json!({"url": "https://a.example/\u{1b}[2J"}), "invalid_argument"),
        ("instruct", json!({"text": "open file:///etc/passwd"}), "policy_denied"),
    ] {
        let (text, _) = wire.text(tool, arguments.clone());
        assert!(text.starts_with(&format!("error {code}: ")), "{tool} {arguments}: {text}");
        assert!(text.len() < 2_000 && !text.contains('\u{1b}'), "{tool}: {text:?}");
    }
    for tool in ["validate_replay", "lint_recordings", "list_replays"] {
        let arguments = if tool == "validate_replay" { json!({"name": "bomb"}) } else { json!({}) };
        let (text, _) = wire.text(tool, arguments);
        assert!(text.contains("bomb") && text.len() < 2_000, "{tool}: {text}");
    }
    assert!(started.elapsed() < Duration::from_secs(20), "{:?}", started.elapsed());
    let status = wire.well("session_status", json!({}));
    assert!(status.contains(" 0 acts"), "{status}");
    let log = fs::read_to_string(wire.home.path().join("audit.jsonl")).unwrap();
    assert_eq!(log.matches("\"code\":\"policy_denied\"").count(), 4, "{log}");
    assert!(!log.contains("passwd"), "{log}");
}
