//! The tree of a phone, as WebDriverAgent sends it (JSON) and Appium passes it on (XML). Uses
//! `device::accessibility`, `geometry`.

use serde_json::{Map, Value};

use crate::device::accessibility::{Hints, role_of};
use crate::device::{AccessibilityNode, AccessibilityTree};
use crate::geometry::Rect;

/// What stands before every type in XML.
const PREFIX: &str = "XCUIElementType";
/// XCTest gives nothing deeper.
const DEEPEST: usize = 128;

/// The answer of `source?format=json`.
pub fn of_json(source: Value) -> Option<AccessibilityTree> {
    match source {
        Value::Object(root) => Some(AccessibilityTree { root: json_node(root, 0)? }),
        _ => None,
    }
}

fn json_node(mut element: Map<String, Value>, depth: usize) -> Option<AccessibilityNode> {
    let children = match element.remove("children") {
        Some(Value::Array(children)) if depth < DEEPEST => children,
        _ => Vec::new(),
    };
    let children = children.into_iter().filter_map(|child| match child {
        Value::Object(child) => json_node(child, depth + 1),
        _ => None,
    });
    let children = children.collect();
    let rect = element.get("rect");
    let edge = |name: &str| number(rect?.get(name)?);
    let frame = || Some(Rect::new(edge("x")?, edge("y")?, edge("width")?, edge("height")?));
    let text = |name: &str| text(element.get(name)?);
    let flag = |name: &str| text(name).map(|value| is_on(&value));
    // an element that is not shown is none; its children may be all the same
    let is_hidden = flag("isVisible") == Some(false);
    let kind = text("type").unwrap_or_default();
    Some(node(Element {
        kind,
        label: text("label"),
        // `name` is the label where there is no identifier
        identifier: text("rawIdentifier"),
        value: text("value"),
        placeholder: text("placeholderValue"),
        enabled: flag("isEnabled"),
        focused: flag("isFocused"),
        selected: flag("isSelected"),
        traits: traits(text("traits")),
        frame: frame().filter(|_| !is_hidden),
        pid: None,
        children,
    }))
}

/// The answer of `source`: XML of XCUIElementType elements.
///
/// # Errors
/// What is no XML.
pub fn of_xml(source: &str) -> Result<Option<AccessibilityTree>, String> {
    let options = roxmltree::ParsingOptions { nodes_limit: 100_000, ..Default::default() };
    let document = roxmltree::Document::parse_with_options(source, options).map_err(|e| e.to_string())?;
    let root = document.descendants().find(|n| n.tag_name().name().starts_with(PREFIX));
    Ok(root.map(|root| AccessibilityTree { root: xml_node(root, 0) }))
}

fn xml_node(element: roxmltree::Node<'_, '_>, depth: usize) -> AccessibilityNode {
    let children = element.children().filter(|child| child.is_element() && depth < DEEPEST);
    let children = children.map(|child| xml_node(child, depth + 1)).collect();
    let text = |name: &str| element.attribute(name).filter(|v| !v.is_empty()).map(str::to_owned);
    let edge = |name: &str| element.attribute(name)?.parse::<f64>().ok();
    let frame = || Some(Rect::new(edge("x")?, edge("y")?, edge("width")?, edge("height")?));
    let flag = |name: &str| element.attribute(name).map(is_on);
    let name = element.tag_name().name();
    let label = text("label");
    node(Element {
        kind: name.strip_prefix(PREFIX).unwrap_or(name).to_owned(),
        identifier: text("name").filter(|name| Some(name) != label.as_ref()),
        label,
        value: text("value"),
        placeholder: text("placeholderValue"),
        enabled: flag("enabled"),
        focused: flag("focused"),
        selected: flag("selected"),
        traits: traits(text("traits")),
        frame: frame().filter(|_| flag("visible") != Some(false)),
        pid: text("processId").and_then(|pid| pid.parse().ok()),
        children,
    })
}

