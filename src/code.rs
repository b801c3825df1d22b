//! The stable error codes (design.md section 5). A code never changes its meaning. Uses nothing of this crate.

use std::fmt;

use serde::{Deserialize, Serialize};

macro_rules! codes {
    ($($variant:ident => $name:literal),* $(,)?) => {
        /// What went wrong, as agents and scripts match it.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
        pub enum ErrorCode {
            $(#[serde(rename = $name)] $variant,)*
        }

        impl ErrorCode {
            pub const ALL: &'static [ErrorCode] = &[$(ErrorCode::$variant),*];

            pub fn as_str(self) -> &'static str {
                match self { $(ErrorCode::$variant => $name),* }
            }
        }
    };
}

codes! {
    NoSession => "no_session",
    SessionExists => "session_exists",
    DeviceNotFound => "device_not_found",
    DeviceUnreachable => "device_unreachable",
    DeviceBusy => "device_busy",
    NoObservation => "no_observation",
    TargetNotFound => "target_not_found",
    TargetAmbiguous => "target_ambiguous",
    TargetStale => "target_stale",
    TargetCovered => "target_covered",
    TargetDisabled => "target_disabled",
    TargetOffscreen => "target_offscreen",
    TextUnsupported => "text_unsupported",
    NotRecording => "not_recording",
    AlreadyRecording => "already_recording",
    RecordingNotFound => "recording_not_found",
    RecordingExists => "recording_exists",
    RecordingInvalid => "recording_invalid",
    RecordingVersion => "recording_version",
    ReplayDrift => "replay_drift",
    AppNotInstalled => "app_not_installed",
    AppCrashed => "app_crashed",
    PolicyDenied => "policy_denied",
    ConfirmationRequired => "confirmation_required",
    UnsupportedOnTarget => "unsupported_on_target",
    InvalidArgument => "invalid_argument",
    RequiresUnmet => "requires_unmet",
    SecretUnset => "secret_unset",
    LimitExceeded => "limit_exceeded",
    Cancelled => "cancelled",
    Timeout => "timeout",
    Internal => "internal",
}

impl fmt::Display for ErrorCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}
