//! The command line as scripts meet it: exit codes, one JSON document on stdout, words on stderr.

use std::os::unix::net::UnixListener;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use serde_json::Value;

struct Shell {
    home: tempfile::TempDir,
}

impl Shell {
    fn new() -> Self {
        Self { home: tempfile::tempdir().unwrap() }
    }

    fn run(&self, arguments: &[&str]) -> Output {
        Command::new(env!("CARGO_BIN_EXE_simdrive"))
            .args(arguments)
            .env("SIMDRIVE_HOME", self.home.path().join("home"))
            .env_remove("IDB_COMPANION")
            .current_dir(self.home.path())
            .stdin(Stdio::null())
            .output()
            .unwrap()
    }

    /// A copy of a committed recording, one of whose frames something is done to.
    fn recording(&self, name: &str, spoil: impl Fn(&Path)) -> String {
        let committed = Path::new(env!("CARGO_MANIFEST_DIR")).join("recordings/settings-wifi");
        let folder = self.home.path().join("recordings").join(name);
        copy(&committed, &folder);
        let frames = std::fs::read_dir(folder.join("frames")).unwrap();
        spoil(&frames.map(|entry| entry.unwrap().path()).min().unwrap());
        folder.display().to_string()
    }

    fn file(&self, name: &str, bytes: &[u8]) -> String {
        let path = self.home.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, bytes).unwrap();
        path.display().to_string()
    }
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap().map(Result::unwrap) {
        let to = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &to);
        } else {
            std::fs::copy(entry.path(), to).unwrap();
        }
    }
}

fn json(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).unwrap_or_else(|e| panic!("{e}: {output:?}"))
}

