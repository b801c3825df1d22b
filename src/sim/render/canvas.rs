//! A band of whole pixel rows that items are painted on.

use tiny_skia::{
    Color, FillRule, GradientStop, LinearGradient, Paint as SkiaPaint, Path, PathBuilder, PathSegment,
    PixmapMut, PremultipliedColorU8, Shader, SpreadMode, Stroke, Transform,
};

use super::backdrop;
use super::icons;
use super::item::{Brush, Item, Paint, Rgba};
use super::pictures;
use super::text::{Shaped, TextEngine};
use crate::geometry::{Point, Rect};

/// Rows `top..top + height` of the whole picture, `width` pixels each.
pub(super) struct Canvas<'a> {
    pixels: &'a mut [u8],
    width: u32,
    top: u32,
    /// Pixels a point.
    scale: f64,
}

/// Where a shape goes: its pixels and the row they begin at.
pub(super) struct Band<'a> {
    pub pixmap: PixmapMut<'a>,
    /// From interface points to pixels of the whole picture.
    scale: Transform,
    /// The row of the whole picture that the band begins at.
    top: u32,
}

impl<'a> Canvas<'a> {
    /// `pixels` are RGBA, premultiplied, whole rows.
    pub fn new(pixels: &'a mut [u8], width: u32, top: u32, scale: f64) -> Self {
        Self { pixels, width, top, scale }
    }

    fn bottom(&self) -> u32 {
        self.top + (self.pixels.len() / (self.width as usize * 4)) as u32
    }

    pub fn paint(&mut self, item: &Item, text: &TextEngine) {
        let alpha = item.alpha;
        match &item.paint {
            Paint::Text { shaped, at, color } => self.text(shaped, *at, color.faded(alpha), item.clip, text),
            Paint::Shadow { rect, radius, blur, color } => {
                self.shadow(*rect, *radius, *blur, color.faded(alpha), item.clip);
            }
            Paint::Backdrop { rect, tint } => {
                let rows = self.rows(&Rect { height: rect.height, ..*rect });
                if let Some((top, bottom)) = rows {
                    let columns = self.columns(rect);
                    let range = self.byte_range(top, bottom);
                    backdrop::blur(&mut self.pixels[range], self.width, columns, *tint, alpha);
                }
            }
            shape => self.shape(shape, alpha, item.clip),
        }
    }

    fn shape(&mut self, paint: &Paint, alpha: f32, clip: Rect) {
        let Some(mut band) = self.band(clip) else { return };
        match paint {
            Paint::Fill { rect, radius, brush } => fill(&mut band, *rect, *radius, *brush, alpha),
            Paint::FillTop { rect, radius, color } => {
                if let Some(path) = round_top(*rect, *radius) {
                    band.fill(&path, color.faded(alpha));
                }
            }
            Paint::Stroke { rect, radius, width, color } => {
                let half = width / 2.0;
                let inner = Rect::new(rect.x + half, rect.y + half, rect.width - width, rect.height - width);
                if let Some(path) = rounded(inner, (radius - half).max(0.0)) {
                    band.stroke(&path, *width, color.faded(alpha));
                }
            }
            Paint::Icon { icon, rect, color } => icons::draw(&mut band, *icon, *rect, color.faded(alpha)),
            Paint::Spinner { rect, turn, color } => spinner(&mut band, *rect, *turn, color.faded(alpha)),
            Paint::Picture { name, rect, radius } => pictures::draw(&mut band, name, *rect, *radius, alpha),
            Paint::Text { .. } | Paint::Shadow { .. } | Paint::Backdrop { .. } => {}
        }
    }

    /// The pixel rows of a rectangle that lie in this canvas.
    fn rows(&self, rect: &Rect) -> Option<(u32, u32)> {
        let clamp = |y: f64| (y.round().max(0.0) as u32).clamp(self.top, self.bottom());
        let (top, bottom) = (clamp(rect.y * self.scale), clamp(rect.bottom() * self.scale));
        (bottom > top).then_some((top, bottom))
    }

    fn columns(&self, rect: &Rect) -> (u32, u32) {
        let clamp = |x: f64| (x.round().max(0.0) as u32).min(self.width);
        (clamp(rect.x * self.scale), clamp(rect.right() * self.scale))
    }

    fn byte_range(&self, top: u32, bottom: u32) -> std::ops::Range<usize> {
        let stride = self.width as usize * 4;
        (top - self.top) as usize * stride..(bottom - self.top) as usize * stride
    }

