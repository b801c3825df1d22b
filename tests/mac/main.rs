//! A Mac driven for real, as far as that goes without one: stand-in executables on the `PATH`.

mod standin;
#[path = "../mcp/wire.rs"]
#[allow(dead_code)]
mod wire;

use std::time::{Duration, Instant};

use serde_json::json;

use standin::{Mac, has_files, runs, signal};

#[test]
fn a_simulator_is_found_booted_driven_and_let_go() {
    let mac = Mac::new();
    let mut server = mac.server();
    let devices = server.well("list_devices", json!({}));
    for line in [
        "idb:AAAA-2  iPhone 16 Pro, iOS 18.2, shutdown",
        "wda:0000-9  Ann, iPhone 15, iOS 18.1, connected",
        "sim:demo  ",
    ] {
        assert!(devices.contains(line), "{devices}");
    }
    let started = server.well("session_start", json!({"device": "iphone 16 pro", "app": "com.example.demo",
        "launch_arguments": ["-x", "a b"], "environment": {"A": "1"}, "permissions": {"photos": true, "siri": false}}));
    assert!(started.starts_with("session s1: idb:AAAA-2 ("), "{started}");
    let (again, refused) = server.text("session_start", json!({"device": "AAAA-2"}));
    assert!(refused && again.contains("session_exists"), "{again}");
    let seen = server.well("observe", json!({"image": "none"}));
    assert!(seen.contains("Count up"), "{seen}");
    let tapped = server.well("tap", json!({"label": "Count up"}));
    assert!(tapped.contains("effect changed"), "{tapped}");
    server.well("set_appearance", json!({"appearance": "dark", "content_size": "extra-large"}));
    let permissions = json!({"camera": true, "calendar": true, "teleport": true});
    let (granted, refused) = server.text("pre_grant_permissions", json!({"permissions": permissions}));
    assert!(refused, "one of them is none");
    for part in ["camera: granted by idb", "calendar: granted by simctl", "teleport: not granted: "] {
        assert!(granted.contains(part), "{granted}");
    }
    let perf = server.well("perf", json!({"samples": 2}));
    assert!(
        perf.contains("cpu: 12.5 %") && perf.contains("memory: 40.0 MB") && perf.contains("threads: 3.0"),
        "{perf}"
    );
    let memory = server.well("memory", json!({}));
    assert!(memory.contains("15.0 MB\n  11.0 MB  MALLOC_SMALL\n  4.0 MB  IOSurface"), "{memory}");
    let logs = server.well("logs", json!({}));
    assert_eq!(logs, "2026-12-02 10:00:00.001 Df Demo[1:2] hello");
    let status = server.well("session_status", json!({}));
    assert!(status.contains("companion well"), "{status}");
    server.well("session_end", json!({}));
    mac.assert_no_companion_is_left();
    assert!(!has_files(&server.home.path().join("companions")), "no record of it is left");

    let companion = mac.calls("idb_companion");
    let socket = companion[0][4].clone();
    assert_eq!(
        companion,
        [["idb_companion", "--udid", "AAAA-2", "--grpc-domain-sock", &socket, "--only", "simulator"]]
    );
    assert!(!std::path::Path::new(&socket).parent().unwrap().exists(), "its private folder is gone");
    let simctl: Vec<String> = mac.calls("xcrun").iter().map(|call| call[1..].join(" ")).collect();
    for call in [
        "simctl list devices --json",
        "simctl boot AAAA-2",
        "simctl bootstatus AAAA-2 -b",
        "simctl privacy AAAA-2 revoke siri com.example.demo",
        "simctl privacy AAAA-2 grant calendar com.example.demo",
        "simctl ui AAAA-2 appearance dark",
        "simctl ui AAAA-2 content_size extra-large",
        "simctl spawn AAAA-2 log show --style compact --last 60s",
    ] {
        assert!(simctl.iter().any(|c| c == call), "{call} in {simctl:#?}");
    }
}

