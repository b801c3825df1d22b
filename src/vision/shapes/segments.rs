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
        } else if let Some(track) = track_round(evidence, plate) {
            let count = (track.width / plate.rect.width).round().max(1.0);
            let chosen = ((plate.rect.center().x - track.x) / (track.width / count)) as usize;
            add_segments(draft, &track, count as usize, chosen);
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

/// The track of a segmented control round its raised segment, where the segment's shadow spoils the track's shape.
fn track_round(evidence: &Evidence, raised: &Plate) -> Option<Rect> {
    let rect = raised.rect;
    let at = |x: f64, y: f64| evidence.grid.at(x, y);
    let track = at(rect.center().x, rect.y - 1.3)?;
    let ground = at(rect.center().x, rect.y - 5.0)?;
    let sized =
        (20.0..=50.0).contains(&rect.height) && rect.width >= 36.0 && evidence.lines_in(&rect).len() <= 1;
    if !sized || difference(track, ground) < 4 || difference(track, raised.colour) < 4 {
        return None;
    }
    // along the upper edge, where no text is, until the ground begins
    let y = rect.y + 4.0;
    let reach = |from: f64, side: f64| {
        let on_track = |d: &f64| at(from + side * d, y).is_some_and(|c| difference(c, track) <= 8);
        (2..).map(|i| f64::from(i) * 0.5).take_while(on_track).take(2000).last().unwrap_or(0.0)
    };
    let (left, right) = (reach(rect.x, -1.0), reach(rect.right(), 1.0));
    let whole = Rect::new(rect.x - left, rect.y - 2.0, rect.width + left + right, rect.height + 4.0);
    let count = whole.width / rect.width;
    let equal = (2..=6).any(|n| (count - f64::from(n)).abs() < 0.12 * f64::from(n));
    let lines = evidence.lines_in(&whole);
    (equal && left.min(right) < 4.0 + left.max(right) && !lines.is_empty()).then_some(whole)
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
    // two short texts may have been read as one line; then the raised segment tells how many there are
    let count = match (texts.len(), icons) {
        (0, icons) => icons,
        (1, _) => (rect.width / raised.rect.width).round() as usize,
        (texts, _) => texts,
    };
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
