//! What `simdrive.toml` of a project says of its recordings and of the gate. Uses `vision` types and errors.

use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::{Place, RecordingError, Result};
use crate::vision::gate::GateOptions;
use crate::vision::mask::Mask;

const FILE: &str = "simdrive.toml";

/// The part of `simdrive.toml` that recordings and replays go by; all may be left out.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct Project {
    /// Folder of recordings; in the file relative to it.
    pub recordings: Option<PathBuf>,
    /// Departures from the gate's defaults, for every recording that says nothing else.
    pub gate: GateOptions,
    /// Masks beside the default ones, for every recording.
    pub masks: Vec<Mask>,
}

impl Project {
    /// Of the project that the current folder lies in; nothing where there is none.
    ///
    /// # Errors
    /// Its file can't be understood.
    pub fn here() -> Result<Self> {
        // without a current folder there is no project around it
        std::env::current_dir().map_or_else(|_| Ok(Self::default()), |folder| Self::around(&folder))
    }

    fn around(folder: &Path) -> Result<Self> {
        for dir in folder.ancestors() {
            let file = dir.join(FILE);
            let Ok(text) = std::fs::read_to_string(&file) else { continue };
            let project: Self = toml::from_str(&text).map_err(|e| RecordingError::Invalid {
                place: Place::file(&file),
                message: e.message().to_owned(),
            })?;
            let recordings = project.recordings.map(|folder| dir.join(folder));
            return Ok(Self { recordings, ..project });
        }
        Ok(Self::default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vision::mask::NamedMask;

    #[test]
    fn the_nearest_file_above_is_read() {
        let dir = tempfile::tempdir().unwrap();
        let deep = dir.path().join("a/b");
        std::fs::create_dir_all(&deep).unwrap();
        let write = |text: &str| std::fs::write(dir.path().join(FILE), text).unwrap();
        write(
            "recordings = \"flows\"\nmasks = [\"keyboard\", {label = \"Balance\"}]\n\
             [gate]\ntolerance = 30\n[other]\nx = 1\n",
        );
        let project = Project::around(&deep).unwrap();
        assert_eq!(project.recordings, Some(dir.path().join("flows")));
        assert_eq!((project.gate.tolerance, project.gate.shift), (Some(30), None));
        assert_eq!(project.masks, [Mask::Named(NamedMask::Keyboard), Mask::Label("Balance".into())]);
        for wrong in
            ["recordings = [", "[gate]\ntolerence = 30", "[gate]\ntolerance = 300", "masks = [\"nose\"]"]
        {
            write(wrong);
            let error = Project::around(&deep).unwrap_err().to_string();
            assert!(error.contains(FILE), "{wrong}: {error}");
        }
    }
}
