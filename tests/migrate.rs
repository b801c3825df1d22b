//! Recordings of the original SimDrive: written here in its formats with frames of the embedded simulator, migrated,
//! and replayed green.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::Arc;

use serde_json::Value;
use simdrive::act::action::{Key, SwipePath, TypedText};
use simdrive::act::{ActOutcome, Action, Target};
use simdrive::geometry::Point;
use simdrive::recording::{Store, validate};
use simdrive::session::{Session, SessionStart};

const DEMO: &str = "sim:demo?clock=2026-01-01T09:41:00Z";
const SECRET: &str = "hunter2-secret";

/// Writes what the original would have written, act by act.
struct Author {
    session: Arc<Session>,
    dir: PathBuf,
    steps: String,
    count: usize,
}

impl Author {
    async fn of(root: &Path, folder: &str) -> Self {
        let session = Session::start(SessionStart::new(DEMO.parse().unwrap())).await.unwrap();
        let dir = root.join(folder);
        std::fs::create_dir_all(dir.join("snapshots")).unwrap();
        Self { session, dir, steps: String::new(), count: 0 }
    }

    /// Acts, keeps both frames, and writes the step with what `args` makes of it.
    async fn step(&mut self, name: &str, action: Action, args: impl Fn(&ActOutcome) -> String) {
        let outcome = self.session.act(action).await.unwrap_or_else(|e| panic!("{name}: {e}"));
        self.count += 1;
        let n = self.count;
        for (kind, seen) in [("pre", &outcome.before), ("post", &outcome.after)] {
            std::fs::write(self.dir.join(format!("snapshots/{n:03}_{kind}.png")), seen.frame.to_png())
                .unwrap();
        }
        let args = args(&outcome);
        writeln!(
            self.steps,
            "- id: {n}\n  action: {name}\n  args: {{{args}}}\n  pre_screenshot: snapshots/{n:03}_pre.png\n  \
             post_screenshot: snapshots/{n:03}_post.png\n  captured_at: 1796088391.04\n  marks_count: 12"
        )
        .unwrap();
    }

    async fn tap(&mut self, label: &str, with: &str) {
        let size = with.to_owned();
        self.step("tap", tap(label), |outcome| format!("{}, {size}", pixels(outcome))).await;
    }

    /// Ends the session and writes the file.
    async fn done(self, head: &str, tail: &str) -> PathBuf {
        self.session.end(true).await.unwrap();
        std::fs::write(self.dir.join("recording.yaml"), format!("{head}steps:\n{}{tail}", self.steps))
            .unwrap();
        self.dir
    }
}

fn target(label: &str) -> Target {
    Target::Label { label: label.into(), role: None, nth: None, near: None }
}

fn tap(label: &str) -> Action {
    Action::Tap { target: target(label), count: 1, hold_ms: 0 }
}

fn typing(into: &str, text: &str) -> Action {
    Action::TypeText {
        text: TypedText::Text(text.into()),
        into: Some(target(into)),
        clear_first: false,
        submit: false,
    }
}

/// Where a touch went, in pixels.
fn pixels(outcome: &ActOutcome) -> String {
    let Point { x, y } = outcome.targets[0].point;
    format!("x: {:.0}, y: {:.0}, stable_id: 33d275b4c7e2, stable_id_loose: 9af20fbff81b", x * 3.0, y * 3.0)
}

const SIZE: &str = "screenshot_w: 1179, screenshot_h: 2556";

/// The newest form: masks, a contract of the start, texts and sizes in every act.
async fn newest_form(root: &Path) -> PathBuf {
    let mut author = Author::of(root, "greeting").await;
    author.tap("Count up", &format!("{SIZE}, text: Count up, settle_ms: 300")).await;
    author.tap("Greeting", &format!("{SIZE}, text: Greeting, settle_ms: 300")).await;
    let name = typing("Name", "Ada ${x}");
    author
        .step("type_text", name, |_| {
            r#"text: "Ada ${x}", tap_first: {text: Name}, clear_first: true, settle_ms: 100, marks_count: 3"#
                .into()
        })
        .await;
    let enter = Action::PressKey { key: Key::Return, modifiers: Vec::new() };
    author.step("press_key", enter, |_| "key: enter, settle_ms: 400".into()).await;
    let head = "name: greeting\ncreated_at: 1796088390.29\ndevice: iPhone 16\nos_version: '18.2'\n\
        app_bundle_id: com.example.demo\nsimdrive_version: 1.0.0b14\ncreated_by_session: abc\n\
        screenshot_size_pixels: [1179, 2556]\ntags: [smoke]\ntarget: simulator\n";
    let tail = r#"requires:
  target: simulator
  app: {bundle_id: com.example.demo, version: '1.0', version_match: minor}
  sim: {device: iPhone 16, ios_version: '18.2'}
  initial_state: {foreground: true, text_subset_required: [Welcome, '9:41', Count up, Never there], text_subset_forbidden: [Payment failed], primary_button_label: Count up}
ssim_masks: [{x: 0, y: 0, w: 1179, h: 180, label: status_bar}, {x: 300, y: 2400, w: 300, h: 90, label: clock}]
final_expect: [hello, Nowhere]
replay_policy: {retry_noop_taps: true}
"#;
    author.done(head, tail).await
}

