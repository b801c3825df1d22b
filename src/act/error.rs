//! Why an act was not done, or not confirmed. Uses `observe`, `device` and the types.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Map, Value, json};

use crate::act::cover::Cover;
use crate::code::ErrorCode;
use crate::device::DeviceError;
use crate::geometry::{Point, Size};
use crate::mark::{Mark, MarkId};
use crate::observe::{Observation, ObserveError};

/// Why an act failed. But for [`ActError::Unconfirmed`], [`ActError::KeyboardNotSeen`] and
/// [`ActError::NotReached`] nothing was sent to the device.
#[derive(Clone, Debug, thiserror::Error)]
pub enum ActError {
    #[error("nothing was observed yet, so {0} means nothing")]
    NoObservation(String),
    #[error("{target} is not on the screen{}", closest_words(closest))]
    NotFound { target: String, closest: Vec<String>, observation: Arc<Observation> },
    #[error("{target} fits {} marks: {}", candidates.len(), ids(candidates))]
    Ambiguous { target: String, candidates: Vec<Mark>, observation: Arc<Observation> },
    #[error("{target} was seen before and is gone")]
    Stale { target: String, observation: Arc<Observation> },
    #[error("{target} is covered by {by}")]
    Covered { target: String, by: Cover, observation: Arc<Observation> },
    #[error("{target} is disabled")]
    Disabled { target: String, observation: Arc<Observation> },
    #[error("({}, {}) is outside the screen of {}×{} points", point.x, point.y, size.width, size.height)]
    Offscreen { point: Point, size: Size },
    #[error("these characters can't be typed: {}", quoted(.0))]
    TextUnsupported(Vec<char>),
    #[error("the environment variable `{0}` is not set")]
    SecretUnset(String),
    #[error("the session has ended")]
    SessionEnded,
    #[error("what would be touched has to be confirmed first")]
    Withheld,
    #[error("{0}")]
    Invalid(String),
    #[error("no keyboard came within {} ms after {target} was tapped", after.as_millis())]
    KeyboardNotSeen { target: String, after: Duration, observation: Arc<Observation> },
    #[error("“{label}” did not come into view in {swipes} swipes{}", if *ended { ": the content ends there" } else { "" })]
    NotReached {
        label: String,
        swipes: u32,
        ended: bool,
        closest: Vec<String>,
        observation: Arc<Observation>,
    },
    #[error("{condition} did not come true within {} ms{}", after.as_millis(), closest_words(closest))]
    WaitedInVain { condition: String, after: Duration, closest: Vec<String>, observation: Arc<Observation> },
    /// The touch or the keys went out, or part of them; what came of them is not known.
    #[error("it is not known what came of {what}: {source}")]
    Unconfirmed { what: &'static str, source: Box<ActError> },
    #[error(transparent)]
    Device(#[from] DeviceError),
    #[error(transparent)]
    Observe(#[from] ObserveError),
}

impl ActError {
    pub fn code(&self) -> ErrorCode {
        match self {
            Self::NoObservation(_) => ErrorCode::NoObservation,
            Self::NotFound { .. } | Self::NotReached { .. } => ErrorCode::TargetNotFound,
            Self::Ambiguous { .. } => ErrorCode::TargetAmbiguous,
            Self::Stale { .. } => ErrorCode::TargetStale,
            Self::Covered { .. } => ErrorCode::TargetCovered,
            Self::Disabled { .. } => ErrorCode::TargetDisabled,
            Self::Offscreen { .. } => ErrorCode::TargetOffscreen,
            Self::TextUnsupported(_) => ErrorCode::TextUnsupported,
            Self::SecretUnset(_) => ErrorCode::SecretUnset,
            Self::SessionEnded => ErrorCode::NoSession,
            Self::Withheld => ErrorCode::ConfirmationRequired,
            Self::Invalid(_) => ErrorCode::InvalidArgument,
            Self::KeyboardNotSeen { .. } | Self::WaitedInVain { .. } => ErrorCode::Timeout,
            Self::Unconfirmed { source, .. } => source.code(),
            Self::Device(error) => error.code(),
            Self::Observe(error) => error.code(),
        }
    }

    /// Whether something was sent to the device all the same.
    pub fn reached_the_device(&self) -> bool {
        matches!(self, Self::Unconfirmed { .. } | Self::KeyboardNotSeen { .. } | Self::NotReached { .. })
    }

    /// What to do about it.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::NoObservation(_) => "call observe first, or name the target by its label",
            Self::NotFound { .. } => {
                "choose among what is on the screen, or swipe with `until` to look further"
            }
            Self::Ambiguous { .. } => "name one of them by mark, or add role, nth or near",
            Self::Stale { .. } => {
                "nothing was touched; choose again from the observation that came with this"
            }
            Self::Covered { by: Cover::Keyboard, .. } => {
                "nothing was touched; put the keyboard away first: press_key return, or swipe the content down, or \
                 type_text with submit"
            }
            Self::Covered { .. } => "nothing was touched; deal first with what lies over it",
            Self::Disabled { .. } => "nothing was touched; it can't be used until the app enables it",
            Self::Offscreen { .. } => "nothing was touched; coordinates are points from the top left",
            Self::TextUnsupported(_) => "nothing was typed; leave these characters out",
            Self::SecretUnset(_) => "nothing was typed; set it where simdrive is started",
            Self::SessionEnded => "start another with session_start",
            Self::Withheld => "nothing was touched; `tap` it, which asks for your user's agreement",
            Self::Invalid(_) => "correct the argument and call again",
            Self::KeyboardNotSeen { .. } => {
                "it was tapped once; see in the observation what came of it. A connected hardware keyboard hides \
                 the one on the screen"
            }
            Self::NotReached { .. } => "try the other direction, or a part of the label",
            Self::WaitedInVain { .. } => "see in the observation what is there instead",
            Self::Unconfirmed { .. } => "observe before doing it again: it may have had its effect",
            Self::Device(_) => "check that the device is booted and reachable (`simdrive doctor`)",
            Self::Observe(error) => error.hint(),
        }
    }

    /// The fresh look that the refusal rests on.
    pub fn observation(&self) -> Option<&Arc<Observation>> {
        match self {
            Self::NotFound { observation, .. }
            | Self::Ambiguous { observation, .. }
            | Self::Stale { observation, .. }
            | Self::Covered { observation, .. }
            | Self::Disabled { observation, .. }
            | Self::KeyboardNotSeen { observation, .. }
            | Self::NotReached { observation, .. }
            | Self::WaitedInVain { observation, .. } => Some(observation),
            Self::Unconfirmed { source, .. } => source.observation(),
            _ => None,
        }
    }

    pub fn candidates(&self) -> &[Mark] {
        match self {
            Self::Ambiguous { candidates, .. } => candidates,
            _ => &[],
        }
    }

    /// The labels on the screen that come closest to the one asked for.
    pub fn closest(&self) -> &[String] {
        match self {
            Self::NotFound { closest, .. }
            | Self::NotReached { closest, .. }
            | Self::WaitedInVain { closest, .. } => closest,
            _ => &[],
        }
    }

    /// The facts as JSON, without the observation.
    pub fn details(&self) -> Map<String, Value> {
        let mut details = Map::new();
        match self {
            Self::Ambiguous { candidates, .. } => {
                let fact = |m: &Mark| json!({"id": m.id, "role": m.role, "label": m.label, "frame": m.frame});
                details.insert("candidates".into(), candidates.iter().map(fact).collect());
            }
            Self::Covered { by, .. } => {
                details.insert("covered_by".into(), by.to_string().into());
            }
            Self::TextUnsupported(characters) => {
                details.insert("characters".into(), json!(characters));
            }
            Self::Offscreen { size, .. } => {
                details.insert("screen".into(), json!(size));
            }
            Self::Unconfirmed { source, .. } => return source.details(),
            _ => {}
        }
        if !self.closest().is_empty() {
            details.insert("closest".into(), json!(self.closest()));
        }
        details
    }
}

fn closest_words(closest: &[String]) -> String {
    if closest.is_empty() {
        return String::new();
    }
    format!("; closest: {}", closest.iter().map(|label| format!("“{label}”")).collect::<Vec<_>>().join(", "))
}

fn ids(candidates: &[Mark]) -> String {
    let of = |id: MarkId| id.to_string();
    candidates.iter().map(|m| of(m.id)).collect::<Vec<_>>().join(", ")
}

fn quoted(characters: &[char]) -> String {
    characters.iter().map(|c| format!("{c:?}")).collect::<Vec<_>>().join(" ")
}
