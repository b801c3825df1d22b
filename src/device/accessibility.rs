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

/// What tells the roles apart that share one type.
#[derive(Default)]
pub struct Hints<'a> {
    pub subrole: String,
    pub description: String,
    pub traits: &'a [String],
}

impl Hints<'_> {
    fn is(&self, subrole: &str, trait_name: &str) -> bool {
        self.subrole.strip_prefix("AX").unwrap_or(&self.subrole) == subrole
            || self.traits.iter().any(|t| t == trait_name)
    }
}

/// Our role for a type of either backend: the small macOS vocabulary or XCUIElementType names.
pub fn role_of(kind: &str, hints: &Hints<'_>) -> Option<Role> {
    Some(match kind {
        "TextField" | "TextArea" | "TextView" | "SecureTextField" | "SearchField" | "ComboBox" => {
            if kind == "SecureTextField" || hints.is("SecureTextField", "SecureTextField") {
                Role::SecureField
            } else if kind == "SearchField" || hints.is("SearchField", "SearchField") {
                Role::SearchField
            } else {
                Role::TextField
            }
        }
        "CheckBox" | "Switch" | "Toggle" => {
            let toggles = kind != "CheckBox" || hints.is("Switch", "Toggle") || hints.description == "switch";
            if toggles { Role::Switch } else { Role::Checkbox }
        }
        "Button" | "PopUpButton" | "MenuButton" | "MenuItem" => button_role(hints).unwrap_or(Role::Button),
        "RadioButton" => {
            let tab = hints.is("TabButton", "TabButton") || hints.description.contains("tab");
            if tab { Role::Tab } else { Role::Segmented }
        }
        "Tab" => Role::Tab,
        "SegmentedControl" => Role::Segmented,
        "Slider" => Role::Slider,
        "Stepper" | "Incrementor" => Role::Stepper,
        "Cell" | "Row" | "TableRow" => Role::Cell,
        "Link" => Role::Link,
        "StaticText" | "Text" | "Heading" => Role::Text,
        "Image" | "Icon" => Role::Image,
        "Alert" => Role::Alert,
        "Sheet" => Role::Sheet,
        "Key" => Role::KeyboardKey,
        "ProgressIndicator" | "BusyIndicator" | "ActivityIndicator" => Role::Progress,
        "PageIndicator" => Role::Other,
        "GenericElement" | "Other" | "" => return trait_role(hints),
        _ => return None,
    })
}

/// What a button is more exactly.
fn button_role(hints: &Hints<'_>) -> Option<Role> {
    if hints.is("KeyboardKey", "KeyboardKey") {
        Some(Role::KeyboardKey)
    } else if hints.is("BackButton", "BackButton") || hints.description == "back button" {
        Some(Role::BackButton)
    } else if hints.is("TabButton", "TabButton") {
        Some(Role::Tab)
    } else if hints.is("Switch", "Toggle") {
        Some(Role::Switch)
    } else {
        None
    }
}

/// The role of an element that only its traits say something of.
fn trait_role(hints: &Hints<'_>) -> Option<Role> {
    let known = [
        ("SearchField", Role::SearchField),
        ("SecureTextField", Role::SecureField),
        ("TextEntry", Role::TextField),
        ("Link", Role::Link),
        ("Adjustable", Role::Slider),
        ("Button", Role::Button),
        ("Image", Role::Image),
        ("StaticText", Role::Text),
        ("Header", Role::Text),
    ];
    button_role(hints).or_else(|| {
        known.iter().find(|(name, _)| hints.traits.iter().any(|t| t == name)).map(|&(_, role)| role)
    })
}
