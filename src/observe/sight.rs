//! The eyes of an observer: what vision finds in one frame. Uses `vision` and the types.

use std::time::{Duration, Instant};

use crate::code::ErrorCode;
use crate::frame::Frame;
use crate::geometry::PixelRect;
use crate::role::Role;
use crate::vision::shapes::{self, Scene};
use crate::vision::text::{TextError, TextLine, TextModels, TextReader};

use super::ObserveError;

/// What vision found in one frame, in pixels of that frame.
#[derive(Clone, Debug, Default)]
pub struct Sight {
    pub lines: Vec<TextLine>,
    /// Lines taken over from an earlier frame.
    pub text_reused: usize,
    pub scene: Scene,
    pub text_time: Duration,
    pub shapes_time: Duration,
}

impl Sight {
    /// The sheet that lies over the screen.
    pub fn sheet(&self) -> Option<PixelRect> {
        self.scene.shapes.iter().find(|shape| shape.role == Role::Sheet).map(|shape| shape.rect)
    }
}

/// Reads one frame after the other; what did not change since the last is not read again.
pub trait Vision: Send {
    /// `scale` is pixels a point.
    ///
    /// # Errors
    /// [`ObserveError::Vision`] where a model fails.
    fn see(&mut self, frame: &Frame, scale: f64) -> Result<Sight, ObserveError>;
}

/// The shipped models and rules.
pub struct ModelVision {
    reader: TextReader,
}

impl ModelVision {
    /// Loads the models the first time, which takes a moment; later ones share them.
    ///
    /// # Errors
    /// [`ObserveError::Vision`] where the models can't be loaded.
    pub fn new() -> Result<Self, ObserveError> {
        let models = TextModels::shared().map_err(failed)?;
        Ok(Self { reader: TextReader::new(models) })
    }
}

impl Vision for ModelVision {
    fn see(&mut self, frame: &Frame, scale: f64) -> Result<Sight, ObserveError> {
        let started = Instant::now();
        let reading = self.reader.read(frame, scale).map_err(failed)?;
        let text_time = started.elapsed();
        let scene = shapes::find(frame, scale, &reading.lines);
        Ok(Sight {
            lines: reading.lines,
            text_reused: reading.reused,
            scene,
            text_time,
            shapes_time: started.elapsed().saturating_sub(text_time),
        })
    }
}

fn failed(error: TextError) -> ObserveError {
    match error.code() {
        // models that the user named
        ErrorCode::InvalidArgument => ObserveError::Invalid(error.to_string()),
        _ => ObserveError::Vision(error.to_string()),
    }
}
