//! What a user relies on when recordings are replayed: on the embedded simulator, through the companion protocol.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;
use simdrive::act::action::TypedText;
use simdrive::act::{Action, Target};
use simdrive::exit::Exit;
use simdrive::geometry::Rect;
use simdrive::recording::{RecordOptions, Store, Variables, validate};
use simdrive::replay::outcome::{RecordingVerdict, RunReport, StepVerdict};
use simdrive::replay::selection::choose;
use simdrive::replay::{ReplayOptions, RunOptions, run};
use simdrive::session::{Session, SessionStart};

/// Reading a screen takes all cores: tests that do it side by side would wait for each other's looks.
static ONE_AT_A_TIME: tokio::sync::Mutex<()> = tokio::sync::Mutex::const_new(());

const APP: &str = r#"
name: Kiosk
bundle: com.example.kiosk
start: home
state: {email: "", password: "", sum: 0}
screens:
  home:
    title: Kiosk
    body:
      - field: {label: Email, bind: email, placeholder: Your email, id: email}
      - field: {label: Password, bind: password, placeholder: Required, kind: secure, id: password}
      - button: {label: Sign In, id: sign-in, disabled: "email == '' || password == ''", do: [{navigate: list}]}
  list:
    title: Today
    body:
      - section:
          header: Drinks
          rows:
            - cell: {title: Coffee, value: "$3.40", do: [{navigate: coffee}]}
            - cell: {title: Tea, value: "$2.80"}
  coffee:
    title: Coffee
    body:
      - text: {text: "$3.40", style: title2, id: price}
      - button: {label: Add to cart, id: add, do: [{set: {sum: 1}}, {navigate: cart}]}
  cart:
    title: Cart
    body:
      - text: {text: "Total: $3.40", style: headline, id: total}
"#;

fn app(dir: &Path, name: &str, text: &str) -> String {
    let path = dir.join(name);
    std::fs::write(&path, text).unwrap();
    format!("sim:{}?clock=2026-01-01T09:41:00Z", path.display())
}

fn label(label: &str) -> Target {
    Target::Label { label: label.into(), role: None, nth: None, near: None }
}

fn tap(target: &str) -> Action {
    Action::Tap { target: label(target), count: 1, hold_ms: 0 }
}

fn type_into(field: &str, text: &str, submit: bool) -> Action {
    Action::TypeText {
        text: TypedText::Text(text.into()),
        into: Some(label(field)),
        clear_first: false,
        submit,
    }
}

/// Signs in and buys a coffee.
async fn record(dir: &Path, selector: &str) -> PathBuf {
    let session = Session::start(SessionStart::new(selector.parse().unwrap())).await.unwrap();
    let options = RecordOptions { name: "buy-coffee".into(), ..RecordOptions::default() };
    let (_, warnings) = session.start_recording(&Store::at(dir.join("recordings")), options).await.unwrap();
    assert!(warnings.is_empty(), "{warnings:?}");
    let acts = [
        type_into("Email", "ana@example.com", false),
        type_into("Password", "hunter2", true),
        tap("Sign In"),
        tap("Coffee"),
        tap("Add to cart"),
    ];
    for act in acts {
        let name = act.name();
        let outcome = session.act(act).await.unwrap_or_else(|e| panic!("{name}: {e}"));
        println!("{name}: {:?} {:?}", outcome.effect, outcome.notes);
    }
    session.end(true).await.unwrap().recording.unwrap().path
}

async fn replay(recording: &Path, device: Option<String>, options: ReplayOptions) -> RunReport {
    let chosen = choose(&[recording.display().to_string()], &Store::at("."), &[]).unwrap();
    let variables = Variables::parse(["PASSWORD=hunter2"]).unwrap();
    let options = RunOptions {
        replay: ReplayOptions { variables, ..options },
        devices: device.into_iter().collect(),
        ..RunOptions::default()
    };
    let report = run(chosen, options, Vec::new()).await.unwrap();
    println!("{}", serde_json::to_string_pretty(&report).unwrap());
    report
}

