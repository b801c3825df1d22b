//! What `--fix` does: only what changes nothing that a replay sees. Uses the store and `frames`.

use std::path::PathBuf;

use super::weight::lean;
use crate::recording::frames::FrameFile;
use crate::recording::{FrameName, Loaded, Place, RecordingError, Result};
use crate::vision::mask::Mask;

/// One safe change.
#[derive(Clone, Debug, PartialEq)]
pub enum Repair {
    /// Deletes a frame that no step names.
    Delete(PathBuf),
    /// Writes a frame's file anew with the same pixels, under the name of its new digest.
    Shrink(FrameName),
    /// Masks a place in every step.
    Mask(Mask),
    /// Names labels of the first screen.
    Require(Vec<String>),
    /// Gives the recording the name of its folder.
    Name(String),
}

/// Makes the changes: new frames first, then the file in one go, and what nothing names any more last. Broken off
/// anywhere, the recording is whole.
pub(super) fn apply<'r>(mut loaded: Loaded, repairs: impl Iterator<Item = &'r Repair>) -> Result<()> {
    let before = loaded.recording.clone();
    let frames = loaded.frames();
    let mut unused: Vec<PathBuf> = Vec::new();
    for repair in repairs {
        match repair {
            Repair::Delete(file) => unused.push(file.clone()),
            Repair::Shrink(name) => {
                let FrameFile { bytes, frame } = frames.read(name, &Place::file(loaded.file()))?;
                let now = frames.put_file(&lean(&bytes, &frame))?;
                for step in &mut loaded.recording.steps {
                    let named = [&mut step.before, &mut step.after].into_iter().flatten();
                    named.filter(|frame| *frame == name).for_each(|frame| *frame = now.clone());
                }
                unused.push(frames.path(name));
            }
            Repair::Mask(mask) => add_mask(&mut loaded.recording.masks, mask),
            Repair::Require(labels) => loaded.recording.requires.labels.clone_from(labels),
            Repair::Name(name) => loaded.recording.name.clone_from(name),
        }
    }
    if loaded.recording != before {
        loaded.write()?;
    }
    for file in unused {
        std::fs::remove_file(&file).map_err(RecordingError::io("can't delete", &file))?;
    }
    Ok(())
}

/// One rectangle instead of several that lie in each other.
fn add_mask(masks: &mut Vec<Mask>, new: &Mask) {
    let holds = |outer: &Mask, inner: &Mask| match (outer, inner) {
        (Mask::Rect(outer), Mask::Rect(inner)) => outer.intersection(inner) == Some(*inner),
        _ => outer == inner,
    };
    if !masks.iter().any(|mask| holds(mask, new)) {
        masks.retain(|mask| !holds(new, mask));
        masks.push(new.clone());
    }
}
