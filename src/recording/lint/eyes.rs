//! Sees recorded frames as a session sees its screen, and holds them against themselves as replay does.
//! Uses `observe`, `vision::gate`.

use crate::frame::Frame;
use crate::geometry::{PixelRect, Screen};
use crate::observe::{ModelVision, Observation, ObserveError, Sight, Sources, Vision, observe_image};
use crate::recording::{RecordingError, Result};
use crate::vision::gate::{GateOptions, compare_masked};
use crate::vision::mask::{self, Mask};
use crate::vision::text::{TextLine, TextModels, TextReader};

/// What is seen in one frame.
pub(in crate::recording) struct Seen {
    pub lines: Vec<TextLine>,
    pub screen: Observation,
}

/// The models, loaded when the first frame is looked at, and what they remember.
#[derive(Default)]
pub(in crate::recording) struct Eyes {
    vision: Option<ModelVision>,
    /// Reads parts of frames, which the other one would remember in the place of whole ones.
    reader: Option<TextReader>,
}

impl Eyes {
    pub fn see(&mut self, frame: &Frame, scale: f64) -> Result<Seen> {
        let vision = match &mut self.vision {
            Some(vision) => vision,
            none => none.insert(ModelVision::new().map_err(RecordingError::Unseen)?),
        };
        let sight = vision.see(frame, scale).map_err(RecordingError::Unseen)?;
        let lines = sight.lines.clone();
        let screen = observe_image(frame.clone(), scale, Sources::default(), &mut Already(sight));
        Ok(Seen { lines, screen: screen.map_err(RecordingError::Unseen)? })
    }

    /// Whether replay would call it drift if this place were as empty as the ground around it.
    pub fn is_held(
        &mut self,
        frame: &Frame,
        scale: f64,
        (place, ground): (PixelRect, [u8; 3]),
        masks: &[Mask],
        options: &GateOptions,
    ) -> Result<bool> {
        let empty = emptied(frame, place, ground)?;
        let mut read = |frame: &Frame| {
            let reader = match &mut self.reader {
                Some(reader) => reader,
                none => none.insert(TextReader::new(TextModels::shared().map_err(|e| e.to_string())?)),
            };
            reader.read(frame, scale).map(|reading| reading.lines).map_err(|e| e.to_string())
        };
        let screen = Screen::of_picture(frame.size(), scale);
        let (then, now) = (mask::Side::of(&empty), mask::Side::of(frame));
        let compared = compare_masked(then, now, &screen, masks, options, &mut read);
        // options out of range are a finding of their own
        Ok(compared.is_ok_and(|comparison| comparison.is_drift()))
    }
}

fn emptied(frame: &Frame, place: PixelRect, [r, g, b]: [u8; 3]) -> Result<Frame> {
    let mut pixels = frame.pixels().clone();
    let (width, height) = pixels.dimensions();
    for y in place.y..place.bottom().min(height) {
        for x in place.x..place.right().min(width) {
            pixels.put_pixel(x, y, image::Rgba([r, g, b, 255]));
        }
    }
    Frame::new(pixels).map_err(|e| RecordingError::Picture(e.to_string()))
}

/// What was seen a moment ago.
struct Already(Sight);

impl Vision for Already {
    fn see(&mut self, _: &Frame, _: f64) -> std::result::Result<Sight, ObserveError> {
        Ok(std::mem::take(&mut self.0))
    }
}
