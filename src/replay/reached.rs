//! Whether a screen is the one after a step of a recording. Uses the gate, `recording`, `observe`.

use std::sync::Arc;

use super::gate::Gate;
use super::stage::Refusal;
use crate::code::ErrorCode;
use crate::observe::Observation;
use crate::recording::{Loaded, Place, Side};
use crate::vision::gate::Comparison;
use crate::vision::mask::with_defaults;

/// Holds a look against the frame after this step, counted from 1; after the last one where none is given.
///
/// # Errors
/// There is no such step, or its frame can't be had.
pub async fn reached(
    loaded: &Loaded,
    step: Option<usize>,
    seen: &Arc<Observation>,
) -> Result<Comparison, Refusal> {
    let recording = &loaded.recording;
    let steps = recording.steps.len();
    let number = step.unwrap_or(steps);
    // a check has no frame of its own: the screen is still that of the act before it
    let acted = recording
        .steps
        .iter()
        .take(number)
        .enumerate()
        .rev()
        .find_map(|(i, step)| Some((i + 1, step, step.after.as_ref()?)));
    let found = acted.filter(|_| (1..=steps).contains(&number));
    let Some((number, step, name)) = found else {
        let message = format!("{} has steps 1 to {steps}, and no screen after step {number}", recording.name);
        return Err(Refusal { code: ErrorCode::InvalidArgument, message });
    };
    let frames = loaded.frames();
    let gate = Gate {
        side: Side::After,
        expected: frames.load(name, &Place::step(loaded.file(), number))?,
        path: frames.path(name),
        scale: recording.device.screen.scale,
        options: step.gate.over(recording.gate),
        masks: with_defaults(&[&recording.masks[..], &step.masks].concat()),
    };
    gate.compare(seen).await
}
