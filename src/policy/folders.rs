//! The folders that clients may name paths in: links are followed before anything is said of a path. Uses nothing of
//! this crate but the error.

use std::ffi::OsStr;
use std::path::{Component, Path, PathBuf};

use super::PolicyError;

/// Paths that clients name must lie in one of each of these groups.
#[derive(Clone, Debug, Default)]
pub struct Folders {
    groups: Vec<Vec<PathBuf>>,
}

impl Folders {
    /// The folders of one group. One that is not there yet may come to be.
    pub fn of(folders: Vec<PathBuf>) -> Self {
        Self { groups: vec![folders] }
    }

    /// The same, narrowed to what also lies in one of these.
    pub fn within(mut self, folders: Vec<PathBuf>) -> Self {
        self.groups.push(folders);
        self
    }

    /// # Errors
    /// The path leads up, or out of the folders, be it by a link on its way.
    pub fn admit(&self, path: &Path) -> Result<(), PolicyError> {
        if path.components().any(|part| part == Component::ParentDir) {
            return Err(PolicyError::LeadsUp { path: path.to_owned() });
        }
        let outside = |leads: Option<PathBuf>, folders: &[PathBuf]| PolicyError::Outside {
            path: path.to_owned(),
            leads: leads.filter(|leads| leads != path),
            folders: folders.iter().map(|folder| folder.display().to_string()).collect::<Vec<_>>().join(", "),
        };
        let Some(leads) = resolved(path) else { return Err(outside(None, &self.groups.concat())) };
        for folders in &self.groups {
            let holds = |folder: &PathBuf| resolved(folder).is_some_and(|folder| leads.starts_with(folder));
            if !folders.iter().any(holds) {
                return Err(outside(Some(leads), folders));
            }
        }
        Ok(())
    }
}

/// Where a path leads, its links followed as far as there is something; `None` where a link leads to nothing.
fn resolved(path: &Path) -> Option<PathBuf> {
    let path = std::path::absolute(path).ok()?;
    let mut missing: Vec<&OsStr> = Vec::new();
    for part in path.ancestors() {
        if part.symlink_metadata().is_ok() {
            let mut resolved = part.canonicalize().ok()?;
            resolved.extend(missing.iter().rev());
            return Some(resolved);
        }
        missing.push(part.file_name()?);
    }
    None
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn paths_that_lead_out_are_refused_whichever_way() {
        let dir = tempfile::tempdir().unwrap();
        let (inside, outside) = (dir.path().join("in"), dir.path().join("out"));
        for folder in [&inside, &outside] {
            std::fs::create_dir_all(folder.join("deep")).unwrap();
        }
        symlink(&outside, inside.join("link")).unwrap();
        symlink(dir.path().join("nowhere"), inside.join("dangling")).unwrap();
        symlink(inside.join("deep"), inside.join("fine")).unwrap();
        let folders = Folders::of(vec![inside.clone(), dir.path().join("later")]);
        for (path, passes) in [
            (inside.clone(), true),
            (inside.join("deep/new/file"), true),
            (inside.join("fine/new"), true),
            (dir.path().join("later/on"), true),
            (outside.join("deep"), false),
            (dir.path().join("inn"), false),
            (inside.join("link"), false),
            (inside.join("link/deep/new"), false),
            (inside.join("dangling"), false),
            (inside.join("dangling/new"), false),
            (inside.join("deep/../../out"), false),
            (inside.join("deep/.."), false),
            (PathBuf::from("/"), false),
        ] {
            assert_eq!(folders.admit(&path).is_ok(), passes, "{}", path.display());
        }
        let narrow = folders.within(vec![inside.join("deep")]);
        assert!(narrow.admit(&inside.join("deep/x")).is_ok() && narrow.admit(&inside.join("x")).is_err());
    }
}
