//! The gate on pairs made from the apps of the simulator: every real change is caught, nothing harmless is.
//!
//! Each screen of each app is drawn; then something a user would call a change is made to it, or something he would
//! not. `GATE_PAIRS=verbose cargo test --test gate_pairs -- --nocapture` prints every pair.

use std::collections::BTreeMap;
use std::time::Duration;

use image::{Rgba, RgbaImage};
use rayon::prelude::*;
use serde_json::{Value, json};
use simdrive::frame::Frame;
use simdrive::geometry::{PixelRect, Rect, Screen};
use simdrive::sim::{Simulator, SimulatorOptions, app};
use simdrive::vision::gate::{Comparison, GateOptions, compare_masked};
use simdrive::vision::mask::{Side, with_defaults};
use simdrive::vision::text::{TextModels, TextReader};

const APPS: [&str; 4] = ["demo", "shop", "settings", "chaos"];
const LOOKS: [&str; 3] = ["appearance=light", "appearance=dark", "device=ipad"];
const MORNING: &str = "clock=2026-01-01T09:41:00Z";

/// One pair, and whether a user would call it a change.
struct Pair {
    name: String,
    kind: &'static str,
    real: bool,
    expected: Frame,
    actual: Frame,
    screen: Screen,
    /// Where the change is, where that is known.
    place: Option<PixelRect>,
}

