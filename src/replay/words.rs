//! Steps and targets in words, for reports. Uses `act`, `recording`.

use crate::act::Action;
use crate::act::action::{Condition, Direction, Key, SwipePath, TypedText};
use crate::recording::{RecordedTarget, StepBody};

/// Such as `tap button “Sign In”`.
pub fn describe(body: &StepBody) -> String {
    match body {
        StepBody::Check(check) => format!("check {check}"),
        StepBody::Act(action) => act(action),
    }
}

fn act(action: &Action<RecordedTarget>) -> String {
    match action {
        Action::Tap { target, count: 1, hold_ms: 0 } => format!("tap {target}"),
        Action::Tap { target, count: 1, hold_ms } => format!("hold {target} for {hold_ms} ms"),
        Action::Tap { target, .. } => format!("double-tap {target}"),
        Action::TapAndWaitKeyboard { target, .. } => format!("tap {target} and wait for the keyboard"),
        Action::Swipe { path, until, .. } => {
            let path = match path {
                SwipePath::FromTo { from, to } => format!("from {from} to {to}"),
                SwipePath::Toward { direction, from: None, .. } => direction_word(*direction).to_owned(),
                SwipePath::Toward { direction, from: Some(from), .. } => {
                    format!("{} on {from}", direction_word(*direction))
                }
            };
            let until = until.as_ref().map(|label| format!(" until “{label}”")).unwrap_or_default();
            format!("swipe {path}{until}")
        }
        Action::TypeText { text, into, submit, .. } => {
            let text = match text {
                TypedText::Text(text) => format!("“{text}”"),
                TypedText::Secret(name) => format!("${name}"),
            };
            let into = into.as_ref().map(|t| format!(" into {t}")).unwrap_or_default();
            format!("type {text}{into}{}", if *submit { " and submit" } else { "" })
        }
        Action::PressKey { key, modifiers } => {
            let held: String = modifiers.iter().map(|m| format!("{m:?}-").to_lowercase()).collect();
            format!("press {held}{}", key_word(*key))
        }
        Action::ClearField { target: Some(target) } => format!("clear {target}"),
        Action::ClearField { target: None } => "clear the focused field".into(),
        Action::DismissSheet { .. } => "dismiss the sheet".into(),
        Action::WaitFor { condition, .. } => format!("wait for {}", condition_words(condition)),
        Action::SetAppearance { appearance, content_size } => {
            let words = [appearance.map(|a| format!("{a:?}")), content_size.map(|c| format!("{c:?}"))];
            format!(
                "set appearance {}",
                words.into_iter().flatten().collect::<Vec<_>>().join(", ").to_lowercase()
            )
        }
        Action::OpenUrl { url } => format!("open {url}"),
    }
}

fn direction_word(direction: Direction) -> &'static str {
    match direction {
        Direction::Up => "up",
        Direction::Down => "down",
        Direction::Left => "left",
        Direction::Right => "right",
    }
}

fn key_word(key: Key) -> String {
    match key {
        Key::Character(c) => c.to_string(),
        Key::VolumeUp => "volume up".into(),
        Key::VolumeDown => "volume down".into(),
        key => format!("{key:?}").to_lowercase(),
    }
}

fn condition_words(condition: &Condition) -> String {
    let mut words = Vec::new();
    if let Some(role) = condition.role {
        words.push(role.to_string());
    }
    if let Some(label) = &condition.label {
        words.push(format!("“{label}”"));
    }
    if condition.gone {
        words.push("to go".into());
    }
    if condition.stable {
        words.push("rest".into());
    }
    words.join(" ")
}
