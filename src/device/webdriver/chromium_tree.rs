//! Chromium's accessibility tree, joined with the boxes of one snapshot of the page. Uses `device::accessibility`,
//! `geometry`.

use std::collections::HashMap;

use serde_json::Value;

use crate::device::{AccessibilityNode, AccessibilityTree};
use crate::geometry::{Point, Rect, Size};
use crate::role::Role;

/// Trees are not deeper than this, or they are not read to their end.
const DEEPEST: usize = 256;

/// What of the page is seen: where it is scrolled and zoomed to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Viewport {
    /// Of the page's left top, in the page's units.
    pub origin: Point,
    /// Points a unit.
    pub zoom: f64,
    /// Points.
    pub size: Size,
}

impl Viewport {
    /// From `Page.getLayoutMetrics`.
    pub fn of(metrics: &Value) -> Option<Self> {
        let seen = &metrics["cssVisualViewport"];
        let (width, height) = (seen["clientWidth"].as_f64()?, seen["clientHeight"].as_f64()?);
        let zoom = seen["scale"].as_f64().filter(|zoom| *zoom > 0.0)?;
        let origin = Point::new(seen["pageX"].as_f64()?, seen["pageY"].as_f64()?);
        Some(Self { origin, zoom, size: Size::new(width * zoom, height * zoom) })
    }

    fn place(&self, bounds: Rect) -> Rect {
        Rect::new(
            (bounds.x - self.origin.x) * self.zoom,
            (bounds.y - self.origin.y) * self.zoom,
            bounds.width * self.zoom,
            bounds.height * self.zoom,
        )
    }
}

/// Joins `Accessibility.getFullAXTree` with `DOMSnapshot.captureSnapshot`; `None` where there is no page.
pub fn join(tree: &Value, snapshot: &Value, viewport: &Viewport) -> Option<AccessibilityTree> {
    let nodes = tree["nodes"].as_array()?;
    let page = Page {
        nodes: nodes.iter().filter_map(|node| Some((node["nodeId"].as_str()?, node))).collect(),
        elements: elements(snapshot).unwrap_or_default(),
        viewport,
    };
    let root = nodes.iter().find(|node| node.get("parentId").is_none())?;
    let mut children = Vec::new();
    page.gather(root, 0, false, &mut children);
    let root = AccessibilityNode {
        kind: "Application".to_owned(),
        label: text(&root["name"]),
        frame: Some(Rect::new(0.0, 0.0, viewport.size.width, viewport.size.height)),
        children,
        ..AccessibilityNode::default()
    };
    Some(AccessibilityTree { root })
}

/// What the snapshot tells of one element.
#[derive(Default)]
struct Element {
    bounds: Option<Rect>,
    identifier: Option<String>,
    placeholder: Option<String>,
    is_password: bool,
    is_covered: bool,
}

struct Page<'a> {
    nodes: HashMap<&'a str, &'a Value>,
    elements: HashMap<u64, Element>,
    viewport: &'a Viewport,
}

impl Page<'_> {
    /// Adds what lies below a node: what has no role of ours gives its place to its children.
    fn gather(&self, node: &Value, depth: usize, in_control: bool, into: &mut Vec<AccessibilityNode>) {
        if depth > DEEPEST {
            return;
        }
        let ids = node["childIds"].as_array().into_iter().flatten().filter_map(Value::as_str);
        for child in ids.filter_map(|id| self.nodes.get(id)) {
            let read = self.read(child).filter(|read| !(in_control && read.role == Some(Role::Text)));
            match read {
                Some(mut read) => {
                    let control = in_control || read.role.is_some_and(|role| role.is_control());
                    self.gather(child, depth + 1, control, &mut read.children);
                    into.push(read);
                }
                None => self.gather(child, depth + 1, in_control, into),
            }
        }
    }

    fn read(&self, node: &Value) -> Option<AccessibilityNode> {
        if node["ignored"].as_bool() == Some(true) {
            return None;
        }
        let kind = node["role"]["value"].as_str()?;
        let none = Element::default();
        let element =
            node["backendDOMNodeId"].as_u64().and_then(|id| self.elements.get(&id)).unwrap_or(&none);
        let role = role_of(kind, element.is_password)?;
        let property = |name: &str| {
            let all = node["properties"].as_array()?;
            all.iter().find(|property| property["name"] == name).map(|property| &property["value"]["value"])
        };
        let flag = |name: &str| property(name).and_then(as_flag);
        let value = match role {
            Role::Checkbox | Role::Switch => flag("checked").map(|on| if on { "1" } else { "0" }.to_owned()),
            _ => text(&node["value"]),
        };
        Some(AccessibilityNode {
            role: Some(role),
            label: text(&node["name"]),
            value,
            identifier: element.identifier.clone(),
            placeholder: element.placeholder.clone(),
            enabled: Some(flag("disabled") != Some(true)),
            selected: flag("selected").or_else(|| flag("pressed")),
            focused: flag("focused"),
            frame: element.bounds.filter(|_| !element.is_covered).map(|bounds| self.viewport.place(bounds)),
            kind: kind.to_owned(),
            ..AccessibilityNode::default()
        })
    }
}

