//! Rounded rectangles among the flat areas: the grounds of buttons, fields, cards, knobs. Uses `components`, `grid`.

use crate::geometry::Rect;

use super::colour::difference;
use super::components::{Component, Components};
use super::grid::{Colour, Grid};

/// Neither side of a plate is shorter, in points.
const SHORTEST: f64 = 7.0;
/// At most so many areas, the largest, are looked at: bounds the work on noise and photographs.
const MOST: usize = 3_000;

/// A filled or outlined rounded rectangle; a circle and a capsule are the extremes of it.
#[derive(Clone, Debug)]
pub(super) struct Plate {
    /// In points, with its outline.
    pub rect: Rect,
    /// Mean radius of the corners, in points.
    pub radius: f64,
    pub colour: Colour,
    /// Colour of what it lies on.
    pub around: Colour,
    /// Its outline, where one is drawn that is neither fill nor ground.
    pub stroke: Option<Colour>,
    /// Which flat area fills it.
    pub component: usize,
    /// Its outer edge, and the inner edge of its outline where one is drawn.
    pub edges: Vec<Silhouette>,
    /// The share of its silhouette that has its colour; low for a ring, lower for what is full of ink.
    pub fill: f64,
}

/// Where an area starts and ends in each of its rows, in cells.
#[derive(Clone, Debug)]
pub(super) struct Silhouette {
    pub top: usize,
    pub rows: Vec<(u32, u32)>,
}

impl Plate {
    /// Told apart from its ground by an outline only.
    pub fn is_outline(&self) -> bool {
        difference(self.colour, self.around) <= 4
    }

    /// As round as it can be: a circle or a capsule.
    pub fn is_capsule(&self) -> bool {
        self.radius >= 0.42 * self.rect.width.min(self.rect.height)
    }

    pub fn is_round(&self) -> bool {
        let (w, h) = (self.rect.width, self.rect.height);
        self.is_capsule() && (w - h).abs() <= 0.12 * w.max(h) + 0.7
    }
}

/// All rounded rectangles, the largest first. The page itself is none.
pub(super) fn find(grid: &Grid, components: &Components) -> Vec<Plate> {
    let shortest = (SHORTEST * grid.density) as usize;
    let page = grid.width * grid.height * 9 / 10;
    let mut wanted: Vec<usize> = (0..components.items.len())
        .filter(|i| {
            let c = &components.items[*i];
            let bounds = c.width() * c.height();
            c.width() >= shortest && c.height() >= shortest && bounds < page && c.area * 16 > bounds
        })
        .collect();
    wanted.sort_by_key(|i| std::cmp::Reverse(components.items[*i].width() * components.items[*i].height()));
    wanted.truncate(MOST);
    let plates = wanted
        .iter()
        .zip(components.silhouettes(&wanted))
        .filter_map(|(i, rows)| plate(grid, *i, &components.items[*i], rows))
        .collect();
    merge_outlines(plates)
}

fn plate(grid: &Grid, component: usize, area: &Component, rows: Vec<(u32, u32)>) -> Option<Plate> {
    let insets: Vec<[f64; 2]> = rows
        .iter()
        .map(|(start, end)| [(*start as usize - area.x0) as f64, (area.x1 - *end as usize) as f64])
        .collect();
    let radii = corner_radii(&insets)?;
    let shorter = area.width().min(area.height()) as f64;
    if radii.iter().any(|r| *r > shorter / 2.0 * 1.12 + 1.0) || !fits(&insets, radii) {
        return None;
    }
    let silhouette: usize = rows.iter().map(|(start, end)| (end - start) as usize).sum();
    Some(Plate {
        rect: grid.points(area.x0, area.y0, area.x1, area.y1),
        radius: radii.iter().sum::<f64>() / 4.0 / grid.density,
        colour: area.colour,
        around: around(grid, area),
        stroke: None,
        component,
        edges: vec![Silhouette { top: area.y0, rows }],
        fill: area.area as f64 / silhouette.max(1) as f64,
    })
}

