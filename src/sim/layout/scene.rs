//! The whole screen: pages, bars, sheets, keyboard, alerts, in the order they lie over each other.

use super::bars::Insets;
use super::builder::Builder;
use super::element::Element;
use super::flow::Context;
use super::home::HomeApp;
use super::keyboard;
use super::look::Look;
use super::overlays::{Banner, PageGround};
use super::page::{Place, ScrollSpace};
use crate::geometry::{Point, Rect, Size};
use crate::sim::app::Color;
use crate::sim::motion::{Moment, Presence, progress};
use crate::sim::process::{Page, Process, Root, Sheet};
use crate::sim::render::{Item, Rgba, TextEngine};
use crate::sim::system::System;

/// What there is to show.
pub struct Stage<'a> {
    pub system: &'a System,
    pub now: Moment,
    pub text: &'a TextEngine,
    /// The app in front; without one the home screen shows.
    pub process: Option<&'a Process>,
    pub home: &'a [HomeApp],
    pub banner: Option<(&'a Banner, Presence)>,
    /// The element under the finger.
    pub pressed: Option<usize>,
    /// Of the interface, as held.
    pub size: Size,
    /// Pixels a point.
    pub scale: f64,
}

/// The screen laid out.
pub struct Scene {
    pub items: Vec<Item>,
    /// From the lowest to the topmost.
    pub elements: Vec<Element>,
    /// Accessibility sees only the elements from here on: an alert or a sheet is in front.
    pub modal_from: usize,
    /// The front page, where there is one.
    pub scroll: Option<ScrollSpace>,
    /// Where the front page begins on the screen: below the top of a sheet.
    pub page_top: f64,
    /// The screen in front tells accessibility nothing.
    pub silent: bool,
}

impl Scene {
    /// Whether a point is at the height of the front page's list, between its bars and footers.
    pub fn is_in_list(&self, point: Point) -> bool {
        self.scroll.is_some_and(|space| {
            let y = point.y - self.page_top;
            y >= space.viewport.y && y < space.viewport.bottom()
        })
    }
}

pub fn build(stage: &Stage) -> Scene {
    let options = &stage.system.options;
    let tint = stage.process.map_or(Color::Blue, |p| p.app.tint);
    let look = Look::new(options.appearance, options.content_size, tint);
    let now = stage.now;
    let builder = Builder::new(stage.text, look, now, stage.size, stage.scale, stage.pressed);
    let mut stager =
        Stager { b: builder, stage, insets: insets(stage), modal_from: 0, scroll: None, page_top: 0.0 };
    stager.build();
    let silent = stage.process.is_some_and(|p| {
        p.alerts.is_empty()
            && p.front_page().and_then(|page| p.screen(page)).is_some_and(|s| !s.accessibility)
    });
    Scene {
        items: stager.b.items,
        elements: stager.b.elements,
        modal_from: stager.modal_from,
        scroll: stager.scroll,
        page_top: stager.page_top,
        silent,
    }
}

/// What the device's own furniture takes of the screen.
fn insets(stage: &Stage) -> Insets {
    let options = &stage.system.options;
    let profile = options.profile;
    if options.orientation.is_landscape() && !profile.is_pad() {
        Insets { top: 0.0, bottom: 21.0, side: profile.status_bar }
    } else {
        Insets { top: profile.status_bar, bottom: profile.home_area, side: 0.0 }
    }
}

struct Stager<'a, 'b> {
    b: Builder<'a>,
    stage: &'b Stage<'a>,
    insets: Insets,
    modal_from: usize,
    scroll: Option<ScrollSpace>,
    page_top: f64,
}

