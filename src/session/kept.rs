//! What of a session outlives its server: `SIMDRIVE_HOME/sessions/ID/session.json`. Uses `files`, `observe`.
//!
//! Who serves a session holds the lock of its folder, and a dead process holds none: so a server that was killed
//! leaves folders that another may go on with. A session that ended leaves nothing.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::SessionError;
use crate::files::write_atomically;
use crate::observe::Numbering;
use crate::recording::Setup;

const FILE: &str = "session.json";
const LOCK: &str = ".lock";
/// Read and written by nobody else: the environment of an app may hold secrets.
const MODE: u32 = 0o600;
/// Numbers are set aside so many at a time, so that few looks have to write.
const SET_ASIDE: Numbering = Numbering { marks: 256, looks: 64 };
/// What was left behind for longer is deleted.
const FORGOTTEN_AFTER: Duration = Duration::from_secs(7 * 24 * 3600);

/// What another server needs to go on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Facts {
    pub selector: String,
    /// Bundle id.
    pub app: Option<String>,
    pub pid: Option<u64>,
    pub setup: Setup,
    /// Unix seconds.
    pub started: u64,
    /// Numbers up to these may have been given.
    pub numbering: Numbering,
}

/// The folder that sessions are kept in.
#[derive(Clone, Debug)]
pub struct KeptSessions {
    root: PathBuf,
}

/// One session that this process serves.
#[derive(Debug)]
pub struct Kept {
    dir: PathBuf,
    facts: Mutex<Facts>,
    /// Held, not read.
    _lock: File,
}

impl KeptSessions {
    pub fn at(root: impl Into<PathBuf>) -> Self {
        Self { root: root.into() }
    }

    /// Keeps a session under a free name.
    ///
    /// # Errors
    /// The folder can't be written.
    pub fn keep(&self, facts: Facts) -> io::Result<(String, Kept)> {
        fs::create_dir_all(&self.root)?;
        self.delete_the_forgotten();
        let mut number = 1_u32;
        loop {
            let id = format!("s{number}");
            let dir = self.root.join(&id);
            match fs::create_dir(&dir) {
                Ok(()) => {
                    let lock = lock_file(&dir)?;
                    lock.lock()?;
                    let kept = Kept { dir, facts: Mutex::new(facts.clone()), _lock: lock };
                    kept.set_aside(facts.numbering)?;
                    return Ok((id, kept));
                }
                Err(taken) if taken.kind() == io::ErrorKind::AlreadyExists => number += 1,
                Err(error) => return Err(error),
            }
        }
    }

    /// A session whose server was killed, to go on with.
    ///
    /// # Errors
    /// There is no such session, or a server serves it.
    pub fn reopen(&self, id: &str) -> Result<(Kept, Facts), SessionError> {
        let unknown = || SessionError::NotLeft { id: id.to_owned(), left: self.left() };
        if !is_name(id) || !self.root.join(id).join(FILE).is_file() {
            return Err(unknown());
        }
        let dir = self.root.join(id);
        let lock = lock_file(&dir).map_err(|_| unknown())?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(SessionError::Served(id.to_owned())),
            Err(TryLockError::Error(_)) => return Err(unknown()),
        }
        let facts = read(&dir).ok_or_else(unknown)?;
        Ok((Kept { dir, facts: Mutex::new(facts.clone()), _lock: lock }, facts))
    }

    /// The sessions that can be gone on with: their names and devices.
    pub fn left(&self) -> Vec<(String, String)> {
        let mut left: Vec<(String, String)> = self
            .folders()
            .filter(|(_, dir)| is_free(dir))
            .filter_map(|(id, dir)| Some((id, read(&dir)?.selector)))
            .collect();
        left.sort();
        left
    }

    fn folders(&self) -> impl Iterator<Item = (String, PathBuf)> {
        let entries = fs::read_dir(&self.root).into_iter().flatten().flatten();
        let named = entries.map(|entry| (entry.file_name().to_string_lossy().into_owned(), entry.path()));
        named.filter(|(id, _)| is_name(id))
    }

    fn delete_the_forgotten(&self) {
        let is_old = |dir: &Path| {
            let changed = fs::metadata(dir).and_then(|m| m.modified());
            changed.is_ok_and(|changed| changed.elapsed().is_ok_and(|age| age > FORGOTTEN_AFTER))
        };
        for (id, dir) in self.folders().filter(|(_, dir)| is_old(dir) && is_free(dir)) {
            if let Err(error) = fs::remove_dir_all(&dir) {
                tracing::warn!("the session {id}, left long ago, can't be deleted: {error}");
            }
        }
    }
}

