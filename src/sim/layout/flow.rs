//! Components one below the other: expanding repetition and conditions, and the plain ones.

use serde_json::Value;

use super::builder::{Block, Builder};
use super::element::{Element, Touch};
use super::look::Font;
use crate::geometry::{Point, Rect};
use crate::role::Role;
use crate::sim::app::expression::{Scope, display};
use crate::sim::app::{self, Align, Color, Component, ScreenStyle, Template, TextStyle};
use crate::sim::motion::{TRANSITION, ease};
use crate::sim::process::{Locals, Page, Process};
use crate::sim::render::Weight;

/// What components are laid out in.
#[derive(Clone)]
pub struct Context<'a> {
    pub process: &'a Process,
    pub page: &'a Page,
    pub scope: Scope<'a>,
    pub style: ScreenStyle,
    /// In a section, a card or a cover: no margins of their own.
    pub nested: bool,
}

impl Context<'_> {
    pub fn text(&self, template: &Template) -> String {
        template.text(&self.scope)
    }

    pub fn optional(&self, template: Option<&Template>) -> Option<String> {
        template.map(|t| self.text(t)).filter(|t| !t.is_empty())
    }

    pub fn holds(&self, expr: Option<&app::Expr>) -> bool {
        expr.is_some_and(|e| e.holds(&self.scope))
    }

    pub fn locals(&self) -> Locals {
        self.scope.locals.clone()
    }

    pub fn stored(&self, name: &str) -> &Value {
        self.process.state.get(name).unwrap_or(&Value::Null)
    }

    /// What a badge shows; nothing for 0 and the empty.
    pub fn badge(&self, expr: Option<&app::Expr>) -> Option<String> {
        let value = expr?.value(&self.scope);
        app::expression::truthy(&value).then(|| display(&value))
    }
}

/// A component with the names it was written under.
pub struct Expanded<'a> {
    pub component: &'a Component,
    locals: Option<Locals>,
}

/// Resolves `each` and `when`.
pub fn expand<'a>(components: &'a [Component], context: &Context) -> Vec<Expanded<'a>> {
    let mut expanded = Vec::with_capacity(components.len());
    let mut context = context.clone();
    expand_into(components, &mut context, false, &mut expanded);
    expanded
}

fn expand_into<'a>(list: &'a [Component], context: &mut Context, inside: bool, out: &mut Vec<Expanded<'a>>) {
    for component in list {
        match component {
            Component::When(when) => {
                let branch = if when.test.holds(&context.scope) { &when.then } else { &when.otherwise };
                expand_into(branch, context, inside, out);
            }
            Component::Each(each) => expand_each(each, context, inside, out),
            component => {
                out.push(Expanded { component, locals: inside.then(|| context.scope.locals.clone()) })
            }
        }
    }
}

fn expand_each<'a>(each: &'a app::Each, context: &mut Context, inside: bool, out: &mut Vec<Expanded<'a>>) {
    let Value::Array(items) = each.list.value(&context.scope) else {
        return expand_into(&each.empty, context, inside, out);
    };
    let mut shown = 0u64;
    for item in items {
        context.scope.locals.push((each.name.clone(), item));
        context.scope.locals.push(("index".to_owned(), shown.into()));
        if each.condition.as_ref().is_none_or(|c| c.holds(&context.scope)) {
            expand_into(&each.body, context, true, out);
            shown += 1;
        }
        context.scope.locals.truncate(context.scope.locals.len() - 2);
    }
    if shown == 0 {
        expand_into(&each.empty, context, inside, out);
    }
}

impl<'a> Expanded<'a> {
    pub fn context<'c>(&self, context: &Context<'c>) -> Context<'c> {
        let mut own = context.clone();
        if let Some(locals) = &self.locals {
            own.scope.locals.clone_from(locals);
        }
        own
    }
}

/// A column that components stand in.
#[derive(Clone, Copy, Debug)]
pub struct Column {
    pub x: f64,
    pub width: f64,
}