    fn band(&mut self, clip: Rect) -> Option<Band<'_>> {
        let (top, bottom) = self.rows(&clip)?;
        let (range, scale) = (self.byte_range(top, bottom), self.scale as f32);
        let pixmap = PixmapMut::from_bytes(&mut self.pixels[range], self.width, bottom - top)?;
        Some(Band { pixmap, scale: Transform::from_scale(scale, scale), top })
    }

    fn text(&mut self, shaped: &Shaped, at: Point, color: Rgba, clip: Rect, text: &TextEngine) {
        let Some(rows) = self.rows(&clip) else { return };
        let columns = self.columns(&clip);
        let origin = ((at.x * self.scale).round() as i32, (at.y * self.scale).round() as i32);
        for glyph in &shaped.glyphs {
            let (x, y) = (origin.0 + glyph.x, origin.1 + glyph.y);
            text.with_glyph(glyph.key, |image, colored| {
                let place = &image.placement;
                let target = Blit {
                    x: x + place.left,
                    y: y - place.top,
                    width: place.width as usize,
                    rows: (rows.0 as i32, rows.1 as i32),
                    columns: (columns.0 as i32, columns.1 as i32),
                };
                if colored {
                    self.blit(
                        &target,
                        image.data.chunks_exact(4).map(|p| {
                            let color = Rgba { r: p[0], g: p[1], b: p[2], a: color.a };
                            (color, p[3])
                        }),
                    );
                } else {
                    self.blit(&target, image.data.iter().map(|&coverage| (color, coverage)));
                }
            });
        }
    }

    /// Lays colours with their coverage over the pixels, row by row.
    fn blit(&mut self, target: &Blit, source: impl Iterator<Item = (Rgba, u8)>) {
        for (i, (color, coverage)) in source.enumerate() {
            if coverage == 0 {
                continue;
            }
            let x = target.x + (i % target.width) as i32;
            let y = target.y + (i / target.width) as i32;
            if x < target.columns.0 || x >= target.columns.1 || y < target.rows.0 || y >= target.rows.1 {
                continue;
            }
            let at = ((y as u32 - self.top) as usize * self.width as usize + x as usize) * 4;
            over(&mut self.pixels[at..at + 4], color, f32::from(coverage) / 255.0);
        }
    }

    /// A Gaussian-like shade, computed from the distance to the rounded rectangle.
    fn shadow(&mut self, rect: Rect, radius: f64, blur: f64, color: Rgba, clip: Rect) {
        let reach =
            Rect::new(rect.x - blur, rect.y - blur, rect.width + 2.0 * blur, rect.height + 2.0 * blur);
        let Some(reach) = reach.intersection(&clip) else { return };
        let Some((top, bottom)) = self.rows(&reach) else { return };
        let (left, right) = self.columns(&reach);
        let half = (rect.width / 2.0, rect.height / 2.0);
        let center = rect.center();
        let radius = radius.min(half.0).min(half.1);
        for y in top..bottom {
            let dy = (f64::from(y) + 0.5) / self.scale - center.y;
            for x in left..right {
                let dx = (f64::from(x) + 0.5) / self.scale - center.x;
                let (qx, qy) = (dx.abs() - half.0 + radius, dy.abs() - half.1 + radius);
                let outside = qx.max(0.0).hypot(qy.max(0.0)) + qx.max(qy).min(0.0) - radius;
                let t = (0.5 - outside / (2.0 * blur)).clamp(0.0, 1.0) as f32;
                if t > 0.0 {
                    let at = ((y - self.top) as usize * self.width as usize + x as usize) * 4;
                    over(&mut self.pixels[at..at + 4], color, t * t * (3.0 - 2.0 * t));
                }
            }
        }
    }
}

/// Where a glyph goes and what cuts it off, in pixels of the whole picture.
struct Blit {
    x: i32,
    y: i32,
    width: usize,
    rows: (i32, i32),
    columns: (i32, i32),
}

/// Source over destination; the destination is opaque, as every screen is.
pub(super) fn over(pixel: &mut [u8], color: Rgba, coverage: f32) {
    let alpha = color.a * coverage;
    for (channel, source) in pixel.iter_mut().zip([color.r, color.g, color.b]) {
        let below = f32::from(*channel);
        *channel = (below + (f32::from(source) - below) * alpha + 0.5) as u8;
    }
}

