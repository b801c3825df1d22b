//! Sentences as a client sends them: sequences, conditions, repetitions, and where they stop.

use serde_json::json;

use crate::wire::{Wire, command};

fn at(device: &str) -> Wire {
    let mut wire = Wire::initialized();
    wire.well("session_start", json!({"device": device}));
    wire
}

#[test]
fn a_sequence_is_done_in_order_and_each_step_told() {
    let mut wire = at("sim:shop");
    let text = "Type ada@example.com into the Email field, then type \"correct horse\" into the password field Password\n\
        and then find the Sign In button";
    let told = wire.well("instruct", json!({"text": text}));
    let lines: Vec<&str> = told.lines().collect();
    assert!(lines[0].starts_with("1. Type ada@example.com into the Email field → type_text"), "{told}");
    assert!(lines[1].starts_with("2. type \"correct horse\""), "{told}");
    assert!(told.contains("button \"Sign In\""), "{told}");
    let seen = wire.well("observe", json!({"image": "none"}));
    assert!(seen.contains("=ada@example.com"), "{seen}");
}

#[test]
fn a_condition_is_looked_at_and_one_way_taken() {
    let mut wire = at("sim:demo");
    let told =
        wire.well("instruct", json!({"text": "if Count up is visible tap Count up, otherwise swipe up"}));
    assert!(told.contains("\"Count up\" is visible? → yes") && told.contains("Counter: 1"), "{told}");
    let told =
        wire.well("instruct", json!({"text": "si Permitir es visible toca Permitir, si no toca Count up"}));
    assert!(told.contains("→ no") && told.contains("Counter: 2"), "{told}");
}

#[test]
fn a_repetition_is_bounded_and_ends_where_its_condition_holds() {
    let mut wire = at("sim:demo");
    let told = wire.well("instruct", json!({"text": "toca Count up 3 veces"}));
    assert!(told.contains("Counter: 3"), "{told}");
    let text = "tap Count up until \"Counter: 5\" is visible, at most 9 times";
    let told = wire.well("instruct", json!({"text": text}));
    assert!(told.contains("Counter: 5") && told.contains("→ yes"), "{told}");
    let (told, is_error) =
        wire.text("instruct", json!({"text": "tap Count up until Nowhere appears, max 2 times"}));
    assert!(is_error && told.starts_with("error target_not_found: "), "{told}");
    assert!(wire.well("observe", json!({"image": "none"})).contains("Counter: 7"));
}

#[test]
fn an_error_in_the_middle_stops_it_or_is_passed_over() {
    let mut wire = at("sim:demo");
    let text = "tap Count up then tap Nowhere then tap Count up";
    let (told, is_error) = wire.text("instruct", json!({"text": text}));
    assert!(is_error && told.starts_with("error target_not_found: step 2 (`tap Nowhere`)"), "{told}");
    assert!(told.contains("done before:\n1. tap Count up → tap"), "{told}");
    assert!(wire.well("observe", json!({"image": "none"})).contains("Counter: 1"));
    let (told, is_error) = wire.text("instruct", json!({"text": text, "on_error": "continue"}));
    assert!(is_error && told.contains("1 of 3 steps failed"), "{told}");
    assert!(wire.well("observe", json!({"image": "none"})).contains("Counter: 3"));
}

#[test]
fn what_is_not_understood_or_not_possible_touches_nothing() {
    let mut wire = at("sim:demo");
    let (told, _) = wire.text("instruct", json!({"text": "tap Count up then tpa Reset"}));
    assert!(
        told.starts_with("error invalid_argument: `tpa` is no command\nhint: known are: tap <target>"),
        "{told}"
    );
    assert!(told.ends_with("tap Count up then tpa Reset\n                  ^^^"), "{told}");
    for lacking in ["start a video", "delete all contacts"] {
        let (told, _) = wire.text("instruct", json!({"text": format!("tap Count up then {lacking}")}));
        assert!(told.starts_with("error unsupported_on_target: ") && told.contains("idb:UDID"), "{told}");
    }
    let text = "start a video; delete all contacts; stop the video";
    let plan = wire.well("instruct", json!({"text": text, "dry_run": true}));
    assert_eq!(plan.matches("note: filming the screen is not supported").count(), 1, "{plan}");
    assert_eq!(plan.matches("note: changing the contacts is not supported").count(), 1, "{plan}");
    let (told, _) = wire.text("instruct", json!({"text": "long press Count up for 2 minutes"}));
    assert!(told.contains("`hold_ms` must be from 0 to 30000"), "{told}");
    let plan = wire.well("instruct", json!({"text": "tap Count up 2 times", "dry_run": true}));
    assert_eq!(plan, "1. 2 times\n   1. tap {\"label\":\"Count up\"}\nneeds mode interact; nothing was done");
    let plan = wire.well("instruct", json!({"text": "busca Reset", "dry_run": true, "language": "es"}));
    assert!(plan.contains("needs mode observe"), "{plan}");
    assert!(wire.well("session_status", json!({})).contains(" 0 acts"));
}

