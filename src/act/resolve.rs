//! From a target to the marks of one observation that fit it. Pure. Uses `observe` and the types.

use crate::act::cover::cover_of;
use crate::act::{Target, TargetForm};
use crate::geometry::Rect;
use crate::mark::Mark;
use crate::observe::{Observation, contains_words, fold, reads_like};
use crate::role::Role;

/// Labels offered where none fits.
const CLOSEST: usize = 5;

/// The mark that a target means.
#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    pub form: TargetForm,
    pub mark: Mark,
}

/// Why no single mark is meant.
#[derive(Clone, Debug, PartialEq)]
pub enum Miss {
    None { closest: Vec<String> },
    Several(Vec<Mark>),
}

/// A target in the words of an error.
pub fn describe(target: &Target) -> String {
    match target {
        Target::Mark(id) => format!("mark {id}"),
        Target::StableId(id) => format!("stable id {id}"),
        Target::Point(p) => format!("({}, {})", p.x, p.y),
        Target::Label { label, role, nth, near } => {
            let mut words = format!("“{label}”");
            if let Some(role) = role {
                words = format!("{role} {words}");
            }
            if let Some(nth) = nth {
                words = format!("{words} number {nth}");
            }
            if let Some(near) = near {
                words = format!("{words} near “{near}”");
            }
            words
        }
    }
}

/// The one mark that is meant.
///
/// # Errors
/// None fits, or several do. A raw point fits no mark.
pub fn resolve(target: &Target, observation: &Observation) -> Result<Found, Miss> {
    let one = |mark: Option<&Mark>, form| {
        let found = mark.map(|mark| Found { form, mark: mark.clone() });
        found.ok_or(Miss::None { closest: Vec::new() })
    };
    match target {
        Target::Mark(id) => one(observation.mark(*id), TargetForm::Mark),
        Target::StableId(id) => one(observation.stable(id), TargetForm::StableId),
        Target::Point(_) => Err(Miss::None { closest: Vec::new() }),
        Target::Label { label, role, nth, near } => {
            by_label(observation, label, *role, *nth, near.as_deref())
        }
    }
}

fn by_label(
    observation: &Observation,
    label: &str,
    role: Option<Role>,
    nth: Option<u32>,
    near: Option<&str>,
) -> Result<Found, Miss> {
    let found = |mark: &Mark| Found { form: TargetForm::Label, mark: mark.clone() };
    let none = |label: &str| Miss::None { closest: closest_labels(observation, label) };
    let all = within_reach(fitting(observation, label, role), observation);
    if let Some(nth) = nth {
        let place = usize::try_from(nth).unwrap_or(usize::MAX).checked_sub(1);
        return place.and_then(|i| all.get(i)).map(|m| found(m)).ok_or_else(|| none(label));
    }
    let candidates = the_meant(&all);
    if let Some(near) = near {
        let anchors = fitting(observation, near, None);
        if anchors.is_empty() {
            return Err(none(near));
        }
        let distance = |mark: &Mark| {
            anchors
                .iter()
                .filter(|a| a.id != mark.id)
                .map(|a| gap(&a.frame, &mark.frame))
                .fold(f64::INFINITY, f64::min)
        };
        let nearest = candidates.iter().min_by(|a, b| distance(a).total_cmp(&distance(b)));
        return nearest.map(|m| found(m)).ok_or_else(|| none(label));
    }
    match candidates.as_slice() {
        [] => Err(none(label)),
        [only] => Ok(found(only)),
        several => Err(Miss::Several(several.iter().map(|m| (*m).clone()).collect())),
    }
}

/// All marks at the winning rank, in reading order: exact, then prefix, then part, then nearly the same spelling.
///
/// The keys of the keyboard and the status bar are only meant where nothing else fits.
pub fn fitting<'o>(observation: &'o Observation, label: &str, role: Option<Role>) -> Vec<&'o Mark> {
    let wanted = fold(label);
    let apart = |m: &Mark| m.role == Role::KeyboardKey || observation.in_status_bar(&m.frame);
    let ranked: Vec<(Rank, &Mark)> = observation
        .marks
        .iter()
        .filter(|m| role.is_none_or(|role| is_role(m.role, role)))
        .filter_map(|m| Some((rank(&wanted, m)?, m)))
        .collect();
    for of_the_app in [true, false] {
        let best = ranked.iter().filter(|(_, m)| apart(m) != of_the_app).map(|(rank, _)| *rank).min();
        if let Some(best) = best {
            let winners = ranked.iter().filter(|(rank, m)| *rank == best && apart(m) != of_the_app);
            return winners.map(|(_, m)| *m).collect();
        }
    }
    Vec::new()
}

