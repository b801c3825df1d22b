//! The nearest `simdrive.toml`, in which a project says what it wants. Uses nothing of this crate.

use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;

const FILE: &str = "simdrive.toml";

/// What the file says of one part of simdrive.
pub struct ProjectFile<T> {
    /// The folder that it lies in; its paths are relative to this.
    pub folder: PathBuf,
    pub says: T,
}

/// A file that is not as it must be.
#[derive(Debug, thiserror::Error)]
#[error("{}: {message}", file.display())]
pub struct ProjectFileError {
    pub file: PathBuf,
    pub message: String,
}

impl<T: DeserializeOwned> ProjectFile<T> {
    /// Of the project that the current folder lies in, if it lies in one.
    ///
    /// # Errors
    /// The file can't be understood.
    pub fn here() -> Result<Option<Self>, ProjectFileError> {
        // without a current folder there is no project around it
        std::env::current_dir().map_or(Ok(None), |folder| Self::around(&folder))
    }

    /// The nearest one in `folder` or above it.
    ///
    /// # Errors
    /// The file can't be understood.
    pub fn around(folder: &Path) -> Result<Option<Self>, ProjectFileError> {
        for dir in folder.ancestors() {
            let file = dir.join(FILE);
            let Ok(text) = std::fs::read_to_string(&file) else { continue };
            return match toml::from_str(&text) {
                Ok(says) => Ok(Some(Self { folder: dir.to_owned(), says })),
                Err(e) => Err(ProjectFileError { file, message: e.message().to_owned() }),
            };
        }
        Ok(None)
    }
}
