//! One fault each, and exactly that fault is found.

use std::path::Path;

use image::{Rgba, RgbaImage, imageops};
use simdrive::frame::Frame;
use simdrive::recording::Project;
use simdrive::recording::lint::{Linter, Rule, Severity};

use crate::base::{Copy, clock_of, png_of, screen_with};

type Fault = (&'static str, Rule, Box<dyn Fn(&Copy)>);

fn fault(name: &'static str, rule: Rule, spoil: impl Fn(&Copy) + 'static) -> Fault {
    (name, rule, Box::new(spoil))
}

fn edit(name: &'static str, rule: Rule, from: &'static str, to: &'static str) -> Fault {
    fault(name, rule, move |copy| copy.edit(from, to))
}

fn step(name: &'static str, rule: Rule, lines: &'static str) -> Fault {
    fault(name, rule, move |copy| copy.step(lines))
}

fn top(name: &'static str, rule: Rule, lines: &'static str) -> Fault {
    fault(name, rule, move |copy| copy.top(lines))
}

/// The last screen shows these words.
fn shown(name: &'static str, rule: Rule, words: &'static str) -> Fault {
    fault(name, rule, move |copy| copy.show(&screen_with(words)))
}

fn drawn(copy: &Copy, draw: impl Fn(&mut RgbaImage)) {
    let mut pixels = copy.pixels();
    draw(&mut pixels);
    copy.show(&Frame::new(pixels).unwrap());
}

/// The time of the status bar twice as large, which no status bar shows.
pub fn large_clock(copy: &Copy) {
    drawn(copy, |pixels| {
        let clock = clock_of(pixels);
        let (width, height) = clock.dimensions();
        let large = imageops::resize(&clock, width * 2, height * 2, imageops::FilterType::CatmullRom);
        let ground = *pixels.get_pixel(4, 4);
        for (_, _, pixel) in pixels.enumerate_pixels_mut().filter(|(x, y, _)| *x < 400 && *y < 150) {
            *pixel = ground;
        }
        imageops::replace(pixels, &large, 90, 45);
    });
}

/// A text chunk beside the picture, and no compression at all.
pub fn heavy(pixels: &RgbaImage, compression: png::Compression, note: Option<&str>) -> Vec<u8> {
    let rgb: Vec<u8> = pixels.pixels().flat_map(|p| [p[0], p[1], p[2]]).collect();
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, pixels.width(), pixels.height());
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_compression(compression);
    if let Some(note) = note {
        encoder.add_text_chunk("Comment".into(), note.into()).unwrap();
    }
    let mut writer = encoder.write_header().unwrap();
    writer.write_image_data(&rgb).unwrap();
    writer.finish().unwrap();
    bytes
}

const TAP: &str = "target: {by: label, label: Continue, role: button,";

