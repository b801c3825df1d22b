//! The accessibility tree as a companion's JSON (idb.md 3). Uses `device::accessibility`, `role`.

use std::borrow::Cow;
use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::device::AccessibilityNode;
use crate::device::idb::protocol::companion::accessibility_info_request::Format;
use crate::geometry::{Point, Rect, Size};
use crate::role::Role;

/// The whole screen: a flat list, a list with one root, or an envelope with the elements.
pub fn screen(root: &AccessibilityNode, format: Format, size: Size) -> Value {
    match format {
        Format::Legacy => root.walk().map(flat).collect(),
        Format::Nested => json!([nested(root)]),
        Format::Complete => complete(root.walk().map(clean).collect(), json!({"kind": "frontmost"}), size),
    }
}

/// The innermost element at a point, or null.
pub fn element_at(root: &AccessibilityNode, at: Point, format: Format, size: Size) -> Value {
    let hit = hit(root, at);
    match format {
        Format::Legacy => hit.map_or(Value::Null, flat),
        Format::Nested => hit.map_or(Value::Null, nested),
        Format::Complete => {
            let target = json!({"kind": "point", "x": at.x, "y": at.y});
            complete(hit.map(clean).into_iter().collect(), target, size)
        }
    }
}

/// Later siblings lie over earlier ones.
fn hit(node: &AccessibilityNode, at: Point) -> Option<&AccessibilityNode> {
    if let Some(inner) = node.children.iter().rev().find_map(|child| hit(child, at)) {
        return Some(inner);
    }
    node.frame.is_some_and(|frame| frame.contains(at)).then_some(node)
}

fn flat(node: &AccessibilityNode) -> Value {
    let words = Words::of(node);
    json!({
        "AXFrame": node.frame.map(|f| format!("{{{{{}, {}}}, {{{}, {}}}}}", f.x, f.y, f.width, f.height)),
        "AXLabel": node.label,
        "AXUniqueId": node.identifier,
        "AXValue": node.value,
        "content_required": false,
        "custom_actions": [],
        "enabled": node.enabled.unwrap_or(true),
        "frame": node.frame.map(frame),
        "help": null,
        "pid": node.pid,
        "role": format!("AX{}", words.kind),
        "role_description": words.description,
        "subrole": words.subrole,
        "title": null,
        "traits": words.traits,
        "type": words.kind,
    })
}

fn nested(node: &AccessibilityNode) -> Value {
    let mut element = flat(node);
    element["children"] = node.children.iter().map(nested).collect();
    element
}

/// The names of the COMPLETE form.
fn clean(node: &AccessibilityNode) -> Value {
    let words = Words::of(node);
    json!({
        "custom_actions": [],
        "enabled": node.enabled.unwrap_or(true),
        "focused": node.focused.unwrap_or(false),
        "frame": node.frame.map(frame),
        "identifier": node.identifier,
        "label": node.label,
        "pid": node.pid,
        "placeholder": node.placeholder,
        "role_description": words.description,
        "subrole": words.subrole,
        "traits": words.traits,
        "type": words.kind,
        "value": node.value,
    })
}

fn complete(elements: Vec<Value>, target: Value, size: Size) -> Value {
    json!({
        "backend": "ax",
        "truncated": false,
        "target": target,
        "screen": {"width": size.width, "height": size.height, "coordinate_space": "screen"},
        "modal": null,
        "automation": {"enabled": true, "asserted": false},
        "coverage": null,
        "profile": null,
        "elements": elements,
    })
}

fn frame(rect: Rect) -> Value {
    json!({"x": rect.x, "y": rect.y, "width": rect.width, "height": rect.height})
}

/// How the default backend calls an element: a small vocabulary, told apart by subrole and traits.
struct Words<'a> {
    kind: &'a str,
    subrole: Option<&'static str>,
    description: Cow<'static, str>,
    traits: Vec<&'a str>,
}

impl<'a> Words<'a> {
    fn of(node: &'a AccessibilityNode) -> Self {
        let (kind, subrole, description, traits): (&'a str, Option<&str>, &'static str, &[&str]) = match node
            .role
        {
            Some(Role::Button | Role::IconButton | Role::Cell) => ("Button", None, "button", &["Button"]),
            Some(Role::BackButton) => ("Button", None, "back button", &["BackButton", "Button"]),
            Some(Role::KeyboardKey) => ("Button", None, "button", &["KeyboardKey"]),
            Some(Role::TextField) => ("TextField", None, "text field", &["TextEntry"]),
            Some(Role::SecureField) => {
                ("TextField", Some("AXSecureTextField"), "secure text field", &["SecureTextField"])
            }
            Some(Role::SearchField) => {
                ("TextField", Some("AXSearchField"), "search text field", &["SearchField"])
            }
            Some(Role::Switch) => ("CheckBox", Some("AXSwitch"), "switch", &["Button", "Toggle"]),
            Some(Role::Checkbox) => ("CheckBox", None, "check box", &["Button"]),
            Some(Role::Slider) => ("Slider", None, "slider", &["Adjustable"]),
            Some(Role::Stepper) => ("Incrementor", None, "stepper", &["Adjustable"]),
            Some(Role::Segmented) => ("RadioButton", None, "radio button", &["Button"]),
            Some(Role::Tab) => ("RadioButton", Some("AXTabButton"), "tab", &["Button", "TabButton"]),
            Some(Role::Link) => ("Link", None, "link", &["Link"]),
            Some(Role::Text) if node.kind == "Heading" => {
                ("Heading", None, "heading", &["Header", "StaticText"])
            }
            Some(Role::Text) => ("StaticText", None, "text", &["StaticText"]),
            Some(Role::Image) => ("Image", None, "image", &["Image"]),
            Some(Role::Alert) => ("Group", None, "alert", &["Alert"]),
            Some(Role::Sheet) => ("Sheet", None, "sheet", &[]),
            Some(Role::Progress) => ("ProgressIndicator", None, "progress indicator", &["UpdatesFrequently"]),
            Some(Role::Other) => ("GenericElement", None, "element", &[]),
            None if node.kind.is_empty() => ("Group", None, "group", &[]),
            None => (&node.kind, None, "", &[]),
        };
        let states = [
            ("Selected", node.selected == Some(true)),
            ("NotEnabled", node.enabled == Some(false)),
            ("IsEditing", node.focused == Some(true)),
        ];
        let mut all: BTreeSet<&str> = traits.iter().copied().collect();
        all.extend(node.traits.iter().map(String::as_str));
        all.extend(states.iter().filter(|(_, holds)| *holds).map(|(name, _)| *name));
        let traits = if all.is_empty() { vec!["None"] } else { all.into_iter().collect() };
        let description = match description {
            "" => Cow::Owned(kind.to_lowercase()),
            known => Cow::Borrowed(known),
        };
        Self { kind, subrole, description, traits }
    }
}