/// The empty space between two components.
fn gap(before: &Component, after: &Component) -> f64 {
    match (before, after) {
        (Component::Spacer(_), _) | (_, Component::Spacer(_)) => 0.0,
        (Component::Section(_), _) | (_, Component::Section(_)) => 22.0,
        (Component::Cell(_), Component::Cell(_)) => 0.0,
        (Component::Text(_), Component::Text(_)) => 6.0,
        _ => 14.0,
    }
}

impl Builder<'_> {
    /// Lays components out one below the other from `y`; gives their height.
    pub fn flow(&mut self, components: &[Component], column: Column, y: f64, context: &Context) -> f64 {
        let expanded = expand(components, context);
        let mut height = 0.0;
        for (i, item) in expanded.iter().enumerate() {
            if i > 0 {
                height += gap(expanded[i - 1].component, item.component);
            }
            height += self.component(item.component, column, y + height, &item.context(context));
        }
        height
    }

    /// Lays one component out; gives its height.
    pub fn component(&mut self, component: &Component, column: Column, y: f64, context: &Context) -> f64 {
        let Column { x, width } = column;
        match component {
            Component::Text(text) => self.text_component(text, column, y, context),
            Component::Button(button) => self.button(button, column, y, context),
            Component::IconButton(button) => self.icon_button(button, column, y, context),
            Component::Field(field) => self.field(field, column, y, context),
            Component::Section(section) => self.section(section, column, y, context),
            Component::Cell(cell) => self.cell(cell, column, y, context),
            Component::Switch(switch) => self.switch(switch, column, y, context),
            Component::Checkbox(checkbox) => self.checkbox(checkbox, column, y, context),
            Component::Segmented(segmented) => self.segmented(segmented, column, y, context),
            Component::Slider(slider) => self.slider(slider, column, y, context),
            Component::Stepper(stepper) => self.stepper(stepper, column, y, context),
            Component::Progress(progress) => self.progress(progress, column, y, context),
            Component::Spinner(spinner) => self.spinner_component(spinner, column, y, context),
            Component::Card(card) => self.card(card, column, y, context),
            Component::Image(image) => self.image(image, column, y, context),
            Component::Row(row) => self.row(row, column, y, context),
            Component::Grid(grid) => self.grid(grid, column, y, context),
            Component::Spacer(height) => *height,
            Component::Divider => {
                self.separator(x, y, width);
                1.0
            }
            Component::Cover(cover) => self.cover(cover, column, y, context),
            Component::Moving(moving) => self.moving(moving, column, y, context),
            // resolved by `expand`
            Component::Each(_) | Component::When(_) => 0.0,
        }
    }

    fn text_component(&mut self, text: &app::Text, column: Column, y: f64, context: &Context) -> f64 {
        let shown = context.text(&text.text);
        if shown.is_empty() {
            return 0.0;
        }
        let mut font = self.look.font(text.style);
        if text.bold {
            font = font.weighing(Weight::Semibold);
        }
        let link = !text.actions.is_empty();
        let color = text.color.unwrap_or(if link { Color::Tint } else { Color::Primary });
        let mut color = self.look.color(color);
        if link && self.next_is_pressed() {
            color = color.faded(0.4);
        }
        let align = match text.align {
            Align::Start => 0.0,
            Align::Center => 0.5,
            Align::End => 1.0,
        };
        let block = Block { x: column.x, y, width: column.width, align, lines: text.lines };
        let laid = self.text(&shown, font, color, block);
        let heading = matches!(
            text.style,
            TextStyle::LargeTitle | TextStyle::Title1 | TextStyle::Title2 | TextStyle::Title3
        );
        let (role, kind) = match (link, heading) {
            (true, _) => (Role::Link, "Link"),
            (false, true) => (Role::Text, "Heading"),
            (false, false) => (Role::Text, "StaticText"),
        };
        let element = Element::new(role, kind, shown, laid.ink).identifier(text.id.as_ref());
        if link {
            let touch = Touch::Act { actions: text.actions.clone(), locals: context.locals() };
            self.element(element.traits(&["Link"]).touch(touch));
        } else {
            self.element(element.traits(if heading { &["Header"] } else { &["StaticText"] }));
        }
        laid.height
    }

    fn card(&mut self, card: &app::Card, column: Column, y: f64, context: &Context) -> f64 {
        const PAD: f64 = 16.0;
        let place = self.reserve();
        let pressed = !card.actions.is_empty() && self.next_is_pressed();
        let element = self.elements.len();
        if !card.actions.is_empty() {
            self.element(Element::new(
                Role::Button,
                "Button",
                "",
                Rect::new(column.x, y, column.width, 44.0),
            ));
        }
        let mut inner = context.clone();
        inner.nested = true;
        let inside = Column { x: column.x + PAD, width: column.width - 2.0 * PAD };
        let height = self.flow(&card.body, inside, y + PAD, &inner) + 2.0 * PAD;
        let frame = Rect::new(column.x, y, column.width, height);
        let color = if pressed { self.look.pressed_row() } else { self.card_ground(context) };
        self.fill_reserved(place, frame, 12.0, color);
        if !card.actions.is_empty() {
            self.finish_card(card, element, frame, context);
        }
        height
    }

    /// Grey on a white screen, white on a grey one.
    fn card_ground(&self, context: &Context) -> crate::sim::render::Rgba {
        match context.style {
            ScreenStyle::Grouped => self.look.card(),
            ScreenStyle::Plain if self.look.dark => self.look.card(),
            ScreenStyle::Plain => self.look.grouped(),
        }
    }

    /// A card that can be pressed is one element, named by the texts on it.
    fn finish_card(&mut self, card: &app::Card, at: usize, frame: Rect, context: &Context) {
        let texts: Vec<_> = self.elements[at + 1..]
            .iter()
            .filter(|e| e.role == Role::Text)
            .map(|e| e.label.clone())
            .collect();
        self.elements.drain(at + 1..).for_each(drop);
        let touch = Touch::Act { actions: card.actions.clone(), locals: context.locals() };
        self.elements.pop();
        let element = Element::new(Role::Button, "Button", texts.join(", "), frame);
        self.element(element.identifier(card.id.as_ref()).traits(&["Button"]).touch(touch));
    }

    fn image(&mut self, image: &app::Image, column: Column, y: f64, context: &Context) -> f64 {
        let name = context.text(&image.name);
        let mut frame = Rect::new(column.x, y, column.width, image.height);
        if image.square {
            frame = Rect::new(column.x + (column.width - image.height) / 2.0, y, image.height, image.height);
        }
        let radius = if image.square && image.height < 100.0 { image.height * 0.22 } else { 12.0 };
        self.picture(&name, frame, radius);
        if let Some(label) = context.optional(image.label.as_ref()) {
            self.element(Element::new(Role::Image, "Image", label, frame).traits(&["Image"]));
        }
        image.height
    }

    /// Side by side: what has a width of its own keeps it, the others share the rest.
    fn row(&mut self, row: &app::Row, column: Column, y: f64, context: &Context) -> f64 {
        let expanded = expand(&row.body, context);
        let widths: Vec<_> =
            expanded.iter().map(|e| self.own_width(e.component, &e.context(context))).collect();
        let gaps = row.spacing * (expanded.len().max(1) - 1) as f64;
        let taken: f64 = widths.iter().flatten().sum::<f64>() + gaps;
        let sharing = widths.iter().filter(|w| w.is_none()).count();
        let share = if sharing > 0 { ((column.width - taken) / sharing as f64).max(40.0) } else { 0.0 };
        let slack = if sharing > 0 { 0.0 } else { (column.width - taken).max(0.0) };
        let mut x = column.x
            + match row.align {
                Align::Start => 0.0,
                Align::Center => slack / 2.0,
                Align::End => slack,
            };
        let columns: Vec<_> = widths
            .iter()
            .map(|width| {
                let column = Column { x, width: width.unwrap_or(share) };
                x += column.width + row.spacing;
                column
            })
            .collect();
        let heights: Vec<_> = expanded
            .iter()
            .zip(&columns)
            .map(|(e, c)| self.measured(|b| b.component(e.component, *c, y, &e.context(context))))
            .collect();
        let height = heights.iter().copied().fold(0.0, f64::max);
        for ((e, column), own) in expanded.iter().zip(&columns).zip(heights) {
            self.component(e.component, *column, y + (height - own) / 2.0, &e.context(context));
        }
        height
    }

    /// The width a component wants in a row; `None` where it takes what is left.
    fn own_width(&self, component: &Component, context: &Context) -> Option<f64> {
        match component {
            Component::IconButton(_) => Some(44.0),
            Component::Image(image) => Some(image.height),
            Component::Spinner(spinner) => {
                let label = context.optional(spinner.label.as_ref());
                let text = label.map_or(0.0, |l| self.width(&l, self.look.font(TextStyle::Subhead)) + 8.0);
                Some(20.0 + text)
            }
            Component::Button(button) if button.compact => {
                Some(self.compact_button_width(&context.text(&button.label), button.icon.is_some()))
            }
            Component::Spacer(width) => Some(*width),
            Component::Text(text) if text.align == Align::End => {
                let mut font: Font = self.look.font(text.style);
                if text.bold {
                    font = font.weighing(Weight::Semibold);
                }
                Some(self.width(&context.text(&text.text), font).ceil() + 1.0)
            }
            _ => None,
        }
    }

    fn grid(&mut self, grid: &app::Grid, column: Column, y: f64, context: &Context) -> f64 {
        let expanded = expand(&grid.body, context);
        let columns = grid.columns.clamp(1, 6);
        let width = (column.width - grid.spacing * (columns - 1) as f64) / columns as f64;
        let mut height = 0.0;
        for line in expanded.chunks(columns) {
            if height > 0.0 {
                height += grid.spacing;
            }
            let mut tallest = 0.0f64;
            for (i, item) in line.iter().enumerate() {
                let cell = Column { x: column.x + i as f64 * (width + grid.spacing), width };
                let own = self.component(item.component, cell, y + height, &item.context(context));
                tallest = tallest.max(own);
            }
            height += tallest;
        }
        height
    }

    fn cover(&mut self, cover: &app::Cover, column: Column, y: f64, context: &Context) -> f64 {
        let height = self.flow(&cover.body, column, y, context);
        let mut inner = context.clone();
        inner.nested = true;
        let inside = Column { x: column.x + 12.0, width: column.width - 24.0 };
        let over = self.measured(|b| b.flow(&cover.over, inside, y, &inner));
        let frame = Rect::new(column.x, y + (height - over) / 2.0 - 12.0, column.width, over + 24.0);
        self.shadow(Rect::new(frame.x, frame.y + 3.0, frame.width, frame.height), 12.0, 12.0, shade(0.18));
        let color = if self.look.dark { self.look.color(Color::Gray).faded(0.95) } else { self.look.card() };
        self.fill(frame, 12.0, crate::sim::render::Rgba { a: 1.0, ..color });
        self.element(Element::shield(frame, Touch::Nothing));
        self.flow(&cover.over, inside, frame.y + 12.0, &inner);
        height
    }

    fn moving(&mut self, moving: &app::Moving, column: Column, y: f64, context: &Context) -> f64 {
        if moving.path.is_empty() {
            return self.flow(&moving.body, column, y, context);
        }
        let since = self.now.saturating_sub(context.page.appeared).as_secs_f64();
        let period = moving.every_ms.max(100) as f64 / 1_000.0;
        let step = (since / period) as usize;
        let at = |step: usize| moving.path[step % moving.path.len()];
        let (from, to) = (at(step.max(1) - 1), at(step));
        let t = if step == 0 { 1.0 } else { ease((since - step as f64 * period) / TRANSITION.as_secs_f64()) };
        let x = from[0] + (to[0] - from[0]) * t;
        let dy = from[1] + (to[1] - from[1]) * t;
        let lowest = moving.path.iter().map(|p| p[1]).fold(0.0, f64::max);
        let shift = Point::new(self.snap(x), self.snap(dy));
        lowest + self.shifted(shift, |b| b.flow(&moving.body, column, y, context))
    }
}

/// Black, for shadows.
pub fn shade(alpha: f32) -> crate::sim::render::Rgba {
    crate::sim::render::Rgba::hex(0).faded(alpha)
}
