//! From a point in a picture, or a text, to a target that can be found again. Uses `act`, `observe`.

use super::note::Subject;
use crate::act::{TargetForm, fitting};
use crate::geometry::Point;
use crate::mark::Mark;
use crate::observe::{Observation, fold};
use crate::recording::RecordedTarget;
use crate::recording::target::{RecordedMark, rounded};
use crate::recording::variables::escape;
use crate::role::Role;

/// What an act was aimed at, and the mark that it is, where it is one.
#[derive(Clone, Debug)]
pub(super) struct Aimed {
    pub target: RecordedTarget,
    pub mark: Option<Mark>,
    pub note: Option<Subject>,
}

impl Aimed {
    pub fn of(mark: &Mark, screen: &Observation) -> Self {
        Self { target: target_of(mark, screen), mark: Some(mark.clone()), note: None }
    }
}

/// What a touch at this point was meant for; `text` is what the agent called it.
pub(super) fn at(screen: &Observation, point: Point, text: Option<&str>) -> Aimed {
    let called = text.map(|text| fitting(screen, text, None)).unwrap_or_default();
    let under = |marks: &[&Mark]| -> Option<Mark> {
        let mut here: Vec<&Mark> =
            marks.iter().filter(|m| m.frame.contains(point) && is_target(m)).copied().collect();
        here.sort_by(|a, b| {
            b.role.is_control().cmp(&a.role.is_control()).then(a.frame.area().total_cmp(&b.frame.area()))
        });
        here.first().map(|mark| (*mark).clone())
    };
    let all: Vec<&Mark> = screen.marks.iter().collect();
    let raw = |why| Aimed {
        target: RecordedTarget::Point(point),
        mark: None,
        note: Some(Subject::RawPoint { why }),
    };
    match under(&called).or_else(|| under(&all)) {
        Some(mark) if matches!(mark.role, Role::Slider | Role::Stepper) => {
            raw("it is a part of a slider or stepper")
        }
        Some(mark) if mark.label.is_empty() => raw("what lies there has no text"),
        Some(mark) => Aimed::of(&mark, screen),
        None => match (&called[..], text) {
            ([only], Some(text)) => {
                Aimed { note: Some(Subject::FoundByText { text: text.into() }), ..Aimed::of(only, screen) }
            }
            _ => raw("nothing that could be named lies there"),
        },
    }
}

/// What an agent called so; a field before all else where one is to be typed into.
pub(super) fn called(screen: &Observation, text: &str, typed_into: bool) -> Option<Aimed> {
    let all = fitting(screen, text, None);
    let field = fitting(screen, text, Some(Role::TextField));
    let mark = match field.first().filter(|_| typed_into) {
        Some(field) => field,
        None => all.first()?,
    };
    Some(Aimed::of(mark, screen))
}

/// What can be touched, or reads as if it could.
fn is_target(mark: &Mark) -> bool {
    mark.role.is_control() || matches!(mark.role, Role::Text | Role::Image | Role::Other)
}

/// A mark as a recording names it: by its label. What is no control may be seen as one with the help of a tree, so
/// that its role is left open.
fn target_of(mark: &Mark, screen: &Observation) -> RecordedTarget {
    let role = mark.role.is_control().then_some(mark.role);
    let label = fold(&mark.label);
    let is_equal = |m: &&Mark| fold(&m.label) == label && role.is_none_or(|role| role == m.role);
    let equals: Vec<&Mark> = screen.marks.iter().filter(is_equal).collect();
    let nth = equals.iter().position(|m| m.id == mark.id).unwrap_or(0);
    RecordedTarget::Mark(RecordedMark {
        by: TargetForm::Label,
        label: escape(&mark.label),
        role,
        stable_id: None,
        identifier: None,
        nth: nth as u32 + 1,
        of: equals.len().max(1) as u32,
        frame: Some(rounded(mark.frame)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::Rect;
    use crate::recording::samples::{mark, screen};

    fn told(aimed: &Aimed) -> String {
        let note = aimed.note.as_ref().map_or_else(String::new, |note| format!(", {note}"));
        format!("{}{note}", aimed.target)
    }

    #[test]
    fn a_touch_is_named_by_the_smallest_control_under_it() {
        let screen = screen(
            1,
            vec![
                mark(1, Role::Cell, "Wi-Fi", Rect::new(0.0, 0.0, 100.0, 40.0)),
                mark(2, Role::Text, "Wi-Fi", Rect::new(4.0, 4.0, 20.0, 10.0)),
                mark(3, Role::Slider, "Volume", Rect::new(0.0, 40.0, 100.0, 20.0)),
                mark(4, Role::IconButton, "", Rect::new(80.0, 10.0, 10.0, 10.0)),
                mark(5, Role::Button, "Save", Rect::new(0.0, 80.0, 40.0, 20.0)),
                mark(6, Role::Button, "Save", Rect::new(50.0, 80.0, 40.0, 20.0)),
                mark(7, Role::Sheet, "All", Rect::new(0.0, 0.0, 200.0, 200.0)),
            ],
        );
        let at = |x, y, text| told(&at(&screen, Point::new(x, y), text));
        assert_eq!(at(8.0, 8.0, None), "cell “Wi-Fi”");
        assert_eq!(at(60.0, 90.0, Some("Save")), "button “Save” (2 of 2)");
        assert!(at(50.0, 50.0, None).contains("stays a raw point: it is a part of a slider"));
        assert!(at(85.0, 15.0, None).contains("has no text"));
        assert!(at(150.0, 150.0, None).contains("nothing that could be named"));
        assert!(at(150.0, 150.0, Some("Wi-Fi")).contains("nothing that could be named"), "two fit");
        assert!(at(150.0, 150.0, Some("Volume")).contains("“Volume” is meant by its text"));
    }
}
