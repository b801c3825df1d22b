//! What must hold for a journey to have reached its goals. Uses `observe`, `role`.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::number;
use crate::mark::Mark;
use crate::observe::{Observation, contains_words, fold, reads_like};
use crate::role::Role;

/// One thing that must hold.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Criterion {
    /// A mark is on the screen.
    Screen(Seen),
    /// A text is on the screen, alone or among other words.
    Text(String),
    /// No such mark is on the screen.
    Gone(Seen),
    /// The app is in this state.
    App(AppIs),
    /// The app runs, and has not crashed since the session began. Always `true`.
    NoCrash(Yes),
    /// The log holds such a line.
    Log(LogLine),
    /// A number on the screen lies within bounds.
    Number(NumberWithin),
    /// The app uses at most so much.
    Usage(Usage),
    /// The screen is the one after a step of a recording.
    Step(StepReached),
}

/// A mark by what it says and is; all that is given must fit.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "SeenFile", into = "SeenFile")]
#[schemars(with = "SeenFile")]
pub struct Seen {
    pub label: Option<String>,
    pub role: Option<Role>,
    pub value: Option<String>,
}

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(title = "Seen")]
struct SeenFile {
    /// The whole label, spaces and case folded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    label: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    role: Option<Role>,
    /// The content of a field, the state of a switch (`on`, `off`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    value: Option<String>,
}

/// How an app fares.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AppIs {
    InFront,
    Running,
    NotRunning,
}

/// `true`, and nothing else.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "bool", into = "bool")]
#[schemars(with = "bool")]
pub struct Yes;

/// A line of the device's log: exactly one of the two.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LogLine {
    Contains(String),
    /// A regular expression.
    Regex(Pattern),
}

/// A regular expression that was understood.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String", into = "String")]
#[schemars(with = "String")]
pub struct Pattern(pub regex::Regex);

/// The number beside, below or behind a label.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "NumberFile", into = "NumberFile")]
#[schemars(with = "NumberFile")]
pub struct NumberWithin {
    pub label: String,
    pub at_least: Option<f64>,
    pub at_most: Option<f64>,
}

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(title = "NumberWithin")]
struct NumberFile {
    /// What stands before the number, in its own mark or to the left of it.
    label: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    at_least: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    at_most: Option<f64>,
}

/// What the app may use.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Usage {
    /// Of one core.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu_percent: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory_mb: Option<f64>,
}

/// A step of a recording; the last where none is given.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StepReached {
    /// Name, or folder relative to the journey's file.
    pub recording: String,
    /// From 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub step: Option<usize>,
}

impl TryFrom<SeenFile> for Seen {
    type Error = String;

    fn try_from(file: SeenFile) -> Result<Self, String> {
        let SeenFile { label, role, value } = file;
        if label.as_ref().is_some_and(|label| label.trim().is_empty()) {
            return Err("`label` is empty".into());
        }
        if label.is_none() && role.is_none() && value.is_none() {
            return Err("give at least one of `label`, `role` and `value`".into());
        }
        Ok(Self { label, role, value })
    }
}

impl From<Seen> for SeenFile {
    fn from(seen: Seen) -> Self {
        Self { label: seen.label, role: seen.role, value: seen.value }
    }
}

impl TryFrom<bool> for Yes {
    type Error = &'static str;

    fn try_from(yes: bool) -> Result<Self, &'static str> {
        yes.then_some(Self).ok_or("`no_crash` is `true`, or is left out")
    }
}

impl From<Yes> for bool {
    fn from(Yes: Yes) -> Self {
        true
    }
}

impl TryFrom<String> for Pattern {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        regex::Regex::new(&text).map(Self).map_err(|e| {
            let e = e.to_string();
            format!("`regex` is no regular expression: {}", e.lines().last().unwrap_or_default())
        })
    }
}

impl From<Pattern> for String {
    fn from(pattern: Pattern) -> Self {
        pattern.0.as_str().to_owned()
    }
}

impl PartialEq for Pattern {
    fn eq(&self, other: &Self) -> bool {
        self.0.as_str() == other.0.as_str()
    }
}

impl TryFrom<NumberFile> for NumberWithin {
    type Error = String;