impl Band<'_> {
    pub fn fill(&mut self, path: &Path, color: Rgba) {
        self.fill_with(path, Shader::SolidColor(skia(color)));
    }

    pub fn fill_with(&mut self, path: &Path, shader: Shader) {
        if let Some(path) = self.placed(path, Transform::identity()) {
            let paint = SkiaPaint { shader, anti_alias: true, ..SkiaPaint::default() };
            self.pixmap.fill_path(&path, &paint, FillRule::Winding, Transform::identity(), None);
        }
    }

    /// As [`Band::fill`], but where the path overlaps itself it is a hole.
    pub fn fill_even_odd(&mut self, path: &Path, color: Rgba, local: Transform) {
        if let Some(path) = self.placed(path, local) {
            self.pixmap.fill_path(&path, &solid(color), FillRule::EvenOdd, Transform::identity(), None);
        }
    }

    pub fn stroke(&mut self, path: &Path, width: f64, color: Rgba) {
        self.stroke_at(path, width, color, Transform::identity());
    }

    pub fn stroke_at(&mut self, path: &Path, width: f64, color: Rgba, local: Transform) {
        let whole = self.scale.pre_concat(local);
        let stroke = Stroke {
            width: width as f32 * whole.sx,
            line_cap: tiny_skia::LineCap::Round,
            line_join: tiny_skia::LineJoin::Round,
            ..Stroke::default()
        };
        let outline = path.clone().transform(whole).and_then(|p| p.stroke(&stroke, 1.0));
        if let Some(outline) = outline.and_then(|p| snapped(&p, self.top)) {
            self.pixmap.fill_path(&outline, &solid(color), FillRule::Winding, Transform::identity(), None);
        }
    }

    /// A path in the band's pixels.
    fn placed(&self, path: &Path, local: Transform) -> Option<Path> {
        let whole = path.clone().transform(self.scale.pre_concat(local))?;
        snapped(&whole, self.top)
    }

    /// A gradient from the top of a rectangle to its bottom, in the band's pixels.
    pub fn vertical(&self, rect: Rect, top: Rgba, bottom: Rgba) -> Option<Shader<'static>> {
        let y = |points: f64| points as f32 * self.scale.sy - self.top as f32;
        LinearGradient::new(
            tiny_skia::Point::from_xy(0.0, y(rect.y)),
            tiny_skia::Point::from_xy(0.0, y(rect.bottom())),
            vec![GradientStop::new(0.0, skia(top)), GradientStop::new(1.0, skia(bottom))],
            SpreadMode::Pad,
            Transform::identity(),
        )
    }
}

fn solid(color: Rgba) -> SkiaPaint<'static> {
    SkiaPaint { shader: Shader::SolidColor(skia(color)), anti_alias: true, ..SkiaPaint::default() }
}

/// A path of whole-picture pixels moved up by `top` rows, its points on a fine grid: so the same shape
/// gets the same pixels, whichever rows are painted.
fn snapped(path: &Path, top: u32) -> Option<Path> {
    let grid = |p: tiny_skia::Point| {
        let on = |v: f32| (v * 64.0).round() / 64.0;
        (on(p.x), on(p.y) - top as f32)
    };
    let mut builder = PathBuilder::with_capacity(path.len(), path.len() * 3);
    for segment in path.segments() {
        match segment {
            PathSegment::MoveTo(p) => {
                let (x, y) = grid(p);
                builder.move_to(x, y);
            }
            PathSegment::LineTo(p) => {
                let (x, y) = grid(p);
                builder.line_to(x, y);
            }
            PathSegment::QuadTo(a, p) => {
                let ((ax, ay), (x, y)) = (grid(a), grid(p));
                builder.quad_to(ax, ay, x, y);
            }
            PathSegment::CubicTo(a, b, p) => {
                let ((ax, ay), (bx, by), (x, y)) = (grid(a), grid(b), grid(p));
                builder.cubic_to(ax, ay, bx, by, x, y);
            }
            PathSegment::Close => builder.close(),
        }
    }
    builder.finish()
}

fn fill(band: &mut Band, rect: Rect, radius: f64, brush: Brush, alpha: f32) {
    match brush {
        Brush::Solid(color) if radius <= 0.0 && color.a * alpha >= 1.0 && flat(band, rect, color) => {}
        Brush::Solid(color) => {
            if let Some(path) = rounded(rect, radius) {
                band.fill(&path, color.faded(alpha));
            }
        }
        Brush::Vertical(top, bottom) => {
            let gradient = band.vertical(rect, top.faded(alpha), bottom.faded(alpha));
            if let (Some(path), Some(shader)) = (rounded(rect, radius), gradient) {
                band.fill_with(&path, shader);
            }
        }
    }
}

