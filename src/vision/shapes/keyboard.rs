//! The keyboard: rows of equal keys at the bottom of the screen, as one region. Uses `evidence`, `scene`.

use crate::geometry::Rect;

use super::colour::difference;
use super::evidence::Evidence;
use super::scene::{Draft, Scene};

/// Finds the keyboard; nothing else is looked for inside it.
pub(super) fn find(draft: &mut Draft, scene: &mut Scene) {
    let evidence = draft.evidence;
    let Some(top) = top_row(evidence) else { return };
    let top = edge_above(evidence, top);
    let rect = Rect::new(0.0, top, evidence.window.width, evidence.window.height - top);
    scene.keyboard = Some(evidence.pixels(&rect));
    draft.closed.push(rect);
}

/// The bounds of the highest row of keys, where there are at least two rows of letters or three of a number pad.
fn top_row(evidence: &Evidence) -> Option<Rect> {
    let window = evidence.window;
    let mut keys: Vec<Rect> = evidence
        .plates
        .iter()
        .map(|plate| plate.rect)
        .filter(|r| (24.0..=80.0).contains(&r.height) && (18.0..window.width * 0.4).contains(&r.width))
        .filter(|r| r.y > window.height * 0.35)
        .collect();
    keys.sort_by(|a, b| a.center().y.total_cmp(&b.center().y));
    let mut rows: Vec<Vec<Rect>> = Vec::new();
    for key in keys {
        match rows.last_mut().filter(|row| (row[0].center().y - key.center().y).abs() < 4.0) {
            Some(row) => row.push(key),
            None => rows.push(vec![key]),
        }
    }
    let letters: Vec<&Vec<Rect>> = rows.iter().filter(|row| equal_keys(row) >= 7).collect();
    let pad: Vec<&Vec<Rect>> =
        rows.iter().filter(|row| equal_keys(row) == 3 && spans(row, window.width)).collect();
    let rows = if letters.len() >= 2 { letters } else { pad };
    let pitch = rows.get(1)?[0].y - rows[0][0].y;
    let tight = pitch < rows[0][0].height * 1.6;
    (tight && (rows.len() >= 3 || equal_keys(rows[0]) >= 7)).then(|| rows[0][0])
}

/// How many of a row are as wide as most of them.
fn equal_keys(row: &[Rect]) -> usize {
    let alike = |a: &Rect| {
        row.iter().filter(|b| (a.width - b.width).abs() < 2.5 && (a.height - b.height).abs() < 2.5).count()
    };
    row.iter().map(alike).max().unwrap_or(0)
}

fn spans(row: &[Rect], width: f64) -> bool {
    row.iter().map(|key| key.width).sum::<f64>() > width * 0.85
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