/// Name, kind, whether it is a change, the answer, and whether that lies where the change is.
type Outcome = (String, &'static str, bool, Comparison, bool);

#[test]
fn real_changes_are_caught_and_harmless_ones_are_not() {
    let outcomes: Vec<Outcome> = variants()
        .par_iter()
        .flat_map_iter(|variant| {
            pairs(variant).into_iter().map(|pair| {
                let answer = gate(&pair);
                let located = pair.place.is_none_or(|place| {
                    answer.regions.iter().any(|region| region.rect.intersection(&place).is_some())
                });
                (pair.name, pair.kind, pair.real, answer, located)
            })
        })
        .collect();
    let mut table: BTreeMap<(bool, &str), (usize, usize)> = BTreeMap::new();
    let mut wrong = Vec::new();
    for outcome in &outcomes {
        let (name, kind, real, answer, _) = outcome;
        let right = is_right(outcome);
        let entry = table.entry((*real, kind)).or_default();
        entry.0 += 1;
        entry.1 += usize::from(right);
        let line = format!("{name} {kind}: {}", answer.summary());
        if std::env::var("GATE_PAIRS").is_ok() {
            println!("{} {line}", if right { "right" } else { "WRONG" });
        }
        if !right {
            wrong.push(line);
        }
    }
    for ((real, kind), (all, right)) in &table {
        println!("{:8} {kind:20} {right:4} of {all}", if *real { "change" } else { "harmless" });
    }
    let share = |real: bool| {
        let right: Vec<bool> = outcomes.iter().filter(|outcome| outcome.2 == real).map(is_right).collect();
        (right.len(), right.iter().filter(|right| **right).count() as f64 / right.len() as f64)
    };
    let (real, caught) = share(true);
    let (harmless, passed) = share(false);
    assert!(real + harmless >= 200, "only {real} changes and {harmless} harmless pairs were made");
    assert!(caught >= 0.99 && passed >= 0.99, "caught {caught}, passed {passed}:\n{}", wrong.join("\n"));
}

/// Each of ten digits for each other one, in the smallest writing on both scales.
#[test]
fn every_other_digit_is_caught_however_small() {
    for look in LOOKS {
        let pairs = digit_pairs(look);
        assert_eq!(pairs.len(), 90, "{look}");
        let answers = pairs.iter().map(|pair| (&pair.name, gate(pair)));
        let missed: Vec<String> = answers
            .filter(|(_, answer)| !answer.is_drift())
            .map(|(name, answer)| format!("{name}: {}", answer.summary()))
            .collect();
        assert!(missed.is_empty(), "{} of 90 are missed:\n{}", missed.len(), missed.join("\n"));
    }
}

/// Ten rows of nine times one digit, and each of those digits with another one in its place.
fn digit_pairs(look: &str) -> Vec<Pair> {
    let others = |d: usize| (0..10).filter(move |e| *e != d);
    let page = |row: &dyn Fn(usize) -> String| {
        let text = |d| json!({"text": {"text": row(d), "style": "footnote"}});
        let body: Vec<Value> = (0..10).map(text).collect();
        let screens = json!({"a": {"title": "Digits", "body": body}});
        let app = json!({"name": "Digits", "bundle": "com.example.digits", "start": "a", "screens": screens});
        simulator(&app, look, MORNING).unwrap()
    };
    let mut same = page(&|d| format!("{d} ").repeat(9));
    let mut other = page(&|d| others(d).map(|e| format!("{e} ")).collect());
    let (truth, screen) = (same.truth(), same.screen());
    let (expected, other) = (shown(&mut same), shown(&mut other));
    let rows = truth.iter().filter(|t| t.label.trim().len() == 17).map(|t| t.frame);
    let one = |d: usize, row: Rect, column: usize, e: usize| {
        // digits are equally wide, and so are the columns they stand in
        let step = row.width / 17.0 * 2.0;
        let left = row.x + column as f64 * step - 1.0;
        let [x, y, width, height] =
            [left, row.y, step, row.height].map(|points| (points * screen.scale_x()) as u32);
        let mut actual = expected.pixels().clone();
        let digit = image::imageops::crop_imm(other.pixels(), x, y, width, height).to_image();
        image::imageops::replace(&mut actual, &digit, x.into(), y.into());
        Pair {
            name: format!("{e} for {d} {look}"),
            kind: "digit",
            real: true,
            expected: expected.clone(),
            actual: frame(actual),
            screen,
            place: Some(PixelRect::new(x, y, width, height)),
        }
    };
    rows.enumerate()
        .flat_map(|(d, row)| others(d).enumerate().map(move |(column, e)| (d, row, column, e)))
        .map(|(d, row, column, e)| one(d, row, column, e))
        .collect()
}

/// Of the answer to a pair: drift where it is a change, in its place, and a match where it is none.
fn is_right((_, _, real, answer, located): &Outcome) -> bool {
    answer.is_drift() == *real && (*located || !*real)
}

fn gate(pair: &Pair) -> Comparison {
    let mut reader: Option<TextReader> = None;
    let scale = pair.screen.scale_x();
    let mut read = |frame: &Frame| {
        let reader = reader.get_or_insert_with(|| TextReader::new(TextModels::shared().unwrap()));
        Ok(reader.read(frame, scale).unwrap().lines)
    };
    let [e, a] = [&pair.expected, &pair.actual].map(Side::of);
    compare_masked(e, a, &pair.screen, &with_defaults(&[]), &GateOptions::default(), &mut read).unwrap()
}

/// One screen of one app in one look.
struct Variant {
    app: Value,
    screen: String,
    name: String,
    look: &'static str,
    number: usize,
}

fn variants() -> Vec<Variant> {
    let mut variants = Vec::new();
    for app in APPS {
        let yaml = std::fs::read_to_string(format!("fixtures/apps/{app}.yaml")).unwrap();
        let mut tree: Value = serde_saphyr::from_str(&yaml).unwrap();
        let root = tree.as_object_mut().unwrap();
        for key in ["tabs", "links", "on_launch"] {
            root.remove(key);
        }
        let screens: Vec<String> = root["screens"].as_object().unwrap().keys().cloned().collect();
        for screen in screens {
            let mut app_at = tree.clone();
            app_at["start"] = json!(screen);
            let number = variants.len();
            let look = LOOKS[number % LOOKS.len()];
            let name = format!("{app}/{screen} {look}");
            variants.push(Variant { app: app_at, screen, name, look, number });
        }
    }
    variants
}

/// What may happen to a picture without a user calling it a change.
type Harmless = fn(&RgbaImage, Look) -> RgbaImage;

#[derive(Clone, Copy)]
struct Look {
    seed: u32,
    /// Pixels a point.
    scale: f32,
}

fn pairs(variant: &Variant) -> Vec<Pair> {
    let Some(mut before) = simulator(&variant.app, variant.look, MORNING) else { return Vec::new() };
    let screen = before.screen();
    let expected = shown(&mut before);
    let pair = |kind, real, actual: Frame, place| Pair {
        name: variant.name.clone(),
        kind,
        real,
        expected: expected.clone(),
        actual,
        screen,
        place,
    };
    let mut pairs = Vec::new();
    for (kind, change) in CHANGES {
        let mut app = variant.app.clone();
        if !change(&mut app, &variant.screen, variant.number) {
            continue;
        }
        let Some(mut after) = simulator(&app, variant.look, MORNING) else { continue };
        let actual = shown(&mut after);
        // a change off the screen, or of nothing that is drawn, is none
        if let Some(place) = visible_change(&expected, &actual) {
            pairs.push(pair(kind, true, actual, Some(place)));
        }
    }
    if variant.number.is_multiple_of(3) {
        pairs.push(pair("alert", true, with_alert(&expected), None));
        let (toast, place) = with_toast(&expected, screen.scale_x() as u32);
        pairs.push(pair("late toast", true, toast, Some(place)));
        pairs.extend(with_keyboard(variant).map(|actual| pair("keyboard", true, actual, None)));
    }
    if let Some(mut later) = simulator(&variant.app, variant.look, "clock=2026-01-01T09:48:00Z") {
        let later = shown(&mut later);
        // some screens tell the time themselves
        if visible_change(&expected, &later).is_none() {
            pairs.push(pair("clock", false, later, None));
        }
    }
    let harmless: [(&str, Harmless); 4] = [
        ("noise", noise),
        ("sub-pixel shift", shifted),
        ("antialiasing", softened),
        ("colour rounding", rounded),
    ];
    for (kind, make) in harmless {
        let seed = variant.number as u32;
        let actual = frame(make(expected.pixels(), Look { seed, scale: screen.scale_x() as f32 }));
        pairs.push(pair(kind, false, actual, None));
    }
    let indicator = with_scroll_indicator(expected.pixels(), screen.scale_x() as u32);
    pairs.push(pair("scroll indicator", false, frame(indicator), None));
    pairs.extend(caret(variant));
    pairs
}

fn simulator(app: &Value, look: &str, clock: &str) -> Option<Simulator> {
    let app = app::parse(&app.to_string(), "pair.yaml").ok()?;
    let options = SimulatorOptions::parse(&format!("{look}&{clock}")).unwrap();
    let mut simulator = Simulator::new(app, options);
    simulator.advance(Duration::from_secs(2));
    Some(simulator)
}

fn shown(simulator: &mut Simulator) -> Frame {
    frame((*simulator.render()).clone())
}

fn frame(pixels: RgbaImage) -> Frame {
    Frame::new(pixels).unwrap()
}

/// The box of the pixels that differ clearly (48 levels, 20 pixels or more), below the status bar.
fn visible_change(a: &Frame, b: &Frame) -> Option<PixelRect> {
    if a.size() != b.size() {
        return None;
    }
    let mut place: Option<PixelRect> = None;
    let mut count = 0;
    for ((x, y, a), b) in a.pixels().enumerate_pixels().zip(b.pixels().pixels()) {
        if y > 180 && a.0.iter().zip(b.0).any(|(a, b)| a.abs_diff(b) >= 48) {
            count += 1;
            let pixel = PixelRect::new(x, y, 1, 1);
            place = Some(place.map_or(pixel, |place| place.union(&pixel)));
        }
    }
    place.filter(|_| count >= 20)
}

/// A change to the description of a screen; the number picks among its elements. False where it has none.
type Change = fn(&mut Value, &str, usize) -> bool;

const CHANGES: [(&str, Change); 6] = [
    ("digit", |app, screen, n| {
        change_text(app, screen, n, |c| c.is_ascii_digit(), |c| ((c as u8 - b'0' + 3) % 10 + b'0') as char)
    }),
    ("letter", |app, screen, n| {
        change_text(
            app,
            screen,
            n,
            |c| c.is_ascii_lowercase(),
            |c| ((c as u8 - b'a' + 7) % 26 + b'a') as char,
        )
    }),
    ("missing element", |app, screen, n| {
        let Some(body) = app["screens"][screen]["body"].as_array_mut() else { return false };
        if body.is_empty() {
            return false;
        }
        let at = n % body.len();
        body.remove(at);
        true
    }),
    ("moved element", |app, screen, n| {
        let Some(body) = app["screens"][screen]["body"].as_array_mut() else { return false };
        let at = n % body.len().max(1);
        body.insert(at, json!({"spacer": 4}));
        true
    }),
    ("colour", |app, screen, n| {
        let mut texts = Vec::new();
        components(&mut app["screens"][screen]["body"], "text", &mut texts);
        let Some(text) = pick(texts, n).and_then(Value::as_object_mut) else { return false };
        text.insert("color".into(), json!("red"));
        true
    }),
    ("disabled", |app, screen, n| {
        let mut buttons = Vec::new();
        components(&mut app["screens"][screen]["body"], "button", &mut buttons);
        let Some(button) = pick(buttons, n).and_then(Value::as_object_mut) else { return false };
        button.insert("disabled".into(), json!("true")).is_none()
    }),
];

fn pick<T>(things: Vec<T>, number: usize) -> Option<T> {
    let count = things.len();
    things.into_iter().nth(number % count.max(1))
}

/// Changes one character of one text or label of a screen.
fn change_text(
    app: &mut Value,
    screen: &str,
    number: usize,
    fits: fn(char) -> bool,
    other: fn(char) -> char,
) -> bool {
    let mut texts = Vec::new();
    strings(&mut app["screens"][screen]["body"], &mut texts);
    // what stands in braces is computed
    texts.retain(|text| !text.contains('{') && text.chars().any(fits));
    let Some(text) = pick(texts, number) else { return false };
    let places: Vec<usize> = text.char_indices().filter(|(_, c)| fits(*c)).map(|(i, _)| i).collect();
    let at = places[number * 7 % places.len()];
    let c = other(text[at..].chars().next().unwrap());
    text.replace_range(at..at + 1, &c.to_string());
    true
}

/// The strings that a screen shows.
fn strings<'a>(tree: &'a mut Value, found: &mut Vec<&'a mut String>) {
    match tree {
        Value::Array(items) => items.iter_mut().for_each(|item| strings(item, found)),
        Value::Object(map) => {
            for (key, value) in map.iter_mut().filter(|(key, _)| *key != "do") {
                let shown = matches!(key.as_str(), "text" | "label" | "title" | "detail" | "subtitle");
                if !value.is_string() {
                    strings(value, found);
                } else if shown && let Value::String(text) = value {
                    found.push(text);
                }
            }
        }
        _ => {}
    }
}