impl Stager<'_, '_> {
    fn build(&mut self) {
        let size = self.stage.size;
        let light = Rgba::hex(0x00FF_FFFF);
        let mut furniture = self.b.look.label();
        match self.stage.process {
            None => {
                self.b.home(self.stage.home, size, self.insets);
                furniture = light;
            }
            Some(process) => {
                self.pages(process);
                self.sheets(process);
                self.keyboard(process);
                self.toast(process);
            }
        }
        let system = self.stage.system;
        if self.insets.top > 0.0 {
            self.b.status_bar(size.width, self.insets.top, system.now(), &system.options.locale, furniture);
        }
        self.b.home_indicator(size.width, size.height, furniture);
        if let Some(process) = self.stage.process {
            self.alerts(process);
        }
        if let Some((banner, presence)) = self.stage.banner {
            let amount = presence.amount(self.b.now);
            self.b.banner(banner, amount, size, self.insets);
        }
    }

    /// What the keyboard takes of the screen now.
    fn keyboard_height(&self, process: &Process) -> f64 {
        if !self.stage.system.draws_keyboard() {
            return 0.0;
        }
        keyboard::height(self.stage.size) * process.keyboard.presence.amount(self.b.now)
    }

    fn pages(&mut self, process: &Process) {
        let size = self.stage.size;
        let tabs = matches!(process.root, Root::Tabs { .. });
        let covered = !process.sheets.is_empty();
        let keyboard = if covered { 0.0 } else { self.keyboard_height(process) };
        let place = Place { size, insets: self.insets, tabs, keyboard, ground: PageGround::Screen };
        let pages = process.root.stack();
        let space = stack(&mut self.b, self.stage, process, pages, place, !covered);
        if !covered {
            self.scroll = space;
        }
        if tabs && let Some(page) = pages.last() {
            let silent = !process.screen(page).is_none_or(|s| s.accessibility);
            let now = self.stage.system.now();
            self.b.silent(silent, |b| b.tab_bar(process, page, size.width, size.height, place.insets, now));
        }
        if !covered && process.slide.is_some() {
            self.b.busy(size);
        }
    }

    fn sheets(&mut self, process: &Process) {
        for (i, sheet) in process.sheets.iter().enumerate() {
            self.modal_from = self.b.elements.len();
            self.sheet(process, sheet, i + 1 == process.sheets.len());
        }
        if let Some(sheet) = &process.leaving_sheet {
            let modal = self.modal_from;
            let (scroll, page_top) = (self.scroll, self.page_top);
            let before = self.b.elements.len();
            self.sheet(process, sheet, false);
            // it is on its way out: nobody can use it any more
            for element in &mut self.b.elements[before..] {
                element.accessible = false;
            }
            (self.modal_from, self.scroll, self.page_top) = (modal, scroll, page_top);
        }
    }

    fn sheet(&mut self, process: &Process, sheet: &Sheet, front: bool) {
        const GRABBER: f64 = 14.0;
        let screen = self.stage.size;
        let amount = sheet.presence.amount(self.b.now);
        let touch = super::element::Touch::DismissSheet;
        self.b.dimmed(screen, amount, touch);
        let floating = screen.width >= 700.0 && screen.height >= 700.0;
        let (size, x, top) = if floating {
            let size = Size::new(540.0, 620.0);
            (size, (screen.width - size.width) / 2.0, (screen.height - size.height) / 2.0)
        } else {
            let top = self.insets.top + 10.0;
            (Size::new(screen.width, screen.height - top), 0.0, top)
        };
        let top = self.b.snap(top + (screen.height - top) * (1.0 - amount) + sheet.dragged);
        let keyboard = if front { self.keyboard_height(process) } else { 0.0 };
        let keyboard = (keyboard - (screen.height - top - size.height).max(0.0)).max(0.0);
        let bottom = if floating { 0.0 } else { self.insets.bottom };
        let insets = Insets { top: GRABBER, bottom, side: if floating { 0.0 } else { self.insets.side } };
        let radius = 12.0;
        let ground =
            if floating { PageGround::FloatingSheet { radius } } else { PageGround::Sheet { radius } };
        let place = Place { size, insets, tabs: false, keyboard, ground };
        self.b.look.raised = true;
        let clip = Rect::new(0.0, 0.0, size.width, size.height.min(screen.height - top).max(0.0));
        let space = self.b.shifted(Point::new(x, top), |b| {
            let space = b.clipped(clip, |b| stack(b, self.stage, process, &sheet.stack, place, front));
            b.grabber(size.width);
            space
        });
        self.b.look.raised = false;
        if front {
            (self.scroll, self.page_top) = (space, top);
        }
        if front && process.slide.is_some() {
            self.b.busy(screen);
        }
    }

