//! Ten digits as strokes, drawn smooth at any size.

/// A digit is 4 units wide and 6 high; strokes run along these points.
type Strokes = &'static [&'static [(f32, f32)]];

const RING: &[(f32, f32)] = &[
    (2.0, 0.0),
    (3.1, 0.4),
    (3.8, 1.5),
    (4.0, 3.0),
    (3.8, 4.5),
    (3.1, 5.6),
    (2.0, 6.0),
    (0.9, 5.6),
    (0.2, 4.5),
    (0.0, 3.0),
    (0.2, 1.5),
    (0.9, 0.4),
    (2.0, 0.0),
];

const DIGITS: [Strokes; 10] = [
    &[RING],
    &[&[(0.7, 1.3), (2.3, 0.0), (2.3, 6.0)]],
    &[&[
        (0.1, 1.5),
        (0.5, 0.6),
        (1.3, 0.05),
        (2.5, 0.0),
        (3.5, 0.55),
        (3.85, 1.6),
        (3.4, 2.7),
        (0.1, 6.0),
        (4.0, 6.0),
    ]],
    &[
        &[
            (0.2, 0.9),
            (1.1, 0.1),
            (2.4, 0.0),
            (3.4, 0.5),
            (3.7, 1.4),
            (3.2, 2.4),
            (2.0, 2.8),
            (3.3, 3.2),
            (3.95, 4.2),
            (3.6, 5.3),
            (2.5, 6.0),
            (1.2, 5.9),
            (0.1, 5.1),
        ],
        &[(1.4, 2.8), (2.0, 2.8)],
    ],
    &[&[(3.0, 6.0), (3.0, 0.0), (0.0, 4.3), (4.1, 4.3)]],
    &[&[
        (3.6, 0.0),
        (0.7, 0.0),
        (0.4, 2.7),
        (1.3, 2.2),
        (2.6, 2.2),
        (3.7, 3.0),
        (3.95, 4.2),
        (3.4, 5.5),
        (2.2, 6.0),
        (1.0, 5.8),
        (0.1, 5.0),
    ]],
    &[&[
        (3.6, 0.7),
        (2.5, 0.0),
        (1.2, 0.4),
        (0.3, 1.7),
        (0.0, 3.6),
        (0.3, 5.0),
        (1.1, 5.8),
        (2.1, 6.0),
        (3.2, 5.7),
        (3.95, 4.6),
        (3.8, 3.4),
        (3.0, 2.6),
        (1.9, 2.4),
        (0.8, 2.8),
        (0.1, 3.8),
    ]],
    &[&[(0.1, 0.0), (4.0, 0.0), (1.5, 6.0)]],
    &[&[
        (2.0, 2.75),
        (0.8, 2.3),
        (0.4, 1.4),
        (0.9, 0.4),
        (2.0, 0.0),
        (3.1, 0.4),
        (3.6, 1.4),
        (3.2, 2.3),
        (2.0, 2.75),
        (0.6, 3.3),
        (0.0, 4.4),
        (0.6, 5.5),
        (2.0, 6.0),
        (3.4, 5.5),
        (4.0, 4.4),
        (3.4, 3.3),
        (2.0, 2.75),
    ]],
    &[&[
        (0.4, 5.3),
        (1.5, 6.0),
        (2.8, 5.6),
        (3.7, 4.3),
        (4.0, 2.4),
        (3.7, 1.0),
        (2.9, 0.2),
        (1.9, 0.0),
        (0.8, 0.3),
        (0.05, 1.4),
        (0.2, 2.6),
        (1.0, 3.4),
        (2.1, 3.6),
        (3.2, 3.2),
        (3.9, 2.2),
    ]],
];

const HEIGHT: f32 = 6.0;
const ADVANCE: f32 = 5.5;
const STROKE: f32 = 1.15;

/// Width of a number whose digits are `height` high.
pub(super) fn width(number: &str, height: f32) -> f32 {
    (number.len() as f32 * ADVANCE - (ADVANCE - 4.0)) * height / HEIGHT
}

/// How much of the pixel around a place is covered, 0 to 1. The number's top left is 0, 0.
pub(super) fn coverage(number: &str, x: f32, y: f32, height: f32) -> f32 {
    let unit = height / HEIGHT;
    let (x, y) = (x / unit, y / unit);
    let mut nearest = f32::MAX;
    for (i, digit) in number.bytes().filter(u8::is_ascii_digit).enumerate() {
        let x = x - i as f32 * ADVANCE;
        // the stroke of a digit reaches half a unit beyond it
        if (-1.5..5.5).contains(&x) {
            for stroke in DIGITS[usize::from(digit - b'0')] {
                nearest = stroke.windows(2).fold(nearest, |n, line| n.min(to_line((x, y), line[0], line[1])));
            }
        }
    }
    ((STROKE / 2.0 - nearest) * unit + 0.5).clamp(0.0, 1.0)
}

fn to_line((x, y): (f32, f32), a: (f32, f32), b: (f32, f32)) -> f32 {
    let (dx, dy) = (b.0 - a.0, b.1 - a.1);
    let along = (((x - a.0) * dx + (y - a.1) * dy) / (dx * dx + dy * dy)).clamp(0.0, 1.0);
    (x - a.0 - along * dx).hypot(y - a.1 - along * dy)
}
