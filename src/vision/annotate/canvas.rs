//! Antialiased boxes, pills and digits on a picture.

use image::{Rgb, RgbImage};

use super::digits;

/// A rectangle in output pixels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Area {
    pub(super) left: f32,
    pub(super) top: f32,
    pub(super) right: f32,
    pub(super) bottom: f32,
}

impl Area {
    pub(super) fn overlap(&self, other: &Area) -> f32 {
        let width = self.right.min(other.right) - self.left.max(other.left);
        let height = self.bottom.min(other.bottom) - self.top.max(other.top);
        width.max(0.0) * height.max(0.0)
    }

    pub(super) fn size(&self) -> f32 {
        (self.right - self.left) * (self.bottom - self.top)
    }

    fn grown(&self, by: f32) -> Area {
        Area { left: self.left - by, top: self.top - by, right: self.right + by, bottom: self.bottom + by }
    }

    /// Distance of a place to the edge of this area with rounded corners; negative inside.
    fn distance(&self, x: f32, y: f32, radius: f32) -> f32 {
        let (half_w, half_h) = ((self.right - self.left) / 2.0, (self.bottom - self.top) / 2.0);
        let radius = radius.min(half_w).min(half_h);
        let dx = (x - (self.left + half_w)).abs() - half_w + radius;
        let dy = (y - (self.top + half_h)).abs() - half_h + radius;
        dx.max(0.0).hypot(dy.max(0.0)) + dx.max(dy).min(0.0) - radius
    }
}

/// Height of a tag in output pixels at one pixel a point.
const TAG_HEIGHT: f32 = 12.0;
const DIGIT_HEIGHT: f32 = 7.4;
const WHITE: Rgb<u8> = Rgb([255; 3]);

pub(super) struct Canvas {
    picture: RgbImage,
    /// Lines and tags grow with the picture, within reason.
    size: f32,
}

impl Canvas {
    pub(super) fn new(picture: RgbImage, scale: f64) -> Self {
        Self { picture, size: (scale as f32).clamp(0.9, 2.5) }
    }

    pub(super) fn into_picture(self) -> RgbImage {
        self.picture
    }

    pub(super) fn extent(&self) -> Area {
        let (width, height) = self.picture.dimensions();
        Area { left: 0.0, top: 0.0, right: width as f32, bottom: height as f32 }
    }

    /// Width and height of the tag for a number.
    pub(super) fn tag_size(&self, number: &str) -> (f32, f32) {
        let digits = digits::width(number, DIGIT_HEIGHT * self.size);
        ((digits + 6.0 * self.size).max(TAG_HEIGHT * self.size).round(), (TAG_HEIGHT * self.size).round())
    }

    /// A thin line, with a faint white edge that shows it on dark grounds.
    pub(super) fn outline(&mut self, area: Area, colour: Rgb<u8>, strength: f32) {
        let extent = self.extent();
        // on whole pixels a thin line is crisp; one that would fall outside is drawn along the edge
        let snapped = Area {
            left: area.left.round().max(extent.left),
            top: area.top.round().max(extent.top),
            right: area.right.round().min(extent.right),
            bottom: area.bottom.round().min(extent.bottom),
        };
        if snapped.right - snapped.left < 2.0 || snapped.bottom - snapped.top < 2.0 {
            return;
        }
        let (line, radius) = (1.2 * self.size, 4.0 * self.size);
        self.ring(snapped, 2.0 * self.size, |canvas, x, y, px, py| {
            // from the edge inwards
            let d = -snapped.distance(px, py, radius);
            let halo = (1.0 - (d - line - 0.5).abs()).clamp(0.0, 1.0);
            canvas.blend(x, y, WHITE, 0.4 * halo * strength);
            canvas.blend(
                x,
                y,
                colour,
                strength * (line + 0.5 - d).clamp(0.0, 1.0) * (d + 0.5).clamp(0.0, 1.0),
            );
        });
    }

    /// A pill with a number.
    pub(super) fn tag(&mut self, area: Area, number: &str, colour: Rgb<u8>) {
        let radius = 4.0 * self.size;
        let edge = area.grown(self.size);
        self.each(edge, |canvas, x, y, px, py| {
            canvas.blend(x, y, WHITE, 0.9 * (0.5 - edge.distance(px, py, radius + 1.0)).clamp(0.0, 1.0));
            canvas.blend(x, y, colour, (0.5 - area.distance(px, py, radius)).clamp(0.0, 1.0));
        });
        let height = DIGIT_HEIGHT * self.size;
        let left = (area.left + area.right - digits::width(number, height)) / 2.0;
        let top = (area.top + area.bottom - height) / 2.0;
        self.each(area, |canvas, x, y, px, py| {
            canvas.blend(x, y, WHITE, digits::coverage(number, px - left, py - top, height));
        });
    }

    /// Every pixel of an area: its indices and its middle.
    fn each(&mut self, area: Area, mut paint: impl FnMut(&mut Self, u32, u32, f32, f32)) {
        let extent = self.extent();
        let clip = |v: f32, most: f32| v.clamp(0.0, most) as u32;
        for y in clip(area.top.floor(), extent.bottom)..clip(area.bottom.ceil(), extent.bottom) {
            for x in clip(area.left.floor(), extent.right)..clip(area.right.ceil(), extent.right) {
                paint(self, x, y, x as f32 + 0.5, y as f32 + 0.5);
            }
        }
    }

    /// Every pixel within `thick` of an area's edge, inside.
    fn ring(&mut self, area: Area, thick: f32, mut paint: impl FnMut(&mut Self, u32, u32, f32, f32)) {
        let thick = (thick + 4.0 * self.size).ceil();
        let middle = (area.left + thick, area.right - thick);
        for part in [
            Area { bottom: (area.top + thick).min(area.bottom), ..area },
            Area { top: (area.bottom - thick).max(area.top + thick), ..area },
        ] {
            self.each(part, &mut paint);
        }
        let sides = Area { top: area.top + thick, bottom: area.bottom - thick, ..area };
        if middle.0 < middle.1 {
            self.each(Area { right: middle.0, ..sides }, &mut paint);
            self.each(Area { left: middle.1, ..sides }, &mut paint);
        } else {
            self.each(sides, &mut paint);
        }
    }

    fn blend(&mut self, x: u32, y: u32, colour: Rgb<u8>, share: f32) {
        if share <= 0.0 {
            return;
        }
        let pixel = self.picture.get_pixel_mut(x, y);
        for (p, c) in pixel.0.iter_mut().zip(colour.0) {
            *p = (f32::from(*p) * (1.0 - share) + f32::from(c) * share + 0.5) as u8;
        }
    }
}
