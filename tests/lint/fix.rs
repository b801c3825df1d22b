//! What `--fix` does, and that it does it once.

use std::path::Path;

use image::{Rgba, RgbaImage};
use simdrive::frame::Frame;
use simdrive::recording::lint::{Linter, Rule};
use simdrive::recording::{Project, validate};

use crate::base::{Copy, tree};
use crate::faults::{heavy, large_clock};

fn linter() -> Linter {
    Linter::new(Project::default())
}

fn fixed(copy: &Copy) -> Vec<Rule> {
    let mut linter = linter();
    let done = linter.fix(&copy.folder).unwrap();
    let after = tree(&copy.folder);
    let again = linter.fix(&copy.folder).unwrap();
    assert_eq!((again.fixed, &again.findings), (Vec::new(), &done.findings));
    assert!(tree(&copy.folder) == after, "the second time changed something");
    done.fixed.iter().map(|finding| finding.code).collect()
}

fn orphan(copy: &Copy) -> String {
    copy.add_frame(&Frame::new(RgbaImage::from_pixel(9, 9, Rgba([1, 2, 3, 255]))).unwrap())
}

#[test]
fn everything_safe_is_done_and_the_second_time_changes_nothing() {
    let copy = Copy::new();
    let [first, last] = copy.frames();
    copy.swap(&last, &heavy(&copy.pixels(), png::Compression::NoCompression, Some("taken by Ada")));
    let large = copy.frames()[1].clone();
    orphan(&copy);
    copy.edit("name: sound", "name: noise");
    let yaml = copy.yaml();
    let labels = yaml.lines().find(|line| line.starts_with("  labels:")).unwrap();
    copy.edit(&format!("{labels}\n"), "");
    let mut done = fixed(&copy);
    done.sort();
    assert_eq!(done, [Rule::OrphanedFrame, Rule::MissingRequires, Rule::NameMismatch, Rule::OversizedFrame]);
    // the frame is what it was before it was made large, and nothing else is left
    assert_eq!(copy.frames(), [first, last]);
    assert!(!copy.frame_file(&large).exists());
    assert_eq!(std::fs::read_dir(copy.folder.join("frames")).unwrap().count(), 2);
    let recording = copy.recording();
    assert_eq!(recording.name, "sound");
    assert!(recording.requires.labels.contains(&"Continue".to_owned()), "{:?}", recording.requires);
    assert!(linter().lint(&copy.folder).unwrap().findings.is_empty());
    assert!(validate(&copy.folder).is_valid());
}

#[test]
fn a_clock_at_the_top_gets_its_mask() {
    let copy = Copy::new();
    large_clock(&copy);
    assert_eq!(fixed(&copy), [Rule::UnmaskedClock]);
    assert_eq!(copy.recording().masks.len(), 1);
    assert!(linter().lint(&copy.folder).unwrap().findings.is_empty());
}

#[test]
fn what_is_sound_is_left_byte_for_byte() {
    let copy = Copy::new();
    let before = tree(&copy.folder);
    assert_eq!(fixed(&copy), []);
    assert!(tree(&copy.folder) == before);
}

#[test]
fn an_orphan_stays_where_a_frame_is_missing() {
    let copy = Copy::new();
    let name = orphan(&copy);
    std::fs::remove_file(copy.frame_file(&copy.frames()[1])).unwrap();
    assert_eq!(fixed(&copy), []);
    assert!(copy.frame_file(&name).exists());
}

#[test]
fn nothing_is_done_to_what_is_written_or_leads_elsewhere() {
    let copy = Copy::new();
    copy.edit("name: sound", "name: noise");
    std::fs::write(copy.folder.join(".unfinished"), b"").unwrap();
    let before = tree(&copy.folder);
    assert_eq!(fixed(&copy), []);
    assert!(tree(&copy.folder) == before);

    let copy = Copy::new();
    let name = orphan(&copy);
    let elsewhere = copy.home().join("elsewhere");
    std::fs::rename(copy.folder.join("frames"), &elsewhere).unwrap();
    std::os::unix::fs::symlink(&elsewhere, copy.folder.join("frames")).unwrap();
    assert_eq!(fixed(&copy), []);
    assert!(Path::new(&elsewhere).join(format!("{name}.png")).exists());
}

#[test]
fn a_frame_keeps_its_name_while_changes_wait_for_review() {
    let copy = Copy::new();
    let [_, last] = copy.frames();
    copy.swap(&last, &heavy(&copy.pixels(), png::Compression::NoCompression, None));
    let [_, last] = copy.frames();
    let pending = copy.folder.join("pending");
    std::fs::create_dir_all(&pending).unwrap();
    let change = format!(
        "changes:\n  - step: 2\n    to:\n      frame: {{side: after, was: \"{last}\", now: 0123456789abcdef}}\n"
    );
    std::fs::write(pending.join("changes.yaml"), change).unwrap();
    assert_eq!(fixed(&copy), []);
    assert_eq!(copy.frames()[1], last);
}