impl Kept {
    /// Whether numbers were given that are not set aside.
    pub fn lacks(&self, given: Numbering) -> bool {
        let aside = self.facts().numbering;
        given.marks > aside.marks || given.looks > aside.looks
    }

    /// Sets numbers aside beyond those that were given.
    ///
    /// # Errors
    /// The file can't be written.
    pub fn set_aside(&self, given: Numbering) -> io::Result<()> {
        let numbering = Numbering {
            marks: given.marks.saturating_add(SET_ASIDE.marks),
            looks: given.looks.saturating_add(SET_ASIDE.looks),
        };
        self.write(Facts { numbering, ..self.facts() })
    }

    /// The app as it now runs.
    ///
    /// # Errors
    /// The file can't be written.
    pub fn note_app(&self, pid: Option<u64>) -> io::Result<()> {
        let facts = Facts { pid, ..self.facts() };
        self.write(facts)
    }

    /// Nothing is left of a session that ended.
    ///
    /// # Errors
    /// The folder can't be deleted.
    pub fn delete(&self) -> io::Result<()> {
        fs::remove_dir_all(&self.dir)
    }

    fn write(&self, facts: Facts) -> io::Result<()> {
        let json = serde_json::to_vec_pretty(&facts)?;
        write_atomically(&self.dir.join(FILE), &json, MODE)?;
        *self.facts.lock().unwrap_or_else(PoisonError::into_inner) = facts;
        Ok(())
    }

    fn facts(&self) -> Facts {
        self.facts.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// `s` and a number; nothing that leads elsewhere.
fn is_name(id: &str) -> bool {
    id.strip_prefix('s').is_some_and(|number| {
        (1..=9).contains(&number.len()) && number.bytes().all(|digit| digit.is_ascii_digit())
    })
}

fn lock_file(dir: &Path) -> io::Result<File> {
    OpenOptions::new().create(true).truncate(false).write(true).open(dir.join(LOCK))
}

fn is_free(dir: &Path) -> bool {
    lock_file(dir).is_ok_and(|lock| lock.try_lock().is_ok())
}

fn read(dir: &Path) -> Option<Facts> {
    serde_json::from_slice(&fs::read(dir.join(FILE)).ok()?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facts() -> Facts {
        Facts {
            selector: "idb+unix:///tmp/a.sock".into(),
            app: Some("com.example.demo".into()),
            pid: Some(7),
            setup: Setup::default(),
            started: 1,
            numbering: Numbering::default(),
        }
    }

    #[test]
    fn a_session_is_gone_on_with_once_its_server_is_dead_and_numbers_go_on() {
        let dir = tempfile::tempdir().unwrap();
        let sessions = KeptSessions::at(dir.path().join("sessions"));
        let (id, kept) = sessions.keep(facts()).unwrap();
        assert_eq!(sessions.keep(facts()).unwrap().0, "s2");
        assert!(!kept.lacks(Numbering { marks: 14, looks: 4 }), "few looks have to write");
        let many = Numbering { marks: 1_000, looks: 4 };
        assert!(kept.lacks(many));
        kept.set_aside(many).unwrap();
        assert!(!kept.lacks(many));

        assert!(matches!(sessions.reopen(&id), Err(SessionError::Served(_))));
        drop(kept);
        // `s2` was let go of at once
        assert_eq!(sessions.left().len(), 2);
        let (kept, again) = sessions.reopen(&id).unwrap();
        assert_eq!((again.selector, again.pid), (facts().selector, Some(7)));
        assert!(again.numbering.marks >= 1_000 && again.numbering.looks >= 4, "{:?}", again.numbering);
        kept.delete().unwrap();
        assert!(matches!(sessions.reopen(&id), Err(SessionError::NotLeft { left, .. }) if left.len() == 1));
    }

    #[test]
    fn names_that_lead_elsewhere_and_broken_files_are_no_sessions() {
        let dir = tempfile::tempdir().unwrap();
        let sessions = KeptSessions::at(dir.path());
        let (id, kept) = sessions.keep(facts()).unwrap();
        drop(kept);
        for name in ["../s1", "", "s", "sx", "s1/../s1", "S1"] {
            assert!(matches!(sessions.reopen(name), Err(SessionError::NotLeft { .. })), "{name}");
        }
        fs::write(dir.path().join(&id).join(FILE), "{\"selector\":").unwrap();
        assert!(sessions.reopen(&id).is_err() && sessions.left().is_empty());
    }
}
