//! Where simdrive keeps what outlives a run. Uses nothing of this crate.

use std::path::PathBuf;

/// `SIMDRIVE_HOME`, else `.simdrive` in the user's folder.
pub fn home() -> PathBuf {
    let of = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    of("SIMDRIVE_HOME").unwrap_or_else(|| of("HOME").unwrap_or_default().join(".simdrive"))
}
