//! Why a session was not had. Uses the errors of the layers below.

use std::path::PathBuf;

use crate::code::ErrorCode;
use crate::device::DeviceError;
use crate::observe::{ObservationId, ObserveError};
use crate::recording::RecordingError;

/// Why a session could not be started, found or used.
#[derive(Debug, thiserror::Error)]
pub enum SessionError {
    #[error("no session is open")]
    NoneOpen,
    #[error("there is no session `{id}`; open are: {}", open.join(", "))]
    Unknown { id: String, open: Vec<String> },
    #[error("there is no session `{id}` to go on with{}", left_words(left))]
    NotLeft { id: String, left: Vec<(String, String)> },
    #[error("the session `{0}` is served by another simdrive")]
    Served(String),
    #[error("several sessions are open ({}): say which", open.join(", "))]
    SayWhich { open: Vec<String> },
    #[error(
        "requests of this client have no session of the protocol, so it is not guessed which one they mean"
    )]
    NameIt { open: Vec<String> },
    #[error("the session `{0}` has ended")]
    Ended(String),
    #[error("{device} has a session already: `{id}`")]
    DeviceTaken { device: String, id: String },
    #[error("{device} is driven by a client in session `{id}`")]
    DeviceBusy { device: String, id: String },
    #[error("{0} is being opened, or replayed on, by another call")]
    DeviceHeld(String),
    #[error("the server is stopping")]
    Stopping,
    #[error("{0} sessions are open, which is the most")]
    TooMany(usize),
    #[error("`{app}` was launched and ended at once: {report}")]
    AppCrashed { app: String, report: String },
    #[error("observation {0} is no longer kept")]
    Forgotten(ObservationId),
    #[error("nothing is being recorded")]
    NotRecording,
    #[error("`{0}` is being recorded already")]
    AlreadyRecording(String),
    #[error("the screen is not being filmed")]
    NotFilming,
    #[error("the screen is being filmed into {} already", .0.display())]
    AlreadyFilming(PathBuf),
    #[error(transparent)]
    Device(#[from] DeviceError),
    #[error(transparent)]
    Observe(#[from] ObserveError),
    #[error(transparent)]
    Recording(#[from] RecordingError),
}

impl SessionError {
    pub fn code(&self) -> ErrorCode {
        match self {
            Self::NoneOpen
            | Self::Unknown { .. }
            | Self::NotLeft { .. }
            | Self::SayWhich { .. }
            | Self::NameIt { .. }
            | Self::Ended(_) => ErrorCode::NoSession,
            Self::DeviceTaken { .. } | Self::Served(_) => ErrorCode::SessionExists,
            Self::DeviceBusy { .. } | Self::DeviceHeld(_) => ErrorCode::DeviceBusy,
            Self::Stopping => ErrorCode::Cancelled,
            Self::TooMany(_) => ErrorCode::LimitExceeded,
            Self::AppCrashed { .. } => ErrorCode::AppCrashed,
            Self::Forgotten(_) => ErrorCode::NoObservation,
            Self::NotRecording | Self::NotFilming => ErrorCode::NotRecording,
            Self::AlreadyRecording(_) | Self::AlreadyFilming(_) => ErrorCode::AlreadyRecording,
            Self::Device(error) => error.code(),
            Self::Observe(error) => error.code(),
            Self::Recording(error) => error.code(),
        }
    }
}

fn left_words(left: &[(String, String)]) -> String {
    if left.is_empty() {
        return String::new();
    }
    let named: Vec<String> = left.iter().map(|(id, device)| format!("`{id}` on {device}")).collect();
    format!("; left behind were {}", named.join(", "))
}
