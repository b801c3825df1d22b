//! One step of a recording, and the flat form it has in the file. Uses `act`, `vision` masks.
//!
//! The file's form is a struct of its own, so that unknown keys and wrong types are found by the YAML
//! reader with their line; what an action means is left to [`Action`]'s own (de)serialisation.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::target::TargetFile;
use super::yaml::{flow, flow_list, flow_option, nearest};
use super::{Check, FrameName, RecordedTarget};
use crate::act::Action;
use crate::act::action::{Direction, Key, Modifier, SheetDirection};
use crate::device::{Appearance, ContentSize};
use crate::geometry::PlainNumber;
use crate::role::Role;
use crate::vision::gate::GateOptions;
use crate::vision::mask::Mask;

/// What is done, or asserted, between two frames.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "StepFile", into = "StepFile")]
pub struct Step {
    pub body: StepBody,
    /// The screen the moment before; a check may leave it out.
    pub before: Option<FrameName>,
    /// The settled screen afterwards; a check has none of its own.
    pub after: Option<FrameName>,
    /// How long the screen took to rest after the act, in milliseconds.
    pub settled_ms: u64,
    pub gate: GateOptions,
    pub masks: Vec<Mask>,
}

#[derive(Clone, Debug, PartialEq)]
pub enum StepBody {
    Act(Box<Action<RecordedTarget>>),
    Check(Check),
}

impl StepBody {
    /// The action's name, or `check`.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Act(action) => action.name(),
            Self::Check(_) => "check",
        }
    }
}

impl JsonSchema for Step {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Step".into()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        StepFile::json_schema(generator)
    }
}

/// Which keys belong to which action, besides those of every step.
const ACTION_KEYS: &[(&str, &[&str])] = &[
    ("tap", &["target", "count", "hold_ms"]),
    ("tap_and_wait_keyboard", &["target", "timeout_ms"]),
    ("swipe", &["from", "to", "direction", "distance", "duration_ms", "until", "max_swipes"]),
    ("type_text", &["text", "secret", "into", "clear_first", "submit"]),
    ("press_key", &["key", "modifiers"]),
    ("clear_field", &["target"]),
    ("dismiss_sheet", &["direction"]),
    ("wait_for", &["label", "role", "gone", "stable", "timeout_ms"]),
    ("set_appearance", &["appearance", "content_size"]),
    ("open_url", &["url"]),
];

const STEP_KEYS: &[&str] = &["before", "after", "settled_ms", "gate", "masks"];

/// A step as it stands in the file. Which keys an action takes is said by its name.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[schemars(title = "Step")]
struct StepFile {
    /// What is done; a step has this or `check`.
    #[serde(skip_serializing_if = "Option::is_none")]
    action: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "flow_option")]
    #[schemars(with = "Option<TargetFile>")]
    target: Option<RecordedTarget>,
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "flow_option")]
    #[schemars(with = "Option<TargetFile>")]
    from: Option<RecordedTarget>,
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "flow_option")]
    #[schemars(with = "Option<TargetFile>")]
    to: Option<RecordedTarget>,
    /// Taps: 1 or 2.
    #[serde(skip_serializing_if = "Option::is_none")]
    count: Option<u8>,
    #[serde(skip_serializing_if = "Option::is_none")]
    hold_ms: Option<u64>,
    /// up, down, left or right.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    direction: Option<Direction>,
    /// In points.
    #[serde(skip_serializing_if = "Option::is_none")]
    distance: Option<PlainNumber>,
    #[serde(skip_serializing_if = "Option::is_none")]
    duration_ms: Option<u64>,
    /// Swipe again until this label is in view.
    #[serde(skip_serializing_if = "Option::is_none")]
    until: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_swipes: Option<u32>,
    /// Text to type; may hold `${NAME}`.
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
    /// Name of the variable whose value is typed; the value itself is never written.
    #[serde(skip_serializing_if = "Option::is_none")]
    secret: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "flow_option")]
    #[schemars(with = "Option<TargetFile>")]
    into: Option<RecordedTarget>,
    #[serde(skip_serializing_if = "Option::is_none")]
    clear_first: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    submit: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    key: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty", serialize_with = "flow_list")]
    #[schemars(with = "Vec<String>")]
    modifiers: Vec<Modifier>,
    #[serde(skip_serializing_if = "Option::is_none")]
    label: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    role: Option<Role>,
    #[serde(skip_serializing_if = "Option::is_none")]
    gone: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stable: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    timeout_ms: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    appearance: Option<Appearance>,
    #[serde(skip_serializing_if = "Option::is_none")]
    content_size: Option<ContentSize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    url: Option<String>,
    /// What must hold on the screen; a step has this or `action`.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "flow_option")]
    check: Option<Check>,
    /// Name of the frame before the step, without its folder and `.png`.
    #[serde(skip_serializing_if = "Option::is_none")]
    before: Option<FrameName>,
    #[serde(skip_serializing_if = "Option::is_none")]
    after: Option<FrameName>,
    /// How long the screen took to rest after the act.
    #[serde(skip_serializing_if = "Option::is_none")]
    settled_ms: Option<u64>,
    /// Departures from the recording's gate.
    #[serde(skip_serializing_if = "GateOptions::is_default", serialize_with = "flow")]
    gate: GateOptions,
    /// Masks beside the recording's own.
    #[serde(skip_serializing_if = "Vec::is_empty", serialize_with = "flow_list")]
    masks: Vec<Mask>,
}

