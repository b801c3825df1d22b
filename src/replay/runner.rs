//! Replays one recording on a device that stands at its start: gate, find, act, settle, step by step.
//! Uses `recording`, `act`, and this folder's gate.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::gate::{Gate, Passage};
use super::locate::{Located, Place, Rules, in_words, locate};
use super::options::{OnDrift, ReplayOptions};
use super::outcome::{StepReport, StepVerdict};
use super::stage::{Refusal, Stage};
use super::{pictures, words};
use crate::act::action::TypedText;
use crate::act::{Action, Target, TargetForm};
use crate::code::ErrorCode;
use crate::frame::Frame;
use crate::geometry::{PixelRect, Rect};
use crate::mark::Mark;
use crate::observe::{Observation, contains_words, fold, reads_like};
use crate::recording::{
    Check, FrameName, Loaded, Pending, Place as FilePlace, RecordedMark, RecordedTarget, RecordingError,
    Side, Step, StepBody, map_texts,
};
use crate::role::Role;
use crate::vision::mask::Mask;

/// Between two looks for what is not there yet.
const BETWEEN_LOOKS: Duration = Duration::from_millis(200);
/// How long targets are looked for once the screen is as recorded.
const UNTIL_TARGETS: Duration = Duration::from_secs(1);

/// How one attempt went.
#[derive(Debug)]
pub struct Attempt {
    pub steps: Vec<StepReport>,
    /// What ended it besides a step's own verdict.
    pub refusal: Option<Refusal>,
    /// What a reviewer may accept; filled with `--update` only.
    pub pending: Pending,
    pub device_time: Duration,
}

/// One attempt under way.
pub struct Runner<'a> {
    pub loaded: &'a Loaded,
    pub options: &'a ReplayOptions,
    /// The device is of another kind than the recorded one.
    pub other_kind: bool,
    pub stage: &'a mut dyn Stage,
}

/// A step that is under way: what is known of it so far.
struct Progress {
    report: StepReport,
    begun: Instant,
}

