//! The app, its screens and its tabs, as written in YAML.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::action::{Actions, Name};
use super::component::{Color, Component, IconName};
use super::template::{Expr, Template};

/// One app.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct App {
    pub name: String,
    /// Bundle identifier, such as `com.example.shop`.
    pub bundle: String,
    #[serde(default = "version")]
    pub version: String,
    /// Drawn on the home screen.
    #[serde(default)]
    pub icon: IconName,
    /// The accent colour: buttons, links, the selected tab.
    #[serde(default)]
    pub tint: Color,
    /// What the app remembers while it runs, by name.
    #[serde(default)]
    pub state: BTreeMap<String, Value>,
    /// What never changes, such as a catalogue, by name.
    #[serde(default)]
    pub data: BTreeMap<String, Value>,
    /// The screen shown after launch.
    pub start: Name,
    #[serde(default)]
    pub tabs: Vec<Tab>,
    #[serde(default)]
    pub on_launch: Actions,
    /// What opening a link does; the first that fits wins.
    #[serde(default)]
    pub links: Vec<Link>,
    pub screens: BTreeMap<String, Screen>,
}

fn version() -> String {
    "1.0".to_owned()
}

/// One entry of the tab bar.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Tab {
    pub label: Template,
    pub icon: IconName,
    pub screen: Name,
    /// Shown in a red badge unless empty or 0.
    #[serde(default)]
    pub badge: Option<Expr>,
}

/// A link that the app opens, such as `shop://product/`.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Link {
    pub prefix: String,
    /// `link` is what follows the prefix.
    #[serde(rename = "do")]
    pub actions: Actions,
}

/// One screen.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Screen {
    #[serde(default)]
    pub title: Template,
    /// A large title that shrinks into the bar when scrolled.
    #[serde(default)]
    pub large_title: bool,
    #[serde(default)]
    pub style: ScreenStyle,
    /// Buttons at the left of the bar.
    #[serde(default)]
    pub leading: Vec<BarItem>,
    /// Buttons at the right of the bar.
    #[serde(default)]
    pub trailing: Vec<BarItem>,
    /// A search field below the title.
    #[serde(default)]
    pub search: Option<Search>,
    pub body: Vec<Component>,
    /// Stays at the bottom while the body scrolls.
    #[serde(default)]
    pub footer: Vec<Component>,
    /// No navigation bar.
    #[serde(default)]
    pub bare: bool,
    /// Every time the screen comes to the front.
    #[serde(default)]
    pub on_appear: Actions,
    /// Again and again while the screen is in front.
    #[serde(default)]
    pub every: Option<Every>,
    /// `false`: the screen tells accessibility nothing, as custom-drawn ones do.
    #[serde(default = "yes")]
    pub accessibility: bool,
    /// Laid out from right to left.
    #[serde(default)]
    pub right_to_left: bool,
}

fn yes() -> bool {
    true
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ScreenStyle {
    /// Grey with white groups.
    #[default]
    Grouped,
    /// White.
    Plain,
}

/// A button in the navigation bar: an icon, a title, or an icon with a spoken label.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BarItem {
    #[serde(default)]
    pub icon: Option<IconName>,
    #[serde(default)]
    pub title: Option<Template>,
    #[serde(default)]
    pub label: Option<Template>,
    #[serde(default)]
    pub id: Option<String>,
    #[serde(default)]
    pub badge: Option<Expr>,
    #[serde(default)]
    pub disabled: Option<Expr>,
    #[serde(default)]
    pub bold: bool,
    #[serde(rename = "do")]
    pub actions: Actions,
}

#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Search {
    /// The state that holds what is searched for.
    pub bind: Name,
    #[serde(default = "search_placeholder")]
    pub placeholder: Template,
    #[serde(default)]
    pub id: Option<String>,
}

fn search_placeholder() -> Template {
    Template::literal("Search")
}

/// Actions that repeat.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Every {
    #[schemars(range(min = 50))]
    pub ms: u64,
    #[serde(rename = "do")]
    pub actions: Actions,
}
