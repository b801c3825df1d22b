//! Reads a companion's accessibility JSON, leniently. Uses `device::accessibility`, `geometry`, `role`.
//!
//! Companions differ by version and backend: every key may be missing or null, a value may be a string, a
//! number or a bool, an edge of a frame may be null, types and keys may be unknown. Three shapes are read:
//! LEGACY (a flat list, root first), NESTED (a list with one root) and COMPLETE (an object with `elements`).

use serde_json::{Map, Value};

use crate::device::accessibility::{Hints, role_of};
use crate::device::{AccessibilityNode, AccessibilityTree};
use crate::geometry::Rect;

/// The tree in a companion's answer; `None` where it holds no element.
///
/// # Errors
/// Text that is no JSON, or nested deeper than any companion answers.
pub fn read_tree(json: &str) -> Result<Option<AccessibilityTree>, serde_json::Error> {
    let mut nodes = match serde_json::from_str(json)? {
        Value::Object(mut envelope) => match envelope.remove("elements") {
            Some(Value::Array(elements)) => read_nodes(elements),
            _ => vec![read_node(envelope)],
        },
        Value::Array(elements) => read_nodes(elements),
        _ => Vec::new(),
    };
    if nodes.is_empty() {
        return Ok(None);
    }
    // the application holds the others; a list without one gets an unnamed root
    let root = match nodes.iter().position(|node| node.kind == "Application") {
        Some(place) => {
            let mut root = nodes.remove(place);
            root.children.append(&mut nodes);
            root
        }
        None if nodes.len() == 1 => nodes.remove(0),
        None => AccessibilityNode { children: nodes, ..AccessibilityNode::default() },
    };
    Ok(Some(AccessibilityTree { root }))
}

fn read_nodes(elements: Vec<Value>) -> Vec<AccessibilityNode> {
    elements
        .into_iter()
        .filter_map(|element| match element {
            Value::Object(properties) => Some(read_node(properties)),
            _ => None,
        })
        .collect()
}

fn read_node(mut properties: Map<String, Value>) -> AccessibilityNode {
    let children = match properties.remove("children") {
        Some(Value::Array(children)) => read_nodes(children),
        _ => Vec::new(),
    };
    let text = |keys: &[&str]| keys.iter().find_map(|key| as_text(properties.get(*key)?));
    let flag = |key: &str| as_flag(properties.get(key)?);
    let has_traits = matches!(properties.get("traits"), Some(Value::Array(_)));
    let traits: Vec<String> = match properties.get("traits") {
        Some(Value::Array(traits)) => traits.iter().filter_map(as_text).collect(),
        _ => Vec::new(),
    };
    let trait_is = |name: &str| traits.iter().any(|t| t == name);
    let kind = text(&["type", "role"]).unwrap_or_default();
    let kind = kind.strip_prefix("AX").unwrap_or(&kind).to_owned();
    let hints = Hints {
        subrole: text(&["subrole"]).unwrap_or_default(),
        description: text(&["role_description"]).unwrap_or_default(),
        traits: &traits,
    };
    AccessibilityNode {
        role: role_of(&kind, &hints),
        label: text(&["AXLabel", "label", "title"]),
        value: text(&["AXValue", "value"]),
        identifier: text(&["AXUniqueId", "identifier"]),
        placeholder: text(&["placeholder"]),
        enabled: if trait_is("NotEnabled") { Some(false) } else { flag("enabled") },
        selected: flag("selected").or(has_traits.then(|| trait_is("Selected"))),
        focused: flag("focused").or(trait_is("IsEditing").then_some(true)),
        frame: frame_of(&properties),
        pid: properties.get("pid").and_then(as_number).filter(|pid| *pid >= 1.0).map(|pid| pid as u64),
        kind,
        traits,
        children,
    }
}

fn frame_of(properties: &Map<String, Value>) -> Option<Rect> {
    let edges = match (properties.get("frame"), properties.get("AXFrame")) {
        (Some(Value::Object(frame)), _) => {
            let edge = |key: &str| as_number(frame.get(key)?);
            [edge("x")?, edge("y")?, edge("width")?, edge("height")?]
        }
        (_, Some(Value::String(frame))) => edges_of(frame)?,
        _ => return None,
    };
    let [x, y, width, height] = edges;
    let sound = edges.iter().all(|edge| edge.is_finite()) && width >= 0.0 && height >= 0.0;
    sound.then(|| Rect::new(x, y, width, height))
}

/// Reads `{{x, y}, {w, h}}`.
fn edges_of(frame: &str) -> Option<[f64; 4]> {
    let numbers: Vec<f64> = frame
        .split(|c: char| matches!(c, '{' | '}' | ',') || c.is_whitespace())
        .filter(|part| !part.is_empty())
        .map(|part| part.parse().ok())
        .collect::<Option<_>>()?;
    numbers.try_into().ok()
}

fn as_text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) if !text.is_empty() => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(on) => Some(if *on { "1" } else { "0" }.to_owned()),
        _ => None,
    }
}

fn as_number(value: &Value) -> Option<f64> {
    match value {
        Value::Number(number) => number.as_f64(),
        Value::String(text) => text.trim().parse().ok(),
        _ => None,
    }
}

