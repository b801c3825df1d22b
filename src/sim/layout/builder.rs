//! Collects paint and elements while a scene is laid out.

use std::sync::Arc;

use super::element::Element;
use super::look::{Font, Look};
use crate::geometry::{Point, Rect, Size};
use crate::sim::app::IconName;
use crate::sim::motion::Moment;
use crate::sim::render::{Brush, Item, Paint, Rgba, Shaped, TextEngine, TextSpec, Wrap};

pub struct Builder<'a> {
    text: &'a TextEngine,
    pub look: Look,
    pub now: Moment,
    pub items: Vec<Item>,
    pub elements: Vec<Element>,
    /// The element under the finger, by its place among the elements.
    pressed: Option<usize>,
    shift: Point,
    alpha: f32,
    clip: Rect,
    /// What bars leave free of a scroll view.
    viewport: Option<Rect>,
    group: Option<&'static str>,
    accessible: bool,
    /// Mirrors around the middle of this width.
    mirror: Option<f64>,
    /// Pixels a point.
    scale: f64,
}

/// A text that was laid out: where it is and what it takes.
#[derive(Clone, Copy, Debug)]
pub struct Laid {
    pub ink: Rect,
    pub height: f64,
}

impl<'a> Builder<'a> {
    pub fn new(
        text: &'a TextEngine,
        look: Look,
        now: Moment,
        size: Size,
        scale: f64,
        pressed: Option<usize>,
    ) -> Self {
        Self {
            text,
            look,
            now,
            items: Vec::with_capacity(256),
            elements: Vec::with_capacity(64),
            pressed,
            shift: Point::new(0.0, 0.0),
            alpha: 1.0,
            clip: Rect::new(0.0, 0.0, size.width, size.height),
            viewport: None,
            group: None,
            accessible: true,
            mirror: None,
            scale,
        }
    }

    /// Lays `inside` out moved by `shift`.
    pub fn shifted<T>(&mut self, shift: Point, inside: impl FnOnce(&mut Self) -> T) -> T {
        let before = self.shift;
        self.shift = Point::new(before.x + shift.x, before.y + shift.y);
        let result = inside(self);
        self.shift = before;
        result
    }

    /// Lays `inside` out as faint as `alpha`.
    pub fn faded<T>(&mut self, alpha: f64, inside: impl FnOnce(&mut Self) -> T) -> T {
        let before = self.alpha;
        self.alpha *= alpha as f32;
        let result = inside(self);
        self.alpha = before;
        result
    }

    /// Cuts off what `inside` paints outside of a rectangle.
    pub fn clipped<T>(&mut self, clip: Rect, inside: impl FnOnce(&mut Self) -> T) -> T {
        let before = self.clip;
        let clip = self.placed(clip);
        self.clip = before.intersection(&clip).unwrap_or(Rect::new(clip.x, clip.y, 0.0, 0.0));
        let result = inside(self);
        self.clip = before;
        result
    }

    /// What `inside` lays out is in view only within a rectangle, though it is painted outside of it too.
    pub fn scrolled<T>(&mut self, viewport: Rect, inside: impl FnOnce(&mut Self) -> T) -> T {
        let before = self.viewport.replace(self.placed(viewport));
        let result = inside(self);
        self.viewport = before;
        result
    }

    pub fn grouped<T>(&mut self, group: &'static str, inside: impl FnOnce(&mut Self) -> T) -> T {
        let before = self.group.replace(group);
        let result = inside(self);
        self.group = before;
        result
    }

    /// Lays `inside` out without accessibility hearing of it.
    pub fn silent<T>(&mut self, silent: bool, inside: impl FnOnce(&mut Self) -> T) -> T {
        let before = self.accessible;
        self.accessible &= !silent;
        let result = inside(self);
        self.accessible = before;
        result
    }

    /// Lays `inside` out from right to left within `width`.
    pub fn mirrored<T>(&mut self, width: Option<f64>, inside: impl FnOnce(&mut Self) -> T) -> T {
        let before = std::mem::replace(&mut self.mirror, width);
        let result = inside(self);
        self.mirror = before;
        result
    }

