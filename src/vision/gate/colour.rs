//! Colour as people see it: the CIEDE2000 difference (Sharma, Wu and Dalal 2005) of two sRGB colours.
//! Uses nothing of this crate.

/// A colour in sRGB, 0 to 255, not rounded.
pub(super) type Colour = [f64; 3];

/// CIEDE2000: 0 for equal colours, about 1 for what an eye can just tell apart, 100 for black and white.
pub(super) fn difference(first: Colour, second: Colour) -> f64 {
    let ([l1, a1, b1], [l2, a2, b2]) = (lab(first), lab(second));
    let (c1, c2) = (a1.hypot(b1), a2.hypot(b2));
    let c7 = ((c1 + c2) / 2.0).powi(7);
    let g = 0.5 * (1.0 - (c7 / (c7 + 25f64.powi(7))).sqrt());
    let (a1, a2) = (a1 * (1.0 + g), a2 * (1.0 + g));
    let (c1, c2) = (a1.hypot(b1), a2.hypot(b2));
    let hue =
        |a: f64, b: f64| if a == 0.0 && b == 0.0 { 0.0 } else { b.atan2(a).to_degrees().rem_euclid(360.0) };
    let (h1, h2) = (hue(a1, b1), hue(a2, b2));
    let grey = c1 * c2 == 0.0;
    let turn = match h2 - h1 {
        _ if grey => 0.0,
        d if d > 180.0 => d - 360.0,
        d if d < -180.0 => d + 360.0,
        d => d,
    };
    let mean_hue = match h1 + h2 {
        sum if grey => sum,
        sum if (h1 - h2).abs() <= 180.0 => sum / 2.0,
        sum if sum < 360.0 => (sum + 360.0) / 2.0,
        sum => (sum - 360.0) / 2.0,
    };
    let (mean_l, mean_c) = ((l1 + l2) / 2.0, (c1 + c2) / 2.0);
    let cos = |degrees: f64| degrees.to_radians().cos();
    let t = 1.0 - 0.17 * cos(mean_hue - 30.0) + 0.24 * cos(2.0 * mean_hue) + 0.32 * cos(3.0 * mean_hue + 6.0)
        - 0.20 * cos(4.0 * mean_hue - 63.0);
    let off = (mean_l - 50.0).powi(2);
    let weight_l = 1.0 + 0.015 * off / (20.0 + off).sqrt();
    let weight_c = 1.0 + 0.045 * mean_c;
    let weight_h = 1.0 + 0.015 * mean_c * t;
    let c7 = mean_c.powi(7);
    let rotation = -2.0
        * (c7 / (c7 + 25f64.powi(7))).sqrt()
        * (60.0 * (-((mean_hue - 275.0) / 25.0).powi(2)).exp()).to_radians().sin();
    let l = (l2 - l1) / weight_l;
    let c = (c2 - c1) / weight_c;
    let h = 2.0 * (c1 * c2).sqrt() * (turn / 2.0).to_radians().sin() / weight_h;
    (l * l + c * c + h * h + rotation * c * h).max(0.0).sqrt()
}

/// CIE L*a*b* of an sRGB colour, white point D65.
fn lab(colour: Colour) -> [f64; 3] {
    let [r, g, b] = colour.map(|v| {
        let v = v / 255.0;
        if v <= 0.04045 { v / 12.92 } else { ((v + 0.055) / 1.055).powf(2.4) }
    });
    let x = (0.412_456_4 * r + 0.357_576_1 * g + 0.180_437_5 * b) / 0.950_47;
    let y = 0.212_672_9 * r + 0.715_152_2 * g + 0.072_175 * b;
    let z = (0.019_333_9 * r + 0.119_192 * g + 0.950_304_1 * b) / 1.088_83;
    let [x, y, z] = [x, y, z].map(|t| {
        const EDGE: f64 = 6.0 / 29.0;
        if t > EDGE.powi(3) { t.cbrt() } else { t / (3.0 * EDGE * EDGE) + 4.0 / 29.0 }
    });
    [116.0 * y - 16.0, 500.0 * (x - y), 200.0 * (y - z)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_are_those_of_a_reference() {
        // scikit-image 0.26: deltaE_ciede2000(rgb2lab(first), rgb2lab(second))
        for (first, second, expected) in [
            ([0.0, 122.0, 255.0], [10.0, 132.0, 255.0], 3.5332),
            ([242.0, 242.0, 247.0], [230.0, 230.0, 235.0], 2.546),
            ([255.0, 59.0, 48.0], [255.0, 80.0, 48.0], 3.943),
            ([52.0, 199.0, 89.0], [40.0, 199.0, 89.0], 0.535),
            ([0.0, 0.0, 0.0], [255.0, 255.0, 255.0], 100.0),
            ([20.0, 0.0, 40.0], [40.0, 0.0, 20.0], 12.7395),
        ] {
            let found = difference(first, second);
            assert!((found - expected).abs() < 0.01, "{first:?} {second:?}: {found}, not {expected}");
        }
    }
}