#[test]
fn a_simulator_is_booted_brought_to_the_front_and_shut_down_by_a_sentence() {
    let mac = Mac::new();
    mac.program("open", "exit 0\n");
    let home = tempfile::tempdir().unwrap();
    let picture = home.path().join("cat.jpg");
    std::fs::write(&picture, "cat").unwrap();
    let mut command = mac.command(&home);
    command.args(["--mode", "full"]);
    let mut server = wire::Wire::over(command, home).greeted();
    let mut say = |text: &str| server.text("instruct", json!({"text": text})).0;
    assert!(say("boot iPhone 16 Pro").contains("iPhone 16 Pro (AAAA-2) is booted"));
    let told = say("focus the simulator iPhone 16 Pro");
    assert!(told.contains("iPhone 16 Pro (AAAA-2) is in front"), "{told}");
    assert!(say("start a session on iPhone 16 Pro").contains("session s1: idb:AAAA-2"));
    let told = say("shut down iPhone 16 Pro");
    assert!(
        told.starts_with("error device_busy: ") && told.contains("session s1 drives iPhone 16 Pro"),
        "{told}"
    );
    assert!(say(&format!("add the photo {}", picture.display())).contains("cat.jpg is in the photo library"));
    say("end the session");
    assert!(say("shut down iPhone 16 Pro").contains("iPhone 16 Pro (AAAA-2) is shut down"));
    assert!(say("boot iPhone 99").starts_with("error device_not_found: "));
    let verbs = mac.calls("xcrun").into_iter().filter(|call| call[1] == "simctl").map(|call| call[2].clone());
    let verbs: Vec<String> = verbs.filter(|verb| verb != "list").collect();
    assert_eq!(verbs, ["boot", "bootstatus", "addmedia", "shutdown"]);
    assert_eq!(mac.calls("open")[0][1..], ["-a", "Simulator", "--args", "-CurrentDeviceUDID", "AAAA-2"]);
}

/// A server with a session there, and a file for its video.
fn filmed(mac: &Mac) -> (wire::Wire, std::path::PathBuf) {
    let mut server = mac.server();
    server.well("session_start", json!({"device": "AAAA-2"}));
    let file = server.home.path().join("tour.mp4");
    let told = server.well("instruct", json!({"text": format!("record the screen to {}", file.display())}));
    assert!(told.contains(&format!("the screen is being filmed into {}", file.display())), "{told}");
    (server, file)
}

/// Whether an answer is this error, with these words.
fn is_error(answer: &str, code: &str, words: &str) -> bool {
    answer.starts_with(&format!("error {code}: ")) && answer.contains(words)
}

fn is_whole(file: &std::path::Path) -> bool {
    std::fs::read_to_string(file).is_ok_and(|text| text == "whole\n")
}

#[test]
fn a_video_is_whole_however_it_ends() {
    let mac = Mac::new();
    let (mut server, file) = filmed(&mac);
    let say = |server: &mut wire::Wire, text: &str| server.text("instruct", json!({"text": text})).0;
    assert!(server.well("session_status", json!({})).contains("filming into "));
    assert!(is_error(&say(&mut server, "start a video"), "already_recording", "the screen is being filmed"));
    server.well("tap", json!({"label": "Count up"}));
    let told = say(&mut server, "stop the video");
    assert!(told.contains(&format!("the video is {} (1 KB)", file.display())) && is_whole(&file), "{told}");
    assert!(is_error(&say(&mut server, "stop the video"), "not_recording", "the screen is not being filmed"));
    for (name, says) in [("tour.mp4", "there is such a file already"), ("a.txt", "ends with .mp4 or .mov")] {
        let told = say(&mut server, &format!("record the screen to {name}"));
        assert!(told.starts_with("error invalid_argument: ") && told.contains(says), "{told}");
    }
    // without a name it goes to simdrive's own videos, and the end of the session ends it
    assert!(say(&mut server, "start a video").contains("/videos/"));
    let ended = server.well("session_end", json!({}));
    let own = ended.lines().find_map(|line| line.strip_prefix("the video is ")).expect(&ended);
    assert!(is_whole(own.as_ref()), "{ended}");
    mac.assert_no_companion_is_left();
    let films =
        mac.calls("xcrun").into_iter().filter(|call| call[2] == "io").map(|call| call[1..5].join(" "));
    assert_eq!(films.collect::<Vec<_>>(), vec!["simctl io AAAA-2 recordVideo"; 2]);
}

