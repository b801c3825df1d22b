//! What the reader promises: on screens of the embedded simulator, frame after frame, and on bad pictures.

use std::time::Duration;

use image::{Rgba, RgbaImage};
use simdrive::frame::Frame;
use simdrive::role::Role;
use simdrive::sim::app::App;
use simdrive::sim::{Simulator, SimulatorOptions, app};
use simdrive::vision::text::{Reading, TextModels, TextReader};

fn simulator(name: &str, screen: Option<&str>, query: &str) -> Simulator {
    let mut app: App = app::load(name).unwrap();
    if let Some(screen) = screen {
        app.start.name = screen.to_owned();
    }
    let options = format!("clock=2026-01-01T09:41:00Z&{query}");
    let mut simulator = Simulator::new(app, SimulatorOptions::parse(&options).unwrap());
    simulator.advance(Duration::from_millis(2_500));
    simulator
}

fn frame(simulator: &mut Simulator) -> Frame {
    Frame::new((*simulator.render()).clone()).unwrap()
}

fn reader() -> TextReader {
    TextReader::new(TextModels::shared().unwrap())
}

fn words(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Texts that the screen shows in full. The label of a cell joins its captions by commas; each is written apart.
fn shown(simulator: &Simulator) -> Vec<String> {
    let size = simulator.screen().points;
    let written = |role| matches!(role, Role::Text | Role::Button | Role::Cell | Role::Switch | Role::Link);
    simulator
        .truth()
        .into_iter()
        .filter(|e| e.visible && !e.covered && written(e.role) && e.frame.y > 0.0)
        .filter(|e| e.frame.bottom() <= size.height && e.label.is_ascii() && e.label.len() > 1)
        .flat_map(|e| e.label.split(", ").map(words).collect::<Vec<_>>())
        .collect()
}

#[test]
fn what_the_simulators_screens_say_is_read() {
    let (mut seen, mut missed) = (0, Vec::new());
    for name in ["demo", "settings"] {
        for query in ["appearance=light", "appearance=dark"] {
            let mut simulator = simulator(name, None, query);
            let frame = frame(&mut simulator);
            let reading = reader().read(&frame, simulator.screen().scale_x()).unwrap();
            let all = words(&reading.lines.iter().map(|l| l.text.as_str()).collect::<Vec<_>>().join(" "));
            for label in shown(&simulator) {
                seen += 1;
                if !all.contains(&label) {
                    missed.push(label);
                }
            }
        }
    }
    assert!(seen > 20, "{seen}");
    assert!(missed.len() * 20 <= seen, "{} of {seen} missed: {missed:?}", missed.len());
}

#[test]
fn an_unchanged_screen_is_not_read_again() {
    let mut simulator = simulator("demo", None, "");
    let (mut reader, scale) = (reader(), simulator.screen().scale_x());
    let first = reader.read(&frame(&mut simulator), scale).unwrap();
    let second = reader.read(&frame(&mut simulator), scale).unwrap();
    assert_eq!(first.reused, 0);
    assert_eq!(second.reused, first.lines.len());
    assert_eq!(texts(&first), texts(&second));
}

#[test]
fn only_a_changed_row_is_read_again() {
    let mut simulator = simulator("demo", None, "");
    let (mut reader, scale) = (reader(), simulator.screen().scale_x());
    let first = reader.read(&frame(&mut simulator), scale).unwrap();
    simulator.advance(Duration::from_secs(60));
    let second = reader.read(&frame(&mut simulator), scale).unwrap();
    assert!(texts(&first).contains(&"9:41".to_owned()), "{:?}", texts(&first));
    assert!(texts(&second).contains(&"9:42".to_owned()), "{:?}", texts(&second));
    let fresh: Vec<_> = second.lines.iter().filter(|l| !l.reused).map(|l| &l.text).collect();
    assert_eq!(fresh, ["9:42"]);
    assert_eq!(second.lines.len(), first.lines.len());
}

#[test]
fn reading_what_changed_gives_what_reading_everything_gives() {
    let mut simulator = simulator("settings", None, "");
    let (mut kept, scale) = (reader(), simulator.screen().scale_x());
    kept.read(&frame(&mut simulator), scale).unwrap();
    simulator.set_orientation(simulator.orientation());
    simulator.advance(Duration::from_secs(120));
    let frame = frame(&mut simulator);
    let changed = kept.read(&frame, scale).unwrap();
    let cold = reader().read(&frame, scale).unwrap();
    assert_eq!(texts(&changed), texts(&cold));
}

/// Lines of every size, one below the other; the digit at the end of one of them may be another.
fn numbers(changed: Option<usize>, gap: u32) -> Frame {
    let sizes = ["large_title", "title1", "title2", "headline", "body", "footnote", "caption"];
    let line = |(place, size): (usize, &&str)| {
        let digit = if changed == Some(place) { 2 } else { 1 };
        format!("      - text: {{text: \"Counter: {digit}\", style: {size}}}\n      - spacer: {gap}\n")
    };
    let lines: String = sizes.iter().enumerate().map(line).collect();
    let app = format!(
        "name: Numbers\nbundle: a.b\nstart: n\nscreens:\n  n:\n    title: Numbers\n    body:\n{lines}"
    );
    let file = tempfile::Builder::new().suffix(".yaml").tempfile().unwrap();
    std::fs::write(file.path(), app).unwrap();
    frame(&mut simulator(file.path().to_str().unwrap(), None, ""))
}

#[test]
fn a_digit_that_changes_beside_its_word_is_read_with_it() {
    for gap in [4, 24, 60] {
        let first = numbers(None, gap);
        for place in 0..7 {
            let (changed, mut reader) = (numbers(Some(place), gap), reader());
            reader.read(&first, 3.0).unwrap();
            let read = texts(&reader.read(&changed, 3.0).unwrap());
            let twos = read.iter().filter(|text| *text == "Counter: 2").count();
            let ones = read.iter().filter(|text| *text == "Counter: 1").count();
            assert_eq!((twos, ones), (1, 6), "line {place}, {gap} points apart: {read:?}");
        }
    }
}

#[test]
fn arabic_is_found_but_not_guessed() {
    let mut simulator = simulator("chaos", Some("rtl"), "");
    let scale = simulator.screen().scale_x();
    let reading = reader().read(&frame(&mut simulator), scale).unwrap();
    let unread = reading.lines.iter().filter(|l| l.unread).count();
    assert!(unread >= 5, "{:?}", texts(&reading));
    let shown: Vec<String> = simulator.truth().into_iter().map(|e| e.label).collect();
    let status_bar = (54.0 * scale) as u32;
    for line in reading.lines.iter().filter(|l| !l.unread && l.rect.bottom() > status_bar) {
        // a word in Latin script stands before one in Hebrew, and an icon may pass for a letter
        let is_true = shown.iter().any(|label| label.contains(&line.text));
        assert!(is_true || line.text.chars().count() == 1, "guessed {line:?}");
    }
    assert!(reading.lines.iter().all(|l| l.unread == l.text.is_empty()));
}

#[test]
fn pictures_without_text_have_no_lines() {
    let noise = RgbaImage::from_fn(700, 900, |x, y| {
        let v = (x.wrapping_mul(2_654_435_761) ^ y.wrapping_mul(2_246_822_519)).wrapping_mul(3_266_489_917);
        Rgba([v as u8, (v >> 9) as u8, (v >> 17) as u8, 255])
    });
    let flat = |w, h, level| RgbaImage::from_pixel(w, h, Rgba([level, level, level, 255]));
    for picture in [flat(1, 1, 0), flat(1, 3000, 9), flat(3000, 2, 200), flat(1179, 2556, 0), noise] {
        let frame = Frame::new(picture).unwrap();
        for scale in [1.0, 3.0] {
            assert!(reader().read(&frame, scale).unwrap().lines.len() < 4, "{frame:?}");
        }
    }
}

fn texts(reading: &Reading) -> Vec<String> {
    reading.lines.iter().map(|l| l.text.clone()).collect()
}