/// The components of one kind.
fn components<'a>(tree: &'a mut Value, kind: &str, found: &mut Vec<&'a mut Value>) {
    match tree {
        Value::Array(items) => items.iter_mut().for_each(|item| components(item, kind, found)),
        Value::Object(map) => {
            for (key, value) in map.iter_mut() {
                if key == kind && value.is_object() {
                    found.push(value);
                } else if key != "do" {
                    components(value, kind, found);
                }
            }
        }
        _ => {}
    }
}

/// The screen dimmed, a white card with a few strokes over it.
fn with_alert(frame_before: &Frame) -> Frame {
    let mut picture = frame_before.pixels().clone();
    picture.pixels_mut().for_each(|p| p.0[..3].iter_mut().for_each(|c| *c = (u16::from(*c) * 4 / 5) as u8));
    let (width, height) = picture.dimensions();
    for y in height / 2 - 200..height / 2 + 200 {
        for x in width / 2 - 300..width / 2 + 300 {
            let ink = y % 80 < 20 && x % 20 < 6;
            picture.put_pixel(x, y, if ink { Rgba([0, 122, 255, 255]) } else { Rgba([250, 250, 250, 255]) });
        }
    }
    frame(picture)
}

/// A dark pill with a line of text near the bottom, as one that comes late and goes by itself.
fn with_toast(before: &Frame, scale: u32) -> (Frame, PixelRect) {
    let mut picture = before.pixels().clone();
    let (width, height) = picture.dimensions();
    let (wide, high) = (200 * scale, 40 * scale);
    let place = PixelRect::new((width - wide) / 2, height - 140 * scale, wide, high);
    for (x, y) in (0..high).flat_map(|y| (0..wide).map(move |x| (x, y))) {
        let stroke = (12 * scale..26 * scale).contains(&y) && x > 20 * scale && x % (7 * scale) < scale;
        let shade = if stroke { 250 } else { 60 };
        picture.put_pixel(place.x + x, place.y + y, Rgba([shade, shade, shade, 255]));
    }
    (frame(picture), place)
}