fn words(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

/// A screen with a dark button on white, as PNG.
fn picture() -> Vec<u8> {
    let mut pixels = image::RgbaImage::from_pixel(390, 844, image::Rgba([255, 255, 255, 255]));
    for y in 400..450 {
        for x in 40..350 {
            pixels.put_pixel(x, y, image::Rgba([0, 90, 200, 255]));
        }
    }
    let mut png = std::io::Cursor::new(Vec::new());
    pixels.write_to(&mut png, image::ImageFormat::Png).unwrap();
    png.into_inner()
}

#[test]
fn a_mistyped_command_is_wrong_usage_and_starts_no_server() {
    let shell = Shell::new();
    for arguments in [&["replat"][..], &["observe", "--imag", "x"], &["--bogus"], &["doctor", "extra"]] {
        let output = shell.run(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(output.stdout.is_empty() && words(&output).starts_with("error: "), "{arguments:?}");
    }
    assert_eq!(shell.run(&["--help"]).status.code(), Some(0));
}

#[test]
fn every_json_document_stands_alone_on_stdout() {
    let shell = Shell::new();
    assert!(json(&shell.run(&["version", "--json"]))["simdrive"].is_string());
    assert_eq!(json(&shell.run(&["devices", "--json"]))["devices"][0]["selector"], "sim:demo");
    let doctor = shell.run(&["doctor", "--json"]);
    assert_eq!((doctor.status.code(), json(&doctor)["ok"].as_bool()), (Some(0), Some(true)));
    assert_eq!(json(&shell.run(&["recordings", "list", "--json"]))["recordings"], serde_json::json!([]));
    for format in ["app", "journey", "persona", "recording"] {
        assert_eq!(json(&shell.run(&["schema", format]))["type"], "object", "{format}");
    }
    let missing = shell.run(&["recordings", "show", "nowhere", "--json"]);
    assert_eq!(json(&missing)["error"]["code"], "recording_not_found");
    assert_eq!(missing.status.code(), Some(2));
}

#[test]
fn a_picture_is_looked_at_and_drawn() {
    let shell = Shell::new();
    let file = shell.file("screen.png", &picture());
    let drawn = shell.home.path().join("marks.png");
    let output =
        shell.run(&["observe", "--image", &file, "--scale", "1", "--json", "--out", drawn.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(0), "{}", words(&output));
    let seen = json(&output);
    assert_eq!(seen["screen"]["width"], 390.0);
    assert!(seen["marks"].is_array());
    assert_eq!(image::open(&drawn).unwrap().width(), 390);
}

#[test]
fn a_device_is_looked_at() {
    let output = Shell::new().run(&["observe", "--device", "sim:demo", "--json"]);
    assert_eq!(output.status.code(), Some(0), "{}", words(&output));
    let seen = json(&output);
    assert_eq!(seen["app"]["bundle_id"], "com.example.demo");
    assert!(seen["marks"].as_array().unwrap().iter().any(|mark| mark["label"] == "Count up"));
}

#[test]
fn bad_input_is_told_with_what_to_do_and_leaves_nothing() {
    let shell = Shell::new();
    let whole = picture();
    let cut = shell.file("cut.png", &whole[..whole.len() / 2]);
    let text = shell.file("text.png", b"no picture");
    let broken = shell.file("recordings/broken/recording.yaml", b"schema: simdrive.recording/1\nname: [");
    let broken = Path::new(&broken).parent().unwrap().display().to_string();
    let frameless = shell.recording("frameless", |frame| std::fs::remove_file(frame).unwrap());
    let torn = shell.recording("torn", |frame| {
        let bytes = std::fs::read(frame).unwrap();
        std::fs::write(frame, &bytes[..bytes.len() / 2]).unwrap();
    });
    let sound = shell.recording("sound", |_| ());
    let not_a_device = format!("idb+unix://{}", shell.file("plain.sock", b""));
    // its owner is gone, the file stays
    let dead = shell.home.path().join("dead.sock");
    drop(UnixListener::bind(&dead).unwrap());
    let dead = format!("idb+unix://{}", dead.display());
    let mute = shell.home.path().join("mute.sock");
    let _nobody_answers = UnixListener::bind(&mute).unwrap();
    let mute = format!("idb+unix://{}", mute.display());
    let before = tree(shell.home.path());
    for (arguments, code) in [
        (&["observe", "--image", &cut][..], 2),
        (&["observe", "--image", &text], 2),
        (&["observe", "--image", "nowhere.png"], 2),
        (&["observe", "--image", &cut, "--scale", "NaN"], 2),
        (&["observe", "--device", "sim:nowhere"], 3),
        (&["observe", "--device", "idb+unix:///nowhere.sock"], 3),
        (&["observe", "--device", "simm:demo"], 2),
        (&["observe", "--device", "sim:demo?colour=red"], 2),
        (&["observe", "--device", &not_a_device], 3),
        (&["observe", "--device", &dead], 3),
        (&["observe", "--device", &mute], 3),
        (&["observe", "--image", &cut, "--scale", "wide"], 2),
        (&["compare", &cut, &cut], 2),
        (&["compare", &text, "nowhere.png"], 2),
        (&["recordings", "show", &broken], 2),
        (&["recordings", "validate", "nowhere"], 2),
        (&["replay", "nowhere"], 2),
        (&["replay", &broken], 2),
        (&["replay", &frameless], 2),
        (&["replay", &torn], 2),
        (&["replay", &frameless, "--workers", "many"], 2),
        (&["replay", &sound, "--device", &dead], 3),
        (&["replay", &sound, "--device", "sim:nowhere"], 3),
        (&["replay"], 2),
    ] {
        let output = shell.run(arguments);
        assert_eq!(output.status.code(), Some(code), "{arguments:?}: {}", words(&output));
        let told = format!("{}{}", words(&output), String::from_utf8_lossy(&output.stdout));
        assert!(!told.contains("panicked") && told.len() > 20, "{arguments:?}: {told}");
    }
    for recording in [&broken, &frameless, &torn] {
        let checked = shell.run(&["recordings", "validate", recording, "--json"]);
        assert_eq!(checked.status.code(), Some(1), "{recording}");
        assert_eq!(json(&checked)["validation"]["errors"][0]["code"], "recording_invalid", "{recording}");
    }
    assert_eq!(tree(shell.home.path()), before);
}

/// Every file below, with its bytes.
fn tree(folder: &Path) -> Vec<(std::path::PathBuf, Vec<u8>)> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap().map(Result::unwrap) {
        let path = entry.path();
        if path.is_dir() {
            files.extend(tree(&path));
        } else if path.is_file() {
            files.push((path.clone(), std::fs::read(&path).unwrap()));
        }
    }
    files.sort();
    files
}
