//! Reads an accessibility tree for what it can add, and notices one that can't be believed.
//! Uses `device::accessibility`, `vision::text` and the types.

use crate::device::{AccessibilityNode, AccessibilityTree};
use crate::geometry::{Rect, Screen, Size};
use crate::role::Role;
use crate::vision::text::TextLine;

use super::text::{contains_words, fold, reads_like};

/// The smallest extent a visible element has, in points.
const SMALLEST: f64 = 4.0;

/// The nodes worth joining to marks: on the screen, with a role of ours, containers left out.
///
/// # Errors
/// A sentence that says why this tree is not merged.
pub fn believable<'a>(
    tree: &'a AccessibilityTree,
    screen: &Screen,
    lines: &[TextLine],
) -> Result<Vec<&'a AccessibilityNode>, String> {
    let root = tree.size();
    if let Some(size) = root
        && !same_size(size, screen.points)
    {
        return Err(format!(
            "the accessibility tree is laid out in {}×{} points, the screen in {}×{}: it was not merged",
            size.width, size.height, screen.points.width, screen.points.height
        ));
    }
    let bounds = Rect::new(0.0, 0.0, screen.points.width, screen.points.height);
    let nodes: Vec<_> = tree.root.walk().skip(1).filter(|node| is_element(node, &bounds)).collect();
    if nodes.is_empty() {
        return Err("the accessibility tree is empty".into());
    }
    if !fits(&nodes, screen, lines) {
        return Err("the accessibility tree does not fit the picture (stale, or another app's): \
                    it was not merged"
            .into());
    }
    Ok(nodes)
}

fn same_size(a: Size, b: Size) -> bool {
    (a.width - b.width).abs() <= 1.0 && (a.height - b.height).abs() <= 1.0
}

fn is_element(node: &AccessibilityNode, bounds: &Rect) -> bool {
    let Some(frame) = node.frame else { return false };
    let holds_others = !node.children.is_empty() && matches!(node.role, None | Some(Role::Other));
    node.role.is_some()
        && !holds_others
        && !matches!(node.kind.as_str(), "Application" | "Window")
        && frame.intersection(bounds).is_some_and(|seen| seen.width >= SMALLEST && seen.height >= SMALLEST)
}

/// Whether what the tree says stands where it is seen. A tree of icons only can't be checked and is believed.
fn fits(nodes: &[&AccessibilityNode], screen: &Screen, lines: &[TextLine]) -> bool {
    let read: Vec<(Rect, String)> =
        lines.iter().filter(|l| !l.unread).map(|l| (screen.to_points(l.rect), fold(&l.text))).collect();
    let (mut labelled, mut over_text, mut agreeing) = (0, 0, 0);
    for node in nodes {
        let (Some(frame), Some(label)) = (node.frame, node.label.as_deref().map(fold)) else { continue };
        if label.chars().count() < 3 || node.role == Some(Role::KeyboardKey) {
            continue;
        }
        labelled += 1;
        let value = node.value.as_deref().map(fold).unwrap_or_default();
        let over: Vec<_> = read.iter().filter(|(place, _)| frame.contains(place.center())).collect();
        over_text += usize::from(!over.is_empty());
        agreeing += usize::from(over.iter().any(|(_, text)| agree(&label, text) || agree(&value, text)));
    }
    let contradicted = over_text >= 3 && agreeing * 3 < over_text;
    let elsewhere = over_text == 0 && labelled >= 4 && read.len() >= 4;
    !contradicted && !elsewhere
}

/// Whether a label and a text read at its place are about the same thing; both folded.
pub fn agree(label: &str, text: &str) -> bool {
    reads_like(label, text) || contains_words(label, text) || contains_words(text, label)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::{PixelRect, PixelSize};

    fn screen() -> Screen {
        Screen::of_picture(PixelSize::new(1179, 2556), 3.0)
    }

    fn node(label: &str, y: f64) -> AccessibilityNode {
        AccessibilityNode {
            kind: "StaticText".into(),
            role: Some(Role::Text),
            label: Some(label.into()),
            frame: Some(Rect::new(16.0, y, 300.0, 24.0)),
            ..AccessibilityNode::default()
        }
    }

    fn tree(root: Size, children: Vec<AccessibilityNode>) -> AccessibilityTree {
        AccessibilityTree {
            root: AccessibilityNode {
                kind: "Application".into(),
                frame: Some(Rect::new(0.0, 0.0, root.width, root.height)),
                children,
                ..AccessibilityNode::default()
            },
        }
    }

    fn line(text: &str, y: f64) -> TextLine {
        TextLine {
            text: text.into(),
            rect: PixelRect::new(48, (y * 3.0) as u32 + 9, 300, 50),
            confidence: 0.9,
            unread: false,
            ink: [0; 3],
            ground: [255; 3],
            reused: false,
        }
    }

    #[test]
    fn a_tree_that_says_what_is_seen_is_believed() {
        let rows = ["Wi-Fi", "Bluetooth", "Cellular", "Battery"];
        let at = |i: usize| 100.0 + 50.0 * i as f64;
        let nodes = rows.iter().enumerate().map(|(i, r)| node(r, at(i))).collect();
        let lines: Vec<_> = rows.iter().enumerate().map(|(i, r)| line(r, at(i))).collect();
        assert_eq!(believable(&tree(screen().points, nodes), &screen(), &lines).unwrap().len(), 4);
    }

    #[test]
    fn a_stale_tree_is_not_believed() {
        let at = |i: usize| 100.0 + 50.0 * i as f64;
        let nodes = ["Wi-Fi", "Bluetooth", "Cellular", "Battery"]
            .iter()
            .enumerate()
            .map(|(i, r)| node(r, at(i)))
            .collect();
        let lines: Vec<_> = ["Email", "Password", "Sign In", "Help"]
            .iter()
            .enumerate()
            .map(|(i, r)| line(r, at(i)))
            .collect();
        let refused = believable(&tree(screen().points, nodes), &screen(), &lines).unwrap_err();
        assert!(refused.contains("does not fit"), "{refused}");
    }

    #[test]
    fn another_coordinate_space_and_an_empty_tree_are_said() {
        let turned = tree(Size::new(852.0, 393.0), vec![node("Wi-Fi", 100.0)]);
        assert!(believable(&turned, &screen(), &[]).unwrap_err().contains("852×393"));
        assert!(believable(&tree(screen().points, vec![]), &screen(), &[]).unwrap_err().contains("empty"));
    }
}
