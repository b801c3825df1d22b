//! From a recorded action to one that is aimed at the marks of today. Uses `locate`, `recording`, `act`.

use super::locate::{Located, Place, Rules, in_words, locate};
use super::outcome::StepVerdict;
use super::runner::{Attempt, Progress, Runner};
use super::stage::Refusal;
use crate::act::action::TypedText;
use crate::act::{Action, Target, TargetForm};
use crate::code::ErrorCode;
use crate::frame::Frame;
use crate::geometry::Rect;
use crate::mark::Mark;
use crate::observe::{Observation, fold};
use crate::recording::{RecordedMark, RecordedTarget, map_texts};

impl Runner<'_> {
    pub(super) fn expand(&self, text: &str) -> Result<String, Refusal> {
        let file = self.loaded.file().display().to_string();
        Ok(self.options.variables.expand(text, &file)?)
    }

    /// The action aimed at the marks of today, or `None` where a target is missing, which is noted.
    pub(super) fn aimed(
        &self,
        action: &Action<RecordedTarget>,
        seen: &Observation,
        recorded: Option<&Frame>,
        progress: &mut Progress,
        attempt: &mut Attempt,
    ) -> Result<Option<Action>, Refusal> {
        let action = map_texts(action.clone(), |text| self.expand(&text))?;
        let aimed = action.map_targets(|target| self.aim(&target, seen, recorded, progress, attempt));
        match aimed {
            Ok(action) => Ok(Some(self.with_secret(action)?)),
            Err(Missed::Missing) => Ok(None),
            Err(Missed::Refused(refusal)) => Err(refusal),
        }
    }

    fn aim(
        &self,
        was: &RecordedTarget,
        seen: &Observation,
        recorded: Option<&Frame>,
        progress: &mut Progress,
        attempt: &mut Attempt,
    ) -> Result<Target, Missed> {
        let mark = match was {
            RecordedTarget::Point(point) => return Ok(Target::Point(*point)),
            RecordedTarget::Mark(mark) => mark,
        };
        let label = self.expand(&mark.label).map_err(Missed::Refused)?;
        let mark = RecordedMark { label, ..mark.clone() };
        let report = &mut progress.report;
        match locate(&mark, seen, recorded, Rules { other_kind: self.other_kind }) {
            Located::Same(found) => {
                report.targets.push(found.frame);
                Ok(Target::Mark(found.id))
            }
            Located::Otherwise(substitute) => {
                let by = substitute.by.as_str();
                let (target, place, what) = match substitute.at {
                    Place::Mark(found) => (Target::Mark(found.id), found.frame, in_words(found)),
                    Place::Point(p) => {
                        (Target::Point(p), Rect::new(p.x, p.y, 0.0, 0.0), format!("({:.0}, {:.0})", p.x, p.y))
                    }
                };
                if !self.options.heal {
                    report.verdict = StepVerdict::Missing;
                    report.code = Some(ErrorCode::TargetNotFound);
                    report.message = Some(format!("{mark} is not there as recorded"));
                    report.suggestion =
                        Some(format!("it may be {what}, found by {by}; --heal goes on with it"));
                    return Err(Missed::Missing);
                }
                if matches!(report.verdict, StepVerdict::Passed | StepVerdict::Ungated) {
                    report.verdict = StepVerdict::Healed;
                }
                report.message = Some(format!("{mark} was healed: {what}, found by {by}"));
                report.targets.push(place);
                if self.options.update
                    && let Place::Mark(found) = substitute.at
                {
                    let now = self.found_today(found, mark.by, seen);
                    attempt.pending.propose_target(report.step, was.clone(), RecordedTarget::Mark(now));
                }
                Ok(target)
            }
            Located::Nowhere(near) => {
                report.verdict = StepVerdict::Missing;
                report.code = Some(ErrorCode::TargetNotFound);
                report.message = Some(format!("{mark} is not on the screen"));
                report.suggestion = closest_words(&near);
                Err(Missed::Missing)
            }
        }
    }

    /// A secret that was given with `--var` is typed as text; one of the environment is left to the act.
    fn with_secret(&self, action: Action) -> Result<Action, Refusal> {
        match action {
            Action::TypeText { text: TypedText::Secret(name), into, clear_first, submit }
                if self.options.variables.is_given(&name) =>
            {
                let text = TypedText::Text(self.options.variables.get(&name).unwrap_or_default());
                Ok(Action::TypeText { text, into, clear_first, submit })
            }
            action => Ok(action),
        }
    }

    /// A mark as it would be recorded today.
    fn found_today(&self, mark: &Mark, by: TargetForm, screen: &Observation) -> RecordedMark {
        let equals: Vec<&Mark> = screen
            .marks
            .iter()
            .filter(|m| m.role == mark.role && fold(&m.label) == fold(&mark.label))
            .collect();
        let nth = equals.iter().position(|m| m.id == mark.id).map_or(1, |i| i as u32 + 1);
        RecordedMark {
            by,
            label: self.secrets.written(&mark.label),
            role: Some(mark.role),
            stable_id: Some(mark.stable_id.clone()),
            identifier: mark.identifier.clone(),
            nth,
            of: equals.len().max(1) as u32,
            frame: Some(mark.frame),
        }
    }
}

/// Why an action can't be aimed.
enum Missed {
    /// Which the step's report says.
    Missing,
    Refused(Refusal),
}

fn closest_words(near: &[&Mark]) -> Option<String> {
    (!near.is_empty())
        .then(|| format!("most like it: {}", near.iter().map(|m| in_words(m)).collect::<Vec<_>>().join(", ")))
}
