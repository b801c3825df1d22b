//! What users of the simulator rely on, seen from outside: events go in, pixels and trees come out.

use std::sync::Arc;
use std::time::Duration;

use super::app::{self, EMBEDDED};
use super::records::TruthElement;
use super::{SimError, Simulator, SimulatorOptions};
use crate::device::{HardwareButton, Launch};
use crate::geometry::{Orientation, Point};
use crate::role::Role;

const TRANSITION: Duration = Duration::from_millis(350);

/// A finger and a pair of eyes.
pub(super) struct Hand(pub Simulator);

impl Hand {
    fn on(app: &str) -> Self {
        Self::with(app, "")
    }

    pub fn with(app: &str, options: &str) -> Self {
        let query = format!("clock=2026-01-01T09:41:00Z&{options}");
        Self(Simulator::new(app::load(app).unwrap(), SimulatorOptions::parse(&query).unwrap()))
    }

    fn find(&self, label: &str) -> Option<TruthElement> {
        let mut found: Vec<_> =
            self.0.truth().into_iter().filter(|e| e.label == label && e.visible).collect();
        found.sort_by_key(|e| (!e.role.is_control(), e.covered));
        found.into_iter().next()
    }

    fn get(&self, label: &str) -> TruthElement {
        self.find(label).unwrap_or_else(|| panic!("no {label:?} in {:?}", self.labels()))
    }

    fn labels(&self) -> Vec<String> {
        self.0.truth().into_iter().filter(|e| e.visible).map(|e| e.label).collect()
    }

    fn sees(&self, label: &str) -> bool {
        self.find(label).is_some()
    }

    fn tap_at(&mut self, point: Point) {
        let panel = self.0.screen().to_panel(point);
        self.0.touch_down(panel);
        self.wait(60);
        self.0.touch_up(panel);
        self.0.advance(TRANSITION);
    }

    pub fn tap(&mut self, label: &str) {
        let at = self.get(label).frame.center();
        self.tap_at(at);
    }

    fn swipe(&mut self, from: Point, to: Point, millis: u64) {
        let steps = 20;
        for i in 0..=steps {
            let t = f64::from(i) / f64::from(steps);
            let at = Point::new(from.x + (to.x - from.x) * t, from.y + (to.y - from.y) * t);
            let panel = self.0.screen().to_panel(at);
            self.0.touch_down(panel);
            self.wait(millis / u64::from(steps as u32));
        }
        let panel = self.0.screen().to_panel(to);
        self.0.touch_up(panel);
    }

    pub fn wait(&mut self, millis: u64) {
        self.0.advance(Duration::from_millis(millis));
    }

    fn press(&mut self, usage: u16) {
        self.0.key(usage, true);
        self.0.key(usage, false);
    }

    /// Lower-case letters, digits, `-`, `.`, `@` and spaces, by hardware key.
    pub fn keys(&mut self, text: &str) {
        for c in text.chars() {
            let (usage, shift) = match c {
                'a'..='z' => (c as u16 - 'a' as u16 + 4, false),
                '1'..='9' => (c as u16 - '1' as u16 + 30, false),
                '-' => (45, false),
                '.' => (55, false),
                '@' => (31, true),
                ' ' => (44, false),
                other => panic!("{other:?} has no key here"),
            };
            if shift {
                self.0.key(225, true);
            }
            self.press(usage);
            if shift {
                self.0.key(225, false);
            }
        }
    }

    pub fn sign_in(&mut self) {
        self.tap("Email");
        self.keys("ada@example.com");
        self.tap("Password");
        self.keys("correct-horse");
        self.press(40);
        self.wait(400);
        self.tap("Sign In");
        self.wait(1_000);
    }
}

#[test]
fn the_same_seed_and_events_give_equal_pixels() {
    let play = || {
        let mut hand = Hand::with("shop", "seed=7&latency_ms=0..800");
        hand.sign_in();
        hand.wait(900);
        hand.swipe(Point::new(200.0, 700.0), Point::new(200.0, 300.0), 200);
        hand.wait(333);
        hand.0.render()
    };
    assert!(play() == play());
}

