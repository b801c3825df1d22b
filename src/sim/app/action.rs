//! What touches do, as written in YAML.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Deref;
use std::sync::Arc;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Deserializer, de};
use serde_json::Value;
use serde_saphyr::Spanned;

use super::expression::Scope;
use super::template::{Expr, Place, Template};

/// What happens one after the other; cheap to copy, so that what is on the screen can hold it.
#[derive(Clone, Debug, Default)]
pub struct Actions(Arc<[Action]>);

impl Deref for Actions {
    type Target = [Action];

    fn deref(&self) -> &[Action] {
        &self.0
    }
}

impl<'de> Deserialize<'de> for Actions {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Vec::deserialize(deserializer).map(|actions| Self(actions.into()))
    }
}

impl JsonSchema for Actions {
    fn schema_name() -> Cow<'static, str> {
        "Actions".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        Vec::<Action>::json_schema(generator)
    }
}

/// One thing that happens. Several stand in a list and happen in order.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Action {
    /// Push a screen.
    Navigate(Name),
    /// Pop the screen in front.
    Back,
    /// Pop to the first screen.
    BackToRoot,
    /// Start over with a screen; the tabs show if it is one of theirs.
    Root(Name),
    /// Show a screen as a sheet.
    Sheet(Name),
    /// Close the sheet in front.
    Dismiss,
    /// Select the tab of a screen.
    Tab(Name),
    /// Put values into the state: `{name: value}`; a text that is one `{expression}` keeps its type.
    Set(BTreeMap<String, ValueTemplate>),
    /// Turn a yes/no around.
    Toggle(Name),
    /// Append to a list, or add to a number.
    Add(Add),
    /// Take out of a list every `it` that fits.
    Remove(Remove),
    Alert(Alert),
    /// Ask for a permission as the system does; asks only once.
    Permission(Permission),
    Toast(Toast),
    Delay(Delay),
    If(If),
    /// Write a line to the app's log.
    Log(Template),
    /// End the app with a crash report that says so.
    Crash(Template),
    /// Open a link.
    Open(Template),
    /// Light or dark, for the whole device.
    Appearance(Template),
    /// Put the caret into the field with this id.
    Focus(String),
    HideKeyboard,
    /// Put a text on the pasteboard.
    Copy(Template),
    /// Scroll to the top.
    ScrollToTop,
}

#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Add {
    pub to: Name,
    pub value: ValueTemplate,
}

#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Remove {
    pub from: Name,
    /// Over `it`.
    #[serde(rename = "where")]
    pub condition: Expr,
}

/// A value built anew each time: a text, or a map or list of such.
#[derive(Clone, Debug, JsonSchema)]
#[schemars(untagged)]
pub enum ValueTemplate {
    Text(Template),
    Map(BTreeMap<String, ValueTemplate>),
    List(Vec<ValueTemplate>),
}

impl ValueTemplate {
    pub fn value(&self, scope: &Scope) -> Value {
        match self {
            Self::Text(template) => template.value(scope),
            Self::Map(map) => map.iter().map(|(k, v)| (k.clone(), v.value(scope))).collect(),
            Self::List(list) => list.iter().map(|v| v.value(scope)).collect(),
        }
    }
}

impl<'de> Deserialize<'de> for ValueTemplate {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let spanned = Spanned::<Value>::deserialize(deserializer)?;
        let place = Place { line: spanned.referenced.line(), column: spanned.referenced.column() };
        Self::of(spanned.value, place).map_err(de::Error::custom)
    }
}

impl ValueTemplate {
    fn of(value: Value, place: Place) -> Result<Self, String> {
        Ok(match value {
            Value::Object(map) => Self::Map(
                map.into_iter().map(|(k, v)| Ok((k, Self::of(v, place)?))).collect::<Result<_, String>>()?,
            ),
            Value::Array(list) => {
                Self::List(list.into_iter().map(|v| Self::of(v, place)).collect::<Result<_, _>>()?)
            }
            scalar => Self::Text(Template::of(scalar, place)?),
        })
    }
}

/// An alert of the app.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Alert {
    pub title: Template,
    #[serde(default)]
    pub message: Option<Template>,
    /// One `OK` where none is given.
    #[serde(default)]
    pub buttons: Vec<AlertButton>,
}

#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AlertButton {
    pub label: Template,
    #[serde(default)]
    pub style: AlertStyle,
    #[serde(default, rename = "do")]
    pub actions: Actions,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AlertStyle {
    #[default]
    Default,
    Cancel,
    Destructive,
}

#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Permission {
    pub name: PermissionName,
    /// Why the app wants it.
    #[serde(default)]
    pub reason: Option<Template>,
    #[serde(default)]
    pub then: Actions,
    #[serde(default, rename = "else")]
    pub otherwise: Actions,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PermissionName {
    Photos,
    Camera,
    Contacts,
    Location,
    Notification,
    Microphone,
}

impl PermissionName {
    pub const ALL: [(PermissionName, &'static str); 6] = [
        (Self::Photos, "photos"),
        (Self::Camera, "camera"),
        (Self::Contacts, "contacts"),
        (Self::Location, "location"),
        (Self::Notification, "notification"),
        (Self::Microphone, "microphone"),
    ];

    pub fn as_str(self) -> &'static str {
        Self::ALL[self as usize].1
    }

    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.iter().find(|(_, n)| *n == name).map(|(p, _)| *p)
    }
}

#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Toast {
    pub text: Template,
    #[serde(default = "toast_ms")]
    pub ms: u64,
}

fn toast_ms() -> u64 {
    2_000
}

#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Delay {
    pub ms: u64,
    #[serde(rename = "do")]
    pub actions: Actions,
}

#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct If {
    pub test: Expr,
    #[serde(default)]
    pub then: Actions,
    #[serde(default, rename = "else")]
    pub otherwise: Actions,
}

/// The name of a screen or of a state, and where it was written.
#[derive(Clone, Debug)]
pub struct Name {
    pub name: String,
    pub(super) place: Place,
}

impl<'de> Deserialize<'de> for Name {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let spanned = Spanned::<String>::deserialize(deserializer)?;
        let place = Place { line: spanned.referenced.line(), column: spanned.referenced.column() };
        Ok(Self { name: spanned.value, place })
    }
}

impl JsonSchema for Name {
    fn schema_name() -> Cow<'static, str> {
        "Name".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        String::json_schema(generator)
    }
}
