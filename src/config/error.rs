//! Why there is no configuration. Uses `origin`.

use std::path::PathBuf;

use super::Origin;

#[derive(Clone, Debug, thiserror::Error)]
pub enum ConfigError {
    #[error("{}: it can't be read: {reason}", file.display())]
    Unreadable { file: PathBuf, reason: String },
    /// A key that isn't known, and the nearest that is.
    #[error("{at}: unknown key `{key}`; did you mean `{near}`?")]
    UnknownKey { at: Origin, key: String, near: String },
    #[error("{at}: {message}")]
    Invalid { at: Origin, message: String },
    /// A key that only the user's own file may hold.
    #[error(
        "{at}: `{key}` would loosen what the user decided: it is for the user's own config.toml, not a project's file"
    )]
    NotOfProjects { at: Origin, key: String },
}
