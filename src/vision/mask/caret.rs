//! A caret that blinks, known by what it does: a thin upright bar of one colour that is in one frame and not in the
//! other. Uses `frame`, `geometry`.

use crate::frame::Frame;
use crate::geometry::{PixelRect, Screen};

/// Width and height of a caret in points, at text sizes up to the largest.
const WIDTH: std::ops::RangeInclusive<f64> = 0.9..=3.5;
const HEIGHT: std::ops::RangeInclusive<f64> = 13.0..=64.0;
/// Levels that pixels of one colour may lie apart.
const SAME: u8 = 24;
/// A tint is told from ink by as much between its strongest and its weakest channel.
const TINTED: u8 = 60;
/// Its ends may be round: as many of its pixels are of its colour.
const SOLID: f64 = 0.8;

/// Whether a changed place is a caret that came or went. A bar without tint might be a letter: it must be taller
/// than most, and have nothing beside it.
pub(super) fn is_caret(changed: PixelRect, expected: &Frame, actual: &Frame, screen: &Screen) -> bool {
    let (width, height) =
        (f64::from(changed.width) / screen.scale_x(), f64::from(changed.height) / screen.scale_y());
    if !WIDTH.contains(&width) || !HEIGHT.contains(&height) {
        return false;
    }
    let (Some(a), Some(b)) = (solid(expected, changed), solid(actual, changed)) else { return false };
    let side = (2.5 * screen.scale_x()).round() as u32;
    let ground_beside = |ground: [u8; 3], frame: &Frame| {
        let left = PixelRect::new(changed.x.saturating_sub(side + 1), changed.y, side, changed.height);
        let right = PixelRect::new(changed.right() + 1, changed.y, side, changed.height);
        let same = |rect| solid(frame, rect).is_some_and(|c| apart(c, ground) <= SAME);
        right.right() <= frame.size().width && same(left) && same(right)
    };
    // the colour of the bar, and of what is there without it
    [(a, b), (b, a)].into_iter().any(|(bar, ground)| {
        tint(bar) >= TINTED && tint(ground) < TINTED
            || height >= 15.0 && ground_beside(ground, expected) && ground_beside(ground, actual)
    })
}

/// The one colour of a place, where it has one.
fn solid(frame: &Frame, rect: PixelRect) -> Option<[u8; 3]> {
    let colour = |x, y| {
        let [r, g, b, _] = frame.pixels().get_pixel(x, y).0;
        [r, g, b]
    };
    let middle = colour(rect.x + rect.width / 2, rect.y + rect.height / 2);
    let pixels = (rect.y..rect.bottom()).flat_map(|y| (rect.x..rect.right()).map(move |x| (x, y)));
    let same = pixels.filter(|(x, y)| apart(colour(*x, *y), middle) <= SAME).count();
    (same as f64 >= SOLID * rect.area() as f64).then_some(middle)
}

fn apart(a: [u8; 3], b: [u8; 3]) -> u8 {
    a.iter().zip(b).map(|(a, b)| a.abs_diff(b)).max().unwrap_or(0)
}

fn tint([r, g, b]: [u8; 3]) -> u8 {
    r.max(g).max(b) - r.min(g).min(b)
}