    fn keyboard(&mut self, process: &Process) {
        let keyboard = &process.keyboard;
        if self.stage.system.draws_keyboard() && !keyboard.presence.is_gone(self.b.now) {
            self.b.keyboard(keyboard, process.focus.as_ref(), self.stage.size);
        }
    }

    fn toast(&mut self, process: &Process) {
        if let Some(toast) = &process.toast {
            // above footer, tab bar and keyboard
            let free = self.scroll.map_or(self.stage.size.height, |s| self.page_top + s.viewport.bottom());
            self.b.toast(toast, self.stage.size, self.stage.size.height - free);
        }
    }

    fn alerts(&mut self, process: &Process) {
        if let Some(alert) = &process.leaving_alert {
            let before = self.b.elements.len();
            self.b.alert(alert, self.stage.size);
            self.b.elements.truncate(before);
        }
        if let Some(alert) = process.alerts.first() {
            self.modal_from = self.b.elements.len();
            self.b.alert(alert, self.stage.size);
        }
    }
}

/// The last page of a stack, and while it slides the one it slides over or reveals.
fn stack(
    b: &mut Builder,
    stage: &Stage,
    process: &Process,
    pages: &[Page],
    place: Place,
    front: bool,
) -> Option<ScrollSpace> {
    let top = pages.last()?;
    let slide = process.slide.as_ref().filter(|_| front);
    let t = slide.map_or(1.0, |s| progress(b.now, s.since));
    let Some(slide) = slide.filter(|_| t < 1.0) else {
        return Some(page(b, stage, process, pages, top, place));
    };
    let width = place.size.width;
    let mut space = None;
    match (&slide.popped, pages.split_last()) {
        (Some(popped), _) => {
            let lower = |b: &mut Builder| space = Some(page(b, stage, process, pages, top, place));
            b.sliding(width, 1.0 - t, lower, |b| {
                b.silent(true, |b| page(b, stage, process, pages, popped, place));
            });
        }
        (None, Some((_, below @ [.., lower]))) => {
            let lower = |b: &mut Builder| {
                b.silent(true, |b| page(b, stage, process, below, lower, place));
            };
            b.sliding(width, t, lower, |b| space = Some(page(b, stage, process, pages, top, place)));
        }
        _ => space = Some(page(b, stage, process, pages, top, place)),
    }
    space
}

/// One page of a stack.
fn page(
    b: &mut Builder,
    stage: &Stage,
    process: &Process,
    stack: &[Page],
    page: &Page,
    place: Place,
) -> ScrollSpace {
    let nothing = ScrollSpace { page: page.id, max: 0.0, viewport: Rect::new(0.0, 0.0, 0.0, 0.0) };
    let Some(screen) = process.screen(page) else { return nothing };
    let context = Context {
        process,
        page,
        scope: process.scope(stage.system, &[]),
        style: screen.style,
        nested: false,
    };
    // a popped page is no longer on the stack, but what it led back to is its last
    let before = match stack.iter().position(|p| p.id == page.id) {
        Some(index) => index.checked_sub(1).and_then(|i| stack.get(i)),
        None => stack.last(),
    };
    let back = before.map(|p| process.screen(p).map_or(String::new(), |s| context.text(&s.title)));
    let back = back.map(|title| if title.is_empty() { "Back".to_owned() } else { title });
    b.silent(!screen.accessibility, |b| b.page(&context, screen, back, place))
}