/// One element before its role is known.
struct Element {
    kind: String,
    label: Option<String>,
    value: Option<String>,
    identifier: Option<String>,
    placeholder: Option<String>,
    enabled: Option<bool>,
    focused: Option<bool>,
    selected: Option<bool>,
    traits: Vec<String>,
    frame: Option<Rect>,
    pid: Option<u64>,
    children: Vec<AccessibilityNode>,
}

fn node(element: Element) -> AccessibilityNode {
    let selected =
        element.selected.or_else(|| element.traits.iter().any(|t| t == "Selected").then_some(true));
    let role = role_of(&element.kind, &Hints { traits: &element.traits, ..Hints::default() });
    let sound = |frame: &Rect| {
        let edges = [frame.x, frame.y, frame.width, frame.height];
        edges.iter().all(|edge| edge.is_finite()) && frame.width >= 0.0 && frame.height >= 0.0
    };
    AccessibilityNode {
        role,
        kind: element.kind,
        label: element.label,
        value: element.value,
        identifier: element.identifier,
        placeholder: element.placeholder,
        enabled: element.enabled,
        selected,
        focused: element.focused,
        frame: element.frame.filter(sound),
        pid: element.pid,
        traits: element.traits,
        children: element.children,
    }
}

/// `Button, Selected`.
fn traits(listed: Option<String>) -> Vec<String> {
    let listed = listed.unwrap_or_default();
    listed.split(',').map(str::trim).filter(|name| !name.is_empty()).map(str::to_owned).collect()
}

fn text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) if !text.is_empty() => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(on) => Some(if *on { "1" } else { "0" }.to_owned()),
        _ => None,
    }
}

fn number(value: &Value) -> Option<f64> {
    value.as_f64().or_else(|| value.as_str()?.parse().ok())
}

fn is_on(value: &str) -> bool {
    matches!(value, "1" | "true" | "YES" | "yes")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::role::Role;

    #[test]
    fn json_and_xml_of_one_screen_are_one_tree() {
        let json = of_json(json!({"type": "Application", "label": "Notes", "isEnabled": "1",
            "rect": {"x": 0, "y": 0, "width": 393, "height": 852}, "children": [
            {"type": "Button", "rawIdentifier": "done", "name": "done", "label": "Done", "isEnabled": "0",
             "isVisible": "1", "rect": {"x": 300, "y": 60, "width": 60, "height": 44}, "children": []},
            {"type": "SecureTextField", "label": "Password", "value": "••", "placeholderValue": "Password",
             "rect": {"x": 16, "y": 200, "width": 300, "height": 40}}]}))
        .unwrap();
        let xml = of_xml(
            r#"<?xml version="1.0"?><AppiumAUT><XCUIElementTypeApplication label="Notes" x="0" y="0"
             width="393" height="852" enabled="true"><XCUIElementTypeButton name="done" label="Done" x="300" y="60"
             width="60" height="44" enabled="false" visible="true"/><XCUIElementTypeSecureTextField
             label="Password" value="••" placeholderValue="Password" x="16" y="200" width="300" height="40"/>
             </XCUIElementTypeApplication></AppiumAUT>"#,
        )
        .unwrap()
        .unwrap();
        assert_eq!(
            xml,
            AccessibilityTree { root: AccessibilityNode { enabled: Some(true), ..json.root.clone() } }
        );
        let [done, password] = &json.root.children[..] else { panic!("{json:?}") };
        assert_eq!(
            (done.role, done.enabled, done.identifier.as_deref()),
            (Some(Role::Button), Some(false), Some("done"))
        );
        assert_eq!(
            (password.role, password.placeholder.as_deref()),
            (Some(Role::SecureField), Some("Password"))
        );
        assert!(
            of_xml("<a").is_err() && of_xml("<html/>").unwrap().is_none() && of_json(json!("x")).is_none()
        );
    }

    #[test]
    fn what_is_not_shown_has_no_place() {
        let tree = of_json(json!({"type": "Button", "label": "Gone", "isVisible": "0",
            "rect": {"x": 0, "y": 0, "width": 10, "height": 10}}))
        .unwrap();
        assert_eq!(tree.root.frame, None);
    }
}
