//! Points, pixels and panel points: three spaces, three types, converted in one place.
//!
//! * [`Point`], [`Size`], [`Rect`]: **interface points**, as the screen is held; all that is published.
//! * [`PanelPoint`]: points of the portrait-native panel; what touches are sent in.
//! * [`PixelSize`], [`PixelRect`]: pixels of one frame.
//!
//! [`Screen`] keeps sizes that were measured at the same moment and converts between the three.
//! Uses nothing of this crate.

use serde::{Deserialize, Serialize};

/// A place in interface points, from the top left.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Point {
    pub x: f64,
    pub y: f64,
}

/// An extent in interface points.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Size {
    pub width: f64,
    pub height: f64,
}

/// A rectangle in interface points, from the top left.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Rect {
    pub x: f64,
    pub y: f64,
    pub width: f64,
    pub height: f64,
}

/// A place on the portrait-native panel, in points: the space of touches (idb HID).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PanelPoint {
    pub x: f64,
    pub y: f64,
}

/// The size of a frame in pixels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct PixelSize {
    pub width: u32,
    pub height: u32,
}

/// A rectangle of whole pixels in a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct PixelRect {
    pub x: u32,
    pub y: u32,
    pub width: u32,
    pub height: u32,
}

/// How the interface is turned against the panel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Orientation {
    Portrait,
    PortraitUpsideDown,
    /// The device's top is at the user's right (UIKit interface landscapeLeft).
    LandscapeLeft,
    /// The device's top is at the user's left (UIKit interface landscapeRight).
    LandscapeRight,
}

impl Orientation {
    pub fn is_landscape(self) -> bool {
        matches!(self, Self::LandscapeLeft | Self::LandscapeRight)
    }
}

impl Point {
    pub fn new(x: f64, y: f64) -> Self {
        Self { x, y }
    }

    pub fn is_finite(self) -> bool {
        self.x.is_finite() && self.y.is_finite()
    }
}

impl Size {
    pub fn new(width: f64, height: f64) -> Self {
        Self { width, height }
    }

    pub fn contains(self, point: Point) -> bool {
        point.is_finite() && (0.0..self.width).contains(&point.x) && (0.0..self.height).contains(&point.y)
    }
}

impl Rect {
    pub fn new(x: f64, y: f64, width: f64, height: f64) -> Self {
        Self { x, y, width, height }
    }

    pub fn center(&self) -> Point {
        Point::new(self.x + self.width / 2.0, self.y + self.height / 2.0)
    }

    pub fn right(&self) -> f64 {
        self.x + self.width
    }

    pub fn bottom(&self) -> f64 {
        self.y + self.height
    }

    pub fn area(&self) -> f64 {
        self.width.max(0.0) * self.height.max(0.0)
    }

    pub fn contains(&self, point: Point) -> bool {
        point.x >= self.x && point.x < self.right() && point.y >= self.y && point.y < self.bottom()
    }

    /// The common part, or `None` where the two don't overlap.
    pub fn intersection(&self, other: &Rect) -> Option<Rect> {
        let x = self.x.max(other.x);
        let y = self.y.max(other.y);
        let width = self.right().min(other.right()) - x;
        let height = self.bottom().min(other.bottom()) - y;
        (width > 0.0 && height > 0.0).then(|| Rect::new(x, y, width, height))
    }

    pub fn union(&self, other: &Rect) -> Rect {
        let x = self.x.min(other.x);
        let y = self.y.min(other.y);
        Rect::new(x, y, self.right().max(other.right()) - x, self.bottom().max(other.bottom()) - y)
    }
}

impl PixelSize {
    pub fn new(width: u32, height: u32) -> Self {
        Self { width, height }
    }

    /// Pixels a point that a screenshot of this size most likely has: that of the iPhones and iPads with such a short
    /// side; of others 3, 2 or 1, so that the short side has 320 points at least.
    pub fn likely_scale(self) -> f64 {
        match self.width.min(self.height) {
            // iPads and the iPhones without a Super Retina screen
            640 | 750 | 828 | 1488 | 1536 | 1620 | 1640 | 1668 | 2048 | 2064 => 2.0,
            960.. => 3.0,
            640.. => 2.0,
            _ => 1.0,
        }
    }
}

impl PixelRect {
    pub fn new(x: u32, y: u32, width: u32, height: u32) -> Self {
        Self { x, y, width, height }
    }

    pub fn right(&self) -> u32 {
        self.x + self.width
    }

    pub fn bottom(&self) -> u32 {
        self.y + self.height
    }

    pub fn area(&self) -> u64 {
        u64::from(self.width) * u64::from(self.height)
    }

    pub fn contains(&self, x: u32, y: u32) -> bool {
        x >= self.x && x < self.right() && y >= self.y && y < self.bottom()
    }

    /// The common part, or `None` where the two don't overlap.
    pub fn intersection(&self, other: &PixelRect) -> Option<PixelRect> {
        let x = self.x.max(other.x);
        let y = self.y.max(other.y);
        let right = self.right().min(other.right());
        let bottom = self.bottom().min(other.bottom());
        (right > x && bottom > y).then(|| PixelRect::new(x, y, right - x, bottom - y))
    }

