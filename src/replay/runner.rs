//! Replays one recording on a device that stands at its start: gate, find, act, settle, step by step.
//! Uses `recording`, `act`, and this folder's gate; finding is in `aim`, waiting in `waiting`.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::expected::Expected;
use super::gate::{Gate, Passage};
use super::options::{OnDrift, ReplayOptions};
use super::outcome::{StepReport, StepVerdict};
use super::stage::{Refusal, Stage};
use crate::act::Action;
use crate::act::action::TypedText;
use crate::code::ErrorCode;
use crate::frame::Frame;
use crate::geometry::PixelSize;
use crate::observe::Observation;
use crate::recording::{FrameName, Loaded, Pending, RecordingError, Secrets, Side, Step, StepBody};

/// How one attempt went.
#[derive(Debug)]
pub struct Attempt {
    pub steps: Vec<StepReport>,
    /// What ended it besides a step's own verdict.
    pub refusal: Option<Refusal>,
    /// What a reviewer may accept; filled with `--update` only.
    pub pending: Pending,
    /// Of its time, what is ours and not the device's.
    pub own_time: Duration,
}

/// One attempt under way.
pub struct Runner<'a> {
    pub(super) loaded: &'a Loaded,
    pub(super) options: &'a ReplayOptions,
    /// The device is of another kind than the recorded one.
    pub(super) other_kind: bool,
    pub(super) stage: &'a mut dyn Stage,
    expected: Expected<'a>,
    pub(super) secrets: Secrets,
    /// Steps that did not pass in an earlier attempt, and why.
    failed_before: BTreeMap<usize, String>,
    /// A step has said that no frame fits this screen.
    told_of_another_screen: bool,
}

/// A step that is under way: what is known of it so far.
pub(super) struct Progress {
    pub(super) report: StepReport,
    begun: Instant,
}

impl<'a> Runner<'a> {
    pub fn new(
        loaded: &'a Loaded,
        options: &'a ReplayOptions,
        other_kind: bool,
        stage: &'a mut dyn Stage,
    ) -> Self {
        let secrets = Secrets::of(&loaded.recording, &options.variables);
        let expected = Expected::of(loaded);
        Self {
            loaded,
            options,
            other_kind,
            stage,
            expected,
            secrets,
            failed_before: BTreeMap::new(),
            told_of_another_screen: false,
        }
    }

    /// A step that passes now and is among these is flaky.
    pub fn after(self, failed_before: BTreeMap<usize, String>) -> Self {
        Self { failed_before, ..self }
    }

