//! What is found on the embedded apps' screens by pixels alone, against the true layout that the apps tell.
//! Every screen is drawn in one of six ways (light and dark, three text sizes), all six over the screens together.

use std::time::Duration;

use image::imageops;
use simdrive::frame::Frame;
use simdrive::geometry::{Orientation, PixelRect, Point, Rect, Screen};
use simdrive::role::Role;
use simdrive::sim::records::TruthElement;
use simdrive::sim::{Simulator, SimulatorOptions, app};
use simdrive::vision::shapes::{self, Shape};
use simdrive::vision::text::{TextLine, TextModels, TextReader};

const APPS: [&str; 4] = ["demo", "shop", "settings", "chaos"];
const WAYS: [&str; 6] = [
    "appearance=light&text_size=l",
    "appearance=dark&text_size=l",
    "appearance=light&text_size=s",
    "appearance=dark&text_size=s",
    "appearance=light&text_size=xxl",
    "appearance=dark&text_size=xxl",
];
/// A mark this far outside of an element, in points, still touches it.
const SLACK: f64 = 2.0;

/// A place that can be tapped, as seen.
struct Seen {
    role: Role,
    center: Point,
}

#[derive(Default)]
struct Score {
    elements: usize,
    tapped: usize,
    right: usize,
    missed: Vec<String>,
}

impl Score {
    fn count(&mut self, element: &TruthElement, seen: &[Seen], screen: &str) {
        let frame = element.frame;
        let near = Rect::new(
            frame.x - SLACK,
            frame.y - SLACK,
            frame.width + 2.0 * SLACK,
            frame.height + 2.0 * SLACK,
        );
        let hits: Vec<Role> = seen.iter().filter(|s| near.contains(s.center)).map(|s| s.role).collect();
        self.elements += 1;
        self.tapped += usize::from(!hits.is_empty());
        let right = hits.iter().any(|role| means(element.role, *role));
        self.right += usize::from(right);
        if !right {
            self.missed.push(format!("{screen}: {} “{}” seen as {hits:?}", element.role, element.label));
        }
    }
}

/// Whether a role that was seen says what the element is: kinds that look alike count as each other.
fn means(truth: Role, seen: Role) -> bool {
    let alike: &[Role] = match truth {
        Role::IconButton | Role::BackButton => &[Role::Button, Role::IconButton, Role::BackButton],
        Role::SecureField | Role::SearchField => &[Role::TextField],
        // a word in a tint is a link in a text and a button elsewhere; a row that acts in a tint is a button too
        Role::Button | Role::Link | Role::Cell => &[Role::Button, Role::Link, Role::Cell],
        _ => &[],
    };
    seen == truth || alike.contains(&seen)
}

/// What an agent could tap: controls, and texts that are in none.
fn seen(shapes: &[Shape], lines: &[TextLine], screen: &Screen) -> Vec<Seen> {
    let controls = shapes.iter().map(|s| Seen { role: s.role, center: screen.to_points(s.rect).center() });
    let texts = lines.iter().filter(|line| {
        let (x, y) = (line.rect.x + line.rect.width / 2, line.rect.y + line.rect.height / 2);
        !shapes.iter().any(|shape| shape.rect.contains(x, y))
    });
    let texts = texts.map(|line| Seen { role: Role::Text, center: screen.to_points(line.rect).center() });
    controls.chain(texts).collect()
}

fn measure(name: &str, start: &str, way: &str, score: &mut Score) {
    let mut app = app::load(name).unwrap();
    app.start.name = start.to_owned();
    let options = SimulatorOptions::parse(&format!("clock=2026-01-01T09:41:00Z&{way}")).unwrap();
    let mut simulator = Simulator::new(app, options);
    simulator.advance(Duration::from_millis(2_500));
    let screen = simulator.screen();
    let frame = Frame::new((*simulator.render()).clone()).unwrap();
    let lines = TextReader::new(TextModels::shared().unwrap()).read(&frame, screen.scale_x()).unwrap().lines;
    let scene = shapes::find(&frame, screen.scale_x(), &lines);
    let seen = seen(&scene.shapes, &lines, &screen);
    let place = format!("{name}/{start}?{way}");
    for element in simulator.truth() {
        // keys are one region: the keyboard
        let wanted = element.role.is_control() && element.role != Role::KeyboardKey;
        let reachable = element.visible && !element.covered && screen.points.contains(element.frame.center());
        if wanted && reachable {
            score.count(&element, &seen, &place);
        }
    }
}

#[test]
fn the_controls_of_the_embedded_apps_are_found_and_typed() {
    let mut score = Score::default();
    let screens = APPS.iter().flat_map(|name| {
        let app = app::load(name).unwrap();
        app.screens.keys().map(|screen| (*name, screen.to_string())).collect::<Vec<_>>()
    });
    for (i, (name, screen)) in screens.enumerate() {
        measure(name, &screen, WAYS[i % WAYS.len()], &mut score);
    }
    let tap_recall = score.tapped as f64 / score.elements as f64;
    let role_accuracy = score.right as f64 / score.tapped as f64;
    eprintln!("{} elements, tap_recall {tap_recall:.3}, role_accuracy {role_accuracy:.3}", score.elements);
    let missed = score.missed.join("\n");
    assert!(tap_recall >= 0.98, "tap_recall {tap_recall:.3}\n{missed}");
    assert!(role_accuracy >= 0.95, "role_accuracy {role_accuracy:.3}\n{missed}");
}

