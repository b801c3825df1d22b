//! What the rules look at, gathered once and in points: plates, rules (hairlines), blobs of ink, lines of text.
//! Uses `grid`, `components`, `plates`, `vision::text` lines.

use crate::frame::Frame;
use crate::geometry::{PixelRect, Rect, Size};
use crate::vision::text::TextLine;

use super::colour::{chroma, contrast, difference};
use super::components::{Component, Components, Run};
use super::grid::{Colour, Grid};
use super::plates::{self, Plate, Silhouette};

/// At most so many blobs, the largest, are kept.
const MOST_BLOBS: usize = 1_500;

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

/// Ink that is no text: an icon, a part of a picture, a spinner.
#[derive(Clone, Debug)]
pub(super) struct Blob {
    pub rect: Rect,
    /// The share of its bounds that is ink.
    pub fill: f64,
    /// Colour of the ink, and of what it lies on.
    pub ink: Colour,
    pub ground: Colour,
}

/// A text line with what its looks say, in points.
#[derive(Clone, Debug)]
pub(super) struct Line<'a> {
    pub text: &'a str,
    pub rect: Rect,
    /// Size of its font, estimated from the ink's height and which letters it has.
    pub size: f64,
    pub ink: Colour,
    pub ground: Colour,
}

impl Line<'_> {
    /// In a colour, not black, grey or white.
    pub fn is_tinted(&self) -> bool {
        chroma(self.ink) >= 70 && difference(self.ink, self.ground) >= 60
    }

    /// As faint as a placeholder or a disabled title.
    pub fn is_faint(&self) -> bool {
        chroma(self.ink) < 40 && contrast(self.ink, self.ground) < 2.45
    }

    /// Grey, as captions and secondary texts are.
    pub fn is_grey(&self) -> bool {
        chroma(self.ink) < 40 && contrast(self.ink, self.ground) < 6.5
    }

    pub fn center_y(&self) -> f64 {
        self.rect.y + self.rect.height / 2.0
    }
}

pub(super) struct Evidence<'a> {
    pub frame: &'a Frame,
    pub scale: f64,
    pub grid: Grid,
    pub window: Size,
    /// Largest first.
    pub plates: Vec<Plate>,
    /// From the top.
    pub hairlines: Vec<Hairline>,
    pub slivers: Vec<Sliver>,
    pub blobs: Vec<Blob>,
    pub lines: Vec<Line<'a>>,
}

impl<'a> Evidence<'a> {
    pub fn gather(frame: &'a Frame, scale: f64, lines: &'a [TextLine]) -> Self {
        let size = frame.size();
        let window = Size::new(f64::from(size.width) / scale, f64::from(size.height) / scale);
        let grid = Grid::new(frame, scale);
        let components = Components::of(&grid);
        let lines: Vec<Line> = lines.iter().map(|line| describe(line, scale)).collect();
        let mut plates = plates::find(&grid, &components);
        plates.retain(|plate| !is_letter(&plate.rect, &lines));
        let mut hairlines = hairlines(&grid, &components);
        hairlines.retain(|line| !plates.iter().any(|plate| is_edge_of(&line.rect, plate, window.width)));
        let mut slivers = slivers(&grid, &components);
        slivers
            .retain(|sliver| !lines.iter().any(|line| grown(&line.rect, 1.0).contains(sliver.rect.center())));
        let blobs = blobs(&grid, &components, &plates, &lines);
        Self { frame, scale, grid, window, plates, hairlines, slivers, blobs, lines }
    }

    /// Indices of the lines whose centre is in `rect`, in reading order.
    pub fn lines_in(&self, rect: &Rect) -> Vec<usize> {
        let mut found: Vec<usize> =
            (0..self.lines.len()).filter(|i| rect.contains(self.lines[*i].rect.center())).collect();
        self.sort_for_reading(&mut found);
        found
    }

    pub fn blobs_in(&self, rect: &Rect) -> impl Iterator<Item = &Blob> {
        self.blobs.iter().filter(|blob| rect.contains(blob.rect.center()))
    }

    pub fn plates_in(&self, rect: &Rect) -> impl Iterator<Item = &Plate> {
        self.plates
            .iter()
            .filter(|plate| contains(rect, &plate.rect, 0.7) && plate.rect.area() < 0.9 * rect.area())
    }

    /// What is drawn in the middle of a small plate, seen against the plate's own colour.
    pub fn drawing_on(&self, plate: &Plate) -> Option<Blob> {
        let rect = grown(&plate.rect, -0.24 * plate.rect.height);
        let ink = farthest_colour(&self.grid, &rect, plate.colour);
        let drawn = difference(ink, plate.colour) >= 40;
        drawn.then_some(Blob { rect, fill: 1.0 - plate.fill, ink, ground: plate.colour })
    }

