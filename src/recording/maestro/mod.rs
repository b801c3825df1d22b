//! A recording as a flow of Maestro, for people who must hand tests on. Uses the format, `act`.
//!
//! Maestro acts by meaning and compares no frames. What it can't say becomes a comment in the flow, and is listed.
//! Selectors there are regular expressions, and `${NAME}` is a value of its environment, as it is here.

mod words;

use words::{at, hides_the_keyboard, place, pressed, quoted, selector, target_keys, text, word};

use crate::act::Action;
use crate::act::action::{Condition, Direction, SheetDirection, SwipePath, TypedText};
use crate::recording::{Check, RecordedTarget, Recording, StepBody};

/// A flow, and what of the recording it does not hold.
#[derive(Clone, Debug, PartialEq)]
pub struct Flow {
    pub text: String,
    /// A line each, with the step where it is one's.
    pub unsaid: Vec<String>,
}

/// The flow of a recording's semantic steps.
pub fn flow(recording: &Recording) -> Flow {
    let mut out = Writer { text: String::new(), unsaid: Vec::new(), step: None };
    let app = recording.app.as_deref();
    out.line(&format!("# {}: written by `simdrive export maestro`", recording.name));
    if let Some(description) = &recording.description {
        out.line(&format!("# {}", description.lines().collect::<Vec<_>>().join(" ")));
    }
    out.line(&format!("appId: {}", quoted(app.unwrap_or("unknown"))));
    if !recording.tags.is_empty() {
        out.line("tags:");
        recording.tags.iter().for_each(|tag| out.line(&format!("  - {}", quoted(tag))));
    }
    out.line("---");
    if app.is_none() {
        out.unsaid("the recording names no app; fill in `appId`");
    }
    out.start(recording);
    for (i, step) in recording.steps.iter().enumerate() {
        for gap in recording.gaps.iter().filter(|gap| gap.after == i) {
            out.unsaid(&gap.to_string());
        }
        out.step = Some(i + 1);
        match &step.body {
            StepBody::Act(action) => out.act(action),
            StepBody::Check(check) => out.check(check),
        }
    }
    out.step = None;
    if recording.steps.iter().any(|step| step.before.is_some()) {
        out.unsaid("the recorded frames are not compared");
    }
    Flow { text: out.text, unsaid: out.unsaid }
}

struct Writer {
    text: String,
    unsaid: Vec<String>,
    step: Option<usize>,
}

impl Writer {
    fn line(&mut self, line: &str) {
        self.text.push_str(line);
        self.text.push('\n');
    }

    fn unsaid(&mut self, what: &str) {
        self.line(&format!("# not said: {what}"));
        self.unsaid.push(self.step.map_or_else(|| what.to_owned(), |step| format!("step {step}: {what}")));
    }

    /// `- name`, or `- name: {keys}`; one key that needs no name stands alone.
    fn command(&mut self, name: &str, keys: &[(&str, String)]) {
        match keys {
            [] => self.line(&format!("- {name}")),
            [("", value)] => self.line(&format!("- {name}: {value}")),
            keys => {
                self.line(&format!("- {name}:"));
                keys.iter().for_each(|(key, value)| self.line(&format!("    {key}: {value}")));
            }
        }
    }

    fn start(&mut self, recording: &Recording) {
        let setup = &recording.setup;
        let mut keys = Vec::new();
        if setup.reset {
            keys.push(("clearState", "true".to_owned()));
        }
        if !setup.permissions.is_empty() {
            let each = |(name, granted): (&String, &bool)| {
                format!("{}: {}", quoted(name), if *granted { "allow" } else { "deny" })
            };
            let all: Vec<String> = setup.permissions.iter().map(each).collect();
            keys.push(("permissions", format!("{{{}}}", all.join(", "))));
        }
        self.command("launchApp", &keys);
        if !setup.launch_arguments.is_empty() {
            self.unsaid(&format!("launch arguments {}", setup.launch_arguments.join(" ")));
        }
        if !setup.environment.is_empty() {
            let names: Vec<&str> = setup.environment.keys().map(String::as_str).collect();
            self.unsaid(&format!("environment {}", names.join(", ")));
        }
        if let Some(url) = &setup.open_url {
            self.command("openLink", &[("", text(url))]);
        }
        let requires = &recording.requires;
        if let Some(appearance) = requires.appearance {
            self.unsaid(&format!("appearance {appearance:?}").to_lowercase());
        }
        if let Some(size) = requires.content_size {
            self.unsaid(&format!("text size {size:?}"));
        }
        // what is required need only be a part of a label
        for label in &requires.labels {
            self.command("assertVisible", &[("", selector(label, true))]);
        }
    }

