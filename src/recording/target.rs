//! How a stored step names its target. Uses `act`, `geometry`, `mark`, `role`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::act::{ResolvedTarget, TargetForm};
use crate::geometry::{PlainNumber, Point, Rect};
use crate::mark::StableId;
use crate::role::Role;

/// A target as recorded: enough to find it again, and to say what it was.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "TargetFile", into = "TargetFile")]
pub enum RecordedTarget {
    Mark(RecordedMark),
    /// Raw coordinates, in interface points.
    Point(Point),
}

/// A mark as it was when it was acted on.
#[derive(Clone, Debug, PartialEq)]
pub struct RecordedMark {
    /// The form the agent used; never [`TargetForm::Point`].
    pub by: TargetForm,
    pub label: String,
    pub role: Option<Role>,
    pub stable_id: Option<StableId>,
    pub identifier: Option<String>,
    /// Which of how many equals, from 1, in reading order.
    pub nth: u32,
    pub of: u32,
    /// Where it was, in interface points.
    pub frame: Option<Rect>,
}

impl From<&ResolvedTarget> for RecordedTarget {
    fn from(target: &ResolvedTarget) -> Self {
        match (&target.mark, target.form) {
            (Some(mark), by) if by != TargetForm::Point => Self::Mark(RecordedMark {
                by,
                label: mark.label.clone(),
                role: Some(mark.role),
                stable_id: Some(mark.stable_id.clone()),
                identifier: mark.identifier.clone(),
                nth: target.nth.max(1),
                of: target.of.max(1),
                frame: Some(rounded(mark.frame)),
            }),
            _ => Self::Point(Point::new(hundredths(target.point.x), hundredths(target.point.y))),
        }
    }
}

impl std::fmt::Display for RecordedTarget {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Point(p) => write!(f, "({}, {})", p.x, p.y),
            Self::Mark(mark) => mark.fmt(f),
        }
    }
}

impl std::fmt::Display for RecordedMark {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.role.map_or("mark", Role::as_str))?;
        match (&self.stable_id, self.label.is_empty()) {
            (_, false) => write!(f, " “{}”", self.label)?,
            (Some(id), true) => write!(f, " {id}")?,
            (None, true) => {}
        }
        if self.of > 1 { write!(f, " ({} of {})", self.nth, self.of) } else { Ok(()) }
    }
}

pub(super) fn hundredths(value: f64) -> f64 {
    (value * 100.0).round() / 100.0
}

pub(super) fn rounded(rect: Rect) -> Rect {
    Rect::new(hundredths(rect.x), hundredths(rect.y), hundredths(rect.width), hundredths(rect.height))
}

/// The target as it stands in the file.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct TargetFile {
    /// The form in which the target was named: mark, stable_id, label or point.
    #[schemars(with = "String")]
    by: TargetForm,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    label: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    role: Option<Role>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    stable_id: Option<StableId>,
    /// Accessibility identifier.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    identifier: Option<String>,
    /// Which of how many equals, from 1, in reading order.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    nth: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    of: Option<u32>,
    /// x, y, width and height, in interface points.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    frame: Option<[PlainNumber; 4]>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    x: Option<PlainNumber>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    y: Option<PlainNumber>,
}

impl From<RecordedTarget> for TargetFile {
    fn from(target: RecordedTarget) -> Self {
        let empty = Self {
            by: TargetForm::Point,
            label: None,
            role: None,
            stable_id: None,
            identifier: None,
            nth: None,
            of: None,
            frame: None,
            x: None,
            y: None,
        };
        match target {
            RecordedTarget::Point(p) => {
                Self { x: Some(PlainNumber(p.x)), y: Some(PlainNumber(p.y)), ..empty }
            }
            RecordedTarget::Mark(m) => Self {
                by: m.by,
                label: (!m.label.is_empty()).then_some(m.label),
                role: m.role,
                stable_id: m.stable_id,
                identifier: m.identifier,
                nth: (m.of > 1).then_some(m.nth),
                of: (m.of > 1).then_some(m.of),
                frame: m.frame.map(|f| {
                    [PlainNumber(f.x), PlainNumber(f.y), PlainNumber(f.width), PlainNumber(f.height)]
                }),
                ..empty
            },
        }
    }
}

impl TryFrom<TargetFile> for RecordedTarget {
    type Error = String;

    fn try_from(file: TargetFile) -> Result<Self, String> {
        let finite = |p: &PlainNumber| p.0.is_finite();
        if file.by == TargetForm::Point {
            return match (file.x, file.y) {
                (Some(x), Some(y)) if finite(&x) && finite(&y) => Ok(Self::Point(Point::new(x.0, y.0))),
                (Some(_), Some(_)) => Err("`x` and `y` must be finite".into()),
                _ => Err("a target `by: point` needs `x` and `y`".into()),
            };
        }
        if file.x.is_some() || file.y.is_some() {
            return Err("`x` and `y` belong to a target `by: point` only".into());
        }
        let label = file.label.unwrap_or_default();
        match file.by {
            TargetForm::Label if label.trim().is_empty() => {
                return Err("a target `by: label` needs a `label`".into());
            }
            TargetForm::Mark | TargetForm::StableId if file.stable_id.is_none() => {
                return Err("a target `by: mark` or `by: stable_id` needs a `stable_id`".into());
            }
            _ => {}
        }
        if file.frame.is_some_and(|f| !f.iter().all(finite)) {
            return Err("`frame` must be four finite numbers: x, y, width, height".into());
        }
        let nth = file.nth.unwrap_or(1);
        let of = file.of.unwrap_or(nth);
        if nth == 0 || nth > of {
            return Err(format!("`nth` is {nth} of {of}; it counts from 1 and is at most `of`"));
        }
        Ok(Self::Mark(RecordedMark {
            by: file.by,
            label,
            role: file.role,
            stable_id: file.stable_id,
            identifier: file.identifier,
            nth,
            of,
            frame: file.frame.map(|[x, y, w, h]| Rect::new(x.0, y.0, w.0, h.0)),
        }))
    }
}
