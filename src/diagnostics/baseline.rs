//! Profiles that later ones are compared with: by label on disk, without one for the session. Uses `perf`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use super::perf::Profile;
use crate::files::write_atomically;

/// A profile, and when and where it was taken.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Baseline {
    pub app: String,
    /// Such as `iPhone 16, iOS 18.2`.
    pub device: String,
    pub taken: DateTime<Utc>,
    pub profile: Profile,
}

/// Why a baseline is not had.
#[derive(Debug, thiserror::Error)]
pub enum BaselineError {
    #[error("`{0}` is no label: letters, digits, `-`, `_` and `.`, 64 at most, a letter or digit first")]
    Label(String),
    #[error("there is no baseline `{label}` of {app}; there are: {}", known.join(", "))]
    Unknown { label: String, app: String, known: Vec<String> },
    #[error("this session has no baseline of {0}")]
    NoneTaken(String),
    #[error("{}: {reason}", path.display())]
    File { path: PathBuf, reason: String },
}

/// All baselines that can be compared with.
#[derive(Debug)]
pub struct Baselines {
    folder: PathBuf,
    /// By session and app.
    of_sessions: Mutex<BTreeMap<(String, String), Baseline>>,
}

impl Baselines {
    /// Labelled ones are files in `folder`.
    pub fn at(folder: impl Into<PathBuf>) -> Self {
        Self { folder: folder.into(), of_sessions: Mutex::default() }
    }

    /// Keeps it for the session, and under its label where it has one; gives the file.
    ///
    /// # Errors
    /// A label that is none, or a file that can't be written.
    pub fn keep(
        &self,
        session: &str,
        label: Option<&str>,
        baseline: &Baseline,
    ) -> Result<Option<PathBuf>, BaselineError> {
        let path = label.map(|label| self.file(&baseline.app, label)).transpose()?;
        if let Some(path) = &path {
            write(path, baseline)
                .map_err(|e| BaselineError::File { path: path.clone(), reason: e.to_string() })?;
        }
        let key = (session.to_owned(), baseline.app.clone());
        self.of_sessions.lock().unwrap_or_else(PoisonError::into_inner).insert(key, baseline.clone());
        Ok(path)
    }

    /// The one with this label, else the session's own.
    ///
    /// # Errors
    /// There is none, or its file can't be read.
    pub fn find(&self, session: &str, label: Option<&str>, app: &str) -> Result<Baseline, BaselineError> {
        let Some(label) = label else {
            let key = (session.to_owned(), app.to_owned());
            let kept = self.of_sessions.lock().unwrap_or_else(PoisonError::into_inner).get(&key).cloned();
            return kept.ok_or_else(|| BaselineError::NoneTaken(app.to_owned()));
        };
        let path = self.file(app, label)?;
        let Ok(text) = std::fs::read(&path) else {
            let known = self.labels(app);
            return Err(BaselineError::Unknown { label: label.to_owned(), app: app.to_owned(), known });
        };
        serde_json::from_slice(&text).map_err(|e| BaselineError::File { path, reason: e.to_string() })
    }

    fn labels(&self, app: &str) -> Vec<String> {
        let entries = std::fs::read_dir(self.folder.join(plain(app))).into_iter().flatten().flatten();
        let name = |path: PathBuf| Some(path.file_stem()?.to_str()?.to_owned());
        let mut labels: Vec<String> = entries.filter_map(|entry| name(entry.path())).collect();
        labels.sort();
        labels
    }

    fn file(&self, app: &str, label: &str) -> Result<PathBuf, BaselineError> {
        let valid = label.len() <= 64
            && label.starts_with(|c: char| c.is_ascii_alphanumeric())
            && label.chars().all(|c| c.is_ascii_alphanumeric() || "-_.".contains(c));
        if !valid {
            return Err(BaselineError::Label(label.to_owned()));
        }
        Ok(self.folder.join(plain(app)).join(format!("{label}.json")))
    }
}

/// A bundle id as the name of a folder.
fn plain(app: &str) -> String {
    let keep = |c: char| if c.is_ascii_alphanumeric() || "-.".contains(c) { c } else { '_' };
    app.trim_start_matches('.').chars().map(keep).collect()
}

fn write(path: &Path, baseline: &Baseline) -> std::io::Result<()> {
    std::fs::create_dir_all(path.parent().unwrap_or(Path::new(".")))?;
    write_atomically(path, format!("{:#}\n", serde_json::json!(baseline)).as_bytes(), 0o600)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn baseline(app: &str, threads: u32) -> Baseline {
        let metrics = crate::device::Metrics { cpu_percent: 1.0, memory_bytes: 1, threads };
        Baseline {
            app: app.to_owned(),
            device: "iPhone".to_owned(),
            taken: DateTime::UNIX_EPOCH,
            profile: Profile::of(&[metrics]),
        }
    }

    #[test]
    fn a_baseline_is_found_by_label_or_by_session() {
        let folder = tempfile::tempdir().unwrap();
        let baselines = Baselines::at(folder.path());
        assert!(matches!(baselines.find("s1", None, "app"), Err(BaselineError::NoneTaken(_))));
        assert_eq!(baselines.keep("s1", None, &baseline("app", 1)).unwrap(), None);
        let file = baselines.keep("s2", Some("main"), &baseline("app", 2)).unwrap().unwrap();
        assert!(file.starts_with(folder.path()) && file.is_file());
        let found = |session, label| baselines.find(session, label, "app").unwrap().profile.threads.median;
        assert_eq!((found("s1", None), found("s2", None), found("s1", Some("main"))), (1.0, 2.0, 2.0));
        let unknown = baselines.find("s1", Some("mian"), "app").unwrap_err().to_string();
        assert!(unknown.ends_with("there are: main"), "{unknown}");
        let again = Baselines::at(folder.path());
        assert_eq!(again.find("s9", Some("main"), "app").unwrap(), baseline("app", 2));
    }

    #[test]
    fn a_label_can_not_leave_the_folder() {
        let folder = tempfile::tempdir().unwrap();
        let baselines = Baselines::at(folder.path().join("baselines"));
        for label in ["", "../x", "a/b", ".hidden", "a b", &"x".repeat(65)] {
            let refused = baselines.keep("s1", Some(label), &baseline("app", 1));
            assert!(matches!(refused, Err(BaselineError::Label(_))), "{label}");
        }
        let odd = baselines.keep("s1", Some("x"), &baseline("../../odd/app", 1)).unwrap().unwrap();
        assert!(odd.starts_with(folder.path().join("baselines")));
    }
}
