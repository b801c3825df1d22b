//! The arithmetic of one strip of windows: grey, Gaussian moments, and the index of Wang et al. 2004.
//!
//! A strip is [`STRIP`] windows wide, so that the eleven rows of moments it keeps stay in the first-level cache.
//! Uses `kernel`.

use super::kernel::compiled_for_every_kernel;

/// Windows that are worked on side by side; also the width of the pieces that rows are compared in.
pub(in crate::vision) const STRIP: usize = 64;
/// A window is 11×11: its centre and 5 on each side.
pub(super) const RADIUS: usize = 5;
pub(super) const TAPS: usize = 2 * RADIUS + 1;
/// Pixels a strip needs, rounded up to whole vectors.
pub(super) const INPUT: usize = 80;

/// Half of the Gaussian of sigma 1.5 over 11 taps, from the edge to the centre; all 11 sum to 1.
const GAUSS: [f32; RADIUS + 1] =
    [0.001_028_380_1, 0.007_598_758, 0.036_000_77, 0.109_360_69, 0.213_005_53, 0.266_011_72];
const C1: f32 = 0.01 * 255.0 * 0.01 * 255.0;
const C2: f32 = 0.03 * 255.0 * 0.03 * 255.0;
/// Grey is kept about zero: squares of smaller numbers cancel with less error.
const CENTRE: f32 = 128.0;

pub(super) type Grey = [f32; INPUT];
/// Means of expected and actual, of the sum of their squares, and of their product; one row of a strip.
///
/// Begins on a cache line, so that no vector lies across two.
#[derive(Clone, Copy)]
#[repr(align(64))]
pub(super) struct Moments(pub(super) [[f32; STRIP]; 4]);

compiled_for_every_kernel! {
    /// Grey of a row of RGBA pixels (ITU-R BT.601, rounded to whole levels as most tools do), less 128.
    pub(super) fn grey(rgba: &[u8; INPUT * 4], out: &mut Grey) = grey_body
}

compiled_for_every_kernel! {
    /// The moments of one row of pixels, filtered along the row.
    pub(super) fn moments(a: &Grey, b: &Grey, out: &mut Moments) = moments_body
}

compiled_for_every_kernel! {
    /// The similarity of one row of windows from the moments of its eleven rows of pixels, top to bottom.
    pub(super) fn similarity(rows: &[&Moments; TAPS], out: &mut [f32; STRIP]) = similarity_body
}

#[inline(always)]
fn grey_body<const FUSED: bool>(rgba: &[u8; INPUT * 4], out: &mut Grey) {
    for (out, p) in out.iter_mut().zip(rgba.as_chunks::<4>().0) {
        let p = u32::from_le_bytes(*p);
        let level = ((p & 255) * 19595 + (p >> 8 & 255) * 38470 + (p >> 16 & 255) * 7471 + 0x8000) >> 16;
        *out = level as i32 as f32 - CENTRE;
    }
}

#[inline(always)]
fn moments_body<const FUSED: bool>(a: &Grey, b: &Grey, out: &mut Moments) {
    let (mut squares, mut products) = ([0.0; INPUT], [0.0; INPUT]);
    for i in 0..INPUT {
        squares[i] = a[i] * a[i] + b[i] * b[i];
        products[i] = a[i] * b[i];
    }
    let [mean_a, mean_b, square, product] = &mut out.0;
    along_row::<FUSED>(a, mean_a);
    along_row::<FUSED>(b, mean_b);
    along_row::<FUSED>(&squares, square);
    along_row::<FUSED>(&products, product);
}

#[inline(always)]
fn along_row<const FUSED: bool>(x: &Grey, out: &mut [f32; STRIP]) {
    for i in 0..STRIP {
        let mut sum = GAUSS[RADIUS] * x[i + RADIUS];
        for k in 0..RADIUS {
            sum = multiply_add::<FUSED>(GAUSS[k], x[i + k] + x[i + 2 * RADIUS - k], sum);
        }
        out[i] = sum;
    }
}

#[inline(always)]
fn similarity_body<const FUSED: bool>(rows: &[&Moments; TAPS], out: &mut [f32; STRIP]) {
    for (i, out) in out.iter_mut().enumerate() {
        let mut m = [0.0f32; 4];
        for (moment, m) in m.iter_mut().enumerate() {
            *m = GAUSS[RADIUS] * rows[RADIUS].0[moment][i];
            for k in 0..RADIUS {
                let pair = rows[k].0[moment][i] + rows[2 * RADIUS - k].0[moment][i];
                *m = multiply_add::<FUSED>(GAUSS[k], pair, *m);
            }
        }
        // No fused operation from here on: for equal windows both sides of the fraction are then equal to the bit.
        let [a, b, squares, product] = m;
        let variances = squares - (a * a + b * b);
        let covariance = product - a * b;
        let (a, b) = (a + CENTRE, b + CENTRE);
        let numerator = (2.0 * (a * b) + C1) * (2.0 * covariance + C2);
        *out = numerator / ((a * a + b * b + C1) * (variances + C2));
    }
}

#[inline(always)]
fn multiply_add<const FUSED: bool>(a: f32, b: f32, c: f32) -> f32 {
    if FUSED { a.mul_add(b, c) } else { a * b + c }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_gaussian_is_that_of_sigma_one_and_a_half() {
        let weight = |x: f64| (-x * x / (2.0 * 1.5 * 1.5)).exp();
        let total: f64 = (-5..=5).map(|x| weight(f64::from(x))).sum();
        for (k, g) in GAUSS.iter().enumerate() {
            assert!((f64::from(*g) - weight(k as f64 - 5.0) / total).abs() < 2e-8, "{k}");
        }
    }
}