fn as_flag(value: &Value) -> Option<bool> {
    match value {
        Value::Bool(on) => Some(*on),
        Value::Number(number) => number.as_f64().map(|n| n != 0.0),
        Value::String(text) => match text.to_ascii_lowercase().as_str() {
            "1" | "true" | "yes" => Some(true),
            "0" | "false" | "no" => Some(false),
            _ => None,
        },
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::role::Role;

    fn tree(json: &str) -> AccessibilityTree {
        read_tree(json).unwrap().unwrap()
    }

    #[test]
    fn a_flat_list_hangs_below_its_application() {
        let tree = tree(
            r#"[{"AXLabel":"Notes Demo","AXFrame":"{{0, 0}, {393, 852}}","AXValue":null,"AXUniqueId":null,
              "type":"Application","title":null,"frame":{"x":0,"y":0,"width":393,"height":852},"help":null,
              "enabled":true,"custom_actions":[],"role":"AXApplication","role_description":"application",
              "subrole":null,"content_required":false,"pid":5121,"traits":null},
             {"AXLabel":"Sync","AXFrame":"{{314, 120.5}, {51, 31}}","AXValue":"1","AXUniqueId":"sync.toggle",
              "type":"CheckBox","title":null,"frame":{"x":314,"y":120.5,"width":51,"height":31},
              "help":"Turns sync on","enabled":true,"custom_actions":["Undo"],"role":"AXCheckBox",
              "role_description":"switch","subrole":"AXSwitch","content_required":false,"pid":5121,
              "traits":["Button","Toggle"]}]"#,
        );
        assert_eq!(tree.size().unwrap().width, 393.0);
        let sync = &tree.root.children[0];
        assert_eq!(sync.role, Some(Role::Switch));
        assert_eq!((sync.label.as_deref(), sync.value.as_deref()), (Some("Sync"), Some("1")));
        assert_eq!(sync.identifier.as_deref(), Some("sync.toggle"));
        assert_eq!(sync.frame, Some(Rect::new(314.0, 120.5, 51.0, 31.0)));
        assert_eq!((sync.enabled, sync.selected, sync.pid), (Some(true), Some(false), Some(5121)));
    }

    #[test]
    fn a_nested_tree_keeps_its_shape() {
        let tree = tree(
            r#"[{"type":"Application","frame":{"x":0,"y":0,"width":393,"height":852},"children":[
               {"type":"Group","AXLabel":"Toolbar","frame":{"x":0,"y":59,"width":393,"height":52},"children":[
               {"type":"Button","AXLabel":"Back","frame":{"x":8,"y":63,"width":60,"height":44},
                "traits":["BackButton","Button"],"children":[]}]}]}]"#,
        );
        let toolbar = &tree.root.children[0];
        assert_eq!((toolbar.role, toolbar.kind.as_str()), (None, "Group"));
        assert_eq!(toolbar.children[0].role, Some(Role::BackButton));
        assert_eq!(tree.root.walk().count(), 3);
    }

    #[test]
    fn the_complete_form_is_read_by_its_own_names() {
        let tree = tree(
            r#"{"backend":"ax","truncated":false,"screen":{"width":393,"height":852},"elements":[
               {"type":"Button","label":"Back","identifier":"b","frame":{"x":8,"y":63,"width":60,"height":44},
                "enabled":true},{"type":"StaticText","label":"Hi"}]}"#,
        );
        assert_eq!(tree.root.kind, "");
        assert_eq!(tree.root.children[0].identifier.as_deref(), Some("b"));
        assert_eq!(tree.root.children[1].role, Some(Role::Text));
    }

    #[test]
    fn odd_values_lose_only_themselves() {
        let tree = tree(
            r#"[{"type":"Application","frame":{"x":0,"y":null,"width":1,"height":1}},
               {"role":"AXTextField","subrole":"AXSecureTextField","AXLabel":7,"AXValue":true,"enabled":"0",
                "frame":{"x":"1","y":2,"width":3.5,"height":"4"},"pid":"12","traits":"None","unheard":{"of":[]}},
               {"type":"Hologram","AXFrame":"{{1, 2}, {3, 4}}","enabled":1},
               {"AXFrame":"{{1, inf}, {3, 4}}","traits":["SearchField"]},
               {"type":"Button","AXFrame":"nonsense","children":null},
               "noise", null, 5, {}]"#,
        );
        assert_eq!(tree.size(), None);
        let [field, hologram, search, button, empty] = &tree.root.children[..] else {
            panic!("{:?}", tree.root.children)
        };
        assert_eq!(field.role, Some(Role::SecureField));
        assert_eq!((field.label.as_deref(), field.value.as_deref()), (Some("7"), Some("1")));
        assert_eq!((field.enabled, field.pid, field.selected), (Some(false), Some(12), None));
        assert_eq!(field.frame, Some(Rect::new(1.0, 2.0, 3.5, 4.0)));
        assert_eq!((hologram.role, hologram.kind.as_str()), (None, "Hologram"));
        assert_eq!(hologram.frame, Some(Rect::new(1.0, 2.0, 3.0, 4.0)));
        assert_eq!((search.role, search.frame), (Some(Role::SearchField), None));
        assert_eq!(button.frame, None);
        assert_eq!(*empty, AccessibilityNode::default());
    }

    #[test]
    fn no_element_is_no_tree_and_no_json_an_error() {
        assert_eq!(read_tree("[]").unwrap(), None);
        assert_eq!(read_tree("null").unwrap(), None);
        assert!(read_tree("(AX) not ready").is_err());
        let deep = format!("{}1{}", r#"[{"children":"#.repeat(5_000), "}]".repeat(5_000));
        assert!(read_tree(&deep).is_err());
    }
}