#[test]
fn the_steps_of_a_recording_are_those_of_the_tools() {
    let mut wire = at("sim:demo");
    let text = "record as said; tap Count up; swipe up; stop recording";
    assert!(wire.well("instruct", json!({"text": text})).contains("recorded said: 2 steps"));
    let (told, _) = wire.text("instruct", json!({"text": "record as other then close the app"}));
    assert!(told.starts_with("error already_recording: "), "{told}");
}

#[test]
fn the_rest_of_a_device_can_be_commanded() {
    let mut wire = at("sim:demo");
    let text = "set the location to 40.4, -3.7; clear the keychain; delete all crashes; wait 20 ms; \
        describe 100,444; tap 26% 52%; open the app com.example.demo; is the app running; close the app";
    let told = wire.well("instruct", json!({"text": text}));
    assert!(told.contains("the location is 40.4, -3.7") && told.contains("button \"Count up\""), "{told}");
    assert!(told.contains("com.example.demo has ended"), "{told}");
}

const NOTES: &str = "name: Notes\nbundle: com.example.notes\nstart: all\nscreens:\n  all:\n    title: Notes\n    body:\n      \
                     - text: {text: \"Nothing yet\"}\n";

#[test]
fn an_app_is_installed_opened_and_uninstalled_where_that_is_allowed() {
    let home = tempfile::tempdir().unwrap();
    let app = home.path().join("notes.yaml");
    std::fs::write(&app, NOTES).unwrap();
    let mut command = command(&home);
    command.args(["--mode", "full"]);
    let mut wire = Wire::over(command, home).greeted();
    wire.well("session_start", json!({"device": "sim:demo"}));
    let say = |wire: &mut Wire, text: &str| wire.text("instruct", json!({"text": text})).0;
    let told = say(&mut wire, &format!("install {}; open the app com.example.notes", app.display()));
    assert!(told.contains("com.example.notes is installed") && told.contains("\"Nothing yet\""), "{told}");
    assert!(wire.well("apps", json!({})).contains("com.example.notes"));
    assert!(say(&mut wire, "uninstall com.example.notes").contains("com.example.notes is uninstalled"));
    assert!(!wire.well("apps", json!({})).contains("com.example.notes"));
    assert!(say(&mut wire, "uninstall com.example.notes").starts_with("error app_not_installed: "));
    let told = say(&mut wire, "install ./nowhere.app");
    assert!(told.starts_with("error invalid_argument: ") && told.contains("there is nothing at "), "{told}");
    assert!(say(&mut wire, "install /etc/passwd").starts_with("error policy_denied: "));
    assert!(say(&mut wire, "shut down the simulator").starts_with("error unsupported_on_target: "));
    // what any client may do is less
    let told = say(&mut at("sim:demo"), "uninstall com.example.demo");
    assert!(told.starts_with("error policy_denied: ") && told.contains("full"), "{told}");
}

#[test]
fn a_sentence_may_begin_its_own_session() {
    let mut wire = Wire::initialized();
    let (told, _) = wire.text("instruct", json!({"text": "tap Count up"}));
    assert!(told.starts_with("error no_session: "), "{told}");
    let told = wire.well("instruct", json!({"text": "inicia una sesión en sim:demo y toca Count up"}));
    assert!(told.contains("session s1") && told.contains("Counter: 1"), "{told}");
}

#[test]
fn the_command_line_does_what_it_is_told() {
    let home = tempfile::tempdir().unwrap();
    let run = |arguments: &[&str]| command(&home).arg("instruct").args(arguments).output().unwrap();
    let done = run(&["--device", "sim:demo", "tap Count up twice then find Counter", "--json"]);
    assert_eq!(done.status.code(), Some(0), "{done:?}");
    let facts: serde_json::Value = serde_json::from_slice(&done.stdout).unwrap();
    assert_eq!(facts["steps"].as_array().unwrap().len(), 3);
    let file = home.path().join("steps.txt");
    std::fs::write(&file, "1. tap Count up\n2. tap Nowhere\n").unwrap();
    let failed = run(&["--device", "sim:demo", "-f", file.to_str().unwrap()]);
    assert_eq!(failed.status.code(), Some(1), "{failed:?}");
    let plan = run(&["--dry-run", "-f", file.to_str().unwrap()]);
    assert!(String::from_utf8_lossy(&plan.stdout).contains("2. tap {\"label\":\"Nowhere\"}"));
    let unknown = run(&["frobnicate"]);
    assert_eq!(unknown.status.code(), Some(2), "{unknown:?}");
    assert!(String::from_utf8_lossy(&unknown.stderr).contains("^^^^^^^^^^"), "{unknown:?}");
}
