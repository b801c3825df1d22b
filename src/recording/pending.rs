//! Changes to a recording that wait for a person to accept or reject them. Uses the format and `frames`.
//!
//! They lie in the folder `pending` of the recording, so that nothing of it changes until one is accepted.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::frames::write_atomically;
use super::{FrameFolder, FrameName, Loaded, Place, RecordedTarget, RecordingError, Result, StepBody, yaml};
use crate::frame::Frame;
use crate::vision::mask::Mask;

const FOLDER: &str = "pending";
const FILE: &str = "changes.yaml";

/// Which of a step's frames is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Side {
    Before,
    After,
}

impl Side {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Before => "before",
            Self::After => "after",
        }
    }
}

/// One change to one step.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Change {
    /// From 1.
    pub step: usize,
    pub to: ChangeTo,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ChangeTo {
    Frame {
        side: Side,
        was: FrameName,
        now: FrameName,
        /// Masks over what is painted over in the new frame.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        masks: Vec<Mask>,
    },
    Target {
        was: RecordedTarget,
        now: RecordedTarget,
    },
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ChangesFile {
    changes: Vec<Change>,
}

/// The waiting changes of one recording.
#[derive(Debug)]
pub struct Pending {
    recording: PathBuf,
    pub changes: Vec<Change>,
}

impl Pending {
    /// None yet, whatever may wait from an earlier run.
    pub fn empty(recording: &Path) -> Self {
        Self { recording: recording.to_owned(), changes: Vec::new() }
    }

    /// What waits; nothing where no file is.
    pub fn load(recording: &Path) -> Result<Self> {
        let mut pending = Self::empty(recording);
        let file = pending.file();
        match std::fs::read_to_string(&file) {
            Ok(text) => pending.changes = yaml::read::<ChangesFile>(&file, &text)?.changes,
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => {}
            Err(e) => return Err(RecordingError::io("can't read", file)(e)),
        }
        Ok(pending)
    }

    pub fn frames(&self) -> FrameFolder {
        FrameFolder::of(&self.recording.join(FOLDER))
    }

    /// Proposes a frame of today, in which nothing secret shows, for one step; `masks` lie over what was painted over.
    pub fn propose_frame(
        &mut self,
        step: usize,
        side: Side,
        was: &FrameName,
        frame: &Frame,
        masks: Vec<Mask>,
    ) -> Result<()> {
        let now = self.frames().put(frame, &[])?;
        self.propose(Change { step, to: ChangeTo::Frame { side, was: was.clone(), now, masks } });
        Ok(())
    }

    pub fn propose_target(&mut self, step: usize, was: RecordedTarget, now: RecordedTarget) {
        self.propose(Change { step, to: ChangeTo::Target { was, now } });
    }

    fn propose(&mut self, change: Change) {
        if !self.changes.contains(&change) {
            self.changes.push(change);
        }
    }

    /// Writes what waits; with nothing left the folder goes.
    pub fn save(&self) -> Result<()> {
        let folder = self.recording.join(FOLDER);
        if self.changes.is_empty() {
            return match std::fs::remove_dir_all(&folder) {
                Err(e) if e.kind() != std::io::ErrorKind::NotFound => {
                    Err(RecordingError::io("can't delete", folder)(e))
                }
                _ => Ok(()),
            };
        }
        let file = self.file();
        let text = yaml::write(&file, &ChangesFile { changes: self.changes.clone() })?;
        write_atomically(&file, text.as_bytes())
    }

    /// Makes one change part of the recording, and no longer pending.
    pub fn accept(&mut self, index: usize, loaded: &mut Loaded) -> Result<()> {
        let change = self.changes[index].clone();
        let place = Place::step(loaded.file(), change.step);
        let outdated = || RecordingError::Invalid {
            place: place.clone(),
            message: "it was changed since; run `simdrive replay --update` again".into(),
        };
        let at = change
            .step
            .checked_sub(1)
            .filter(|at| *at < loaded.recording.steps.len())
            .ok_or_else(outdated)?;
        match &change.to {
            ChangeTo::Frame { side, was, now, masks } => {
                let frame = self.frames().load(now, &place)?;
                loaded.frames().put(&frame, &[])?;
                let steps = &mut loaded.recording.steps;
                let slot = match side {
                    Side::Before => &mut steps[at].before,
                    Side::After => &mut steps[at].after,
                };
                if slot.as_ref() != Some(was) {
                    return Err(outdated());
                }
                *slot = Some(now.clone());
                add_masks(&mut steps[at].masks, masks);
                // the screen before a step is the one after the step before it
                if *side == Side::Before
                    && let Some(earlier) = at.checked_sub(1)
                    && steps[earlier].after.as_ref() == Some(was)
                {
                    steps[earlier].after = Some(now.clone());
                    add_masks(&mut steps[earlier].masks, masks);
                }
            }
            ChangeTo::Target { was, now } => {
                let StepBody::Act(action) = &loaded.recording.steps[at].body else { return Err(outdated()) };
                let mut replaced = false;
                let changed = (**action).clone().map_targets(|target| {
                    let same = target == *was;
                    replaced |= same;
                    Ok::<_, RecordingError>(if same { now.clone() } else { target })
                })?;
                if !replaced {
                    return Err(outdated());
                }
                loaded.recording.steps[at].body = StepBody::Act(Box::new(changed));
            }
        }
        loaded.save()?;
        self.changes.remove(index);
        self.save()
    }

    /// Drops one change.
    pub fn reject(&mut self, index: usize) -> Result<()> {
        self.changes.remove(index);
        self.save()
    }

    fn file(&self) -> PathBuf {
        self.recording.join(FOLDER).join(FILE)
    }
}

fn add_masks(to: &mut Vec<Mask>, masks: &[Mask]) {
    for mask in masks {
        if !to.contains(mask) {
            to.push(mask.clone());
        }
    }
}
