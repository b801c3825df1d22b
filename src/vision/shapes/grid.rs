//! A frame made smaller for finding shapes: about 1.5 cells a point, each cell the mean of its pixels. Uses `frame`.

use rayon::prelude::*;

use crate::frame::Frame;
use crate::geometry::Rect;

/// Cells a point that finding shapes works at, at least; hairlines and 2 pt knob rings must survive.
const DENSITY: f64 = 1.5;
/// No picture is worked on with more cells than this; larger ones get coarser cells.
const MAX_CELLS: usize = 6_000_000;

pub(super) type Colour = [u8; 3];

/// The frame at a whole fraction of its size.
pub(super) struct Grid {
    pub width: usize,
    pub height: usize,
    /// Cells a point.
    pub density: f64,
    cells: Vec<[u8; 4]>,
}

impl Grid {
    /// `scale` is pixels a point.
    pub fn new(frame: &Frame, scale: f64) -> Self {
        let size = frame.size();
        let (pixel_width, pixel_height) = (size.width as usize, size.height as usize);
        let mut factor = ((scale / DENSITY).floor() as usize).max(1);
        while (pixel_width / factor) * (pixel_height / factor) > MAX_CELLS {
            factor += 1;
        }
        let factor = factor.min(pixel_width).min(pixel_height);
        let (width, height) = (pixel_width / factor, pixel_height / factor);
        let mut cells = vec![[0; 4]; width * height];
        let pixels = frame.pixels().as_raw();
        let stride = pixel_width * 4;
        cells.par_chunks_mut(width).enumerate().for_each(|(y, row)| {
            let source = &pixels[y * factor * stride..(y * factor + factor) * stride];
            match factor {
                1 => {
                    row.iter_mut().zip(source.chunks_exact(4)).for_each(|(to, from)| to.copy_from_slice(from))
                }
                2 => halve(row, &source[..stride], &source[stride..]),
                _ => shrink(row, source, stride, factor),
            }
        });
        Self { width, height, density: scale / factor as f64, cells }
    }

    pub fn row(&self, y: usize) -> &[[u8; 4]] {
        &self.cells[y * self.width..(y + 1) * self.width]
    }

    pub fn colour(&self, x: usize, y: usize) -> Colour {
        let [r, g, b, _] = self.cells[y * self.width + x];
        [r, g, b]
    }

    /// The colour at a place in points, where that is inside.
    pub fn at(&self, x: f64, y: f64) -> Option<Colour> {
        let (x, y) = (x * self.density, y * self.density);
        let inside = x >= 0.0 && y >= 0.0 && x < self.width as f64 && y < self.height as f64;
        inside.then(|| self.colour(x as usize, y as usize))
    }

    /// Cells to points.
    pub fn points(&self, x0: usize, y0: usize, x1: usize, y1: usize) -> Rect {
        let at = |v: usize| v as f64 / self.density;
        Rect::new(at(x0), at(y0), at(x1 - x0), at(y1 - y0))
    }
}

fn halve(row: &mut [[u8; 4]], above: &[u8], below: &[u8]) {
    for ((to, a), b) in row.iter_mut().zip(above.chunks_exact(8)).zip(below.chunks_exact(8)) {
        for (c, to) in to.iter_mut().enumerate() {
            let sum = u16::from(a[c]) + u16::from(a[c + 4]) + u16::from(b[c]) + u16::from(b[c + 4]);
            *to = ((sum + 2) >> 2) as u8;
        }
    }
}

fn shrink(row: &mut [[u8; 4]], source: &[u8], stride: usize, factor: usize) {
    let count = (factor * factor) as u32;
    for (x, to) in row.iter_mut().enumerate() {
        let mut sums = [0u32; 4];
        for line in source.chunks_exact(stride) {
            for pixel in line[x * factor * 4..(x + 1) * factor * 4].chunks_exact(4) {
                sums.iter_mut().zip(pixel).for_each(|(sum, v)| *sum += u32::from(*v));
            }
        }
        *to = sums.map(|sum| ((sum + count / 2) / count) as u8);
    }
}
