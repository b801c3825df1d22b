//! Which text models this process reads with: by flag, else by `text_model` in the project's `simdrive.toml`.

use std::path::PathBuf;

use serde::Deserialize;

use crate::operation::OperationError;
use crate::project_file::{ProjectFile, ProjectFileError};
use crate::vision::text::TextModels;

/// What of `simdrive.toml` concerns text models.
#[derive(Deserialize)]
struct Project {
    /// Folder of models, relative to the file.
    text_model: Option<PathBuf>,
}

/// Settles it before anything is read. The models themselves are loaded, and checked, with the first look.
///
/// # Errors
/// `simdrive.toml` can't be read as TOML.
pub(super) fn choose(flag: Option<PathBuf>) -> Result<(), OperationError> {
    let folder = match flag {
        Some(folder) => Some(folder),
        None => of_project(ProjectFile::here())?,
    };
    if let Some(folder) = folder {
        TextModels::choose(folder);
    }
    Ok(())
}

/// The folder that the project names.
fn of_project(
    file: Result<Option<ProjectFile<Project>>, ProjectFileError>,
) -> Result<Option<PathBuf>, OperationError> {
    let file = file.map_err(|e| OperationError::invalid(e.to_string()))?;
    Ok(file.and_then(|ProjectFile { folder, says }| says.text_model.map(|model| folder.join(model))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_folder_that_the_project_names_is_relative_to_its_file() {
        let project = tempfile::tempdir().unwrap();
        let deep = project.path().join("a/b");
        std::fs::create_dir_all(&deep).unwrap();
        std::fs::write(project.path().join("simdrive.toml"), "recordings = \"r\"\ntext_model = \"models\"\n")
            .unwrap();
        assert_eq!(of_project(ProjectFile::around(&deep)).unwrap(), Some(project.path().join("models")));
        std::fs::write(project.path().join("simdrive.toml"), "text_model = 7").unwrap();
        assert!(of_project(ProjectFile::around(&deep)).is_err());
    }
}
