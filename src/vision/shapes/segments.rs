//! Segmented controls, a shape a segment, and steppers, a shape a half. Uses `evidence`, `icons`, `scene`.

use crate::geometry::Rect;
use crate::role::Role;

use super::colour::difference;
use super::evidence::Evidence;
use super::icons::{self, Icon};
use super::plates::Plate;
use super::scene::{Draft, Found};

pub(super) fn find(draft: &mut Draft) {
    let evidence = draft.evidence;
    for plate in &evidence.plates {
        if draft.is_taken(&plate.rect) {
            continue;
        }
        if is_stepper(evidence, plate) {
            add_stepper(draft, &plate.rect);
        } else if let Some((count, chosen)) = segments(evidence, plate) {
            add_segments(draft, &plate.rect, count, chosen);
        }
    }
}

/// Its two halves, each named by what it does, as accessibility names them.
fn add_stepper(draft: &mut Draft, rect: &Rect) {
    let inside = draft.free_lines(rect);
    let half = Rect::new(rect.x, rect.y, rect.width / 2.0, rect.height);
    let other = Rect::new(half.right(), rect.y, half.width, rect.height);
    for (half, name) in [(half, "Decrement"), (other, "Increment")] {
        draft.add(Found::new(Role::Stepper, half, 0.9).named(Some(name)));
    }
    // a minus or plus that was read as text
    inside.into_iter().for_each(|line| draft.line_taken[line] = true);
}

fn add_segments(draft: &mut Draft, rect: &Rect, count: usize, chosen: usize) {
    let width = rect.width / count as f64;
    for i in 0..count {
        let segment = Rect::new(rect.x + width * i as f64, rect.y, width, rect.height);
        let label = draft.free_lines(&segment);
        draft.add(Found::new(Role::Segmented, segment, 0.9).labelled(label).selected(i == chosen));
    }
}

/// How many equal segments a plate has and which is raised.
fn segments(evidence: &Evidence, plate: &Plate) -> Option<(usize, usize)> {
    let rect = plate.rect;
    if !(22.0..=56.0).contains(&rect.height) || rect.width < 80.0 || plate.is_outline() {
        return None;
    }
    let raised = evidence.plates_in(&rect).find(|inner| {
        let r = inner.rect;
        r.height >= 0.74 * rect.height
            && r.width < 0.6 * rect.width
            && difference(inner.colour, plate.colour) >= 5
    })?;
    let texts = evidence.lines_in(&rect);
    let icons = evidence.blobs_in(&rect).filter(|b| b.rect.width.min(b.rect.height) >= 8.0).count();
    let count = if texts.len() >= 2 { texts.len() } else { icons };
    if !(2..=6).contains(&count) {
        return None;
    }
    let width = rect.width / count as f64;
    let equal = (raised.rect.width - width).abs() <= 0.16 * width + 4.0;
    let column = |x: f64| (((x - rect.x) / width) as usize).min(count - 1);
    let mut columns: Vec<usize> = texts.iter().map(|i| column(evidence.lines[*i].rect.center().x)).collect();
    columns.dedup();
    (equal && (texts.len() < 2 || columns.len() == count)).then(|| (count, column(raised.rect.center().x)))
}

/// A short plate with a minus in its left half and a plus in its right.
fn is_stepper(evidence: &Evidence, plate: &Plate) -> bool {
    let rect = plate.rect;
    if !(24.0..=44.0).contains(&rect.height) || !(60.0..=140.0).contains(&rect.width) {
        return false;
    }
    let half = |x: f64| Rect::new(x, rect.y, rect.width / 2.0, rect.height);
    let shows = |half: Rect, icon: Icon, words: &[&str]| {
        evidence.blobs_in(&half).any(|blob| icons::classify(evidence, blob) == Some(icon))
            || evidence.lines_in(&half).iter().any(|i| words.contains(&evidence.lines[*i].text.trim()))
    };
    shows(half(rect.x), Icon::Minus, &["-", "−", "–", "—", "一"])
        && shows(half(rect.center().x), Icon::Plus, &["+"])
}