    /// From the top, and from the left where lines stand beside each other.
    pub fn sort_for_reading(&self, lines: &mut [usize]) {
        lines.sort_by(|a, b| self.lines[*a].rect.y.total_cmp(&self.lines[*b].rect.y));
        let mut start = 0;
        while start < lines.len() {
            let first = self.lines[lines[start]].rect;
            let same_row = |i: &&usize| self.lines[**i].rect.y < first.y + first.height * 0.6;
            let end = start + lines[start..].iter().take_while(same_row).count();
            lines[start..end].sort_by(|a, b| self.lines[*a].rect.x.total_cmp(&self.lines[*b].rect.x));
            start = end.max(start + 1);
        }
    }

    /// Points to whole pixels of the frame, clipped to it.
    pub fn pixels(&self, rect: &Rect) -> PixelRect {
        let size = self.frame.size();
        let clip = |v: f64, max: u32| (v * self.scale).round().clamp(0.0, f64::from(max)) as u32;
        let (x, y) = (clip(rect.x, size.width - 1), clip(rect.y, size.height - 1));
        let (right, bottom) = (clip(rect.right(), size.width), clip(rect.bottom(), size.height));
        PixelRect::new(x, y, right.max(x + 1) - x, bottom.max(y + 1) - y)
    }
}

/// Whether `inner` lies in `outer`, give or take `slack` points.
pub(super) fn contains(outer: &Rect, inner: &Rect, slack: f64) -> bool {
    inner.x >= outer.x - slack
        && inner.y >= outer.y - slack
        && inner.right() <= outer.right() + slack
        && inner.bottom() <= outer.bottom() + slack
}

/// `rect` grown by a margin on all sides.
pub(super) fn grown(rect: &Rect, margin: f64) -> Rect {
    Rect::new(rect.x - margin, rect.y - margin, rect.width + 2.0 * margin, rect.height + 2.0 * margin)
}

/// How much of the lower of the two the heights of both have in common, 0 to 1.
pub(super) fn beside(a: &Rect, b: &Rect) -> f64 {
    let common = a.bottom().min(b.bottom()) - a.y.max(b.y);
    (common / a.height.min(b.height).max(0.1)).clamp(0.0, 1.0)
}

fn describe(line: &TextLine, scale: f64) -> Line<'_> {
    let to = |v: u32| f64::from(v) / scale;
    let rect = Rect::new(to(line.rect.x), to(line.rect.y), to(line.rect.width), to(line.rect.height));
    let tall = line
        .text
        .chars()
        .any(|c| !matches!(c, 'a' | 'c' | 'e' | 'g' | 'm'..='s' | 'u'..='z' | ' ' | '.' | ',' | '-'));
    let deep = line.text.chars().any(|c| {
        matches!(c, 'g' | 'j' | 'p' | 'q' | 'y' | ',' | ';' | '(' | ')' | '/' | '@' | 'Q' | '$' | '_')
    });
    let share = if tall { 0.72 } else { 0.53 } + if deep { 0.2 } else { 0.0 };
    Line { text: &line.text, rect, size: rect.height / share, ink: line.ink, ground: line.ground }
}

/// A plate that is a part of a letter, such as the inside of an O.
fn is_letter(plate: &Rect, lines: &[Line]) -> bool {
    lines
        .iter()
        .any(|line| contains(&grown(&line.rect, 1.5), plate, 0.0) && plate.height <= line.rect.height + 2.0)
}

fn hairlines(grid: &Grid, components: &Components) -> Vec<Hairline> {
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

fn slivers(grid: &Grid, components: &Components) -> Vec<Sliver> {
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
fn is_edge_of(line: &Rect, plate: &Plate, window: f64) -> bool {
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
        difference(above, below) <= 14 && difference(above, c.colour) >= 6
    });
    free.count() >= 3
}

fn blobs(grid: &Grid, components: &Components, plates: &[Plate], lines: &[Line]) -> Vec<Blob> {
    let mut ground = vec![false; components.items.len()];
    plates
        .iter()
        .filter(|p| p.rect.width.min(p.rect.height) >= 16.0)
        .for_each(|p| ground[p.component] = true);
    let large = (40.0 * grid.density) as usize;
    for (i, c) in components.items.iter().enumerate() {
        ground[i] |= c.width() >= large && c.height() >= large && c.area * 4 > c.width() * c.height();
        ground[i] |= c.area * 4 > grid.width * grid.height;
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
fn farthest_colour(grid: &Grid, rect: &Rect, ground: Colour) -> Colour {
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