    fn try_from(file: NumberFile) -> Result<Self, String> {
        let NumberFile { label, at_least, at_most } = file;
        if [at_least, at_most].into_iter().flatten().any(|bound| !bound.is_finite()) {
            return Err("`at_least` and `at_most` must be finite".into());
        }
        match (at_least, at_most) {
            (None, None) => Err("`number` needs `at_least`, `at_most` or both".into()),
            (Some(least), Some(most)) if least > most => {
                Err(format!("`at_least` is {least}, more than `at_most`, {most}"))
            }
            _ => Ok(Self { label, at_least, at_most }),
        }
    }
}

impl From<NumberWithin> for NumberFile {
    fn from(within: NumberWithin) -> Self {
        Self { label: within.label, at_least: within.at_least, at_most: within.at_most }
    }
}

impl Seen {
    /// The mark that is meant.
    pub fn find<'o>(&self, screen: &'o Observation) -> Option<&'o Mark> {
        screen.marks.iter().find(|mark| self.fits(mark))
    }

    fn fits(&self, mark: &Mark) -> bool {
        let says = |wanted: &str, is: &str| fold(wanted) == fold(is) || reads_like(&fold(wanted), &fold(is));
        self.label.as_ref().is_none_or(|label| says(label, &mark.label))
            && self.role.is_none_or(|role| role == mark.role)
            && self.value.as_ref().is_none_or(|v| mark.value.as_deref().is_some_and(|is| fold(is) == fold(v)))
    }
}

/// The mark that shows a text.
pub(super) fn showing<'o>(text: &str, screen: &'o Observation) -> Option<&'o Mark> {
    let wanted = fold(text);
    let holds = |is: &str| {
        let is = fold(is);
        contains_words(&is, &wanted)
            || reads_like(&is, &wanted)
            || (wanted.chars().count() >= 3 && is.contains(&wanted))
    };
    screen.marks.iter().find(|mark| holds(&mark.label) || mark.value.as_deref().is_some_and(holds))
}

impl NumberWithin {
    /// The number on the screen, and whether it lies within.
    pub fn find(&self, screen: &Observation) -> Option<(f64, bool)> {
        let number = number::beside(&self.label, screen)?;
        let within = self.at_least.is_none_or(|least| number >= least)
            && self.at_most.is_none_or(|most| number <= most);
        Some((number, within))
    }
}

impl LogLine {
    pub fn fits(&self, line: &str) -> bool {
        match self {
            Self::Contains(part) => line.contains(part.as_str()),
            Self::Regex(pattern) => pattern.0.is_match(line),
        }
    }
}

impl fmt::Display for Seen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.role.map_or("mark", Role::as_str))?;
        if let Some(label) = &self.label {
            write!(f, " “{label}”")?;
        }
        self.value.as_ref().map_or(Ok(()), |value| write!(f, " with value “{value}”"))
    }
}

impl fmt::Display for Criterion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Screen(seen) => write!(f, "screen has {seen}"),
            Self::Text(text) => write!(f, "screen shows “{text}”"),
            Self::Gone(seen) => write!(f, "no {seen}"),
            Self::App(AppIs::InFront) => f.write_str("app is in front"),
            Self::App(AppIs::Running) => f.write_str("app runs"),
            Self::App(AppIs::NotRunning) => f.write_str("app does not run"),
            Self::NoCrash(Yes) => f.write_str("no crash"),
            Self::Log(LogLine::Contains(part)) => write!(f, "log has “{part}”"),
            Self::Log(LogLine::Regex(pattern)) => write!(f, "log matches {}", pattern.0),
            Self::Number(NumberWithin { label, at_least, at_most }) => {
                write!(f, "number of “{label}”")?;
                at_least.map_or(Ok(()), |least| write!(f, " at least {least}"))?;
                at_most.map_or(Ok(()), |most| write!(f, " at most {most}"))
            }
            Self::Usage(Usage { cpu_percent, memory_mb }) => {
                f.write_str("app uses")?;
                cpu_percent.map_or(Ok(()), |cpu| write!(f, " at most {cpu} % of a core"))?;
                memory_mb.map_or(Ok(()), |memory| write!(f, " at most {memory} MB"))
            }
            Self::Step(StepReached { recording, step: Some(step) }) => {
                write!(f, "screen is as after step {step} of {recording}")
            }
            Self::Step(StepReached { recording, step: None }) => {
                write!(f, "screen is as at the end of {recording}")
            }
        }
    }
}