    pub fn is_mirrored(&self) -> bool {
        self.mirror.is_some()
    }

    /// The height of `inside`, of which nothing is kept.
    pub fn measured(&mut self, inside: impl FnOnce(&mut Self) -> f64) -> f64 {
        let (items, elements) = (self.items.len(), self.elements.len());
        let height = inside(self);
        self.items.truncate(items);
        self.elements.truncate(elements);
        height
    }

    /// A whole number of pixels.
    pub fn snap(&self, points: f64) -> f64 {
        (points * self.scale).round() / self.scale
    }

    /// The thinnest line.
    pub fn hairline(&self) -> f64 {
        1.0 / self.scale.round().max(1.0)
    }

    fn placed(&self, rect: Rect) -> Rect {
        let x = self.mirror.map_or(rect.x, |width| width - rect.right());
        Rect::new(x + self.shift.x, rect.y + self.shift.y, rect.width, rect.height)
    }

    pub fn paint(&mut self, paint: Paint) {
        if self.alpha > 0.0 {
            self.items.push(Item { paint, alpha: self.alpha, clip: self.clip });
        }
    }

    /// Keeps a place in the order for what is known later.
    pub fn reserve(&mut self) -> usize {
        let brush = Brush::Solid(Rgba::hex(0));
        let paint = Paint::Fill { rect: Rect::new(0.0, 0.0, 0.0, 0.0), radius: 0.0, brush };
        self.items.push(Item { paint, alpha: self.alpha, clip: self.clip });
        self.items.len() - 1
    }

    /// Fills a reserved place.
    pub fn fill_reserved(&mut self, place: usize, rect: Rect, radius: f64, color: Rgba) {
        let rect = self.placed(rect);
        if let Some(item) = self.items.get_mut(place) {
            item.paint = Paint::Fill { rect, radius, brush: Brush::Solid(color) };
        }
    }

    pub fn fill(&mut self, rect: Rect, radius: f64, color: Rgba) {
        let rect = self.placed(rect);
        self.paint(Paint::Fill { rect, radius, brush: Brush::Solid(color) });
    }

    pub fn gradient(&mut self, rect: Rect, radius: f64, top: Rgba, bottom: Rgba) {
        let rect = self.placed(rect);
        self.paint(Paint::Fill { rect, radius, brush: Brush::Vertical(top, bottom) });
    }

    pub fn fill_top(&mut self, rect: Rect, radius: f64, color: Rgba) {
        let rect = self.placed(rect);
        self.paint(Paint::FillTop { rect, radius, color });
    }

    pub fn stroke(&mut self, rect: Rect, radius: f64, width: f64, color: Rgba) {
        let rect = self.placed(rect);
        self.paint(Paint::Stroke { rect, radius, width, color });
    }

    pub fn shadow(&mut self, rect: Rect, radius: f64, blur: f64, color: Rgba) {
        let rect = self.placed(rect);
        self.paint(Paint::Shadow { rect, radius, blur, color });
    }

    pub fn backdrop(&mut self, rect: Rect, tint: Rgba) {
        let rect = self.placed(rect);
        self.paint(Paint::Backdrop { rect, tint });
    }

    pub fn icon(&mut self, icon: IconName, rect: Rect, color: Rgba) {
        let icon = match icon {
            IconName::ChevronRight if self.is_mirrored() => IconName::ChevronLeft,
            IconName::ChevronLeft if self.is_mirrored() => IconName::ChevronRight,
            other => other,
        };
        let rect = self.placed(rect);
        self.paint(Paint::Icon { icon, rect, color });
    }

    pub fn spinner(&mut self, rect: Rect, color: Rgba) {
        // a turn a second, one spoke after the other
        let turn = (self.now.as_millis() * 12 / 1_000 % 12) as u8;
        let rect = self.placed(rect);
        self.paint(Paint::Spinner { rect, turn, color });
    }

