//! Measures on colours: difference, chroma, contrast. Uses nothing of this crate but `grid`'s colour.

use super::grid::Colour;

/// The largest difference of a channel.
pub(super) fn difference(a: Colour, b: Colour) -> u8 {
    a.iter().zip(b).map(|(a, b)| a.abs_diff(b)).max().unwrap_or(0)
}

/// How far a colour is from grey, 0 to 255.
pub(super) fn chroma(colour: Colour) -> u8 {
    let max = colour.iter().max().copied().unwrap_or(0);
    let min = colour.iter().min().copied().unwrap_or(0);
    max - min
}

/// Rec. 709 luma, 0 to 255.
pub(super) fn luma(colour: Colour) -> f64 {
    let [r, g, b] = colour.map(f64::from);
    0.2126 * r + 0.7152 * g + 0.0722 * b
}

/// Contrast ratio as WCAG 2 defines it, 1 to 21.
pub(super) fn contrast(a: Colour, b: Colour) -> f64 {
    let (a, b) = (relative_luminance(a), relative_luminance(b));
    (a.max(b) + 0.05) / (a.min(b) + 0.05)
}

/// A red, as for what destroys or failed.
pub(super) fn is_red(colour: Colour) -> bool {
    let [r, g, b] = colour.map(i32::from);
    r > 150 && r - g > 90 && r - b > 60
}

fn relative_luminance(colour: Colour) -> f64 {
    let linear = |v: u8| {
        let v = f64::from(v) / 255.0;
        if v <= 0.040_45 { v / 12.92 } else { ((v + 0.055) / 1.055).powf(2.4) }
    };
    let [r, g, b] = colour.map(linear);
    0.2126 * r + 0.7152 * g + 0.0722 * b
}
