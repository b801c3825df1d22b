//! The frosted glass of bars and alerts: what lies behind, shrunk, blurred, stretched again and tinted.

use super::canvas::over;
use super::item::Rgba;

/// So many pixels, squared, become one before blurring.
const CELL: u32 = 12;
/// Cells that are averaged, to each side, twice.
const REACH: i32 = 3;

/// Blurs the columns `left..right` of whole rows in place and lays `tint` over them.
pub(super) fn blur(rows: &mut [u8], width: u32, (left, right): (u32, u32), tint: Rgba, alpha: f32) {
    let height = (rows.len() / (width as usize * 4)) as u32;
    if right <= left || height == 0 || alpha <= 0.0 {
        return;
    }
    let mut small = shrink(rows, width, left, right, height);
    for _ in 0..2 {
        small = small.averaged();
    }
    for y in 0..height {
        for x in left..right {
            let at = (y as usize * width as usize + x as usize) * 4;
            let [r, g, b] = small.at(x - left, y);
            let glass = Rgba { r, g, b, a: 1.0 }.mix(Rgba { a: 1.0, ..tint }, tint.a);
            over(&mut rows[at..at + 4], glass, alpha);
        }
    }
}

struct Cells {
    columns: i32,
    rows: i32,
    colors: Vec<[f32; 3]>,
}

fn shrink(rows: &[u8], width: u32, left: u32, right: u32, height: u32) -> Cells {
    let columns = (right - left).div_ceil(CELL);
    let lines = height.div_ceil(CELL);
    let mut colors = Vec::with_capacity((columns * lines) as usize);
    for line in 0..lines {
        for column in 0..columns {
            let mut sum = [0u32; 3];
            let mut count = 0;
            for y in (line * CELL..((line + 1) * CELL).min(height)).step_by(3) {
                for x in (left + column * CELL..(left + (column + 1) * CELL).min(right)).step_by(3) {
                    let at = (y as usize * width as usize + x as usize) * 4;
                    sum.iter_mut().zip(&rows[at..at + 3]).for_each(|(s, p)| *s += u32::from(*p));
                    count += 1;
                }
            }
            colors.push(sum.map(|s| s as f32 / count as f32));
        }
    }
    Cells { columns: columns as i32, rows: lines as i32, colors }
}

impl Cells {
    fn get(&self, column: i32, row: i32) -> [f32; 3] {
        let column = column.clamp(0, self.columns - 1);
        let row = row.clamp(0, self.rows - 1);
        self.colors[(row * self.columns + column) as usize]
    }

    fn averaged(&self) -> Self {
        let mean = |cells: &mut dyn Iterator<Item = [f32; 3]>| {
            let mut sum = [0f32; 3];
            let mut count = 0f32;
            for cell in cells {
                sum.iter_mut().zip(cell).for_each(|(s, c)| *s += c);
                count += 1.0;
            }
            sum.map(|s| s / count)
        };
        let mut across = Vec::with_capacity(self.colors.len());
        for row in 0..self.rows {
            for column in 0..self.columns {
                across.push(mean(&mut (-REACH..=REACH).map(|d| self.get(column + d, row))));
            }
        }
        let across = Self { colors: across, ..*self };
        let mut down = Vec::with_capacity(self.colors.len());
        for row in 0..self.rows {
            for column in 0..self.columns {
                down.push(mean(&mut (-REACH..=REACH).map(|d| across.get(column, row + d))));
            }
        }
        Self { colors: down, ..*self }
    }

    /// The colour at a pixel, between the four cells around it.
    fn at(&self, x: u32, y: u32) -> [u8; 3] {
        let position = |v: u32| {
            let v = (v as f32 + 0.5) / CELL as f32 - 0.5;
            (v.floor() as i32, v - v.floor())
        };
        let ((column, fx), (row, fy)) = (position(x), position(y));
        let corners = [(0, 0), (1, 0), (0, 1), (1, 1)].map(|(dx, dy)| self.get(column + dx, row + dy));
        std::array::from_fn(|i| {
            let top = corners[0][i] + (corners[1][i] - corners[0][i]) * fx;
            let bottom = corners[2][i] + (corners[3][i] - corners[2][i]) * fx;
            (top + (bottom - top) * fy).round() as u8
        })
    }
}
