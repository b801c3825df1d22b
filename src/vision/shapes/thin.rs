//! Thin things: hairlines that separate rows or underline fields, and bars such as tracks and carets.
//! Uses `components`, `grid`, `plates`.

use crate::geometry::Rect;

use super::colour::difference;
use super::components::{Component, Components};
use super::grid::{Colour, Grid};
use super::plates::Plate;

/// A thin line that separates rows or underlines a field.
#[derive(Clone, Debug)]
pub(super) struct Hairline {
    pub rect: Rect,
}

/// A thin filled bar, 1.3 to 8 points thick: a track, a caret, a grabber, an indicator.
#[derive(Clone, Debug)]
pub(super) struct Sliver {
    pub rect: Rect,
    pub colour: Colour,
}

/// From the top; outlines of plates left out.
pub(super) fn hairlines(grid: &Grid, components: &Components) -> Vec<Hairline> {
    let thickest = (2.2 * grid.density).ceil() as usize;
    let shortest = (40.0 * grid.density) as usize;
    let mut found: Vec<Hairline> = components
        .items
        .iter()
        .filter(|c| {
            c.height() <= thickest && c.width() >= shortest && c.area * 10 > c.width() * c.height() * 7
        })
        .filter(|c| stands_free(grid, c))
        .map(|c| Hairline { rect: grid.points(c.x0, c.y0, c.x1, c.y1) })
        .collect();
    found.sort_by(|a, b| a.rect.y.total_cmp(&b.rect.y));
    // one line between two rows of cells shows as two thin areas
    found.dedup_by(|b, a| {
        let same = b.rect.y - a.rect.bottom() < 1.0 && b.rect.x < a.rect.right() && a.rect.x < b.rect.right();
        if same {
            a.rect = a.rect.union(&b.rect);
        }
        same
    });
    found
}

pub(super) fn slivers(grid: &Grid, components: &Components) -> Vec<Sliver> {
    let (thinnest, thickest) = ((1.3 * grid.density).ceil() as usize, (8.0 * grid.density) as usize);
    let longest_least = (12.0 * grid.density) as usize;
    let is_sliver = |c: &&Component| {
        let (short, long) = (c.width().min(c.height()), c.width().max(c.height()));
        (thinnest..=thickest).contains(&short)
            && long >= longest_least
            && long * 2 >= short * 5
            && c.area * 4 >= c.width() * c.height() * 3
    };
    let bar = |c: &Component| Sliver { rect: grid.points(c.x0, c.y0, c.x1, c.y1), colour: c.colour };
    components.items.iter().filter(is_sliver).map(bar).collect()
}

/// A line that is the upper or lower outline of a plate.
pub(super) fn is_edge_of(line: &Rect, plate: &Plate, window: f64) -> bool {
    let drawn = (plate.is_outline() || plate.stroke.is_some()) && plate.rect.width < window * 0.985;
    let plate = &plate.rect;
    let near = (line.center().y - plate.y).abs() < 2.6 || (line.center().y - plate.bottom()).abs() < 2.6;
    drawn
        && near
        && line.x >= plate.x - 3.0
        && line.right() <= plate.right() + 3.0
        && line.width > 0.5 * plate.width
}

/// The same colour above and below, another than its own: a line, not the edge of an area.
fn stands_free(grid: &Grid, c: &Component) -> bool {
    let gap = 2;
    if c.y0 < gap || c.y1 + gap > grid.height {
        return false;
    }
    let probes = [1, 3, 5, 7].map(|i| c.x0 + c.width() * i / 8);
    let free = probes.iter().filter(|x| {
        let (above, below) = (grid.colour(**x, c.y0 - gap), grid.colour(**x, c.y1 + gap - 1));
        difference(above, below) <= 5 && difference(above, c.colour) >= 6
    });
    free.count() >= 3
}
