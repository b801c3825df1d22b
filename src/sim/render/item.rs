//! One thing to paint, and colours.

use std::sync::Arc;

use super::text::Shaped;
use crate::geometry::{Point, Rect};
use crate::sim::app::IconName;

/// A colour, not premultiplied.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rgba {
    pub r: u8,
    pub g: u8,
    pub b: u8,
    /// 0 to 1.
    pub a: f32,
}

impl Rgba {
    /// Of `0xRRGGBB`, opaque.
    pub const fn hex(rgb: u32) -> Self {
        Self { r: (rgb >> 16) as u8, g: (rgb >> 8) as u8, b: rgb as u8, a: 1.0 }
    }

    /// The same, as strong as `alpha` (0 to 1) of what it was.
    pub fn faded(self, alpha: f32) -> Self {
        Self { a: self.a * alpha, ..self }
    }

    /// Between this (0) and another (1).
    pub fn mix(self, other: Self, t: f32) -> Self {
        let channel = |a: u8, b: u8| (f32::from(a) + (f32::from(b) - f32::from(a)) * t).round() as u8;
        Self {
            r: channel(self.r, other.r),
            g: channel(self.g, other.g),
            b: channel(self.b, other.b),
            a: self.a + (other.a - self.a) * t,
        }
    }
}

/// What fills a shape.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Brush {
    Solid(Rgba),
    /// From top to bottom.
    Vertical(Rgba, Rgba),
}

/// What is painted, in interface points.
#[derive(Clone, Debug, PartialEq)]
pub enum Paint {
    /// A rectangle with round corners (radius 0 for none).
    Fill {
        rect: Rect,
        radius: f64,
        brush: Brush,
    },
    /// Round corners at the top only: sheets.
    FillTop {
        rect: Rect,
        radius: f64,
        color: Rgba,
    },
    /// The outline, inside the rectangle.
    Stroke {
        rect: Rect,
        radius: f64,
        width: f64,
        color: Rgba,
    },
    /// A blurred shade around and under a rectangle.
    Shadow {
        rect: Rect,
        radius: f64,
        blur: f64,
        color: Rgba,
    },
    /// Blurs what was painted so far and lays a colour over it.
    Backdrop {
        rect: Rect,
        tint: Rgba,
    },
    Text {
        shaped: Arc<Shaped>,
        at: Point,
        color: Rgba,
    },
    Icon {
        icon: IconName,
        rect: Rect,
        color: Rgba,
    },
    /// The twelve spokes; `turn` counts which is the strongest.
    Spinner {
        rect: Rect,
        turn: u8,
        color: Rgba,
    },
    /// A drawn picture: the same name always gives the same.
    Picture {
        name: Arc<str>,
        rect: Rect,
        radius: f64,
    },
}

impl Paint {
    /// Whether a part of it painted alone could differ from that part of the whole: glass shows what is
    /// behind it, and a curve that is cut is flattened otherwise.
    pub fn is_indivisible(&self) -> bool {
        match self {
            Self::Fill { radius, brush, .. } => *radius > 0.0 || matches!(brush, Brush::Vertical(..)),
            Self::Shadow { .. } | Self::Text { .. } => false,
            Self::FillTop { .. }
            | Self::Stroke { .. }
            | Self::Backdrop { .. }
            | Self::Icon { .. }
            | Self::Spinner { .. }
            | Self::Picture { .. } => true,
        }
    }
}

/// A paint with how strongly it shows and where it is cut off.
#[derive(Clone, Debug, PartialEq)]
pub struct Item {
    pub paint: Paint,
    pub alpha: f32,
    /// Nothing shows outside. Shapes are cut only above and below, text on all sides.
    pub clip: Rect,
}

impl Item {
    /// All that may be painted, in interface points.
    pub fn bounds(&self) -> Rect {
        let grown =
            |r: &Rect, by: f64| Rect::new(r.x - by, r.y - by, r.width + 2.0 * by, r.height + 2.0 * by);
        let rect = match &self.paint {
            Paint::Fill { rect, .. }
            | Paint::FillTop { rect, .. }
            | Paint::Stroke { rect, .. }
            | Paint::Backdrop { rect, .. }
            | Paint::Picture { rect, .. } => *rect,
            Paint::Icon { rect, .. } | Paint::Spinner { rect, .. } => grown(rect, 2.0),
            Paint::Shadow { rect, blur, .. } => grown(rect, *blur),
            // glyphs may stand out of their line
            Paint::Text { shaped, at, .. } => {
                grown(&Rect::new(at.x, at.y, shaped.width, shaped.height), shaped.size * 0.4)
            }
        };
        rect.intersection(&self.clip).unwrap_or(Rect::new(rect.x, rect.y, 0.0, 0.0))
    }
}