#[test]
fn a_video_is_whole_when_the_server_is_stopped_or_killed() {
    for name in ["TERM", "KILL"] {
        let mac = Mac::new();
        let (mut server, file) = filmed(&mac);
        // the record of whose it is is written beside
        let records = server.home.path().join("companions");
        let end = Instant::now() + Duration::from_secs(20);
        while std::fs::read_dir(&records).map_or(0, Iterator::count) < 2 && Instant::now() < end {
            std::thread::sleep(Duration::from_millis(20));
        }
        server.signal(name);
        server.exit();
        if name == "KILL" {
            assert!(!is_whole(&file));
            let home = std::mem::replace(&mut server.home, tempfile::tempdir().unwrap());
            let mut next = mac.server_at(home);
            next.well("session_start", json!({"device": "AAAA-2"}));
            assert!(is_whole(&file), "what was left behind was let finish");
            next.end_input();
            next.exit();
        } else {
            assert!(is_whole(&file), "{name}");
        }
        mac.assert_no_companion_is_left();
    }
}

#[test]
fn a_video_that_breaks_off_or_can_not_begin_says_why() {
    let mac = Mac::new();
    let mut server = mac.server();
    server.well("session_start", json!({"device": "AAAA-2"}));
    let fault = "if [ \"$2\" = io ]; then echo 'Error creating the image' >&2; exit 5; fi\n";
    mac.fault("xcrun", fault);
    let told = server.text("instruct", json!({"text": "start a video"})).0;
    assert!(told.contains("Error creating the image"), "{told}");
    let late = "if [ \"$2\" = io ]; then echo 'Recording started' >&2; sleep 0.2; echo 'Disk full' >&2; exit 5; fi\n";
    mac.fault("xcrun", late);
    server.well("instruct", json!({"text": "start a video"}));
    std::thread::sleep(Duration::from_secs(1));
    let told = server.text("instruct", json!({"text": "stop the video"})).0;
    assert!(told.contains("Disk full"), "{told}");
    // it is over all the same
    let told = server.text("instruct", json!({"text": "stop the video"})).0;
    assert!(told.starts_with("error not_recording: "), "{told}");
}

#[test]
fn contacts_come_from_a_card_or_an_address_book() {
    let mac = Mac::new();
    let mut server = mac.server();
    server.well("session_start", json!({"device": "AAAA-2"}));
    let card = server.home.path().join("people.vcf");
    std::fs::write(&card, "BEGIN:VCARD\nVERSION:3.0\nFN:Ada\nEND:VCARD\n").unwrap();
    let mut say = |text: String| server.text("instruct", json!({"text": text})).0;
    let told = say(format!("update the contacts from {}", card.display()));
    assert!(told.contains("the contacts are those of"), "{told}");
    let media: Vec<_> = mac.calls("xcrun").into_iter().filter(|call| call[2] == "addmedia").collect();
    assert_eq!(media[0][4], card.display().to_string());
    let told = say("update the contacts from nobody.vcf".to_owned());
    assert!(told.starts_with("error invalid_argument: "), "{told}");
    // the embedded simulator, which stands in for the companion, has none
    let told = say("delete all contacts".to_owned());
    assert!(told.starts_with("error unsupported_on_target: "), "{told}");
}

#[test]
fn a_name_that_means_two_is_not_guessed_and_one_that_means_none_says_what_is_near() {
    let mac = Mac::new();
    let mut server = mac.server();
    for (name, parts) in [
        ("iPhone 16", ["device_not_found", "idb:AAAA-1", "idb:BBBB-1"]),
        ("iPhone 61", ["device_not_found", "the nearest names are", "iPhone 16"]),
        ("Ann", ["device_not_found", "it is a real device", "WebDriverAgent"]),
        ("idb:0000-9", ["device_not_found", "it is a real device", "WebDriverAgent"]),
    ] {
        let (text, refused) = server.text("session_start", json!({"device": name}));
        assert!(refused && parts.iter().all(|part| text.contains(part)), "{text}");
    }
    assert!(mac.companions().is_empty());
}