#[test]
fn an_unchanged_screen_is_the_very_same_picture() {
    let mut hand = Hand::on("settings");
    let first = hand.0.render();
    hand.wait(200);
    assert!(Arc::ptr_eq(&first, &hand.0.render()));
    assert_eq!(hand.0.generation(), 1);
    hand.wait(60_000);
    assert!(first != hand.0.render(), "the clock has ticked");
    assert_eq!(hand.0.generation(), 2);
}

#[test]
fn painting_only_what_changed_gives_what_painting_all_gives() {
    let mut partial = Hand::on("shop");
    partial.0.render();
    partial.tap("Email");
    partial.0.render();
    partial.keys("ada");
    let partial = partial.0.render();
    let mut whole = Hand::on("shop");
    whole.tap("Email");
    whole.keys("ada");
    let whole = whole.0.render();
    let off = partial.as_raw().iter().zip(whole.as_raw()).filter(|(a, b)| a != b).count();
    assert_eq!(off, 0);
}

#[test]
fn a_wrong_password_is_told_and_the_right_one_opens_the_catalogue() {
    let mut hand = Hand::on("shop");
    hand.tap("Sign In");
    assert!(hand.sees("Enter your email address"));
    hand.tap("Email");
    hand.keys("ada@example.com");
    hand.tap("Password");
    hand.keys("wrong");
    hand.press(40);
    hand.wait(400);
    hand.tap("Sign In");
    assert_eq!(hand.get("Sign In").value.as_deref(), Some("In progress"));
    hand.wait(700);
    assert!(hand.sees("Wrong email or password"), "{:?}", hand.labels());
    hand.tap("Password");
    hand.keys("correct-horse");
    assert_eq!(hand.get("Password").value.unwrap(), "●".repeat(13));
    hand.press(40);
    hand.wait(400);
    hand.tap("Sign In");
    hand.wait(700);
    assert!(hand.sees("Aurora Desk Lamp, Home"), "{:?}", hand.labels());
}

#[test]
fn an_order_goes_from_search_to_the_history_with_the_right_total() {
    let mut hand = Hand::on("shop");
    hand.sign_in();
    hand.tap("Search products");
    hand.keys("kite");
    hand.press(40);
    hand.wait(400);
    hand.tap("Kite Speaker, Sound");
    hand.tap("Increment");
    hand.tap("Add to Cart");
    hand.tap("Cart");
    assert_eq!(hand.get("Total").value.as_deref(), Some("$158.00"));
    hand.tap("Checkout");
    hand.tap("Express");
    assert_eq!(hand.get("Total").value.as_deref(), Some("$164.00"));
    hand.tap("Place Order");
    assert!(hand.sees("Place this order?"));
    let confirm = hand.0.truth().into_iter().rfind(|e| e.label == "Place Order").unwrap();
    hand.tap_at(confirm.frame.center());
    hand.wait(1_500);
    assert!(hand.sees("Order 1042 is on its way."), "{:?}", hand.labels());
    hand.tap("View Orders");
    assert_eq!(hand.get("Order 1042, Jan 1, 2026 · Processing").value.as_deref(), Some("$164.00"));
}

#[test]
fn the_drawn_keyboard_types_what_is_tapped() {
    let mut hand = Hand::on("demo");
    hand.tap("Greeting, Type your name");
    hand.tap("Name");
    hand.wait(400);
    hand.tap("A");
    hand.tap("d");
    hand.tap("a");
    hand.tap("delete");
    hand.tap("shift");
    hand.tap("A");
    hand.tap("more, numbers");
    hand.tap("7");
    assert_eq!(hand.get("Name").value.as_deref(), Some("AdA7"));
    hand.tap("Return");
    assert!(hand.sees("Hello, AdA7!"), "{:?}", hand.labels());
    assert!(!hand.sees("space"), "the keyboard has gone");
}

#[test]
fn a_hardware_keyboard_edits_selects_and_pastes() {
    let mut hand = Hand::on("demo");
    hand.tap("Greeting, Type your name");
    hand.tap("Name");
    hand.keys("bob");
    hand.press(80);
    hand.press(42);
    assert_eq!(hand.get("Name").value.as_deref(), Some("bb"));
    hand.0.set_pasteboard("Grace");
    hand.0.key(227, true);
    hand.press(4);
    hand.press(25);
    hand.0.key(227, false);
    assert_eq!(hand.get("Name").value.as_deref(), Some("Grace"));
    hand.press(41);
    hand.wait(400);
    hand.keys("x");
    assert_eq!(hand.get("Name").value.as_deref(), Some("Grace"), "escape has left the field");
}

