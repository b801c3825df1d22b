//! Brings recordings up to the version of this build: those of older versions, and those of the original SimDrive.
//! Uses the format, `frames` and, for what the original did not keep, `observe`.
//!
//! [`plan`] reads and writes nothing; what it comes to can be shown as a diff, or carried out: then the new folder
//! takes the place of the old one in one step, and the old one stays beside it as a hidden backup.

mod acts;
mod aim;
mod convert;
mod diff;
mod moments;
mod note;
mod original;
mod swap;
mod typed;
mod versions;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Serialize;

pub use note::{Note, Subject};
use original::Original;
use versions::{LADDER, Version};

use super::format::read_text;
use super::store::{FILE, name_of};
use super::{Recording, RecordingError, Result, SCHEMA};
use crate::observe::Vision;

/// Files of a recording's folder, by their path in it.
type Files = BTreeMap<PathBuf, Vec<u8>>;

/// What a recording was written by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum From {
    /// This version: there is nothing to do.
    Newest,
    /// An older version of this format.
    Older,
    /// The original SimDrive.
    Original,
}

/// What migrating one recording comes to. Nothing is written yet.
#[derive(Debug)]
pub struct Plan {
    /// The folder as it is.
    pub source: PathBuf,
    /// The folder that it becomes; another where its name is none for a recording of ours.
    pub target: PathBuf,
    pub from: From,
    pub steps: usize,
    /// What could not be carried over, and what was decided on the way.
    pub notes: Vec<Note>,
    was: String,
    files: Files,
}

/// Reads the recording in this folder and works out what becomes of it. `vision` is made for those that need one.
///
/// # Errors
/// It is no recording, is broken, or is of a newer version than this build knows.
pub fn plan(dir: &Path, vision: impl FnOnce() -> Result<Box<dyn Vision>>) -> Result<Plan> {
    let source = std::path::absolute(dir).unwrap_or_else(|_| dir.to_owned());
    let path = source.join(FILE);
    let was = read_text(&path)?;
    let plan = |from, recording: &Recording, notes, files| Plan {
        target: source.with_file_name(&recording.name),
        source: source.clone(),
        from,
        steps: recording.steps.len(),
        notes,
        was: was.clone(),
        files,
    };
    match LADDER.version_of(&path, &was)? {
        Version::Newest => {
            let recording = Recording::parse(&path, &was)?;
            let newest = plan(From::Newest, &recording, Vec::new(), Files::new());
            Ok(Plan { target: newest.source.clone(), ..newest })
        }
        Version::Older(version) => {
            let recording = Recording::parse(&path, &LADDER.bring_up(&path, &was, version)?)?;
            let mut files = swap::files_of(&source)?;
            files.insert(FILE.into(), recording.to_yaml(&path)?.into_bytes());
            Ok(Plan { target: source.clone(), ..plan(From::Older, &recording, Vec::new(), files) })
        }
        Version::Unstated => {
            let original = Original::parse(&path, &was)?;
            let converted = convert::convert(&source, &original, &mut *vision()?)?;
            let mut files = converted.frames;
            files.insert(FILE.into(), converted.recording.to_yaml(&path)?.into_bytes());
            Ok(plan(From::Original, &converted.recording, converted.notes, files))
        }
    }
}

impl Plan {
    pub fn name(&self) -> String {
        name_of(&self.target)
    }

    /// What would change, as a diff.
    pub fn diff(&self) -> String {
        let Some(now) = self.files.get(Path::new(FILE)) else { return String::new() };
        let now = String::from_utf8_lossy(now);
        let file = |dir: &Path| format!("{}/{FILE}", name_of(dir));
        let mut diff = diff::unified(&file(&self.source), &file(&self.target), &self.was, &now);
        for new in self.files.keys().filter(|path| !self.source.join(path).exists()) {
            diff += &format!("new file {}/{}\n", name_of(&self.target), new.display());
        }
        diff
    }

    /// Whether it may be carried out.
    ///
    /// # Errors
    /// [`RecordingError::Exists`] where another recording is in its place, unless `force` says that it may be replaced.
    pub fn check_target(&self, force: bool) -> Result<()> {
        if self.source == self.target || force || !self.target.exists() {
            return Ok(());
        }
        Err(RecordingError::Exists { name: self.name(), path: self.target.clone(), unfinished: false })
    }

    /// Puts the new folder in the place of the old one, and says where the backups are; nothing where it is of the
    /// newest version already.
    ///
    /// # Errors
    /// As [`Plan::check_target`], or the folder can't be written: then all is as it was.
    pub fn carry_out(&self, force: bool) -> Result<Vec<PathBuf>> {
        if self.from == From::Newest {
            return Ok(Vec::new());
        }
        self.check_target(force)?;
        swap::replace(&self.source, &self.target, &self.files)
    }

    /// What was found and what it becomes, in words.
    pub fn told(&self) -> String {
        match self.from {
            From::Newest => format!("{}: is {SCHEMA} already", self.name()),
            From::Older => {
                format!("{}: from an older version to {SCHEMA}, {} steps", self.name(), self.steps)
            }
            From::Original => {
                format!("{}: from the original SimDrive to {SCHEMA}, {} steps", self.name(), self.steps)
            }
        }
    }
}