    fn act(&mut self, action: &Action<RecordedTarget>) {
        match action {
            Action::Tap { target, count, hold_ms } => self.tap(target, *count, *hold_ms),
            Action::TapAndWaitKeyboard { target, .. } => {
                self.tap(target, 1, 0);
                self.unsaid("waits for the keyboard");
            }
            Action::Swipe { path, duration_ms, until, max_swipes } => {
                self.swipe(path, *duration_ms, until.as_deref(), *max_swipes);
            }
            Action::TypeText { text: typed, into, clear_first, submit } => {
                if let Some(field) = into {
                    self.tap(field, 1, 0);
                }
                if *clear_first {
                    self.command("eraseText", &[]);
                }
                let typed = match typed {
                    TypedText::Text(typed) => text(typed),
                    TypedText::Secret(name) => text(&format!("${{{name}}}")),
                };
                self.command("inputText", &[("", typed)]);
                if *submit {
                    self.command("pressKey", &[("", "Enter".into())]);
                }
            }
            Action::PressKey { key, modifiers } => match pressed(*key).filter(|_| modifiers.is_empty()) {
                Some(("inputText", typed)) => self.command("inputText", &[("", text(typed))]),
                Some((command, key)) => self.command(command, &[("", key.into())]),
                None => self.unsaid(&format!("press_key {key:?} {modifiers:?}").to_lowercase()),
            },
            Action::ClearField { target } => {
                if let Some(field) = target {
                    self.tap(field, 1, 0);
                }
                self.command("eraseText", &[]);
            }
            Action::DismissSheet { direction } => {
                let direction = match direction {
                    SheetDirection::Up => "UP",
                    SheetDirection::Down => "DOWN",
                };
                self.command("swipe", &[("direction", direction.into())]);
            }
            Action::WaitFor { condition, timeout_ms } => self.wait(condition, *timeout_ms),
            Action::SetAppearance { .. } => self.unsaid("set_appearance"),
            Action::OpenUrl { url } => self.command("openLink", &[("", text(url))]),
        }
    }

    fn tap(&mut self, target: &RecordedTarget, count: u8, hold_ms: u64) {
        if hides_the_keyboard(target) {
            return self.command("hideKeyboard", &[]);
        }
        let command = match (count, hold_ms) {
            (_, 1..) => "longPressOn",
            (2.., 0) => "doubleTapOn",
            _ => "tapOn",
        };
        match target_keys(target) {
            Some(keys) => self.command(command, &keys),
            None => {
                self.unsaid(&format!("{target} has neither text nor identifier; its place is touched"));
                if let Some(point) = place(target) {
                    self.command(command, &[("point", quoted(&at(point)))]);
                }
            }
        }
        if matches!(target, RecordedTarget::Point(_)) {
            self.unsaid("a raw point moves with the layout");
        }
    }

    fn swipe(
        &mut self,
        path: &SwipePath<RecordedTarget>,
        duration_ms: u64,
        until: Option<&str>,
        max_swipes: u32,
    ) {
        let duration = ("duration", duration_ms.to_string());
        match (path, until) {
            (SwipePath::Toward { direction, .. }, Some(label)) => {
                // a finger that goes up scrolls down
                let scroll = word(match direction {
                    Direction::Up => Direction::Down,
                    Direction::Down => Direction::Up,
                    Direction::Left => Direction::Right,
                    Direction::Right => Direction::Left,
                });
                self.command(
                    "scrollUntilVisible",
                    &[("element", selector(label, true)), ("direction", scroll.into())],
                );
                if max_swipes != 10 {
                    self.unsaid(&format!("at most {max_swipes} swipes"));
                }
            }
            (SwipePath::Toward { direction, from, distance }, None) => {
                let mut keys = Vec::new();
                if let Some(from) = from {
                    match target_keys(from) {
                        Some(from) if !matches!(from[..], [("point", _)]) => {
                            let inner: Vec<String> = from
                                .iter()
                                .map(|(k, v)| {
                                    let key = if k.is_empty() { "text" } else { k };
                                    format!("{key}: {v}")
                                })
                                .collect();
                            keys.push(("from", format!("{{{}}}", inner.join(", "))));
                        }
                        _ => self.unsaid(&format!("the swipe begins at {from}")),
                    }
                }
                keys.push(("direction", word(*direction).into()));
                keys.push(duration);
                self.command("swipe", &keys);
                if let Some(distance) = distance {
                    self.unsaid(&format!("the swipe goes {distance} points far"));
                }
            }
            (SwipePath::FromTo { from, to }, until) => {
                match (place(from), place(to)) {
                    (Some(from), Some(to)) => self.command(
                        "swipe",
                        &[("start", quoted(&at(from))), ("end", quoted(&at(to))), duration],
                    ),
                    _ => self.unsaid(&format!("swipe from {from} to {to}, whose places are not recorded")),
                }
                if let Some(label) = until {
                    self.unsaid(&format!("swipes again until “{label}” is in view"));
                }
            }
        }
    }

    fn wait(&mut self, condition: &Condition, timeout_ms: u64) {
        let Condition { label, role, gone, stable } = condition;
        match (label, role) {
            (Some(label), _) => {
                let kind = if *gone { "notVisible" } else { "visible" };
                let timeout = ("timeout", timeout_ms.to_string());
                self.command("extendedWaitUntil", &[(kind, selector(label, true)), timeout]);
            }
            (None, Some(role)) => {
                self.unsaid(&format!(
                    "waits for a {role} {}",
                    if *gone { "to be gone" } else { "to be there" }
                ));
            }
            (None, None) => {}
        }
        if *stable {
            self.line("- waitForAnimationToEnd:");
            self.line(&format!("    timeout: {timeout_ms}"));
        }
    }

    fn check(&mut self, check: &Check) {
        let command = if check.gone { "assertNotVisible" } else { "assertVisible" };
        let checked = match check.value.as_deref() {
            Some("on") => Some("true"),
            Some("off") => Some("false"),
            _ => None,
        };
        match &check.label {
            None => self.unsaid(&format!("check of {check}")),
            Some(label) => {
                let mut keys = vec![("text", selector(label, false))];
                keys.extend(checked.map(|checked| ("checked", checked.to_owned())));
                match &keys[..] {
                    [(_, only)] => self.command(command, &[("", only.clone())]),
                    keys => self.command(command, keys),
                }
                if let Some(value) = check.value.as_ref().filter(|_| checked.is_none()) {
                    self.unsaid(&format!("its value is “{value}”"));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests;