#[test]
fn the_caret_blinks_and_typing_goes_on_in_the_next_field() {
    let mut hand = Hand::on("shop");
    hand.tap("Email");
    hand.wait(200);
    let shown = hand.0.render();
    hand.wait(500);
    let hidden = hand.0.render();
    assert!(shown != hidden);
    hand.wait(500);
    assert!(shown == hand.0.render());
    hand.press(43);
    hand.keys("secret");
    assert_eq!(hand.get("Password").value.unwrap(), "●●●●●●");
}

#[test]
fn every_control_reacts_to_a_touch() {
    let mut hand = Hand::on("demo");
    hand.tap("Controls");
    assert_eq!(hand.get("Wi-Fi").value.as_deref(), Some("1"));
    hand.tap("Wi-Fi");
    assert_eq!(hand.get("Wi-Fi").value.as_deref(), Some("0"));
    hand.tap("Airplane Mode");
    assert_eq!(hand.get("Airplane Mode").value.as_deref(), Some("0"), "it is disabled");
    hand.tap("Large");
    assert!(hand.get("Large").selected && !hand.get("Medium").selected);
    let slider = hand.get("Volume").frame;
    hand.swipe(slider.center(), Point::new(slider.right() - 1.0, slider.center().y), 300);
    assert_eq!(hand.get("Volume").value.as_deref(), Some("100%"));
    hand.tap("Increment");
    assert!(hand.sees("Quantity, 3"));
    hand.tap("I accept the terms");
    assert_eq!(hand.get("I accept the terms").value.as_deref(), Some("1"));
    hand.swipe(Point::new(200.0, 700.0), Point::new(200.0, 150.0), 300);
    hand.wait(4_000);
    hand.tap("Save");
    assert!(!hand.get("Save").enabled, "it is loading");
    hand.wait(1_200);
    assert!(hand.sees("Saved"));
    hand.wait(3_000);
    assert!(!hand.sees("Saved"), "the toast has gone");
}

#[test]
fn a_list_glides_and_stops_at_its_end() {
    let mut hand = Hand::on("shop");
    hand.sign_in();
    let before = hand.get("Drift Headphones, Sound").frame.y;
    hand.swipe(Point::new(200.0, 600.0), Point::new(200.0, 500.0), 150);
    let dragged = hand.get("Drift Headphones, Sound").frame.y;
    assert!((before - dragged - 100.0).abs() < 2.0, "it follows the finger: {before} {dragged}");
    hand.wait(300);
    assert!(hand.get("Drift Headphones, Sound").frame.y < dragged - 20.0, "it glides on");
    for _ in 0..14 {
        hand.swipe(Point::new(200.0, 700.0), Point::new(200.0, 200.0), 120);
        hand.wait(1_500);
    }
    let last = hand.get("Zinc Garden Can, Home");
    assert!(last.visible && !last.covered, "{last:?}");
    let picture = hand.0.render();
    hand.wait(1_000);
    assert!(Arc::ptr_eq(&picture, &hand.0.render()), "it has come to rest");
}

#[test]
fn a_finger_that_catches_a_gliding_list_presses_nothing_and_drags_it_on() {
    let mut hand = Hand::on("shop");
    hand.sign_in();
    hand.swipe(Point::new(200.0, 700.0), Point::new(200.0, 400.0), 120);
    hand.tap_at(Point::new(200.0, 500.0));
    assert!(!hand.sees("Add to Cart") && hand.sees("Shop"), "{:?}", hand.labels());
    hand.swipe(Point::new(200.0, 700.0), Point::new(200.0, 400.0), 120);
    hand.wait(100);
    let (label, before) = {
        let row = hand.0.truth().into_iter().find(|e| e.role == Role::Cell && e.frame.y > 250.0).unwrap();
        (row.label, row.frame.y)
    };
    hand.swipe(Point::new(200.0, 300.0), Point::new(200.0, 500.0), 2_000);
    let after = hand.get(&label).frame.y;
    assert!(after > before + 120.0, "it follows the finger: {before} {after}");
}