#[test]
fn a_simulator_that_booted_meanwhile_is_well_and_noise_does_no_harm() {
    let mac = Mac::new();
    mac.fault(
        "xcrun",
        "if [ \"$2\" = boot ]; then\n\
           echo 'An error was encountered processing the command (domain=com.apple.CoreSimulator.SimError, code=405):' >&2\n\
           echo 'Unable to boot device in current state: Booted' >&2\n\
           exit 149\n\
         fi\n",
    );
    mac.fault("idb_companion", "echo 'Loading private frameworks'; echo '{\"noise\": 1}'; sleep 0.5\n");
    let mut server = mac.server();
    server.well("session_start", json!({"device": "iPhone 16 (26.3)"}));
    server.well("observe", json!({"image": "none"}));
    server.end_input();
    server.exit();
    mac.assert_no_companion_is_left();
}

#[test]
fn a_companion_that_is_killed_is_started_again_and_the_session_goes_on() {
    let mac = Mac::new();
    let mut server = mac.server();
    server.well("session_start", json!({"device": "AAAA-2"}));
    signal(&mac.companions()[0], "KILL");
    let seen = server.well("observe", json!({"image": "none"}));
    assert!(seen.contains("Count up"), "{seen}");
    server.well("tap", json!({"label": "Count up"}));
    let status = server.well("session_status", json!({}));
    assert!(status.contains("companion runs again after 1 restarts"), "{status}");
    assert_eq!(mac.companions().len(), 2);
    // killed with no warning, the server leaves the companion; the next one ends it
    server.signal("KILL");
    server.exit();
    assert!(runs(&mac.companions()[1]));
    let home = std::mem::replace(&mut server.home, tempfile::tempdir().unwrap());
    let mut next = mac.server_at(home);
    next.well("session_start", json!({"device": "AAAA-2"}));
    assert!(!runs(&mac.companions()[1]), "what was left behind is ended");
    next.end_input();
    next.exit();
    mac.assert_no_companion_is_left();
}

#[test]
fn a_companion_that_hangs_is_replaced() {
    let mac = Mac::new();
    let mut server = mac.server();
    server.well("session_start", json!({"device": "AAAA-2"}));
    signal(&mac.companions()[0], "STOP");
    let end = Instant::now() + Duration::from_secs(60);
    loop {
        let status = server.well("session_status", json!({}));
        if status.contains("companion runs again") {
            assert!(status.contains("stopped answering"), "{status}");
            break;
        }
        assert!(Instant::now() < end, "{status}");
        std::thread::sleep(Duration::from_millis(500));
    }
    server.well("observe", json!({"image": "none"}));
}

#[test]
fn what_can_not_be_had_says_what_to_do_and_leaves_nothing() {
    for (program, script, parts) in [
        (
            "xcrun",
            "echo 'xcrun: error: unable to find utility \"simctl\", not a developer tool or in PATH' >&2; exit 72",
            ["device_not_found", "sudo xcode-select -s"],
        ),
        ("xcrun", "echo not json; exit 0", ["device_not_found", "unreadable"]),
        (
            "xcrun",
            "[ $2 = boot ] && { echo 'Unable to boot: disk full' >&2; exit 60; }",
            ["unsupported_on_target", "disk full"],
        ),
        (
            "idb_companion",
            "echo 'No Xcode is selected' >&2; echo $$ >> $MAC/companions; exit 1",
            ["device_unreachable", "No Xcode is selected"],
        ),
        (
            "idb_companion",
            "echo $$ >> $MAC/companions; echo '{\"grpc_path\": \"/elsewhere.sock\"}'; exec sleep 60",
            ["device_unreachable", "/elsewhere.sock"],
        ),
    ] {
        let mac = Mac::new();
        mac.fault(program, script);
        let mut server = mac.server();
        let (text, refused) = server.text("session_start", json!({"device": "AAAA-2"}));
        assert!(refused && parts.iter().all(|part| text.contains(part)), "{script}: {text}");
        mac.assert_no_companion_is_left();
    }
}