fn faults_of_the_file() -> Vec<Fault> {
    use Rule::*;
    vec![
        edit("no YAML", Unreadable, "steps:\n", "steps: [\n"),
        fault("no UTF-8", Unreadable, |copy| std::fs::write(copy.file(), b"schema: \xff\xfe").unwrap()),
        edit("a word for a number", Unreadable, "timeout_ms: 5000", "timeout_ms: soon"),
        edit("no date", Unreadable, "created:", "# was created:"),
        edit("no such action", Unreadable, "action: tap", "action: tapp"),
        edit("two actions' keys", Unreadable, "action: tap\n", "action: tap\n    text: x\n"),
        top("a mask outside", Unreadable, "masks: [{x: 0, y: 7000, width: 10, height: 10}]"),
        top("a reserved key", UnknownKey, "variants: {}"),
        top("a key of none", UnknownKey, "tag: [smoke]"),
        edit("a step's key", UnknownKey, "settled_ms:", "setled_ms:"),
        edit("a target's key", UnknownKey, "by: label", "by: label, lable: x"),
        edit("a newer version", SchemaVersion, "recording/1", "recording/2"),
        edit("no version", SchemaVersion, "schema: simdrive.recording/1\n", ""),
        edit("another name", NameMismatch, "name: sound", "name: noise"),
        fault("no steps", NoSteps, |copy| {
            let yaml = copy.yaml();
            std::fs::write(copy.file(), format!("{}steps: []\n", yaml.split("steps:").next().unwrap()))
                .unwrap();
            std::fs::remove_dir_all(copy.folder.join("frames")).unwrap();
        }),
        fault("never stopped", Unfinished, |c| std::fs::write(c.folder.join(".unfinished"), b"").unwrap()),
        top("a gap", Gap, "gaps: [{after: 1, action: tap, error: timeout}]"),
        top("a gate out of range", GateOptions, "gate: {shift: 9}"),
        fault("no requires", MissingRequires, |copy| {
            let yaml = copy.yaml();
            let labels = yaml.lines().find(|line| line.starts_with("  labels:")).unwrap();
            copy.edit(&format!("{labels}\n"), "");
        }),
        step("a raw point", RawCoordinates, "action: tap\ntarget: {by: point, x: 90, y: 300}"),
        step(
            "a swipe from a point",
            RawCoordinates,
            "action: swipe\ndirection: up\nfrom: {by: point, x: 90, y: 300}",
        ),
        edit(
            "one of two",
            AmbiguousTarget,
            TAP,
            "target: {by: label, label: Continue, role: button, nth: 1, of: 2,",
        ),
        fault("two alike", AmbiguousTarget, |copy| {
            let yaml = copy.yaml();
            let target = yaml.lines().find(|line| line.contains("target:")).unwrap();
            copy.edit(target, "    target: {by: label, label: More, role: button}");
        }),
        step(
            "outside of the screen",
            OutsideScreen,
            "action: tap\ntarget: {by: label, label: Go, frame: [20, 2000, 40, 40]}",
        ),
        step(
            "a password's field",
            SecretInFile,
            "action: type_text\ntext: correct-horse\ninto: {by: label, label: Login, role: secure_field}",
        ),
        step(
            "a field called passcode",
            SecretInFile,
            "action: type_text\ntext: \"9137\"\ninto: {by: label, label: Passcode, role: text_field}",
        ),
        step("a card number", SecretInFile, "action: type_text\ntext: 4242 4242 4242 4242"),
        step("a token in an address", SecretInFile, "action: open_url\nurl: kiosk://in?token=a1b2c3d4e5"),
        top("a variable's value", SecretInFile, "setup: {environment: {API_KEY: a1b2c3d4e5}}"),
        top("a flag's value", SecretInFile, "setup: {launch_arguments: [--password, hunter]}"),
        top("a private key", SecretInFile, "description: \"-----BEGIN PRIVATE KEY-----MIIEvQ\""),
        fault("a comment", SecretInFile, |copy| {
            copy.top(&["# was sk_", "live_abcdefghijklmnop1234"].concat())
        }),
        fault("an address that is secret", SecretInFile, |copy| {
            copy.step("action: type_text\nsecret: LINT_TEST_EMAIL");
            copy.step("action: wait_for\nlabel: Signed in as ada@example.com");
        }),
    ]
}

fn faults_of_frames() -> Vec<Fault> {
    use Rule::*;
    vec![
        fault("a frame is gone", MissingFrame, |copy| {
            std::fs::remove_file(copy.frame_file(&copy.frames()[1])).unwrap();
        }),
        fault("a frame that never was", MissingFrame, |copy| {
            let [_, last] = copy.frames();
            let yaml = copy.yaml();
            let at = yaml.rfind(&last).unwrap();
            let yaml = format!("{}0123456789abcdef{}", &yaml[..at], &yaml[at + 16..]);
            std::fs::write(copy.file(), yaml).unwrap();
        }),
        fault("half a frame", AlteredFrame, |copy| {
            let file = copy.frame_file(&copy.frames()[1]);
            let bytes = std::fs::read(&file).unwrap();
            std::fs::write(&file, &bytes[..bytes.len() / 2]).unwrap();
        }),
        fault("another frame's bytes", AlteredFrame, |copy| {
            let [first, last] = copy.frames();
            std::fs::copy(copy.frame_file(&first), copy.frame_file(&last)).unwrap();
        }),
        fault("an orphan", OrphanedFrame, |copy| {
            copy.add_frame(&Frame::new(RgbaImage::from_pixel(9, 9, Rgba([1, 2, 3, 255]))).unwrap());
        }),
        fault("a frame of another size", FrameSize, |copy| {
            let pixels = copy.pixels();
            let size = (pixels.width(), pixels.height() - 90);
            copy.show(&Frame::new(imageops::crop_imm(&pixels, 0, 0, size.0, size.1).to_image()).unwrap());
        }),
        fault("no compression", OversizedFrame, |copy| {
            let [_, last] = copy.frames();
            copy.swap(&last, &heavy(&copy.pixels(), png::Compression::NoCompression, None));
        }),
        fault("a note in a frame", OversizedFrame, |copy| {
            let [_, last] = copy.frames();
            copy.swap(&last, &heavy(&copy.pixels(), png::Compression::High, Some("taken by Ada")));
        }),
        fault("a clock on the screen", UnmaskedClock, |copy| {
            drawn(copy, |pixels| {
                let clock = clock_of(pixels);
                imageops::replace(pixels, &clock, 300, 1800);
            });
        }),
        fault("a clock in no status bar", UnmaskedClock, large_clock),
        fault("a caret", UnmaskedCaret, |copy| {
            drawn(copy, |pixels| {
                for (x, y) in (600..609).flat_map(|x| (1500..1548).map(move |y| (x, y))) {
                    pixels.put_pixel(x, y, Rgba([0, 122, 255, 255]));
                }
            });
        }),
        shown("a card number on the screen", SecretInFrame, "Card 4242 4242 4242 4242"),
        shown("a password on the screen", SecretInFrame, "Password: hunter2"),
        shown("a token on the screen", SecretInFrame, "AKIAIOSFODNN7EXAMPLE"),
        fault("an address on the screen that is secret", SecretInFrame, |copy| {
            copy.step("action: type_text\nsecret: LINT_TEST_EMAIL");
            copy.show(&screen_with("ada@example.com"));
        }),
    ]
}

