//! Connected areas of one colour, as runs of cells, and the blobs of ink that lie on them. Uses `grid`.

use std::ops::Range;

use super::grid::{Colour, Grid};

/// Cells that differ from their area's main colour by no more than this in any channel belong to it. Neighbours are
/// not compared with each other: along a flat arc white fades into the grey of grouped lists by a level a cell.
const TOLERANCE: u8 = 3;

/// Cells `start..end` of row `y`.
#[derive(Clone, Copy)]
pub(super) struct Run {
    pub y: u32,
    pub start: u32,
    pub end: u32,
    pub component: u32,
}

/// A connected area of one colour, with its bounds in cells (right and bottom exclusive).
#[derive(Clone, Copy)]
pub(super) struct Component {
    pub x0: usize,
    pub y0: usize,
    pub x1: usize,
    pub y1: usize,
    pub area: usize,
    /// Of the middle of its longest run.
    pub colour: Colour,
}

impl Component {
    pub fn width(&self) -> usize {
        self.x1 - self.x0
    }

    pub fn height(&self) -> usize {
        self.y1 - self.y0
    }
}

pub(super) struct Components {
    pub items: Vec<Component>,
    /// Row by row, from the left.
    pub runs: Vec<Run>,
}

impl Components {
    /// Every cell of the grid belongs to one component.
    pub fn of(grid: &Grid) -> Self {
        let mut runs = Vec::with_capacity(grid.height * 16);
        // of each run, then of each component at its first run: the colour of its longest run
        let mut colours = Vec::with_capacity(grid.height * 16);
        let mut parents = Vec::with_capacity(grid.height * 16);
        let mut above = 0..0;
        for y in 0..grid.height {
            let start = runs.len();
            push_runs(grid.row(y), y as u32, &mut runs, &mut colours);
            parents.extend(start as u32..runs.len() as u32);
            let here = start..runs.len();
            join_rows(&runs, above, here.clone(), 0, |a, b| {
                let (a, b) = (find(&mut parents, a), find(&mut parents, b));
                let (x, y): (Main, Main) = (colours[a as usize], colours[b as usize]);
                if a != b && alike(x.colour, y.colour) {
                    union(&mut parents, a, b);
                    colours[a.min(b) as usize] = if x.length >= y.length { x } else { y };
                }
            });
            above = here;
        }
        Self::gather(grid, runs, parents)
    }

    fn gather(grid: &Grid, mut runs: Vec<Run>, mut parents: Vec<u32>) -> Self {
        const UNSEEN: u32 = u32::MAX;
        let mut index_of_root = vec![UNSEEN; runs.len()];
        let mut items: Vec<Component> = Vec::new();
        let mut longest: Vec<u32> = Vec::new();
        for (i, run) in runs.iter_mut().enumerate() {
            let root = find(&mut parents, i as u32) as usize;
            if index_of_root[root] == UNSEEN {
                index_of_root[root] = items.len() as u32;
                items.push(Component {
                    x0: usize::MAX,
                    y0: run.y as usize,
                    x1: 0,
                    y1: 0,
                    area: 0,
                    colour: [0; 3],
                });
                longest.push(0);
            }
            run.component = index_of_root[root];
            let item = &mut items[run.component as usize];
            let length = run.end - run.start;
            item.x0 = item.x0.min(run.start as usize);
            item.x1 = item.x1.max(run.end as usize);
            item.y1 = run.y as usize + 1;
            item.area += length as usize;
            if length > longest[run.component as usize] {
                longest[run.component as usize] = length;
                item.colour = grid.colour(((run.start + run.end) / 2) as usize, run.y as usize);
            }
        }
        Self { items, runs }
    }

    /// The leftmost start and rightmost end of each row of the wanted components, in the order of `wanted`.
    pub fn silhouettes(&self, wanted: &[usize]) -> Vec<Vec<(u32, u32)>> {
        let mut slot = vec![usize::MAX; self.items.len()];
        let mut rows: Vec<Vec<(u32, u32)>> = Vec::with_capacity(wanted.len());
        for (i, component) in wanted.iter().enumerate() {
            slot[*component] = i;
            rows.push(vec![(u32::MAX, 0); self.items[*component].height()]);
        }
        for run in &self.runs {
            let component = run.component as usize;
            if let Some(rows) = rows.get_mut(slot[component]) {
                let row = &mut rows[run.y as usize - self.items[component].y0];
                *row = (row.0.min(run.start), row.1.max(run.end));
            }
        }
        rows
    }

