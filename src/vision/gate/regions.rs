//! From cells that differ to a few boxes that a person can read. Uses `geometry`.

use super::Rule;
use crate::geometry::PixelRect;
use crate::vision::ssim::CELL;

/// A cell of 8×8 pixels in which something differs. Small, for a screen has tens of thousands.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cell {
    column: u16,
    row: u16,
    /// Tight around the pixels that differ, from the cell's corner.
    left: u8,
    top: u8,
    width: u8,
    height: u8,
    pub(super) pixels: u8,
    pub(super) rule: Rule,
    /// It lies in a tile that drifted.
    pub(super) drift: bool,
}

impl Cell {
    /// The cell that holds `bounds`, a box in pixels of the frame around so many `pixels`.
    pub(super) fn holding(bounds: PixelRect, pixels: u8, rule: Rule, drift: bool) -> Self {
        const SIDE: u32 = CELL as u32;
        Self {
            column: (bounds.x / SIDE) as u16,
            row: (bounds.y / SIDE) as u16,
            left: (bounds.x % SIDE) as u8,
            top: (bounds.y % SIDE) as u8,
            width: bounds.width as u8,
            height: bounds.height as u8,
            pixels,
            rule,
            drift,
        }
    }

    pub(super) fn bounds(&self) -> PixelRect {
        let at = |cell: u16, offset: u8| u32::from(cell) * CELL as u32 + u32::from(offset);
        PixelRect::new(
            at(self.column, self.left),
            at(self.row, self.top),
            u32::from(self.width),
            u32::from(self.height),
        )
    }
}

/// Connected cells.
#[derive(Clone, Copy, Debug)]
pub(super) struct Group {
    pub(super) bounds: PixelRect,
    pub(super) pixels: u32,
    pub(super) rule: Rule,
    /// Some of it lies in a tile that drifted.
    pub(super) drift: bool,
}

/// Joins cells of a grid (columns, rows) that are at most `gap` pixels apart.
pub(super) fn connected(cells: &[Cell], (columns, rows): (usize, usize), gap: u32) -> Vec<Group> {
    const NONE: u32 = u32::MAX;
    let mut grid = vec![NONE; if cells.is_empty() { 0 } else { columns * rows }];
    for (i, cell) in cells.iter().enumerate() {
        grid[cell.row as usize * columns + cell.column as usize] = i as u32;
    }
    let reach = (gap as usize).div_ceil(CELL);
    let mut groups = Vec::new();
    let mut open = Vec::new();
    for seed in cells {
        let at = seed.row as usize * columns + seed.column as usize;
        if grid[at] == NONE {
            continue;
        }
        let mut group = Group { bounds: seed.bounds(), pixels: 0, rule: seed.rule, drift: false };
        open.push(std::mem::replace(&mut grid[at], NONE));
        while let Some(i) = open.pop() {
            let cell = &cells[i as usize];
            group.add(cell);
            let (column, row) = (cell.column as usize, cell.row as usize);
            for y in row.saturating_sub(reach)..(row + reach + 1).min(rows) {
                for x in column.saturating_sub(reach)..(column + reach + 1).min(columns) {
                    let other = grid[y * columns + x];
                    if other != NONE && apart(cell.bounds(), cells[other as usize].bounds()) <= gap {
                        grid[y * columns + x] = NONE;
                        open.push(other);
                    }
                }
            }
        }
        groups.push(group);
    }
    groups
}

impl Group {
    fn add(&mut self, cell: &Cell) {
        self.bounds = self.bounds.union(&cell.bounds());
        self.pixels += u32::from(cell.pixels);
        self.rule = self.rule.min(cell.rule);
        self.drift |= cell.drift;
    }

    fn join(&mut self, other: &Group) {
        self.bounds = self.bounds.union(&other.bounds);
        self.pixels += other.pixels;
        self.rule = self.rule.min(other.rule);
    }
}

/// Joins boxes until none is within `gap` of another; in reading order.
pub(super) fn merged(mut groups: Vec<Group>, gap: u32) -> Vec<Group> {
    loop {
        let before = groups.len();
        let mut apart_from_all: Vec<Group> = Vec::with_capacity(before);
        for group in groups {
            match apart_from_all.iter_mut().find(|other| apart(other.bounds, group.bounds) <= gap) {
                Some(near) => near.join(&group),
                None => apart_from_all.push(group),
            }
        }
        groups = apart_from_all;
        if groups.len() == before {
            break;
        }
    }
    groups.sort_by_key(|g| (g.bounds.y, g.bounds.x));
    groups
}

/// The wider of the horizontal and the vertical gap between two boxes; 0 where they touch.
fn apart(a: PixelRect, b: PixelRect) -> u32 {
    let gap = |a0: u32, a1: u32, b0: u32, b1: u32| b0.saturating_sub(a1).max(a0.saturating_sub(b1));
    gap(a.x, a.right(), b.x, b.right()).max(gap(a.y, a.bottom(), b.y, b.bottom()))
}