#[test]
fn bars_take_their_taps_while_a_list_glides() {
    let mut hand = Hand::on("demo");
    hand.tap("Cities");
    hand.swipe(Point::new(200.0, 700.0), Point::new(200.0, 400.0), 120);
    let tab = hand.get("More").frame.center();
    hand.tap_at(tab);
    hand.wait(600);
    assert!(hand.sees("Sign in"), "a tab: {:?}", hand.labels());
    let mut hand = Hand::on("settings");
    hand.tap("General");
    hand.tap("About");
    let back = hand.get("General").frame.center();
    hand.swipe(Point::new(200.0, 700.0), Point::new(200.0, 400.0), 120);
    hand.tap_at(back);
    hand.wait(600);
    assert!(!hand.sees("Serial Number"), "a back button: {:?}", hand.labels());
}

#[test]
fn an_alert_takes_all_touches_and_hides_the_rest_from_accessibility() {
    let mut hand = Hand::on("chaos");
    hand.swipe(Point::new(200.0, 700.0), Point::new(200.0, 300.0), 300);
    hand.wait(3_000);
    hand.tap("Late alert");
    hand.wait(1_800);
    assert!(hand.get("Tap me before it comes").covered);
    let tree = hand.0.accessibility().unwrap();
    let labels: Vec<_> = tree.walk().filter_map(|n| n.label.clone()).collect();
    assert!(labels.contains(&"Are you still there?".to_owned()), "{labels:?}");
    assert!(!labels.contains(&"Tap me before it comes".to_owned()), "{labels:?}");
    hand.tap("Yes");
    assert!(hand.sees("Answer: Yes"));
}

#[test]
fn a_covered_button_is_not_reached() {
    let mut hand = Hand::on("chaos");
    hand.tap("Covered button");
    let button = hand.get("Buy Now");
    assert!(button.covered);
    hand.tap_at(button.frame.center());
    assert!(hand.sees("The button below was pressed 0 times."));
    hand.tap("Accept Cookies");
    hand.tap("Buy Now");
    assert!(hand.sees("The button below was pressed 1 time."));
}

#[test]
fn one_button_moves_and_another_is_gone_after_a_second() {
    let mut hand = Hand::on("chaos");
    hand.tap("Moving button");
    let first = hand.get("Catch me").frame;
    hand.wait(3_500);
    let second = hand.get("Catch me").frame;
    assert!(first.x != second.x && first.y != second.y);
    hand.tap("Catch me");
    assert!(hand.sees("Caught 1 time"));
    hand.tap("Chaos");
    hand.tap("Vanishing button");
    assert!(hand.sees("Now or never"));
    hand.wait(1_000);
    assert!(!hand.sees("Now or never") && hand.sees("Too late."));
}

#[test]
fn a_screen_without_accessibility_gives_no_tree_but_works() {
    let mut hand = Hand::on("chaos");
    hand.swipe(Point::new(200.0, 700.0), Point::new(200.0, 300.0), 300);
    hand.wait(3_000);
    assert!(hand.0.accessibility().is_some());
    hand.tap("No accessibility");
    assert!(hand.0.accessibility().is_none());
    hand.tap("Increase");
    assert!(hand.sees("Count: 1"));
}

#[test]
fn a_crash_ends_the_app_and_leaves_a_report() {
    let mut hand = Hand::on("chaos");
    hand.swipe(Point::new(200.0, 700.0), Point::new(200.0, 100.0), 200);
    hand.wait(4_000);
    hand.tap("Crash");
    assert_eq!(hand.0.front(), None);
    let [crash] = hand.0.crashes() else { panic!("one crash") };
    assert_eq!(crash.bundle_id, "com.example.chaos");
    assert!(crash.text.contains("Index out of range"));
    let name = crash.name.clone();
    assert!(hand.0.log_lines().iter().any(|l| l.text == "about to crash"));
    assert!(hand.sees("Chaos"), "the home screen shows the app's icon");
    hand.0.delete_crash(&name).unwrap();
    assert_eq!(hand.0.delete_crash(&name), Err(SimError::NoCrash(name)));
}

