//! What a migration could not carry over, or had to decide. Uses the places of `recording`.

use std::fmt;

use serde::{Serialize, Serializer};

use crate::recording::{Place, Side};

/// One thing to know, and where in the old file it comes from.
#[derive(Clone, Debug, PartialEq)]
pub struct Note {
    pub place: Place,
    pub subject: Subject,
}

/// What a note is about.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "note", rename_all = "snake_case")]
pub enum Subject {
    /// A key that nothing in this format stands for.
    KeyLeftOut { key: String },
    /// An act that can't be done here.
    ActLeftOut { action: String, why: String },
    /// A target that stays a raw point.
    RawPoint { why: &'static str },
    /// The point lay on nothing, so the text counts.
    FoundByText { text: String },
    /// The field that was touched before typing can't be told.
    FieldUnknown,
    /// Typed text that looks secret: it is asked for by this name now.
    SecretNamed { variable: String },
    /// The frame was missing or of an earlier moment; that of the step beside it stands for it.
    FrameReplaced { side: Side },
    /// The last frame was taken without waiting for rest.
    EndUnsettled,
    /// The first screen is no longer asked for this text.
    TextNotRequired { text: String, why: &'static str },
    /// Nothing on the last screen holds this text, so it is not checked.
    TextNotChecked { text: String },
    /// A mask that lies outside the screen.
    MaskLeftOut,
    /// The name was none for a recording.
    Renamed { from: String },
    /// When it was recorded is not said; the time of its file stands for it.
    TimeUnknown,
    /// What it was recorded on is not said.
    DeviceUnknown,
}

impl fmt::Display for Subject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::KeyLeftOut { key } => write!(f, "`{key}` has no counterpart and is left out"),
            Self::ActLeftOut { action, why } => write!(f, "`{action}` is left out: {why}"),
            Self::RawPoint { why } => write!(f, "stays a raw point: {why}"),
            Self::FoundByText { text } => {
                write!(f, "the point lay on nothing; “{text}” is meant by its text")
            }
            Self::FieldUnknown => {
                f.write_str("the field can't be told; the text goes into the one that has the keyboard")
            }
            Self::SecretNamed { variable } => write!(
                f,
                "the typed text looks secret: it is ${variable} now, and painted over in the frames; \
                 the backup holds it in clear"
            ),
            Self::FrameReplaced { side } => write!(
                f,
                "the frame {} the act is missing or of an earlier moment; that of the step beside it is used",
                side.as_str()
            ),
            Self::EndUnsettled => f.write_str(
                "the last frame was taken without waiting for rest; \
                 if it drifts, accept the screen of today with `simdrive replay --update`",
            ),
            Self::TextNotRequired { text, why } => write!(f, "“{text}” is not required of the start: {why}"),
            Self::TextNotChecked { text } => {
                write!(f, "“{text}” is not checked at the end: no mark of the last screen holds it")
            }
            Self::MaskLeftOut => f.write_str("a mask lies outside the screen and is left out"),
            Self::Renamed { from } => write!(f, "“{from}” can't be its name"),
            Self::TimeUnknown => {
                f.write_str("when it was recorded is not said; the time of its file is taken")
            }
            Self::DeviceUnknown => {
                f.write_str("what it was recorded on is not said; give --device when it is replayed")
            }
        }
    }
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.subject)
    }
}

impl Serialize for Note {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Shown<'a> {
            #[serde(flatten)]
            subject: &'a Subject,
            file: String,
            line: Option<u64>,
            step: Option<usize>,
            message: String,
        }
        let Self { place, subject } = self;
        let file = place.path.display().to_string();
        Shown { subject, file, line: place.line, step: place.step, message: subject.to_string() }
            .serialize(serializer)
    }
}
