//! Whose a process is, kept in a file, so that a later run ends what a killed one left behind and nothing else.
//! Uses `command` and `files`.
//!
//! A process is known by its id and the moment of its start: ids are used again, moments are not.

use std::path::{Path, PathBuf};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process_group};
use serde::{Deserialize, Serialize};

use super::Command;
use crate::files::write_atomically;

/// How long what was left behind may take to end, at each of two requests.
const GRACE: Duration = Duration::from_secs(2);

/// A process that this one owns.
#[derive(Clone, Debug)]
pub struct Owned {
    file: PathBuf,
    /// Removed with the process, such as the folder of its socket.
    leavings: Option<PathBuf>,
}

#[derive(Debug, Serialize, Deserialize)]
struct Record {
    child: Identity,
    owner: Identity,
    leavings: Option<PathBuf>,
}

#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Identity {
    pid: i32,
    /// As `ps` tells it.
    started: String,
}

impl Owned {
    /// A record in `folder`, named after what the process serves.
    pub fn new(folder: &Path, serves: &str, leavings: Option<PathBuf>) -> Self {
        let plain = |c: char| if c.is_ascii_alphanumeric() || c == '-' { c } else { '_' };
        let name: String = serves.chars().map(plain).collect();
        Self { file: folder.join(format!("{name}.{}.json", std::process::id())), leavings }
    }

    /// Writes the record, in a thread of its own: it asks `ps`. Without it only the clean-up after `kill -9` is lost.
    pub(super) fn record(&self, pid: i32) {
        let this = self.clone();
        tokio::spawn(async move {
            if let Err(reason) = this.write(pid).await {
                tracing::warn!("{} can't be written: {reason}", this.file.display());
            }
        });
    }

    async fn write(&self, pid: i32) -> Result<(), String> {
        let own = i32::try_from(std::process::id()).map_err(|e| e.to_string())?;
        let (child, owner) = tokio::join!(Identity::of(pid), Identity::of(own));
        let (Some(child), Some(owner)) = (child, owner) else { return Ok(()) };
        let record = Record { child, owner, leavings: self.leavings.clone() };
        let text = serde_json::to_string(&record).map_err(|e| e.to_string())?;
        let folder = self.file.parent().unwrap_or(Path::new("."));
        let written = std::fs::create_dir_all(folder)
            .and_then(|()| write_atomically(&self.file, text.as_bytes(), 0o600));
        written.map_err(|e| e.to_string())
    }

    pub(super) fn forget(&self) {
        // where it was never written there is nothing to remove
        let _ = std::fs::remove_file(&self.file);
    }
}

impl Identity {
    async fn of(pid: i32) -> Option<Self> {
        let ps = Command::new("ps").arguments(["-o", "lstart=", "-p", &pid.to_string()]);
        let finished = ps.environment("LC_ALL", "C").run(Duration::from_secs(5)).await.ok()?;
        let started = finished.text().trim().to_owned();
        (!started.is_empty()).then_some(Self { pid, started })
    }

    /// Whether that very process still is.
    async fn is_alive(&self) -> bool {
        Self::of(self.pid).await.as_ref() == Some(self)
    }
}

/// Ends what runs of simdrive that were killed have left behind, as the records in `folder` tell, and gives their
/// process ids. What belongs to a run that goes on, or was never ours, is left alone.
pub async fn reclaim(folder: &Path) -> Vec<i32> {
    let mut ended = Vec::new();
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    for file in entries.map(|entry| entry.path()).filter(|path| path.extension().is_some_and(|e| e == "json"))
    {
        let Ok(text) = std::fs::read(&file) else { continue };
        let Ok(record) = serde_json::from_slice::<Record>(&text) else { continue };
        if record.owner.is_alive().await {
            continue;
        }
        if record.child.is_alive().await {
            end(&record.child).await;
            ended.push(record.child.pid);
        }
        if let Some(leavings) = record.leavings.filter(|l| l.starts_with(std::env::temp_dir())) {
            // nothing may be left of it
            let _ = std::fs::remove_dir_all(leavings);
        }
        let _ = std::fs::remove_file(&file);
    }
    ended
}

async fn end(child: &Identity) {
    let Some(pid) = Pid::from_raw(child.pid) else { return };
    // one with a file to finish does so when it is interrupted
    for signal in [Signal::INT, Signal::TERM] {
        // one that has gone meanwhile needs no signal
        let _ = kill_process_group(pid, signal);
        let end = tokio::time::Instant::now() + GRACE;
        while tokio::time::Instant::now() < end {
            if !child.is_alive().await {
                return;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }
    let _ = kill_process_group(pid, Signal::KILL);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn child() -> std::process::Child {
        use std::os::unix::process::CommandExt;
        std::process::Command::new("sleep").arg("60").process_group(0).spawn().unwrap()
    }

    fn write(folder: &Path, name: &str, child: Identity, owner: Identity) {
        let record = Record { child, owner, leavings: None };
        std::fs::write(folder.join(name), serde_json::to_vec(&record).unwrap()).unwrap();
    }

    #[tokio::test]
    async fn only_what_a_dead_run_left_behind_is_ended() {
        let folder = tempfile::tempdir().unwrap();
        let own = std::process::id() as i32;
        let (mut orphan, mut ours, mut anothers) = (child(), child(), child());
        let of = |child: &std::process::Child| Identity::of(child.id() as i32);
        let gone = || Identity { pid: own, started: "Thu Jan  1 00:00:00 1970".into() };
        write(folder.path(), "orphan.json", of(&orphan).await.unwrap(), gone());
        write(folder.path(), "ours.json", of(&ours).await.unwrap(), Identity::of(own).await.unwrap());
        // the id was used again by somebody else's process
        let reused = Identity { pid: anothers.id() as i32, started: "Thu Jan  1 00:00:00 1970".into() };
        write(folder.path(), "reused.json", reused, gone());
        std::fs::write(folder.path().join("broken.json"), "{").unwrap();

        let waiting = std::thread::spawn(move || orphan.wait().unwrap());
        assert_eq!(reclaim(folder.path()).await.len(), 1);
        assert!(!waiting.join().unwrap().success());
        for child in [&mut ours, &mut anothers] {
            assert!(child.try_wait().unwrap().is_none(), "it was not ours to end");
            child.kill().unwrap();
            child.wait().unwrap();
        }
        assert!(!folder.path().join("orphan.json").exists() && folder.path().join("ours.json").exists());
    }
}
