//! Where recordings are, by name or path. Uses the format and `frames`.

use std::path::{Path, PathBuf};

use chrono::{DateTime, Utc};
use serde::Serialize;

use super::draft::{self, Draft};
use super::format::read_text;
use super::frames::write_atomically;
use super::yaml::nearest;
use super::{FrameFolder, FrameName, Place, Recording, RecordingError, Result};

/// The file that makes a folder a recording.
pub(super) const FILE: &str = "recording.yaml";

/// A folder of recordings.
#[derive(Clone, Debug)]
pub struct Store {
    root: PathBuf,
}

/// A recording that was read, and where it is.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// Absolute where it could be made so.
    pub dir: PathBuf,
    pub recording: Recording,
}

impl Loaded {
    pub fn file(&self) -> PathBuf {
        self.dir.join(FILE)
    }

    pub fn frames(&self) -> FrameFolder {
        FrameFolder::of(&self.dir)
    }

    /// Writes the recording back, whole or not at all, and deletes frames that no step uses any more.
    pub fn save(&self) -> Result<()> {
        self.write()?;
        self.frames().keep_only(&self.recording)
    }

    /// Writes the recording back, whole or not at all; its frames are left alone.
    pub(super) fn write(&self) -> Result<()> {
        let file = self.file();
        write_atomically(&file, self.recording.to_yaml(&file)?.as_bytes())
    }
}

/// One line of a list of recordings.
#[derive(Clone, Debug, Serialize)]
pub struct Listed {
    /// Its folder's name.
    pub name: String,
    pub path: PathBuf,
    pub steps: usize,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub created: Option<DateTime<Utc>>,
    /// Its recording was never stopped.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub unfinished: bool,
    /// Why it can't be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
}

/// What a finished recording came to.
#[derive(Clone, Debug, Serialize)]
pub struct Finished {
    pub name: String,
    /// Its folder.
    pub path: PathBuf,
    pub steps: usize,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

/// Names are folder names: nothing in them may lead elsewhere.
pub(super) fn check_name(name: &str) -> Result<()> {
    let sound = (1..=64).contains(&name.len())
        && name.starts_with(|c: char| c.is_ascii_lowercase() || c.is_ascii_digit())
        && name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b"-_.".contains(&b));
    if sound { Ok(()) } else { Err(RecordingError::InvalidName(name.to_owned())) }
}

impl Store {
    pub fn at(root: impl Into<PathBuf>) -> Self {
        Self { root: root.into() }
    }

    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Starts a recording; its name must be free.
    pub(super) fn create(&self, recording: &Recording) -> Result<Draft> {
        let dir = self.folder(&recording.name)?;
        if dir.exists() {
            let unfinished = draft::is_unfinished(&dir);
            return Err(RecordingError::Exists { name: recording.name.clone(), path: dir, unfinished });
        }
        Draft::create(dir, recording)
    }

    /// The recording of this name in the store.
    pub fn named(&self, name: &str) -> Result<Loaded> {
        let dir = self.folder(name)?;
        if dir.join(FILE).is_file() { load(dir) } else { Err(self.not_found(name)) }
    }

    /// The recording at this path: its folder, or the `recording.yaml` in it.
    pub fn at_path(path: &Path) -> Result<Loaded> {
        let dir = if path.is_file() { path.parent().unwrap_or(path) } else { path };
        if dir.join(FILE).is_file() {
            return load(dir.to_owned());
        }
        Err(RecordingError::NotFound {
            name: path.display().to_string(),
            root: "this folder: it holds no recording.yaml".into(),
            closest: None,
        })
    }

    /// A path where one is there, else a name in the store.
    pub fn find(&self, name_or_path: &str) -> Result<Loaded> {
        let path = Path::new(name_or_path);
        if path.join(FILE).is_file() || path.is_file() || name_or_path.contains(['/', '\\']) {
            Self::at_path(path)
        } else {
            self.named(name_or_path)
        }
    }

    /// The folders of recordings that a path or a name means, whatever version they are of.
    ///
    /// # Errors
    /// There are none.
    pub fn folders(&self, name_or_path: &str) -> Result<Vec<PathBuf>> {
        let path = Path::new(name_or_path);
        let is_path = name_or_path.contains(['/', '\\']) || path.exists();
        let found = match (path.is_file(), is_path) {
            (true, _) => recordings_under(path.parent().unwrap_or(path)),
            (false, true) => recordings_under(path),
            (false, false) => Vec::new(),
        };
        if !found.is_empty() {
            return Ok(found);
        }
        if is_path {
            return Err(RecordingError::NotFound {
                name: name_or_path.to_owned(),
                root: "this folder: it holds no recording.yaml".into(),
                closest: None,
            });
        }
        // one of the original may have a name that none of ours can have
        let named = recordings_under(&self.root).into_iter().find(|dir| name_of(dir) == name_or_path);
        named.map(|dir| vec![dir]).ok_or_else(|| self.not_found(name_or_path))
    }

    /// All recordings of the store, by name; those that can't be read say why.
    pub fn list(&self, tag: Option<&str>) -> Vec<Listed> {
        let listed = recordings_under(&self.root).into_iter().map(|dir| list_one(&dir));
        listed.filter(|l| tag.is_none_or(|t| l.tags.iter().any(|have| have == t))).collect()
    }

    /// The names by which recordings of the store are called, sorted, without reading them.
    pub fn names(&self) -> Vec<String> {
        let entries = std::fs::read_dir(&self.root).into_iter().flatten().flatten();
        let own = entries.filter_map(|entry| entry.file_name().into_string().ok());
        let mut names: Vec<String> = own.filter(|name| self.owned(name).is_ok()).collect();
        names.sort();
        names
    }

