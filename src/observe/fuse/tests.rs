//! What a user relies on when text, shapes and a tree are brought together.

use image::{Rgba, RgbaImage};

use super::*;
use crate::device::AccessibilityNode;
use crate::geometry::{PixelSize, Size};
use crate::vision::shapes::Shape;
use crate::vision::text::TextLine;

const SCALE: f64 = 2.0;

fn pixels(rect: Rect) -> PixelRect {
    let p = |v: f64| (v * SCALE) as u32;
    PixelRect::new(p(rect.x), p(rect.y), p(rect.width), p(rect.height))
}

fn line(text: &str, rect: Rect) -> TextLine {
    TextLine {
        text: text.into(),
        rect: pixels(rect),
        confidence: 0.9,
        unread: false,
        ink: [0; 3],
        ground: [255; 3],
        reused: false,
    }
}

fn shape(role: Role, rect: Rect, label_lines: &[usize]) -> Shape {
    Shape {
        role,
        rect: pixels(rect),
        confidence: 0.8,
        label_lines: label_lines.to_vec(),
        value_lines: vec![],
        name: None,
        words: None,
        value: None,
        enabled: true,
        selected: None,
    }
}

fn node(kind: &str, role: Role, label: &str, frame: Rect) -> AccessibilityNode {
    AccessibilityNode {
        kind: kind.into(),
        role: Some(role),
        label: Some(label.into()),
        frame: Some(frame),
        enabled: Some(true),
        ..AccessibilityNode::default()
    }
}

/// A white screen of 400×800 points with ink wherever the sight has something.
fn fused(sight: &Sight, nodes: Vec<AccessibilityNode>) -> Fused {
    let mut picture = RgbaImage::from_pixel(800, 1600, Rgba([255; 4]));
    let places = sight.lines.iter().map(|l| l.rect).chain(sight.scene.shapes.iter().map(|s| s.rect));
    for place in places {
        for y in place.y..place.bottom() {
            for x in (place.x..place.right()).step_by(3) {
                picture.put_pixel(x, y, Rgba([0, 0, 0, 255]));
            }
        }
    }
    let frame = Frame::new(picture).unwrap();
    let screen = Screen::of_picture(PixelSize::new(800, 1600), SCALE);
    let root = AccessibilityNode {
        kind: "Application".into(),
        label: Some("Shop".into()),
        frame: Some(Rect::new(0.0, 0.0, 400.0, 800.0)),
        children: nodes,
        ..AccessibilityNode::default()
    };
    let tree = (!root.children.is_empty()).then_some(AccessibilityTree { root });
    assert_eq!(screen.points, Size::new(400.0, 800.0));
    fuse(&Inputs {
        frame: &frame,
        screen: &screen,
        sight,
        tree: tree.as_ref(),
        sources: Sources::default(),
        app_pid: None,
    })
}

fn sight(lines: Vec<TextLine>, shapes: Vec<Shape>) -> Sight {
    Sight { lines, scene: crate::vision::shapes::Scene { shapes, ..Default::default() }, ..Sight::default() }
}

fn told(fused: &Fused) -> Vec<(Role, &str, Option<&str>)> {
    fused.drafts.iter().map(|d| (d.role, d.label.as_str(), d.value.as_deref())).collect()
}

#[test]
fn a_line_in_a_control_is_its_label_and_no_mark_of_its_own() {
    let place = Rect::new(20.0, 100.0, 360.0, 50.0);
    let seen = sight(
        vec![
            line("Sign In", Rect::new(170.0, 115.0, 60.0, 20.0)),
            line("Welcome", Rect::new(20.0, 40.0, 90.0, 20.0)),
        ],
        vec![shape(Role::Button, place, &[0])],
    );
    assert_eq!(told(&fused(&seen, vec![])), [(Role::Text, "Welcome", None), (Role::Button, "Sign In", None)]);
}

#[test]
fn a_container_never_swallows_its_rows() {
    let rows = ["Wi-Fi", "Bluetooth", "Cellular"];
    let at = |i: usize| Rect::new(20.0, 100.0 + 50.0 * i as f64, 120.0, 20.0);
    let lines = rows.iter().enumerate().map(|(i, r)| line(r, at(i))).collect();
    let mut table =
        node("Table", Role::Other, "Wi-Fi, Bluetooth, Cellular", Rect::new(0.0, 80.0, 400.0, 300.0));
    table.role = None;
    table.children = rows.iter().enumerate().map(|(i, r)| node("StaticText", Role::Text, r, at(i))).collect();
    assert_eq!(told(&fused(&sight(lines, vec![]), vec![table])), rows.map(|r| (Role::Text, r, None)));
}

