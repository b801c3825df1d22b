//! What lies over a mark, so that a touch would not reach it. Pure. Uses `observe` and the types.

use crate::geometry::Rect;
use crate::mark::Mark;
use crate::observe::{Observation, fold};
use crate::role::Role;

/// What lies over a target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cover {
    Alert,
    Sheet,
    Keyboard,
    /// Something else: the accessibility tree has the element, the pixels show another thing.
    Other,
}

impl std::fmt::Display for Cover {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Alert => "an alert",
            Self::Sheet => "a sheet",
            Self::Keyboard => "the keyboard",
            Self::Other => "something else",
        })
    }
}

/// What lies over a mark's middle, if anything does.
pub(super) fn cover_of(mark: &Mark, now: &Observation) -> Option<Cover> {
    cover_at(&mark.frame, mark.role, now)
}

/// What lies over an element that the tree has and the pixels don't show.
pub(super) fn cover_of_hidden(label: &str, role: Option<Role>, now: &Observation) -> Option<Cover> {
    let wanted = fold(label);
    let hidden =
        now.hidden.iter().filter(|_| !wanted.is_empty()).find(|h| {
            fold(&h.label) == wanted && role.is_none_or(|r| r.is_control() == h.role.is_control())
        })?;
    Some(cover_at(&hidden.frame, hidden.role, now).unwrap_or(Cover::Other))
}

fn cover_at(frame: &Rect, role: Role, now: &Observation) -> Option<Cover> {
    let center = frame.center();
    if now.alert.as_ref().is_some_and(|alert| !alert.frame.contains(center)) {
        return Some(Cover::Alert);
    }
    let sheet = now.marks.iter().find(|m| m.role == Role::Sheet);
    if role != Role::Sheet && sheet.is_some_and(|sheet| !sheet.frame.contains(center)) {
        return Some(Cover::Sheet);
    }
    let keyboard = now.keyboard.as_ref().filter(|_| role != Role::KeyboardKey);
    keyboard.is_some_and(|k| k.frame.contains(center)).then_some(Cover::Keyboard)
}