#[test]
fn a_permission_is_asked_for_once_and_can_be_granted_before() {
    let mut hand = Hand::on("settings");
    hand.0.open_url("settings://privacy").unwrap();
    hand.wait(400);
    hand.tap("Camera");
    assert!(hand.sees("“Settings” Would Like to Access the Camera"), "{:?}", hand.labels());
    hand.tap("Don’t Allow");
    assert_eq!(hand.get("Camera").value.as_deref(), Some("Denied"));
    hand.0.set_permission("com.example.settings", "microphone", true).unwrap();
    hand.tap("Microphone");
    assert_eq!(hand.get("Microphone").value.as_deref(), Some("Allowed"));
    assert!(hand.0.set_permission("com.example.settings", "teleport", true).is_err());
}

#[test]
fn a_sheet_is_dragged_away_and_back_swipes_from_the_edge() {
    let mut hand = Hand::on("demo");
    hand.tap("More");
    hand.tap("Sign in");
    assert!(hand.sees("Password"));
    hand.swipe(Point::new(200.0, 90.0), Point::new(200.0, 400.0), 200);
    hand.wait(400);
    assert!(!hand.sees("Password") && hand.sees("Sign in"));
    hand.tap("Cities");
    hand.tap("Barcelona, Spain");
    assert_eq!(hand.get("Country").value.as_deref(), Some("Spain"));
    hand.swipe(Point::new(4.0, 400.0), Point::new(250.0, 405.0), 200);
    hand.wait(400);
    assert!(hand.sees("Barcelona, Spain"));
}

#[test]
fn touches_land_on_a_mini_and_in_both_landscapes() {
    for options in [
        "device=iphone-mini",
        "device=iphone-max",
        "device=ipad",
        "orientation=landscape_left",
        "orientation=landscape_right",
        "orientation=portrait_upside_down",
    ] {
        let mut hand = Hand::with("demo", options);
        hand.tap("More");
        hand.tap("Sign in");
        hand.tap("Cancel");
        assert!(hand.sees("Sign in"), "{options}");
        let picture = hand.0.render();
        let panel = hand.0.options().profile.pixels;
        assert_eq!((picture.width(), picture.height()), (panel.width, panel.height), "{options}");
    }
}

#[test]
fn a_mini_s_interface_is_larger_than_its_panel() {
    let hand = Hand::with("demo", "device=iphone-mini");
    let screen = hand.0.screen();
    let root = hand.0.accessibility().unwrap().frame.unwrap();
    assert_eq!((root.width, root.height), (375.0, 812.0));
    assert_eq!((screen.panel.width, screen.panel.height), (360.0, 780.0));
}

#[test]
fn turning_the_device_turns_the_pixels() {
    let mut hand = Hand::on("demo");
    let upright = hand.0.render();
    hand.0.set_orientation(Orientation::PortraitUpsideDown);
    let turned = hand.0.render();
    let (w, h) = upright.dimensions();
    assert_eq!(upright.get_pixel(200, 160), turned.get_pixel(w - 201, h - 161));
    hand.0.set_orientation(Orientation::LandscapeLeft);
    let root = hand.0.accessibility().unwrap().frame.unwrap();
    assert_eq!((root.width, root.height), (852.0, 393.0));
}

#[test]
fn the_home_button_leaves_an_app_where_it_was() {
    let mut hand = Hand::on("demo");
    hand.tap("Count up");
    hand.0.button(HardwareButton::Home, true);
    hand.0.button(HardwareButton::Home, false);
    assert_eq!(hand.0.front(), None);
    assert_eq!(hand.0.accessibility().unwrap().label.as_deref(), Some("SpringBoard"));
    hand.tap("Demo");
    assert!(hand.sees("Counter: 1"));
    let launch = Launch { bundle_id: "com.example.demo".into(), ..Launch::default() };
    hand.0.launch(&launch).unwrap();
    assert!(hand.sees("Counter: 0"), "launching begins afresh");
}

#[test]
fn a_notification_shows_as_a_banner_that_opens_its_app() {
    let mut hand = Hand::on("demo");
    let payload = r#"{"aps": {"alert": {"title": "Sale", "body": "Everything must go"}}}"#;
    hand.0.send_notification("com.example.shop", payload).unwrap();
    hand.wait(500);
    hand.tap("Shop, now, Sale, Everything must go");
    assert_eq!(hand.0.front(), Some("com.example.shop"));
    assert!(hand.0.send_notification("com.example.shop", "{").is_err());
}

