//! What steps aim at: places instead of elements, one of several alike, places outside of the screen; and gates that
//! can't be passed. Uses the steps, `observe` marks.

use super::finding::{Findings, Rule, Spot};
use super::integrity::Shot;
use crate::act::action::SwipePath;
use crate::act::{Action, TargetForm};
use crate::geometry::Point;
use crate::observe::{Observation, fold};
use crate::recording::{RecordedMark, RecordedScreen, RecordedTarget, Recording, Side, StepBody};

/// The targets of a step, each with its key.
fn targets(body: &StepBody) -> Vec<(&'static str, &RecordedTarget)> {
    let StepBody::Act(action) = body else { return Vec::new() };
    match &**action {
        Action::Tap { target, .. } | Action::TapAndWaitKeyboard { target, .. } => vec![("target", target)],
        Action::Swipe { path: SwipePath::FromTo { from, to }, .. } => vec![("from", from), ("to", to)],
        Action::Swipe { path: SwipePath::Toward { from, .. }, .. } => {
            from.iter().map(|from| ("from", from)).collect()
        }
        Action::TypeText { into, .. } => into.iter().map(|into| ("into", into)).collect(),
        Action::ClearField { target } => target.iter().map(|target| ("target", target)).collect(),
        Action::PressKey { .. }
        | Action::DismissSheet { .. }
        | Action::WaitFor { .. }
        | Action::SetAppearance { .. }
        | Action::OpenUrl { .. } => Vec::new(),
    }
}

/// What the file alone tells.
pub(super) fn check(recording: &Recording, found: &mut Findings) {
    let screen = recording.device.screen;
    if let Err(error) = recording.gate.limits(screen.scale) {
        let fix = "see `simdrive schema recording` for the range";
        found.add(Rule::GateOptions, Spot::Key("gate".into()), error.to_string(), fix);
    }
    for (number, step) in recording.steps.iter().enumerate().map(|(i, step)| (i + 1, step)) {
        if !step.gate.is_default()
            && let Err(error) = step.gate.limits(screen.scale)
        {
            let fix = "see `simdrive schema recording` for the range";
            found.add(Rule::GateOptions, Spot::Step(number, "gate"), error.to_string(), fix);
        }
        for (key, target) in targets(&step.body) {
            let spot = Spot::Step(number, key);
            if let RecordedTarget::Point(point) = target {
                found.add(
                    Rule::RawCoordinates,
                    spot.clone(),
                    format!("it aims at ({}, {}), whatever is there", point.x, point.y),
                    "record again with the element's label or mark, so that it is found where it moves",
                );
            }
            if let RecordedTarget::Mark(RecordedMark { nth, of: of @ 2.., .. }) = target {
                found.add(
                    Rule::AmbiguousTarget,
                    spot.clone(),
                    format!("it means {target}, {nth} of {of} alike"),
                    ALIKE,
                );
            }
            if let Some(point) = aim(target)
                && !shows(screen, point)
            {
                found.add(
                    Rule::OutsideScreen,
                    spot,
                    format!(
                        "it aims at ({}, {}), outside of the screen of {}×{} points",
                        point.x, point.y, screen.width, screen.height
                    ),
                    "record again on this device, or correct `device.screen`",
                );
            }
        }
    }
}

const ALIKE: &str = "give the element a label or an identifier of its own in the app, and record again";

/// Targets that only a label names, of which the frame before the step shows several.
pub(super) fn check_alike(recording: &Recording, shot: &Shot<'_>, seen: &Observation, found: &mut Findings) {
    for (number, _) in shot.uses.iter().filter(|(_, side)| *side == Side::Before) {
        let Some(step) = recording.steps.get(number - 1) else { continue };
        for (key, target) in targets(&step.body) {
            let RecordedTarget::Mark(mark) = target else { continue };
            // a stable id tells equals apart
            if mark.of > 1 || mark.stable_id.is_some() || mark.by != TargetForm::Label {
                continue;
            }
            let label = fold(&mark.label);
            let fits = |role| mark.role.is_none_or(|wanted| wanted == role);
            let alike = seen.marks.iter().filter(|m| fits(m.role) && fold(&m.label) == label).count();
            if alike > 1 {
                let message = format!("it means {target}, and the screen shows {alike} of them");
                found.add(Rule::AmbiguousTarget, Spot::Step(*number, key), message, ALIKE);
            }
        }
    }
}

fn aim(target: &RecordedTarget) -> Option<Point> {
    match target {
        RecordedTarget::Point(point) => Some(*point),
        RecordedTarget::Mark(mark) => mark.frame.map(|frame| frame.center()),
    }
}

/// However it is held.
fn shows(screen: RecordedScreen, point: Point) -> bool {
    let within =
        |width: f64, height: f64| (0.0..=width).contains(&point.x) && (0.0..=height).contains(&point.y);
    within(screen.width, screen.height) || within(screen.height, screen.width)
}
