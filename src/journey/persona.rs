//! Who goes on a journey. Uses how `recording` reads YAML.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::error::{parse, text_of};
use super::{JourneyError, Result};

/// A person to act as. What is not known here is left alone, as the original does.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Persona {
    /// a-z, 0-9, `_` and `-`.
    pub slug: String,
    pub name: String,
    /// What they are, such as `nurse on night shift`.
    pub role: String,
    #[serde(default)]
    pub technical_comfort: Comfort,
    #[serde(default)]
    pub patience: Patience,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub goals: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub frustrations: Vec<String>,
    /// `large_text`, `voice_over`, `reduce_motion`, `high_contrast`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub accessibility_needs: BTreeMap<String, bool>,
    #[serde(default = "english")]
    pub locale: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub notes: Option<String>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Comfort {
    Novice,
    #[default]
    Intermediate,
    Advanced,
    Expert,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Patience {
    Low,
    #[default]
    Medium,
    High,
}

fn english() -> String {
    "en-US".into()
}

fn is_slug(slug: &str) -> bool {
    !slug.is_empty()
        && slug.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b"-_".contains(&b))
}

impl Persona {
    /// # Errors
    /// The file can't be read, or is no persona.
    pub fn read(path: &Path) -> Result<Self> {
        let persona: Self = parse(path, &text_of(path)?)?;
        if !is_slug(&persona.slug) {
            let message = format!("`slug` is `{}`; use a-z, 0-9, `_` and `-`", persona.slug);
            return Err(JourneyError::new(path, None, message));
        }
        Ok(persona)
    }

    /// The one of this name in `personas` beside a journey, or beside the journey's folder; nothing where none is.
    pub(super) fn named(slug: &str, journey: &Path) -> Result<Option<Self>> {
        if !is_slug(slug) {
            let message = format!("`persona` is `{slug}`; use a-z, 0-9, `_` and `-`");
            return Err(JourneyError::new(journey, None, message));
        }
        let folder = journey.parent().unwrap_or(Path::new("."));
        let file = |beside: PathBuf| beside.join("personas").join(format!("{slug}.yaml"));
        let places = [file(folder.to_owned()), file(folder.join("..")), file(PathBuf::from(".simdrive"))];
        places.iter().find(|place| place.is_file()).map(|place| Self::read(place)).transpose()
    }

    /// In words for an agent.
    pub fn told(&self) -> String {
        let level = |level: &dyn std::fmt::Debug| format!("{level:?}").to_lowercase();
        let mut told = format!(
            "{}, {}: technical comfort {}, patience {}, locale {}",
            self.name,
            self.role,
            level(&self.technical_comfort),
            level(&self.patience),
            self.locale
        );
        let needs: Vec<&str> =
            self.accessibility_needs.iter().filter(|(_, needed)| **needed).map(|(n, _)| n.as_str()).collect();
        for (what, items) in [
            ("wants", self.goals.join("; ")),
            ("is bothered by", self.frustrations.join("; ")),
            ("needs", needs.join(", ")),
            ("note", self.notes.clone().unwrap_or_default()),
        ] {
            if !items.is_empty() {
                told += &format!("\n  {what}: {items}");
            }
        }
        told
    }
}
