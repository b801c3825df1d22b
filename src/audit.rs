//! What callers did and were refused: one JSON line each in `SIMDRIVE_HOME/audit.jsonl`. Uses the types.
//!
//! Neither typed text, nor secrets, nor tokens, nor values of fields are written: of a target its role and label, of
//! the screen its hash.

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use chrono::{SecondsFormat, Utc};
use serde::Serialize;

use crate::code::ErrorCode;
use crate::mark::Mark;
use crate::observe::Observation;

/// The log, open for appending. It is made readable by its owner only.
#[derive(Debug)]
pub struct AuditLog {
    file: Mutex<File>,
}

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
        Ok(Self { file: Mutex::new(file) })
    }

    /// One line; `failed` is the code of what did not go well.
    pub fn write(&self, tool: &str, who: Option<&str>, note: &AuditNote, failed: Option<ErrorCode>) {
        let facts = note.with(|facts| facts.clone());
        let verdict = match failed {
            None => "done",
            Some(ErrorCode::PolicyDenied | ErrorCode::LimitExceeded) => "denied",
            Some(ErrorCode::ConfirmationRequired) => "to_confirm",
            Some(_) => "failed",
        };
        let time = Utc::now().to_rfc3339_opts(SecondsFormat::Millis, true);
        let entry = Entry { time, who, tool, facts: &facts, verdict, code: failed };
        let Ok(mut line) = serde_json::to_vec(&entry) else { return };
        line.push(b'\n');
        // one write a line, so that servers that share the file don't mix theirs
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        if let Err(e) = file.write_all(&line) {
            tracing::error!("the audit log can't be written: {e}");
        }
    }
}