    /// Replays all steps; `told` hears of each when it is done.
    pub async fn run(mut self, mut told: impl FnMut(&StepReport) + Send) -> Attempt {
        let mut attempt = Attempt {
            steps: Vec::new(),
            refusal: None,
            pending: Pending::empty(&self.loaded.dir),
            own_time: Duration::ZERO,
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
                let refusal = Refusal { message: self.secrets.veiled(&refusal.message), ..refusal };
                progress.fail(&refusal);
                attempt.refusal =
                    (refusal.is_device_lost() || refusal.code == ErrorCode::RequiresUnmet).then_some(refusal);
            }
            let report = self.finished(progress);
            told(&report);
            attempt.steps.push(report);
        }
        attempt.own_time += self.stage.own_time();
        attempt
    }

    fn halts(&self, verdict: StepVerdict) -> bool {
        match verdict {
            StepVerdict::Passed | StepVerdict::Flaky | StepVerdict::Healed | StepVerdict::Ungated => false,
            // frames of today are proposed for every step, so all have to be seen
            StepVerdict::Drifted => self.options.on_drift == OnDrift::Halt && !self.options.update,
            StepVerdict::Missing | StepVerdict::Failed | StepVerdict::NotRun => true,
        }
    }

    /// The step's report as it may be shown: with nothing secret in its words.
    fn finished(&self, mut progress: Progress) -> StepReport {
        let report = &mut progress.report;
        report.duration_ms = millis(progress.begun.elapsed());
        if report.verdict == StepVerdict::Passed
            && let Some(why) = self.failed_before.get(&report.step)
        {
            report.verdict = StepVerdict::Flaky;
            report.message = Some(format!("it passed now, but not at an earlier attempt: {why}"));
        }
        let nearest = report.gates.iter_mut().flat_map(|g| &mut g.regions).map(|r| &mut r.nearest);
        for text in nearest.chain([&mut report.message, &mut report.suggestion]).flatten() {
            *text = self.secrets.veiled(text);
        }
        progress.report
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
        let number = progress.report.step;
        let gated = number >= self.options.resume_from;
        // where no gate waits for the screen, the step does
        let mut waited_for = gated;
        if !gated {
            progress.report.verdict = StepVerdict::Ungated;
            if let Some(name) = &step.before {
                recorded = Some(self.expected.frame(name, number).await?);
            }
        } else if let Some(name) = step.before.as_ref().filter(|_| !self.waits_for_a_change(step, progress)) {
            let expected = self.expected_frame(name, number, attempt).await?;
            if self.lets_pass(&expected, &seen, progress) {
                waited_for = false;
            } else {
                let passage =
                    self.gate(Side::Before, (name, expected), step, seen, progress, attempt).await?;
                seen = passage.screen;
                recorded = Some(passage.expected);
            }
        }
        if progress.report.step == 1 {
            seen = self.check_start(seen).await?;
        }
        if !self.halts(progress.report.verdict) {
            seen = match &step.body {
                StepBody::Check(check) => self.check(check, seen).await?,
                StepBody::Act(action) => {
                    seen = self.await_targets(action, seen, recorded.as_ref(), waited_for).await?;
                    let action = self.aimed(action, &seen, recorded.as_ref(), progress, attempt)?;
                    let Some(action) = action else { return Ok(()) };
                    self.expected.prepare_after(progress.report.step);
                    let outcome = self.stage.act(action).await?;
                    if types_secret(&step.body) {
                        self.secrets.learn_fields(&outcome);
                    }
                    progress.report.settled_ms = millis(outcome.settle_time);
                    outcome.after
                }
            };
            if gated
                && progress.report.step == self.loaded.recording.steps.len()
                && let Some(name) = &step.after
            {
                let expected = self.expected_frame(name, number, attempt).await?;
                if !self.lets_pass(&expected, &seen, progress) {
                    let passage =
                        self.gate(Side::After, (name, expected), step, seen, progress, attempt).await?;
                    seen = passage.screen;
                }
            }
        }
        *screen = Some(seen);
        Ok(())
    }

    /// A wait during which the screen changed when it was recorded: what is waited for may be there sooner this time,
    /// so that the frame behind the wait judges, and not the one before.
    fn waits_for_a_change(&self, step: &Step, progress: &Progress) -> bool {
        let StepBody::Act(action) = &step.body else { return false };
        let next = self.loaded.recording.steps.get(progress.report.step);
        let behind = next.map_or(step.after.as_ref(), |next| next.before.as_ref());
        matches!(**action, Action::WaitFor { .. }) && behind.is_some() && behind != step.before.as_ref()
    }

    async fn expected_frame(
        &mut self,
        name: &FrameName,
        step: usize,
        attempt: &mut Attempt,
    ) -> Result<Frame, Refusal> {
        let begun = Instant::now();
        let expected = self.expected.frame(name, step).await?;
        attempt.own_time += begun.elapsed();
        Ok(expected)
    }

    /// A frame of a screen of another size says nothing of this one: where that is let pass, the report says so.
    fn lets_pass(&mut self, expected: &Frame, seen: &Observation, progress: &mut Progress) -> bool {
        let (recorded, here) = (expected.size(), seen.frame.size());
        if !self.options.other_screens || recorded == here {
            return false;
        }
        if progress.report.verdict == StepVerdict::Passed {
            progress.report.verdict = StepVerdict::Ungated;
            // once is enough
            if !std::mem::replace(&mut self.told_of_another_screen, true) {
                let why = of_another_screen(recorded, here);
                progress.report.message = Some(format!("{why}: targets alone are checked"));
            }
        }
        true
    }

    /// Holds the screen against a recorded frame; drift is noted in the step's report.
    async fn gate(
        &mut self,
        side: Side,
        (name, expected): (&FrameName, Frame),
        step: &Step,
        seen: Arc<Observation>,
        progress: &mut Progress,
        attempt: &mut Attempt,
    ) -> Result<Passage, Refusal> {
        let recording = &self.loaded.recording;
        let masks = [&recording.masks[..], &step.masks, &self.options.masks].concat();
        let gate = Gate {
            side,
            expected,
            path: self.loaded.frames().path(name),
            scale: recording.device.screen.scale,
            options: step.gate.over(recording.gate).over(self.options.gate),
            masks,
        };
        let mut passage = gate.pass(self.stage, seen).await?;
        attempt.own_time += passage.own_time;
        if !passage.report.measured.matched {
            self.keep(progress.report.step, (step, name), &mut passage, attempt)?;
            progress.report.verdict = StepVerdict::Drifted;
            progress.report.code = Some(ErrorCode::ReplayDrift);
            let (recorded, here) = (passage.expected.size(), passage.screen.frame.size());
            if recorded != here {
                progress.report.message = Some(format!(
                    "{}; `--other-screens` checks the targets alone there",
                    of_another_screen(recorded, here)
                ));
            }
        }
        progress.report.gates.push(passage.report.clone());
        Ok(passage)
    }
}

impl From<RecordingError> for Refusal {
    fn from(error: RecordingError) -> Self {
        Self { code: error.code(), message: error.to_string() }
    }
}

impl Progress {
    fn new(number: usize, step: &Step) -> Self {
        Self { report: StepReport::untouched(number, step), begun: Instant::now() }
    }

    fn fail(&mut self, refusal: &Refusal) {
        self.report.verdict = StepVerdict::Failed;
        self.report.code = Some(refusal.code);
        self.report.message = Some(refusal.message.clone());
    }
}

fn of_another_screen(recorded: PixelSize, here: PixelSize) -> String {
    format!(
        "it was recorded on a screen of {}×{} pixels, and this one has {}×{}",
        recorded.width, recorded.height, here.width, here.height
    )
}

fn types_secret(body: &StepBody) -> bool {
    let StepBody::Act(action) = body else { return false };
    matches!(**action, Action::TypeText { text: TypedText::Secret(_), .. })
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests;
