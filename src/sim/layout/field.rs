//! Text, secure and search fields with caret and placeholder.

use super::builder::{Block, Builder};
use super::element::{Element, Touch};
use super::flow::{Column, Context};
use super::look::Font;
use super::rows::PAD;
use crate::geometry::Rect;
use crate::role::Role;
use crate::sim::app::expression::display;
use crate::sim::app::{self, Actions, Color, FieldKind, IconName, ReturnKey, TextStyle};
use crate::sim::process::{FieldRef, Focus};
use crate::sim::render::{Rgba, Weight};

/// What a field shows.
struct Shown<'a> {
    /// As it is drawn: dots for a secure one.
    text: String,
    placeholder: String,
    focus: Option<&'a Focus>,
    enabled: bool,
    font: Font,
}

impl Builder<'_> {
    fn shown<'c>(&self, field: &app::Field, context: &Context<'c>) -> Shown<'c> {
        let stored = display(context.stored(&field.bind.name));
        let focus = context
            .process
            .focus
            .as_ref()
            .filter(|f| f.field.page == context.page.id && f.field.bind == field.bind.name);
        Shown {
            text: if field.kind == FieldKind::Secure { "●".repeat(stored.chars().count()) } else { stored },
            placeholder: context.text(&field.placeholder),
            focus,
            enabled: !context.holds(field.disabled.as_ref()),
            font: self.look.body(),
        }
    }

    /// A field that stands by itself: label above, grey ground, round corners.
    pub fn field(&mut self, field: &app::Field, column: Column, y: f64, context: &Context) -> f64 {
        if field.kind == FieldKind::Search {
            let search = app::Search {
                bind: field.bind.clone(),
                placeholder: field.placeholder.clone(),
                id: field.id.clone(),
            };
            return self.search_field(&search, &field.submit, &field.on_change, column, y, context);
        }
        let mut top = y;
        let label = context.optional(field.label.as_ref());
        if let Some(label) = &label {
            let font = self.look.font(TextStyle::Subhead).weighing(Weight::Medium);
            top +=
                self.text(label, font, self.look.label(), Block::new(column.x, y, column.width)).height + 6.0;
        }
        let shown = self.shown(field, context);
        let height = (shown.font.line + 24.0).max(46.0);
        let frame = Rect::new(column.x, top, column.width, height);
        let invalid = context.holds(field.invalid.as_ref());
        let grouped = context.style == app::ScreenStyle::Grouped && !context.nested;
        let ground = if grouped { self.look.card() } else { self.look.fill() };
        self.fill(frame, 10.0, ground);
        if invalid {
            self.stroke(frame, 10.0, 1.5, self.look.color(Color::Red));
        } else if shown.focus.is_some() {
            self.stroke(frame, 10.0, 1.5, self.look.accent());
        } else {
            self.stroke(frame, 10.0, 1.0, self.look.separator());
        }
        let inner = Rect::new(frame.x + 12.0, frame.y, frame.width - 24.0, height);
        self.field_text(&shown, inner);
        self.field_element(field, &shown, label, frame, context);
        top + height - y
    }

    /// A field as a row of a section: its label at the left, if it has one.
    pub fn field_row(&mut self, field: &app::Field, column: Column, y: f64, context: &Context) -> f64 {
        let shown = self.shown(field, context);
        let height = (shown.font.line + 22.0).max(44.0);
        let label = context.optional(field.label.as_ref());
        let mut x = column.x + PAD;
        if let Some(label) = &label {
            let top = y + (height - shown.font.line) / 2.0;
            let width = self.line(label, shown.font, self.look.label(), x, top);
            x += (width + 16.0).max(100.0);
        }
        let frame = Rect::new(column.x, y, column.width, height);
        let inner = Rect::new(x, y, column.x + column.width - PAD - x, height);
        self.field_text(&shown, inner);
        self.field_element(field, &shown, label, frame, context);
        height
    }

    /// The text or the placeholder, the caret, and the selection; the end stays in view.
    fn field_text(&mut self, shown: &Shown, inner: Rect) {
        let font = shown.font;
        let top = inner.y + (inner.height - font.line) / 2.0;
        let width = self.width(&shown.text, font);
        let caret = shown.focus.map(|f| f.caret.min(shown.text.chars().count()));
        let before: String = shown.text.chars().take(caret.unwrap_or(0)).collect();
        let caret_x = if before.is_empty() { 0.0 } else { self.width(&before, font) };
        // the caret stays in view; unfocused, the beginning does
        let scroll = if shown.focus.is_some() { (caret_x + 3.0 - inner.width).max(0.0) } else { 0.0 };
        self.clipped(inner, |b| {
            if shown.text.is_empty() {
                let at = Block::new(inner.x, top, inner.width).lines(1);
                b.text(&shown.placeholder, font, b.look.tertiary(), at);
            } else {
                if shown.focus.is_some_and(|f| f.all_selected) {
                    let wide = Rect::new(inner.x - scroll, top, width.min(inner.width + scroll), font.line);
                    b.fill(wide, 2.0, b.look.accent().faded(0.25));
                }
                let color = if shown.enabled { b.look.label() } else { b.look.tertiary() };
                b.line(&shown.text, font, color, inner.x - scroll, top);
            }
        });
        if let Some(focus) = shown.focus
            && caret_shows(focus, self.now)
            && !focus.all_selected
        {
            let x = self.snap(inner.x + caret_x - scroll);
            self.fill(Rect::new(x, top + 1.0, 2.0, font.line - 2.0), 1.0, self.look.accent());
        }
    }

    fn field_element(
        &mut self,
        field: &app::Field,
        shown: &Shown,
        label: Option<String>,
        frame: Rect,
        context: &Context,
    ) {
        let (role, traits): (_, &[&str]) = match field.kind {
            FieldKind::Secure => (Role::SecureField, &["SecureTextField", "TextEntry"]),
            FieldKind::Search => (Role::SearchField, &["SearchField", "TextEntry"]),
            _ => (Role::TextField, &["TextEntry"]),
        };
        let name = label.unwrap_or_else(|| shown.placeholder.clone());
        let mut element = Element::new(role, "TextField", name, frame)
            .identifier(field.id.as_ref())
            .enabled(shown.enabled)
            .traits(traits);
        element.placeholder = Some(shown.placeholder.clone()).filter(|p| !p.is_empty());
        element.value =
            Some(if shown.text.is_empty() { shown.placeholder.clone() } else { shown.text.clone() });
        element.focused = shown.focus.is_some();
        let reference = FieldRef {
            page: context.page.id,
            bind: field.bind.name.clone(),
            id: field.id.clone(),
            kind: field.kind,
            return_key: field.return_key,
            submit: field.submit.clone(),
            on_change: field.on_change.clone(),
            locals: context.locals(),
        };
        self.element(element.exact_touch(Touch::Focus(reference)));
    }

    /// The search field: magnifier, text, a cross that clears it, and Cancel while it is focused.
    pub fn search_field(
        &mut self,
        search: &app::Search,
        submit: &Actions,
        on_change: &Actions,
        column: Column,
        y: f64,
        context: &Context,
    ) -> f64 {
        let field = app::Field {
            bind: search.bind.clone(),
            label: None,
            placeholder: search.placeholder.clone(),
            kind: FieldKind::Search,
            id: search.id.clone(),
            disabled: None,
            invalid: None,
            return_key: ReturnKey::Search,
            submit: submit.clone(),
            on_change: on_change.clone(),
        };
        let shown = self.shown(&field, context);
        let height = (shown.font.line + 14.0).max(36.0);
        let focused = shown.focus.is_some();
        let body = self.look.body();
        let cancel = if focused { self.width("Cancel", body) + 12.0 } else { 0.0 };
        let frame = Rect::new(column.x, y, column.width - cancel, height);
        self.fill(frame, 10.0, self.look.fill());
        let gray = self.look.secondary();
        let middle = y + height / 2.0;
        self.icon(IconName::Magnifier, Rect::new(frame.x + 8.0, middle - 8.5, 17.0, 17.0), gray);
        let clear = if shown.text.is_empty() { 0.0 } else { 28.0 };
        let inner = Rect::new(frame.x + 31.0, y, frame.width - 39.0 - clear, height);
        self.field_text(&shown, inner);
        self.field_element(&field, &shown, None, frame, context);
        let reference = match self.elements.last().and_then(|e| e.touch.clone()) {
            Some(Touch::Focus(reference)) => reference,
            _ => return height,
        };
        if clear > 0.0 {
            let dot = Rect::new(frame.right() - 25.0, middle - 8.5, 17.0, 17.0);
            self.fill(dot, 8.5, self.look.color(Color::Gray));
            let cross = Rect::new(dot.x + 4.5, dot.y + 4.5, 8.0, 8.0);
            self.icon(
                IconName::Xmark,
                cross,
                if self.look.dark { Rgba::hex(0) } else { Rgba::hex(0x00FF_FFFF) },
            );
            let element = Element::new(Role::IconButton, "Button", "Clear text", dot).traits(&["Button"]);
            self.element(element.touch(Touch::ClearField(reference)));
        }
        if focused {
            let x = frame.right() + 12.0;
            let width = self.line("Cancel", body, self.look.accent(), x, middle - body.line / 2.0);
            let frame = Rect::new(x, middle - body.line / 2.0, width, body.line);
            let element = Element::new(Role::Button, "Button", "Cancel", frame).traits(&["Button"]);
            self.element(element.touch(Touch::CancelSearch));
        }
        height
    }
}

/// Half a second on, half a second off.
fn caret_shows(focus: &Focus, now: crate::sim::motion::Moment) -> bool {
    (now.saturating_sub(focus.since).as_millis() / 500).is_multiple_of(2)
}