/// What an alert, a sheet or the keyboard covers is only meant where nothing else fits as well: the act then says
/// that it is covered.
fn within_reach<'o>(all: Vec<&'o Mark>, observation: &Observation) -> Vec<&'o Mark> {
    let reached: Vec<&Mark> = all.iter().filter(|m| cover_of(m, observation).is_none()).copied().collect();
    if reached.is_empty() { all } else { reached }
}

/// Of marks with one label: where exactly one can be touched and the rest is plain text, that one; where one
/// lies in the other (a switch in its row), the inner one.
fn the_meant<'o>(all: &[&'o Mark]) -> Vec<&'o Mark> {
    let controls: Vec<&Mark> = all.iter().filter(|m| m.role.is_control()).copied().collect();
    let meant = if controls.is_empty() { all.to_vec() } else { controls };
    let holds_another = |outer: &Mark| {
        meant.iter().any(|inner| {
            inner.id != outer.id
                && inner.frame.area() < outer.frame.area()
                && outer.frame.contains(inner.frame.center())
        })
    };
    meant.iter().filter(|m| !holds_another(m)).copied().collect()
}

/// `button` also means the special buttons, `text_field` the special fields.
fn is_role(is: Role, wanted: Role) -> bool {
    is == wanted
        || match wanted {
            Role::Button => matches!(is, Role::IconButton | Role::BackButton),
            Role::TextField => is.is_field(),
            _ => false,
        }
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    Exact,
    Prefix,
    Part,
    Spelling,
}

fn rank(wanted: &str, mark: &Mark) -> Option<Rank> {
    let label = fold(&mark.label);
    if wanted.is_empty() || label.is_empty() {
        return None;
    }
    if label == wanted {
        Some(Rank::Exact)
    } else if label.starts_with(wanted) {
        Some(Rank::Prefix)
    } else if contains_words(&label, wanted) || (wanted.chars().count() >= 3 && label.contains(wanted)) {
        Some(Rank::Part)
    } else {
        let read = mark.sources.contains(&crate::mark::Source::Text);
        (read && reads_like(wanted, &label)).then_some(Rank::Spelling)
    }
}

/// The labels most like the one asked for, the likest first.
pub fn closest_labels(observation: &Observation, label: &str) -> Vec<String> {
    let wanted = fold(label);
    let mut scored: Vec<(f64, &str)> = observation
        .marks
        .iter()
        .filter(|m| !m.label.is_empty() && m.role != Role::KeyboardKey)
        .map(|m| (strsim::jaro_winkler(&wanted, &fold(&m.label)), m.label.as_str()))
        .filter(|(score, _)| *score > 0.5)
        .collect();
    scored.sort_by(|a, b| b.0.total_cmp(&a.0));
    let mut closest: Vec<String> = Vec::new();
    for (_, label) in scored {
        if closest.len() < CLOSEST && !closest.iter().any(|known| known == label) {
            closest.push(label.to_owned());
        }
    }
    closest
}

/// How far two marks are apart; beside each other counts for less than above each other.
fn gap(a: &Rect, b: &Rect) -> f64 {
    let x = (a.x.max(b.x) - a.right().min(b.right())).max(0.0);
    let y = (a.y.max(b.y) - a.bottom().min(b.bottom())).max(0.0);
    x * 0.3 + y
}

/// Which of how many marks of one role and label this is, from 1, in reading order.
pub fn place_among_equals(mark: &Mark, observation: &Observation) -> (u32, u32) {
    let label = fold(&mark.label);
    let equals: Vec<&Mark> =
        observation.marks.iter().filter(|m| m.role == mark.role && fold(&m.label) == label).collect();
    let place = equals.iter().position(|m| m.id == mark.id).unwrap_or(0);
    (place as u32 + 1, equals.len().max(1) as u32)
}