impl Runner<'_> {
    /// Replays all steps; `told` hears of each when it is done.
    pub async fn run(mut self, mut told: impl FnMut(&StepReport) + Send) -> Attempt {
        let mut attempt = Attempt {
            steps: Vec::new(),
            refusal: None,
            pending: Pending::empty(&self.loaded.dir),
            device_time: Duration::ZERO,
        };
        let mut screen = None;
        let steps = self.loaded.recording.steps.iter().enumerate();
        for (index, step) in steps {
            let halted =
                attempt.refusal.is_some() || attempt.steps.last().is_some_and(|s| self.halts(s.verdict));
            let mut progress = Progress::new(index + 1, step);
            if halted {
                progress.report.verdict = StepVerdict::NotRun;
            } else if let Err(refusal) = self.step(step, &mut progress, &mut screen, &mut attempt).await {
                progress.fail(&refusal);
                attempt.refusal =
                    (refusal.is_device_lost() || refusal.code == ErrorCode::RequiresUnmet).then_some(refusal);
            }
            let report = progress.finish();
            told(&report);
            attempt.steps.push(report);
        }
        attempt
    }

    fn halts(&self, verdict: StepVerdict) -> bool {
        match verdict {
            StepVerdict::Passed | StepVerdict::Healed => false,
            // frames of today are proposed for every step, so all have to be seen
            StepVerdict::Drifted => self.options.on_drift == OnDrift::Halt && !self.options.update,
            StepVerdict::Missing | StepVerdict::Failed | StepVerdict::NotRun => true,
        }
    }

    async fn step(
        &mut self,
        step: &Step,
        progress: &mut Progress,
        screen: &mut Option<Arc<Observation>>,
        attempt: &mut Attempt,
    ) -> Result<(), Refusal> {
        let mut seen = match screen.take() {
            Some(seen) => seen,
            None => self.stage.observe().await?,
        };
        let mut recorded = None;
        if let Some(name) = &step.before {
            let passage = self.gate(Side::Before, name, step, seen, progress, attempt).await?;
            seen = passage.screen;
            recorded = Some(passage.expected);
        }
        if progress.report.step == 1 {
            seen = self.check_start(seen).await?;
        }
        if !self.halts(progress.report.verdict) {
            seen = match &step.body {
                StepBody::Check(check) => self.check(check, seen).await?,
                StepBody::Act(action) => {
                    seen = self.await_targets(action, seen, recorded.as_ref()).await?;
                    let action = self.aimed(action, &seen, recorded.as_ref(), progress, attempt)?;
                    let Some(action) = action else { return Ok(()) };
                    let outcome = self.stage.act(action).await?;
                    attempt.device_time += outcome.settle_time;
                    progress.report.settled_ms = millis(outcome.settle_time);
                    outcome.after
                }
            };
            if progress.report.step == self.loaded.recording.steps.len()
                && let Some(name) = &step.after
            {
                seen = self.gate(Side::After, name, step, seen, progress, attempt).await?.screen;
            }
        }
        *screen = Some(seen);
        Ok(())
    }

    /// Holds the screen against a recorded frame; drift is noted in the step's report.
    async fn gate(
        &mut self,
        side: Side,
        name: &FrameName,
        step: &Step,
        seen: Arc<Observation>,
        progress: &mut Progress,
        attempt: &mut Attempt,
    ) -> Result<Passage, Refusal> {
        let recording = &self.loaded.recording;
        let frames = self.loaded.frames();
        let place = FilePlace::step(self.loaded.file(), progress.report.step);
        let masks = [&recording.masks[..], &step.masks, &self.options.masks].concat();
        let gate = Gate {
            side,
            expected: frames.load(name, &place)?,
            path: frames.path(name),
            scale: recording.device.screen.scale,
            options: step.gate.over(recording.gate).over(self.options.gate),
            masks,
        };
        let mut passage = gate.pass(self.stage, seen).await?;
        attempt.device_time += passage.device_time;
        if !passage.report.measured.matched {
            self.keep_pictures(progress.report.step, &mut passage)?;
            if self.options.update {
                let screen = &passage.screen;
                let hidden = hidden(step, screen);
                attempt.pending.propose_frame(progress.report.step, side, name, &screen.frame, &hidden)?;
            }
            progress.report.verdict = StepVerdict::Drifted;
            progress.report.code = Some(ErrorCode::ReplayDrift);
        }
        progress.report.gates.push(passage.report.clone());
        Ok(passage)
    }

    fn keep_pictures(&self, step: usize, passage: &mut Passage) -> Result<(), Refusal> {
        let Some(folder) = &self.options.pictures else { return Ok(()) };
        let report = &mut passage.report;
        let stem = format!("{step:03}-{}", report.frame.as_str());
        let path = |what: &str| folder.join(format!("{stem}-{what}.png"));
        let (expected, actual) = (&passage.expected, &passage.screen.frame);
        let written = pictures::write_frame(&path("actual"), actual).and_then(|actual_path| {
            let (regions, masked) = (&report.regions, &report.masked);
            let difference =
                pictures::write_difference(&path("difference"), expected, actual, regions, masked)?;
            Ok((actual_path, difference))
        });
        let (actual, difference) = written.map_err(|e| Refusal {
            code: ErrorCode::Internal,
            message: format!("pictures can't be written to {}: {e}", folder.display()),
        })?;
        (report.actual, report.difference) = (Some(actual), Some(difference));
        Ok(())
    }

    /// The labels that the recording requires of its first screen.
    async fn check_start(&mut self, seen: Arc<Observation>) -> Result<Arc<Observation>, Refusal> {
        let required = self.loaded.recording.requires.labels.clone();
        let patience = self.patience();
        let seen =
            self.look_until(seen, patience, |seen| required.iter().all(|label| shows(seen, label))).await?;
        let missing: Vec<String> =
            required.iter().filter(|label| !shows(&seen, label)).map(|label| format!("“{label}”")).collect();
        if missing.is_empty() {
            return Ok(seen);
        }
        Err(Refusal {
            code: ErrorCode::RequiresUnmet,
            message: format!(
                "the first screen does not show {}, which `requires.labels` asks for; \
                 bring the app to where the recording starts, with `setup` for instance",
                missing.join(", ")
            ),
        })
    }

    /// Waits for a check to hold.
    async fn check(&mut self, check: &Check, seen: Arc<Observation>) -> Result<Arc<Observation>, Refusal> {
        let expanded = |text: &Option<String>| text.as_ref().map(|t| self.expand(t)).transpose();
        let check = Check { label: expanded(&check.label)?, value: expanded(&check.value)?, ..check.clone() };
        let patience = self.patience();
        let seen = self.look_until(seen, patience, |seen| check.holds(&seen.marks)).await?;
        if check.holds(&seen.marks) {
            return Ok(seen);
        }
        let message = format!("the check does not hold: {check} was expected");
        Err(Refusal { code: ErrorCode::ReplayDrift, message })
    }

    /// Looks again where a target is not there as recorded: a tree of elements may come later than the pixels.
    async fn await_targets(
        &mut self,
        action: &Action<RecordedTarget>,
        seen: Arc<Observation>,
        recorded: Option<&Frame>,
    ) -> Result<Arc<Observation>, Refusal> {
        let mut marks = Vec::new();
        action.clone().map_targets(|target| -> Result<(), Refusal> {
            if let RecordedTarget::Mark(mark) = target {
                marks.push(RecordedMark { label: self.expand(&mark.label)?, ..mark });
            }
            Ok(())
        })?;
        let rules = Rules { other_kind: self.other_kind };
        let there =
            |seen: &Observation, mark| matches!(locate(mark, seen, recorded, rules), Located::Same(_));
        let patience = self.patience().min(UNTIL_TARGETS);
        self.look_until(seen, patience, |seen| marks.iter().all(|mark| there(seen, mark))).await
    }

    /// As long as a gate waits for its screen.
    fn patience(&self) -> Duration {
        let gate = self.loaded.recording.gate.over(self.options.gate);
        Duration::from_millis(gate.timeout_ms.unwrap_or(5_000))
    }

    /// Looks again until the screen is as wanted or the time has run out; what is seen last is returned.
    async fn look_until(
        &mut self,
        mut seen: Arc<Observation>,
        patience: Duration,
        wanted: impl Fn(&Observation) -> bool,
    ) -> Result<Arc<Observation>, Refusal> {
        let (begun, mut paused) = (Instant::now(), Duration::ZERO);
        while !wanted(&seen) && begun.elapsed().max(paused) < patience {
            self.stage.pause(BETWEEN_LOOKS).await;
            paused += BETWEEN_LOOKS;
            seen = self.stage.observe().await?;
        }
        Ok(seen)
    }

    fn expand(&self, text: &str) -> Result<String, Refusal> {
        let file = self.loaded.file().display().to_string();
        Ok(self.options.variables.expand(text, &file)?)
    }

    /// The action aimed at the marks of today, or `None` where a target is missing, which is noted.
    fn aimed(
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
                if report.verdict == StepVerdict::Passed {
                    report.verdict = StepVerdict::Healed;
                }
                report.message = Some(format!("{mark} was healed: {what}, found by {by}"));
                report.targets.push(place);
                if self.options.update
                    && let Place::Mark(found) = substitute.at
                {
                    let now = RecordedMark { by: mark.by, ..found_today(found, seen) };
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

impl From<RecordingError> for Refusal {
    fn from(error: RecordingError) -> Self {
        Self { code: error.code(), message: error.to_string() }
    }
}

impl Progress {
    fn new(number: usize, step: &Step) -> Self {
        let report = StepReport {
            step: number,
            action: step.body.name(),
            description: words::describe(&step.body),
            verdict: StepVerdict::Passed,
            code: None,
            message: None,
            suggestion: None,
            gates: Vec::new(),
            targets: Vec::new(),
            settled_ms: 0,
            duration_ms: 0,
        };
        Self { report, begun: Instant::now() }
    }

    fn fail(&mut self, refusal: &Refusal) {
        self.report.verdict = StepVerdict::Failed;
        self.report.code = Some(refusal.code);
        self.report.message = Some(refusal.message.clone());
    }

    fn finish(mut self) -> StepReport {
        self.report.duration_ms = millis(self.begun.elapsed());
        self.report
    }
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

/// What must not be stored of a screen: secure fields, and the places that the step masks.
fn hidden(step: &Step, screen: &Observation) -> Vec<PixelRect> {
    let masked = step.masks.iter().filter_map(|m| if let Mask::Rect(rect) = m { Some(*rect) } else { None });
    let secure = screen.marks.iter().filter(|m| m.role == Role::SecureField).map(|m| m.frame);
    masked.chain(secure).filter_map(|rect| screen.screen.to_pixels(rect)).collect()
}

/// A mark as it would be recorded today.
fn found_today(mark: &Mark, screen: &Observation) -> RecordedMark {
    let equals: Vec<&Mark> =
        screen.marks.iter().filter(|m| m.role == mark.role && fold(&m.label) == fold(&mark.label)).collect();
    let nth = equals.iter().position(|m| m.id == mark.id).map_or(1, |i| i as u32 + 1);
    RecordedMark {
        by: TargetForm::Label,
        label: mark.label.clone(),
        role: Some(mark.role),
        stable_id: Some(mark.stable_id.clone()),
        identifier: mark.identifier.clone(),
        nth,
        of: equals.len().max(1) as u32,
        frame: Some(mark.frame),
    }
}

/// Whether a mark has this label, or one that reads like it or holds its words.
fn shows(seen: &Observation, label: &str) -> bool {
    let label = fold(label);
    seen.marks.iter().any(|mark| {
        let own = fold(&mark.label);
        own == label || reads_like(&own, &label) || contains_words(&own, &label)
    })
}

#[cfg(test)]
mod tests;
