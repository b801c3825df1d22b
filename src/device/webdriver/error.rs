//! What a WebDriver server says went wrong. Uses the device error.

use std::time::Duration;

use crate::device::DeviceError;

macro_rules! protocol_errors {
    ($($variant:ident => $name:literal),* $(,)?) => {
        /// The error codes of the protocol.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum ProtocolError {
            $($variant,)*
            /// One that the protocol does not know, or none.
            Other,
        }

        impl ProtocolError {
            pub fn named(name: &str) -> Self {
                match name { $($name => Self::$variant,)* _ => Self::Other }
            }
        }
    };
}

protocol_errors! {
    DetachedShadowRoot => "detached shadow root",
    ElementClickIntercepted => "element click intercepted",
    ElementNotInteractable => "element not interactable",
    InsecureCertificate => "insecure certificate",
    InvalidArgument => "invalid argument",
    InvalidCookieDomain => "invalid cookie domain",
    InvalidElementState => "invalid element state",
    InvalidSelector => "invalid selector",
    InvalidSessionId => "invalid session id",
    JavascriptError => "javascript error",
    MoveTargetOutOfBounds => "move target out of bounds",
    NoSuchAlert => "no such alert",
    NoSuchCookie => "no such cookie",
    NoSuchElement => "no such element",
    NoSuchFrame => "no such frame",
    NoSuchWindow => "no such window",
    ScriptTimeout => "script timeout",
    SessionNotCreated => "session not created",
    StaleElementReference => "stale element reference",
    Timeout => "timeout",
    UnableToCaptureScreen => "unable to capture screen",
    UnableToSetCookie => "unable to set cookie",
    UnexpectedAlertOpen => "unexpected alert open",
    UnknownCommand => "unknown command",
    UnknownError => "unknown error",
    UnknownMethod => "unknown method",
    UnsupportedOperation => "unsupported operation",
}

/// Why an exchange with a server came to nothing.
#[derive(Clone, Debug)]
pub enum Failure {
    /// The server answered with an error.
    Told {
        error: ProtocolError,
        message: String,
    },
    /// No connection, or one that broke: nobody knows whether the command was carried out.
    Transport(String),
    Timeout(Duration),
    /// An answer that is none of the protocol's.
    Unreadable(String),
}

impl Failure {
    pub fn is(&self, wanted: ProtocolError) -> bool {
        matches!(self, Self::Told { error, .. } if *error == wanted)
    }

    /// Asking again may go well: the connection broke, or the screen changed while it was read.
    pub fn is_passing(&self) -> bool {
        match self {
            Self::Transport(_) | Self::Unreadable(_) => true,
            Self::Told { error, .. } => {
                matches!(error, ProtocolError::StaleElementReference | ProtocolError::UnableToCaptureScreen)
            }
            Self::Timeout(_) => false,
        }
    }

    /// The server has no such command.
    pub fn is_unknown_command(&self) -> bool {
        matches!(
            self,
            Self::Told {
                error: ProtocolError::UnknownCommand
                    | ProtocolError::UnknownMethod
                    | ProtocolError::UnsupportedOperation,
                ..
            }
        )
    }

    /// As the device's error of `call`.
    pub fn of(self, device: &str, call: &'static str) -> DeviceError {
        let device = device.to_owned();
        match self {
            Self::Transport(reason) => DeviceError::Unreachable { device, reason },
            Self::Timeout(after) => DeviceError::Timeout { device, call, after },
            Self::Unreadable(reason) => DeviceError::Malformed { device, call, reason },
            Self::Told { error, message } => match error {
                ProtocolError::InvalidArgument | ProtocolError::MoveTargetOutOfBounds => {
                    DeviceError::InvalidRequest { device, call, reason: message }
                }
                ProtocolError::UnknownCommand
                | ProtocolError::UnknownMethod
                | ProtocolError::UnsupportedOperation => DeviceError::Unsupported {
                    device,
                    what: format!("`{call}`"),
                    instead: "its WebDriver server has no such command".to_owned(),
                },
                ProtocolError::SessionNotCreated | ProtocolError::InvalidSessionId => {
                    DeviceError::Unreachable { device, reason: message }
                }
                ProtocolError::UnexpectedAlertOpen => DeviceError::Refused {
                    device,
                    call,
                    reason: "an alert is open: observe, and answer it first".to_owned(),
                },
                _ => DeviceError::Refused { device, call, reason: message },
            },
        }
    }
}
