//! What lies over pages: sheets, alerts, toasts, banners.

use super::bars::Insets;
use super::builder::{Block, Builder};
use super::element::{Element, Touch};
use super::flow::shade;
use super::look::Font;
use crate::geometry::{Rect, Size};
use crate::role::Role;
use crate::sim::app::{AlertStyle, Color, IconName, TextStyle};
use crate::sim::process::{ActiveAlert, ActiveToast};
use crate::sim::render::{Rgba, Weight};

/// What a page stands on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum PageGround {
    Screen,
    /// From the top down to the bottom of the screen.
    Sheet {
        radius: f64,
    },
    /// In the middle of a large screen.
    FloatingSheet {
        radius: f64,
    },
}

/// A notification that shows at the top.
#[derive(Clone, Debug, PartialEq)]
pub struct Banner {
    pub bundle: String,
    pub app: String,
    pub icon: IconName,
    pub color: Color,
    pub title: String,
    pub body: String,
}

/// Buttons side by side must leave their labels so much room.
const ALERT_WIDTH: f64 = 270.0;

impl Builder<'_> {
    /// Darkens everything below; a touch there goes to `touch`.
    pub fn dimmed(&mut self, size: Size, amount: f64, touch: Touch) {
        let frame = Rect::new(0.0, 0.0, size.width, size.height);
        self.faded(amount, |b| b.fill(frame, 0.0, b.look.dimming()));
        self.element(Element::shield(frame, touch));
    }

    /// The small bar at the top of a sheet.
    pub fn grabber(&mut self, width: f64) {
        let bar = Rect::new(width / 2.0 - 18.0, 5.0, 36.0, 5.0);
        self.fill(bar, 2.5, self.look.tertiary());
        let element = Element::new(Role::Other, "Button", "Sheet Grabber", bar).traits(&["Adjustable"]);
        self.element(element.touch(Touch::DismissSheet));
    }

    pub fn alert(&mut self, alert: &ActiveAlert, size: Size) {
        let amount = alert.presence.amount(self.now);
        self.dimmed(size, amount, Touch::Nothing);
        self.faded(amount, |b| b.alert_box(alert, size));
    }

    fn alert_box(&mut self, alert: &ActiveAlert, size: Size) {
        let limit = |mut font: Font, most: f64| {
            font.size = font.size.min(most);
            font.line = (font.size * 1.28).round();
            font
        };
        let title_font = limit(self.look.font(TextStyle::Headline), 30.0);
        let text_font = limit(self.look.font(TextStyle::Footnote), 28.0);
        let button_font = limit(self.look.body(), 30.0);
        let width = if self.look.is_huge() { (size.width - 40.0).min(420.0) } else { ALERT_WIDTH };
        let inner = width - 32.0;
        let title_height = self.height(&alert.title, title_font, inner, None);
        let message = alert.message.as_ref().map_or(0.0, |m| self.height(m, text_font, inner, None) + 4.0);
        let row = (button_font.line + 22.0).max(44.0);
        let beside = alert.buttons.len() == 2
            && alert.buttons.iter().all(|b| self.width(&b.label, button_font) < width / 2.0 - 12.0);
        let rows = if beside { 1 } else { alert.buttons.len() };
        let head = title_height + message + 38.0;
        let height = head + row * rows as f64;
        let frame =
            Rect::new((size.width - width) / 2.0, self.snap((size.height - height) / 2.0), width, height);
        self.shadow(Rect::new(frame.x, frame.y + 6.0, width, height), 14.0, 24.0, shade(0.16));
        self.fill(frame, 14.0, self.look.alert());
        let element = Element::new(Role::Alert, "Alert", alert.title.as_str(), frame).traits(&["Alert"]);
        self.element(Element { accessible: true, ..element });
        let group = if alert.permission.is_some() { "System Alert" } else { "Alert" };
        self.grouped(group, |b| {
            let at = Block::new(frame.x + 16.0, frame.y + 19.0, inner).aligned(0.5);
            let laid = b.text(&alert.title, title_font, b.look.label(), at);
            b.element(
                Element::new(Role::Text, "Heading", alert.title.as_str(), laid.ink).traits(&["Header"]),
            );
            if let Some(message) = &alert.message {
                let at = Block::new(frame.x + 16.0, at.y + title_height + 4.0, inner).aligned(0.5);
                let laid = b.text(message, text_font, b.look.label(), at);
                b.element(Element::new(Role::Text, "StaticText", message.as_str(), laid.ink));
            }
            b.alert_buttons(alert, frame, head, row, beside, button_font);
        });
    }

    fn alert_buttons(
        &mut self,
        alert: &ActiveAlert,
        frame: Rect,
        head: f64,
        row: f64,
        beside: bool,
        font: Font,
    ) {
        for (i, button) in alert.buttons.iter().enumerate() {
            let place = if beside {
                let half = frame.width / 2.0;
                Rect::new(frame.x + i as f64 * half, frame.y + head, half, row)
            } else {
                Rect::new(frame.x, frame.y + head + i as f64 * row, frame.width, row)
            };
            if self.next_is_pressed() {
                self.fill(place, 0.0, self.look.fill());
            }
            if i == 0 || !beside {
                self.separator(frame.x, place.y, frame.width);
            }
            if beside && i == 1 {
                let hairline = self.hairline();
                self.fill(Rect::new(place.x, place.y, hairline, row), 0.0, self.look.separator());
            }
            let weight = if button.style == AlertStyle::Cancel { Weight::Semibold } else { Weight::Regular };
            let color = match button.style {
                AlertStyle::Destructive => self.look.color(Color::Red),
                _ => self.look.color(Color::Blue),
            };
            self.centered(&button.label, font.weighing(weight), color, place.center());
            let element =
                Element::new(Role::Button, "Button", button.label.as_str(), place).traits(&["Button"]);
            self.element(element.exact_touch(Touch::Alert(i)));
        }
    }

    /// A dark pill, so far above the bottom of the screen.
    pub fn toast(&mut self, toast: &ActiveToast, size: Size, bottom: f64) {
        let amount = toast.presence.amount(self.now);
        let font = self.look.font(TextStyle::Subhead).weighing(Weight::Medium);
        let most = (size.width - 80.0).min(420.0);
        let width = self.width(&toast.text, font).min(most) + 1.0;
        let height = self.height(&toast.text, font, width, None);
        let frame = Rect::new(
            (size.width - width) / 2.0 - 18.0,
            self.snap(size.height - bottom - height - 38.0 + (1.0 - amount) * 12.0),
            width + 36.0,
            height + 22.0,
        );
        self.faded(amount, |b| {
            b.shadow(Rect::new(frame.x, frame.y + 4.0, frame.width, frame.height), 20.0, 14.0, shade(0.2));
            let ground = if b.look.dark { Rgba::hex(0x003A_3A3C) } else { Rgba::hex(0x0032_3236) };
            b.fill(frame, 20.0, ground);
            let at = Block::new(frame.x + 18.0, frame.y + 11.0, width).aligned(0.5);
            let laid = b.text(&toast.text, font, Rgba::hex(0x00FF_FFFF), at);
            let element = Element::new(Role::Text, "StaticText", toast.text.as_str(), laid.ink);
            b.element(element.traits(&["StaticText"]));
        });
    }

    pub fn banner(&mut self, banner: &Banner, amount: f64, size: Size, insets: Insets) {
        let width = (size.width - 16.0).min(480.0);
        let height = 76.0;
        let top = insets.top.max(12.0) - 6.0;
        let y = self.snap(-height - 20.0 + (top + height + 20.0) * amount);
        let frame = Rect::new((size.width - width) / 2.0, y, width, height);
        self.shadow(Rect::new(frame.x, y + 6.0, width, height), 20.0, 20.0, shade(0.18));
        self.fill(frame, 20.0, self.look.alert());
        let icon = Rect::new(frame.x + 14.0, y + 19.0, 38.0, 38.0);
        self.app_icon(banner.icon, banner.color, icon);
        let text_width = width - 66.0 - 52.0;
        let title_font = Font::of(15.0, Weight::Semibold);
        let at = Block::new(icon.right() + 12.0, y + 17.0, text_width).lines(1);
        self.text(&banner.title, title_font, self.look.label(), at);
        let at = Block::new(at.x, y + 37.0, text_width).lines(1);
        self.text(&banner.body, Font::of(15.0, Weight::Regular), self.look.label(), at);
        let when = Block::new(frame.right() - 52.0, y + 17.0, 38.0).aligned(1.0).lines(1);
        self.text("now", Font::of(13.0, Weight::Regular), self.look.secondary(), when);
        let label = format!("{}, now, {}, {}", banner.app, banner.title, banner.body);
        let element = Element::new(Role::Button, "Button", label, frame).traits(&["Button"]);
        self.grouped("Notification", |b| b.element(element.exact_touch(Touch::Banner)));
    }

    /// A rounded square with the app's sign.
    pub fn app_icon(&mut self, icon: IconName, color: Color, frame: Rect) {
        let base = self.look.color(color);
        let light = base.mix(Rgba::hex(0x00FF_FFFF), 0.28);
        self.gradient(frame, frame.width * 0.225, light, base);
        let side = frame.width * 0.58;
        let inset = (frame.width - side) / 2.0;
        let sign = Rect::new(frame.x + inset, frame.y + inset, side, side);
        self.icon(icon, sign, Rgba::hex(0x00FF_FFFF));
    }

    /// No touch reaches what moves.
    pub fn busy(&mut self, size: Size) {
        self.element(Element::shield(Rect::new(0.0, 0.0, size.width, size.height), Touch::Nothing));
    }
}
