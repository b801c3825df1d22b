//! Switches and checkboxes (radio buttons too) with their state. Uses `evidence`, `icons`, `scene`.

use crate::geometry::Rect;
use crate::role::Role;

use super::colour::{chroma, difference};
use super::evidence::{Blob, Evidence, beside};
use super::icons::{self, Icon};
use super::plates::Plate;
use super::scene::{Draft, Found};

pub(super) fn find(draft: &mut Draft) {
    let evidence = draft.evidence;
    for track in &evidence.plates {
        if draft.is_taken(&track.rect) {
            continue;
        }
        if let Some(on) = switch_state(evidence, track) {
            let label = label_beside(draft, &track.rect);
            let state = if on { "on" } else { "off" };
            draft.add(Found::new(Role::Switch, track.rect, 0.95).labelled(label).valued(state).selected(on));
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

/// On or off, where a plate is a switch's track: a capsule that holds nothing but a knob at one end.
fn switch_state(evidence: &Evidence, track: &Plate) -> Option<bool> {
    let rect = track.rect;
    let shaped = (20.0..=40.0).contains(&rect.height) && (1.4..=2.7).contains(&(rect.width / rect.height));
    if !shaped || !track.is_capsule() || !evidence.lines_in(&rect).is_empty() {
        return None;
    }
    let knob = evidence.plates_in(&rect).find(|knob| {
        let k = knob.rect;
        knob.is_capsule()
            && k.height >= 0.7 * rect.height
            && (0.3..=0.75).contains(&(k.width / rect.width))
            && difference(knob.colour, track.colour) >= 10
    })?;
    let (left, right) = (knob.rect.x - rect.x, rect.right() - knob.rect.right());
    if left.min(right) > 5.0 || (left - right).abs() < 4.0 {
        return None;
    }
    // right to left a switch is mirrored; a tinted track is on at either side
    Some(if chroma(track.colour) >= 50 { true } else { left > right && chroma(track.colour) >= 20 })
}

/// Checked or not, where a plate is a checkbox or radio button.
fn checkbox_state(evidence: &Evidence, plate: &Plate) -> Option<bool> {
    let rect = plate.rect;
    let square = (rect.width - rect.height).abs() <= 2.0;
    if !square || !(13.0..=34.0).contains(&rect.width) || !evidence.lines_in(&rect).is_empty() {
        return None;
    }
    let inked: Vec<&Blob> = evidence.blobs_in(&rect).filter(|b| b.rect.width < 0.93 * rect.width).collect();
    let dotted = evidence.plates_in(&rect).any(|dot| {
        let share = dot.rect.width / rect.width;
        dot.is_round()
            && (0.3..=0.75).contains(&share)
            && centred(&dot.rect, &rect)
            && difference(dot.colour, plate.colour) > 40
    });
    let checked = inked.iter().any(|blob| icons::classify(evidence, blob) == Some(Icon::Checkmark));
    let outlined = is_ring(evidence, plate);
    match (outlined, inked.is_empty(), checked || dotted) {
        (_, _, true) => Some(true),
        (true, true, false) => Some(false),
        _ => None,
    }
}

/// Drawn by a line round a ground like the one outside.
fn is_ring(evidence: &Evidence, plate: &Plate) -> bool {
    let rect = plate.rect;
    let inside = evidence.grid.at(rect.x + rect.width * 0.3, rect.y + rect.height * 0.5);
    let drawn = plate.stroke.is_some() || plate.is_outline() || plate.fill < 0.6;
    drawn && inside.is_some_and(|colour| difference(colour, plate.around) <= 14)
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