fn simdrive(args: &[&str]) -> (i32, Value, String) {
    let out = Command::new(env!("CARGO_BIN_EXE_simdrive")).args(args).output().unwrap();
    let said = String::from_utf8_lossy(&out.stderr).into_owned();
    let json = serde_json::from_slice(&out.stdout).unwrap_or(Value::Null);
    println!("{args:?}: {:?}\n{said}", out.status.code());
    (out.status.code().unwrap(), json, said)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_recording_replays_and_a_wrong_digit_fails_it() {
    let _turn = ONE_AT_A_TIME.lock().await;
    let dir = tempfile::tempdir().unwrap();
    let recorded_on = app(dir.path(), "kiosk.yaml", APP);
    let recording = record(dir.path(), &recorded_on).await;

    let validation = validate(&recording);
    assert!(validation.is_valid() && validation.warnings.is_empty(), "{validation:?}");
    assert_eq!((validation.steps, &validation.needs[..]), (5, &["PASSWORD".to_owned()][..]));
    let yaml = std::fs::read_to_string(recording.join("recording.yaml")).unwrap();
    assert!(!yaml.contains("hunter2"), "{yaml}");

    // as recorded
    let green = replay(&recording, None, ReplayOptions::default()).await;
    assert_eq!(green.exit(), Exit::Success);
    assert!(green.recordings[0].steps.iter().all(|s| s.verdict == StepVerdict::Passed));

    // with only the clock seven minutes on
    let later = recorded_on.replace("09:41", "09:48");
    assert_eq!(replay(&recording, Some(later), ReplayOptions::default()).await.exit(), Exit::Success);

    // with one digit of a price changed, on the command line
    let wrong = app(dir.path(), "wrong.yaml", &APP.replacen("value: \"$3.40\"", "value: \"$3.90\"", 1));
    let path = recording.display().to_string();
    let report = Path::new(env!("CARGO_TARGET_TMPDIR")).join("wrong-digit");
    let (junit, events) = (report.join("junit.xml"), report.join("events.jsonl"));
    std::fs::create_dir_all(&report).unwrap();
    let [report_dir, junit_file, events_file] = [&report, &junit, &events].map(|p| p.to_str().unwrap());
    let asked = ["replay", &path, "--device", &wrong, "--var", "PASSWORD=hunter2", "--gate-timeout", "1500"];
    let reports = ["--json", "--report", report_dir, "--junit", junit_file, "--events", events_file];
    let (code, json, _) = simdrive(&[&asked[..], &reports].concat());
    assert_eq!(code, 1, "{json:#}");
    let steps = json["recordings"][0]["steps"].as_array().unwrap();
    let drifted: Vec<_> = steps.iter().filter(|s| s["verdict"] == "drifted").collect();
    assert_eq!(drifted.len(), 1);
    assert_eq!((&drifted[0]["step"], &drifted[0]["code"]), (&Value::from(4), &Value::from("replay_drift")));
    let regions = drifted[0]["gates"][0]["regions"].as_array().unwrap();
    assert_eq!(regions.len(), 1, "{regions:?}");
    let near = regions[0]["nearest"].as_str().unwrap();
    assert!(near.contains("$3.90") || near.contains("Coffee"), "{near}");
    assert_eq!(steps[4]["verdict"], "not_run");

    // every report tells the same
    let xml = std::fs::read_to_string(&junit).unwrap();
    assert!(xml.contains("tests=\"5\" failures=\"1\" errors=\"0\" skipped=\"1\""), "{xml}");
    assert!(xml.contains("type=\"replay_drift\"") && xml.contains("-difference.png]]"), "{xml}");
    let told = std::fs::read_to_string(&events).unwrap();
    let told: Vec<Value> = told.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(told.len(), 1 + 1 + 5 + 1 + 1);
    assert_eq!(told.last().unwrap()["event"], "run_finished");
    let page = std::fs::read_to_string(report.join("index.html")).unwrap();
    assert!(page.contains("1 failed") && page.matches("data:image/png").count() >= 3);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_renamed_target_is_missing_unless_it_may_be_healed() {
    let _turn = ONE_AT_A_TIME.lock().await;
    let dir = tempfile::tempdir().unwrap();
    let recorded_on = app(dir.path(), "kiosk.yaml", APP);
    let recording = record(dir.path(), &recorded_on).await;
    let renamed = app(dir.path(), "renamed.yaml", &APP.replace("label: Add to cart", "label: Put in cart"));
    let options = ReplayOptions {
        on_drift: simdrive::replay::OnDrift::Warn,
        gate: simdrive::vision::gate::GateOptions { timeout_ms: Some(300), ..Default::default() },
        ..ReplayOptions::default()
    };

    let report = replay(&recording, Some(renamed.clone()), options.clone()).await;
    assert_eq!((report.exit(), report.recordings[0].verdict), (Exit::Failed, RecordingVerdict::Failed));
    let step = &report.recordings[0].steps[4];
    assert_eq!(step.verdict, StepVerdict::Missing);
    assert!(step.suggestion.as_deref().unwrap().contains("Put in cart"), "{step:?}");

    let heal = ReplayOptions { heal: true, update: true, ..options };
    let report = replay(&recording, Some(renamed), heal).await;
    assert_eq!(report.recordings[0].verdict, RecordingVerdict::Drifted);
    assert!(report.recordings[0].steps[4].message.as_deref().unwrap().contains("healed"));

    // what is proposed can be accepted, and then the renamed app is as recorded
    let mut loaded = Store::at_path(&recording).unwrap();
    let mut pending = simdrive::recording::Pending::load(&recording).unwrap();
    assert!(pending.changes.len() >= 2, "{pending:?}");
    while !pending.changes.is_empty() {
        pending.accept(0, &mut loaded).unwrap();
    }
    assert!(validate(&recording).is_valid() && !recording.join("pending").exists());
    let renamed = dir.path().join("renamed.yaml").display().to_string();
    let again = replay(&recording, Some(format!("sim:{renamed}")), ReplayOptions::default()).await;
    assert_eq!(again.exit(), Exit::Success);
}

#[test]
fn what_can_not_be_replayed_has_its_own_exit_code_and_changes_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let recording = dir.path().join("broken");
    std::fs::create_dir(&recording).unwrap();
    let path = recording.display().to_string();
    let file = recording.join("recording.yaml");
    for (yaml, code) in [
        ("schema: simdrive.recording/1\nsteps: [", "recording_invalid"),
        ("schema: simdrive.recording/9\n", "recording_version"),
        ("steps: []\n", "recording_version"),
        ("schema: simdrive.recording/1\nname: broken\n", "recording_invalid"),
    ] {
        std::fs::write(&file, yaml).unwrap();
        let (exit, json, said) = simdrive(&["replay", &path, "--json"]);
        assert_eq!(exit, 2, "{said}");
        assert_eq!(json["recordings"][0]["code"], code, "{json:#}");
        assert!(json["recordings"][0]["message"].as_str().unwrap().contains("recording.yaml"));
        assert_eq!(std::fs::read_to_string(&file).unwrap(), yaml);
    }
    assert_eq!(std::fs::read_dir(&recording).unwrap().count(), 1);

    assert_eq!(simdrive(&["replay", "no-such-recording", "--recordings", &path]).0, 2);
    assert_eq!(simdrive(&["replay", &path, "--shard", "3/2"]).0, 2);
    assert_eq!(simdrive(&["replay", &path, "--mask", "nose"]).0, 2);
    assert_eq!(simdrive(&["replay", &path, "--var", "x"]).0, 2);
}

#[test]
fn a_dead_device_is_exit_code_three() {
    let dir = tempfile::tempdir().unwrap();
    let recording = dir.path().join("lost");
    std::fs::create_dir(&recording).unwrap();
    let yaml = "schema: simdrive.recording/1\nname: lost\ncreated: 2026-11-30T10:15:00Z\nsimdrive: 0.1.0\n\
                device: {selector: 'idb+unix:///nowhere/x.sock', kind: simulator, model: iPhone 16, os: iOS 18.2, screen: {width: 393, height: 852, scale: 3}}\n\
                steps: []\n";
    std::fs::write(recording.join("recording.yaml"), yaml).unwrap();
    let (exit, json, _) = simdrive(&["replay", &recording.display().to_string(), "--json"]);
    assert_eq!((exit, &json["recordings"][0]["code"]), (3, &Value::from("device_unreachable")));
}

const SHOP: &str = "recordings/shop-buy";

/// The shop with something about it changed.
fn shop(dir: &Path, from: &str, to: &str) -> String {
    let yaml = std::fs::read_to_string("fixtures/apps/shop.yaml").unwrap();
    assert_eq!(yaml.matches(from).count(), 1, "{from}");
    app(dir, "shop.yaml", &yaml.replace(from, to))
}

#[test]
fn what_changed_in_the_shop_fails_at_its_step_and_in_its_place() {
    let _turn = ONE_AT_A_TIME.blocking_lock();
    // what changed, the first step whose screen shows it, and the box in points where it shows
    for (what, from, to, step, [x, y, width, height]) in [
        ("a price digit", "price: 49.90", "price: 46.90", 4, [300.0, 270.0, 80.0, 40.0]),
        (
            "a missing row",
            "                  - cell: {title: Shipping, value: \"{shipping == 0 ? 'Free' : money(shipping)}\"}\n",
            "",
            11,
            [16.0, 290.0, 361.0, 170.0],
        ),
        (
            "dark mode",
            "  product:\n    title: \"{product.name}\"\n",
            "  product:\n    title: \"{product.name}\"\n    on_appear: [{appearance: Dark}]\n",
            7,
            [0.0, 500.0, 393.0, 100.0],
        ),
        (
            "an alert",
            "    search: {bind: query",
            "    on_appear: [{alert: {title: Rate this app, buttons: [{label: Not Now}]}}]\n    search: {bind: query",
            4,
            [60.0, 340.0, 270.0, 170.0],
        ),
    ] {
        let dir = tempfile::tempdir().unwrap();
        let device = shop(dir.path(), from, to);
        let var = "SHOP_PASSWORD=correct-horse";
        let asked = ["replay", SHOP, "--device", &device, "--var", var, "--gate-timeout", "2000", "--json"];
        let (code, json, said) = simdrive(&asked);
        assert_eq!(code, 1, "{what}: {said}");
        let steps = json["recordings"][0]["steps"].as_array().unwrap();
        let drifted: Vec<_> = steps.iter().filter(|s| s["verdict"] == "drifted").collect();
        assert_eq!(drifted.len(), 1, "{what}: {said}");
        assert_eq!(drifted[0]["step"], step, "{what}: {said}");
        let regions = drifted[0]["gates"][0]["regions"].as_array().unwrap();
        let shows = Rect::new(x, y, width, height);
        let there = |region: &Value| {
            let points: Rect = serde_json::from_value(region["points"].clone()).unwrap();
            points.intersection(&shows).is_some()
        };
        assert!(regions.iter().any(there), "{what}: {regions:#?}");
    }
}

/// `tests/replay-often.sh` does it fifty times.
#[test]
fn the_shop_replays_with_a_real_clock_and_a_slow_device() {
    let _turn = ONE_AT_A_TIME.blocking_lock();
    for device in ["sim:shop?clock=real", "sim:shop?clock=real&latency_ms=0..800&seed=3"] {
        let path = "recordings/shop-sign-in";
        let (code, _, said) = simdrive(&[
            "replay",
            path,
            "--device",
            device,
            "--var",
            "SHOP_PASSWORD=correct-horse",
            "--var",
            "SHOP_WRONG=not-the-password",
        ]);
        assert_eq!(code, 0, "{device}: {said}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn steps_before_the_one_to_resume_from_are_done_without_their_gates() {
    let _turn = ONE_AT_A_TIME.lock().await;
    let dir = tempfile::tempdir().unwrap();
    let recorded_on = app(dir.path(), "kiosk.yaml", APP);
    let recording = record(dir.path(), &recorded_on).await;
    // the first screen and the last one are other
    let first = "title: Kiosk\n    body:\n";
    let changed = APP.replace(first, &format!("{first}      - text: {{text: New here}}\n"));
    let changed = changed.replace("Total: $3.40", "Total: $3.90");
    let changed = app(dir.path(), "changed.yaml", &changed);
    let options = ReplayOptions {
        resume_from: 4,
        gate: simdrive::vision::gate::GateOptions { timeout_ms: Some(1_000), ..Default::default() },
        ..ReplayOptions::default()
    };
    let report = replay(&recording, Some(changed), options).await;
    let verdicts: Vec<_> = report.recordings[0].steps.iter().map(|s| s.verdict).collect();
    use StepVerdict::{Drifted, Passed, Ungated};
    assert_eq!(verdicts, [Ungated, Ungated, Ungated, Passed, Drifted]);
    let beyond = ReplayOptions { resume_from: 9, ..ReplayOptions::default() };
    let report = replay(&recording, None, beyond).await;
    assert_eq!((report.exit(), report.recordings[0].verdict), (Exit::Invalid, RecordingVerdict::Invalid));
}

#[tokio::test(flavor = "multi_thread")]
async fn on_another_screen_a_replay_fails_unless_targets_alone_may_do() {
    let _turn = ONE_AT_A_TIME.lock().await;
    let dir = tempfile::tempdir().unwrap();
    let recorded_on = app(dir.path(), "kiosk.yaml", APP);
    let recording = record(dir.path(), &recorded_on).await;
    let larger = format!("{recorded_on}&device=iphone-max");
    let report = replay(&recording, Some(larger.clone()), ReplayOptions::default()).await;
    assert_eq!(report.exit(), Exit::Failed);
    let message = report.recordings[0].message.as_deref().unwrap();
    assert!(message.contains("1179×2556") && message.contains("--other-screens"), "{message}");

    let alone = || ReplayOptions { other_screens: true, ..ReplayOptions::default() };
    let report = replay(&recording, Some(larger), alone()).await;
    let steps = &report.recordings[0].steps;
    assert_eq!(report.exit(), Exit::Success, "{:?}", report.recordings[0].message);
    assert!(steps.iter().all(|step| step.verdict == StepVerdict::Ungated));
    assert!(steps[0].message.as_deref().unwrap().contains("targets alone are checked"));
    assert!(report.recordings[0].warnings.iter().any(|w| w.contains("5 of 5 steps")));
    // a target that is gone fails there too, and a screen of the recorded size is held against its frames
    let renamed =
        app(dir.path(), "renamed.yaml", &APP.replace("title: Coffee, value", "title: Espresso, value"));
    let report = replay(&recording, Some(format!("{renamed}&device=iphone-max")), alone()).await;
    assert_eq!(report.recordings[0].verdict, RecordingVerdict::Failed);
    let dearer = app(dir.path(), "dearer.yaml", &APP.replace("Total: $3.40", "Total: $3.90"));
    assert_eq!(
        replay(&recording, Some(dearer), alone()).await.recordings[0].verdict,
        RecordingVerdict::Drifted
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_secret_is_in_a_report_or_in_a_proposal() {
    let _turn = ONE_AT_A_TIME.lock().await;
    let dir = tempfile::tempdir().unwrap();
    // the secret is shown in clear further on
    let telling = APP.replace(
        "title: Today\n    body:\n",
        "title: Today\n    body:\n      - text: {text: \"You typed {password}\"}\n",
    );
    let recording = record(dir.path(), &app(dir.path(), "kiosk.yaml", &telling)).await;
    let changed = app(
        dir.path(),
        "changed.yaml",
        &telling.replace("Coffee, value: \"$3.40\"", "Coffee, value: \"$3.90\""),
    );
    let (report, events) = (dir.path().join("report"), dir.path().join("events.jsonl"));
    let (path, report_dir) = (recording.display().to_string(), report.display().to_string());
    let asked =
        ["replay", &path, "--device", &changed, "--var", "PASSWORD=hunter2", "--gate-timeout", "1000"];
    let more = ["--update", "--report", &report_dir, "--events", events.to_str().unwrap(), "--json"];
    let (code, json, said) = simdrive(&[&asked[..], &more].concat());
    assert_eq!(code, 1, "{said}");
    let written =
        ["index.html", "report.json"].map(|name| std::fs::read_to_string(report.join(name)).unwrap());
    let events = std::fs::read_to_string(&events).unwrap();
    for (what, text) in [
        ("json", &json.to_string()),
        ("stderr", &said),
        ("page", &written[0]),
        ("data", &written[1]),
        ("events", &events),
    ] {
        assert!(!text.contains("hunter2"), "{what}: {text}");
    }
    let step = json["recordings"][0]["steps"]
        .as_array()
        .unwrap()
        .iter()
        .find(|s| s["verdict"] == "drifted")
        .unwrap();
    let gate = &step["gates"][0];
    let pending = simdrive::recording::Pending::load(&recording).unwrap();
    assert!(!pending.changes.is_empty());
    let mut pictures = vec![PathBuf::from(gate["actual"].as_str().unwrap())];
    for change in &pending.changes {
        let simdrive::recording::ChangeTo::Frame { now, masks, .. } = &change.to else { continue };
        assert!(!masks.is_empty(), "{change:?}");
        pictures.push(pending.frames().path(now));
    }
    let mut reader =
        simdrive::vision::text::TextReader::new(simdrive::vision::text::TextModels::shared().unwrap());
    for picture in pictures {
        let frame = simdrive::frame::Frame::decode(&std::fs::read(&picture).unwrap()).unwrap();
        let lines = reader.read(&frame, 3.0).unwrap().lines;
        let text: String = lines.iter().map(|line| format!("{}\n", line.text)).collect();
        assert!(text.contains("Coffee") && !text.contains("hunter"), "{}: {text}", picture.display());
    }

    #[cfg(target_os = "linux")]
    a_page_opens_beside_a_review(dir.path(), &path);

    // what is accepted replays
    assert_eq!(simdrive(&["review", &path, "--accept-all", "--report", &report_dir]).0, 0);
    assert!(std::fs::read_to_string(report.join("index.html")).unwrap().contains("wait for a review"));
    assert_eq!(simdrive(&asked).0, 0);
}

/// Asks on a terminal, with a desktop that notes which page it is to open.
#[cfg(target_os = "linux")]
fn a_page_opens_beside_a_review(dir: &Path, recording: &str) {
    use std::io::Write;
    use std::os::unix::fs::PermissionsExt;

    let (opener, opened) = (dir.join("xdg-open"), dir.join("opened"));
    std::fs::write(&opener, format!("#!/bin/sh\necho \"$1\" > {}\n", opened.display())).unwrap();
    std::fs::set_permissions(&opener, std::fs::Permissions::from_mode(0o755)).unwrap();
    let review = format!("{} review {recording}", env!("CARGO_BIN_EXE_simdrive"));
    let path = format!("{}:{}", dir.display(), std::env::var("PATH").unwrap());
    let mut terminal = Command::new("script")
        .args(["-qec", &review, "/dev/null"])
        .env("PATH", path)
        .env("DISPLAY", ":0")
        .env_remove("SSH_CONNECTION")
        .env("SIMDRIVE_HOME", dir.join("home"))
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    terminal.stdin.take().unwrap().write_all(b"q\n").unwrap();
    let said = String::from_utf8_lossy(&terminal.wait_with_output().unwrap().stdout).into_owned();
    assert!(said.contains("[a]ccept, [r]eject") && said.contains("0 accepted, 0 rejected"), "{said}");
    let page = dir.join("home/review/index.html");
    assert!(std::fs::read_to_string(&page).unwrap().contains("wait for a review"));
    assert_eq!(std::fs::read_to_string(opened).unwrap().trim(), page.to_str().unwrap());
}
