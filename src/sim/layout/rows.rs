//! Sections and their rows.

use super::builder::{Block, Builder};
use super::element::{Element, Touch};
use super::flow::{Column, Context, expand};
use super::look::Font;
use crate::geometry::{Point, Rect};
use crate::role::Role;
use crate::sim::app::{self, Color, Component, IconName, ScreenStyle, TextStyle};
use crate::sim::render::Rgba;

/// From the edge of a group to what is in it.
pub const PAD: f64 = 16.0;
const RADIUS: f64 = 11.0;

impl Builder<'_> {
    pub fn section(&mut self, section: &app::Section, column: Column, y: f64, context: &Context) -> f64 {
        let mut height = 0.0;
        let small = self.look.font(TextStyle::Footnote);
        let text_column = Column { x: column.x + PAD, width: column.width - 2.0 * PAD };
        if let Some(header) = context.optional(section.header.as_ref()) {
            let at = Block::new(text_column.x, y, text_column.width);
            let shown = header.to_uppercase();
            let laid = self.text(&shown, small, self.look.secondary(), at);
            self.element(Element::new(Role::Text, "Heading", shown, laid.ink).traits(&["Header"]));
            height += laid.height + 7.0;
        }
        height += self.rows(&section.rows, column, y + height, context);
        if let Some(footer) = context.optional(section.footer.as_ref()) {
            let at = Block::new(text_column.x, y + height + 8.0, text_column.width);
            let laid = self.text(&footer, small, self.look.secondary(), at);
            self.element(Element::new(Role::Text, "StaticText", footer, laid.ink).traits(&["StaticText"]));
            height += laid.height + 8.0;
        }
        height
    }

    fn rows(&mut self, rows: &[Component], column: Column, y: f64, context: &Context) -> f64 {
        let expanded = expand(rows, context);
        let ground = self.reserve();
        let mut inner = context.clone();
        inner.nested = true;
        let mut height = 0.0;
        for (i, row) in expanded.iter().enumerate() {
            let own = row.context(&inner);
            let top = y + height;
            let edges = Edges { first: i == 0, last: i + 1 == expanded.len() };
            height += self.section_row(row.component, column, top, &own, edges);
            if !edges.last {
                let inset = separator_inset(row.component);
                self.separator(column.x + inset, y + height, column.width - inset);
            }
        }
        let color = match context.style {
            ScreenStyle::Plain if !self.look.dark => self.look.grouped(),
            _ => self.look.card(),
        };
        self.fill_reserved(ground, Rect::new(column.x, y, column.width, height), RADIUS, color);
        height
    }

    fn section_row(
        &mut self,
        row: &Component,
        column: Column,
        y: f64,
        context: &Context,
        edges: Edges,
    ) -> f64 {
        match row {
            Component::Cell(cell) => self.cell_row(cell, column, y, context, edges),
            Component::Switch(switch) => self.switch_row(switch, column, y, context, PAD),
            Component::Stepper(stepper) => self.stepper_row(stepper, column, y, context, PAD),
            Component::Field(field) => self.field_row(field, column, y, context),
            other => {
                let inside = Column { x: column.x + PAD, width: column.width - 2.0 * PAD };
                self.component(other, inside, y + 11.0, context) + 22.0
            }
        }
    }

    /// A cell outside of a section is a row of its own, edge to edge.
    pub fn cell(&mut self, cell: &app::Cell, column: Column, y: f64, context: &Context) -> f64 {
        let edges = Edges { first: false, last: false };
        let wide = Column { x: column.x - PAD, width: column.width + 2.0 * PAD };
        let height = self.cell_row(cell, wide, y, context, edges);
        let inset = if cell.image.is_some() { 76.0 } else { 0.0 };
        self.separator(column.x + inset, y + height, column.width - inset + PAD);
        height
    }

    fn cell_row(&mut self, cell: &app::Cell, column: Column, y: f64, context: &Context, edges: Edges) -> f64 {
        let row = CellRow::measure(self, cell, column, context);
        let frame = Rect::new(column.x, y, column.width, row.height);
        let enabled = !context.holds(cell.disabled.as_ref());
        let acts = !cell.actions.is_empty();
        if acts && enabled && self.next_is_pressed() {
            self.pressed_row(frame, edges);
        }
        row.paint(self, cell, frame, enabled, context);
        let label = match &row.subtitle {
            Some(subtitle) => format!("{}, {subtitle}", row.title),
            None => row.title.clone(),
        };
        let checked = context.holds(cell.checked.as_ref());
        let (role, kind) = if acts { (Role::Cell, "Button") } else { (Role::Cell, "StaticText") };
        let mut traits = vec![if acts { "Button" } else { "StaticText" }];
        if checked {
            traits.push("Selected");
        }
        let mut element = Element::new(role, kind, label, frame)
            .identifier(cell.id.as_ref())
            .enabled(enabled)
            .selected(checked)
            .traits(&traits);
        element.value = row.value.clone().or_else(|| context.badge(cell.badge.as_ref()));
        if acts {
            let touch = Touch::Act { actions: cell.actions.clone(), locals: context.locals() };
            element = element.exact_touch(touch);
        }
        self.element(element);
        row.height
    }

    fn pressed_row(&mut self, frame: Rect, edges: Edges) {
        let color = self.look.pressed_row();
        match (edges.first, edges.last) {
            (true, true) => self.fill(frame, RADIUS, color),
            (true, false) => self.fill_top(frame, RADIUS, color),
            (false, true) => {
                self.fill(frame, RADIUS, color);
                self.fill(Rect::new(frame.x, frame.y, frame.width, RADIUS), 0.0, color);
            }
            (false, false) => self.fill(frame, 0.0, color),
        }
    }

    /// The small coloured square with a white icon that begins a settings row.
    pub fn row_icon(&mut self, icon: IconName, color: Color, x: f64, y: f64) {
        self.fill(Rect::new(x, y, 29.0, 29.0), 6.5, self.look.color(color));
        self.icon(icon, Rect::new(x + 5.0, y + 5.0, 19.0, 19.0), Rgba::hex(0x00FF_FFFF));
    }
}