fn touch_field(simulator: &mut Simulator) -> bool {
    let fields = simulator.truth();
    let Some(field) = fields.iter().find(|t| t.role.is_field() && t.visible && !t.covered) else {
        return false;
    };
    let at = simulator.screen().to_panel(field.frame.center());
    simulator.touch_down(at);
    simulator.touch_up(at);
    simulator.advance(Duration::from_secs(2));
    true
}

fn with_keyboard(variant: &Variant) -> Option<Frame> {
    let mut simulator = simulator(&variant.app, variant.look, MORNING)?;
    touch_field(&mut simulator).then(|| shown(&mut simulator))
}

/// The same field twice, with the caret and without.
fn caret(variant: &Variant) -> Option<Pair> {
    let mut simulator = simulator(&variant.app, variant.look, MORNING)?;
    if !touch_field(&mut simulator) {
        return None;
    }
    let expected = shown(&mut simulator);
    for _ in 0..20 {
        simulator.advance(Duration::from_millis(100));
        let actual = shown(&mut simulator);
        if actual.hash() != expected.hash() {
            let screen = simulator.screen();
            let name = variant.name.clone();
            return Some(Pair { name, kind: "caret", real: false, expected, actual, screen, place: None });
        }
    }
    None
}

/// A grey bar with round ends at the right edge, as a list shows while it scrolls.
fn with_scroll_indicator(picture: &RgbaImage, scale: u32) -> RgbaImage {
    let (mut picture, thick) = (picture.clone(), 3 * scale);
    let (left, top, height) = (picture.width() - 6 * scale, picture.height() / 4, picture.height() / 5);
    for (x, y) in (0..height).flat_map(|y| (0..thick).map(move |x| (x, y))) {
        let from_end = y.min(height - 1 - y);
        let round = thick / 2;
        let (dx, dy) = (x.abs_diff(round), round.saturating_sub(from_end));
        if dx * dx + dy * dy <= round * round {
            picture.put_pixel(left + x, top + y, Rgba([130, 130, 134, 255]));
        }
    }
    picture
}

