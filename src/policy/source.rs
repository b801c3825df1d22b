//! Where rules stand: the project's `simdrive.toml`, and the user's own file. Uses `project_file`.

use std::path::PathBuf;

use serde::Deserialize;

use super::{Layer, PolicyError, Rules};
use crate::project_file::{self, ProjectFile, ProjectFileError};

#[derive(Default, Deserialize)]
#[serde(default)]
struct File {
    policy: Rules,
}

/// The rules of the user's file and of the project's, where there are such files.
///
/// # Errors
/// A file can't be understood: what it forbids is not known then, so nothing may be done.
pub fn layers() -> Result<Vec<Layer>, PolicyError> {
    let refused = |ProjectFileError { file, message }| PolicyError::File { file, message };
    let mut layers = Vec::new();
    if let Some(file) = user_file() {
        let says = project_file::read::<File>(&file).map_err(refused)?;
        layers.extend(says.map(|says| Layer { file, rules: says.policy }));
    }
    if let Some(ProjectFile { folder, says }) = ProjectFile::<File>::here().map_err(refused)? {
        layers.push(Layer { file: folder.join(project_file::FILE), rules: says.policy });
    }
    Ok(layers)
}

/// `simdrive/config.toml` in `XDG_CONFIG_HOME`, else in `.config` of the user's folder.
fn user_file() -> Option<PathBuf> {
    let of = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let folder = of("XDG_CONFIG_HOME").or_else(|| of("HOME").map(|home| home.join(".config")))?;
    Some(folder.join("simdrive/config.toml"))
}