#[test]
fn a_companion_that_will_not_end_is_killed_soon_after_the_input_ends() {
    let mac = Mac::new();
    // the script stays, deaf to signals, with the simulator below it
    mac.program(
        "idb_companion",
        "while [ $# -gt 0 ]; do [ \"$1\" = --grpc-domain-sock ] && socket=$2; shift; done\n\
         trap '' INT TERM\n\
         echo $$ >> $MAC/companions\n\
         \"$SIMDRIVE\" sim --socket \"$socket\" &\n\
         echo $! >> $MAC/companions\n\
         while :; do sleep 1; done\n",
    );
    let mut server = mac.server();
    server.well("session_start", json!({"device": "AAAA-2"}));
    assert_eq!(mac.companions().len(), 2);
    let ended = Instant::now();
    server.end_input();
    server.exit();
    assert!(ended.elapsed() < Duration::from_secs(5), "{:?}", ended.elapsed());
    mac.assert_no_companion_is_left();
}

#[test]
fn the_idb_command_drives_where_no_companion_can() {
    let mac = Mac::new();
    let picture = mac.path("screen.png");
    image::RgbaImage::from_pixel(360, 780, image::Rgba([250, 250, 250, 255])).save(&picture).unwrap();
    mac.program(
        "idb",
        r#"case "$1 $2" in
  "describe "*) echo '{"udid": "AAAA-2", "name": "iPhone 16 Pro", "state": "Booted", "os_version": "iOS 18.2",
"screen_dimensions": {"width": 360, "height": 780, "density": 1}}' | tr -d '\n'; echo ;;
  "screenshot "*) cat "$MAC/screen.png" ;;
  "ui describe-all") echo '[{"type": "Application", "AXLabel": "Demo", "pid": 77,
"frame": {"x": 0, "y": 0, "width": 360, "height": 780}, "children": []}]' | tr -d '\n' ;;
  "list-apps "*) echo '{"bundle_id": "com.example.demo", "name": "Demo", "process_state": "Running", "pid": "77"}' ;;
  "install "*) echo '{"installedAppBundleId": "com.example.new", "uuid": null}' ;;
  "crash delete") echo '{"name": "Demo-1.ips", "bundle_id": "com.example.demo"}' ;;
  "launch "*) echo "$IDB_A" > "$MAC/launched-with"; echo '{"pid": 77}' ;;
esac
"#,
    );
    let home = tempfile::tempdir().unwrap();
    let mut command = mac.command(&home);
    command.args(["--mode", "full"]);
    let mut server = wire::Wire::over(command, home).greeted();
    let start = json!({"device": "idb:AAAA-2?driver=cli", "app": "com.example.demo", "launch_arguments": ["-x"],
        "environment": {"A": "1"}, "permissions": {"camera": true}});
    let started = server.well("session_start", start);
    assert!(started.contains("idb:AAAA-2?driver=cli"), "{started}");
    server.well("tap", json!({"x": 100, "y": 200}));
    server.well("press_key", json!({"key": "home"}));
    let app = server.home.path().join("New.app");
    std::fs::create_dir(&app).unwrap();
    for (text, told) in [
        (format!("install {}", app.display()), "com.example.new is installed"),
        ("uninstall com.example.new".to_owned(), "com.example.new"),
        ("delete the crash Demo-1.ips".to_owned(), "deleted Demo-1.ips"),
        ("delete all crashes".to_owned(), "deleted Demo-1.ips"),
    ] {
        let answer = server.well("instruct", json!({"text": text}));
        assert!(answer.contains(told), "{text}: {answer}");
    }
    let install = format!("install --udid AAAA-2 --json {}", app.display());
    let calls: Vec<String> = mac.calls("idb").iter().map(|call| call[1..].join(" ")).collect();
    for call in [
        "approve --udid AAAA-2 com.example.demo camera",
        "launch --udid AAAA-2 com.example.demo -x",
        "ui tap --udid AAAA-2 100 200",
        "ui button --udid AAAA-2 HOME",
        &install,
        "uninstall --udid AAAA-2 com.example.new",
        "crash delete --udid AAAA-2 -- Demo-1.ips",
        "crash delete --udid AAAA-2 --all",
    ] {
        assert!(calls.iter().any(|c| c == call), "{call} in {calls:#?}");
    }
    assert_eq!(mac.read("launched-with"), "1\n");
    assert!(mac.companions().is_empty());
}

