//! What one look at the screen found. Uses the types, and how texts are compared.

use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::fuse::text::{contains_words, fold, reads_like};
use crate::frame::Frame;
use crate::geometry::{Rect, Screen};
use crate::mark::{Mark, MarkId, StableId};
use crate::role::Role;

/// Numbers the observations of a session, from 1; written `o12`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ObservationId(pub u64);

impl fmt::Display for ObservationId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "o{}", self.0)
    }
}

/// Whose alert it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum AlertOwner {
    System,
    App,
    /// Pixels alone can't tell.
    Unknown,
}

/// An alert that covers the screen.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Alert {
    pub owner: AlertOwner,
    pub title: String,
    pub message: String,
    /// Labels of its buttons, in reading order.
    pub buttons: Vec<String>,
    pub frame: Rect,
}

/// The software keyboard, where it is shown.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Keyboard {
    pub frame: Rect,
    /// What its keys type, where one of them says so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plane: Option<KeyPlane>,
}

/// What the keys of a keyboard type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum KeyPlane {
    Letters,
    Numbers,
    Symbols,
}

impl KeyPlane {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Letters => "letters",
            Self::Numbers => "numbers",
            Self::Symbols => "symbols",
        }
    }
}

/// The app in front, as far as the device says.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FrontApp {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bundle_id: Option<String>,
    pub name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pid: Option<u64>,
}

/// What stands or moves on the screen without being a target, in interface points.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Furniture {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status_bar: Option<Rect>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub home_indicator: Option<Rect>,
    /// The text caret, where it was seen.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub caret: Option<Rect>,
    /// Small places that went on moving while everything else rested: spinners, tickers.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub moving: Vec<Rect>,
}

/// An element that the tree has on the screen and the pixels don't show: something lies over it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Hidden {
    pub role: Role,
    pub label: String,
    pub frame: Rect,
}

/// How an observation was made: which sources spoke, what each cost, what was used again.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Provenance {
    /// Milliseconds the device took for pictures (settling included).
    pub capture_ms: f64,
    pub decode_ms: f64,
    pub accessibility_ms: f64,
    pub text_ms: f64,
    pub shapes_ms: f64,
    pub fuse_ms: f64,
    pub text_lines: usize,
    /// Lines whose text was taken over from an earlier frame.
    pub text_reused: usize,
    pub shapes: usize,
    pub accessibility_nodes: usize,
    /// Things worth knowing, such as an accessibility tree that was left out and why.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// One look at the screen.
#[derive(Clone, Debug)]
pub struct Observation {
    pub id: ObservationId,
    pub frame: Frame,
    pub screen: Screen,
    /// In reading order.
    pub marks: Vec<Mark>,
    pub alert: Option<Alert>,
    pub keyboard: Option<Keyboard>,
    pub app: Option<FrontApp>,
    pub furniture: Furniture,
    /// No marks: what they stand for can't be touched.
    pub hidden: Vec<Hidden>,
    /// The field that takes typed text, as far as the caret or the tree tells.
    pub focused: Option<MarkId>,
    /// Two captures alike before the time ran out.
    pub settled: bool,
    pub settle_time: Duration,
    pub provenance: Provenance,
}

impl Observation {
    pub fn mark(&self, id: MarkId) -> Option<&Mark> {
        self.marks.iter().find(|m| m.id == id)
    }

    /// Whether a place belongs to the status bar, whose clock says nothing about the app.
    pub fn in_status_bar(&self, rect: &Rect) -> bool {
        self.furniture.status_bar.is_some_and(|bar| bar.contains(rect.center()))
    }

    /// Whether a mark has this label, or one that reads like it or holds its words.
    pub fn shows(&self, label: &str) -> bool {
        let label = fold(label);
        self.marks.iter().any(|mark| {
            let own = fold(&mark.label);
            own == label || reads_like(&own, &label) || contains_words(&own, &label)
        })
    }

    pub fn stable(&self, id: &StableId) -> Option<&Mark> {
        self.marks.iter().find(|m| &m.stable_id == id)
    }
}
