//! Finds a recorded target on the screen of today (issue: `stable_id`, identifier, label and role, picture).
//! Uses `recording`, `observe`, `mark`.

use super::patch;
use crate::act::TargetForm;
use crate::frame::Frame;
use crate::geometry::Point;
use crate::mark::{Mark, smallest_at};
use crate::observe::{Observation, fold};
use crate::recording::RecordedMark;

/// What a recorded mark is today.
#[derive(Clone, Debug, PartialEq)]
pub enum Located<'a> {
    /// As recorded.
    Same(&'a Mark),
    /// By other means than the recorded ones; better than nothing, if it is allowed.
    Otherwise(Substitute<'a>),
    /// Not at all. The marks that are most like it, best first.
    Nowhere(Vec<&'a Mark>),
}

/// The best of what may have become of a target.
#[derive(Clone, Debug, PartialEq)]
pub struct Substitute<'a> {
    pub by: Means,
    pub at: Place<'a>,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Place<'a> {
    Mark(&'a Mark),
    /// Where its picture is, but no mark.
    Point(Point),
}

/// By what a target was found that is not as recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Means {
    StableId,
    Identifier,
    LabelAndRole,
    Label,
    Picture,
}

impl Means {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::StableId => "stable id",
            Self::Identifier => "identifier",
            Self::LabelAndRole => "label and role",
            Self::Label => "label",
            Self::Picture => "picture",
        }
    }
}

/// How targets are to be found.
#[derive(Clone, Copy, Debug, Default)]
pub struct Rules {
    /// The device is of another kind than the recorded one: then label and role count as the recorded form.
    pub other_kind: bool,
}

/// Looks for `target` among the marks of `screen`; `recorded` is the frame it was recorded in.
pub fn locate<'a>(
    target: &RecordedMark,
    screen: &'a Observation,
    recorded: Option<&Frame>,
    rules: Rules,
) -> Located<'a> {
    let equals: Vec<&Mark> = equals(target, screen);
    let nth = equals.get(target.nth as usize - 1).copied();
    let as_counted = nth.filter(|_| equals.len() == target.of as usize);
    let stable = target.stable_id.as_ref().and_then(|id| screen.stable(id));

    let by_label = target.by == TargetForm::Label || rules.other_kind;
    if let Some(mark) = stable.filter(|m| !by_label || fits(target, m)) {
        return Located::Same(mark);
    }
    if by_label && let Some(mark) = as_counted {
        return Located::Same(mark);
    }
    let identified = || only(screen.marks.iter().filter(|m| same_identifier(target, m)));
    let labelled = || only(screen.marks.iter().filter(|m| same_label(target, m)));
    let substitute = |by| move |mark| Substitute { by, at: Place::Mark(mark) };
    let found = stable
        .map(substitute(Means::StableId))
        .or_else(|| identified().map(substitute(Means::Identifier)))
        .or_else(|| nth.map(substitute(Means::LabelAndRole)))
        .or_else(|| labelled().map(substitute(Means::Label)))
        .or_else(|| by_picture(target, screen, recorded?));
    match found {
        Some(substitute) => Located::Otherwise(substitute),
        None => Located::Nowhere(closest(target, screen)),
    }
}

/// The marks of the same label and role, in reading order.
fn equals<'a>(target: &RecordedMark, screen: &'a Observation) -> Vec<&'a Mark> {
    screen.marks.iter().filter(|m| fits(target, m)).collect()
}

fn fits(target: &RecordedMark, mark: &Mark) -> bool {
    says_the_same(&target.label, &mark.label) && target.role.is_none_or(|role| role == mark.role)
}

fn same_label(target: &RecordedMark, mark: &Mark) -> bool {
    !target.label.is_empty() && says_the_same(&target.label, &mark.label)
}

/// Spaces and case folded. The lines of a row are joined with commas by a tree, and with spaces where they are read.
fn says_the_same(a: &str, b: &str) -> bool {
    let (a, b) = (fold(a), fold(b));
    a == b || a.replace(", ", " ") == b.replace(", ", " ")
}

fn same_identifier(target: &RecordedMark, mark: &Mark) -> bool {
    target.identifier.is_some() && target.identifier == mark.identifier
}

/// The one there is; of several, none.
fn only<'a>(mut marks: impl Iterator<Item = &'a Mark>) -> Option<&'a Mark> {
    let first = marks.next();
    if marks.next().is_none() { first } else { None }
}

fn by_picture<'a>(
    target: &RecordedMark,
    screen: &'a Observation,
    recorded: &Frame,
) -> Option<Substitute<'a>> {
    let at = patch::find(recorded, target.frame?, screen)?;
    let centre = at.center();
    let mark = smallest_at(&screen.marks, centre);
    Some(Substitute { by: Means::Picture, at: mark.map_or(Place::Point(centre), Place::Mark) })
}

