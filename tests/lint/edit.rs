//! `simdrive recordings trim`, `rename` and `rm`.

use serde_json::Value;
use simdrive::recording::{Recording, validate};

use crate::base::{Copy, tree};

/// Exit code, and the error's code where there is one.
fn outcome(copy: &Copy, arguments: &[&str]) -> (i32, Value) {
    let output = copy.simdrive(&[&["recordings"], arguments, &["--json"]].concat());
    let said: Value = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|e| panic!("{arguments:?}: {e}: {}", String::from_utf8_lossy(&output.stderr)));
    (output.status.code().unwrap(), said)
}

fn refused(copy: &Copy, arguments: &[&str], code: &str) {
    let before = tree(&copy.root());
    let (exit, said) = outcome(copy, arguments);
    assert_eq!((exit, &said["error"]["code"]), (2, &code.into()), "{arguments:?}: {said}");
    assert!(tree(&copy.root()) == before, "{arguments:?} changed something");
}

#[test]
fn trimming_keeps_steps_and_their_frames() {
    let copy = Copy::new();
    let [first, last] = copy.frames();
    copy.step("action: press_key\nkey: home");
    copy.top("gaps: [{after: 0, action: tap, error: timeout}, {after: 2, action: swipe, error: timeout}]");

    let end = copy.another("end");
    let (exit, said) = outcome(&copy, &["trim", "end", "--to", "2"]);
    assert_eq!((exit, &said["kept"], &said["removed"]), (0, &2.into(), &1.into()), "{said}");
    let cut = Recording::read(&end.join("recording.yaml")).unwrap();
    assert_eq!((cut.steps.len(), cut.gaps.len(), cut.gaps[0].after), (2, 1, 0));
    assert_eq!(std::fs::read_dir(end.join("frames")).unwrap().count(), 2);

    let start = copy.another("start");
    let (exit, said) = outcome(&copy, &["trim", "start", "--from", "2"]);
    assert_eq!((exit, &said["kept"]), (0, &2.into()), "{said}");
    assert!(said["warnings"][0].as_str().unwrap().contains("`setup`"), "{said}");
    let cut = Recording::read(&start.join("recording.yaml")).unwrap();
    assert_eq!((cut.steps.len(), cut.gaps.len(), cut.gaps[0].after), (2, 1, 1));
    assert!(!start.join("frames").join(format!("{first}.png")).exists());
    assert!(start.join("frames").join(format!("{last}.png")).exists());
    // it begins on another screen, and says so
    assert!(cut.requires.labels.contains(&"Nothing to see".to_owned()), "{:?}", cut.requires);
    assert!(!cut.requires.labels.contains(&"Continue".to_owned()), "{:?}", cut.requires);
    for folder in [end, start] {
        assert!(validate(&folder).is_valid());
    }
}

#[test]
fn what_an_earlier_step_set_is_required_then() {
    let copy = Copy::new();
    let [first, _] = copy.frames();
    let dark = format!(
        "steps:\n  - action: set_appearance\n    appearance: dark\n    before: \"{first}\"\n    after: \"{first}\"\n"
    );
    copy.edit("steps:\n", &dark);
    assert_eq!(outcome(&copy, &["trim", "sound", "--from", "2"]).0, 0);
    assert_eq!(copy.recording().requires.appearance, Some(simdrive::device::Appearance::Dark));
}

#[test]
fn trimming_refuses_what_it_cannot_do() {
    let copy = Copy::new();
    for range in [["--from", "0"], ["--from", "3"], ["--to", "0"], ["--to", "9"]] {
        refused(&copy, &["trim", "sound", range[0], range[1]], "invalid_argument");
    }
    refused(&copy, &["trim", "sound", "--from", "2", "--to", "1"], "invalid_argument");
    refused(&copy, &["trim", "nowhere", "--to", "1"], "recording_not_found");
    refused(&copy, &["trim", "../sound", "--to", "1"], "invalid_argument");
    let pending = copy.folder.join("pending");
    std::fs::create_dir_all(&pending).unwrap();
    let [_, last] = copy.frames();
    let change = format!(
        "changes:\n  - step: 2\n    to:\n      frame: {{side: after, was: \"{last}\", now: 0123456789abcdef}}\n"
    );
    std::fs::write(pending.join("changes.yaml"), change).unwrap();
    refused(&copy, &["trim", "sound", "--to", "1"], "invalid_argument");
    std::fs::remove_dir_all(pending).unwrap();
    std::fs::write(copy.folder.join(".unfinished"), b"").unwrap();
    refused(&copy, &["trim", "sound", "--to", "1"], "recording_invalid");
    refused(&copy, &["rename", "sound", "other"], "recording_invalid");
    assert_eq!(copy.simdrive(&["recordings", "trim", "sound"]).status.code(), Some(2));
}

#[test]
fn renaming_moves_all_of_it() {
    let copy = Copy::new();
    copy.another("taken");
    let frames = tree(&copy.folder.join("frames")).len();
    refused(&copy, &["rename", "sound", "taken"], "recording_exists");
    refused(&copy, &["rename", "sound", "sound"], "recording_exists");
    refused(&copy, &["rename", "sound", "../out"], "invalid_argument");
    refused(&copy, &["rename", "nowhere", "other"], "recording_not_found");
    let (exit, said) = outcome(&copy, &["rename", "sound", "quiet"]);
    assert_eq!((exit, &said["name"]), (0, &"quiet".into()));
    let folder = copy.root().join("quiet");
    assert!(!copy.folder.exists());
    assert_eq!(tree(&folder.join("frames")).len(), frames);
    assert_eq!(Recording::read(&folder.join("recording.yaml")).unwrap().name, "quiet");
    let validation = validate(&folder);
    assert!(validation.is_valid() && validation.warnings.is_empty(), "{validation:?}");
}

#[test]
fn deleting_needs_a_yes() {
    let copy = Copy::new();
    let other = copy.another("other");
    refused(&copy, &["rm", "sound"], "confirmation_required");
    refused(&copy, &["rm", "nowhere", "--yes"], "recording_not_found");
    refused(&copy, &["rm", "..", "--yes"], "invalid_argument");
    // one that can't be read can be deleted
    std::fs::write(copy.file(), b"steps: [").unwrap();
    let (exit, said) = outcome(&copy, &["rm", "sound", "--yes"]);
    assert_eq!((exit, &said["deleted"]), (0, &true.into()));
    assert!(!copy.folder.exists() && other.exists());
    assert_eq!(std::fs::read_dir(copy.root()).unwrap().count(), 1);
}

#[test]
fn check_is_validate() {
    let copy = Copy::new();
    let (exit, said) = outcome(&copy, &["check", "sound"]);
    assert_eq!((exit, &said["valid"]), (0, &true.into()));
    std::fs::remove_file(copy.frame_file(&copy.frames()[1])).unwrap();
    let (exit, said) = outcome(&copy, &["check", "sound"]);
    assert_eq!((exit, &said["validation"]["errors"][0]["rule"]), (1, &"missing_frame".into()));
}
