//! What a screen is made of, as written in YAML. Lengths are points.

use schemars::JsonSchema;
use serde::Deserialize;

use super::action::{Actions, Name};
use super::template::{Expr, Template};

#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Component {
    Text(Text),
    Button(Button),
    /// A button that shows nothing but an icon.
    IconButton(IconButton),
    Field(Field),
    /// A group of rows with a header above and a footer below.
    Section(Section),
    Cell(Cell),
    Switch(Switch),
    Checkbox(Checkbox),
    Segmented(Segmented),
    Slider(Slider),
    Stepper(Stepper),
    Progress(Progress),
    Spinner(Spinner),
    Card(Card),
    Image(Image),
    /// Side by side.
    Row(Row),
    /// In equal columns.
    Grid(Grid),
    /// Empty height.
    Spacer(f64),
    Divider,
    /// Once for each item of a list.
    Each(Each),
    When(When),
    /// One thing over another: the upper takes the touches.
    Cover(Cover),
    /// Something that changes its place.
    Moving(Moving),
}

#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Text {
    pub text: Template,
    #[serde(default)]
    pub style: TextStyle,
    #[serde(default)]
    pub color: Option<Color>,
    #[serde(default)]
    pub align: Align,
    /// Cut off with an ellipsis after so many lines.
    #[serde(default)]
    pub lines: Option<usize>,
    #[serde(default)]
    pub bold: bool,
    #[serde(default)]
    pub id: Option<String>,
    /// Makes it a link.
    #[serde(default, rename = "do")]
    pub actions: Actions,
}

/// The text styles of iOS.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TextStyle {
    LargeTitle,
    Title1,
    Title2,
    Title3,
    Headline,
    #[default]
    Body,
    Callout,
    Subhead,
    Footnote,
    Caption,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Align {
    #[default]
    Start,
    Center,
    End,
}

/// A colour of the system, which knows dark mode.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Color {
    Primary,
    Secondary,
    Tertiary,
    /// The app's accent.
    Tint,
    #[default]
    Blue,
    Green,
    Red,
    Orange,
    Yellow,
    Purple,
    Pink,
    Teal,
    Indigo,
    Brown,
    Gray,
    White,
    Black,
}

#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Button {
    pub label: Template,
    #[serde(default)]
    pub style: ButtonStyle,
    #[serde(default)]
    pub icon: Option<IconName>,
    /// Red.
    #[serde(default)]
    pub destructive: bool,
    #[serde(default)]
    pub disabled: Option<Expr>,
    /// A spinner instead of the label.
    #[serde(default)]
    pub loading: Option<Expr>,
    /// As wide as its label needs, instead of the whole width.
    #[serde(default)]
    pub compact: bool,
    #[serde(default)]
    pub id: Option<String>,
    #[serde(default, rename = "do")]
    pub actions: Actions,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ButtonStyle {
    #[default]
    Filled,
    Tinted,
    Gray,
    Plain,
}

#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct IconButton {
    pub icon: IconName,
    /// What accessibility says; left out, it says nothing.
    #[serde(default)]
    pub label: Option<Template>,
    #[serde(default)]
    pub color: Option<Color>,
    #[serde(default)]
    pub badge: Option<Expr>,
    /// On a round ground.
    #[serde(default)]
    pub round: bool,
    #[serde(default)]
    pub disabled: Option<Expr>,
    #[serde(default)]
    pub id: Option<String>,
    #[serde(default, rename = "do")]
    pub actions: Actions,
}

/// A text, secure or search field.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Field {
    /// The state that holds the text.
    pub bind: Name,
    /// Stands in front of the text (in a section) or above the field.
    #[serde(default)]
    pub label: Option<Template>,
    #[serde(default)]
    pub placeholder: Template,
    #[serde(default)]
    pub kind: FieldKind,
    #[serde(default)]
    pub id: Option<String>,
    #[serde(default)]
    pub disabled: Option<Expr>,
    /// Red border.
    #[serde(default)]
    pub invalid: Option<Expr>,
    /// What the return key says; on a search field always `search`.
    #[serde(default)]
    pub return_key: ReturnKey,
    /// What the return key does besides closing the keyboard.
    #[serde(default)]
    pub submit: Actions,
    /// After every change.
    #[serde(default)]
    pub on_change: Actions,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FieldKind {
    #[default]
    Text,
    Secure,
    Search,
    Email,
    Number,
}

/// What a keyboard writes on its return key.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ReturnKey {
    #[default]
    Return,
    Next,
    Done,
    Go,
    Join,
    Search,
    Send,
}

impl ReturnKey {
    pub fn face(self) -> &'static str {
        match self {
            Self::Return => "return",
            Self::Next => "next",
            Self::Done => "done",
            Self::Go => "go",
            Self::Join => "join",
            Self::Search => "search",
            Self::Send => "send",
        }
    }
}

#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Section {
    #[serde(default)]
    pub header: Option<Template>,
    #[serde(default)]
    pub footer: Option<Template>,
    pub rows: Vec<Component>,
}

#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Cell {
    pub title: Template,
    #[serde(default)]
    pub subtitle: Option<Template>,
    /// Grey, at the end of the row.
    #[serde(default)]
    pub value: Option<Template>,
    #[serde(default)]
    pub icon: Option<IconName>,
    /// The ground of the icon.
    #[serde(default)]
    pub icon_color: Option<Color>,
    /// A small picture in front, named as in `image`.
    #[serde(default)]
    pub image: Option<Template>,
    /// The arrow at the end; by default where the cell does something.
    #[serde(default)]
    pub chevron: Option<bool>,
    #[serde(default)]
    pub checked: Option<Expr>,
    #[serde(default)]
    pub badge: Option<Expr>,
    #[serde(default)]
    pub destructive: bool,
    /// Blue and without an arrow, as a button in a list.
    #[serde(default)]
    pub button: bool,
    #[serde(default)]
    pub disabled: Option<Expr>,
    #[serde(default)]
    pub id: Option<String>,
    #[serde(default, rename = "do")]
    pub actions: Actions,
}

