//! What differs between two looks. Uses the types.

use std::collections::HashMap;

use crate::geometry::Rect;
use crate::mark::{Mark, MarkId};
use crate::role::Role;

use super::{Observation, ObservationId};

/// The marks of a look, kept for later comparison without its picture.
#[derive(Clone, Debug)]
pub struct Snapshot {
    pub id: ObservationId,
    pub marks: Vec<Mark>,
}

impl From<&Observation> for Snapshot {
    fn from(observation: &Observation) -> Self {
        let marks = observation.marks.iter().filter(|m| tells_of_the_app(observation, m)).cloned().collect();
        Self { id: observation.id, marks }
    }
}

/// Marks that came, went, or say something else. The clock's status bar and the keys of the keyboard are left out.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Changes {
    pub appeared: Vec<Mark>,
    pub disappeared: Vec<Mark>,
    /// As they are now: label, value, state or enabledness differs.
    pub updated: Vec<Mark>,
    /// As they are now: only their place differs.
    pub moved: Vec<Mark>,
}

impl Changes {
    pub fn between(before: &Snapshot, after: &Observation) -> Self {
        let mut old: HashMap<MarkId, &Mark> = before.marks.iter().map(|m| (m.id, m)).collect();
        let mut changes = Self::default();
        for mark in after.marks.iter().filter(|m| tells_of_the_app(after, m)) {
            match old.remove(&mark.id) {
                None => changes.appeared.push(mark.clone()),
                Some(was) if says_something_else(was, mark) => changes.updated.push(mark.clone()),
                Some(was) if is_elsewhere(&was.frame, &mark.frame) => changes.moved.push(mark.clone()),
                Some(_) => {}
            }
        }
        changes.disappeared = before.marks.iter().filter(|m| old.contains_key(&m.id)).cloned().collect();
        changes
    }

    pub fn is_empty(&self) -> bool {
        self.appeared.is_empty()
            && self.disappeared.is_empty()
            && self.updated.is_empty()
            && self.moved.is_empty()
    }
}

/// Neither the status bar's nor a key of the keyboard.
pub fn tells_of_the_app(observation: &Observation, mark: &Mark) -> bool {
    mark.role != Role::KeyboardKey && !observation.in_status_bar(&mark.frame)
}

fn says_something_else(was: &Mark, is: &Mark) -> bool {
    was.label != is.label || was.value != is.value || was.enabled != is.enabled || was.selected != is.selected
}

/// By more than a point, which is less than any scroll.
fn is_elsewhere(was: &Rect, is: &Rect) -> bool {
    let (a, b) = (was.center(), is.center());
    (a.x - b.x).abs() > 1.5 || (a.y - b.y).abs() > 1.5
}
