//! A recording while it is written: whole after every step, locked against others. Uses the format and `frames`.

use std::fs::{File, OpenOptions, TryLockError};
use std::path::{Path, PathBuf};

use super::frames::write_atomically;
use super::store::{FILE, Finished, name_of};
use super::{FrameFolder, Gap, Recording, RecordingError, Result};

/// Marks a folder whose recording was not stopped. Who writes holds its lock, and a dead process holds none.
const MARKER: &str = ".unfinished";

/// A folder that is being recorded into.
#[derive(Debug)]
pub(super) struct Draft {
    dir: PathBuf,
    /// Held, not read: its lock goes with it.
    _lock: File,
}

/// Whether its recording was never stopped.
pub(super) fn is_unfinished(dir: &Path) -> bool {
    dir.join(MARKER).is_file()
}

/// Whether it was never stopped, and nobody writes it any more.
pub(super) fn is_abandoned(dir: &Path) -> bool {
    is_unfinished(dir) && lock(dir).is_ok()
}

fn lock(dir: &Path) -> Result<File> {
    let path = dir.join(MARKER);
    let file = OpenOptions::new()
        .create(true)
        .truncate(false)
        .write(true)
        .open(&path)
        .map_err(RecordingError::io("can't open", &path))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(RecordingError::InUse { name: name_of(dir) }),
        Err(TryLockError::Error(source)) => Err(RecordingError::Io { what: "can't lock", path, source }),
    }
}

impl Draft {
    /// Makes the folder with a recording without steps.
    pub fn create(dir: PathBuf, recording: &Recording) -> Result<Self> {
        std::fs::create_dir_all(&dir).map_err(RecordingError::io("can't make", &dir))?;
        let draft = Self { _lock: lock(&dir)?, dir };
        draft.write(recording)?;
        Ok(draft)
    }

    /// Takes over a folder whose writer died.
    pub fn reopen(dir: PathBuf) -> Result<Self> {
        if !is_unfinished(&dir) {
            let hint = Some(format!("`{}` is finished already", name_of(&dir)));
            return Err(RecordingError::NotRecording { hint });
        }
        Ok(Self { _lock: lock(&dir)?, dir })
    }

    pub fn dir(&self) -> &Path {
        &self.dir
    }

    pub fn frames(&self) -> FrameFolder {
        FrameFolder::of(&self.dir)
    }

    /// Puts the recording as it now is in the place of what was there, whole or not at all.
    pub fn write(&self, recording: &Recording) -> Result<()> {
        let path = self.dir.join(FILE);
        write_atomically(&path, recording.to_yaml(&path)?.as_bytes())
    }

    /// Removes what a broken-off step left behind, and the marker.
    pub fn finish(self) -> Result<Finished> {
        let recording = Recording::read(&self.dir.join(FILE))?;
        self.frames().keep_only(&recording)?;
        remove_temporaries(&self.dir)?;
        remove_temporaries(&self.dir.join("frames"))?;
        remove(&self.dir.join(MARKER))?;
        let steps = recording.steps.len();
        let mut warnings: Vec<String> = recording.gaps.iter().map(Gap::to_string).collect();
        if steps == 0 {
            warnings.push("no step was recorded".to_owned());
        }
        Ok(Finished { name: recording.name, path: self.dir.clone(), steps, warnings })
    }

    pub fn discard(self) -> Result<()> {
        std::fs::remove_dir_all(&self.dir).map_err(RecordingError::io("can't delete", &self.dir))
    }
}

fn remove(path: &Path) -> Result<()> {
    std::fs::remove_file(path).map_err(RecordingError::io("can't delete", path))
}

fn remove_temporaries(dir: &Path) -> Result<()> {
    let Ok(entries) = std::fs::read_dir(dir) else { return Ok(()) };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        if name.starts_with('.') && name.ends_with(".tmp") {
            remove(&entry.path())?;
        }
    }
    Ok(())
}
