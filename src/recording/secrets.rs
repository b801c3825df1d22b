//! What must not be written, and where it shows: the same for the recorder and for what a replay writes.
//! Uses `observe`, `act`, `vision` masks.

use super::variables::escape;
use super::{Recording, StepBody, Variables};
use crate::act::action::TypedText;
use crate::act::{ActOutcome, Action};
use crate::geometry::Rect;
use crate::mark::{Mark, StableId};
use crate::observe::Observation;
use crate::role::Role;
use crate::vision::mask::Mask;

/// Shorter values are too common to be looked for in other texts.
const MIN_SEARCHED: usize = 3;
/// A field at nearly the same place is taken for the same field.
const SAME_PLACE: f64 = 0.7;

/// The secrets that were typed, and the fields that hold them.
#[derive(Default)]
pub struct Secrets {
    /// Name and value.
    known: Vec<(String, String)>,
    fields: Vec<SecretField>,
}

struct SecretField {
    stable_id: StableId,
    identifier: Option<String>,
    frame: Rect,
}

impl SecretField {
    fn is(&self, mark: &Mark) -> bool {
        self.stable_id == mark.stable_id
            || (self.identifier.is_some() && self.identifier == mark.identifier)
            || (mark.role.is_field() && overlap(&self.frame, &mark.frame) > SAME_PLACE)
    }
}

impl Secrets {
    /// Those that a recording will type; their values as far as they are known.
    pub fn of(recording: &Recording, variables: &Variables) -> Self {
        let mut secrets = Self::default();
        for step in &recording.steps {
            if let StepBody::Act(action) = &step.body
                && let Action::TypeText { text: TypedText::Secret(name), .. } = &**action
                && let Some(value) = variables.get(name)
            {
                secrets.learn_value(name, value);
            }
        }
        secrets
    }

    /// From now on this value is looked for wherever something is written.
    pub fn learn_value(&mut self, name: &str, value: String) {
        if value.len() >= MIN_SEARCHED && !self.known.iter().any(|(_, known)| *known == value) {
            self.known.push((name.to_owned(), value));
            // a value that holds another one must be found first
            self.known.sort_by_key(|(_, value)| std::cmp::Reverse(value.len()));
        }
    }

    /// From now on the fields that a secret was typed into are hidden wherever they are seen.
    pub fn learn_fields(&mut self, typed: &ActOutcome) {
        typed_into(typed).into_iter().for_each(|field| self.learn_field(field));
    }

    pub(super) fn learn_field(&mut self, mark: &Mark) {
        if !self.fields.iter().any(|f| f.is(mark)) {
            self.fields.push(SecretField {
                stable_id: mark.stable_id.clone(),
                identifier: mark.identifier.clone(),
                frame: mark.frame,
            });
        }
    }

    /// What has to be painted over on this screen, in points.
    pub fn places(&self, screen: &Observation) -> Vec<Rect> {
        screen.marks.iter().filter(|m| self.hides(m)).map(|m| m.frame).collect()
    }

    fn hides(&self, mark: &Mark) -> bool {
        mark.role == Role::SecureField
            || self.fields.iter().any(|f| f.is(mark))
            || self.shows(&mark.label)
            || mark.value.as_deref().is_some_and(|v| self.shows(v))
    }

    /// Whether a text holds a secret's value.
    pub fn shows(&self, text: &str) -> bool {
        self.known.iter().any(|(_, value)| text.contains(value.as_str()))
    }

    /// The text as people may read it: values as `${NAME}`.
    pub fn veiled(&self, text: &str) -> String {
        self.known.iter().fold(text.to_owned(), |text, (name, value)| {
            text.replace(value.as_str(), &format!("${{{name}}}"))
        })
    }

    /// The text as it may be written in a recording: values as `${NAME}`, everything else so that it reads back unchanged.
    pub fn written(&self, text: &str) -> String {
        let Some((name, value)) = self.known.iter().find(|(_, value)| text.contains(value.as_str())) else {
            return escape(text);
        };
        let parts: Vec<String> = text.split(value.as_str()).map(|part| self.written(part)).collect();
        parts.join(&format!("${{{name}}}"))
    }
}

/// Intersection over union.
fn overlap(a: &Rect, b: &Rect) -> f64 {
    let common = a.intersection(b).map_or(0.0, |r| r.area());
    common / (a.area() + b.area() - common).max(f64::EPSILON)
}

/// The fields that a text went into, as far as that can be known; all fields where it can't.
pub(super) fn typed_into(outcome: &ActOutcome) -> Vec<&Mark> {
    if let Some(field) = outcome.targets.first().and_then(|t| t.mark.as_ref()) {
        return vec![field];
    }
    if let Some(field) = outcome.before.focused.and_then(|id| outcome.before.mark(id)) {
        return vec![field];
    }
    let fields = |marks: &'_ [Mark]| marks.iter().filter(|m| m.role.is_field()).cloned().collect::<Vec<_>>();
    let updated = fields(&outcome.updated);
    let meant = |m: &&Mark| updated.is_empty() || updated.iter().any(|u| u.id == m.id);
    let screens = outcome.before.marks.iter().chain(&outcome.after.marks);
    screens.filter(|m| m.role.is_field()).filter(meant).collect()
}

/// Masks over what is painted over, in whole points outwards.
pub fn masks_over(hidden: Vec<Rect>) -> Vec<Mask> {
    let mut masks = Vec::new();
    for rect in hidden {
        let (x, y) = (rect.x.floor().max(0.0), rect.y.floor().max(0.0));
        let mask = Mask::Rect(Rect::new(x, y, rect.right().ceil() - x, rect.bottom().ceil() - y));
        if !masks.contains(&mask) {
            masks.push(mask);
        }
    }
    masks
}

/// A variable's name made from a field's label: `Password` becomes `PASSWORD`.
pub(super) fn variable_for(label: &str) -> String {
    let name: String = label
        .split(|c: char| !c.is_ascii_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_ascii_uppercase)
        .collect::<Vec<_>>()
        .join("_");
    if super::variables::is_name(&name) { name } else { "SECRET".into() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_written_by_name_and_the_rest_reads_back() {
        let mut secrets = Secrets::default();
        secrets.learn_value("PW", "hunter2".into());
        secrets.learn_value("LONG", "hunter2-and-more".into());
        assert_eq!(secrets.written("is hunter2, or hunter2-and-more ${x}"), "is ${PW}, or ${LONG} $${x}");
        assert!(secrets.shows("xhunter2x") && !secrets.shows("hunter"));
        assert_eq!(secrets.veiled("is hunter2, or hunter2-and-more ${x}"), "is ${PW}, or ${LONG} ${x}");
    }

    #[test]
    fn names_are_made_of_labels() {
        assert_eq!(variable_for("Card number (CVC)"), "CARD_NUMBER_CVC");
        assert_eq!(variable_for("••••"), "SECRET");
        assert_eq!(variable_for("2nd"), "SECRET");
    }
}