/// Touches the middle of a field as its label says, without looking.
fn touch(simulator: &mut Simulator, role: Role) {
    let field = simulator.truth().into_iter().find(|e| e.role == role && e.visible).unwrap();
    let panel = simulator.screen().to_panel(field.frame.center());
    simulator.touch_down(panel);
    simulator.touch_up(panel);
    simulator.advance(Duration::from_millis(700));
}

/// Types `usages` of the HID keyboard page.
fn press(simulator: &mut Simulator, usages: impl IntoIterator<Item = u16>) {
    for usage in usages {
        simulator.key(usage, true);
        simulator.key(usage, false);
    }
    simulator.advance(Duration::from_millis(20));
}

/// The frame as the interface is held, and its pixels a point.
fn upright(simulator: &mut Simulator) -> (Frame, f64) {
    let panel = (*simulator.render()).clone();
    let turned = match simulator.orientation() {
        Orientation::LandscapeLeft => imageops::rotate90(&panel),
        Orientation::LandscapeRight => imageops::rotate270(&panel),
        _ => panel,
    };
    let scale = f64::from(turned.width()) / simulator.screen().points.width;
    (Frame::new(turned).unwrap(), scale)
}

/// Where the first row of keys begins, in points.
fn first_key(simulator: &Simulator) -> f64 {
    let keys = simulator.truth().into_iter().filter(|e| e.role == Role::KeyboardKey);
    keys.map(|key| key.frame.y).fold(f64::MAX, f64::min)
}

#[test]
fn the_keyboard_is_one_region_on_every_device_and_a_secret_stays_a_secure_field() {
    for way in [
        "device=iphone",
        "device=iphone&appearance=dark",
        "device=iphone-mini&text_size=s",
        "device=iphone-max&appearance=dark&text_size=xl",
        "device=ipad",
        "device=ipad&appearance=dark",
        "device=iphone&orientation=landscape_left",
        "device=ipad&orientation=landscape_right&appearance=dark",
    ] {
        let options = SimulatorOptions::parse(&format!("clock=2026-01-01T09:41:00Z&{way}")).unwrap();
        let mut simulator = Simulator::new(app::load("shop").unwrap(), options);
        simulator.advance(Duration::from_millis(2_500));
        let mut reader = TextReader::new(TextModels::shared().unwrap());
        let mut look = |simulator: &mut Simulator, when: &str| {
            let (frame, scale) = upright(simulator);
            let lines = reader.read(&frame, scale).unwrap().lines;
            let scene = shapes::find(&frame, scale, &lines);
            let points = |r: PixelRect| {
                let [x, y, width, height] = [r.x, r.y, r.width, r.height].map(|v| f64::from(v) / scale);
                Rect::new(x, y, width, height)
            };
            let place = scene.keyboard.map(points);
            let first_key = first_key(simulator);
            match place {
                Some(place) => {
                    let above = first_key - place.y;
                    assert!((0.0..=14.0).contains(&above), "{way} {when}: {place:?}, keys from {first_key}");
                    let on_it: Vec<_> =
                        scene.shapes.iter().filter(|s| place.contains(points(s.rect).center())).collect();
                    assert!(on_it.is_empty(), "{way} {when}: {on_it:?}");
                }
                None => assert!(first_key == f64::MAX, "{way} {when}: no keyboard was found"),
            }
            scene
        };
        let scene = look(&mut simulator, "before");
        assert_eq!(scene.keyboard, None, "{way}");
        touch(&mut simulator, Role::SecureField);
        look(&mut simulator, "focused");
        for typed in [4..6, 6..17] {
            press(&mut simulator, typed);
            let scene = look(&mut simulator, "typed");
            let secret = scene.shapes.iter().find(|s| s.role == Role::SecureField);
            let field = simulator.truth().into_iter().find(|e| e.role == Role::SecureField).unwrap();
            let dots = field.value.unwrap().chars().count();
            if !field.covered {
                let value = secret.and_then(|s| s.value.as_deref()).unwrap_or_default();
                assert_eq!(value, "•".repeat(dots), "{way}: {:?}", scene.shapes);
            }
        }
        // the plane of numbers
        let key = simulator.truth().into_iter().find(|e| e.label == "more, numbers").unwrap();
        let panel = simulator.screen().to_panel(key.frame.center());
        simulator.touch_down(panel);
        simulator.touch_up(panel);
        simulator.advance(Duration::from_millis(400));
        look(&mut simulator, "numbers");
        press(&mut simulator, [40]);
        simulator.advance(Duration::from_millis(700));
        assert_eq!(look(&mut simulator, "submitted").keyboard, None, "{way}");
    }
}
