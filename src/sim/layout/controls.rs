//! Buttons, switches, sliders and their kin.

use super::builder::{Block, Builder};
use super::element::{Element, Touch};
use super::flow::{Column, Context, shade};
use super::look::Font;
use crate::geometry::{Point, Rect};
use crate::role::Role;
use crate::sim::app::expression::{number, truthy};
use crate::sim::app::{self, ButtonStyle, Color, IconName, TextStyle};
use crate::sim::render::{Rgba, Weight};

const WHITE: Rgba = Rgba::hex(0x00FF_FFFF);

impl Builder<'_> {
    pub fn compact_button_width(&self, label: &str, icon: bool) -> f64 {
        let font = self.look.font(TextStyle::Subhead).weighing(Weight::Semibold);
        self.width(label, font) + 32.0 + if icon { 24.0 } else { 0.0 }
    }

    pub fn button(&mut self, button: &app::Button, column: Column, y: f64, context: &Context) -> f64 {
        let label = context.text(&button.label);
        let disabled = context.holds(button.disabled.as_ref());
        let loading = context.holds(button.loading.as_ref());
        let style = if button.compact { TextStyle::Subhead } else { TextStyle::Body };
        let font = self.look.font(style).weighing(Weight::Semibold);
        let text_width = column.width - 32.0;
        let lines = self.height(&label, font, text_width, None);
        let height = if button.compact { (lines + 14.0).max(34.0) } else { (lines + 28.0).max(50.0) };
        let width = if button.compact {
            self.compact_button_width(&label, button.icon.is_some()).min(column.width)
        } else {
            column.width
        };
        let frame = Rect::new(column.x, y, width, height);
        let pressed = self.next_is_pressed();
        self.button_ground(button, frame, disabled, pressed);
        let color = self.button_color(button, disabled, pressed);
        if loading {
            let side = 20.0;
            let center = frame.center();
            self.spinner(Rect::new(center.x - side / 2.0, center.y - side / 2.0, side, side), color);
        } else {
            self.button_label(&label, button.icon, font, color, frame, lines);
        }
        let mut element = Element::new(Role::Button, "Button", label, frame)
            .identifier(button.id.as_ref())
            .enabled(!disabled && !loading)
            .traits(if disabled || loading { &["Button", "NotEnabled"] } else { &["Button"] });
        if loading {
            element = element.value("In progress");
        }
        let touch = Touch::Act { actions: button.actions.clone(), locals: context.locals() };
        self.element(element.touch(touch));
        height
    }

    fn button_ground(&mut self, button: &app::Button, frame: Rect, disabled: bool, pressed: bool) {
        let accent = self.look.color(if button.destructive { Color::Red } else { Color::Tint });
        let radius = if button.compact { frame.height / 2.0 } else { 12.0 };
        let dim = if pressed { 0.75 } else { 1.0 };
        match button.style {
            ButtonStyle::Plain => {}
            _ if disabled => self.fill(frame, radius, self.look.fill()),
            ButtonStyle::Filled => self.fill(frame, radius, accent.faded(dim)),
            ButtonStyle::Tinted => self.fill(frame, radius, accent.faded(0.15 * dim)),
            ButtonStyle::Gray => self.fill(frame, radius, self.look.fill().faded(dim)),
        }
    }

    fn button_color(&self, button: &app::Button, disabled: bool, pressed: bool) -> Rgba {
        let accent = self.look.color(if button.destructive { Color::Red } else { Color::Tint });
        match button.style {
            _ if disabled => self.look.tertiary(),
            ButtonStyle::Filled => WHITE,
            _ if pressed => accent.faded(0.5),
            _ => accent,
        }
    }

    fn button_label(
        &mut self,
        label: &str,
        icon: Option<IconName>,
        font: Font,
        color: Rgba,
        frame: Rect,
        height: f64,
    ) {
        let y = frame.y + (frame.height - height) / 2.0;
        let Some(icon) = icon else {
            let block = Block::new(frame.x + 16.0, y, frame.width - 32.0).aligned(0.5);
            self.text(label, font, color, block);
            return;
        };
        let side = (font.size * 1.1).round();
        let text = self.width(label, font).min(frame.width - side - 24.0);
        let left = frame.x + (frame.width - text - side - 8.0) / 2.0;
        let icon_y = frame.y + (frame.height - side) / 2.0;
        self.icon(icon, Rect::new(left, icon_y, side, side), color);
        self.text(label, font, color, Block::new(left + side + 8.0, y, text + 1.0));
    }

    pub fn icon_button(
        &mut self,
        button: &app::IconButton,
        column: Column,
        y: f64,
        context: &Context,
    ) -> f64 {
        const SIDE: f64 = 44.0;
        let disabled = context.holds(button.disabled.as_ref());
        let frame = Rect::new(column.x, y, SIDE, SIDE);
        let mut color = self.look.color(button.color.unwrap_or(Color::Tint));
        if disabled {
            color = self.look.tertiary();
        } else if self.next_is_pressed() {
            color = color.faded(0.4);
        }
        if button.round {
            self.fill(frame, SIDE / 2.0, self.look.fill());
        }
        let side = if button.round { 20.0 } else { 24.0 };
        let inset = (SIDE - side) / 2.0;
        self.icon(button.icon, Rect::new(frame.x + inset, y + inset, side, side), color);
        let badge = context.badge(button.badge.as_ref());
        if let Some(badge) = &badge {
            self.badge(badge, Point::new(frame.x + 32.0, y + 12.0));
        }
        let label = context.optional(button.label.as_ref()).unwrap_or_default();
        let mut element = Element::new(Role::IconButton, "Button", label, frame)
            .identifier(button.id.as_ref())
            .enabled(!disabled)
            .traits(&["Button"]);
        element.value = badge;
        let touch = Touch::Act { actions: button.actions.clone(), locals: context.locals() };
        self.element(element.touch(touch));
        SIDE
    }

    /// A red pill with a short text, around a middle.
    pub fn badge(&mut self, text: &str, middle: Point) {
        let font = Font::of(12.0, Weight::Semibold);
        let width = (self.width(text, font) + 10.0).max(18.0);
        let pill = Rect::new(middle.x - width / 2.0, middle.y - 9.0, width, 18.0);
        self.fill(pill, 9.0, self.look.color(Color::Red));
        self.centered(text, font, WHITE, middle);
    }

    /// The switch itself, 51 by 31, as iOS draws it.
    pub fn draw_switch(&mut self, x: f64, y: f64, on: bool, enabled: bool) -> Rect {
        let frame = Rect::new(x, y, 51.0, 31.0);
        let strength = if enabled { 1.0 } else { 0.5 };
        let rail = if on { self.look.color(Color::Green) } else { self.look.rail() };
        self.fill(frame, 15.5, rail.faded(strength));
        let knob = Rect::new(if on { x + 22.0 } else { x + 2.0 }, y + 2.0, 27.0, 27.0);
        self.shadow(Rect::new(knob.x, knob.y + 2.0, 27.0, 27.0), 13.5, 4.0, shade(0.18));
        self.fill(knob, 13.5, WHITE);
        frame
    }

    /// A switch outside of a section stands as a row of its own.
    pub fn switch(&mut self, switch: &app::Switch, column: Column, y: f64, context: &Context) -> f64 {
        self.switch_row(switch, column, y, context, 0.0)
    }

    /// Text at the left, the switch at the right; `pad` from both edges.
    pub fn switch_row(
        &mut self,
        switch: &app::Switch,
        column: Column,
        y: f64,
        context: &Context,
        pad: f64,
    ) -> f64 {
        let label = context.text(&switch.label);
        let on = truthy(context.stored(&switch.bind.name));
        let enabled = !context.holds(switch.disabled.as_ref());
        // the largest texts need the room
        let icon = switch.icon.filter(|_| !self.look.is_huge());
        let icon = icon.map(|i| (i, switch.icon_color.unwrap_or(Color::Gray)));
        let text_x = column.x + pad + if icon.is_some() { 44.0 } else { 0.0 };
        let width = column.x + column.width - pad - 51.0 - 12.0 - text_x;
        let (body, small) = (self.look.body(), self.look.font(TextStyle::Footnote));
        let subtitle = context.optional(switch.subtitle.as_ref());
        let label_height = self.height(&label, body, width, None);
        let more = subtitle.as_ref().map_or(0.0, |s| self.height(s, small, width, None) + 2.0);
        let height = (label_height + more + 22.0).max(44.0);
        let top = y + (height - label_height - more) / 2.0;
        if let Some((icon, color)) = icon {
            self.row_icon(icon, color, column.x + pad, y + (height - 29.0) / 2.0);
        }
        let color = if enabled { self.look.label() } else { self.look.tertiary() };
        self.text(&label, body, color, Block::new(text_x, top, width));
        if let Some(subtitle) = &subtitle {
            let block = Block::new(text_x, top + label_height + 2.0, width);
            self.text(subtitle, small, self.look.secondary(), block);
        }
        let x = column.x + column.width - pad - 51.0;
        let frame = self.draw_switch(x, y + (height - 31.0) / 2.0, on, enabled);
        let touch = Touch::Store {
            bind: switch.bind.name.clone(),
            value: (!on).into(),
            on_change: switch.on_change.clone(),
            locals: context.locals(),
        };
        let element = Element::new(Role::Switch, "CheckBox", label, frame)
            .value(if on { "1" } else { "0" })
            .identifier(switch.id.as_ref())
            .enabled(enabled)
            .selected(on)
            .traits(&["Button", "Toggle"]);
        self.element(element.touch(touch));
        height
    }

    pub fn checkbox(&mut self, checkbox: &app::Checkbox, column: Column, y: f64, context: &Context) -> f64 {
        let label = context.text(&checkbox.label);
        let on = truthy(context.stored(&checkbox.bind.name));
        let enabled = !context.holds(checkbox.disabled.as_ref());
        let body = self.look.body();
        let text_x = column.x + 34.0;
        let width = column.width - 34.0;
        let text_height = self.height(&label, body, width, None);
        let height = text_height.max(24.0) + 12.0;
        let place = Rect::new(column.x, y + (height - 22.0) / 2.0, 22.0, 22.0);
        let accent = self.look.accent().faded(if enabled { 1.0 } else { 0.4 });
        if on {
            self.fill(place, 6.0, accent);
            self.icon(IconName::Check, Rect::new(place.x + 4.0, place.y + 4.0, 14.0, 14.0), WHITE);
        } else {
            self.stroke(place, 6.0, 1.8, self.look.color(Color::Gray).faded(if enabled { 0.9 } else { 0.4 }));
        }
        let color = if enabled { self.look.label() } else { self.look.tertiary() };
        let at = Block::new(text_x, y + (height - text_height) / 2.0, width);
        let laid = self.text(&label, body, color, at);
        let frame = Rect::new(column.x, y, laid.ink.right() - column.x, height);
        let touch = Touch::Store {
            bind: checkbox.bind.name.clone(),
            value: (!on).into(),
            on_change: checkbox.on_change.clone(),
            locals: context.locals(),
        };
        let element = Element::new(Role::Checkbox, "CheckBox", label, frame)
            .value(if on { "1" } else { "0" })
            .identifier(checkbox.id.as_ref())
            .enabled(enabled)
            .selected(on)
            .traits(&["Button"]);
        self.element(element.touch(touch));
        height
    }

    pub fn segmented(&mut self, control: &app::Segmented, column: Column, y: f64, context: &Context) -> f64 {
        let chosen = app::expression::display(context.stored(&control.bind.name));
        let font = Font::of(self.look.font(TextStyle::Footnote).size.min(20.0), Weight::Medium);
        let height = (font.line + 15.0).max(32.0);
        self.fill(Rect::new(column.x, y, column.width, height), 9.0, self.look.fill());
        let width = column.width / control.options.len().max(1) as f64;
        for (i, option) in control.options.iter().enumerate() {
            let frame = Rect::new(column.x + i as f64 * width, y, width, height);
            let selected = *option == chosen;
            if selected {
                let knob = Rect::new(frame.x + 2.0, y + 2.0, width - 4.0, height - 4.0);
                self.shadow(Rect::new(knob.x, knob.y + 2.0, knob.width, knob.height), 7.0, 4.0, shade(0.12));
                let ground = if self.look.dark { Rgba::hex(0x0063_6366) } else { WHITE };
                self.fill(knob, 7.0, ground);
            } else if i > 0 && control.options.get(i - 1) != Some(&chosen) {
                let line = Rect::new(frame.x, y + height * 0.25, 1.0, height * 0.5);
                self.fill(line, 0.5, self.look.separator());
            }
            let weight = if selected { Weight::Semibold } else { Weight::Medium };
            let block = Block::new(frame.x + 4.0, y + (height - font.line) / 2.0, width - 8.0);
            self.text(option, font.weighing(weight), self.look.label(), block.aligned(0.5).lines(1));
            let touch = Touch::Store {
                bind: control.bind.name.clone(),
                value: option.clone().into(),
                on_change: control.on_change.clone(),
                locals: context.locals(),
            };
            let traits: &[&str] = if selected { &["Button", "Selected"] } else { &["Button"] };
            let element = Element::new(Role::Segmented, "Button", option.as_str(), frame)
                .identifier(control.id.as_ref())
                .selected(selected)
                .traits(traits);
            self.element(element.touch(touch));
        }
        height
    }

    pub fn slider(&mut self, slider: &app::Slider, column: Column, y: f64, context: &Context) -> f64 {
        const HEIGHT: f64 = 34.0;
        let value = number(context.stored(&slider.bind.name)).clamp(slider.min, slider.max.max(slider.min));
        let part =
            if slider.max > slider.min { (value - slider.min) / (slider.max - slider.min) } else { 0.0 };
        let left = if slider.low_icon.is_some() { 34.0 } else { 0.0 };
        let right = if slider.high_icon.is_some() { 34.0 } else { 0.0 };
        let icon = |b: &mut Self, icon: Option<IconName>, x: f64, side: f64| {
            if let Some(icon) = icon {
                let rect = Rect::new(x + (24.0 - side) / 2.0, y + (HEIGHT - side) / 2.0, side, side);
                b.icon(icon, rect, b.look.color(Color::Gray));
            }
        };
        icon(self, slider.low_icon, column.x, 17.0);
        icon(self, slider.high_icon, column.x + column.width - 24.0, 23.0);
        let track = Rect::new(column.x + left, y, column.width - left - right, HEIGHT);
        let rail = Rect::new(track.x, y + HEIGHT / 2.0 - 2.0, track.width, 4.0);
        let knob_x = track.x + 14.0 + part * (track.width - 28.0);
        self.fill(rail, 2.0, self.look.rail());
        self.fill(Rect::new(rail.x, rail.y, knob_x - rail.x, 4.0), 2.0, self.look.accent());
        let knob = Rect::new(knob_x - 14.0, y + HEIGHT / 2.0 - 14.0, 28.0, 28.0);
        self.shadow(Rect::new(knob.x, knob.y + 3.0, 28.0, 28.0), 14.0, 7.0, shade(0.2));
        self.fill(knob, 14.0, WHITE);
        let touch = Touch::Slide {
            bind: slider.bind.name.clone(),
            track: Rect::new(track.x + 14.0, y, track.width - 28.0, HEIGHT),
            min: slider.min,
            max: slider.max,
            step: slider.step,
            on_change: slider.on_change.clone(),
            locals: context.locals(),
        };
        let element = Element::new(Role::Slider, "Slider", context.text(&slider.label), track)
            .value(format!("{:.0}%", part * 100.0))
            .identifier(slider.id.as_ref())
            .traits(&["Adjustable"]);
        self.element(element.touch(touch));
        HEIGHT
    }

    pub fn stepper(&mut self, stepper: &app::Stepper, column: Column, y: f64, context: &Context) -> f64 {
        self.stepper_row(stepper, column, y, context, 0.0)
    }

    /// Label and value at the left, minus and plus at the right.
    pub fn stepper_row(
        &mut self,
        stepper: &app::Stepper,
        column: Column,
        y: f64,
        context: &Context,
        pad: f64,
    ) -> f64 {
        const WIDTH: f64 = 94.0;
        let value = number(context.stored(&stepper.bind.name));
        let label = context.text(&stepper.label);
        let shown = context
            .optional(stepper.value.as_ref())
            .unwrap_or_else(|| app::expression::display(&app::expression::number_value(value)));
        let body = self.look.body();
        let text_width = column.width - 2.0 * pad - WIDTH - 12.0;
        let value_width = self.width(&shown, body);
        let text_height = self.height(&label, body, text_width - value_width - 8.0, None);
        let height = (text_height + 22.0).max(44.0);
        let top = y + (height - text_height) / 2.0;
        let at = Block::new(column.x + pad, top, text_width - value_width - 8.0);
        self.text(&label, body, self.look.label(), at);
        let control_x = column.x + column.width - pad - WIDTH;
        let at = Block::new(control_x - 12.0 - value_width - 2.0, top, value_width + 2.0).aligned(1.0);
        let laid = self.text(&shown, body, self.look.secondary(), at);
        let caption = Element::new(Role::Text, "StaticText", format!("{label}, {shown}"), laid.ink);
        self.element(caption.traits(&["StaticText"]));
        let control = Rect::new(control_x, y + (height - 32.0) / 2.0, WIDTH, 32.0);
        self.fill(control, 8.0, self.look.fill());
        let line = Rect::new(control.x + WIDTH / 2.0 - 0.5, control.y + 7.0, 1.0, 18.0);
        self.fill(line, 0.5, self.look.separator());
        for (i, icon) in [IconName::Minus, IconName::Plus].into_iter().enumerate() {
            let frame = Rect::new(control.x + i as f64 * WIDTH / 2.0, control.y, WIDTH / 2.0, 32.0);
            let next =
                (value + if i == 0 { -stepper.step } else { stepper.step }).clamp(stepper.min, stepper.max);
            let enabled = next != value;
            let color = if enabled { self.look.label() } else { self.look.tertiary() };
            let center = frame.center();
            self.icon(icon, Rect::new(center.x - 8.0, center.y - 8.0, 16.0, 16.0), color);
            let touch = Touch::Store {
                bind: stepper.bind.name.clone(),
                value: app::expression::number_value(next),
                on_change: stepper.on_change.clone(),
                locals: context.locals(),
            };
            let name = if i == 0 { "Decrement" } else { "Increment" };
            let element = Element::new(Role::Stepper, "Button", name, frame)
                .identifier(stepper.id.as_ref())
                .enabled(enabled)
                .traits(&["Button"]);
            self.element(element.value(shown.clone()).touch(touch));
        }
        height
    }

    pub fn progress(&mut self, progress: &app::Progress, column: Column, y: f64, context: &Context) -> f64 {
        let part = number(&progress.value.value(&context.scope)).clamp(0.0, 1.0);
        let label = context.optional(progress.label.as_ref());
        let font = self.look.font(TextStyle::Subhead);
        let mut top = y;
        if let Some(label) = &label {
            top +=
                self.text(label, font, self.look.label(), Block::new(column.x, y, column.width)).height + 6.0;
        }
        let rail = Rect::new(column.x, top, column.width, 4.0);
        self.fill(rail, 2.0, self.look.rail());
        let done = Rect::new(rail.x, top, rail.width * part, 4.0);
        if part > 0.0 {
            self.fill(done, 2.0, self.look.accent());
        }
        let element = Element::new(Role::Progress, "ProgressIndicator", label.unwrap_or_default(), rail)
            .value(format!("{:.0}%", part * 100.0));
        self.element(element);
        top + 4.0 - y
    }

    pub fn spinner_component(
        &mut self,
        spinner: &app::Spinner,
        column: Column,
        y: f64,
        context: &Context,
    ) -> f64 {
        let side = if spinner.large { 37.0 } else { 20.0 };
        let label = context.optional(spinner.label.as_ref());
        let font = self.look.font(TextStyle::Subhead);
        let text = label.as_ref().map_or(0.0, |l| self.width(l, font) + 9.0).min(column.width - side);
        let x = column.x + ((column.width - side - text) / 2.0).max(0.0);
        let text_height = label.as_ref().map_or(0.0, |l| self.height(l, font, text - 8.0, None));
        let height = side.max(text_height);
        let frame = Rect::new(x, y + (height - side) / 2.0, side, side);
        self.spinner(frame, self.look.color(Color::Gray));
        let shown = label.as_deref().unwrap_or("In progress");
        self.element(Element::new(Role::Progress, "ActivityIndicator", shown, frame));
        if let Some(label) = &label {
            let at = Block::new(frame.right() + 8.0, y + (height - text_height) / 2.0, text - 8.0);
            let laid = self.text(label, font, self.look.secondary(), at);
            let element = Element::new(Role::Text, "StaticText", label.as_str(), laid.ink);
            self.element(element.traits(&["StaticText"]));
        }
        height
    }
}