/// Every level moves by up to two.
fn noise(picture: &RgbaImage, look: Look) -> RgbaImage {
    let mut state = look.seed;
    let mut picture = picture.clone();
    for level in picture.pixels_mut().flat_map(|p| &mut p.0[..3]) {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        *level = level.saturating_add((state >> 24) as u8 % 3).saturating_sub((state >> 16) as u8 % 3);
    }
    picture
}

/// Everything lies a tenth of a point to the right and a little more lower.
fn shifted(picture: &RgbaImage, look: Look) -> RgbaImage {
    let (dx, dy) = (0.1 * look.scale, 0.13 * look.scale);
    let at = |x: u32, y: u32| picture.get_pixel(x, y).0.map(f32::from);
    RgbaImage::from_fn(picture.width(), picture.height(), |x, y| {
        let (left, above) = (x.saturating_sub(1), y.saturating_sub(1));
        let [p, l, a, la] = [at(x, y), at(left, y), at(x, above), at(left, above)];
        Rgba([0, 1, 2, 3].map(|c| {
            let own = (1.0 - dx) * p[c] + dx * l[c];
            let other = (1.0 - dx) * a[c] + dx * la[c];
            ((1.0 - dy) * own + dy * other).round() as u8
        }))
    })
}

/// Edges are drawn a little softer.
fn softened(picture: &RgbaImage, _: Look) -> RgbaImage {
    let at = |x: u32, y: u32| picture.get_pixel(x, y).0.map(f32::from);
    let (right, bottom) = (picture.width() - 1, picture.height() - 1);
    RgbaImage::from_fn(picture.width(), picture.height(), |x, y| {
        let [p, l, r] = [at(x, y), at(x.saturating_sub(1), y), at((x + 1).min(right), y)];
        let [u, d] = [at(x, y.saturating_sub(1)), at(x, (y + 1).min(bottom))];
        Rgba([0, 1, 2, 3].map(|c| (0.6 * p[c] + 0.1 * (l[c] + r[c] + u[c] + d[c])).round() as u8))
    })
}

/// Middle tones move by two levels, as between colour spaces.
fn rounded(picture: &RgbaImage, _: Look) -> RgbaImage {
    let mut picture = picture.clone();
    for pixel in picture.pixels_mut() {
        let [r, g, b, _] = &mut pixel.0;
        if (40..220).contains(g) {
            (*r, *g, *b) = (r.saturating_add(2), g.saturating_sub(1), b.saturating_add(1));
        }
    }
    picture
}
