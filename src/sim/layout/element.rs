//! One thing on the screen as a user and accessibility know it, and what a touch on it does.

use crate::geometry::Rect;
use crate::role::Role;
use crate::sim::app::Actions;
use crate::sim::process::{Edit, FieldRef, Locals, Plane};

#[derive(Clone, Debug)]
pub struct Element {
    pub role: Role,
    /// Accessibility's word for it, such as `Button`.
    pub kind: &'static str,
    pub label: String,
    pub value: Option<String>,
    pub identifier: Option<String>,
    pub placeholder: Option<String>,
    pub frame: Rect,
    pub enabled: bool,
    pub selected: bool,
    pub focused: bool,
    pub traits: Vec<&'static str>,
    /// Accessibility sees it.
    pub accessible: bool,
    /// What accessibility puts it in, such as `Tab Bar`.
    pub group: Option<&'static str>,
    pub touch: Option<Touch>,
    /// Where touches find it.
    pub hit: Rect,
    /// What is left of it within its scroll view.
    pub shown: Option<Rect>,
}

impl Element {
    pub fn new(role: Role, kind: &'static str, label: impl Into<String>, frame: Rect) -> Self {
        Self {
            role,
            kind,
            label: label.into(),
            value: None,
            identifier: None,
            placeholder: None,
            frame,
            enabled: true,
            selected: false,
            focused: false,
            traits: Vec::new(),
            accessible: true,
            group: None,
            touch: None,
            hit: frame,
            shown: None,
        }
    }

    /// Something that only takes touches.
    pub fn shield(frame: Rect, touch: Touch) -> Self {
        Self { accessible: false, touch: Some(touch), ..Self::new(Role::Other, "GenericElement", "", frame) }
    }

    pub fn is_shield(&self) -> bool {
        self.kind == "GenericElement"
    }

    pub fn value(self, value: impl Into<String>) -> Self {
        Self { value: Some(value.into()), ..self }
    }

    pub fn identifier(self, identifier: Option<&String>) -> Self {
        Self { identifier: identifier.cloned(), ..self }
    }

    pub fn enabled(self, enabled: bool) -> Self {
        Self { enabled, ..self }
    }

    pub fn selected(self, selected: bool) -> Self {
        Self { selected, ..self }
    }

    pub fn traits(self, traits: &[&'static str]) -> Self {
        Self { traits: traits.to_vec(), ..self }
    }

    /// Reacts to touches, in its frame grown to a finger's size.
    pub fn touch(self, touch: Touch) -> Self {
        const FINGER: f64 = 44.0;
        let f = self.frame;
        let (dx, dy) = ((FINGER - f.width).max(0.0) / 2.0, (FINGER - f.height).max(0.0) / 2.0);
        let hit = Rect::new(f.x - dx, f.y - dy, f.width + 2.0 * dx, f.height + 2.0 * dy);
        Self { touch: Some(touch), hit, ..self }
    }

    /// As [`Element::touch`], but within its frame only.
    pub fn exact_touch(self, touch: Touch) -> Self {
        Self { touch: Some(touch), hit: self.frame, ..self }
    }
}

/// What a touch does.
#[derive(Clone, Debug)]
pub enum Touch {
    /// Nothing, and nothing below gets it either.
    Nothing,
    Act {
        actions: Actions,
        locals: Locals,
    },
    Store {
        bind: String,
        value: serde_json::Value,
        on_change: Actions,
        locals: Locals,
    },
    Slide {
        bind: String,
        track: Rect,
        min: f64,
        max: f64,
        step: Option<f64>,
        on_change: Actions,
        locals: Locals,
    },
    Focus(FieldRef),
    ClearField(FieldRef),
    CancelSearch,
    Back,
    Tab(usize),
    Alert(usize),
    /// Outside of a sheet, and its grabber.
    DismissSheet,
    Key(KeyCap),
    /// An icon of the home screen.
    Launch(String),
    Banner,
}

/// A key of the drawn keyboard.
#[derive(Clone, Debug, PartialEq)]
pub enum KeyCap {
    Edit(Edit),
    Shift,
    Plane(Plane),
}
