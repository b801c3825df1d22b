//! The nearest `simdrive.toml`, in which a project says what it wants. Uses nothing of this crate.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;

pub const FILE: &str = "simdrive.toml";

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
            if let Some(says) = read(&dir.join(FILE))? {
                return Ok(Some(Self { folder: dir.to_owned(), says }));
            }
        }
        Ok(None)
    }
}

/// What a file says; nothing where there is none.
///
/// # Errors
/// The file can't be read, or not be understood.
pub fn read<T: DeserializeOwned>(file: &Path) -> Result<Option<T>, ProjectFileError> {
    let refused = |message: String| ProjectFileError { file: file.to_owned(), message };
    match std::fs::read_to_string(file) {
        Ok(text) => toml::from_str(&text).map(Some).map_err(|e| refused(e.message().to_owned())),
        Err(e) if matches!(e.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => Ok(None),
        Err(e) => Err(refused(format!("it can't be read: {e}"))),
    }
}