    pub fn picture(&mut self, name: &str, rect: Rect, radius: f64) {
        let rect = self.placed(rect);
        self.paint(Paint::Picture { name: Arc::from(name), rect, radius });
    }

    pub fn separator(&mut self, x: f64, y: f64, width: f64) {
        let hairline = self.hairline();
        let color = self.look.separator();
        let y = self.snap(y);
        self.fill(Rect::new(x, y, width, hairline), 0.0, color);
    }

    fn shape(&self, text: &str, font: Font, wrap: Wrap, align: f64) -> Arc<Shaped> {
        self.text.shape(&TextSpec {
            text,
            size: font.size,
            line_height: font.line,
            weight: font.weight,
            wrap,
            align,
        })
    }

    /// The width of a text on one line.
    pub fn width(&self, text: &str, font: Font) -> f64 {
        self.shape(text, font, Wrap::None, 0.0).width
    }

    pub fn height(&self, text: &str, font: Font, width: f64, lines: Option<usize>) -> f64 {
        self.shape(text, font, Wrap::Width { width, lines }, 0.0).height
    }

    /// A text within a width; `align` as in [`TextSpec`], seen from the side where reading begins.
    pub fn text(&mut self, text: &str, font: Font, color: Rgba, at: Block) -> Laid {
        let align = if self.is_mirrored() { 1.0 - at.align } else { at.align };
        let wrap = Wrap::Width { width: at.width, lines: at.lines };
        let shaped = self.shape(text, font, wrap, align);
        let place = self.placed(Rect::new(at.x, at.y, at.width, shaped.height));
        let (left, width, height) = (shaped.left, shaped.width, shaped.height);
        self.paint(Paint::Text { shaped, at: Point::new(place.x, place.y), color });
        let x = if self.is_mirrored() { at.x + at.width - left - width } else { at.x + left };
        Laid { ink: Rect::new(x, at.y, width, height), height }
    }

    /// A text on one line, not cut off; gives its width.
    pub fn line(&mut self, text: &str, font: Font, color: Rgba, x: f64, y: f64) -> f64 {
        let shaped = self.shape(text, font, Wrap::None, 0.0);
        let place = self.placed(Rect::new(x, y, shaped.width, shaped.height));
        let width = shaped.width;
        self.paint(Paint::Text { shaped, at: Point::new(place.x, place.y), color });
        width
    }

    /// A text on one line around a middle.
    pub fn centered(&mut self, text: &str, font: Font, color: Rgba, middle: Point) -> Rect {
        let width = self.width(text, font);
        let rect = Rect::new(middle.x - width / 2.0, middle.y - font.line / 2.0, width, font.line);
        self.line(text, font, color, rect.x, rect.y);
        rect
    }

    /// Whether the element that comes next is under the finger.
    pub fn next_is_pressed(&self) -> bool {
        self.pressed == Some(self.elements.len())
    }

    pub fn element(&mut self, mut element: Element) {
        element.frame = self.placed(element.frame);
        element.hit = self.placed(element.hit);
        let view = self.viewport.and_then(|v| v.intersection(&self.clip)).unwrap_or(self.clip);
        element.shown = element.frame.intersection(&view);
        element.accessible &= self.accessible;
        element.group = element.group.or(self.group);
        if let Some(super::element::Touch::Slide { track, .. }) = &mut element.touch {
            *track = self.placed(*track);
        }
        self.elements.push(element);
    }
}

/// Where a text goes.
#[derive(Clone, Copy, Debug)]
pub struct Block {
    pub x: f64,
    pub y: f64,
    pub width: f64,
    pub align: f64,
    pub lines: Option<usize>,
}

impl Block {
    pub fn new(x: f64, y: f64, width: f64) -> Self {
        Self { x, y, width, align: 0.0, lines: None }
    }

    pub fn aligned(self, align: f64) -> Self {
        Self { align, ..self }
    }

    pub fn lines(self, lines: usize) -> Self {
        Self { lines: Some(lines), ..self }
    }
}
