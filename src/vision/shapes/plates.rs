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
    with_split_cards(merge_outlines(plates))
}

/// Adds the cards that separators cut into parts from edge to edge: parts of one colour, a hairline apart.
fn with_split_cards(mut plates: Vec<Plate>) -> Vec<Plate> {
    const MOST_PARTS: usize = 120;
    let is_part = |p: &&Plate| p.rect.width >= 60.0 && p.rect.height >= 26.0 && p.fill > 0.3;
    let mut cards: Vec<Plate> = plates.iter().filter(is_part).take(MOST_PARTS).cloned().collect();
    let parts = cards.clone();
    let joined = |a: &Plate, b: &Plate| {
        difference(a.colour, b.colour) <= 4
            && (a_hairline_apart(&a.rect, &b.rect) || a_hairline_apart(&b.rect, &a.rect))
    };
    let mut i = 0;
    while i < cards.len() {
        match (i + 1..cards.len()).find(|j| joined(&cards[i], &cards[*j])) {
            Some(j) => {
                let other = cards.swap_remove(j);
                let card = &mut cards[i];
                card.rect = card.rect.union(&other.rect);
                card.radius = card.radius.max(other.radius);
                card.edges.extend(other.edges);
                // what has grown may fit what was passed by
                i = 0;
            }
            None => i += 1,
        }
    }
    cards.retain(|card| !parts.iter().any(|part| part.rect == card.rect));
    plates.extend(cards);
    plates.sort_by(|a, b| b.rect.area().total_cmp(&a.rect.area()));
    plates
}

/// Whether `b` begins where `a` ends, below it or to the right, with the same extent across.
fn a_hairline_apart(a: &Rect, b: &Rect) -> bool {
    let gap = |from: f64, to: f64| (0.2..=1.7).contains(&(to - from));
    let below = gap(a.bottom(), b.y) && (a.x - b.x).abs() < 1.6 && (a.width - b.width).abs() < 2.4;
    let behind = gap(a.right(), b.x) && (a.y - b.y).abs() < 1.6 && (a.height - b.height).abs() < 2.4;
    below || behind
}

fn plate(grid: &Grid, component: usize, area: &Component, rows: Vec<(u32, u32)>) -> Option<Plate> {
    let insets: Vec<[f64; 2]> = rows
        .iter()
        .map(|(start, end)| [(*start as usize - area.x0) as f64, (area.x1 - *end as usize) as f64])
        .collect();
    let radii = corner_radii(&insets);
    let shorter = area.width().min(area.height()) as f64;
    if radii.iter().any(|r| *r > shorter / 2.0 * 1.12 + 1.0) || !fits(&insets, radii) {
        return None;
    }
    let outline = outline(grid, area);
    let silhouette: usize = rows.iter().map(|(start, end)| (end - start) as usize).sum();
    Some(Plate {
        rect: grid.points(area.x0, area.y0, area.x1, area.y1),
        radius: radii.iter().sum::<f64>() / 4.0 / grid.density,
        colour: area.colour,
        around: outline.map_or_else(|| around(grid, area), |(_, ground)| ground),
        stroke: outline.map(|(stroke, _)| stroke),
        component,
        edges: vec![Silhouette { top: area.y0, rows }],
        fill: area.area as f64 / silhouette.max(1) as f64,
    })
}

/// The radius of each corner (top left, top right, bottom left, bottom right) in cells, from the area it lacks.
fn corner_radii(insets: &[[f64; 2]]) -> [f64; 4] {
    let half = insets.len() / 2;
    // up to where the side is reached: a separator deeper inside is no corner
    let lack = |rows: &mut dyn Iterator<Item = &[f64; 2]>, side: usize| -> f64 {
        rows.take(half).map(|row| row[side]).take_while(|inset| *inset > 0.0).sum()
    };
    let mut lacks = [0.0; 4];
    for side in 0..2 {
        lacks[side] = lack(&mut insets.iter(), side);
        lacks[2 + side] = lack(&mut insets.iter().rev(), side);
    }
    lacks.map(|lack: f64| (lack / (1.0 - std::f64::consts::FRAC_PI_4)).sqrt())
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

/// A thin line round an area in a colour of its own, and what lies outside of it. At the corners such a line breaks
/// into parts, none of which encloses the area.
fn outline(grid: &Grid, area: &Component) -> Option<(Colour, Colour)> {
    const OUTSIDE: usize = 6;
    const STRONG: u8 = 48;
    let (cx, cy) = ((area.x0 + area.x1) / 2, (area.y0 + area.y1) / 2);
    let at = |side: usize, step: usize| -> Option<Colour> {
        let (x, y) = match side {
            0 => (cx, area.y0.checked_sub(step)?),
            1 => (cx, area.y1 + step - 1),
            2 => (area.x0.checked_sub(step)?, cy),
            _ => (area.x1 + step - 1, cy),
        };
        (x < grid.width && y < grid.height).then(|| grid.colour(x, y))
    };
    let mut lines: Vec<(Colour, Colour)> = Vec::with_capacity(4);
    for side in 0..4 {
        let Some(ground) = at(side, OUTSIDE) else { continue };
        let apart = |c: &Colour| difference(*c, area.colour).min(difference(*c, ground));
        let line = (1..OUTSIDE - 2).filter_map(|step| at(side, step)).max_by_key(apart);
        lines.extend(line.filter(|line| apart(line) >= STRONG).map(|line| (line, ground)));
    }
    let (first, ground) = *lines.first()?;
    let alike = |(line, outside): &&(Colour, Colour)| {
        difference(*line, first) <= STRONG && difference(*outside, ground) <= 8
    };
    (lines.iter().filter(alike).count() >= 3).then_some((first, ground))
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
