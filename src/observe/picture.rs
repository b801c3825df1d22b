//! Observes a picture without a device. Uses `vision` and the types.

use std::time::{Duration, Instant};

use crate::frame::Frame;
use crate::geometry::Screen;

use super::fuse::{Inputs, fuse};
use super::identity::Identities;
use super::{Observation, ObservationId, ObserveError, Provenance, Sources, Vision};

/// What is seen in a picture of `scale` pixels a point.
///
/// # Errors
/// A scale that is no scale, or vision fails.
pub fn observe_image(
    frame: Frame,
    scale: f64,
    sources: Sources,
    vision: &mut dyn Vision,
) -> Result<Observation, ObserveError> {
    if !(0.25..=8.0).contains(&scale) {
        return Err(ObserveError::Invalid(format!(
            "`scale` is {scale}; it is pixels a point, from 0.25 to 8"
        )));
    }
    let screen = Screen::of_picture(frame.size(), scale);
    let sight = vision.see(&frame, scale)?;
    let started = Instant::now();
    let inputs = Inputs { frame: &frame, screen: &screen, sight: &sight, tree: None, sources, app_pid: None };
    let fused = fuse(&inputs);
    let marks = Identities::default().name(fused.drafts, &[]);
    let provenance = Provenance {
        text_ms: sight.text_time.as_secs_f64() * 1e3,
        shapes_ms: sight.shapes_time.as_secs_f64() * 1e3,
        fuse_ms: started.elapsed().as_secs_f64() * 1e3,
        text_lines: sight.lines.len(),
        shapes: sight.scene.shapes.len(),
        notes: fused.notes,
        ..Provenance::default()
    };
    Ok(Observation {
        id: ObservationId(1),
        focused: fused.focused.and_then(|i| marks.get(i)).map(|mark| mark.id),
        marks,
        alert: fused.alert,
        keyboard: fused.keyboard,
        app: None,
        furniture: fused.furniture,
        hidden: fused.hidden,
        settled: true,
        settle_time: Duration::ZERO,
        provenance,
        screen,
        frame,
    })
}
