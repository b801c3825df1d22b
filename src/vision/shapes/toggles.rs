//! Switches and checkboxes (radio buttons too) with their state. Uses `evidence`, `icons`, `scene`.

use crate::geometry::Rect;
use crate::role::Role;

use super::colour::{chroma, difference};
use super::evidence::{Evidence, beside};
use super::icons::{self, Icon};
use super::plates::Plate;
use super::scene::{Draft, Found};

pub(super) fn find(draft: &mut Draft) {
    let evidence = draft.evidence;
    for knob in &evidence.plates {
        if draft.is_taken(&knob.rect) {
            continue;
        }
        if let Some((track, on)) = switch(evidence, knob) {
            let label = label_beside(draft, &track);
            let state = if on { "on" } else { "off" };
            let enabled = label.is_empty() || !label.iter().all(|i| evidence.lines[*i].is_faint());
            let found = Found::new(Role::Switch, track, 0.95).labelled(label).enabled(enabled);
            draft.add(found.valued(state).selected(on));
        }
    }
    let boxes: Vec<(Rect, bool)> = evidence
        .plates
        .iter()
        .filter(|plate| !draft.is_taken(&plate.rect))
        .filter_map(|plate| checkbox_state(evidence, plate).map(|checked| (plate.rect, checked)))
        .collect();
    let boxes = outermost(boxes);
    for (rect, checked) in &boxes {
        let found = match card_of(evidence, rect, &boxes) {
            Some(card) => Found::new(Role::Checkbox, card, 0.85).labelled(draft.free_lines(&card)),
            None => {
                let label = label_beside(draft, rect);
                if label.is_empty() {
                    continue;
                }
                Found::new(Role::Checkbox, *rect, 0.8).labelled(label)
            }
        };
        draft.add(found.valued(if *checked { "on" } else { "off" }).selected(*checked));
    }
}

/// The track and state of a switch, where a plate is its knob: a capsule that lies at one end of a capsule.
fn switch(evidence: &Evidence, knob: &Plate) -> Option<(Rect, bool)> {
    let rect = knob.rect;
    let sized = (15.0..=32.0).contains(&rect.height) && (0.9..=1.75).contains(&(rect.width / rect.height));
    // a knob may be read as 8 or O
    let words = evidence.lines_in(&rect).iter().any(|i| evidence.lines[*i].text.chars().count() > 1);
    if !sized || !knob.is_capsule() || words {
        return None;
    }
    let ground = evidence.grid.at(rect.center().x, rect.y - 7.0)?;
    let left = reach(evidence, knob, ground, -1.0);
    let right = reach(evidence, knob, ground, 1.0);
    let (short, long) = (left.min(right), left.max(right));
    if !(0.5..=5.5).contains(&short) || !(0.5 * rect.height..=1.6 * rect.height).contains(&long) {
        return None;
    }
    let rim = short.min(3.0);
    let track = Rect::new(rect.x - left, rect.y - rim, rect.width + left + right, rect.height + 2.0 * rim);
    let colour = evidence
        .grid
        .at(if left > right { rect.x - long / 2.0 } else { rect.right() + long / 2.0 }, rect.center().y)?;
    // right to left a switch is mirrored; a tinted track is on at either side
    let on = chroma(colour) >= 50 || (left > right && chroma(colour) >= 20);
    ((1.35..=2.7).contains(&(track.width / track.height))).then_some((track, on))
}

/// How far a track goes on beside a knob, in points, as thick as a third of the knob above and below its middle.
fn reach(evidence: &Evidence, knob: &Plate, ground: [u8; 3], side: f64) -> f64 {
    let rect = knob.rect;
    let from = if side < 0.0 { rect.x } else { rect.right() };
    let is_track = |distance: f64, offset: f64| {
        let at = evidence.grid.at(from + side * distance, rect.center().y + offset);
        at.is_some_and(|colour| difference(colour, ground) >= 8 && difference(colour, knob.colour) >= 8)
    };
    // right at the knob its edge fades
    let mut distance = 1.0;
    while distance < 60.0 && is_track(distance, 0.0) {
        distance += 0.5;
    }
    let middle = distance / 2.0;
    let thick =
        distance < 6.0 || (is_track(middle, -rect.height * 0.34) && is_track(middle, rect.height * 0.34));
    if thick { distance - 0.5 } else { 0.0 }
}

/// Checked or not, where a plate is a checkbox or radio button.
fn checkbox_state(evidence: &Evidence, plate: &Plate) -> Option<bool> {
    let rect = plate.rect;
    let square = (rect.width - rect.height).abs() <= 2.0;
    // a square of 29 points with a picture is the icon of a row
    let largest = if plate.is_round() { 34.0 } else { 26.0 };
    if !square || !(12.0..=largest).contains(&rect.width) || !evidence.lines_in(&rect).is_empty() {
        return None;
    }
    let drawing = evidence.drawing_on(plate);
    let dotted = evidence.plates_in(&rect).any(|dot| {
        let share = dot.rect.width / rect.width;
        dot.is_round()
            && (0.3..=0.75).contains(&share)
            && centred(&dot.rect, &rect)
            && difference(dot.colour, plate.colour) > 40
    });
    let checked =
        drawing.as_ref().is_some_and(|blob| icons::classify(evidence, blob) == Some(Icon::Checkmark));
    let outlined = is_ring(evidence, plate);
    match (outlined, drawing.is_none(), checked || dotted) {
        (_, _, true) => Some(true),
        (true, true, false) => Some(false),
        _ => None,
    }
}