/// The form of a device, its facts flat in `requires`; a password in clear.
async fn device_form(root: &Path) -> PathBuf {
    let mut author = Author::of(root, "Sign In").await;
    author.tap("More", SIZE).await;
    author.tap("Sign in", &format!("{SIZE}, text: Sign in")).await;
    let field = Action::TapAndWaitKeyboard { target: target("Name"), timeout_ms: 3_000 };
    author
        .step("tap_and_wait_keyboard", field, |outcome| format!("{}, {SIZE}, text: Name", pixels(outcome)))
        .await;
    author.step("type_text", typing("Name", "Ada"), |_| "text: Ada".into()).await;
    let password = typing("Password", SECRET);
    author
        .step("type_text", password, |_| format!("text: {SECRET}, tap_first: {{mark: 4}}, settle_ms: 300"))
        .await;
    let head = "name: sign me in\ncreated_at: 1796088390\ndevice: Ana's iPhone\nos_version: 18.2\n\
        app_bundle_id: com.example.demo\nscreenshot_size_pixels: [1179, 2556]\ntags: []\n";
    let tail = "requires: {udid: 00008110-000A, device_name: Ana's iPhone, os_version: '18.2', app_bundle_id: com.example.demo}\n";
    author.done(head, tail).await
}

/// The oldest form: no contract, no sizes; the frames before acts as old as the last observe, one after missing.
async fn oldest_form(root: &Path) -> PathBuf {
    let mut author = Author::of(root, "cities").await;
    author.tap("Count up", "text: Count up").await;
    author.tap("Count up", "marks_count: 9").await;
    author.tap("Cities", "text: Cities").await;
    let path = SwipePath::FromTo {
        from: Target::Point(Point::new(200.0, 600.0)),
        to: Target::Point(Point::new(200.0, 300.0)),
    };
    let swipe = Action::Swipe { path, duration_ms: 400, until: None, max_swipes: 10 };
    author
        .step("swipe", swipe, |_| {
            "x1: 600, y1: 1800, x2: 600, y2: 900, duration_ms: 400, settle_ms: 900".into()
        })
        .await;
    let snapshots = author.dir.join("snapshots");
    std::fs::copy(snapshots.join("001_pre.png"), snapshots.join("002_pre.png")).unwrap();
    std::fs::remove_file(snapshots.join("003_post.png")).unwrap();
    let head = "name: cities\ncreated_at: 1796088390.5\ndevice: iPhone 16\napp_bundle_id: com.example.demo\n";
    author.done(head, "").await
}

fn simdrive(root: &Path, arguments: &[&str]) -> Output {
    let output = Command::new(env!("CARGO_BIN_EXE_simdrive"))
        .args(arguments)
        .env("SIMDRIVE_HOME", root.join("home"))
        .current_dir(root)
        .output()
        .unwrap();
    println!("{arguments:?}: {}\n{}{}", output.status, text(&output.stdout), text(&output.stderr));
    output
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn json(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).unwrap()
}

/// Every file below, with its bytes.
fn tree(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap().map(Result::unwrap) {
        match entry.path() {
            path if path.is_dir() => files.extend(tree(&path)),
            path => files.push((path.clone(), std::fs::read(&path).unwrap())),
        }
    }
    files.sort();
    files
}

