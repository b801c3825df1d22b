//! What the rules look at, gathered once and in points: plates, rules (hairlines), blobs of ink, lines of text.
//! Uses `grid`, `components`, `plates`, `vision::text` lines.

use std::cell::OnceCell;

use crate::frame::Frame;
use crate::geometry::{PixelRect, Rect, Size};
use crate::vision::text::TextLine;

use super::blobs::{self, Blob};
use super::colour::{chroma, contrast, difference};
use super::components::Components;
use super::grid::{Colour, Grid};
use super::plates::{self, Plate};
use super::thin::{self, Hairline, Sliver};

/// A text line with what its looks say, in points.
#[derive(Clone, Debug)]
pub(super) struct Line<'a> {
    /// Its place among the lines that were read.
    pub index: usize,
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
    /// Places, among the lines that were read, of icons read as text.
    pub icon_lines: Vec<usize>,
}

impl<'a> Evidence<'a> {
    pub fn gather(frame: &'a Frame, scale: f64, lines: &'a [TextLine]) -> Self {
        let size = frame.size();
        let window = Size::new(f64::from(size.width) / scale, f64::from(size.height) / scale);
        let grid = Grid::new(frame, scale);
        let components = Components::of(&grid);
        let lines: Vec<Line> = lines.iter().enumerate().map(|(i, line)| describe(i, line, scale)).collect();
        let (icons, lines): (Vec<Line>, Vec<Line>) = lines.into_iter().partition(is_icon);
        let mut icon_lines: Vec<usize> = icons.iter().map(|icon| icon.index).collect();
        let mut plates = plates::find(&grid, &components);
        let (icons, lines): (Vec<Line>, Vec<Line>) =
            lines.iter().cloned().partition(|line| is_on_tile(line, &lines, &plates));
        icon_lines.extend(icons.iter().map(|icon| icon.index));
        plates.retain(|plate| !is_letter(plate, &lines));
        let mut hairlines = thin::hairlines(&grid, &components);
        hairlines
            .retain(|line| !plates.iter().any(|plate| thin::is_edge_of(&line.rect, plate, window.width)));
        let mut slivers = thin::slivers(&grid, &components);
        slivers
            .retain(|sliver| !lines.iter().any(|line| grown(&line.rect, 1.0).contains(sliver.rect.center())));
        let blobs = blobs::find(&grid, &components, &plates, &lines);
        Self { frame, scale, grid, window, plates, hairlines, slivers, blobs, lines, icon_lines }
    }

    /// Indices of the lines whose centre is in `rect`, in reading order.
    pub fn lines_in(&self, rect: &Rect) -> Vec<usize> {
        let mut found: Vec<usize> =
            (0..self.lines.len()).filter(|i| rect.contains(self.lines[*i].rect.center())).collect();
        self.sort_for_reading(&mut found);
        found
    }

    /// Places among the lines that were read.
    pub fn indices(&self, lines: &[usize]) -> Vec<usize> {
        lines.iter().map(|line| self.lines[*line].index).collect()
    }

    pub fn blobs_in(&self, rect: &Rect) -> impl Iterator<Item = &Blob> {
        self.blobs.iter().filter(|blob| rect.contains(blob.rect.center()))
    }

    pub fn plates_in(&self, rect: &Rect) -> impl Iterator<Item = &Plate> {
        self.plates
            .iter()
            .filter(|plate| contains(rect, &plate.rect, 0.7) && plate.rect.area() < 0.9 * rect.area())
    }

    /// Whether anything is written from right to left (such a script is found, though not read).
    pub fn is_right_to_left(&self) -> bool {
        let mirrored =
            |c: char| ('\u{590}'..='\u{8ff}').contains(&c) || ('\u{fb1d}'..='\u{fefc}').contains(&c);
        // what is not read at the top are the icons of the status bar
        let unread = |line: &Line| line.text.is_empty() && line.rect.y > 62.0;
        self.lines.iter().any(|line| unread(line) || line.text.chars().any(mirrored))
    }

    /// What is drawn in the middle of a small plate, seen against the plate's own colour.
    pub fn drawing_on(&self, plate: &Plate) -> Option<Blob> {
        let rect = grown(&plate.rect, -0.24 * plate.rect.height);
        let ink = blobs::farthest_colour(&self.grid, &rect, plate.colour);
        let drawn = difference(ink, plate.colour) >= 40;
        drawn.then_some(Blob {
            rect,
            fill: 1.0 - plate.fill,
            ink,
            ground: plate.colour,
            icon: OnceCell::new(),
        })
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

fn describe(index: usize, line: &TextLine, scale: f64) -> Line<'_> {
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
    Line { index, text: &line.text, rect, size: rect.height / share, ink: line.ink, ground: line.ground }
}

/// An icon that was read as text: a bell as D, a menu as 川, a minus as 一. Digits alone are counts.
fn is_icon(line: &Line) -> bool {
    let mut letters = line.text.chars().filter(|c| !c.is_whitespace());
    let strokes = |c: char| "一二三川丨口十〇○●•·…=≡+-−–—<>‹›«»^".contains(c);
    match (letters.next(), letters.next()) {
        // a switch's knob looks like a large 8
        (Some(one), None) => !one.is_ascii_digit() || line.size > 26.0,
        (Some(a), Some(b)) => {
            line.text.chars().count() <= 3 && [a, b].into_iter().chain(letters).all(strokes)
        }
        _ => false,
    }
}

/// A sign or two on a small square tile before words, the picture of a row, or a disc that was read as a letter.
fn is_on_tile(line: &Line, lines: &[Line], plates: &[Plate]) -> bool {
    let is_tile = |plate: &&Plate| {
        let r = plate.rect;
        (18.0..=44.0).contains(&r.width) && (r.width - r.height).abs() <= 3.0 && !plate.is_round()
    };
    let is_before_words = |tile: &Rect| {
        lines.iter().any(|other| {
            (2.0..26.0).contains(&(other.rect.x - tile.right())) && beside(&other.rect, tile) > 0.5
        })
    };
    let on_a_tile = |plate: &Plate| is_tile(&plate) && is_before_words(&plate.rect);
    // a badge is larger than its number
    let is_disc = |plate: &Plate| {
        plate.is_round()
            && line.rect.height >= 0.8 * plate.rect.height
            && line.text.chars().count() == 1
            && difference(plate.colour, plate.around) >= 40
    };
    line.text.chars().count() <= 3
        && plates
            .iter()
            .any(|plate| contains(&plate.rect, &line.rect, 1.0) && (on_a_tile(plate) || is_disc(plate)))
}

/// A plate that is a part of a letter, such as the inside of an O. What letters stand on, such as the keys under a
/// row of letters, is none.
fn is_letter(plate: &Plate, lines: &[Line]) -> bool {
    lines.iter().any(|line| {
        let ground = |colour| difference(colour, line.ground) <= 8;
        let ink = |colour| difference(colour, line.ink) <= 60;
        let inside = contains(&grown(&line.rect, 1.5), &plate.rect, 0.0);
        let filled =
            ink(plate.colour) || (ground(plate.colour) && (ground(plate.around) || ink(plate.around)));
        inside && filled && plate.rect.height <= line.rect.height + 2.0
    })
}
