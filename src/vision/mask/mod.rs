//! What a gate leaves out: by name, label, role, content or place; and where that lies in two frames.
//! Uses `vision::shapes`, `vision::text` lines and the types.

mod caret;
mod content;
mod locate;
mod parse;

use std::fmt;

use schemars::JsonSchema;
use serde::de::value::MapAccessDeserializer;
use serde::de::{Error, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::geometry::{PlainNumber, Rect};
use crate::role::Role;
pub use content::{BadPattern, Content, ContentKind, Pattern};
pub use locate::{LocateError, Located, Observed, ReadText, Side, locate, rectangles};
pub use parse::{MaskError, from_arguments};

/// Things on a screen that can be masked by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum NamedMask {
    StatusBar,
    Caret,
    ScrollIndicator,
    HomeIndicator,
    Keyboard,
}

impl NamedMask {
    pub const ALL: [Self; 5] =
        [Self::StatusBar, Self::Caret, Self::ScrollIndicator, Self::HomeIndicator, Self::Keyboard];

    /// Masked unless told otherwise, where they are found.
    pub const DEFAULT: [Self; 4] = [Self::StatusBar, Self::Caret, Self::ScrollIndicator, Self::HomeIndicator];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::StatusBar => "status-bar",
            Self::Caret => "caret",
            Self::ScrollIndicator => "scroll-indicator",
            Self::HomeIndicator => "home-indicator",
            Self::Keyboard => "keyboard",
        }
    }
}

/// The masks that hold where nothing else is said, and `masks` with them.
pub fn with_defaults(masks: &[Mask]) -> Vec<Mask> {
    let mut all: Vec<Mask> = NamedMask::DEFAULT.into_iter().map(Mask::Named).collect();
    for mask in masks {
        if !all.contains(mask) {
            all.push(mask.clone());
        }
    }
    all
}

/// Something that the gate does not look at. In YAML a bare string is a named mask.
#[derive(Clone, Debug, PartialEq)]
pub enum Mask {
    Named(NamedMask),
    Label(String),
    Role(Role),
    Content(Content),
    /// Interface points.
    Rect(Rect),
}

/// As on a command line.
impl fmt::Display for Mask {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Named(name) => f.write_str(name.as_str()),
            Self::Label(label) => write!(f, "label={label}"),
            Self::Role(role) => write!(f, "role={role}"),
            Self::Content(Content { kind, matching: None }) => write!(f, "content={}", kind.as_str()),
            Self::Content(Content { kind, matching: Some(pattern) }) => {
                write!(f, "content={}:{}", kind.as_str(), pattern.as_str())
            }
            Self::Rect(r) => write!(f, "{},{},{},{}", r.x, r.y, r.width, r.height),
        }
    }
}

/// The forms that are mappings.
#[derive(Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
struct MaskKeys {
    /// A named mask; in YAML its name may stand alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<NamedMask>,
    #[serde(skip_serializing_if = "Option::is_none")]
    label: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    role: Option<Role>,
    #[serde(skip_serializing_if = "Option::is_none")]
    content: Option<ContentKind>,
    /// With `content`: only lines that match this regular expression.
    #[serde(skip_serializing_if = "Option::is_none")]
    matching: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    x: Option<PlainNumber>,
    #[serde(skip_serializing_if = "Option::is_none")]
    y: Option<PlainNumber>,
    #[serde(skip_serializing_if = "Option::is_none")]
    width: Option<PlainNumber>,
    #[serde(skip_serializing_if = "Option::is_none")]
    height: Option<PlainNumber>,
}

const FORMS: &str = "a mask is a name, or exactly one of {name}, {label}, {role}, {content, matching?} and {x, y, width, height}";

impl MaskKeys {
    fn mask(self) -> Result<Mask, String> {
        let rect = match (self.x, self.y, self.width, self.height) {
            (None, None, None, None) => None,
            (Some(x), Some(y), Some(width), Some(height)) => {
                let rect = Rect::new(x.0, y.0, width.0, height.0);
                let sound = [rect.x, rect.y, rect.width, rect.height].iter().all(|v| v.is_finite());
                if !sound || rect.area() <= 0.0 {
                    return Err(
                        "a mask's rectangle needs finite numbers and a width and height above 0".into()
                    );
                }
                Some(Mask::Rect(rect))
            }
            _ => return Err("a mask's rectangle needs all of `x`, `y`, `width` and `height`".into()),
        };
        let matching = self.matching.map(|text| text.parse::<Pattern>()).transpose();
        let matching = matching.map_err(|e| e.to_string())?;
        if matching.is_some() && self.content.is_none() {
            return Err("`matching` narrows `content`, which is missing".into());
        }
        let mut forms = [
            self.name.map(Mask::Named),
            self.label.map(Mask::Label),
            self.role.map(Mask::Role),
            self.content.map(|kind| Mask::Content(Content { kind, matching })),
            rect,
        ]
        .into_iter()
        .flatten();
        match (forms.next(), forms.next()) {
            (Some(mask), None) => Ok(mask),
            _ => Err(FORMS.into()),
        }
    }
}

impl Serialize for Mask {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let none = MaskKeys::default();
        let keys = match self {
            Self::Named(name) => return name.serialize(serializer),
            Self::Label(label) => MaskKeys { label: Some(label.clone()), ..none },
            Self::Role(role) => MaskKeys { role: Some(*role), ..none },
            Self::Content(content) => MaskKeys {
                content: Some(content.kind),
                matching: content.matching.as_ref().map(|pattern| pattern.as_str().to_owned()),
                ..none
            },
            Self::Rect(r) => MaskKeys {
                x: Some(PlainNumber(r.x)),
                y: Some(PlainNumber(r.y)),
                width: Some(PlainNumber(r.width)),
                height: Some(PlainNumber(r.height)),
                ..none
            },
        };
        keys.serialize(serializer)
    }
}

// an untagged enum would buffer the keys, lose their line, and read a key `y` as a YAML boolean
impl<'de> Deserialize<'de> for Mask {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Forms;

        impl<'de> Visitor<'de> for Forms {
            type Value = Mask;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(FORMS)
            }

            fn visit_str<E: Error>(self, name: &str) -> Result<Mask, E> {
                let known = NamedMask::ALL.into_iter().find(|known| known.as_str() == name);
                const NAMES: &[&str] =
                    &["status-bar", "caret", "scroll-indicator", "home-indicator", "keyboard"];
                known.map(Mask::Named).ok_or_else(|| E::unknown_variant(name, NAMES))
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Mask, A::Error> {
                MaskKeys::deserialize(MapAccessDeserializer::new(map))?.mask().map_err(A::Error::custom)
            }
        }

        deserializer.deserialize_any(Forms)
    }
}

impl JsonSchema for Mask {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Mask".into()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        let mut schema = MaskKeys::json_schema(generator);
        schema.insert("type".into(), serde_json::json!(["string", "object"]));
        schema.insert("description".into(), FORMS.into());
        schema
    }
}