/// By the browser's number of each node. Frames inside the page have trees of their own and are left out.
fn elements(snapshot: &Value) -> Option<HashMap<u64, Element>> {
    let document = snapshot["documents"].as_array()?.first()?;
    let strings = snapshot["strings"].as_array()?;
    let string = |index: &Value| strings.get(usize::try_from(index.as_u64()?).ok()?)?.as_str();
    let ids = document["nodes"]["backendNodeId"].as_array()?;
    let attributes = document["nodes"]["attributes"].as_array();
    let mut elements: Vec<Element> = ids.iter().map(|_| Element::default()).collect();
    for (element, pairs) in elements.iter_mut().zip(attributes.into_iter().flatten()) {
        let pairs: Vec<&str> = pairs.as_array().into_iter().flatten().filter_map(string).collect();
        for pair in pairs.chunks_exact(2) {
            match *pair {
                ["id", id] if !id.is_empty() => element.identifier = Some(id.to_owned()),
                ["placeholder", text] if !text.is_empty() => element.placeholder = Some(text.to_owned()),
                ["type", kind] => element.is_password = kind.eq_ignore_ascii_case("password"),
                _ => {}
            }
        }
    }
    let boxes = boxes(document, &string)?;
    for painted in &boxes {
        if let Some(element) = elements.get_mut(painted.node) {
            // a link over two lines has a box a line
            element.bounds =
                Some(element.bounds.map_or(painted.bounds, |known| union(known, painted.bounds)));
        }
    }
    cover(&mut elements, &boxes, document);
    Some(ids.iter().filter_map(Value::as_u64).zip(elements).collect())
}

/// One box of the layout.
struct Painted {
    /// Its element, as the snapshot counts.
    node: usize,
    bounds: Rect,
    /// What has a higher one lies over it.
    order: i64,
    is_opaque: bool,
}

fn boxes<'a>(document: &'a Value, string: &impl Fn(&'a Value) -> Option<&'a str>) -> Option<Vec<Painted>> {
    let layout = &document["layout"];
    let places = layout["nodeIndex"].as_array()?.iter().zip(layout["bounds"].as_array()?);
    let painted = places.enumerate().filter_map(|(i, (node, bounds))| {
        let ground = layout["styles"].get(i).and_then(|styles| string(styles.get(0)?));
        Some(Painted {
            node: usize::try_from(node.as_u64()?).ok()?,
            bounds: rect(bounds)?,
            order: layout["paintOrders"].get(i).and_then(Value::as_i64).unwrap_or_default(),
            // `rgba` has a part of transparency
            is_opaque: ground.is_some_and(|ground| ground.starts_with("rgb(")),
        })
    });
    Some(painted.collect())
}

/// Notes the elements over whose middle something opaque lies that is no part of them: the page below a page.
fn cover(elements: &mut [Element], boxes: &[Painted], document: &Value) {
    let parents: Vec<Option<usize>> = document["nodes"]["parentIndex"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|parent| parent.as_u64().and_then(|parent| usize::try_from(parent).ok()))
        .collect();
    let is_within = |inner: usize, outer: usize| {
        std::iter::successors(Some(inner), |node| parents.get(*node).copied().flatten())
            .take(DEEPEST)
            .any(|node| node == outer)
    };
    let mut order = vec![i64::MIN; elements.len()];
    for painted in boxes {
        if let Some(highest) = order.get_mut(painted.node) {
            *highest = painted.order.max(*highest);
        }
    }
    let opaque: Vec<&Painted> = boxes.iter().filter(|painted| painted.is_opaque).collect();
    for (i, element) in elements.iter_mut().enumerate() {
        let Some(middle) = element.bounds.map(|bounds| bounds.center()) else { continue };
        element.is_covered = opaque.iter().any(|over| {
            over.order > order[i]
                && over.bounds.contains(middle)
                && !is_within(over.node, i)
                && !is_within(i, over.node)
        });
    }
}

fn rect(bounds: &Value) -> Option<Rect> {
    let edge = |i: usize| bounds.get(i)?.as_f64();
    Some(Rect::new(edge(0)?, edge(1)?, edge(2)?, edge(3)?)).filter(|r| r.width > 0.0 && r.height > 0.0)
}

fn union(a: Rect, b: Rect) -> Rect {
    let (x, y) = (a.x.min(b.x), a.y.min(b.y));
    Rect::new(x, y, a.right().max(b.right()) - x, a.bottom().max(b.bottom()) - y)
}

/// Our role for one of Chromium's.
fn role_of(kind: &str, is_password: bool) -> Option<Role> {
    Some(match kind {
        "textbox" | "TextField" | "textarea" | "spinbutton" if is_password => Role::SecureField,
        "textbox" | "TextField" | "textarea" | "spinbutton" => Role::TextField,
        "searchbox" => Role::SearchField,
        "button" | "menuitem" | "combobox" | "PopUpButton" | "DisclosureTriangle" => Role::Button,
        "checkbox" | "radio" | "menuitemcheckbox" | "menuitemradio" => Role::Checkbox,
        "switch" => Role::Switch,
        "slider" => Role::Slider,
        "tab" => Role::Tab,
        "link" => Role::Link,
        "option" | "treeitem" => Role::Cell,
        "heading" | "StaticText" => Role::Text,
        "image" | "img" => Role::Image,
        "alertdialog" => Role::Alert,
        "progressbar" | "meter" => Role::Progress,
        _ => return None,
    })
}

