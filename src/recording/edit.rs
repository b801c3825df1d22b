//! Changes to whole recordings: other steps, another name, none at all. Each is done or not done. Uses the store,
//! `lint` for what the first screen shows.

use std::path::{Path, PathBuf};

use serde::Serialize;

use super::lint::{Eyes, labels_of};
use super::store::{Store, check_name};
use super::{Loaded, Pending, Place, Recording, RecordingError, Result, Step, StepBody, draft};
use crate::act::Action;

/// What is left of a recording.
#[derive(Clone, Debug, Serialize)]
pub struct Trimmed {
    pub name: String,
    pub path: PathBuf,
    pub kept: usize,
    pub removed: usize,
    /// What a replay may now lack.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

impl Store {
    /// Keeps the steps from one to another, counted from 1, and the frames that they name.
    pub fn trim(&self, name: &str, from: Option<usize>, to: Option<usize>) -> Result<Trimmed> {
        let mut loaded = self.at_rest(name)?;
        let steps = loaded.recording.steps.len();
        let (from, to) = (from.unwrap_or(1), to.unwrap_or(steps));
        if from < 1 || to > steps || from > to {
            return Err(RecordingError::NoSuchSteps { steps });
        }
        if !Pending::load(&loaded.dir)?.changes.is_empty() {
            return Err(RecordingError::InReview { name: name.to_owned() });
        }
        let mut warnings = Vec::new();
        let recording = &mut loaded.recording;
        recording.steps.truncate(to);
        let removed: Vec<Step> = recording.steps.drain(..from - 1).collect();
        // one that comes after the last step or before the first is no gap any more
        let first_kept = if from == 1 { 0 } else { from };
        recording
            .gaps
            .retain(|gap| (first_kept..=to).contains(&gap.after) && (gap.after < to || to == steps));
        recording.gaps.iter_mut().for_each(|gap| gap.after -= from - 1);
        if !removed.is_empty() {
            keep_appearance(recording, &removed);
            loaded.recording.requires.labels = first_labels(&loaded)?;
            warnings.push(format!(
                "a replay starts where the app launches: give the recording a `setup` that reaches the screen \
                 of what was step {from}"
            ));
        }
        loaded.save()?;
        let kept = loaded.recording.steps.len();
        Ok(Trimmed { name: name.to_owned(), path: loaded.dir, kept, removed: steps - kept, warnings })
    }

    /// Gives a recording another name, which must be free.
    pub fn rename(&self, old: &str, new: &str) -> Result<PathBuf> {
        check_name(new)?;
        let mut loaded = self.at_rest(old)?;
        let to = self.folder(new)?;
        if is_there(&to) {
            let unfinished = draft::is_unfinished(&to);
            return Err(RecordingError::Exists { name: new.to_owned(), path: to, unfinished });
        }
        // broken off behind this, it has its new name: the folder's counts
        std::fs::rename(&loaded.dir, &to).map_err(RecordingError::io("can't rename", &loaded.dir))?;
        loaded.dir.clone_from(&to);
        loaded.recording.name = new.to_owned();
        loaded.write()?;
        Ok(to)
    }

    /// Deletes a recording, readable or not, unless it is being recorded.
    pub fn remove(&self, name: &str) -> Result<PathBuf> {
        let dir = self.existing(name)?;
        if draft::is_unfinished(&dir) && !draft::is_abandoned(&dir) {
            return Err(RecordingError::InUse { name: name.to_owned() });
        }
        // out of sight in one go, so that what is broken off leaves no half of a recording
        let hidden = dir.with_file_name(format!(".{name}.{}.removed", std::process::id()));
        std::fs::rename(&dir, &hidden).map_err(RecordingError::io("can't delete", &dir))?;
        std::fs::remove_dir_all(&hidden).map_err(RecordingError::io("can't delete", hidden))?;
        Ok(dir)
    }

    /// The folder of a recording, whether or not it can be read.
    pub fn existing(&self, name: &str) -> Result<PathBuf> {
        let dir = self.folder(name)?;
        if dir.join(super::store::FILE).is_file() { Ok(dir) } else { Err(self.not_found(name)) }
    }

    /// One that nobody writes and nobody left half-written.
    fn at_rest(&self, name: &str) -> Result<Loaded> {
        let loaded = self.named(name)?;
        match (draft::is_unfinished(&loaded.dir), draft::is_abandoned(&loaded.dir)) {
            (true, true) => Err(RecordingError::Unfinished { name: name.to_owned() }),
            (true, false) => Err(RecordingError::InUse { name: name.to_owned() }),
            (false, _) => Ok(loaded),
        }
    }
}

/// A link that leads nowhere is there, too.
fn is_there(path: &Path) -> bool {
    path.symlink_metadata().is_ok()
}

/// What removed steps set stays set.
fn keep_appearance(recording: &mut Recording, removed: &[Step]) {
    for step in removed {
        if let StepBody::Act(action) = &step.body
            && let Action::SetAppearance { appearance, content_size } = &**action
        {
            let requires = &mut recording.requires;
            requires.appearance = appearance.or(requires.appearance);
            requires.content_size = content_size.or(requires.content_size);
        }
    }
}

/// What the first screen shows, where its frame is there.
fn first_labels(loaded: &Loaded) -> Result<Vec<String>> {
    let first = loaded.recording.steps.first();
    let Some(name) = first.and_then(|step| step.before.as_ref()) else { return Ok(Vec::new()) };
    let frame = loaded.frames().load(name, &Place::step(loaded.file(), 1))?;
    let seen = Eyes::default().see(&frame, loaded.recording.device.screen.scale)?;
    Ok(labels_of(&seen.screen, &loaded.recording))
}
