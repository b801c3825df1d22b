//! What `simdrive.toml` of a project says of its recordings and of the gate. Uses `project_file`
//! and the types of `vision`.

use std::path::PathBuf;

use serde::Deserialize;

use super::{Place, RecordingError, Result};
use crate::project_file::{ProjectFile, ProjectFileError};
use crate::vision::gate::GateOptions;
use crate::vision::mask::Mask;

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
        Self::of(ProjectFile::here())
    }

    fn of(file: std::result::Result<Option<ProjectFile<Self>>, ProjectFileError>) -> Result<Self> {
        let file = file.map_err(|ProjectFileError { file, message }| RecordingError::Invalid {
            place: Place::file(&file),
            message,
        })?;
        Ok(file.map_or_else(Self::default, |ProjectFile { folder, says }| Self {
            recordings: says.recordings.map(|recordings| folder.join(recordings)),
            ..says
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vision::mask::NamedMask;

    const FILE: &str = "simdrive.toml";

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
        let project = Project::of(ProjectFile::around(&deep)).unwrap();
        assert_eq!(project.recordings, Some(dir.path().join("flows")));
        assert_eq!((project.gate.tolerance, project.gate.shift), (Some(30), None));
        assert_eq!(project.masks, [Mask::Named(NamedMask::Keyboard), Mask::Label("Balance".into())]);
        for wrong in
            ["recordings = [", "[gate]\ntolerence = 30", "[gate]\ntolerance = 300", "masks = [\"nose\"]"]
        {
            write(wrong);
            let error = Project::of(ProjectFile::around(&deep)).unwrap_err().to_string();
            assert!(error.contains(FILE), "{wrong}: {error}");
        }
    }
}