#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Switch {
    pub label: Template,
    pub bind: Name,
    #[serde(default)]
    pub subtitle: Option<Template>,
    #[serde(default)]
    pub icon: Option<IconName>,
    #[serde(default)]
    pub icon_color: Option<Color>,
    #[serde(default)]
    pub disabled: Option<Expr>,
    #[serde(default)]
    pub id: Option<String>,
    /// After it was turned.
    #[serde(default)]
    pub on_change: Actions,
}

#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Checkbox {
    pub label: Template,
    pub bind: Name,
    #[serde(default)]
    pub disabled: Option<Expr>,
    #[serde(default)]
    pub id: Option<String>,
    #[serde(default)]
    pub on_change: Actions,
}

#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Segmented {
    /// What the choice is; for accessibility.
    #[serde(default)]
    pub label: Option<Template>,
    pub options: Vec<String>,
    /// Holds the chosen option's text.
    pub bind: Name,
    #[serde(default)]
    pub id: Option<String>,
    #[serde(default)]
    pub on_change: Actions,
}

#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Slider {
    pub label: Template,
    pub bind: Name,
    #[serde(default)]
    pub min: f64,
    #[serde(default = "one")]
    pub max: f64,
    /// Rounded to a multiple of this where given.
    #[serde(default)]
    pub step: Option<f64>,
    #[serde(default)]
    pub low_icon: Option<IconName>,
    #[serde(default)]
    pub high_icon: Option<IconName>,
    #[serde(default)]
    pub id: Option<String>,
    #[serde(default)]
    pub on_change: Actions,
}

fn one() -> f64 {
    1.0
}

#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Stepper {
    pub label: Template,
    pub bind: Name,
    /// What is shown instead of the bare number.
    #[serde(default)]
    pub value: Option<Template>,
    #[serde(default)]
    pub min: f64,
    #[serde(default = "hundred")]
    pub max: f64,
    #[serde(default = "one")]
    pub step: f64,
    #[serde(default)]
    pub id: Option<String>,
    #[serde(default)]
    pub on_change: Actions,
}

fn hundred() -> f64 {
    100.0
}

#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Progress {
    #[serde(default)]
    pub label: Option<Template>,
    /// 0 to 1.
    pub value: Expr,
}

#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Spinner {
    #[serde(default)]
    pub label: Option<Template>,
    #[serde(default)]
    pub large: bool,
}

/// A white ground with round corners.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Card {
    pub body: Vec<Component>,
    #[serde(default)]
    pub id: Option<String>,
    #[serde(default, rename = "do")]
    pub actions: Actions,
}

/// A drawn picture: the same name always gives the same.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Image {
    pub name: Template,
    /// What accessibility says; left out, it is decoration.
    #[serde(default)]
    pub label: Option<Template>,
    #[serde(default = "image_height")]
    pub height: f64,
    /// Square, of that height, in the middle.
    #[serde(default)]
    pub square: bool,
}

fn image_height() -> f64 {
    160.0
}

#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Row {
    pub body: Vec<Component>,
    #[serde(default = "spacing")]
    pub spacing: f64,
    #[serde(default)]
    pub align: Align,
}

fn spacing() -> f64 {
    12.0
}

#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Grid {
    #[schemars(range(min = 1, max = 6))]
    pub columns: usize,
    #[serde(default = "spacing")]
    pub spacing: f64,
    pub body: Vec<Component>,
}

#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Each {
    #[serde(rename = "in")]
    pub list: Expr,
    /// The name of the item in what is below; `index` counts from 0.
    #[serde(rename = "as")]
    pub name: String,
    #[serde(default, rename = "where")]
    pub condition: Option<Expr>,
    pub body: Vec<Component>,
    /// Shown where no item fits.
    #[serde(default)]
    pub empty: Vec<Component>,
}

#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct When {
    pub test: Expr,
    #[serde(default)]
    pub then: Vec<Component>,
    #[serde(default, rename = "else")]
    pub otherwise: Vec<Component>,
}

#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Cover {
    pub body: Vec<Component>,
    /// Drawn in the middle of the body, over it.
    pub over: Vec<Component>,
}

#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Moving {
    pub body: Vec<Component>,
    /// Offsets `[x, y]`, one after the other, from where it would stand.
    pub path: Vec<[f64; 2]>,
    /// How long it rests at each.
    #[schemars(range(min = 100))]
    pub every_ms: u64,
}

macro_rules! icons {
    ($($variant:ident),* $(,)?) => {
        /// A drawn icon.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Deserialize, JsonSchema)]
        #[serde(rename_all = "snake_case")]
        pub enum IconName {
            #[default]
            $($variant),*
        }

        impl IconName {
            pub const ALL: &'static [IconName] = &[$(IconName::$variant),*];
        }
    };
}

icons! {
    App, Magnifier, Gear, Person, Cart, House, Heart, HeartFill, Star, StarFill, Plus, Minus, Xmark, Trash, Bell,
    Lock, Wifi, Bluetooth, Airplane, Antenna, Hand, Info, Warning, Check, ChevronRight, ChevronLeft, ChevronDown,
    ChevronUp, Ellipsis, Share, Camera, Photo, Mic, Pin, Phone, Envelope, Calendar, Clock, Tag, Bag, Box, Card,
    Sun, Moon, Speaker, Battery, Key, Globe, Text, List, Grid, Play, Pause, Bolt, Flame, Leaf, Eye, Pencil,
    Download, Refresh, Filter, Door,
}
