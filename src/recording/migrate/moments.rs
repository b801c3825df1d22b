//! The screen before and after every act, as far as the original kept it; and what our own eyes see on it.
//! Uses `frame`, `observe`.

use std::collections::HashMap;
use std::io::ErrorKind;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use image::RgbaImage;

use super::note::{Note, Subject};
use super::original::OriginalStep;
use crate::frame::Frame;
use crate::geometry::PixelSize;
use crate::observe::{Observation, Sources, Vision, observe_image};
use crate::recording::{Place, RecordingError, Result, Side};

/// A picture that can be decoded. Its pixels are read when they are needed: all at once would fill the memory.
#[derive(Clone, Debug)]
pub(super) struct Shot {
    path: PathBuf,
    hash: String,
    pub size: PixelSize,
}

impl Shot {
    pub fn frame(&self) -> Result<Frame> {
        let bytes = std::fs::read(&self.path).map_err(RecordingError::io("can't read", &self.path))?;
        Frame::decode(&bytes).map_err(|e| RecordingError::Picture(e.to_string()))
    }
}

/// One act's screens.
#[derive(Clone, Debug)]
pub(super) struct Moment {
    pub before: Shot,
    pub after: Shot,
}

/// The screens of all steps. Where one is missing, that of the step beside it is taken; so is it where the one before
/// the act is a look from before the last act, which the original kept as it came.
///
/// # Errors
/// A screen is nowhere to be had, is no picture, or lies outside the recording.
pub(super) fn gather(dir: &Path, steps: &[OriginalStep], notes: &mut Vec<Note>) -> Result<Vec<Moment>> {
    let load = |file: &Option<String>, place| match file {
        Some(file) => load(dir, file, place),
        None => Ok(None),
    };
    let mut kept = Vec::new();
    for step in steps {
        kept.push((load(&step.before, &step.place)?, load(&step.after, &step.place)?));
    }
    let mut moments: Vec<Moment> = Vec::new();
    for (i, step) in steps.iter().enumerate() {
        let (own_before, own_after) = &kept[i];
        let earlier = moments.last();
        let outdated = own_before
            .as_ref()
            .zip(earlier)
            .is_some_and(|(own, earlier)| own.hash == earlier.before.hash && own.hash != earlier.after.hash);
        let before = own_before.clone().filter(|_| !outdated);
        let after = own_after.clone();
        for (side, shot) in [(Side::Before, &before), (Side::After, &after)] {
            if shot.is_none() {
                notes.push(Note { place: step.place.clone(), subject: Subject::FrameReplaced { side } });
            }
        }
        let before = before.or_else(|| earlier.map(|e| e.after.clone()));
        let after = after.or_else(|| kept.get(i + 1)?.0.clone());
        let missing = |file: &Option<String>| RecordingError::MissingFrame {
            place: step.place.clone(),
            frame: file.clone().unwrap_or_else(|| "of this step".into()),
            file: dir.join(file.as_deref().unwrap_or("snapshots")),
        };
        moments.push(Moment {
            before: before.ok_or_else(|| missing(&step.before))?,
            after: after.ok_or_else(|| missing(&step.after))?,
        });
    }
    Ok(moments)
}

/// The picture; nothing where the file is missing or empty.
fn load(dir: &Path, file: &str, place: &Place) -> Result<Option<Shot>> {
    let outside = || RecordingError::Invalid {
        place: place.clone(),
        message: format!("`{file}` lies outside the recording; nothing outside of it is read"),
    };
    let relative = Path::new(file);
    if !relative.components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir)) {
        return Err(outside());
    }
    let path = dir.join(relative);
    let bytes = match std::fs::read(&path) {
        Ok(bytes) if bytes.is_empty() => return Ok(None),
        Ok(bytes) => bytes,
        Err(e) if e.kind() == ErrorKind::NotFound => return Ok(None),
        Err(e) => return Err(RecordingError::io("can't read", path)(e)),
    };
    let is_inside =
        path.canonicalize().ok().zip(dir.canonicalize().ok()).is_some_and(|(p, d)| p.starts_with(d));
    if !is_inside {
        return Err(outside());
    }
    let frame = Frame::decode(&bytes).map_err(|e| RecordingError::AlteredFrame {
        place: place.clone(),
        file: path.clone(),
        reason: e.to_string(),
    })?;
    Ok(Some(Shot { path, hash: frame.hash().to_owned(), size: frame.size() }))
}

/// Looks at pictures, at each once.
pub(super) struct Eyes<'v> {
    vision: &'v mut dyn Vision,
    /// Pixels a point.
    scale: f64,
    seen: HashMap<String, Arc<Observation>>,
}

impl<'v> Eyes<'v> {
    pub fn new(vision: &'v mut dyn Vision, scale: f64) -> Self {
        Self { vision, scale, seen: HashMap::new() }
    }

    /// What is seen; its frame is not kept.
    pub fn see(&mut self, shot: &Shot) -> Result<Arc<Observation>> {
        if let Some(seen) = self.seen.get(&shot.hash) {
            return Ok(seen.clone());
        }
        let seen = observe_image(shot.frame()?, self.scale, Sources::default(), self.vision)
            .map_err(RecordingError::Unseen)?;
        let no_pixels =
            Frame::new(RgbaImage::new(1, 1)).map_err(|e| RecordingError::Picture(e.to_string()))?;
        let seen = Arc::new(Observation { frame: no_pixels, ..seen });
        self.seen.insert(shot.hash.clone(), seen.clone());
        Ok(seen)
    }
}
