//! What waits for a review, in the form of a report: the recorded screen beside the proposed one.
//! Uses `recording`, `vision::gate` and the outcome's types.

use std::path::Path;

use super::gate::{read_text, regions};
use super::outcome::{GateReport, Measured, RecordingReport, RecordingVerdict, StepReport, StepVerdict};
use super::stage::Refusal;
use crate::code::ErrorCode;
use crate::frame::Frame;
use crate::geometry::Screen;
use crate::recording::{ChangeTo, FrameName, Loaded, Pending, Place, Side, Step};
use crate::vision::annotate;
use crate::vision::gate::{GateError, compare_masked, difference};
use crate::vision::mask::{self, with_defaults};

/// Compares what is recorded with what is proposed; difference pictures are written to `pictures`.
///
/// # Errors
/// A frame can't be read or compared, or a picture can't be written.
pub fn proposals<'a>(
    waiting: impl IntoIterator<Item = (&'a Loaded, &'a Pending)>,
    pictures: &Path,
) -> Result<Vec<RecordingReport>, Refusal> {
    let reports =
        waiting.into_iter().map(|(loaded, pending)| Proposals { loaded, pending, pictures }.report());
    reports.collect()
}

struct Proposals<'a> {
    loaded: &'a Loaded,
    pending: &'a Pending,
    pictures: &'a Path,
}

impl Proposals<'_> {
    fn report(&self) -> Result<RecordingReport, Refusal> {
        let recording = &self.loaded.recording;
        let mut steps: Vec<StepReport> = Vec::new();
        for change in &self.pending.changes {
            let Some(step) = change.step.checked_sub(1).and_then(|at| recording.steps.get(at)) else {
                continue;
            };
            let mut report =
                StepReport { settled_ms: step.settled_ms, ..StepReport::untouched(change.step, step) };
            match &change.to {
                ChangeTo::Frame { side, was, now, .. } => {
                    report.verdict = StepVerdict::Drifted;
                    report.gates.push(self.gate(change.step, step, *side, was, now)?);
                }
                ChangeTo::Target { was, now } => {
                    report.verdict = StepVerdict::Healed;
                    report.message = Some(format!("the target was {was} and is {now}"));
                }
            }
            steps.push(report);
        }
        Ok(RecordingReport {
            name: recording.name.clone(),
            path: self.loaded.dir.clone(),
            device: recording.device.selector.clone(),
            verdict: RecordingVerdict::Drifted,
            code: None,
            message: Some(format!("{} changes wait for a review", self.pending.changes.len())),
            forced: true,
            attempts: 1,
            steps,
            warnings: Vec::new(),
            duration_ms: 0,
            own_ms: 0,
        })
    }

    fn gate(
        &self,
        number: usize,
        step: &Step,
        side: Side,
        was: &FrameName,
        now: &FrameName,
    ) -> Result<GateReport, Refusal> {
        let recording = &self.loaded.recording;
        let place = Place::step(self.loaded.file(), number);
        let (expected, actual): (Frame, Frame) =
            (self.loaded.frames().load(was, &place)?, self.pending.frames().load(now, &place)?);
        let scale = recording.device.screen.scale;
        let screen = Screen::of_picture(expected.size(), scale);
        let masks = with_defaults(&[&recording.masks[..], &step.masks].concat());
        let sides = [&expected, &actual].map(mask::Side::of);
        let options = step.gate.over(recording.gate);
        let mut read = |frame: &Frame| read_text(frame, scale);
        let comparison = compare_masked(sides[0], sides[1], &screen, &masks, &options, &mut read)?;
        let path = self.pictures.join(format!("{}-{number:03}-{}.png", recording.name, side.as_str()));
        let drawn = difference(&expected, &actual, &comparison).map(|picture| {
            let written = std::fs::create_dir_all(self.pictures)
                .and_then(|()| std::fs::write(&path, annotate::png(&picture)));
            written.map(|()| path.clone()).map_err(|e| Refusal {
                code: ErrorCode::Internal,
                message: format!("{} can't be written: {e}", path.display()),
            })
        });
        // it is shown as drift even where masks hide all of it: it is proposed
        let measured = Measured { matched: false, ..Measured::from(&comparison) };
        Ok(GateReport {
            frame: side,
            measured,
            regions: regions(&comparison, &[]),
            masked: comparison.masks.iter().map(|masked| masked.rect).collect(),
            waited_ms: 0,
            looks: 1,
            expected: self.loaded.frames().path(was),
            actual: Some(self.pending.frames().path(now)),
            difference: drawn.transpose()?,
        })
    }
}

impl From<GateError> for Refusal {
    fn from(error: GateError) -> Self {
        Self { code: error.code(), message: format!("the gate can't compare: {error}") }
    }
}