/// Whether a row is the first or the last of its group.
#[derive(Clone, Copy)]
struct Edges {
    first: bool,
    last: bool,
}

fn separator_inset(row: &Component) -> f64 {
    match row {
        Component::Cell(cell) if cell.image.is_some() => PAD + 76.0,
        Component::Cell(cell) if cell.icon.is_some() => PAD + 44.0,
        Component::Switch(switch) if switch.icon.is_some() => PAD + 44.0,
        _ => PAD,
    }
}

/// A cell's texts and where they go.
struct CellRow {
    title: String,
    subtitle: Option<String>,
    value: Option<String>,
    chevron: bool,
    text_x: f64,
    text_width: f64,
    title_height: f64,
    subtitle_height: f64,
    /// The value stands below the title, as in the accessibility sizes.
    stacked: bool,
    height: f64,
    body: Font,
    small: Font,
}

impl CellRow {
    fn measure(b: &Builder, cell: &app::Cell, column: Column, context: &Context) -> Self {
        let (body, small) = (b.look.body(), b.look.font(TextStyle::Subhead));
        let title = context.text(&cell.title);
        let subtitle = context.optional(cell.subtitle.as_ref());
        let value = context.optional(cell.value.as_ref());
        let chevron =
            cell.chevron.unwrap_or(!cell.actions.is_empty() && !cell.button && cell.checked.is_none());
        let lead = match (&cell.image, &cell.icon) {
            (Some(_), _) => 76.0,
            (None, Some(_)) => 44.0,
            (None, None) => 0.0,
        };
        let trail = if chevron || cell.checked.is_some() { 22.0 } else { 0.0 }
            + if context.badge(cell.badge.as_ref()).is_some() { 34.0 } else { 0.0 };
        let text_x = column.x + PAD + lead;
        let whole = column.x + column.width - PAD - trail - text_x;
        let value_width = value.as_ref().map_or(0.0, |v| b.width(v, body));
        let title_width = b.width(&title, body);
        let stacked = value.is_some() && title_width + value_width + 12.0 > whole;
        let text_width = if value.is_some() && !stacked { whole - value_width - 12.0 } else { whole };
        let title_height = b.height(&title, body, text_width, None);
        let subtitle_height = subtitle.as_ref().map_or(0.0, |s| b.height(s, small, text_width, None) + 2.0);
        let value_height =
            if stacked { value.as_ref().map_or(0.0, |v| b.height(v, body, whole, None) + 2.0) } else { 0.0 };
        let least = if cell.image.is_some() { 84.0 } else { 44.0 };
        let height = (title_height + subtitle_height + value_height + 22.0).max(least);
        Self {
            title,
            subtitle,
            value,
            chevron,
            text_x,
            text_width,
            title_height,
            subtitle_height,
            stacked,
            height,
            body,
            small,
        }
    }

