//! What is kept of a gate that did not match: pictures for the report, a proposal for a reviewer. Nothing secret shows
//! in either. Uses `recording`, `vision`.

use std::io;
use std::path::Path;

use image::RgbImage;

use super::gate::Passage;
use super::runner::{Attempt, Runner};
use super::stage::Refusal;
use crate::code::ErrorCode;
use crate::frame::Frame;
use crate::geometry::Rect;
use crate::observe::Observation;
use crate::recording::{FrameName, Step, masks_over, painted_over};
use crate::vision::mask::Mask;
use crate::vision::{annotate, gate};

impl Runner<'_> {
    /// Keeps pictures where a report was asked for, and proposes the screen of today where updates are.
    pub(super) fn keep(
        &self,
        number: usize,
        (step, recorded): (&Step, &FrameName),
        passage: &mut Passage,
        attempt: &mut Attempt,
    ) -> Result<(), Refusal> {
        if self.options.pictures.is_none() && !self.options.update {
            return Ok(());
        }
        let secret = self.secrets.places(&passage.screen);
        let shown = without_secrets(&passage.screen, step, &secret)?;
        if let Some(folder) = &self.options.pictures {
            write_pictures(folder, number, &shown, passage).map_err(|e| Refusal {
                code: ErrorCode::Internal,
                message: format!("pictures can't be written to {}: {e}", folder.display()),
            })?;
        }
        if self.options.update {
            let side = passage.report.frame;
            attempt.pending.propose_frame(number, side, recorded, &shown, masks_over(secret))?;
        }
        Ok(())
    }
}

/// The screen with its secrets painted over, and the places that the step masks: what the recorder painted over is
/// among them.
fn without_secrets(screen: &Observation, step: &Step, secret: &[Rect]) -> Result<Frame, Refusal> {
    let masked = step.masks.iter().filter_map(|m| if let Mask::Rect(rect) = m { Some(*rect) } else { None });
    let hidden = masked.chain(secret.iter().copied()).filter_map(|rect| screen.screen.to_pixels(rect));
    Ok(painted_over(&screen.frame, &hidden.collect::<Vec<_>>())?)
}

/// All that a report shows lies in its folder, so that it can be carried elsewhere.
fn write_pictures(folder: &Path, number: usize, shown: &Frame, passage: &mut Passage) -> io::Result<()> {
    std::fs::create_dir_all(folder)?;
    let report = &mut passage.report;
    let stem = format!("{number:03}-{}", report.frame.as_str());
    let path = |what: &str| folder.join(format!("{stem}-{what}.png"));
    let write = |what: &str, bytes: &[u8]| std::fs::write(path(what), bytes).map(|()| path(what));
    report.expected = write("expected", &passage.expected.to_png())?;
    report.actual = Some(write("actual", &shown.to_png())?);
    let difference: Option<RgbImage> = gate::difference(&passage.expected, shown, &passage.comparison);
    report.difference =
        difference.map(|picture| write("difference", &annotate::png(&picture))).transpose()?;
    Ok(())
}
