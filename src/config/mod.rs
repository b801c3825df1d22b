//! Where things are: flags first, then the environment, then `simdrive.toml`, then defaults. Uses the types.

use std::path::{Path, PathBuf};

/// What a run of simdrive is set to.
#[derive(Clone, Debug)]
pub struct Config {
    /// What simdrive itself keeps; `SIMDRIVE_HOME`, else `.simdrive` in the user's home.
    pub home: PathBuf,
    /// Where recordings are written and looked for; absolute.
    pub recordings: PathBuf,
    /// The device of sessions that name none.
    pub device: Option<String>,
}

/// What flags say; the rest comes from elsewhere.
#[derive(Clone, Debug, Default)]
pub struct Overrides {
    pub recordings: Option<PathBuf>,
    pub device: Option<String>,
}

/// Why a configuration can't be read.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{}: {reason}", path.display())]
pub struct ConfigError {
    pub path: PathBuf,
    pub reason: String,
}

/// `simdrive.toml`, as far as it concerns this.
#[derive(Debug, Default, serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct ProjectFile {
    /// Relative to the file.
    recordings: Option<PathBuf>,
    device: Option<String>,
}

impl Config {
    /// # Errors
    /// Where `simdrive.toml` is there and can't be understood.
    pub fn load(overrides: Overrides) -> Result<Self, ConfigError> {
        let current = std::env::current_dir().unwrap_or_else(|_| PathBuf::from("/"));
        let home = std::env::var_os("SIMDRIVE_HOME").map_or_else(default_home, PathBuf::from);
        let home = current.join(home);
        let (folder, project) = project_file(&current)?;
        let recordings = overrides
            .recordings
            .map(|path| current.join(path))
            .or_else(|| project.recordings.map(|path| folder.join(path)))
            .unwrap_or_else(|| home.join("recordings"));
        Ok(Self { home, recordings, device: overrides.device.or(project.device) })
    }
}

fn default_home() -> PathBuf {
    std::env::var_os("HOME").map_or_else(|| PathBuf::from("."), PathBuf::from).join(".simdrive")
}

/// The nearest `simdrive.toml`, here or in a folder above, and where it lies.
fn project_file(from: &Path) -> Result<(PathBuf, ProjectFile), ConfigError> {
    for folder in from.ancestors() {
        let path = folder.join("simdrive.toml");
        match std::fs::read_to_string(&path) {
            Ok(text) => {
                let project = toml::from_str(&text)
                    .map_err(|e| ConfigError { path, reason: e.to_string().trim_end().to_owned() })?;
                return Ok((folder.to_owned(), project));
            }
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => {}
            Err(e) => return Err(ConfigError { path, reason: e.to_string() }),
        }
    }
    Ok((from.to_owned(), ProjectFile::default()))
}
