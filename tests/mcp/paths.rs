//! Paths that clients name: whatever leads out of the folders they may use is refused, by every tool, and nothing is
//! read, written or sent.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::wire::{Wire, command};

/// Every argument that is, or holds, a path: the tool, what else it takes, and the argument with the path in it.
type Row = (&'static str, Value, &'static str, fn(&str) -> String);

fn plain(path: &str) -> String {
    path.to_owned()
}

fn rows() -> Vec<Row> {
    vec![
        ("validate_replay", json!({}), "path", plain),
        ("replay", json!({}), "path", plain),
        ("replay", json!({"update": true}), "path", plain),
        ("replay", json!({"name": "kept"}), "report_dir", plain),
        ("lint_recordings", json!({}), "path", plain),
        ("lint_recordings", json!({"fix": true}), "path", plain),
        ("migrate_recording", json!({}), "path", plain),
        ("migrate_recording", json!({"dry_run": true}), "path", plain),
        ("load_journey", json!({}), "path", plain),
        ("load_journey", json!({"path": "journey.yaml"}), "persona", plain),
        ("session_start", json!({}), "device", |path| format!("sim:{path}")),
        ("session_start", json!({}), "device", |path| {
            format!("webdriver+http://127.0.0.1:9?capabilities={path}")
        }),
    ]
}

/// Arguments of this name hold a path where a tool takes them.
const NAMES: [&str; 4] = ["path", "report_dir", "persona", "device"];

fn recording(at: &Path) {
    let committed = Path::new(env!("CARGO_MANIFEST_DIR")).join("recordings/settings-wifi");
    for folder in [at.to_owned(), at.join("frames")] {
        fs::create_dir_all(&folder).unwrap();
    }
    fs::copy(committed.join("recording.yaml"), at.join("recording.yaml")).unwrap();
    for frame in fs::read_dir(committed.join("frames")).unwrap().map(Result::unwrap) {
        fs::copy(frame.path(), at.join("frames").join(frame.file_name())).unwrap();
    }
}

/// Every file below, with its bytes.
fn tree(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut files = Vec::new();
    for path in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        match path.symlink_metadata().unwrap().is_dir() {
            true => files.extend(tree(&path)),
            false => files.push((path.clone(), fs::read(&path).unwrap_or_default())),
        }
    }
    files.sort();
    files
}

#[test]
fn no_path_leads_out_of_the_folders_that_clients_may_use() {
    let outside = tempfile::tempdir().unwrap();
    recording(&outside.path().join("secret"));
    let home = tempfile::tempdir().unwrap();
    recording(&home.path().join("recordings/kept"));
    fs::create_dir(home.path().join("deep")).unwrap();
    symlink(outside.path(), home.path().join("deep/link")).unwrap();
    symlink(outside.path().join("secret"), home.path().join("recordings/linked")).unwrap();
    symlink(outside.path().join("nothing"), home.path().join("dangling")).unwrap();
    let before = tree(outside.path());
    let mut command = command(&home);
    command.env("HOME", home.path()).env_remove("XDG_CONFIG_HOME");
    let mut wire = Wire::over(command, home).greeted();

    let id = wire.request("tools/list", json!({}));
    let tools = wire.response(id)["result"]["tools"].as_array().unwrap().clone();
    for tool in &tools {
        let takes = tool["inputSchema"]["properties"].as_object().unwrap().keys();
        for argument in takes.filter(|name| NAMES.contains(&name.as_str()) || name.contains("dir")) {
            let known = rows().iter().any(|(name, _, has, _)| tool["name"] == *name && has == argument);
            assert!(known || argument == "direction", "{}.{argument} is in no row", tool["name"]);
        }
    }
    let secret = outside.path().join("secret");
    let paths = [
        secret.display().to_string(),
        secret.join("recording.yaml").display().to_string(),
        "/etc/passwd".to_owned(),
        "../secret".to_owned(),
        "deep/../../secret".to_owned(),
        "deep/link/secret".to_owned(),
        "deep/link/secret/new".to_owned(),
        "./recordings/linked".to_owned(),
        "./dangling/new".to_owned(),
    ];
    let mut refusals = 0;
    for (tool, with, argument, written) in rows() {
        for path in &paths {
            let mut arguments = with.clone();
            arguments[argument] = json!(written(path));
            let (text, is_error) = wire.text(tool, arguments.clone());
            assert!(is_error && text.starts_with("error policy_denied: "), "{tool} {arguments}: {text}");
            refusals += 1;
        }
    }
    // by names too: of links, and of recordings to come
    for (tool, arguments) in [
        ("validate_replay", json!({"name": "linked"})),
        ("replay", json!({"name": "linked"})),
        ("migrate_recording", json!({"name": "linked"})),
        ("record_stop", json!({"name": "linked"})),
        ("record_start", json!({"name": "linked"})),
    ] {
        let (text, _) = wire.text(tool, arguments.clone());
        assert!(text.starts_with("error policy_denied: "), "{tool} {arguments}: {text}");
        refusals += 1;
    }
    assert_eq!(tree(outside.path()), before, "nothing is written outside");
    let log = fs::read_to_string(wire.home.path().join("audit.jsonl")).unwrap();
    assert_eq!(log.matches("\"verdict\":\"denied\"").count(), refusals, "each is in the audit log");
    // what lies inside goes on working
    wire.well("validate_replay", json!({"path": "recordings/kept"}));
    wire.well("lint_recordings", json!({"path": "recordings/kept"}));
}

#[test]
fn folders_are_narrowed_by_a_project_and_widened_by_its_user_only() {
    let outside = tempfile::tempdir().unwrap();
    recording(&outside.path().join("theirs"));
    let path = outside.path().join("theirs").display().to_string();
    let allow = |folder: &str| format!("[policy]\nallow_folders = [{folder:?}]\n");
    let there = outside.path().display().to_string();
    for (user, project, passes) in [
        (String::new(), allow(&there), false),
        (allow(&there), String::new(), true),
        (allow(&there), allow("recordings"), false),
        (allow(&there), allow(&there), true),
        (String::new(), format!("recordings = {there:?}\n"), false),
        (format!("recordings = {there:?}\n"), String::new(), true),
    ] {
        let home = tempfile::tempdir().unwrap();
        fs::create_dir_all(home.path().join(".config/simdrive")).unwrap();
        fs::write(home.path().join(".config/simdrive/config.toml"), &user).unwrap();
        fs::write(home.path().join("simdrive.toml"), &project).unwrap();
        let mut command = command(&home);
        command.env("HOME", home.path()).env_remove("XDG_CONFIG_HOME");
        let mut wire = Wire::over(command, home).greeted();
        let (text, is_error) = wire.text("validate_replay", json!({"path": path}));
        assert_eq!(!is_error, passes, "{user} / {project}: {text}");
        assert_eq!(text.starts_with("error policy_denied: "), !passes, "{text}");
    }
}