    /// The text of a recording of this name, be it sound or not.
    pub fn text(&self, name: &str) -> Result<String> {
        let file = self.owned(name)?.join(FILE);
        read_text(&file)
    }

    /// The file of a frame that a recording holds, checked to be the one that was stored.
    pub fn frame(&self, name: &str, frame: &str) -> Result<Vec<u8>> {
        let dir = self.owned(name)?;
        let place = Place::file(dir.join(FILE));
        let frame = FrameName::try_from(frame.to_owned())
            .map_err(|message| RecordingError::Invalid { place: place.clone(), message })?;
        FrameFolder::of(&dir).read(&frame, &place).map(|file| file.bytes)
    }

    /// The folder of this name; links are not followed: they could lead elsewhere.
    fn owned(&self, name: &str) -> Result<PathBuf> {
        let dir = self.folder(name)?;
        let is = |path: &Path, what: fn(&std::fs::Metadata) -> bool| {
            std::fs::symlink_metadata(path).is_ok_and(|known| what(&known))
        };
        let is_whole = is(&dir, std::fs::Metadata::is_dir) && is(&dir.join(FILE), std::fs::Metadata::is_file);
        if is_whole { Ok(dir) } else { Err(self.not_found(name)) }
    }

    /// Recordings that nobody writes any more, but that were never stopped.
    pub fn unfinished(&self) -> Vec<String> {
        let dirs = recordings_under(&self.root).into_iter();
        dirs.filter(|dir| draft::is_abandoned(dir)).map(|dir| name_of(&dir)).collect()
    }

    /// Finishes a recording whose process died: what it holds up to its last complete step stays.
    /// Without a name, the only one there is.
    pub fn finish(&self, name: Option<&str>) -> Result<Finished> {
        self.abandoned(name)?.finish()
    }

    /// Deletes a recording whose process died before it was stopped.
    pub fn discard(&self, name: Option<&str>) -> Result<()> {
        self.abandoned(name)?.discard()
    }

    fn abandoned(&self, name: Option<&str>) -> Result<Draft> {
        let unfinished = self.unfinished();
        let name = match (name, &unfinished[..]) {
            (Some(name), _) => name,
            (None, [only]) => only,
            (None, []) => return Err(RecordingError::NotRecording { hint: None }),
            (None, several) => {
                let hint = format!("several are unfinished, name one: {}", several.join(", "));
                return Err(RecordingError::NotRecording { hint: Some(hint) });
            }
        };
        let dir = self.folder(name)?;
        if !dir.join(FILE).is_file() {
            return Err(self.not_found(name));
        }
        Draft::reopen(dir)
    }

    /// Where a recording of this name is, or would be.
    ///
    /// # Errors
    /// It is no name.
    pub fn folder(&self, name: &str) -> Result<PathBuf> {
        check_name(name)?;
        Ok(absolute(&self.root).join(name))
    }

    pub(super) fn not_found(&self, name: &str) -> RecordingError {
        let known: Vec<String> = recordings_under(&self.root).iter().map(|d| name_of(d)).collect();
        let closest = Some(nearest(name, known.iter().map(String::as_str)))
            .filter(|near| strsim::normalized_damerau_levenshtein(near, name) > 0.4)
            .map(str::to_owned);
        RecordingError::NotFound {
            name: name.to_owned(),
            root: absolute(&self.root).display().to_string(),
            closest,
        }
    }
}

/// The folders at and below a path that hold a `recording.yaml`, in order; none inside another.
pub(crate) fn recordings_under(path: &Path) -> Vec<PathBuf> {
    if path.join(FILE).is_file() {
        return vec![path.to_owned()];
    }
    let Ok(entries) = std::fs::read_dir(path) else { return Vec::new() };
    let mut below: Vec<PathBuf> = entries
        .filter_map(|e| {
            let entry = e.ok()?;
            // links are not followed: they could lead in a circle
            (entry.file_type().ok()?.is_dir() && !entry.file_name().to_string_lossy().starts_with('.'))
                .then(|| entry.path())
        })
        .collect();
    below.sort();
    below.iter().flat_map(|dir| recordings_under(dir)).collect()
}

fn load(dir: PathBuf) -> Result<Loaded> {
    let recording = Recording::read(&dir.join(FILE))?;
    Ok(Loaded { dir: absolute(&dir), recording })
}

fn list_one(dir: &Path) -> Listed {
    let mut listed = Listed {
        name: name_of(dir),
        path: absolute(dir),
        steps: 0,
        tags: Vec::new(),
        description: None,
        created: None,
        unfinished: draft::is_unfinished(dir),
        problem: None,
    };
    match Recording::read(&dir.join(FILE)) {
        Ok(recording) => {
            listed.steps = recording.steps.len();
            listed.tags = recording.tags;
            listed.description = recording.description;
            listed.created = Some(recording.created);
        }
        Err(e) => listed.problem = Some(e.to_string()),
    }
    listed
}

pub(super) fn name_of(dir: &Path) -> String {
    dir.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_lead_elsewhere_are_refused() {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::at(dir.path());
        for name in ["../x", "a/b", "", ".hidden", "Sign In", "a\\b", "ünder", &"a".repeat(65)] {
            let error = store.named(name).unwrap_err();
            assert_eq!(error.code().as_str(), "invalid_argument", "{name}");
        }
        assert!(check_name("sign-in_2.old").is_ok());
    }
}
