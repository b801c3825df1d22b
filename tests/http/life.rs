//! Where it listens, whose token it takes, and how it stops.

use std::os::unix::fs::PermissionsExt;

use serde_json::{Value, json};

use crate::site::{Client, Site, TOKEN, command};

#[test]
fn health_is_told_without_a_token() {
    let site = Site::open();
    let health = site.request("GET", "/healthz", &[], "");
    assert_eq!(health.status, 200);
    assert_eq!(health.message()["status"], "ok");
    assert_eq!(site.request("POST", "/healthz", &[], "{}").status, 405);
}

#[test]
fn a_token_is_made_on_the_first_start_and_kept() {
    let open = |home| {
        let mut command = command(&home);
        command.args(["serve", "--http", "localhost:0"]);
        Site::over(command, home)
    };
    let mut site = open(tempfile::tempdir().unwrap());
    let file = site.home.path().join("home/token");
    let token = std::fs::read_to_string(&file).unwrap();
    assert_eq!(std::fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    assert!(token.trim().len() >= 32 && !site.said.contains(token.trim()));
    assert!(site.said.contains(file.to_str().unwrap()), "{}", site.said);
    let bearer = format!("Bearer {}", token.trim());
    assert_eq!(site.request("GET", "/x", &[("Authorization", &bearer)], "").status, 404);
    site.signal("INT");
    assert_eq!(site.exit(), Some(130));

    let again = open(std::mem::replace(&mut site.home, tempfile::tempdir().unwrap()));
    assert_eq!(again.request("GET", "/x", &[("Authorization", &bearer)], "").status, 404);
}

#[test]
fn it_does_not_listen_beyond_this_machine_unasked() {
    let home = tempfile::tempdir().unwrap();
    let short = home.path().join("short");
    std::fs::write(&short, "guess-me\n").unwrap();
    let refused = |more: &[&str], token: Option<&str>| {
        let mut command = command(&home);
        command.args(["serve", "--http", "0.0.0.0:0"]).args(more).envs(token.map(|t| ("SIMDRIVE_TOKEN", t)));
        let output = command.output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{more:?}");
        String::from_utf8(output.stderr).unwrap()
    };
    assert!(refused(&[], None).contains("--allow-remote"));
    assert!(refused(&[], Some(TOKEN)).contains("add --allow-remote, "));
    assert!(refused(&["--allow-remote"], None).contains("--token-file"));
    let short = refused(&["--allow-remote", "--token-file", short.to_str().unwrap()], None);
    assert!(short.contains("too short") && !short.contains("guess-me"), "{short}");
    assert!(!home.path().join("home/token").exists());
    let elsewhere = command(&home).args(["serve", "--http", "somewhere:80"]).output().unwrap();
    assert_eq!(elsewhere.status.code(), Some(2));
}

#[test]
fn a_recording_that_is_open_at_the_end_is_whole() {
    let mut site = Site::open();
    let names = ["first", "second"];
    for name in names {
        let client = Client::legacy(&site);
        client.well("session_start", json!({"device": "sim:demo"}));
        client.well("record_start", json!({"name": name}));
        client.well("tap", json!({"label": "Count up"}));
    }
    site.signal("TERM");
    assert_eq!(site.exit(), Some(143));
    for name in names {
        assert!(site.recordings().join(name).join("recording.yaml").is_file());
        let checked = command(&site.home).args(["recordings", "validate", name]).output().unwrap();
        assert_eq!(checked.status.code(), Some(0), "{checked:?}");
    }
    let listed = command(&site.home).args(["recordings", "list", "--json"]).output().unwrap();
    let listed: Value = serde_json::from_slice(&listed.stdout).unwrap();
    for recording in listed["recordings"].as_array().unwrap() {
        assert!(recording["steps"] == 1 && recording.get("unfinished").is_none(), "{listed}");
    }
}

#[test]
fn who_is_silent_for_too_long_loses_the_session_but_not_the_recording() {
    let home = tempfile::tempdir().unwrap();
    let mut command_line = command(&home);
    command_line.args(["serve", "--http", "127.0.0.1:0", "--idle", "3"]).env("SIMDRIVE_TOKEN", TOKEN);
    let site = Site::over(command_line, home);
    let client = Client::legacy(&site);
    client.well("session_start", json!({"device": "sim:demo"}));
    client.well("record_start", json!({"name": "left"}));
    client.well("tap", json!({"label": "Count up"}));
    let is_finished = || {
        let listed = command(&site.home).args(["recordings", "list", "--json"]).output().unwrap();
        let listed: Value = serde_json::from_slice(&listed.stdout).unwrap();
        listed["recordings"][0]["steps"] == 1 && listed["recordings"][0].get("unfinished").is_none()
    };
    assert!(!is_finished(), "it is recording");
    let begin = std::time::Instant::now();
    while !is_finished() {
        assert!(begin.elapsed().as_secs() < 60, "nobody ended it");
        std::thread::sleep(std::time::Duration::from_millis(200));
    }
    // the server goes on for others
    assert!(Client::legacy(&site).well("version", json!({})).starts_with("simdrive "));
}

#[test]
fn what_a_client_recorded_when_it_left_is_whole() {
    let site = Site::open();
    let client = Client::legacy(&site);
    client.well("session_start", json!({"device": "sim:demo"}));
    client.well("record_start", json!({"name": "tour"}));
    client.well("tap", json!({"label": "Count up"}));
    client.leave();
    let listed = Client::legacy(&site).well("list_replays", json!({}));
    assert!(listed.contains("tour") && !listed.contains("never finished"), "{listed}");
}
