//! Boxes of one line joined, lines in reading order. Uses `geometry`.

use super::detect::TextBox;
use super::line::TextLine;
use crate::geometry::PixelRect;

/// Boxes side by side on one line with a gap of at most this many heights are one.
const JOIN_GAP: f32 = 0.9;

/// A rectangle with some more around it, within `bounds`.
pub(super) fn widened(rect: PixelRect, by_x: u32, by_y: u32, bounds: PixelRect) -> PixelRect {
    let (x, y) = (rect.x.saturating_sub(by_x).max(bounds.x), rect.y.saturating_sub(by_y).max(bounds.y));
    let right = (rect.right() + by_x).min(bounds.right());
    let bottom = (rect.bottom() + by_y).min(bounds.bottom());
    PixelRect::new(x, y, right - x, bottom - y)
}

/// Joins boxes that are parts of one line, and the two halves of what a tile's edge cut.
pub(super) fn joined(boxes: Vec<TextBox>) -> Vec<TextBox> {
    let mut lines: Vec<TextBox> = Vec::with_capacity(boxes.len());
    for mut part in boxes {
        while let Some(i) = lines.iter().position(|line| one_line(line, &part)) {
            let other = lines.swap_remove(i);
            part = TextBox { core: part.core.union(&other.core), rect: part.rect.union(&other.rect) };
        }
        lines.push(part);
    }
    lines
}

fn one_line(a: &TextBox, b: &TextBox) -> bool {
    let (low, high) = (a.core.height.min(b.core.height), a.core.height.max(b.core.height));
    let common = f64::from(a.core.bottom().min(b.core.bottom())) - f64::from(a.core.y.max(b.core.y));
    let gap = f64::from(a.core.x.max(b.core.x)) - f64::from(a.core.right().min(b.core.right()));
    common > f64::from(low) * 0.6 && high * 2 < low * 3 && gap < f64::from(high as f32 * (JOIN_GAP + 1.0))
}

/// Top to bottom, left to right: lines that overlap in height by half are one row.
pub(super) fn sort(lines: &mut Vec<TextLine>) {
    lines.sort_by_key(|line| (line.rect.y + line.rect.height / 2, line.rect.x));
    let mut rows: Vec<(PixelRect, Vec<TextLine>)> = Vec::new();
    for line in lines.drain(..) {
        let middle = line.rect.y + line.rect.height / 2;
        match rows.last_mut() {
            Some((first, row)) if middle < first.bottom() && middle >= first.y => row.push(line),
            _ => rows.push((line.rect, vec![line])),
        }
    }
    for (_, row) in &mut rows {
        row.sort_by_key(|line| line.rect.x);
    }
    lines.extend(rows.into_iter().flat_map(|(_, row)| row));
}
