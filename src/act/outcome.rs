//! What an act found, did, and changed. Uses `observe` and the types.

use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::act::Action;
use crate::geometry::Point;
use crate::mark::Mark;
use crate::observe::Observation;

/// The form in which a target was named.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TargetForm {
    Mark,
    StableId,
    Label,
    Point,
}

/// A target as it was found on the screen the moment before the touch.
#[derive(Clone, Debug, PartialEq)]
pub struct ResolvedTarget {
    pub form: TargetForm,
    /// `None` for a raw point.
    pub mark: Option<Mark>,
    /// Where the touch went, in interface points.
    pub point: Point,
    /// Which of how many equals (same role and label) it is, from 1, in reading order.
    pub nth: u32,
    pub of: u32,
    /// How far it had moved since the last observation, in points.
    pub moved_by: Option<(f64, f64)>,
}

/// Whether anything on the screen changed. Never a plain success where nothing happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Effect {
    Changed,
    NoneObserved,
}

/// The honest answer to an act.
#[derive(Clone, Debug)]
pub struct ActOutcome {
    /// As asked.
    pub action: Action,
    /// In the order in which [`Action::map_targets`] visits them.
    pub targets: Vec<ResolvedTarget>,
    pub effect: Effect,
    /// The fresh look that the target was validated in.
    pub before: Arc<Observation>,
    /// The settled look afterwards.
    pub after: Arc<Observation>,
    pub appeared: Vec<Mark>,
    pub disappeared: Vec<Mark>,
    /// Marks of `after` whose value, state or enabledness differs.
    pub updated: Vec<Mark>,
    pub settle_time: Duration,
    /// Such as `typed by the pasteboard` or `read back as "…"`.
    pub notes: Vec<String>,
}