/// Drawn by a line round a ground like the one outside.
fn is_ring(evidence: &Evidence, plate: &Plate) -> bool {
    let rect = plate.rect;
    let inside = evidence.grid.at(rect.x + rect.width * 0.3, rect.y + rect.height * 0.5);
    let outside = evidence.grid.at(rect.x - 5.0, rect.center().y);
    matches!((inside, outside), (Some(a), Some(b)) if difference(a, b) <= 14)
}

fn centred(inner: &Rect, outer: &Rect) -> bool {
    (inner.center().x - outer.center().x).abs() < 1.5 && (inner.center().y - outer.center().y).abs() < 1.5
}

fn outermost(boxes: Vec<(Rect, bool)>) -> Vec<(Rect, bool)> {
    let mut kept: Vec<(Rect, bool)> = Vec::new();
    for (rect, checked) in boxes {
        // a box and the fringe of its outline are one
        match kept.iter_mut().find(|(other, _)| other.contains(rect.center())) {
            Some(other) => other.1 |= checked,
            None => kept.push((rect, checked)),
        }
    }
    kept
}

/// The card that is as a whole one choice: it holds this box, text and no second box.
fn card_of(evidence: &Evidence, mark: &Rect, boxes: &[(Rect, bool)]) -> Option<Rect> {
    let holds = |card: &Plate| {
        let r = card.rect;
        let one = boxes.iter().filter(|(other, _)| r.contains(other.center())).count() == 1;
        let split =
            evidence.hairlines.iter().any(|h| r.contains(h.rect.center()) && h.rect.width > 0.6 * r.width);
        r.contains(mark.center())
            && r.height <= 160.0
            && r.width >= 90.0
            && one
            && !split
            && !evidence.lines_in(&r).is_empty()
    };
    evidence.plates.iter().rev().find(|card| holds(card)).map(|card| card.rect)
}

/// The lines that name a control: in its row, before it (or behind it), the nearest; a wrapped label whole.
pub(super) fn label_beside(draft: &Draft, control: &Rect) -> Vec<usize> {
    let evidence = draft.evidence;
    let row = row_of(evidence, control);
    let mut lines: Vec<usize> = draft
        .free_lines(&row)
        .into_iter()
        .filter(|i| {
            let line = &evidence.lines[*i];
            line.rect.right() <= control.x + 2.0 || line.rect.x >= control.right() - 2.0
        })
        .collect();
    let gap = |i: &usize| {
        let line = evidence.lines[*i].rect;
        (control.x - line.right()).max(line.x - control.right())
    };
    let small = control.width < 36.0;
    if small {
        // a checkbox stands right beside its words
        lines.retain(|i| gap(i) < 40.0);
    }
    let Some(first) = lines.first().copied() else { return lines };
    let first = &evidence.lines[first];
    let wraps = |i: &usize| {
        let line = &evidence.lines[*i];
        (line.size / first.size - 1.0).abs() < 0.12
            && difference(line.ink, first.ink) < 40
            && (line.rect.x - first.rect.x).abs() < 4.0
    };
    let count = lines.iter().take_while(|i| wraps(i)).count();
    lines.truncate(count.max(1));
    lines
}

/// The row that a control stands in: its card between hairlines, else the text that overlaps it in height.
fn row_of(evidence: &Evidence, control: &Rect) -> Rect {
    let center = control.center();
    let card = evidence.plates.iter().rev().find(|p| {
        p.rect.contains(center) && p.rect.width > control.width * 2.5 && p.rect.height > control.height * 1.1
    });
    let bounds =
        card.map_or(Rect::new(0.0, 0.0, evidence.window.width, evidence.window.height), |card| card.rect);
    let mut top = bounds.y.max(center.y - 36.0);
    let mut bottom = bounds.bottom().min(center.y + 36.0);
    for hairline in evidence.hairlines.iter().filter(|h| h.rect.width > 0.5 * bounds.width) {
        let y = hairline.rect.center().y;
        if y < center.y { top = top.max(y) } else { bottom = bottom.min(y) }
    }
    if card.is_none() {
        // without a row drawn, only what really stands beside
        let near = evidence.lines.iter().filter(|line| beside(&line.rect, control) > 0.5);
        let (a, b) =
            near.fold((center.y, center.y), |(a, b), line| (a.min(line.rect.y), b.max(line.rect.bottom())));
        (top, bottom) = (top.max(a - 1.0), bottom.min(b + 1.0));
    }
    Rect::new(bounds.x, top, bounds.width, (bottom - top).max(1.0))
}
