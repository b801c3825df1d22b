//! Secure fields that hold something: a box with a row of equal dots. Uses `evidence`, `fields`, `scene`.

use crate::geometry::Rect;
use crate::role::Role;

use super::colour::{chroma, difference};
use super::evidence::{Evidence, grown};
use super::fields::{caption_above, role_of};
use super::grid::Colour;
use super::scene::{Draft, Found};

/// Dots that tell a secret by themselves; fewer do where the caption says so.
const TELLING: usize = 3;

/// Fields with a ground or an outline; before dots are taken for radio buttons.
pub(super) fn find(draft: &mut Draft) {
    let evidence = draft.evidence;
    for plate in &evidence.plates {
        let rect = plate.rect;
        let sized = (26.0..=76.0).contains(&rect.height) && rect.width >= 80.0;
        if !sized || draft.is_taken(&rect) || chroma(plate.colour) > 40 {
            continue;
        }
        let Some(dots) = dots(evidence, &rect, plate.colour) else { continue };
        let caption = caption_above(draft, &rect);
        let said = caption.is_some_and(|line| role_of(evidence, &[line]) == Role::SecureField);
        if dots >= TELLING || said {
            let inside = draft.free_lines(&rect);
            let found = Found::new(Role::SecureField, rect, 0.9).labelled(caption.into_iter().collect());
            draft.add(found.holding(inside).valued("•".repeat(dots)));
        }
    }
}

/// How many equal, evenly spaced dots begin at the leading side of a box and are all that is typed in it.
fn dots(evidence: &Evidence, field: &Rect, ground: Colour) -> Option<usize> {
    let grid = &evidence.grid;
    let step = 1.0 / grid.density;
    let band = grown(field, -0.2 * field.height);
    // the text cursor is tinted, dots are not
    let inked = |x: f64, y: f64| grid.at(x, y).is_some_and(|c| difference(c, ground) >= 40 && chroma(c) < 40);
    let rows = |x: f64| {
        (0..)
            .map(|i| band.y + i as f64 * step)
            .take_while(|y| *y < band.bottom())
            .filter(move |y| inked(x, *y))
    };
    let mut runs: Vec<Rect> = Vec::new();
    for x in (0..).map(|i| band.x + i as f64 * step).take_while(|x| *x < band.right()) {
        let (Some(top), Some(bottom)) = (rows(x).next(), rows(x).last()) else { continue };
        let column = Rect::new(x, top, step, bottom - top + step);
        match runs.last_mut() {
            Some(run) if x - run.right() < 0.5 * step => *run = run.union(&column),
            _ => runs.push(column),
        }
    }
    let first = *runs.first()?;
    let is_dot = |run: &Rect| {
        (3.0..=16.0).contains(&run.width)
            && (run.width - run.height).abs() <= 1.5
            && (run.width - first.width).abs() <= 1.5
            && (run.center().y - field.center().y).abs() <= 3.0
    };
    if !is_dot(&first) || first.x - field.x > 40.0 {
        return None;
    }
    let pitch = runs.get(1).map_or(3.0 * first.width, |second| second.x - first.x);
    let goes_on = |pair: &&[Rect]| is_dot(&pair[1]) && (pair[1].x - pair[0].x - pitch).abs() <= 1.5;
    let count = 1 + runs.windows(2).take_while(goes_on).count();
    // what follows may be a button at the other end, but no text
    let end = runs[count - 1].right();
    let rest = runs[count..].iter().all(|run| run.x - end > 2.0 * pitch && run.x > field.center().x);
    (pitch <= 3.0 * first.width && rest).then_some(count)
}