/// The names of the notes on one recording.
fn notes(migrated: &Value) -> Vec<&str> {
    migrated["notes"].as_array().unwrap().iter().map(|note| note["note"].as_str().unwrap()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn recordings_of_the_original_are_migrated_and_replay_green() {
    let root = tempfile::tempdir().unwrap();
    let root = root.path();
    let folder = root.join("recordings");
    newest_form(&folder).await;
    let device = device_form(&folder).await;
    oldest_form(&folder).await;
    let before = tree(&folder);

    // a dry run tells all, and writes nothing
    let dry = simdrive(root, &["migrate", "recordings", "--dry-run"]);
    assert_eq!(dry.status.code(), Some(0));
    let told = text(&dry.stdout);
    for part in [
        "--- Sign In/recording.yaml\n+++ sign-in/recording.yaml\n",
        "+schema: simdrive.recording/1\n",
        "-created_at: 1796088390.29\n",
        "new file greeting/frames/",
        "nothing was written",
    ] {
        assert!(told.contains(part), "{part}");
    }
    assert!(!told.contains(&format!("+    text: {SECRET}")));
    assert_eq!(tree(&folder), before);

    let migrated = json(&simdrive(root, &["migrate", "recordings", "--json"]));
    let of = |name: &str| {
        let all = migrated["recordings"].as_array().unwrap();
        all.iter().find(|one| one["name"] == name).unwrap_or_else(|| panic!("{name}"))
    };
    for (name, source, expected) in [
        (
            "greeting",
            "greeting",
            &["text_not_required", "text_not_required", "key_left_out", "text_not_checked", "key_left_out"][..],
        ),
        ("sign-in", "Sign In", &["renamed", "secret_named"]),
        ("cities", "cities", &["frame_replaced", "frame_replaced", "raw_point"]),
    ] {
        let one = of(name);
        assert_eq!((one["from"].as_str(), one["written"].as_bool()), (Some("original"), Some(true)));
        assert_eq!(notes(one), expected, "{}", one["notes"]);
        assert!(one["notes"][0]["line"].is_number(), "{}", one["notes"]);
        // the old folder is there as it was, and nobody takes it for a recording
        let backup = PathBuf::from(one["backups"][0].as_str().unwrap());
        assert!(backup.file_name().unwrap().to_str().unwrap().starts_with(&format!(".{source}.backup-")));
        let kept: Vec<Vec<u8>> = tree(&backup).into_iter().map(|(_, bytes)| bytes).collect();
        let was = before.iter().filter(|(path, _)| path.starts_with(folder.join(source)));
        assert_eq!(kept, was.map(|(_, bytes)| bytes.clone()).collect::<Vec<_>>(), "{name}");
        let found = validate(&folder.join(name));
        assert!(found.is_valid() && found.warnings.is_empty(), "{name}: {found:?}");
    }
    assert!(!device.exists());

    let sign_in = std::fs::read_to_string(folder.join("sign-in/recording.yaml")).unwrap();
    assert!(!sign_in.contains(SECRET) && sign_in.contains("secret: PASSWORD"), "{sign_in}");
    assert!(
        sign_in.contains("wda:00008110-000A") && sign_in.contains("description: sign me in"),
        "{sign_in}"
    );
    let greeting = std::fs::read_to_string(folder.join("greeting/recording.yaml")).unwrap();
    for part in [
        "name: greeting\n",
        "created: 2026-12-01T01:26:30Z\n",
        "tags: [smoke]\n",
        "app: com.example.demo\n",
        "labels: [Welcome, Count up]\n",
        "masks: [status-bar, {x: 100, y: 800, width: 100, height: 30}]\n",
        "target: {by: label, label: Count up, role: button, frame: [",
        "text: Ada $${x}\n",
        "check: {label: Payment failed, gone: true}\n",
    ] {
        assert!(greeting.contains(part), "{part} in {greeting}");
    }

    // a second run finds all done, and writes nothing
    let now = tree(&folder);
    let again = json(&simdrive(root, &["migrate", "recordings", "--json"]));
    for one in again["recordings"].as_array().unwrap() {
        assert_eq!((one["from"].as_str(), one["written"].as_bool()), (Some("newest"), Some(false)), "{one}");
    }
    assert_eq!(tree(&folder), now);

    let var = format!("PASSWORD={SECRET}");
    let replayed = simdrive(root, &["replay", "recordings", "--device", DEMO, "--var", &var]);
    assert_eq!(replayed.status.code(), Some(0));

    // and what was migrated can be handed on
    let flow = simdrive(root, &["export", "maestro", "recordings/sign-in"]);
    assert_eq!(flow.status.code(), Some(0));
    let (flow, unsaid) = (text(&flow.stdout), text(&flow.stderr));
    assert!(flow.contains("- tapOn: Sign in\n") && flow.contains("- inputText: \"${PASSWORD}\"\n"), "{flow}");
    assert!(unsaid.contains("not said: the recorded frames are not compared"), "{unsaid}");
}

/// A folder of the original with a flat picture for both frames.
fn small(root: &Path, name: &str, step: &str) -> PathBuf {
    let dir = root.join(name);
    std::fs::create_dir_all(dir.join("snapshots")).unwrap();
    let pixels = image::RgbaImage::from_pixel(120, 240, image::Rgba([250, 250, 250, 255]));
    for kind in ["pre", "post"] {
        pixels.save(dir.join(format!("snapshots/001_{kind}.png"))).unwrap();
    }
    let yaml = format!("name: {name}\ncreated_at: 1796088390\nsteps:\n- {step}\n");
    std::fs::write(dir.join("recording.yaml"), yaml).unwrap();
    dir
}

const STEP: &str = "{id: 1, action: tap, args: {x: 9, y: 9}, pre_screenshot: snapshots/001_pre.png, \
                    post_screenshot: snapshots/001_post.png}";

#[test]
fn what_can_not_be_migrated_says_why_and_is_left_as_it_is() {
    let root = tempfile::tempdir().unwrap();
    let root = root.path();
    let step = |from: &str, to: &str| STEP.replace(from, to);
    for (name, step, code, part) in [
        (
            "absolute",
            step("snapshots/001_pre", "/etc/001_pre"),
            "recording_invalid",
            "lies outside the recording",
        ),
        (
            "above",
            step("snapshots/001_pre", "../x/001_pre"),
            "recording_invalid",
            "recording.yaml:4 (step 1): ",
        ),
        ("gone", step("snapshots/001_pre", "snapshots/009_pre"), "recording_invalid", "is missing"),
        (
            "no-point",
            step("y: 9", "z: 9"),
            "recording_invalid",
            "recording.yaml:4 (step 1): `tap`: `y` must be a number",
        ),
        ("no-action", step("action: tap, ", ""), "recording_invalid", "action"),
        ("no-list", "{".into(), "recording_invalid", ""),
        ("設定", STEP.into(), "invalid_argument", "is no name for a recording"),
    ] {
        small(root, name, &step);
        let before = tree(root);
        let output = simdrive(root, &["migrate", &format!("./{name}"), "--json"]);
        let error = &json(&output)["error"];
        assert_eq!((output.status.code(), error["code"].as_str()), (Some(2), Some(code)), "{name}: {error}");
        assert!(error["message"].as_str().unwrap().contains(part), "{name}: {error}");
        assert_eq!(tree(root), before, "{name}");
    }
    let write = |name: &str, yaml: &str| {
        let dir = root.join(name);
        std::fs::create_dir_all(&dir).unwrap();
        std::fs::write(dir.join("recording.yaml"), yaml).unwrap();
    };
    write("newer", "schema: simdrive.recording/9\n");
    write("nothing", "a: 1\n");
    write("no-steps", "name: a\ncreated_at: 1\nsteps: []\n");
    small(root, "torn", STEP);
    std::fs::write(root.join("torn/snapshots/001_pre.png"), b"no picture").unwrap();
    for (name, code) in [
        ("newer", "recording_version"),
        ("nothing", "recording_invalid"),
        ("no-steps", "recording_invalid"),
        ("torn", "recording_invalid"),
        ("nowhere", "recording_not_found"),
    ] {
        let output = simdrive(root, &["migrate", &format!("./{name}"), "--json"]);
        assert_eq!(
            (output.status.code(), json(&output)["error"]["code"].as_str()),
            (Some(2), Some(code)),
            "{name}"
        );
    }
}

#[test]
fn another_recording_of_the_name_is_replaced_only_with_force() {
    let root = tempfile::tempdir().unwrap();
    let root = root.path();
    small(root, "sign-in", STEP);
    small(root, "Sign In", STEP);
    let before = tree(root);
    for arguments in
        [&["migrate", "./Sign In", "--json"][..], &["migrate", "./Sign In", "--dry-run", "--json"]]
    {
        let output = simdrive(root, arguments);
        assert_eq!(json(&output)["error"]["code"], "recording_exists");
        assert_eq!(tree(root), before);
    }
    let forced = json(&simdrive(root, &["migrate", "./Sign In", "--force", "--json"]));
    let one = &forced["recordings"][0];
    assert_eq!(one["backups"].as_array().unwrap().len(), 2, "{one}");
    assert_eq!(notes(one), ["renamed", "raw_point", "end_unsettled", "device_unknown"], "{one}");
    assert!(Store::at(root).named("sign-in").is_ok());
    let folders = std::fs::read_dir(root).unwrap().count();
    assert_eq!(folders, 3, "the new one and two backups");
}
