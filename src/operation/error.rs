//! What every failure becomes on its way to a user: a stable code, one sentence, what to do, and the facts.

use serde_json::{Map, Value, json};

use crate::act::ActError;
use crate::code::ErrorCode;
use crate::config::ConfigError;
use crate::device::DeviceError;
use crate::exit::Exit;
use crate::observe::compact::line;
use crate::observe::{ObserveError, View};
use crate::policy::PolicyError;
use crate::recording::RecordingError;
use crate::session::SessionError;

/// A failure, whichever layer it comes from.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{message}")]
pub struct OperationError {
    pub code: ErrorCode,
    /// What is the case, in one sentence.
    pub message: String,
    /// What to do about it.
    pub hint: Option<String>,
    /// Facts for scripts: candidates, closest labels, the file concerned.
    pub details: Box<Map<String, Value>>,
    /// The same facts for a model, a line for each; the fresh observation last.
    pub text: String,
}

impl OperationError {
    pub fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            hint: hint_for(code).map(str::to_owned),
            details: Box::default(),
            text: String::new(),
        }
    }

    /// An argument that can't be taken; the message names it.
    pub fn invalid(message: impl Into<String>) -> Self {
        Self::new(ErrorCode::InvalidArgument, message)
    }

    /// Something that must not happen: a fault of ours.
    pub fn internal(message: impl Into<String>) -> Self {
        Self::new(ErrorCode::Internal, message)
    }

    /// Nobody waits for it any more.
    pub fn cancelled(what: &str) -> Self {
        Self::new(ErrorCode::Cancelled, format!("{what} was cancelled"))
    }

    pub fn with_hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    pub fn with_detail(mut self, key: &str, value: impl Into<Value>) -> Self {
        self.details.insert(key.to_owned(), value.into());
        self
    }

    pub fn with_text(mut self, text: &str) -> Self {
        if !self.text.is_empty() && !text.is_empty() {
            self.text.push('\n');
        }
        self.text.push_str(text);
        self
    }

    /// Whether it was not allowed, rather than not possible.
    pub fn is_by_policy(&self) -> bool {
        let codes = [ErrorCode::PolicyDenied, ErrorCode::ConfirmationRequired, ErrorCode::LimitExceeded];
        codes.contains(&self.code)
    }

    /// Everything, for a model to read.
    pub fn to_text(&self) -> String {
        let mut out = format!("error {}: {}", self.code, self.message);
        if let Some(hint) = &self.hint {
            out.push_str("\nhint: ");
            out.push_str(hint);
        }
        if !self.text.is_empty() {
            out.push('\n');
            out.push_str(&self.text);
        }
        out
    }

    /// Everything, for a script to read.
    pub fn to_json(&self) -> Value {
        json!({"error": {
            "code": self.code,
            "message": self.message,
            "hint": self.hint,
            "details": self.details,
        }})
    }

    /// How a command that fails with this ends.
    pub fn exit(&self) -> Exit {
        match self.code {
            ErrorCode::DeviceNotFound | ErrorCode::DeviceUnreachable | ErrorCode::DeviceBusy => {
                Exit::NoDevice
            }
            ErrorCode::Timeout => Exit::NoDevice,
            ErrorCode::Cancelled => Exit::Interrupted,
            ErrorCode::Internal => Exit::Internal,
            ErrorCode::ReplayDrift
            | ErrorCode::RequiresUnmet
            | ErrorCode::TargetNotFound
            | ErrorCode::TargetAmbiguous
            | ErrorCode::TargetStale
            | ErrorCode::TargetCovered
            | ErrorCode::TargetDisabled
            | ErrorCode::AppCrashed => Exit::Failed,
            _ => Exit::Invalid,
        }
    }
}

/// What to do, where the layer that failed knows nothing better.
fn hint_for(code: ErrorCode) -> Option<&'static str> {
    Some(match code {
        ErrorCode::NoSession => "call session_start first",
        ErrorCode::SessionExists => "end it with session_end, or pass replace_existing: true",
        ErrorCode::DeviceNotFound => "list_devices names the devices there are; `sim:demo` always works",
        ErrorCode::DeviceUnreachable => "check that it runs; doctor tells what is wrong on this machine",
        ErrorCode::NoObservation => "call observe first, or name the target by its label",
        ErrorCode::TargetNotFound => "observe again; scroll with swipe and `until` if it is out of view",
        ErrorCode::TargetAmbiguous => "name it by mark, or add role, nth or near",
        ErrorCode::TargetStale => "nothing was touched; choose again from the observation below",
        ErrorCode::TargetCovered => "nothing was touched; deal first with what lies over it",
        ErrorCode::TargetDisabled => "nothing was touched; it can't be used until the app enables it",
        ErrorCode::TargetOffscreen => "nothing was touched; coordinates are points of the screen",
        ErrorCode::TextUnsupported => "nothing was typed; leave these characters out",
        ErrorCode::NotRecording => "call record_start first",
        ErrorCode::AlreadyRecording => "finish it with record_stop first",
        ErrorCode::RecordingNotFound => "list_replays names the recordings there are",
        ErrorCode::RecordingExists => "choose another name",
        ErrorCode::AppNotInstalled => "apps lists what is installed",
        ErrorCode::SecretUnset => "set that environment variable where simdrive is started",
        _ => return None,
    })
}

