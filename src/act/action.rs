//! The one enum of actions, shared by recorder, validator and replayer: whatever can be recorded can be replayed.
//!
//! An action is generic over how it names its targets: [`Target`] as an agent gives it,
//! the recording's richer form when stored. Uses `geometry`, `mark`, `role`, `device` types.

use serde::{Deserialize, Serialize};

use crate::device::{Appearance, ContentSize};
use crate::geometry::Point;
use crate::mark::{MarkId, StableId};
use crate::role::Role;

/// What an act is aimed at: exactly one form (design.md section 4).
#[derive(Clone, Debug, PartialEq)]
pub enum Target {
    Mark(MarkId),
    StableId(StableId),
    Label {
        label: String,
        role: Option<Role>,
        /// 1 for the first, in reading order.
        nth: Option<u32>,
        /// Label of something close by; the candidate nearest to it is meant.
        near: Option<String>,
    },
    Point(Point),
}

/// One thing to do. `T` is how targets are named.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "action", rename_all = "snake_case")]
pub enum Action<T = Target> {
    Tap {
        target: T,
        /// 1 or 2.
        #[serde(default = "one", skip_serializing_if = "is_one")]
        count: u8,
        /// How long the finger rests, in milliseconds; 0 for a plain tap.
        #[serde(default, skip_serializing_if = "is_zero")]
        hold_ms: u64,
    },
    TapAndWaitKeyboard {
        target: T,
        #[serde(default = "keyboard_timeout")]
        timeout_ms: u64,
    },
    Swipe {
        #[serde(flatten)]
        path: SwipePath<T>,
        #[serde(default = "swipe_duration")]
        duration_ms: u64,
        /// Swipe again until this label is in view.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        until: Option<String>,
        #[serde(default = "max_swipes", skip_serializing_if = "is_max_swipes")]
        max_swipes: u32,
    },
    TypeText {
        #[serde(flatten)]
        text: TypedText,
        #[serde(default = "none", skip_serializing_if = "Option::is_none")]
        into: Option<T>,
        #[serde(default, skip_serializing_if = "is_false")]
        clear_first: bool,
        #[serde(default, skip_serializing_if = "is_false")]
        submit: bool,
    },
    PressKey {
        key: Key,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        modifiers: Vec<Modifier>,
    },
    ClearField {
        #[serde(default = "none", skip_serializing_if = "Option::is_none")]
        target: Option<T>,
    },
    DismissSheet {
        #[serde(default)]
        direction: SheetDirection,
    },
    WaitFor {
        #[serde(flatten)]
        condition: Condition,
        #[serde(default = "wait_timeout")]
        timeout_ms: u64,
    },
    SetAppearance {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        appearance: Option<Appearance>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        content_size: Option<ContentSize>,
    },
    OpenUrl {
        url: String,
    },
}

/// Where a swipe goes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum SwipePath<T = Target> {
    FromTo {
        from: T,
        to: T,
    },
    Toward {
        direction: Direction,
        #[serde(default = "none", skip_serializing_if = "Option::is_none")]
        from: Option<T>,
        /// In points; by default most of what is swiped.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        distance: Option<f64>,
    },
}

/// Text to type: given, or the name of an environment variable whose value is never written.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TypedText {
    Text(String),
    Secret(String),
}

/// Which way the finger moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Direction {
    Up,
    Down,
    Left,
    Right,
}

/// Which way a sheet is dragged away.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SheetDirection {
    Up,
    #[default]
    Down,
}

/// Keys and buttons that `press_key` knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Key {
    Home,
    Lock,
    Siri,
    Shake,
    VolumeUp,
    VolumeDown,
    Return,
    Tab,
    Escape,
    Delete,
    Space,
    Up,
    Down,
    Left,
    Right,
    /// A letter or digit, for use with modifiers.
    #[serde(untagged)]
    Character(char),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Modifier {
    Command,
    Shift,
    Option,
    Control,
}

/// What `wait_for` waits for. All that is given must hold.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Condition {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub role: Option<Role>,
    /// Wait until it is no longer there.
    #[serde(default, skip_serializing_if = "is_false")]
    pub gone: bool,
    /// Wait until the screen rests.
    #[serde(default, skip_serializing_if = "is_false")]
    pub stable: bool,
}

fn one() -> u8 {
    1
}

fn is_one(count: &u8) -> bool {
    *count == 1
}

fn is_zero(value: &u64) -> bool {
    *value == 0
}

fn is_false(value: &bool) -> bool {
    !value
}

fn none<T>() -> Option<T> {
    None
}

fn keyboard_timeout() -> u64 {
    3_000
}

fn swipe_duration() -> u64 {
    300
}

fn max_swipes() -> u32 {
    10
}

fn is_max_swipes(value: &u32) -> bool {
    *value == max_swipes()
}

fn wait_timeout() -> u64 {
    10_000
}

impl<T> Action<T> {
    /// The name used in tools and recordings.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Tap { .. } => "tap",
            Self::TapAndWaitKeyboard { .. } => "tap_and_wait_keyboard",
            Self::Swipe { .. } => "swipe",
            Self::TypeText { .. } => "type_text",
            Self::PressKey { .. } => "press_key",
            Self::ClearField { .. } => "clear_field",
            Self::DismissSheet { .. } => "dismiss_sheet",
            Self::WaitFor { .. } => "wait_for",
            Self::SetAppearance { .. } => "set_appearance",
            Self::OpenUrl { .. } => "open_url",
        }
    }

    /// The same action with its targets named another way; stops at the first that can't be.
    pub fn map_targets<U, E>(self, mut f: impl FnMut(T) -> Result<U, E>) -> Result<Action<U>, E> {
        Ok(match self {
            Self::Tap { target, count, hold_ms } => Action::Tap { target: f(target)?, count, hold_ms },
            Self::TapAndWaitKeyboard { target, timeout_ms } => {
                Action::TapAndWaitKeyboard { target: f(target)?, timeout_ms }
            }
            Self::Swipe { path, duration_ms, until, max_swipes } => {
                let path = match path {
                    SwipePath::FromTo { from, to } => SwipePath::FromTo { from: f(from)?, to: f(to)? },
                    SwipePath::Toward { direction, from, distance } => {
                        SwipePath::Toward { direction, from: from.map(f).transpose()?, distance }
                    }
                };
                Action::Swipe { path, duration_ms, until, max_swipes }
            }
            Self::TypeText { text, into, clear_first, submit } => {
                Action::TypeText { text, into: into.map(f).transpose()?, clear_first, submit }
            }
            Self::PressKey { key, modifiers } => Action::PressKey { key, modifiers },
            Self::ClearField { target } => Action::ClearField { target: target.map(f).transpose()? },
            Self::DismissSheet { direction } => Action::DismissSheet { direction },
            Self::WaitFor { condition, timeout_ms } => Action::WaitFor { condition, timeout_ms },
            Self::SetAppearance { appearance, content_size } => {
                Action::SetAppearance { appearance, content_size }
            }
            Self::OpenUrl { url } => Action::OpenUrl { url },
        })
    }
}