    pub fn union(&self, other: &PixelRect) -> PixelRect {
        let x = self.x.min(other.x);
        let y = self.y.min(other.y);
        PixelRect::new(x, y, self.right().max(other.right()) - x, self.bottom().max(other.bottom()) - y)
    }
}

/// A number written without a point where it is whole, for files that people read.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, schemars::JsonSchema)]
#[serde(transparent)]
pub struct PlainNumber(pub f64);

impl Serialize for PlainNumber {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.0.fract() == 0.0 && self.0.abs() < 1e9 {
            serializer.serialize_i64(self.0 as i64)
        } else {
            serializer.serialize_f64(self.0)
        }
    }
}

/// One screen's sizes, measured at the same moment, and the way its interface is turned.
///
/// `rotation` is `None` where it can't be known in landscape; then points are those of the panel.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Screen {
    /// Size of the frame, as captured and turned upright.
    pub pixels: PixelSize,
    /// Size of the interface in points, as held.
    pub points: Size,
    /// Size of the panel in touch points, portrait-native. On a mini or Plus it differs from `points`.
    pub panel: Size,
    pub rotation: Option<Orientation>,
}

impl Screen {
    /// A picture without a device: one scale, nothing turned.
    pub fn of_picture(pixels: PixelSize, scale: f64) -> Self {
        let points = Size::new(f64::from(pixels.width) / scale, f64::from(pixels.height) / scale);
        Self { pixels, points, panel: points, rotation: Some(Orientation::Portrait) }
    }

    /// Pixels a point, along x.
    pub fn scale_x(&self) -> f64 {
        f64::from(self.pixels.width) / self.points.width
    }

    /// Pixels a point, along y.
    pub fn scale_y(&self) -> f64 {
        f64::from(self.pixels.height) / self.points.height
    }

    pub fn to_points(&self, rect: PixelRect) -> Rect {
        let (sx, sy) = (self.scale_x(), self.scale_y());
        Rect::new(
            f64::from(rect.x) / sx,
            f64::from(rect.y) / sy,
            f64::from(rect.width) / sx,
            f64::from(rect.height) / sy,
        )
    }

    /// The pixels that a rectangle touches, clipped to the frame; `None` where it lies outside.
    pub fn to_pixels(&self, rect: Rect) -> Option<PixelRect> {
        let (sx, sy) = (self.scale_x(), self.scale_y());
        let clip = |v: f64, max: u32| v.clamp(0.0, f64::from(max)) as u32;
        let x = clip((rect.x * sx + 1e-6).floor(), self.pixels.width);
        let y = clip((rect.y * sy + 1e-6).floor(), self.pixels.height);
        let right = clip((rect.right() * sx - 1e-6).ceil(), self.pixels.width);
        let bottom = clip((rect.bottom() * sy - 1e-6).ceil(), self.pixels.height);
        (right > x && bottom > y).then(|| PixelRect::new(x, y, right - x, bottom - y))
    }

    /// Where a touch must be sent to land on an interface point (idb.md 3.5).
    pub fn to_panel(&self, point: Point) -> PanelPoint {
        let (w, h) = (self.panel.width, self.panel.height);
        let (iw, ih) = match self.rotation {
            Some(o) if o.is_landscape() => (h, w),
            _ => (w, h),
        };
        let x = point.x * iw / self.points.width;
        let y = point.y * ih / self.points.height;
        match self.rotation {
            None | Some(Orientation::Portrait) => PanelPoint { x, y },
            Some(Orientation::PortraitUpsideDown) => PanelPoint { x: w - x, y: h - y },
            Some(Orientation::LandscapeRight) => PanelPoint { x: w - y, y: x },
            Some(Orientation::LandscapeLeft) => PanelPoint { x: y, y: h - x },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mini_s_touches_are_scaled_to_its_panel() {
        let mini = Screen {
            pixels: PixelSize::new(1080, 2340),
            points: Size::new(375.0, 812.0),
            panel: Size::new(360.0, 780.0),
            rotation: Some(Orientation::Portrait),
        };
        let at = mini.to_panel(Point::new(375.0 / 2.0, 812.0 / 2.0));
        assert!((at.x - 180.0).abs() < 1e-9 && (at.y - 390.0).abs() < 1e-9);
    }

    #[test]
    fn landscape_points_turn_into_panel_points() {
        let mut screen = Screen {
            pixels: PixelSize::new(2556, 1179),
            points: Size::new(852.0, 393.0),
            panel: Size::new(393.0, 852.0),
            rotation: Some(Orientation::LandscapeRight),
        };
        assert_eq!(screen.to_panel(Point::new(10.0, 20.0)), PanelPoint { x: 373.0, y: 10.0 });
        screen.rotation = Some(Orientation::LandscapeLeft);
        assert_eq!(screen.to_panel(Point::new(10.0, 20.0)), PanelPoint { x: 20.0, y: 842.0 });
    }

    #[test]
    fn points_and_pixels_convert_back_and_forth() {
        let screen = Screen::of_picture(PixelSize::new(1179, 2556), 3.0);
        let rect = PixelRect::new(30, 60, 90, 33);
        assert_eq!(screen.to_pixels(screen.to_points(rect)), Some(rect));
        assert_eq!(screen.to_pixels(Rect::new(500.0, 0.0, 10.0, 10.0)), None);
    }
}
