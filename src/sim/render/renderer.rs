//! Keeps the last list and its pixels, and paints only the rows in which a new list differs.

use super::canvas::Canvas;
use super::item::Item;
use super::text::TextEngine;
use crate::geometry::{PixelSize, Rect};

pub struct Renderer {
    scale: f64,
    size: PixelSize,
    pixels: Vec<u8>,
    painted: Vec<Item>,
}

impl Renderer {
    /// For pictures of `size`, at `scale` pixels a point.
    pub fn new(size: PixelSize, scale: f64) -> Self {
        let bytes = size.width as usize * size.height as usize * 4;
        Self { scale, size, pixels: vec![255; bytes], painted: Vec::new() }
    }

    pub fn size(&self) -> PixelSize {
        self.size
    }

    /// RGBA rows of the last picture.
    pub fn pixels(&self) -> &[u8] {
        &self.pixels
    }

    /// Paints a list; says whether any pixel may have changed.
    pub fn paint(&mut self, items: Vec<Item>, text: &TextEngine) -> bool {
        let bands = self.damage(&items);
        for (top, bottom) in &bands {
            self.paint_rows(&items, *top, *bottom, text);
        }
        self.painted = items;
        !bands.is_empty()
    }

    fn paint_rows(&mut self, items: &[Item], top: u32, bottom: u32, text: &TextEngine) {
        let stride = self.size.width as usize * 4;
        let rows = &mut self.pixels[top as usize * stride..bottom as usize * stride];
        let mut canvas = Canvas::new(rows, self.size.width, top, self.scale);
        for item in items {
            let (first, last) = rows_of(&item.bounds(), self.scale, self.size.height);
            if first < bottom && last > top {
                canvas.paint(item, text);
            }
        }
    }

    /// The rows, from the top, in which the new list differs from the painted one.
    fn damage(&self, items: &[Item]) -> Vec<(u32, u32)> {
        if self.painted.is_empty() {
            return vec![(0, self.size.height)];
        }
        let mut rows: Vec<_> = differing(&self.painted, items)
            .map(|item| rows_of(&item.bounds(), self.scale, self.size.height))
            .filter(|(top, bottom)| bottom > top)
            .collect();
        let whole: Vec<_> = items
            .iter()
            .filter(|item| item.paint.is_indivisible())
            .map(|item| rows_of(&item.bounds(), self.scale, self.size.height))
            .collect();
        loop {
            merge(&mut rows);
            let torn =
                |g: &&(u32, u32)| rows.iter().any(|r| r.0 < g.1 && r.1 > g.0 && !(r.0 <= g.0 && r.1 >= g.1));
            match whole.iter().find(torn) {
                Some(torn) => rows.push(*torn),
                None => return rows,
            }
        }
    }
}

fn rows_of(bounds: &Rect, scale: f64, height: u32) -> (u32, u32) {
    if bounds.width <= 0.0 || bounds.height <= 0.0 {
        return (0, 0);
    }
    let clamp = |y: f64| y.clamp(0.0, f64::from(height)) as u32;
    (clamp((bounds.y * scale).floor()), clamp((bounds.bottom() * scale).ceil()))
}

/// The items of both lists that are not in the same order in the other, found by common ends.
fn differing<'a>(old: &'a [Item], new: &'a [Item]) -> impl Iterator<Item = &'a Item> {
    let start = old.iter().zip(new).take_while(|(a, b)| a == b).count();
    let (old, new) = (&old[start..], &new[start..]);
    let end = old.iter().rev().zip(new.iter().rev()).take_while(|(a, b)| a == b).count();
    let (old, new) = (&old[..old.len() - end], &new[..new.len() - end]);
    let pairwise = old.len() == new.len();
    let kept = move |i: usize| pairwise && old[i] == new[i];
    let old_part = old.iter().enumerate().filter(move |(i, _)| !kept(*i));
    let new_part = new.iter().enumerate().filter(move |(i, _)| !kept(*i));
    old_part.chain(new_part).map(|(_, item)| item)
}

/// Sorts ranges and joins those that touch.
fn merge(rows: &mut Vec<(u32, u32)>) {
    rows.sort_unstable();
    let mut merged: Vec<(u32, u32)> = Vec::with_capacity(rows.len());
    for row in rows.drain(..) {
        match merged.last_mut() {
            Some(last) if row.0 <= last.1 => last.1 = last.1.max(row.1),
            _ => merged.push(row),
        }
    }
    *rows = merged;
}
