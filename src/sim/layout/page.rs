//! One page: its bar, its scrolling body, its footer.

use super::bars::{BAR, BarState, Insets, TABS};
use super::builder::{Block, Builder};
use super::element::{Element, Touch};
use super::flow::{Column, Context};
use super::overlays::PageGround;
use crate::geometry::{Point, Rect, Size};
use crate::role::Role;
use crate::sim::app::{Actions, Screen, ScreenStyle, TextStyle};
use crate::sim::motion::rubber_band;
use crate::sim::process::Page;

/// Where a page stands.
#[derive(Clone, Copy)]
pub struct Place {
    pub size: Size,
    pub insets: Insets,
    pub tabs: bool,
    /// What the keyboard takes at the bottom.
    pub keyboard: f64,
    pub ground: PageGround,
}

/// What scrolling a page needs to know.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ScrollSpace {
    pub page: u64,
    pub max: f64,
    /// What the bars leave free, relative to the page.
    pub viewport: Rect,
}

impl Builder<'_> {
    /// Lays a page out from (0, 0).
    pub fn page(
        &mut self,
        context: &Context,
        screen: &Screen,
        back: Option<String>,
        place: Place,
    ) -> ScrollSpace {
        let Size { width, height } = place.size;
        self.page_ground(screen, place);
        let bar = if screen.bare { 0.0 } else { BAR };
        let top = place.insets.top + bar;
        let bottom = if place.tabs { TABS + place.insets.bottom } else { place.insets.bottom };
        let column = self.column(width, place.insets.side);
        let footer = self.footer_height(screen, column, context);
        let bottom_edge = height - bottom.max(place.keyboard) - footer;
        let viewport = Rect::new(0.0, top, width, (bottom_edge - top).max(0.0));
        let mirror = screen.right_to_left.then_some(width);

        let mut content = 0.0;
        let title = context.text(&screen.title);
        let large = self.look.font(TextStyle::LargeTitle);
        let large_height = if screen.large_title && !screen.bare { large.line + 8.0 } else { 0.0 };
        let offset = self.drawn_offset(context.page, height);
        self.scrolled(viewport, |b| {
            b.mirrored(mirror, |b| {
                let mut y = b.snap(top - offset);
                let begin = y;
                if large_height > 0.0 {
                    let at = Block::new(column.x, y + 3.0, column.width).lines(1);
                    let laid = b.text(&title, large, b.look.label(), at);
                    b.element(
                        Element::new(Role::Text, "Heading", title.as_str(), laid.ink).traits(&["Header"]),
                    );
                    y += large_height;
                }
                if let Some(search) = &screen.search {
                    let none = Actions::default();
                    y += b.search_field(search, &none, &none, column, y + 2.0, context) + 14.0;
                }
                y += if screen.style == ScreenStyle::Grouped && large_height == 0.0 { 16.0 } else { 8.0 };
                y += b.flow(&screen.body, column, y, context);
                content = y + 20.0 - begin;
            });
        });
        let max = (content - viewport.height).max(0.0);
        let glass = if screen.bare { 0.0 } else { (offset / 12.0).clamp(0.0, 1.0) };
        if screen.bare {
            // what scrolls under the status bar fades
            self.element(Element::shield(Rect::new(0.0, 0.0, width, place.insets.top), Touch::Nothing));
        } else {
            let title_amount = if large_height > 0.0 {
                ((offset - large_height + 18.0) / 10.0).clamp(0.0, 1.0)
            } else {
                1.0
            };
            let state = BarState { screen, title, back, glass, title_amount };
            self.mirrored(mirror, |b| b.navigation_bar(&state, width, place.insets, context));
        }
        if footer > 0.0 {
            self.footer(screen, column, bottom_edge, footer, place, context);
        }
        ScrollSpace { page: context.page.id, max, viewport }
    }

    /// Phones use the whole width; on wide screens lines would be too long to read.
    fn column(&self, width: f64, side: f64) -> Column {
        let margin = if width >= 700.0 { 20.0 } else { 16.0 } + side;
        let margin = margin.max((width - 700.0) / 2.0);
        Column { x: margin, width: width - 2.0 * margin }
    }

    /// The scroll offset, with a finger's pull beyond an edge damped.
    fn drawn_offset(&self, page: &Page, height: f64) -> f64 {
        let offset = page.scroll.offset(self.now);
        if offset < 0.0 && !page.scroll.is_moving() { rubber_band(offset, height) } else { offset }
    }

    fn footer_height(&mut self, screen: &Screen, column: Column, context: &Context) -> f64 {
        if screen.footer.is_empty() {
            return 0.0;
        }
        self.measured(|b| b.flow(&screen.footer, column, 0.0, context)) + 24.0
    }

    fn footer(
        &mut self,
        screen: &Screen,
        column: Column,
        y: f64,
        height: f64,
        place: Place,
        context: &Context,
    ) {
        let frame = Rect::new(0.0, y, place.size.width, place.size.height - y);
        self.backdrop(frame, self.look.bar());
        self.separator(0.0, y, frame.width);
        self.element(Element::shield(Rect::new(0.0, y, frame.width, height), Touch::Nothing));
        self.flow(&screen.footer, column, y + 12.0, context);
    }

    fn page_ground(&mut self, screen: &Screen, place: Place) {
        let color = match screen.style {
            ScreenStyle::Grouped => self.look.grouped(),
            ScreenStyle::Plain => self.look.plain(),
        };
        let frame = Rect::new(0.0, 0.0, place.size.width, place.size.height);
        match place.ground {
            PageGround::Screen => self.fill(frame, 0.0, color),
            PageGround::Sheet { radius } => self.fill_top(frame, radius, color),
            PageGround::FloatingSheet { radius } => self.fill(frame, radius, color),
        }
        self.element(Element::shield(frame, Touch::Nothing));
    }

    /// Two pages of a stack while one slides over the other; `t` is how far the upper has come in.
    pub fn sliding<T>(
        &mut self,
        width: f64,
        t: f64,
        lower: impl FnOnce(&mut Self),
        upper: impl FnOnce(&mut Self) -> T,
    ) -> T {
        let back = self.snap(-0.3 * width * t);
        self.shifted(Point::new(back, 0.0), lower);
        let x = self.snap(width * (1.0 - t));
        self.shifted(Point::new(x, 0.0), upper)
    }
}
