//! What callers did and were refused: one JSON line each in `SIMDRIVE_HOME/audit.jsonl`. Uses the types.
//!
//! Neither typed text, nor secrets, nor tokens, nor values of fields are written: of a target its role and label, of
//! the screen its hash.

use std::collections::VecDeque;
use std::fs::{File, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::net::IpAddr;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use chrono::{SecondsFormat, Utc};
use serde::Serialize;

use crate::code::ErrorCode;
use crate::mark::Mark;
use crate::observe::Observation;

/// The log, open for appending. It is made readable by its owner only.
#[derive(Debug)]
pub struct AuditLog {
    path: PathBuf,
    file: Mutex<File>,
    /// What this process wrote last.
    written: Mutex<VecDeque<String>>,
}

/// So much of the end of the file is looked at, in bytes.
const TAIL: u64 = 256 * 1024;
/// Lines of its own that a process remembers.
const REMEMBERED: usize = 200;

#[derive(Serialize)]
struct Entry<'e> {
    time: String,
    /// The client's own name.
    #[serde(skip_serializing_if = "Option::is_none")]
    who: Option<&'e str>,
    tool: &'e str,
    #[serde(flatten)]
    facts: &'e Facts,
    verdict: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    code: Option<ErrorCode>,
}

/// A request that came to no tool.
#[derive(Serialize)]
struct RefusedRequest<'e> {
    time: String,
    peer: IpAddr,
    verdict: &'static str,
    status: u16,
    why: &'e str,
}

/// What an operation says of itself while it runs.
#[derive(Clone, Debug, Default, Serialize)]
struct Facts {
    #[serde(skip_serializing_if = "Option::is_none")]
    session: Option<String>,
    /// Role and label.
    #[serde(skip_serializing_if = "Option::is_none")]
    target: Option<String>,
    /// Hash of the pixels it was seen on.
    #[serde(skip_serializing_if = "Option::is_none")]
    frame: Option<String>,
}

/// Where an operation leaves what the log is to say of it.
#[derive(Clone, Debug, Default)]
pub struct AuditNote {
    facts: Arc<Mutex<Facts>>,
}

impl AuditNote {
    pub fn session(&self, id: &str) {
        self.with(|facts| facts.session = Some(id.to_owned()));
    }

    pub fn target(&self, mark: &Mark, seen: &Observation) {
        self.with(|facts| {
            facts.target = Some(format!("{} “{}”", mark.role, mark.label));
            facts.frame = Some(seen.frame.hash().to_owned());
        });
    }

    fn with<T>(&self, change: impl FnOnce(&mut Facts) -> T) -> T {
        change(&mut self.facts.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl AuditLog {
    /// # Errors
    /// The file can't be made.
    pub fn at(path: &Path) -> std::io::Result<Self> {
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder)?;
        }
        let file = OpenOptions::new().append(true).create(true).mode(0o600).open(path)?;
        Ok(Self { path: path.to_owned(), file: Mutex::new(file), written: Mutex::default() })
    }

    /// The last lines of the file, at most so many, the oldest first; other processes may have written some of them.
    ///
    /// # Errors
    /// The file can't be read.
    pub fn last_lines(&self, most: usize) -> std::io::Result<Vec<String>> {
        let mut file = File::open(&self.path)?;
        let length = file.metadata()?.len();
        file.seek(SeekFrom::Start(length.saturating_sub(TAIL)))?;
        let mut tail = Vec::new();
        file.take(TAIL).read_to_end(&mut tail)?;
        let tail = String::from_utf8_lossy(&tail);
        // where the file is longer, the first line is a part of one
        let lines: Vec<&str> = tail.lines().skip(usize::from(length > TAIL)).collect();
        Ok(lines[lines.len().saturating_sub(most)..].iter().map(|line| (*line).to_owned()).collect())
    }

    /// The last lines that this process wrote, the oldest first.
    pub fn written(&self) -> Vec<String> {
        self.written.lock().unwrap_or_else(PoisonError::into_inner).iter().cloned().collect()
    }

    /// One line; `failed` is the code of what did not go well.
    pub fn write(&self, tool: &str, who: Option<&str>, note: &AuditNote, failed: Option<ErrorCode>) {
        let verdict = match failed {
            None => "done",
            Some(ErrorCode::PolicyDenied | ErrorCode::LimitExceeded) => "denied",
            Some(ErrorCode::ConfirmationRequired) => "to_confirm",
            Some(_) => "failed",
        };
        self.append(tool, who, note, verdict, failed);
    }

    /// Somebody did not agree to this tap on a target, by its role and label.
    pub fn declined(&self, tool: &str, who: Option<&str>, session: &str, target: &str) {
        let note = AuditNote::default();
        note.session(session);
        note.with(|facts| facts.target = Some(target.to_owned()));
        self.append(tool, who, &note, "declined", Some(ErrorCode::PolicyDenied));
    }

    fn append(
        &self,
        tool: &str,
        who: Option<&str>,
        note: &AuditNote,
        verdict: &'static str,
        code: Option<ErrorCode>,
    ) {
        let facts = note.with(|facts| facts.clone());
        self.line(&Entry { time: now(), who, tool, facts: &facts, verdict, code });
    }

    /// A request over HTTP was not let in.
    pub fn request_refused(&self, peer: IpAddr, status: u16, why: &str) {
        self.line(&RefusedRequest { time: now(), peer, verdict: "denied", status, why });
    }

    fn line(&self, entry: &impl Serialize) {
        let Ok(mut line) = serde_json::to_string(entry) else { return };
        let mut written = self.written.lock().unwrap_or_else(PoisonError::into_inner);
        written.push_back(line.clone());
        if written.len() > REMEMBERED {
            written.pop_front();
        }
        drop(written);
        line.push('\n');
        // one write a line, so that servers that share the file don't mix theirs
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        if let Err(e) = file.write_all(line.as_bytes()) {
            tracing::error!("the audit log can't be written: {e}");
        }
    }
}

fn now() -> String {
    Utc::now().to_rfc3339_opts(SecondsFormat::Millis, true)
}
