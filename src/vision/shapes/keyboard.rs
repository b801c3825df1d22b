//! The keyboard: rows of equal keys at the bottom of the screen, as one region. Uses `evidence`, `scene`.

use crate::geometry::Rect;

use super::colour::difference;
use super::evidence::Evidence;
use super::scene::{Draft, Scene};

/// Equal keys that a row of letters has at least.
const LETTERS: usize = 7;
/// What lies below the last row of keys is no higher than this, in points.
const BELOW: f64 = 110.0;

/// Finds the keyboard; nothing else is looked for inside it.
pub(super) fn find(draft: &mut Draft, scene: &mut Scene) {
    let evidence = draft.evidence;
    let rows = rows(evidence);
    let Some(first) = letters(&rows, evidence).or_else(|| number_pad(&rows, evidence)) else { return };
    let is_key = |key: &&Rect| key.y > first.y - 2.0 && (key.height - first.height).abs() < 3.0;
    scene.keys = rows.iter().flatten().filter(is_key).map(|key| evidence.pixels(key)).collect();
    let top = edge_above(evidence, first);
    let rect = Rect::new(0.0, top, evidence.window.width, evidence.window.height - top);
    scene.keyboard = Some(evidence.pixels(&rect));
    draft.closed.push(rect);
}

/// Plates as large as keys in the lower two thirds of the screen, row by row from the top.
fn rows(evidence: &Evidence) -> Vec<Vec<Rect>> {
    let window = evidence.window;
    let mut keys: Vec<Rect> = evidence
        .plates
        .iter()
        .map(|plate| plate.rect)
        .filter(|r| (24.0..=80.0).contains(&r.height) && (18.0..window.width * 0.8).contains(&r.width))
        .filter(|r| r.y > window.height * 0.33)
        .collect();
    keys.sort_by(|a, b| a.center().y.total_cmp(&b.center().y));
    let mut rows: Vec<Vec<Rect>> = Vec::new();
    for key in keys {
        match rows.last_mut().filter(|row| (row[0].center().y - key.center().y).abs() < 4.0) {
            Some(row) => row.push(key),
            None => rows.push(vec![key]),
        }
    }
    rows.iter_mut().for_each(|row| row.sort_by(|a, b| a.x.total_cmp(&b.x)));
    rows
}

/// The highest of two rows of letters or more, where the long key for spaces lies under them.
fn letters(rows: &[Vec<Rect>], evidence: &Evidence) -> Option<Rect> {
    let of_letters: Vec<(usize, Rect)> = rows
        .iter()
        .enumerate()
        .filter_map(|(i, row)| {
            most_alike(row).filter(|(_, count)| *count >= LETTERS).map(|(key, _)| (i, key))
        })
        .collect();
    let [(i, first), (_, second), ..] = of_letters.as_slice() else { return None };
    let pitch = second.y - first.y;
    let same = |a: f64, b: f64| (a - b).abs() < 3.0;
    let is_space = |key: &&Rect| key.width > 2.5 * first.width && same(key.height, first.height);
    let last = rows[*i..].iter().rev().find(|row| row.iter().any(|key| is_space(&key)))?;
    let tight = pitch < first.height * 1.6 && same(first.height, second.height);
    (tight && last[0].y > second.y && ends_the_screen(&last[0], evidence)).then_some(*first)
}

/// Three rows of three equal keys across the screen.
fn number_pad(rows: &[Vec<Rect>], evidence: &Evidence) -> Option<Rect> {
    let width = evidence.window.width;
    let spans = |row: &[Rect]| row.iter().map(|key| key.width).sum::<f64>() > width * 0.85;
    let of_numbers: Vec<Rect> = rows
        .iter()
        .filter(|row| spans(row))
        .filter_map(|row| most_alike(row).filter(|(_, count)| *count == 3).map(|(key, _)| key))
        .collect();
    let [first, second, .., last] = of_numbers.as_slice() else { return None };
    let tight = second.y - first.y < first.height * 1.6;
    // a fourth row may hold the nought alone
    let rest = evidence.window.height - last.bottom() - first.height;
    (tight && rest <= BELOW).then_some(*first)
}

fn ends_the_screen(key: &Rect, evidence: &Evidence) -> bool {
    evidence.window.height - key.bottom() <= BELOW
}

/// The key that most keys of a row equal, and how many do.
fn most_alike(row: &[Rect]) -> Option<(Rect, usize)> {
    let alike = |a: &Rect| {
        row.iter().filter(|b| (a.width - b.width).abs() < 2.5 && (a.height - b.height).abs() < 2.5).count()
    };
    row.iter().map(|key| (*key, alike(key))).max_by_key(|(_, count)| *count)
}

/// Follows the keyboard's ground upwards from its first key to where it ends.
fn edge_above(evidence: &Evidence, key: Rect) -> f64 {
    let x = 2.0;
    let Some(ground) = evidence.grid.at(x, key.y - 2.0) else { return key.y };
    let lowest = (key.y - 64.0).max(0.0);
    let mut y = key.y - 2.0;
    while y > lowest && evidence.grid.at(x, y - 1.0).is_some_and(|colour| difference(colour, ground) <= 4) {
        y -= 1.0;
    }
    // no edge to be seen: the keyboard has the page's colour
    if y <= lowest { key.y - 8.0 } else { y }
}
