//! A mark: one thing on the screen that can be named, and acted on. Uses `geometry`, `role`.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::geometry::{Point, Rect};
use crate::role::Role;

/// The small number shown on the picture; never given to another element within a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct MarkId(pub u32);

impl fmt::Display for MarkId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// 12 hex digits that name an element by role, label and owner, not by place (design.md section 3).
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct StableId(pub String);

impl fmt::Display for StableId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Where a mark comes from.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Source {
    Text,
    Shape,
    Accessibility,
}

/// One thing on the screen.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Mark {
    pub id: MarkId,
    pub stable_id: StableId,
    pub role: Role,
    /// What it says; empty where nothing could be read.
    pub label: String,
    /// The content of a field, the state of a switch (`on`, `off`), the place of a slider.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
    /// In interface points.
    pub frame: Rect,
    pub enabled: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub selected: Option<bool>,
    /// Accessibility identifier, where the device gives one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub identifier: Option<String>,
    /// 0 to 1.
    pub confidence: f32,
    /// Sorted, without repeats, never empty.
    pub sources: Vec<Source>,
    /// There is text here in a script that the model can't read; then `label` is empty.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub text_unread: bool,
}

/// The smallest of those that hold a point: what a touch there means.
pub fn smallest_at(marks: &[Mark], point: Point) -> Option<&Mark> {
    let here = marks.iter().filter(|mark| mark.frame.contains(point));
    here.min_by(|a, b| a.frame.area().total_cmp(&b.frame.area()))
}