#[test]
fn apps_are_installed_launched_ended_and_removed() {
    let mut hand = Hand::on("demo");
    assert_eq!(hand.0.apps().len(), EMBEDDED.len());
    let yaml = "name: Tiny\nbundle: com.example.tiny\nstart: a\nscreens:\n  a:\n    body:\n      - text: {text: Hi}\n";
    let bundle = hand.0.install(app::parse(yaml, "tiny.yaml").unwrap());
    let launch = Launch { bundle_id: bundle.clone(), ..Launch::default() };
    hand.0.launch(&launch).unwrap();
    assert!(hand.sees("Hi"));
    hand.0.uninstall(&bundle).unwrap();
    assert!(matches!(hand.0.launch(&launch), Err(SimError::NotInstalled { .. })));
    assert!(hand.0.terminate("com.example.nothing").is_err());
}

#[test]
fn every_touch_that_arrives_is_kept() {
    let mut hand = Hand::on("demo");
    assert!(hand.0.touches().is_empty());
    hand.tap_at(Point::new(10.0, 700.0));
    assert_eq!(hand.0.touches().len(), 2);
}

#[test]
fn a_wrong_app_file_is_told_with_line_and_key() {
    let head = "name: X\nbundle: x\nstart: a\nscreens:\n  a:\n    body:\n";
    for (body, line, part) in [
        ("      - text: {text: Hi, colour: red}\n", 7, "did you mean `color`?"),
        ("      - buton: {label: Hi}\n", 7, "did you mean `button`?"),
        ("      - button: {label: Hi, do: [{navigate: b}]}\n", 7, "no screen `b`"),
        ("      - text: {text: Hi}\n      - text: {text: \"{cout}\"}\n", 8, "nothing is called `cout`"),
        ("      - text: {text: \"{1 +}\"}\n", 7, "a value expected"),
        ("      - switch: {label: Hi, bind: nowhere}\n", 7, "no state `nowhere`"),
    ] {
        let error = app::parse(&format!("{head}{body}"), "x.yaml").unwrap_err();
        let SimError::App { line: found, file, message, .. } = &error else { panic!("{error}") };
        assert!(message.contains(part), "{body}: {message}");
        assert_eq!((file.as_str(), *found), ("x.yaml", line), "{body}: {message}");
    }
    assert!(matches!(app::load("nothing"), Err(SimError::UnknownApp { .. })));
}

#[test]
fn the_schema_of_apps_knows_every_component() {
    let schema = serde_json::to_string(&app::schema()).unwrap();
    for word in ["\"icon_button\"", "\"segmented\"", "\"navigate\"", "\"permission\"", "\"right_to_left\""] {
        assert!(schema.contains(word), "{word}");
    }
}

#[test]
fn every_screen_of_every_app_fits_in_all_sizes_and_colours() {
    for embedded in &EMBEDDED {
        let app = app::load(embedded.name).unwrap();
        for query in ["", "appearance=dark&text_size=xs", "text_size=ax3&appearance=dark", "device=ipad"] {
            let mut simulator = Simulator::new(app.clone(), SimulatorOptions::parse(query).unwrap());
            for screen in app.screens.keys() {
                simulator.with_front(|process, system| process.start_over(screen, system));
                simulator.advance(Duration::from_millis(700));
                let width = simulator.screen().points.width;
                for element in simulator.truth() {
                    let f = element.frame;
                    let fits = f.x >= -1.0 && f.right() <= width + 1.0 && f.width >= 0.0 && f.height > 0.0;
                    assert!(fits, "{} {screen} {query}: {element:?}", embedded.name);
                }
                assert!(simulator.accessibility().is_none_or(|tree| tree.walk().count() > 1));
            }
            simulator.render();
        }
    }
}

#[test]
fn elements_of_the_tree_speak_the_words_of_accessibility() {
    let mut hand = Hand::on("shop");
    let tree = hand.0.accessibility().unwrap();
    let password = tree.walk().find(|n| n.identifier.as_deref() == Some("password")).unwrap();
    assert_eq!((password.kind.as_str(), password.role), ("TextField", Some(Role::SecureField)));
    assert!(password.traits.contains(&"SecureTextField".to_owned()));
    hand.sign_in();
    let tree = hand.0.accessibility().unwrap();
    let bar = tree.children.iter().find(|n| n.label.as_deref() == Some("Tab Bar")).unwrap();
    assert_eq!(bar.children.len(), 4);
    assert!(bar.children[0].selected.unwrap());
}
