//! The addresses of what clients may read: parsed, written, and as templates. Uses nothing but errors.

use std::fmt;

use crate::code::ErrorCode;
use crate::operation::OperationError;

const SCHEME: &str = "simdrive://";

/// What one address names. Names in it were not looked up yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Address {
    Recordings,
    Recording { name: String },
    Frame { recording: String, frame: String },
    Observation { session: String },
    Picture { session: String },
    Report { id: String },
    Audit,
}

impl Address {
    /// # Errors
    /// `invalid_argument`: no address of ours. A name that leads elsewhere is refused where it is looked up.
    pub fn parse(uri: &str) -> Result<Self, OperationError> {
        let unknown = || {
            let forms: Vec<&str> = Template::ALL.iter().map(|template| template.uri).collect();
            OperationError::new(ErrorCode::InvalidArgument, format!("nothing is at {uri:?}"))
                .with_hint(format!("there are simdrive://recordings, simdrive://audit, {}", forms.join(", ")))
        };
        let path = uri.strip_prefix(SCHEME).ok_or_else(unknown)?;
        let parts: Vec<&str> = path.split('/').collect();
        let own = |text: &str| text.to_owned();
        Ok(match parts.as_slice() {
            ["recordings"] => Self::Recordings,
            ["recordings", name] => Self::Recording { name: own(name) },
            ["recordings", recording, "frames", frame] => {
                Self::Frame { recording: own(recording), frame: own(frame) }
            }
            ["sessions", session, "observation"] => Self::Observation { session: own(session) },
            ["sessions", session, "picture"] => Self::Picture { session: own(session) },
            ["reports", id] => Self::Report { id: own(id) },
            ["audit"] => Self::Audit,
            _ => return Err(unknown()),
        })
    }

    /// The tool that shows the same: who may not call it may not read this either.
    pub fn tool(&self) -> Option<&'static str> {
        match self {
            Self::Recordings | Self::Recording { .. } | Self::Frame { .. } => Some("list_replays"),
            Self::Observation { .. } | Self::Picture { .. } => Some("observe"),
            Self::Report { .. } => Some("replay"),
            Self::Audit => None,
        }
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(SCHEME)?;
        match self {
            Self::Recordings => f.write_str("recordings"),
            Self::Recording { name } => write!(f, "recordings/{name}"),
            Self::Frame { recording, frame } => write!(f, "recordings/{recording}/frames/{frame}"),
            Self::Observation { session } => write!(f, "sessions/{session}/observation"),
            Self::Picture { session } => write!(f, "sessions/{session}/picture"),
            Self::Report { id } => write!(f, "reports/{id}"),
            Self::Audit => f.write_str("audit"),
        }
    }
}

/// A form of addresses with variables in it.
#[derive(Debug)]
pub struct Template {
    pub uri: &'static str,
    pub name: &'static str,
    pub description: &'static str,
    pub media_type: &'static str,
    tool: &'static str,
}

impl Template {
    pub const ALL: &'static [Self] = &[
        Self {
            uri: "simdrive://recordings/{name}",
            name: "recording",
            description: "A recording's recording.yaml: device, set-up and steps, each naming its frames",
            media_type: "application/yaml",
            tool: "list_replays",
        },
        Self {
            uri: "simdrive://recordings/{name}/frames/{frame}",
            name: "recording frame",
            description: "The screen before or after a step, by the name that recording.yaml gives",
            media_type: "image/png",
            tool: "list_replays",
        },
        Self {
            uri: "simdrive://sessions/{session}/observation",
            name: "last observation",
            description: "What was last seen in a session, as JSON; asks nothing of the device",
            media_type: "application/json",
            tool: "observe",
        },
        Self {
            uri: "simdrive://sessions/{session}/picture",
            name: "last picture",
            description: "The same screen, with numbered marks",
            media_type: "image/jpeg",
            tool: "observe",
        },
        Self {
            uri: "simdrive://reports/{report}",
            name: "replay report",
            description: "The verdicts of a replay that was given report_dir, as JSON",
            media_type: "application/json",
            tool: "replay",
        },
    ];

    /// The tool that shows the same.
    pub fn tool(&self) -> &'static str {
        self.tool
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_come_back_as_they_were_and_others_are_none() {
        for uri in [
            "simdrive://recordings",
            "simdrive://recordings/shop-sign-in",
            "simdrive://recordings/shop-sign-in/frames/00112233445566aa",
            "simdrive://sessions/s1/observation",
            "simdrive://sessions/s1/picture",
            "simdrive://reports/r2",
            "simdrive://audit",
        ] {
            assert_eq!(Address::parse(uri).unwrap().to_string(), uri);
        }
        for uri in [
            "",
            "simdrive:",
            "simdrive://",
            "simdrive://recordings/a/b",
            "simdrive://recordings/../../etc/passwd",
            "file:///etc/passwd",
            "simdrive://audit/",
        ] {
            let error = Address::parse(uri).unwrap_err();
            assert_eq!(error.code, ErrorCode::InvalidArgument, "{uri}");
        }
    }
}