#[test]
fn the_tree_gives_role_state_and_identifier_and_the_pixels_the_words() {
    let text = Rect::new(30.0, 110.0, 60.0, 20.0);
    let frame = Rect::new(20.0, 100.0, 80.0, 44.0);
    let mut told_node = node("Button", Role::Button, "Log in", frame);
    told_node.enabled = Some(false);
    told_node.identifier = Some("login".into());
    let result = fused(&sight(vec![line("Log in", text)], vec![]), vec![told_node]);
    let draft = &result.drafts[0];
    assert_eq!((draft.role, draft.label.as_str(), draft.enabled), (Role::Button, "Log in", false));
    assert_eq!((draft.identifier.as_deref(), draft.frame), (Some("login"), frame));
    assert_eq!(draft.sources, [Source::Text, Source::Accessibility]);
}

#[test]
fn an_icon_read_as_a_letter_is_no_part_of_a_button_s_label() {
    let at = Rect::new(40.0, 300.0, 320.0, 50.0);
    for (read, nodes) in
        [("! Add to Cart", vec![]), ("8 Add to Cart", vec![node("Button", Role::Button, "Add to Cart", at)])]
    {
        let sight = sight(
            vec![line(read, Rect::new(120.0, 312.0, 140.0, 20.0))],
            vec![shape(Role::Button, at, &[0])],
        );
        let fused = fused(&sight, nodes);
        assert_eq!(told(&fused), [(Role::Button, "Add to Cart", None)], "{read}");
    }
}

#[test]
fn a_field_that_is_typed_into_is_one_whatever_is_read_in_it() {
    let at = Rect::new(16.0, 200.0, 360.0, 44.0);
    let sight =
        sight(vec![line("bobl", Rect::new(28.0, 212.0, 40.0, 20.0))], vec![shape(Role::Button, at, &[0])]);
    let field = AccessibilityNode {
        value: Some("bob".into()),
        focused: Some(true),
        ..node("TextField", Role::TextField, "Name", at)
    };
    let fused = fused(&sight, vec![field]);
    assert_eq!(fused.drafts.len(), 1);
    assert_eq!((fused.drafts[0].role, fused.drafts[0].value.as_deref()), (Role::TextField, Some("bob")));
    assert!(fused.hidden.is_empty());
}

#[test]
fn a_sign_read_off_an_icon_is_no_text_and_an_initial_is() {
    for (read, shown) in [("士", false), ("A", true)] {
        let mut sight = sight(vec![line(read, Rect::new(30.0, 330.0, 20.0, 20.0))], vec![]);
        sight.scene.icon_lines = vec![0];
        assert_eq!(!fused(&sight, vec![]).drafts.is_empty(), shown, "{read}");
    }
    let mut sight = sight(
        vec![
            line("9:41", Rect::new(40.0, 20.0, 40.0, 20.0)),
            line("三》", Rect::new(300.0, 20.0, 70.0, 16.0)),
        ],
        vec![],
    );
    sight.scene.status_bar = Some(pixels(Rect::new(0.0, 0.0, 400.0, 54.0)));
    assert_eq!(told(&fused(&sight, vec![])), [(Role::Text, "9:41", None)]);
}

#[test]
fn an_icon_takes_the_name_that_the_tree_has_for_it() {
    let place = Rect::new(340.0, 50.0, 44.0, 44.0);
    let seen = sight(vec![], vec![shape(Role::IconButton, place, &[])]);
    let result = fused(&seen, vec![node("Button", Role::Button, "Cart", place)]);
    assert_eq!(told(&result), [(Role::IconButton, "Cart", None)]);
}

#[test]
fn what_the_tree_alone_knows_is_marked_only_where_something_is_to_be_seen() {
    let seen = sight(vec![line("Title", Rect::new(20.0, 60.0, 80.0, 20.0))], vec![]);
    let nothing_there = node("Button", Role::Button, "Ghost", Rect::new(20.0, 500.0, 100.0, 44.0));
    let off_screen = node("Button", Role::Button, "Below", Rect::new(20.0, 900.0, 100.0, 44.0));
    let result = fused(&seen, vec![nothing_there, off_screen]);
    assert_eq!(told(&result), [(Role::Text, "Title", None)]);
}

#[test]
fn a_node_under_other_words_is_covered_and_left_out() {
    let place = Rect::new(20.0, 100.0, 360.0, 60.0);
    let seen = sight(vec![line("Undo the last change", Rect::new(100.0, 120.0, 180.0, 20.0))], vec![]);
    let result = fused(&seen, vec![node("Button", Role::Button, "Pay now", place)]);
    assert_eq!(told(&result), [(Role::Text, "Undo the last change", None)]);
}