    /// What lies on the grounds: the runs that `is_ground` refuses, joined over their eight neighbours.
    pub fn ink(&self, is_ground: impl Fn(&Run) -> bool) -> Vec<Component> {
        let mut runs: Vec<Run> = Vec::new();
        for run in self.runs.iter().filter(|run| !is_ground(run)) {
            match runs.last_mut() {
                Some(last) if last.y == run.y && last.end == run.start => last.end = run.end,
                _ => runs.push(*run),
            }
        }
        let mut parents: Vec<u32> = (0..runs.len() as u32).collect();
        let (mut above, mut start) = (0..0, 0);
        while start < runs.len() {
            let y = runs[start].y;
            let end = start + runs[start..].iter().take_while(|run| run.y == y).count();
            if above.end > above.start && runs[above.start].y + 1 == y {
                join_rows(&runs, above, start..end, 1, |a, b| union(&mut parents, a, b));
            }
            above = start..end;
            start = end;
        }
        bounds(&runs, &mut parents)
    }
}

fn bounds(runs: &[Run], parents: &mut [u32]) -> Vec<Component> {
    let mut index_of_root = vec![u32::MAX; runs.len()];
    let mut items: Vec<Component> = Vec::new();
    for (i, run) in runs.iter().enumerate() {
        let root = find(parents, i as u32) as usize;
        if index_of_root[root] == u32::MAX {
            index_of_root[root] = items.len() as u32;
            items.push(Component {
                x0: usize::MAX,
                y0: run.y as usize,
                x1: 0,
                y1: 0,
                area: 0,
                colour: [0; 3],
            });
        }
        let item = &mut items[index_of_root[root] as usize];
        item.x0 = item.x0.min(run.start as usize);
        item.x1 = item.x1.max(run.end as usize);
        item.y1 = run.y as usize + 1;
        item.area += (run.end - run.start) as usize;
    }
    items
}

fn alike(a: [u8; 4], b: [u8; 4]) -> bool {
    a == b
        || (a[0].abs_diff(b[0]) <= TOLERANCE
            && a[1].abs_diff(b[1]) <= TOLERANCE
            && a[2].abs_diff(b[2]) <= TOLERANCE)
}

/// The colour that an area is told by, and the length of the run it is from.
#[derive(Clone, Copy)]
struct Main {
    colour: [u8; 4],
    length: u32,
}

/// Cuts a row into runs of cells like the first that has an equal neighbour in them.
fn push_runs(row: &[[u8; 4]], y: u32, runs: &mut Vec<Run>, colours: &mut Vec<Main>) {
    let (mut start, mut main, mut anchored) = (0, row[0], false);
    for x in 1..=row.len() {
        if x < row.len() && alike(main, row[x]) {
            if !anchored && row[x] == row[x - 1] {
                (main, anchored) = (row[x], true);
            }
            continue;
        }
        runs.push(Run { y, start: start as u32, end: x as u32, component: 0 });
        colours.push(Main { colour: main, length: (x - start) as u32 });
        if x < row.len() {
            (start, main, anchored) = (x, row[x], false);
        }
    }
}

/// Hands to `join` the pairs of runs of two neighbouring rows that have cells in common, counting cells `reach`
/// further (1: over corners too).
fn join_rows(
    runs: &[Run],
    above: Range<usize>,
    here: Range<usize>,
    reach: u32,
    mut join: impl FnMut(u32, u32),
) {
    let (mut a, mut b) = (above.start, here.start);
    while a < above.end && b < here.end {
        let (up, down) = (runs[a], runs[b]);
        if up.start < down.end + reach && down.start < up.end + reach {
            join(a as u32, b as u32);
        }
        if up.end <= down.end { a += 1 } else { b += 1 }
    }
}

fn find(parents: &mut [u32], mut i: u32) -> u32 {
    while parents[i as usize] != i {
        parents[i as usize] = parents[parents[i as usize] as usize];
        i = parents[i as usize];
    }
    i
}

fn union(parents: &mut [u32], a: u32, b: u32) {
    let (a, b) = (find(parents, a), find(parents, b));
    // the earlier run is the root, so that components come in reading order
    let (low, high) = (a.min(b), a.max(b));
    parents[high as usize] = low;
}