impl From<DeviceError> for OperationError {
    fn from(error: DeviceError) -> Self {
        let details = match &error {
            DeviceError::AppNotInstalled { installed, .. } => Some(("installed", json!(installed))),
            DeviceError::AppCrashed { report, .. } => Some(("report", json!(report))),
            DeviceError::TextUnsupported(characters) => Some(("characters", json!(characters))),
            _ => None,
        };
        let mut this = Self::new(error.code(), error.to_string());
        if let Some((key, value)) = details {
            this = this.with_detail(key, value);
        }
        this
    }
}

impl From<ObserveError> for OperationError {
    fn from(error: ObserveError) -> Self {
        match error {
            ObserveError::Device(error) => error.into(),
            error => Self::new(error.code(), error.to_string()).with_hint(error.hint()),
        }
    }
}

impl From<RecordingError> for OperationError {
    fn from(error: RecordingError) -> Self {
        let mut this = Self::new(error.code(), error.to_string());
        if let Some(place) = error.place() {
            this = this.with_detail("file", place.path.display().to_string());
            if let Some(step) = place.step {
                this = this.with_detail("step", step);
            }
            if let Some(line) = place.line {
                this = this.with_detail("line", line);
            }
        }
        this
    }
}

impl From<SessionError> for OperationError {
    fn from(error: SessionError) -> Self {
        match error {
            SessionError::Device(error) => error.into(),
            SessionError::Observe(error) => error.into(),
            SessionError::Recording(error) => error.into(),
            SessionError::SayWhich { ref open } | SessionError::NameIt { ref open } => {
                let names = open.join(", ");
                Self::new(error.code(), error.to_string()).with_hint(format!("pass `session`: {names}"))
            }
            SessionError::Served(_) => Self::new(error.code(), error.to_string())
                .with_hint("end that server first, or start another session"),
            SessionError::DeviceBusy { device: _, ref id } => Self::new(error.code(), error.to_string())
                .with_hint(
                    "choose another device, or wait; if that session is yours, go on in it or end it first",
                )
                .with_detail("session", id.as_str()),
            SessionError::DeviceHeld(_) => {
                Self::new(error.code(), error.to_string()).with_hint("try again when that is done")
            }
            SessionError::TooMany(_) => {
                Self::new(error.code(), error.to_string()).with_hint("end one with session_end")
            }
            error => Self::new(error.code(), error.to_string()),
        }
    }
}

impl From<ConfigError> for OperationError {
    fn from(error: ConfigError) -> Self {
        Self::invalid(error.to_string()).with_hint("`simdrive config schema` prints the keys that there are")
    }
}

impl From<PolicyError> for OperationError {
    fn from(error: PolicyError) -> Self {
        let mut this = Self::new(error.code(), error.to_string()).with_hint(error.hint());
        if let Some(rule) = error.rule() {
            this = this.with_detail("rule", json!(rule));
        }
        match error {
            PolicyError::Confirmation { token, .. } => {
                let line = format!("confirm: {token}");
                this.with_detail("confirm", token).with_text(&line)
            }
            _ => this,
        }
    }
}

impl From<ActError> for OperationError {
    fn from(error: ActError) -> Self {
        if let ActError::Device(error) = error {
            return error.into();
        }
        let mut this = Self::new(error.code(), error.to_string()).with_hint(error.hint());
        this.details = Box::new(error.details());
        let candidates: Vec<String> = error.candidates().iter().map(|mark| line(mark, true)).collect();
        if !candidates.is_empty() {
            this = this.with_text(&format!("candidates:\n{}", candidates.join("\n")));
        }
        if let Some(seen) = error.observation() {
            this = this.with_detail("observation", seen.to_json(&View::default()));
            this = this.with_text(seen.compact(&View::default()).trim_end());
        }
        this
    }
}