#[test]
fn a_switch_says_on_and_keeps_apart_from_its_row() {
    let row = Rect::new(0.0, 100.0, 400.0, 44.0);
    let switch = Rect::new(335.0, 107.0, 51.0, 31.0);
    let seen = sight(
        vec![line("Bluetooth", Rect::new(16.0, 112.0, 90.0, 20.0))],
        vec![shape(Role::Cell, row, &[0]), shape(Role::Switch, switch, &[])],
    );
    let mut told_switch = node("CheckBox", Role::Switch, "Bluetooth", switch);
    told_switch.value = Some("1".into());
    let result = fused(&seen, vec![told_switch]);
    assert_eq!(told(&result), [(Role::Cell, "Bluetooth", None), (Role::Switch, "Bluetooth", Some("on"))]);
}

#[test]
fn a_field_holds_the_value_that_the_tree_tells() {
    let place = Rect::new(20.0, 100.0, 360.0, 44.0);
    let mut seen = sight(vec![line("ann@example.com", Rect::new(30.0, 112.0, 150.0, 20.0))], vec![]);
    seen.scene.shapes = vec![Shape { value_lines: vec![0], ..shape(Role::TextField, place, &[]) }];
    let mut field = node("TextField", Role::TextField, "Email", place);
    field.value = Some("ann@example.com".into());
    field.focused = Some(true);
    let result = fused(&seen, vec![field]);
    assert_eq!(told(&result), [(Role::TextField, "Email", Some("ann@example.com"))]);
    assert_eq!(result.focused, Some(0));
}

#[test]
fn an_alert_has_title_message_buttons_and_an_owner() {
    let place = Rect::new(65.0, 300.0, 270.0, 180.0);
    let mut seen = sight(
        vec![
            line("“Shop” Would Like to Send You", Rect::new(85.0, 320.0, 230.0, 20.0)),
            line("Notifications", Rect::new(140.0, 346.0, 120.0, 20.0)),
            line("Don’t Allow", Rect::new(90.0, 440.0, 90.0, 20.0)),
            line("Allow", Rect::new(240.0, 440.0, 50.0, 20.0)),
        ],
        vec![
            shape(Role::Button, Rect::new(65.0, 430.0, 135.0, 44.0), &[2]),
            shape(Role::Button, Rect::new(200.0, 430.0, 135.0, 44.0), &[3]),
        ],
    );
    seen.scene.alert = Some(crate::vision::shapes::AlertShape {
        rect: pixels(place),
        title_lines: vec![0, 1],
        message_lines: vec![],
        buttons: vec![0, 1],
    });
    let alert = fused(&seen, vec![]).alert.unwrap();
    assert_eq!(alert.buttons, ["Don’t Allow", "Allow"]);
    assert_eq!(alert.owner, crate::observe::AlertOwner::System);
    assert!(alert.title.starts_with("“Shop” Would Like to Send You"), "{}", alert.title);
}

#[test]
fn a_card_over_a_button_is_not_taken_for_the_button() {
    let place = Rect::new(20.0, 100.0, 360.0, 60.0);
    let seen = sight(
        vec![line("We use cookies to make this hard", Rect::new(60.0, 120.0, 280.0, 20.0))],
        vec![shape(Role::Button, place, &[0])],
    );
    let result = fused(&seen, vec![node("Button", Role::Button, "Buy Now", place)]);
    assert_eq!(told(&result), [(Role::Button, "We use cookies to make this hard", None)]);
    assert_eq!(result.hidden.iter().map(|h| h.label.as_str()).collect::<Vec<_>>(), ["Buy Now"]);
}

#[test]
fn a_row_that_the_tree_calls_a_button_is_a_cell_without_its_icon() {
    let row = Rect::new(16.0, 100.0, 368.0, 44.0);
    let seen = sight(
        vec![
            line("Long text", Rect::new(68.0, 112.0, 90.0, 20.0)),
            line("Aa", Rect::new(35.0, 114.0, 20.0, 14.0)),
        ],
        vec![shape(Role::Button, Rect::new(30.0, 107.0, 30.0, 30.0), &[1])],
    );
    let result = fused(&seen, vec![node("Button", Role::Button, "Long text", row)]);
    assert_eq!(told(&result), [(Role::Cell, "Long text", None)]);
    assert_eq!(result.drafts[0].frame, row);
}

#[test]
fn a_heading_over_a_line_is_no_field() {
    let place = Rect::new(16.0, 100.0, 368.0, 30.0);
    let words = Rect::new(16.0, 104.0, 150.0, 16.0);
    let seen = sight(vec![line("WAIT FOR IT", words)], vec![shape(Role::TextField, place, &[0])]);
    let result = fused(&seen, vec![node("Heading", Role::Text, "Wait for it", words)]);
    assert_eq!(told(&result), [(Role::Text, "WAIT FOR IT", None)]);
}