#[test]
fn doctor_says_what_is_missing_and_the_command_that_brings_it() {
    let mac = Mac::new();
    mac.program("xcodebuild", "echo 'Xcode 16.2'; echo 'Build version 16C5032a'");
    mac.program("idb_companion", "echo '{\"build_time\": \"1\", \"build_date\": \"Aug 9 2022\"}'");
    let home = tempfile::tempdir().unwrap();
    let doctor = || {
        let output = mac.command(&home).args(["doctor", "--json"]).output().unwrap();
        let told: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        let checks = told["checks"].as_array().unwrap().clone();
        move |name: &str| checks.iter().find(|check| check["name"] == name).unwrap().clone()
    };
    let well = doctor();
    assert_eq!((&well("xcode")["detail"], &well("xcode")["state"]), (&json!("Xcode 16"), &json!("ok")));
    assert_eq!(well("simulators")["detail"], "3 can be used, 0 booted");
    assert!(well("idb_companion")["detail"].as_str().unwrap().ends_with(", built Aug 9 2022"));
    assert!(well("phones")["detail"].as_str().unwrap().contains("Ann, iPhone 15"));

    mac.fault("xcodebuild", "echo 'xcode-select: error: tool requires Xcode' >&2; exit 1");
    mac.fault("xcrun", "echo 'xcrun: error: unable to find utility' >&2; exit 72");
    mac.fault("idb_companion", "echo 'dyld: Library not loaded' >&2; exit 6");
    let ill = doctor();
    for (name, fix) in [
        ("xcode", "sudo xcode-select -s /Applications/Xcode.app"),
        ("simulators", "xcrun simctl list devices"),
        ("idb_companion", "sudo xcode-select"),
    ] {
        let check = ill(name);
        assert_eq!(check["state"], "warn", "{check}");
        assert!(check["fix"].as_str().unwrap().contains(fix), "{check}");
    }
    assert!(ill("idb_companion")["detail"].as_str().unwrap().contains("dyld: Library not loaded"));
}

#[test]
fn doctor_tries_everything_on_the_device_itself() {
    let mac = Mac::new();
    let home = tempfile::tempdir().unwrap();
    let doctor = |more: &[&str]| {
        let mut command = mac.command(&home);
        let output = command.args(["doctor", "--json", "--hardware"]).args(more).output().unwrap();
        serde_json::from_slice::<serde_json::Value>(&output.stdout).unwrap()
    };
    let none = doctor(&[]);
    assert_eq!(none["error"]["code"], "device_not_found", "none runs, and the embedded one is no hardware");
    let told = doctor(&["--device", "AAAA-2"]);
    let checks = told["checks"].as_array().unwrap();
    for name in ["open", "describe", "screenshot", "accessibility", "home button", "apps", "logs", "metrics"]
    {
        let check =
            checks.iter().find(|check| check["name"] == name).unwrap_or_else(|| panic!("{name}: {told}"));
        assert_eq!(check["state"], "ok", "{check}");
    }
    mac.assert_no_companion_is_left();
    // now that it is booted it is the one that is meant
    assert!(doctor(&[])["checks"].as_array().unwrap().iter().any(|check| check["name"] == "open"));
    mac.assert_no_companion_is_left();
}

#[test]
fn a_touch_without_effect_says_that_the_companion_may_be_too_old() {
    for (xcode, is_said) in [("Xcode 27.1", true), ("Xcode 16.2", false)] {
        let mac = Mac::new();
        mac.program("xcodebuild", &format!("echo '{xcode}'"));
        let mut server = mac.server();
        server.well("session_start", json!({"device": "AAAA-2"}));
        let nothing = server.well("tap", json!({"x": 200, "y": 130}));
        assert!(nothing.contains("effect none_observed"), "{nothing}");
        assert_eq!(nothing.contains("older than 1.7"), is_said, "{xcode}: {nothing}");
        let something = server.well("tap", json!({"label": "Count up"}));
        assert!(!something.contains("older than 1.7"), "{something}");
    }
}