/// The radius of each corner (top left, top right, bottom left, bottom right) in cells, from the area it lacks.
fn corner_radii(insets: &[[f64; 2]]) -> Option<[f64; 4]> {
    let half = insets.len() / 2;
    let mut lacks = [0.0; 4];
    for (y, row) in insets.iter().enumerate() {
        let bottom = usize::from(y >= insets.len() - half) * 2;
        lacks[bottom] += row[0];
        lacks[bottom + 1] += row[1];
    }
    let radii = lacks.map(|lack: f64| (lack / (1.0 - std::f64::consts::FRAC_PI_4)).sqrt());
    radii.iter().all(|r| r.is_finite()).then_some(radii)
}

/// Whether the sides are where rounded corners of these radii put them, in nearly all rows.
fn fits(insets: &[[f64; 2]], radii: [f64; 4]) -> bool {
    let height = insets.len();
    let mut off = 0;
    for (y, row) in insets.iter().enumerate() {
        let (corner, depth) = if y < height / 2 { (0, y) } else { (2, height - 1 - y) };
        for side in 0..2 {
            let radius = radii[corner + side];
            let expected = corner_inset(radius, depth as f64 + 0.5);
            // continuous corners start earlier than circular ones
            off += usize::from((row[side] - expected).abs() > 1.3 + 0.13 * radius);
        }
    }
    off <= 2 + height * 2 * 6 / 100
}

fn corner_inset(radius: f64, depth: f64) -> f64 {
    if depth >= radius {
        return 0.0;
    }
    radius - (radius * radius - (radius - depth) * (radius - depth)).max(0.0).sqrt()
}

/// The colour that most of the four sides see beside the middle of an area.
fn around(grid: &Grid, area: &Component) -> Colour {
    let step = 3;
    let (cx, cy) = ((area.x0 + area.x1) / 2, (area.y0 + area.y1) / 2);
    let mut seen: Vec<Colour> = Vec::with_capacity(4);
    if area.y0 >= step {
        seen.push(grid.colour(cx, area.y0 - step));
    }
    if area.y1 + step <= grid.height {
        seen.push(grid.colour(cx, area.y1 + step - 1));
    }
    if area.x0 >= step {
        seen.push(grid.colour(area.x0 - step, cy));
    }
    if area.x1 + step <= grid.width {
        seen.push(grid.colour(area.x1 + step - 1, cy));
    }
    let votes = |c: &Colour| seen.iter().filter(|other| difference(*c, **other) <= 6).count();
    seen.iter().copied().max_by_key(votes).unwrap_or(area.colour)
}

/// Joins an outline with what it encloses: of two plates within 4 points on every side the outer keeps the place,
/// the inner gives the fill.
fn merge_outlines(plates: Vec<Plate>) -> Vec<Plate> {
    let mut merged: Vec<Plate> = Vec::with_capacity(plates.len());
    for plate in plates {
        match merged.iter_mut().find(|outer| encloses_closely(&outer.rect, &plate.rect)) {
            Some(outer) if outer.fill < 0.5 => {
                let between = |(outer, (fill, ground)): (u8, (u8, u8))| {
                    outer >= fill.min(ground).saturating_sub(2) && outer <= fill.max(ground).saturating_add(2)
                };
                let fringe =
                    outer.colour.into_iter().zip(plate.colour.into_iter().zip(outer.around)).all(between);
                if !fringe {
                    outer.stroke = Some(outer.colour);
                }
                outer.colour = plate.colour;
                outer.component = plate.component;
                outer.fill = plate.fill;
                outer.edges.extend(plate.edges);
            }
            _ => merged.push(plate),
        }
    }
    merged
}

fn encloses_closely(outer: &Rect, inner: &Rect) -> bool {
    let gaps = [
        inner.x - outer.x,
        inner.y - outer.y,
        outer.right() - inner.right(),
        outer.bottom() - inner.bottom(),
    ];
    gaps.iter().all(|gap| (-0.5..4.0).contains(gap))
}
