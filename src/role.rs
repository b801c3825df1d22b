//! What a mark is, in the words of the accessibility world. Uses nothing of this crate.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

macro_rules! roles {
    ($($variant:ident => $name:literal),* $(,)?) => {
        /// The role of a mark (design.md section 3).
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        pub enum Role {
            $(#[serde(rename = $name)] $variant,)*
        }

        impl Role {
            pub const ALL: &'static [Role] = &[$(Role::$variant),*];

            pub fn as_str(self) -> &'static str {
                match self { $(Role::$variant => $name),* }
            }
        }
    };
}

roles! {
    Button => "button",
    IconButton => "icon_button",
    TextField => "text_field",
    SecureField => "secure_field",
    SearchField => "search_field",
    Switch => "switch",
    Checkbox => "checkbox",
    Slider => "slider",
    Stepper => "stepper",
    Segmented => "segmented",
    Tab => "tab",
    Cell => "cell",
    Link => "link",
    BackButton => "back_button",
    Text => "text",
    Image => "image",
    Alert => "alert",
    Sheet => "sheet",
    KeyboardKey => "keyboard_key",
    Progress => "progress",
    Other => "other",
}

impl Role {
    /// Fields that take typed text.
    pub fn is_field(self) -> bool {
        matches!(self, Role::TextField | Role::SecureField | Role::SearchField)
    }

    /// Roles that a touch does something to.
    pub fn is_control(self) -> bool {
        !matches!(self, Role::Text | Role::Image | Role::Alert | Role::Sheet | Role::Progress | Role::Other)
    }
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// A word that is no role.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[error("`{0}` is no role")]
pub struct UnknownRole(pub String);

impl FromStr for Role {
    type Err = UnknownRole;

    fn from_str(s: &str) -> Result<Self, Self::Err> {
        let folded = s.trim().to_ascii_lowercase().replace(['-', ' '], "_");
        Role::ALL.iter().copied().find(|r| r.as_str() == folded).ok_or_else(|| UnknownRole(s.to_owned()))
    }
}
