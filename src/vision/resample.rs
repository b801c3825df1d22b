//! Scaling pictures: exact area average downwards, linear upwards. Uses `geometry`.

use image::RgbaImage;
use rayon::prelude::*;

use crate::geometry::PixelRect;

/// What one output sample is made of along one axis: weights of the source samples from `start` on.
struct Tap {
    start: usize,
    weights: Vec<f32>,
}

/// Scales a part of a picture to `width` × `height`: rows of interleaved red, green, blue, 0 to 255.
pub fn resample(pixels: &RgbaImage, part: PixelRect, width: usize, height: usize) -> Vec<f32> {
    let columns = taps(part.width as usize, width);
    let rows = taps(part.height as usize, height);
    let stride = pixels.width() as usize * 4;
    let (left, length) = (part.x as usize * 4, part.width as usize * 4);
    let source = pixels.as_raw();
    let mut values = vec![0f32; width * height * 3];
    let by_row = |(y, out): (usize, &mut [f32])| {
        let tap = &rows[y];
        let mut sum = vec![0f32; length];
        for (i, &weight) in tap.weights.iter().enumerate() {
            let from = (part.y as usize + tap.start + i) * stride + left;
            for (s, &p) in sum.iter_mut().zip(&source[from..from + length]) {
                *s += weight * f32::from(p);
            }
        }
        for (pixel, tap) in out.chunks_exact_mut(3).zip(&columns) {
            let mut colour = [0f32; 3];
            for (p, &weight) in sum[tap.start * 4..].chunks_exact(4).zip(&tap.weights) {
                for c in 0..3 {
                    colour[c] += weight * p[c];
                }
            }
            pixel.copy_from_slice(&colour);
        }
    };
    if width > 0 {
        values.par_chunks_mut(width * 3).enumerate().with_min_len(32).for_each(by_row);
    }
    values
}

fn taps(from: usize, to: usize) -> Vec<Tap> {
    let ratio = from as f64 / to as f64;
    (0..to).map(|i| if ratio > 1.0 { area(i, ratio, from) } else { linear(i, ratio, from) }).collect()
}

/// The share of every source sample that lies under the output sample.
fn area(i: usize, ratio: f64, from: usize) -> Tap {
    let (begin, end) = (i as f64 * ratio, ((i + 1) as f64 * ratio).min(from as f64));
    let start = begin.floor() as usize;
    let last = (end.ceil() as usize).clamp(start + 1, from);
    let weights = (start..last)
        .map(|s| ((end.min(s as f64 + 1.0) - begin.max(s as f64)).max(0.0) / (end - begin)) as f32)
        .collect();
    Tap { start, weights }
}

fn linear(i: usize, ratio: f64, from: usize) -> Tap {
    let at = ((i as f64 + 0.5) * ratio - 0.5).clamp(0.0, (from - 1) as f64);
    let start = at.floor() as usize;
    let part = (at - at.floor()) as f32;
    let weights = if start + 1 < from { vec![1.0 - part, part] } else { vec![1.0] };
    Tap { start, weights }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn whole(pixels: &RgbaImage) -> PixelRect {
        PixelRect::new(0, 0, pixels.width(), pixels.height())
    }

    #[test]
    fn halving_averages_four_pixels() {
        let pixels = RgbaImage::from_fn(4, 2, |x, y| image::Rgba([(x * 10 + y) as u8, 7, 0, 255]));
        let small = resample(&pixels, whole(&pixels), 2, 1);
        assert_eq!(small, vec![5.5, 7.0, 0.0, 25.5, 7.0, 0.0]);
    }

    #[test]
    fn any_ratio_keeps_a_flat_colour() {
        let pixels = RgbaImage::from_pixel(37, 23, image::Rgba([200, 100, 50, 255]));
        for (w, h) in [(1, 1), (5, 7), (36, 22), (37, 23), (80, 90)] {
            let scaled = resample(&pixels, whole(&pixels), w, h);
            assert!(scaled.chunks(3).all(|c| (c[0] - 200.0).abs() < 0.01 && (c[2] - 50.0).abs() < 0.01));
        }
    }
}
