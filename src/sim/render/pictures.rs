//! Drawn pictures: a soft ground and a thing upon it, chosen by the name.

use std::hash::{Hash, Hasher};

use tiny_skia::Transform;

use super::canvas::{Band, rounded};
use super::icons;
use super::item::Rgba;
use crate::geometry::Rect;
use crate::sim::app::IconName;

const GROUNDS: [(u32, u32); 10] = [
    (0x00FF_D9B8, 0x00F7_9D6B),
    (0x00C9_E4FF, 0x0067_A6EE),
    (0x00D5_F2DD, 0x0068_BF8C),
    (0x00F3_D7F0, 0x00BD_77CB),
    (0x00FF_E9A8, 0x00EF_B73E),
    (0x00D9_DBF6, 0x007B_80D0),
    (0x00CD_F0F2, 0x0046_A9B4),
    (0x00FF_D3D6, 0x00E4_6E7B),
    (0x00E8_E1D6, 0x00A9_9478),
    (0x00DD_E5EC, 0x0077_8CA3),
];

/// A name is `icon`, `icon-anything` or anything; what follows the icon varies the ground.
pub(super) fn draw(band: &mut Band, name: &str, rect: Rect, radius: f64, alpha: f32) {
    let (Some(ground), hash) = (rounded(rect, radius), hash(name)) else { return };
    let (top, bottom) = GROUNDS[hash as usize % GROUNDS.len()];
    let ends = [top, bottom].map(|color| Rgba::hex(color).faded(alpha));
    if let Some(shader) = band.vertical(rect, ends[0], ends[1]) {
        band.fill_with(&ground, shader);
    }
    if name.starts_with("landscape") {
        landscape(band, rect, radius, hash, alpha);
        return;
    }
    let side = rect.width.min(rect.height);
    let center = rect.center();
    let disc = side * 0.66;
    let halo = Rect::new(center.x - disc / 2.0, center.y - disc / 2.0, disc, disc);
    if let Some(path) = rounded(halo, disc / 2.0) {
        band.fill(&path, Rgba::hex(0x00FF_FFFF).faded(0.35 * alpha));
    }
    let thing = side * 0.42;
    let place = Rect::new(center.x - thing / 2.0, center.y - thing / 2.0, thing, thing);
    icons::draw(band, icon_of(name), place, Rgba::hex(bottom).mix(Rgba::hex(0), 0.45).faded(alpha));
}

fn hash(name: &str) -> u64 {
    let mut hasher = std::hash::DefaultHasher::new();
    name.hash(&mut hasher);
    hasher.finish()
}

fn icon_of(name: &str) -> IconName {
    let word = name.split('-').next().unwrap_or(name);
    serde_json::from_value(serde_json::Value::String(word.to_owned())).unwrap_or(IconName::Box)
}

/// A sun over hills.
fn landscape(band: &mut Band, rect: Rect, radius: f64, hash: u64, alpha: f32) {
    let sun = rect.height * 0.26;
    let x = rect.x + rect.width * (0.2 + (hash % 50) as f64 / 100.0);
    if let Some(path) = rounded(Rect::new(x, rect.y + rect.height * 0.16, sun, sun), sun / 2.0) {
        band.fill(&path, Rgba::hex(0x00FF_F6D8).faded(0.95 * alpha));
    }
    for (height, color) in [(0.46, 0x005E_8C6A_u32), (0.30, 0x0040_6B4F), (0.16, 0x002B_4A3B)] {
        let top = rect.bottom() - rect.height * height;
        let phase = (hash % 7) as f64 + height * 20.0;
        let mut path = tiny_skia::PathBuilder::new();
        path.move_to(rect.x as f32, (rect.bottom() - radius) as f32);
        for step in 0..=24 {
            let t = f64::from(step) / 24.0;
            let y = top + (t * 7.0 + phase).sin() * rect.height * 0.06;
            path.line_to((rect.x + rect.width * t) as f32, y as f32);
        }
        path.line_to(rect.right() as f32, (rect.bottom() - radius) as f32);
        path.quad_to(
            rect.right() as f32,
            rect.bottom() as f32,
            (rect.right() - radius) as f32,
            rect.bottom() as f32,
        );
        path.line_to((rect.x + radius) as f32, rect.bottom() as f32);
        path.quad_to(rect.x as f32, rect.bottom() as f32, rect.x as f32, (rect.bottom() - radius) as f32);
        path.close();
        if let Some(path) = path.finish() {
            band.fill_even_odd(&path, Rgba::hex(color).faded(alpha), Transform::identity());
        }
    }
}