/// How alike two labels must be to be worth naming.
const ALIKE: f64 = 0.3;
const NAMED: usize = 3;

fn closest<'a>(target: &RecordedMark, screen: &'a Observation) -> Vec<&'a Mark> {
    let label = fold(&target.label);
    let likeness = |mark: &Mark| {
        let role = if target.role == Some(mark.role) { 0.1 } else { 0.0 };
        strsim::normalized_damerau_levenshtein(&label, &fold(&mark.label)) + role
    };
    let mut ranked: Vec<(f64, &Mark)> =
        screen.marks.iter().filter(|m| !m.label.is_empty()).map(|m| (likeness(m), m)).collect();
    ranked.retain(|(likeness, _)| *likeness > ALIKE);
    ranked.sort_by(|a, b| b.0.total_cmp(&a.0));
    ranked.into_iter().take(NAMED).map(|(_, mark)| mark).collect()
}

/// A mark in words: `button “Sign In”`.
pub fn in_words(mark: &Mark) -> String {
    match (mark.label.is_empty(), &mark.identifier) {
        (false, _) => format!("{} “{}”", mark.role, mark.label),
        (true, Some(identifier)) => format!("{} {identifier}", mark.role),
        (true, None) => format!("{} {}", mark.role, mark.stable_id),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::Rect;
    use crate::recording::samples::{mark, screen};
    use crate::role::Role;

    fn target(by: TargetForm, label: &str, of: u32) -> RecordedMark {
        RecordedMark {
            by,
            label: label.into(),
            role: Some(Role::Button),
            stable_id: Some(crate::mark::StableId(format!("{:012x}", 7))),
            identifier: Some("go".into()),
            nth: of,
            of,
            frame: Some(Rect::new(3.0, 3.0, 12.0, 6.0)),
        }
    }

    fn button(id: u32, label: &str) -> Mark {
        mark(id, Role::Button, label, Rect::new(3.0, f64::from(id), 12.0, 6.0))
    }

    fn found(target: &RecordedMark, marks: Vec<Mark>) -> String {
        let screen = screen(1, marks);
        match locate(target, &screen, None, Rules::default()) {
            Located::Same(mark) => format!("same {}", mark.id),
            Located::Otherwise(Substitute { by, at: Place::Mark(mark) }) => {
                format!("{} {}", by.as_str(), mark.id)
            }
            Located::Otherwise(_) => "point".into(),
            Located::Nowhere(near) => near.iter().map(|m| m.label.as_str()).collect::<Vec<_>>().join("|"),
        }
    }

    #[test]
    fn a_label_counts_as_recorded_while_as_many_equals_are_there() {
        let by_label = target(TargetForm::Label, "Continue", 2);
        assert_eq!(found(&by_label, vec![button(1, "continue"), button(2, "Continue")]), "same 2");
        let one_more = vec![button(1, "Continue"), button(2, "Continue"), button(3, "Continue")];
        assert_eq!(found(&by_label, one_more), "label and role 2");
    }

    #[test]
    fn a_row_is_the_same_read_or_told_by_a_tree() {
        let read = target(TargetForm::Label, "Greeting Type your name", 1);
        assert_eq!(found(&read, vec![button(1, "Greeting, Type your name")]), "same 1");
    }

    #[test]
    fn an_id_whose_label_changed_is_not_the_recorded_label() {
        let by_label = target(TargetForm::Label, "Continue", 1);
        assert_eq!(found(&by_label, vec![button(7, "Delete")]), "stable id 7");
        assert_eq!(
            found(&target(TargetForm::StableId, "Continue", 1), vec![button(7, "Continue")]),
            "same 7"
        );
    }

    #[test]
    fn an_identifier_or_a_label_alone_is_only_a_suggestion() {
        let by_id = target(TargetForm::Mark, "Continue", 1);
        let identified = Mark { identifier: Some("go".into()), ..button(1, "Next") };
        assert_eq!(found(&by_id, vec![identified, button(2, "Other")]), "identifier 1");
        assert_eq!(found(&by_id, vec![button(1, "Continue")]), "label and role 1");
        let link = mark(3, Role::Link, "Continue", Rect::new(0.0, 0.0, 9.0, 9.0));
        assert_eq!(found(&by_id, vec![link]), "label 3");
    }

    #[test]
    fn what_is_nowhere_comes_with_the_closest_labels() {
        let gone = target(TargetForm::Label, "Continue", 1);
        assert_eq!(found(&gone, vec![button(1, "Discontinue"), button(2, "X")]), "Discontinue");
    }
}
