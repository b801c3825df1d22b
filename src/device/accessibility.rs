//! Accessibility trees in one shape, whoever sent them. Uses `geometry`, `role`.

use crate::geometry::Rect;
use crate::role::Role;

/// One element of an accessibility tree; every property may be missing.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AccessibilityNode {
    /// The device's own type name without prefix, such as `Button`, `StaticText`, `TextField`.
    pub kind: String,
    /// That name in our roles; `None` for groups and what we have no role for.
    pub role: Option<Role>,
    pub label: Option<String>,
    pub value: Option<String>,
    pub identifier: Option<String>,
    pub placeholder: Option<String>,
    pub enabled: Option<bool>,
    pub selected: Option<bool>,
    pub focused: Option<bool>,
    /// Interface points; `None` where an edge is missing or not finite.
    pub frame: Option<Rect>,
    pub pid: Option<u64>,
    pub traits: Vec<String>,
    pub children: Vec<AccessibilityNode>,
}

impl AccessibilityNode {
    /// This node and all below it, parents first.
    pub fn walk(&self) -> impl Iterator<Item = &AccessibilityNode> {
        let mut stack = vec![self];
        std::iter::from_fn(move || {
            let node = stack.pop()?;
            stack.extend(node.children.iter().rev());
            Some(node)
        })
    }
}
