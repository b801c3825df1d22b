//! Which text models this process reads with: by flag, else by `text_model` in the project's `simdrive.toml`.

use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::operation::OperationError;
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
        None => match std::env::current_dir() {
            Ok(here) => of_project(&here)?,
            Err(_) => None,
        },
    };
    if let Some(folder) = folder {
        TextModels::choose(folder);
    }
    Ok(())
}

/// The folder that the nearest `simdrive.toml` above names.
fn of_project(from: &Path) -> Result<Option<PathBuf>, OperationError> {
    for dir in from.ancestors() {
        let file = dir.join("simdrive.toml");
        let Ok(text) = std::fs::read_to_string(&file) else { continue };
        let project: Project = toml::from_str(&text)
            .map_err(|e| OperationError::invalid(format!("{}: {}", file.display(), e.message())))?;
        return Ok(project.text_model.map(|folder| dir.join(folder)));
    }
    Ok(None)
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
        assert_eq!(of_project(&deep).unwrap(), Some(project.path().join("models")));
        std::fs::write(project.path().join("simdrive.toml"), "text_model = 7").unwrap();
        assert!(of_project(&deep).is_err());
    }
}
