//! What lint says: rules with stable codes, how grave each is, where, why, and what to do. Uses `layout`.

use std::path::{Path, PathBuf};

use serde::{Serialize, Serializer};

use super::layout::Layout;
use super::repair::Repair;

/// How grave a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// It works, and could be better.
    Note,
    /// It works today, and may not tomorrow.
    Warning,
    /// It can't be replayed, or must not be shared.
    Error,
}

impl Severity {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Note => "note",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

macro_rules! rules {
    ($($variant:ident = $code:literal, $severity:ident, $about:literal;)*) => {
        /// What lint looks for. A code never changes its meaning.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
        pub enum Rule {
            $(#[doc = $about] #[serde(rename = $code)] $variant,)*
        }

        impl Rule {
            pub const ALL: &'static [Rule] = &[$(Rule::$variant),*];

            pub fn code(self) -> &'static str {
                match self { $(Rule::$variant => $code),* }
            }

            pub fn severity(self) -> Severity {
                match self { $(Rule::$variant => Severity::$severity),* }
            }

            /// What it means, in one sentence.
            pub fn about(self) -> &'static str {
                match self { $(Rule::$variant => $about),* }
            }
        }
    };
}

rules! {
    Unreadable = "unreadable", Error, "The file can't be read as a recording.";
    UnknownKey = "unknown_key", Error, "The file holds a key that the format does not know.";
    SchemaVersion = "schema_version", Error, "The file is of another version of the format.";
    MissingFrame = "missing_frame", Error, "A frame that a step names is not there.";
    AlteredFrame = "altered_frame", Error, "A frame no longer has the digest that is its name.";
    SecretInFile = "secret_in_file", Error, "A password, token, key or card number stands in clear in the file.";
    SecretInFrame = "secret_in_frame", Error, "A password, token, key or card number can be read in a frame.";
    GateOptions = "gate_options", Error, "The options of a gate are out of range, so no screen can be compared.";
    FrameSize = "frame_size", Warning, "A frame does not fit the screen of the recorded device.";
    OutsideScreen = "outside_screen", Warning, "A step aims at a place outside of the screen.";
    OrphanedFrame = "orphaned_frame", Warning, "No step names this frame.";
    RawCoordinates = "raw_coordinates", Warning, "A step aims at a place, not at an element.";
    AmbiguousTarget = "ambiguous_target", Warning, "A target is one of several that look the same.";
    UnmaskedClock = "unmasked_clock", Warning, "A frame shows a time that no mask hides.";
    UnmaskedCaret = "unmasked_caret", Warning, "A frame shows a caret that no mask hides.";
    MissingRequires = "missing_requires", Warning, "The recording does not say which screen it begins on.";
    NameMismatch = "name_mismatch", Warning, "The recording's name is not that of its folder.";
    NoSteps = "no_steps", Warning, "The recording has no steps.";
    Unfinished = "unfinished", Warning, "The recording was never stopped.";
    Gap = "gap", Warning, "An act between the steps failed and is not replayed.";
    OversizedFrame = "oversized_frame", Note, "A frame's file is larger than its pixels need.";
}

impl Rule {
    /// Whether a recording of which this is true can't be replayed.
    pub(in crate::recording) fn stops_replay(self) -> bool {
        use Rule::{AlteredFrame, MissingFrame, SchemaVersion, UnknownKey, Unreadable};
        matches!(self, Unreadable | UnknownKey | SchemaVersion | MissingFrame | AlteredFrame)
    }
}

/// One thing that is wrong, or could be better. It says where a secret stands, never what it is.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Finding {
    pub code: Rule,
    pub severity: Severity,
    /// The `recording.yaml`, or the frame concerned.
    pub file: PathBuf,
    /// From 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u64>,
    /// Such as `steps[2].target`; steps count from 0 here.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// From 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub step: Option<usize>,
    /// What is the case.
    pub message: String,
    /// What to do about it.
    pub fix: String,
    /// What `--fix` does about it.
    #[serde(rename = "fixable", serialize_with = "is_there")]
    pub repair: Option<Repair>,
}

fn is_there<S: Serializer>(repair: &Option<Repair>, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_bool(repair.is_some())
}

/// Where in a recording something is.
#[derive(Clone, Debug)]
pub(in crate::recording) enum Spot {
    /// The recording as a whole.
    File,
    /// A key of the whole recording.
    Key(String),
    /// A key of a step, which counts from 1.
    Step(usize, &'static str),
    Line(u64),
    Frame(PathBuf),
}

/// The findings of one recording, as they are gathered.
pub(in crate::recording) struct Findings {
    file: PathBuf,
    pub(super) layout: Layout,
    list: Vec<Finding>,
}

impl Findings {
    /// Of the recording with this file.
    pub(in crate::recording) fn of(file: &Path, layout: Layout) -> Self {
        Self { file: file.to_owned(), layout, list: Vec::new() }
    }

    pub(super) fn add(&mut self, rule: Rule, spot: Spot, message: String, fix: &str) {
        let (mut file, mut line, mut key, mut step) = (self.file.clone(), None, None, None);
        match spot {
            Spot::File => {}
            Spot::Key(path) => {
                step = step_of(&path);
                line = self.layout.line(&path);
                key = Some(path);
            }
            Spot::Step(number, name) => {
                let path = format!("steps[{}].{name}", number.saturating_sub(1));
                let path = path.trim_end_matches('.').to_owned();
                line = self.layout.line(&path);
                (key, step) = (Some(path), Some(number));
            }
            Spot::Line(number) => line = Some(number),
            Spot::Frame(path) => file = path,
        }
        self.list.push(Finding {
            code: rule,
            severity: rule.severity(),
            file,
            line,
            key,
            step,
            message,
            fix: fix.to_owned(),
            repair: None,
        });
    }

    /// As `add`, with what `--fix` does about it.
    pub(super) fn add_repaired(
        &mut self,
        rule: Rule,
        spot: Spot,
        message: String,
        fix: &str,
        repair: Option<Repair>,
    ) {
        self.add(rule, spot, message, fix);
        if let Some(last) = self.list.last_mut() {
            last.repair = repair;
        }
    }

    pub(super) fn has(&self, fits: impl Fn(&Finding) -> bool) -> bool {
        self.list.iter().any(fits)
    }

    /// In the order of rules where they are found, none with a repair unless `repairable`.
    pub(in crate::recording) fn into_list(mut self, repairable: bool) -> Vec<Finding> {
        if !repairable {
            self.list.iter_mut().for_each(|finding| finding.repair = None);
        }
        self.list
    }
}

/// The step that a key belongs to, from 1.
fn step_of(key: &str) -> Option<usize> {
    let index: usize = key.strip_prefix("steps[")?.split(']').next()?.parse().ok()?;
    index.checked_add(1)
}