impl TryFrom<StepFile> for Step {
    type Error = String;

    fn try_from(mut file: StepFile) -> Result<Self, String> {
        let body = match (&file.action, file.check.take()) {
            (Some(_), Some(_)) => return Err("a step has `action` or `check`, not both".into()),
            (None, None) => return Err("a step needs an `action` or a `check`".into()),
            (None, Some(check)) => check_body(&file, check)?,
            (Some(name), None) => {
                if file.before.is_none() || file.after.is_none() {
                    return Err(format!("`{name}` needs both frames, `before` and `after`"));
                }
                StepBody::Act(Box::new(file.action()?))
            }
        };
        Ok(Self {
            body,
            before: file.before,
            after: file.after,
            settled_ms: file.settled_ms.unwrap_or_default(),
            gate: file.gate,
            masks: file.masks,
        })
    }
}

fn check_body(file: &StepFile, check: Check) -> Result<StepBody, String> {
    let keys = file.action_keys()?;
    if let Some(key) = keys.keys().next() {
        return Err(format!("`{key}` does not belong beside `check`"));
    }
    if file.after.is_some() {
        return Err("a check changes nothing, so it has no `after`".into());
    }
    match check.problem() {
        Some(problem) => Err(problem),
        None => Ok(StepBody::Check(check)),
    }
}

impl StepFile {
    /// The keys that are set, besides those of every step.
    fn action_keys(&self) -> Result<Map<String, Value>, String> {
        match serde_json::to_value(self) {
            Ok(Value::Object(mut keys)) => {
                keys.retain(|key, _| !STEP_KEYS.contains(&key.as_str()) && key != "action");
                Ok(keys)
            }
            Ok(_) => Err("a step is a mapping".into()),
            Err(e) => Err(e.to_string()),
        }
    }

    fn action(&self) -> Result<Action<RecordedTarget>, String> {
        let name = self.action.as_deref().unwrap_or_default();
        let Some((_, allowed)) = ACTION_KEYS.iter().find(|(known, _)| *known == name) else {
            let near = nearest(name, ACTION_KEYS.iter().map(|(known, _)| *known));
            return Err(format!("`{name}` is no action; did you mean `{near}`?"));
        };
        let mut keys = self.action_keys()?;
        if let Some(key) = keys.keys().find(|key| !allowed.contains(&key.as_str())) {
            return Err(format!("`{key}` does not belong to `{name}`, which takes {}", allowed.join(", ")));
        }
        self.check_combination(name)?;
        keys.insert("action".into(), Value::from(name));
        serde_json::from_value(Value::Object(keys)).map_err(|e| format!("`{name}`: {e}"))
    }

    /// What serde's untagged forms could only call "no variant".
    fn check_combination(&self, name: &str) -> Result<(), String> {
        match name {
            "tap" if !matches!(self.count, None | Some(1 | 2)) => Err("`count` is 1 or 2".into()),
            "swipe" => match (&self.from, &self.to, self.direction) {
                (Some(_), Some(_), None) if self.distance.is_none() => Ok(()),
                (_, None, Some(_)) => Ok(()),
                _ => Err(
                    "`swipe` takes `from` and `to`, or `direction` with an optional `from` and `distance`"
                        .into(),
                ),
            },
            "type_text" if self.text.is_some() == self.secret.is_some() => {
                Err("`type_text` takes exactly one of `text` and `secret`".into())
            }
            "type_text" => match &self.secret {
                Some(secret) if !super::variables::is_name(secret) => {
                    Err("`secret` is the name of an environment variable: letters, digits and underscores"
                        .into())
                }
                _ => Ok(()),
            },
            "press_key" => match &self.key {
                Some(key) if serde_json::from_value::<Key>(Value::from(key.as_str())).is_err() => {
                    Err(format!("`{key}` is no key"))
                }
                _ => Ok(()),
            },
            "dismiss_sheet" => match self.direction {
                Some(d) if sheet_direction(d).is_none() => Err("a sheet goes `up` or `down`".into()),
                _ => Ok(()),
            },
            _ => Ok(()),
        }
    }
}

fn sheet_direction(direction: Direction) -> Option<SheetDirection> {
    match direction {
        Direction::Up => Some(SheetDirection::Up),
        Direction::Down => Some(SheetDirection::Down),
        Direction::Left | Direction::Right => None,
    }
}

impl From<Step> for StepFile {
    fn from(step: Step) -> Self {
        let mut file = match step.body {
            StepBody::Check(check) => Self { check: Some(check), ..Self::default() },
            // every key of every action is a field above, which a test holds for each of them
            StepBody::Act(action) => {
                serde_json::to_value(action).and_then(serde_json::from_value).unwrap_or_default()
            }
        };
        file.before = step.before;
        file.after = step.after;
        file.settled_ms = file.action.is_some().then_some(step.settled_ms);
        file.gate = step.gate;
        file.masks = step.masks;
        file
    }
}