/// Fills an opaque rectangle whose edges lie on pixels; says whether it was one.
fn flat(band: &mut Band, rect: Rect, color: Rgba) -> bool {
    let (scale, top) = (band.scale.sx, band.top as f32);
    let edges = [
        rect.x as f32 * scale,
        rect.y as f32 * scale - top,
        rect.right() as f32 * scale,
        rect.bottom() as f32 * scale - top,
    ];
    if edges.iter().any(|e| (e - e.round()).abs() > 0.01) {
        return false;
    }
    let (width, height) = (band.pixmap.width() as usize, band.pixmap.height() as usize);
    let [left, top, right, bottom] = edges.map(|e| e.round().max(0.0) as usize);
    let (right, bottom) = (right.min(width), bottom.min(height));
    let Some(pixel) = PremultipliedColorU8::from_rgba(color.r, color.g, color.b, 255) else { return false };
    if left < right {
        for y in top..bottom {
            band.pixmap.pixels_mut()[y * width + left..y * width + right].fill(pixel);
        }
    }
    true
}

pub(super) fn skia(color: Rgba) -> Color {
    let mut skia = Color::from_rgba8(color.r, color.g, color.b, 255);
    skia.set_alpha(color.a.clamp(0.0, 1.0));
    skia
}

/// How far a quarter circle's handles stand from its ends, as a part of its radius.
const ARC: f64 = 0.552_285;

/// A rectangle with round corners, in points.
pub(super) fn rounded(rect: Rect, radius: f64) -> Option<Path> {
    corners(rect, radius, radius)
}

fn round_top(rect: Rect, radius: f64) -> Option<Path> {
    corners(rect, radius, 0.0)
}

fn corners(rect: Rect, top: f64, bottom: f64) -> Option<Path> {
    let limit = rect.width.min(rect.height) / 2.0;
    let (top, bottom) = (top.min(limit).max(0.0), bottom.min(limit).max(0.0));
    let (l, t, r, b) = (rect.x, rect.y, rect.right(), rect.bottom());
    if r <= l || b <= t {
        return None;
    }
    let mut path = Pen(PathBuilder::new());
    path.start(l + top, t);
    path.line(r - top, t);
    path.curve((r - top + top * ARC, t), (r, t + top - top * ARC), (r, t + top));
    path.line(r, b - bottom);
    path.curve((r, b - bottom + bottom * ARC), (r - bottom + bottom * ARC, b), (r - bottom, b));
    path.line(l + bottom, b);
    path.curve((l + bottom - bottom * ARC, b), (l, b - bottom + bottom * ARC), (l, b - bottom));
    path.line(l, t + top);
    path.curve((l, t + top - top * ARC), (l + top - top * ARC, t), (l + top, t));
    path.0.close();
    path.0.finish()
}

/// A path builder that takes `f64`.
struct Pen(PathBuilder);

impl Pen {
    fn start(&mut self, x: f64, y: f64) {
        self.0.move_to(x as f32, y as f32);
    }

    fn line(&mut self, x: f64, y: f64) {
        self.0.line_to(x as f32, y as f32);
    }

    fn curve(&mut self, a: (f64, f64), b: (f64, f64), to: (f64, f64)) {
        self.0.cubic_to(a.0 as f32, a.1 as f32, b.0 as f32, b.1 as f32, to.0 as f32, to.1 as f32);
    }
}

fn spinner(band: &mut Band, rect: Rect, turn: u8, color: Rgba) {
    let center = rect.center();
    let outer = rect.width.min(rect.height) / 2.0;
    for spoke in 0..12u8 {
        let angle = f64::from(spoke) * std::f64::consts::TAU / 12.0 - std::f64::consts::FRAC_PI_2;
        let age = (12 + turn % 12 - spoke) % 12;
        let (sin, cos) = angle.sin_cos();
        let mut path = Pen(PathBuilder::new());
        path.start(center.x + cos * outer * 0.5, center.y + sin * outer * 0.5);
        path.line(center.x + cos * outer * 0.93, center.y + sin * outer * 0.93);
        if let Some(path) = path.0.finish() {
            band.stroke(&path, outer * 0.18, color.faded(1.0 - f32::from(age) * 0.065));
        }
    }
}
