//! Blobs of ink that are no text: icons, parts of pictures, spinners. Uses `components`, `grid`, `plates`.

use std::cell::OnceCell;

use crate::geometry::Rect;

use super::colour::difference;
use super::components::{Component, Components, Run};
use super::evidence::{Line, grown};
use super::grid::{Colour, Grid};
use super::icons::Icon;
use super::plates::{Plate, Silhouette};

/// At most so many blobs, the largest, are kept.
const MOST_BLOBS: usize = 1_500;

/// Ink that is no text: an icon, a part of a picture, a spinner.
#[derive(Clone, Debug)]
pub(super) struct Blob {
    pub rect: Rect,
    /// The share of its bounds that is ink.
    pub fill: f64,
    /// Colour of the ink, and of what it lies on.
    pub ink: Colour,
    pub ground: Colour,
    /// What it shows, once somebody asked.
    pub icon: OnceCell<Option<Icon>>,
}

/// Everything that is drawn on the grounds and is no text, the parts of one icon joined.
pub(super) fn find(grid: &Grid, components: &Components, plates: &[Plate], lines: &[Line]) -> Vec<Blob> {
    let mut ground = vec![false; components.items.len()];
    plates
        .iter()
        .filter(|p| p.rect.width.min(p.rect.height) >= 16.0)
        .for_each(|p| ground[p.component] = true);
    let large = (40.0 * grid.density) as usize;
    for (i, c) in components.items.iter().enumerate() {
        ground[i] |= c.width() >= large && c.height() >= large && c.area * 4 > c.width() * c.height();
        ground[i] |= c.area * 4 > grid.width * grid.height;
        // a bar that shines through is of several bands
        ground[i] |= c.width() * 2 >= large * 3 && c.area * 2 > c.width() * c.height();
        ground[i] |= c.width() >= large && c.height() <= 4;
        ground[i] |= c.height() >= large && c.width() <= 4;
    }
    let mut pieces: Vec<Rect> = Vec::new();
    let mut areas: Vec<f64> = Vec::new();
    let edges = edges(grid, plates);
    let is_edge = |run: &Run| {
        let cells = &edges[run.y as usize * grid.width..][run.start as usize..run.end as usize];
        cells.iter().filter(|edge| **edge).count() * 5 >= cells.len() * 4
    };
    let mut ink = components.ink(|run| ground[run.component as usize] || is_edge(run));
    ink.retain(|c| c.area >= 3);
    ink.sort_by_key(|c| std::cmp::Reverse(c.area));
    for c in ink {
        let rect = grid.points(c.x0, c.y0, c.x1, c.y1);
        let outlines =
            |p: &Plate| p.rect.width >= 16.0 && area_share(c) < 0.4 && matches_closely(&p.rect, &rect);
        if plates.iter().any(outlines) {
            continue;
        }
        let is_text = lines.iter().any(|line| grown(&line.rect, 1.0).contains(rect.center()));
        if !is_text {
            pieces.push(rect);
            areas.push(c.area as f64 / (grid.density * grid.density));
        }
        if pieces.len() >= MOST_BLOBS {
            break;
        }
    }
    join_near(&mut pieces, &mut areas);
    let drawn = |blob: &Blob| {
        difference(blob.ink, blob.ground) >= 16 && !(blob.fill < 0.12 && blob.rect.width > 60.0)
    };
    pieces.iter().zip(areas).map(|(rect, area)| blob(grid, *rect, area)).filter(drawn).collect()
}

fn area_share(c: Component) -> f64 {
    c.area as f64 / (c.width() * c.height()).max(1) as f64
}

fn matches_closely(a: &Rect, b: &Rect) -> bool {
    let off = [a.x - b.x, a.y - b.y, a.right() - b.right(), a.bottom() - b.bottom()];
    off.iter().all(|gap| gap.abs() <= 4.0)
}

