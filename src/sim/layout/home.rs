//! The home screen: a wallpaper and the apps.

use super::bars::Insets;
use super::builder::{Block, Builder};
use super::element::{Element, Touch};
use super::look::Font;
use crate::geometry::{Rect, Size};
use crate::role::Role;
use crate::sim::app::{Color, IconName};
use crate::sim::render::{Rgba, Weight};

/// An app as the home screen shows it.
#[derive(Clone, Debug, PartialEq)]
pub struct HomeApp {
    pub bundle: String,
    pub name: String,
    pub icon: IconName,
    pub color: Color,
}

impl Builder<'_> {
    pub fn home(&mut self, apps: &[HomeApp], size: Size, insets: Insets) {
        let (top, bottom) =
            if self.look.dark { (0x0014_1E3C, 0x0038_2A5C) } else { (0x0032_6FB8, 0x00A0_7CC5) };
        self.gradient(Rect::new(0.0, 0.0, size.width, size.height), 0.0, Rgba::hex(top), Rgba::hex(bottom));
        const ICON: f64 = 62.0;
        let columns = if size.width > 500.0 { 6.0 } else { 4.0 };
        let side = insets.side + 26.0;
        let pitch = (size.width - 2.0 * side - ICON) / (columns - 1.0);
        for (i, app) in apps.iter().enumerate() {
            let (column, row) = ((i as f64) % columns, (i as f64 / columns).floor());
            let frame = Rect::new(side + column * pitch, insets.top + 24.0 + row * 98.0, ICON, ICON);
            self.app_icon(app.icon, app.color, frame);
            if self.next_is_pressed() {
                self.fill(frame, ICON * 0.225, Rgba::hex(0).faded(0.3));
            }
            let at = Block::new(frame.x - 14.0, frame.bottom() + 6.0, ICON + 28.0).aligned(0.5).lines(1);
            self.text(&app.name, Font::of(12.0, Weight::Medium), Rgba::hex(0x00FF_FFFF), at);
            let whole = Rect::new(frame.x, frame.y, ICON, ICON + 22.0);
            let element = Element::new(Role::Button, "Button", app.name.as_str(), whole).traits(&["Button"]);
            self.element(element.exact_touch(Touch::Launch(app.bundle.clone())));
        }
    }
}
