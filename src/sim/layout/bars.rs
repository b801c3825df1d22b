//! Status bar, navigation bar, tab bar and home indicator.

use chrono::{DateTime, Utc};

use super::builder::{Block, Builder};
use super::element::{Element, Touch};
use super::flow::Context;
use super::look::Font;
use crate::geometry::{Point, Rect};
use crate::role::Role;
use crate::sim::app::{self, BarItem, IconName};
use crate::sim::process::{Page, Process, Root};
use crate::sim::render::{Rgba, Weight};

/// A navigation bar without the status bar above it.
pub const BAR: f64 = 44.0;
/// A tab bar without the home indicator below it.
pub const TABS: f64 = 49.0;

/// What surrounds the interface on this device, as it is held.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Insets {
    pub top: f64,
    pub bottom: f64,
    pub side: f64,
}

/// A navigation bar to lay out.
pub struct BarState<'a> {
    pub screen: &'a app::Screen,
    pub title: String,
    /// The title of the page that Back leads to.
    pub back: Option<String>,
    /// 0 where the content is at its top, 1 where it has gone under the bar.
    pub glass: f64,
    /// How much of the small title shows: none while the large one is in view.
    pub title_amount: f64,
}

impl Builder<'_> {
    /// Time at the left; signal, wireless and battery at the right.
    pub fn status_bar(&mut self, width: f64, height: f64, now: DateTime<Utc>, locale: &str, color: Rgba) {
        let format = if locale.starts_with("en_US") { "%-I:%M" } else { "%-H:%M" };
        let time = now.format(format).to_string();
        let pad = height < 40.0;
        let font = Font::of(if pad { 13.0 } else { 17.0 }, Weight::Semibold);
        let ear = if pad { 44.0 } else { (width * 0.165).min(70.0) };
        let middle = if pad { height / 2.0 } else { height * 0.56 };
        let frame = self.centered(&time, font, color, Point::new(ear, middle));
        self.grouped("Status Bar", |b| {
            let element = Element::new(Role::Text, "StaticText", time, frame).traits(&["StatusBarElement"]);
            b.element(Element { accessible: false, ..element });
        });
        let x = if pad { width - 92.0 } else { width - ear - 36.0 };
        for bar in 0..4 {
            let h = 4.0 + 2.6 * f64::from(bar);
            let rect = Rect::new(x + 4.8 * f64::from(bar), middle + 6.0 - h, 3.2, h);
            self.fill(rect, 1.0, color);
        }
        self.icon(IconName::Wifi, Rect::new(x + 23.0, middle - 9.0, 17.0, 17.0), color);
        let battery = Rect::new(x + 45.0, middle - 6.0, 25.0, 12.5);
        self.stroke(battery, 4.0, 1.0, color.faded(0.4));
        self.fill(Rect::new(battery.x + 2.0, battery.y + 2.0, 17.5, 8.5), 2.4, color);
        self.fill(Rect::new(battery.right() + 1.2, middle - 1.9, 1.6, 4.0), 0.8, color.faded(0.4));
    }

    pub fn home_indicator(&mut self, width: f64, height: f64, color: Rgba) {
        let length = (width * 0.36).min(140.0);
        self.fill(Rect::new((width - length) / 2.0, height - 13.0, length, 5.0), 2.5, color);
    }

    /// The bar of a page, `top` below the page's own top.
    pub fn navigation_bar(&mut self, bar: &BarState, width: f64, insets: Insets, context: &Context) {
        let top = insets.top;
        let glass = bar.glass;
        if glass > 0.0 {
            let rect = Rect::new(0.0, 0.0, width, top + BAR);
            self.faded(glass, |b| {
                b.backdrop(rect, b.look.bar());
                b.separator(0.0, top + BAR, width);
            });
        }
        self.element(Element::shield(Rect::new(0.0, 0.0, width, top + BAR), Touch::Nothing));
        self.grouped("Navigation Bar", |b| {
            let mut left = insets.side + 8.0;
            if let Some(back) = &bar.back {
                left = b.back_button(back, left, top, width);
            }
            for item in &bar.screen.leading {
                left += b.bar_item(item, left + 4.0, top, false, context) + 8.0;
            }
            let mut right = width - insets.side - 16.0;
            for item in bar.screen.trailing.iter().rev() {
                right -= b.bar_item(item, right, top, true, context) + 14.0;
            }
            b.bar_title(bar, left, right, width, top);
        });
    }

    fn back_button(&mut self, title: &str, x: f64, top: f64, width: f64) -> f64 {
        let font = Font::of(17.0, Weight::Regular);
        let shown = if self.width(title, font) > width * 0.28 { "Back" } else { title };
        let color = if self.next_is_pressed() { self.look.accent().faded(0.4) } else { self.look.accent() };
        self.icon(IconName::ChevronLeft, Rect::new(x - 1.0, top + 11.0, 22.0, 22.0), color);
        let text = self.line(shown, font, color, x + 19.0, top + 11.0);
        let frame = Rect::new(x, top, 19.0 + text, BAR);
        let element =
            Element::new(Role::BackButton, "Button", shown, frame).traits(&["Button", "BackButton"]);
        self.element(element.touch(Touch::Back));
        frame.right()
    }

    fn bar_title(&mut self, bar: &BarState, left: f64, right: f64, width: f64, top: f64) {
        if bar.title.is_empty() || bar.title_amount <= 0.0 {
            return;
        }
        let font = Font::of(17.0, Weight::Semibold);
        let side = (left + 8.0).max(width - right + 8.0);
        let at = Block::new(side, top + 11.0, (width - 2.0 * side).max(40.0)).aligned(0.5).lines(1);
        self.faded(bar.title_amount, |b| {
            let laid = b.text(&bar.title, font, b.look.label(), at);
            let element = Element::new(Role::Text, "Heading", bar.title.as_str(), laid.ink);
            b.element(element.traits(&["Header"]));
        });
    }

    /// Lays a bar button out from its left or right edge; gives its width.
    fn bar_item(&mut self, item: &BarItem, x: f64, top: f64, from_right: bool, context: &Context) -> f64 {
        let weight = if item.bold { Weight::Semibold } else { Weight::Regular };
        let font = Font::of(17.0, weight);
        let disabled = context.holds(item.disabled.as_ref());
        let color = match () {
            () if disabled => self.look.tertiary(),
            () if self.next_is_pressed() => self.look.accent().faded(0.4),
            () => self.look.accent(),
        };
        let title = context.optional(item.title.as_ref());
        let width = title.as_ref().map_or(24.0, |t| self.width(t, font));
        let left = if from_right { x - width } else { x };
        let mut frame = Rect::new(left, top + 11.0, width, 22.0);
        let badge = context.badge(item.badge.as_ref());
        let role = match (&title, item.icon) {
            (Some(title), _) => {
                self.line(title, font, color, left, top + 11.0);
                Role::Button
            }
            (None, icon) => {
                frame = Rect::new(left, top + 10.0, 24.0, 24.0);
                self.icon(icon.unwrap_or_default(), frame, color);
                Role::IconButton
            }
        };
        if let Some(badge) = &badge {
            self.badge(badge, Point::new(left + width, top + 11.0));
        }
        let label = context.optional(item.label.as_ref()).or(title).unwrap_or_default();
        let mut element = Element::new(role, "Button", label, frame)
            .identifier(item.id.as_ref())
            .enabled(!disabled)
            .traits(&["Button"]);
        element.value = badge;
        let touch = Touch::Act { actions: item.actions.clone(), locals: context.locals() };
        self.element(element.touch(touch));
        width
    }

    pub fn tab_bar(
        &mut self,
        process: &Process,
        front: &Page,
        width: f64,
        height: f64,
        insets: Insets,
        now: DateTime<Utc>,
    ) {
        let Root::Tabs { selected, .. } = process.root else { return };
        let top = height - TABS - insets.bottom;
        let rect = Rect::new(0.0, top, width, TABS + insets.bottom);
        self.backdrop(rect, self.look.bar());
        self.separator(0.0, top, width);
        self.element(Element::shield(rect, Touch::Nothing));
        let context = Context {
            process,
            page: front,
            scope: app::expression::Scope {
                state: &process.state,
                data: &process.app.data,
                locals: Vec::new(),
                now,
            },
            style: app::ScreenStyle::Grouped,
            nested: false,
        };
        let inner = width - 2.0 * insets.side;
        let cell = inner / process.app.tabs.len().max(1) as f64;
        self.grouped("Tab Bar", |b| {
            for (i, tab) in process.app.tabs.iter().enumerate() {
                let frame = Rect::new(insets.side + i as f64 * cell, top, cell, TABS);
                b.tab(tab, i, i == selected, frame, &context);
            }
        });
    }

    fn tab(&mut self, tab: &app::Tab, index: usize, selected: bool, frame: Rect, context: &Context) {
        let color = if selected {
            self.look.accent()
        } else {
            Rgba::hex(if self.look.dark { 0x0099_9999 } else { 0x0085_8585 })
        };
        let middle = frame.x + frame.width / 2.0;
        self.icon(tab.icon, Rect::new(middle - 13.0, frame.y + 6.0, 26.0, 26.0), color);
        let label = context.text(&tab.label);
        let font = Font { size: 10.0, line: 12.0, weight: Weight::Medium };
        self.centered(&label, font, color, Point::new(middle, frame.y + 40.0));
        let badge = context.badge(tab.badge.as_ref());
        if let Some(badge) = &badge {
            self.badge(badge, Point::new(middle + 14.0, frame.y + 9.0));
        }
        let traits: &[&str] =
            if selected { &["Button", "TabButton", "Selected"] } else { &["Button", "TabButton"] };
        let mut element =
            Element::new(Role::Tab, "RadioButton", label, frame).selected(selected).traits(traits);
        element.value = badge;
        self.element(element.exact_touch(Touch::Tab(index)));
    }
}
