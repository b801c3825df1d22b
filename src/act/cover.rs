//! What lies over a mark, so that a touch would not reach it. Pure. Uses `observe` and the types.

use crate::mark::Mark;
use crate::observe::Observation;
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
    let center = mark.frame.center();
    if now.alert.as_ref().is_some_and(|alert| !alert.frame.contains(center)) {
        return Some(Cover::Alert);
    }
    let sheet = now.marks.iter().find(|m| m.role == Role::Sheet);
    if mark.role != Role::Sheet && sheet.is_some_and(|sheet| !sheet.frame.contains(center)) {
        return Some(Cover::Sheet);
    }
    let keyboard = now.keyboard.as_ref().filter(|_| mark.role != Role::KeyboardKey);
    keyboard.is_some_and(|k| k.frame.contains(center)).then_some(Cover::Keyboard)
}