/// The cells along the outlines of plates: their strokes and where they fade into the ground. No ink of its own.
fn edges(grid: &Grid, plates: &[Plate]) -> Vec<bool> {
    let mut edges = vec![false; grid.width * grid.height];
    let mut mark = |y: usize, from: u32, to: u32| {
        let (from, to) = (from.saturating_sub(3) as usize, (to as usize + 3).min(grid.width));
        if y < grid.height && from < to {
            edges[y * grid.width + from..y * grid.width + to].fill(true);
        }
    };
    let wide = plates.iter().filter(|p| p.rect.width.min(p.rect.height) >= 16.0);
    for Silhouette { top, rows } in wide.flat_map(|plate| &plate.edges) {
        for (i, (start, end)) in rows.iter().enumerate() {
            let (above, below) = (rows[i.saturating_sub(1)], rows[(i + 1).min(rows.len() - 1)]);
            mark(top + i, (*start).min(above.0).min(below.0), *start);
            mark(top + i, *end, (*end).max(above.1).max(below.1));
        }
        let (first, last) = (rows[0], rows[rows.len() - 1]);
        for step in 1..=3 {
            mark(top.wrapping_sub(step), first.0, first.1);
            mark(top + rows.len() - 1 + step, last.0, last.1);
        }
    }
    edges
}

/// Joins the parts of one icon: dots, spokes, a handle beside its ring.
fn join_near(pieces: &mut Vec<Rect>, areas: &mut Vec<f64>) {
    const LARGEST: f64 = 34.0;
    let mut i = 0;
    while i < pieces.len() {
        let near = (i + 1..pieces.len()).find(|j| {
            let both = pieces[i].union(&pieces[*j]);
            both.width <= LARGEST
                && both.height <= LARGEST
                && grown(&pieces[i], 3.2).intersection(&pieces[*j]).is_some()
        });
        match near {
            Some(j) => {
                pieces[i] = pieces[i].union(&pieces[j]);
                areas[i] += areas[j];
                pieces.swap_remove(j);
                areas.swap_remove(j);
            }
            None => i += 1,
        }
    }
}

fn blob(grid: &Grid, rect: Rect, area: f64) -> Blob {
    let ground = ground_round(grid, &rect);
    Blob {
        rect,
        fill: (area / rect.area().max(0.1)).min(1.0),
        ink: farthest_colour(grid, &rect, ground),
        ground,
        icon: OnceCell::new(),
    }
}

/// The colour that most cells right outside a rectangle have.
fn ground_round(grid: &Grid, rect: &Rect) -> Colour {
    let (margin, step) = (1.0 / grid.density, 1.0 / grid.density);
    let mut counts: Vec<(Colour, usize)> = Vec::new();
    let mut count = |x: f64, y: f64| {
        let Some(colour) = grid.at(x, y) else { return };
        match counts.iter().position(|(other, _)| difference(*other, colour) <= 6) {
            Some(i) => counts[i].1 += 1,
            None if counts.len() < 24 => counts.push((colour, 1)),
            None => {}
        }
    };
    let steps = |length: f64| (length / step).ceil().min(200.0) as usize;
    for i in 0..=steps(rect.width) {
        let x = rect.x + i as f64 * step;
        count(x, rect.y - margin);
        count(x, rect.bottom() + margin * 0.5);
    }
    for i in 0..=steps(rect.height) {
        let y = rect.y + i as f64 * step;
        count(rect.x - margin, y);
        count(rect.right() + margin * 0.5, y);
    }
    counts.into_iter().max_by_key(|(_, count)| *count).map_or([255; 3], |(colour, _)| colour)
}

/// The colour in a rectangle that differs most from the ground.
pub(super) fn farthest_colour(grid: &Grid, rect: &Rect, ground: Colour) -> Colour {
    let step = 1.0 / grid.density;
    let (mut ink, mut best) = (ground, 0);
    let mut y = rect.y + step / 2.0;
    while y < rect.bottom() {
        let mut x = rect.x + step / 2.0;
        while x < rect.right() {
            if let Some(colour) = grid.at(x, y).filter(|c| difference(*c, ground) > best) {
                best = difference(colour, ground);
                ink = colour;
            }
            x += step;
        }
        y += step;
    }
    ink
}