fn text(value: &Value) -> Option<String> {
    match &value["value"] {
        Value::String(text) => Some(text.trim()).filter(|text| !text.is_empty()).map(str::to_owned),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

fn as_flag(value: &Value) -> Option<bool> {
    match value {
        Value::Bool(on) => Some(*on),
        Value::String(text) => Some(text == "true" || text == "mixed"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn boxes_of_a_scrolled_and_zoomed_page_are_where_they_are_seen() {
        let tree = json!({"nodes": [
            {"nodeId": "1", "ignored": false, "role": {"value": "RootWebArea"}, "name": {"value": "Shop"},
             "childIds": ["2"], "backendDOMNodeId": 1},
            {"nodeId": "2", "parentId": "1", "ignored": true, "role": {"value": "none"}, "childIds": ["3", "5"]},
            {"nodeId": "3", "parentId": "2", "ignored": false, "role": {"value": "link"},
             "name": {"value": "Basket"}, "childIds": ["4"], "backendDOMNodeId": 12},
            {"nodeId": "4", "parentId": "3", "ignored": false, "role": {"value": "StaticText"},
             "name": {"value": "Basket"}, "childIds": [], "backendDOMNodeId": 13},
            {"nodeId": "5", "parentId": "2", "ignored": false, "role": {"value": "textbox"},
             "name": {"value": "Password"}, "value": {"value": "••"}, "childIds": [], "backendDOMNodeId": 14,
             "properties": [{"name": "focused", "value": {"type": "boolean", "value": true}},
                            {"name": "disabled", "value": {"type": "boolean", "value": true}}]}]});
        let snapshot = json!({"strings": ["id", "password", "type"], "documents": [{
            "nodes": {"backendNodeId": [12, 14], "attributes": [[], [0, 1, 2, 1]]},
            "layout": {"nodeIndex": [0, 0, 1], "bounds": [[10, 110, 50, 20], [10, 130, 80, 20], [10, 200, 100, 40]]}}]});
        let metrics = json!({"cssVisualViewport":
            {"pageX": 0, "pageY": 100, "clientWidth": 195, "clientHeight": 422, "scale": 2}});
        let viewport = Viewport::of(&metrics).unwrap();
        let tree = join(&tree, &snapshot, &viewport).unwrap();
        assert_eq!(tree.size(), Some(Size::new(390.0, 844.0)));
        let [link, field] = &tree.root.children[..] else { panic!("{tree:?}") };
        assert_eq!((link.role, link.label.as_deref()), (Some(Role::Link), Some("Basket")));
        assert_eq!(link.frame, Some(Rect::new(20.0, 20.0, 160.0, 80.0)));
        assert!(link.children.is_empty(), "its words are its label");
        assert_eq!((field.role, field.identifier.as_deref()), (Some(Role::SecureField), Some("password")));
        assert_eq!((field.focused, field.enabled), (Some(true), Some(false)));
    }

    #[test]
    fn what_lies_under_another_page_has_no_place() {
        let tree = json!({"nodes": [
            {"nodeId": "1", "role": {"value": "RootWebArea"}, "childIds": ["2", "3"], "backendDOMNodeId": 10},
            {"nodeId": "2", "parentId": "1", "role": {"value": "link"}, "name": {"value": "Under"},
             "backendDOMNodeId": 11},
            {"nodeId": "3", "parentId": "1", "role": {"value": "link"}, "name": {"value": "Over"},
             "backendDOMNodeId": 13}]});
        // body, a link, a page over it, and in that page a link with a ground of its own inside
        let snapshot = json!({"strings": ["rgb(255, 255, 255)", "rgba(0, 0, 0, 0)"], "documents": [{
            "nodes": {"backendNodeId": [10, 11, 12, 13, 14], "parentIndex": [-1, 0, 0, 2, 3]},
            "layout": {"nodeIndex": [0, 1, 2, 3, 4], "paintOrders": [1, 2, 3, 4, 5],
                "styles": [[0], [1], [0], [1], [0]],
                "bounds": [[0, 0, 390, 844], [10, 10, 80, 20], [0, 0, 390, 844], [10, 40, 80, 20], [20, 42, 60, 16]]}}]});
        let metrics = json!({"cssVisualViewport":
            {"pageX": 0, "pageY": 0, "clientWidth": 390, "clientHeight": 844, "scale": 1}});
        let tree = join(&tree, &snapshot, &Viewport::of(&metrics).unwrap()).unwrap();
        let [under, over] = &tree.root.children[..] else { panic!("{tree:?}") };
        assert_eq!((under.frame, over.frame), (None, Some(Rect::new(10.0, 40.0, 80.0, 20.0))));
    }
}