    fn paint(&self, b: &mut Builder, cell: &app::Cell, frame: Rect, enabled: bool, context: &Context) {
        let middle = frame.y + frame.height / 2.0;
        if let Some(image) = context.optional(cell.image.as_ref()) {
            b.picture(&image, Rect::new(frame.x + PAD, middle - 30.0, 60.0, 60.0), 10.0);
        } else if let Some(icon) = cell.icon {
            b.row_icon(icon, cell.icon_color.unwrap_or(Color::Blue), frame.x + PAD, middle - 14.5);
        }
        let color = match () {
            () if !enabled => b.look.tertiary(),
            () if cell.destructive => b.look.color(Color::Red),
            () if cell.button => b.look.accent(),
            () => b.look.label(),
        };
        let value_height = if self.stacked { self.body.line + 2.0 } else { 0.0 };
        let top = middle - (self.title_height + self.subtitle_height + value_height) / 2.0;
        b.text(&self.title, self.body, color, Block::new(self.text_x, top, self.text_width));
        let mut y = top + self.title_height;
        if let Some(subtitle) = &self.subtitle {
            let at = Block::new(self.text_x, y + 2.0, self.text_width);
            b.text(subtitle, self.small, b.look.secondary(), at);
            y += self.subtitle_height;
        }
        self.paint_trail(b, cell, frame, y, context);
    }

    fn paint_trail(&self, b: &mut Builder, cell: &app::Cell, frame: Rect, below: f64, context: &Context) {
        let middle = frame.y + frame.height / 2.0;
        let mut right = frame.right() - PAD;
        if context.holds(cell.checked.as_ref()) {
            b.icon(IconName::Check, Rect::new(right - 17.0, middle - 8.5, 17.0, 17.0), b.look.accent());
        }
        if self.chevron {
            let rect = Rect::new(right - 12.0, middle - 7.5, 15.0, 15.0);
            b.icon(IconName::ChevronRight, rect, b.look.tertiary());
        }
        if self.chevron || cell.checked.is_some() {
            right -= 22.0;
        }
        if let Some(badge) = context.badge(cell.badge.as_ref()) {
            b.badge(&badge, Point::new(right - 13.0, middle));
            right -= 34.0;
        }
        let Some(value) = &self.value else { return };
        let color = b.look.secondary();
        if self.stacked {
            b.text(value, self.body, color, Block::new(self.text_x, below + 2.0, self.text_width));
        } else {
            let width = b.width(value, self.body) + 2.0;
            let at = Block::new(right - width, middle - self.body.line / 2.0, width);
            b.text(value, self.body, color, at.aligned(1.0));
        }
    }
}
