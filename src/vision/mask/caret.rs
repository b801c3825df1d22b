//! A caret that blinks, known by what it does: a thin upright bar of one colour that is in one frame and not in the
//! other. Uses `frame`, `geometry`.

use crate::frame::Frame;
use crate::geometry::{PixelRect, Screen};

/// Width and height of a caret in points, at text sizes up to the largest.
const WIDTH: std::ops::RangeInclusive<f64> = 0.9..=3.5;
const HEIGHT: std::ops::RangeInclusive<f64> = 13.0..=64.0;
/// A caret is as many times as high as it is wide; an upright stroke of most letters is not.
const SLENDER: f64 = 6.5;
/// Levels that pixels of one colour may lie apart.
const SAME: u8 = 24;
/// A tint is told from ink by as much between its strongest and its weakest channel.
const TINTED: u8 = 60;
/// Its ends may be round: as many of its pixels are of its colour.
const SOLID: f64 = 0.8;
/// As many of the pixels without it are of one colour.
const GROUND: f64 = 0.5;

/// A bar that came or went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Bar {
    /// Slender and tinted, on a ground without tint: a caret wherever it is.
    Tinted,
    /// A caret where a field is; elsewhere it may be a letter `l` or a rule.
    Plain,
}

/// What bar a changed place is, where it is one.
pub(super) fn bar(changed: PixelRect, expected: &Frame, actual: &Frame, screen: &Screen) -> Option<Bar> {
    let (width, height) =
        (f64::from(changed.width) / screen.scale_x(), f64::from(changed.height) / screen.scale_y());
    if !WIDTH.contains(&width) || !HEIGHT.contains(&height) {
        return None;
    }
    // the colour of the bar, and of what is there without it, on which a letter of a placeholder may lie
    let colours = |bar, ground| Some((solid(bar, changed, SOLID)?, solid(ground, changed, GROUND)?));
    let (there, gone) = (colours(expected, actual), colours(actual, expected));
    there.or(gone)?;
    let tinted = |(bar, ground)| tint(bar) >= TINTED && tint(ground) < TINTED;
    let tinted = there.is_some_and(tinted) || gone.is_some_and(tinted);
    Some(if tinted && height >= SLENDER * width { Bar::Tinted } else { Bar::Plain })
}

/// Whether a changed place is as high as a caret, and no wider than two of them with a little between.
pub(super) fn may_hold_carets(changed: PixelRect, screen: &Screen) -> bool {
    let (width, height) =
        (f64::from(changed.width) / screen.scale_x(), f64::from(changed.height) / screen.scale_y());
    width <= 2.5 * WIDTH.end() && HEIGHT.contains(&height)
}

/// The colour that as great a share of a place has, where it has one.
fn solid(frame: &Frame, rect: PixelRect, share: f64) -> Option<[u8; 3]> {
    let colour = |x, y| {
        let [r, g, b, _] = frame.pixels().get_pixel(x, y).0;
        [r, g, b]
    };
    let all = || (rect.y..rect.bottom()).flat_map(|y| (rect.x..rect.right()).map(move |x| (x, y)));
    let enough = share * rect.area() as f64;
    let (x, top, bottom) = (rect.x + rect.width / 2, rect.y, rect.bottom() - 1);
    [(x, top.midpoint(bottom)), (x, top), (x, bottom)]
        .map(|(x, y)| colour(x, y))
        .into_iter()
        .find(|of| all().filter(|(x, y)| apart(colour(*x, *y), *of) <= SAME).count() as f64 >= enough)
}

fn apart(a: [u8; 3], b: [u8; 3]) -> u8 {
    a.iter().zip(b).map(|(a, b)| a.abs_diff(b)).max().unwrap_or(0)
}

fn tint([r, g, b]: [u8; 3]) -> u8 {
    r.max(g).max(b) - r.min(g).min(b)
}
