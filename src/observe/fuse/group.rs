//! Boxes that hold several controls, as the tree knows them: a list in one frame, a table without rules.
//! Uses `device::accessibility` and the types.

use crate::device::AccessibilityNode;
use crate::geometry::Rect;
use crate::role::Role;

use super::Draft;
use super::text::{contains_words, fold};

/// Takes out what was taken for one control because several stand in one box: the box's words are theirs.
pub fn part(drafts: &mut Vec<Draft>, nodes: &[&AccessibilityNode]) {
    drafts.retain(|draft| !draft.role.is_control() || draft.role.is_field() || held(draft, nodes) < 2);
}

/// How many controls of the tree stand in a box apart from each other, each with words of its label.
fn held(draft: &Draft, nodes: &[&AccessibilityNode]) -> usize {
    let label = draft.folded();
    let mut places: Vec<Rect> = Vec::new();
    for node in nodes {
        let (Some(frame), Some(name)) = (node.frame, node.label.as_deref().map(fold)) else { continue };
        let is_control = node.role.is_some_and(|role| role.is_control() && role != Role::KeyboardKey);
        let is_apart =
            || places.iter().all(|place| place.intersection(&frame).is_none_or(|c| c.area() < 1.0));
        let fills = frame.area() * 8.0 > draft.frame.area() && frame.area() * 1.5 < draft.frame.area();
        let is_inside = draft.frame.contains(frame.center()) && fills;
        if is_control && is_inside && !name.is_empty() && contains_words(&label, &name) && is_apart() {
            places.push(frame);
        }
    }
    places.len()
}