#[test]
fn a_sound_recording_is_found_sound() {
    let copy = Copy::new();
    let found = Linter::new(Project::default()).lint(&copy.folder).unwrap();
    assert_eq!(found.findings, [], "{}", copy.yaml());
}

#[test]
fn every_fault_of_the_file_is_found_and_nothing_else() {
    let faults = faults_of_the_file();
    assert!(faults.len() >= 30, "{}", faults.len());
    found_alone(faults);
}

#[test]
fn every_fault_of_a_frame_is_found_and_nothing_else() {
    found_alone(faults_of_frames());
}

fn found_alone(faults: Vec<Fault>) {
    let mut linter = Linter::new(Project::default());
    let mut wrong = Vec::new();
    for (name, rule, spoil) in faults {
        let copy = Copy::new();
        spoil(&copy);
        let found = linter.lint(&copy.folder).unwrap().findings;
        let codes: Vec<Rule> = found.iter().map(|finding| finding.code).collect();
        if codes != [rule] {
            wrong.push(format!("{name}: wants {rule:?}, found {found:#?}\n{}", copy.yaml()));
            continue;
        }
        let finding = &found[0];
        assert!(!finding.message.is_empty() && !finding.fix.is_empty(), "{name}: {finding:?}");
        assert!(finding.file.starts_with(&copy.folder), "{name}: {finding:?}");
        for secret in ["hunter", "correct-horse", "4242", "a1b2", "9137", "AKIA", "MIIE", "live_", "ada@"] {
            assert!(!format!("{finding:?}").contains(secret), "{name} tells {secret}: {finding:?}");
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

#[test]
fn a_finding_says_where_it_is() {
    let copy = Copy::new();
    copy.step("action: tap\ntarget: {by: point, x: 90, y: 300}");
    let found = Linter::new(Project::default()).lint(&copy.folder).unwrap().findings;
    let line = copy.yaml().lines().position(|line| line.contains("by: point")).unwrap() + 1;
    assert_eq!(found[0].file, copy.file());
    assert_eq!((found[0].line, found[0].step), (Some(line as u64), Some(3)));
    assert_eq!(found[0].key.as_deref(), Some("steps[2].target"));
    let json = serde_json::to_value(&found[0]).unwrap();
    assert_eq!((&json["code"], &json["severity"]), (&"raw_coordinates".into(), &"warning".into()));
    assert_eq!(json["fixable"], false);
}

#[test]
fn masks_and_tolerances_of_a_recording_hide_what_moves() {
    for masks in ["masks: [{x: 90, y: 590, width: 60, height: 40}]", "masks: [{content: time}]"] {
        let copy = Copy::new();
        drawn(&copy, |pixels| {
            let clock = clock_of(pixels);
            imageops::replace(pixels, &clock, 300, 1800);
        });
        copy.top(masks);
        let found = Linter::new(Project::default()).lint(&copy.folder).unwrap();
        assert_eq!(found.findings, [], "{masks}");
    }
}

#[test]
fn the_committed_recordings_have_no_errors() {
    let mut linter = Linter::new(Project::default());
    let recordings = Path::new(env!("CARGO_MANIFEST_DIR")).join("recordings");
    let mut folders = 0;
    for entry in std::fs::read_dir(recordings).unwrap() {
        let folder = entry.unwrap().path();
        let found = linter.lint(&folder).unwrap().findings;
        let errors: Vec<_> = found.iter().filter(|f| f.severity == Severity::Error).collect();
        assert!(errors.is_empty(), "{errors:#?}");
        assert!(found.iter().all(|f| f.code == Rule::AmbiguousTarget), "{found:#?}");
        folders += 1;
    }
    assert!(folders >= 6);
}

#[test]
fn pixels_are_the_same_however_they_are_stored() {
    let copy = Copy::new();
    let pixels = copy.pixels();
    let plain = Frame::decode(&png_of(&pixels)).unwrap();
    let large = Frame::decode(&heavy(&pixels, png::Compression::NoCompression, Some("x"))).unwrap();
    assert_eq!(plain.hash(), large.hash());
}
