//! Rows of lists: in cards, between separators, or told by repetition alone. Uses `evidence`, `icons`, `scene`.

use crate::geometry::Rect;
use crate::role::Role;

use super::blobs::Blob;
use super::colour::{chroma, difference};
use super::evidence::{Evidence, beside};
use super::fields::{has_trailing_chevron, is_centred, role_of, trailing_icon};
use super::icons::{self, Icon};
use super::plates::Plate;
use super::scene::{Draft, Found};

/// A row is no higher than this, in points, unless it has a chevron.
const ROW_MOST: f64 = 112.0;

/// Rows of cards: a card without hairlines is one row.
pub(super) fn find_in_cards(draft: &mut Draft) {
    let evidence = draft.evidence;
    for card in &evidence.plates {
        let rect = card.rect;
        let wide = rect.width >= 180.0 && rect.height >= 34.0;
        // what a keyboard or bar leaves of the page is no card
        let is_page = rect.y < 1.0 && rect.width >= evidence.window.width * 0.985;
        if !wide
            || is_page
            || draft.closed.iter().any(|c| c.contains(rect.center()))
            || draft.found.iter().any(|f| same_place(&f.rect, &rect))
        {
            continue;
        }
        let rows = rows_of(evidence, card);
        let several = rows.len() > 1;
        for row in rows {
            if let Some(found) = row_in_card(draft, card, &row, several) {
                draft.add(found);
            }
        }
    }
}

/// Cards beside each other, equal in size, each with words: what a grid of products or cities is made of.
pub(super) fn find_in_grids(draft: &mut Draft) {
    let evidence = draft.evidence;
    let is_tile = |p: &&Plate| {
        let r = p.rect;
        r.width >= 84.0
            && r.height >= 84.0
            && r.width < 0.7 * evidence.window.width
            && !evidence.lines_in(&r).is_empty()
    };
    let tiles: Vec<Rect> = evidence.plates.iter().filter(is_tile).map(|p| p.rect).collect();
    for tile in &tiles {
        let has_peer = tiles.iter().any(|other| {
            let equal = (other.width - tile.width).abs() < 2.5 && (other.height - tile.height).abs() < 2.5;
            equal && (other.y - tile.y).abs() < 2.5 && (other.x - tile.x).abs() > tile.width
        });
        if has_peer && !draft.is_taken(tile) && !draft.holds_control(tile) {
            let lines = draft.free_lines(tile);
            draft.add(Found::new(Role::Button, *tile, 0.7).labelled(lines));
        }
    }
}

fn same_place(a: &Rect, b: &Rect) -> bool {
    a.intersection(b).is_some_and(|common| common.area() > 0.7 * a.area().max(b.area()))
}

fn rows_of(evidence: &Evidence, card: &Plate) -> Vec<Rect> {
    let rect = card.rect;
    let mut edges = vec![rect.y];
    let splits = evidence.hairlines.iter().filter(|h| {
        let inside = h.rect.x >= rect.x - 1.0 && h.rect.right() <= rect.right() + 1.0;
        inside
            && h.rect.width >= 0.5 * rect.width
            && h.rect.y > rect.y + 16.0
            && h.rect.bottom() < rect.bottom() - 16.0
    });
    edges.extend(splits.map(|h| h.rect.center().y));
    if edges.len() == 1 {
        edges.extend(between_chevrons(evidence, &rect));
    }
    edges.push(rect.bottom());
    edges.windows(2).map(|pair| Rect::new(rect.x, pair[0], rect.width, pair[1] - pair[0])).collect()
}

/// Where rows without separators meet: halfway between chevrons that stand evenly below each other.
fn between_chevrons(evidence: &Evidence, card: &Rect) -> Vec<f64> {
    let is_trailing = |blob: &&Blob| {
        card.right() - blob.rect.right() < 60.0 && icons::classify(evidence, blob) == Some(Icon::ChevronRight)
    };
    let mut heights: Vec<f64> =
        evidence.blobs_in(card).filter(is_trailing).map(|blob| blob.rect.center().y).collect();
    heights.sort_by(f64::total_cmp);
    let Some(pitch) = heights.windows(2).map(|pair| pair[1] - pair[0]).reduce(f64::min) else {
        return Vec::new();
    };
    let even = heights.windows(2).all(|pair| pair[1] - pair[0] < pitch + 2.5);
    if !even || !(28.0..=ROW_MOST).contains(&pitch) {
        return Vec::new();
    }
    heights.windows(2).map(|pair| (pair[0] + pair[1]) / 2.0).collect()
}

fn row_in_card(draft: &Draft, card: &Plate, row: &Rect, several: bool) -> Option<Found> {
    let evidence = draft.evidence;
    let lines = draft.free_lines(row);
    if lines.is_empty() || draft.holds_control(row) {
        return None;
    }
    if has_trailing_chevron(evidence, row) {
        return (row.height <= 180.0 && lines.len() <= 6).then(|| cell(evidence, *row, lines));
    }
    let neutral = chroma(card.colour) <= 14;
    if row.height > ROW_MOST || lines.len() > 3 || !neutral {
        return None;
    }
    let full = row.width >= evidence.window.width * 0.985;
    if full && !several {
        return None;
    }
    row_by_text(draft, row, lines)
}

/// What a row without a chevron is, by its words.
fn row_by_text(draft: &Draft, row: &Rect, lines: Vec<usize>) -> Option<Found> {
    let evidence = draft.evidence;
    let first = &evidence.lines[lines[0]];
    let last = &evidence.lines[lines[lines.len() - 1]];
    if let Some(tick) = trailing_icon(evidence, row, &[Icon::Checkmark]) {
        let chosen = chroma(tick.ink) >= 50 || first.is_grey() == evidence.lines[lines[0]].is_grey();
        return Some(cell(evidence, *row, lines).selected(chosen));
    }
    if lines.len() == 1 && first.is_tinted() {
        return Some(Found::new(Role::Button, *row, 0.85).labelled(lines));
    }
    if lines.len() == 1 && first.is_faint() && !is_centred(row, &first.rect) {
        return Some(Found::new(role_of(evidence, &lines), *row, 0.8).labelled(lines));
    }
    let side_by_side = lines.len() == 2 && beside(&first.rect, &last.rect) > 0.5;
    if side_by_side && last.is_faint() {
        return Some(
            Found::new(role_of(evidence, &lines), *row, 0.8).labelled(vec![lines[0]]).holding(vec![lines[1]]),
        );
    }
    let prose = lines.len() >= 2
        && !side_by_side
        && first.rect.width > 0.8 * row.width
        && same_style(evidence, lines[0], lines[1]);
    let centred = lines.iter().all(|i| is_centred(row, &evidence.lines[*i].rect));
    (!prose && !centred).then(|| cell(evidence, *row, lines))
}

fn same_style(evidence: &Evidence, a: usize, b: usize) -> bool {
    let (a, b) = (&evidence.lines[a], &evidence.lines[b]);
    (a.size / b.size - 1.0).abs() < 0.12 && difference(a.ink, b.ink) < 40
}

/// A cell with what stands at its trailing side as its value.
fn cell(evidence: &Evidence, rect: Rect, lines: Vec<usize>) -> Found {
    let first = evidence.lines[lines[0]].rect;
    let trailing = |i: &usize| {
        let line = evidence.lines[*i].rect;
        *i != lines[0]
            && beside(&line, &first) > 0.4
            && line.x > first.right() + 12.0
            && line.right() > rect.x + 0.6 * rect.width
    };
    let (value, label): (Vec<usize>, Vec<usize>) = lines.iter().copied().partition(trailing);
    Found::new(Role::Cell, rect, 0.85).labelled(label).holding(value)
}

/// Rows on the page itself: between separators, else told by equal rows with equal pictures.
pub(super) fn find_in_lists(draft: &mut Draft) {
    find_between_separators(draft);
    find_repeated(draft);
}

fn find_between_separators(draft: &mut Draft) {
    let evidence = draft.evidence;
    let separators: Vec<Rect> = evidence
        .hairlines
        .iter()
        .map(|h| h.rect)
        .filter(|r| r.width >= 0.5 * evidence.window.width && !evidence.in_card(r))
        .filter(|r| !draft.closed.iter().any(|c| c.contains(r.center())))
        // what a field stands on separates no rows
        .filter(|r| {
            !draft.found.iter().any(|f| f.role.is_field() && (f.rect.bottom() - r.bottom()).abs() < 2.0)
        })
        .collect();
    let mut rows: Vec<Rect> = separators
        .windows(2)
        .map(|pair| Rect::new(0.0, pair[0].center().y, evidence.window.width, pair[1].y - pair[0].y))
        .collect();
    let mut heights: Vec<f64> = rows.iter().map(|r| r.height).collect();
    heights.sort_by(f64::total_cmp);
    if let (Some(first), Some(pitch)) = (separators.first(), heights.get(heights.len() / 2).copied()) {
        let bar = draft.closed.iter().filter(|c| c.y == 0.0).map(Rect::bottom).fold(0.0, f64::max);
        if first.y - pitch > bar {
            rows.insert(0, Rect::new(0.0, first.y - pitch, evidence.window.width, pitch));
        }
        let last = separators[separators.len() - 1];
        rows.push(Rect::new(0.0, last.y, evidence.window.width, pitch));
    }
    for row in rows {
        let lines = draft.free_lines(&row);
        if lines.is_empty()
            || draft.holds_control(&row)
            || row.height > 180.0
            || row.height < 28.0
            || row.y < 0.0
        {
            continue;
        }
        let found = if has_trailing_chevron(evidence, &row) {
            Some(cell(evidence, row, lines))
        } else if row.height <= ROW_MOST && lines.len() <= 3 {
            row_by_text(draft, &row, lines)
        } else {
            None
        };
        if let Some(found) = found {
            draft.add(found);
        }
    }
}

/// At least two rows of a picture with text beside it, at one place in the row and evenly apart; and what has a
/// chevron at the trailing edge.
fn find_repeated(draft: &mut Draft) {
    let evidence = draft.evidence;
    let mut rows: Vec<(usize, Rect)> = (0..evidence.lines.len())
        .filter(|i| !draft.line_taken[*i] && !draft.is_taken(&evidence.lines[*i].rect))
        .filter_map(|i| picture_beside(evidence, &evidence.lines[i].rect).map(|picture| (i, picture)))
        .collect();
    rows.sort_by(|a, b| a.1.y.total_cmp(&b.1.y));
    let mut start = 0;
    while start < rows.len() {
        let mut end = start + 1;
        while end < rows.len() && goes_on(evidence, &rows[start..end], &rows[end]) {
            end += 1;
        }
        if end - start >= 2 {
            let pitch = rows[start + 1].1.center().y - rows[start].1.center().y;
            for (line, picture) in &rows[start..end] {
                let margin = picture.x.min(evidence.window.width - picture.right()).min(16.0);
                let rect = Rect::new(
                    margin,
                    picture.center().y - pitch / 2.0,
                    evidence.window.width - 2.0 * margin,
                    pitch,
                );
                let lines = draft.free_lines(&rect);
                if !draft.holds_control(&rect) && lines.contains(line) && lines.len() <= 3 {
                    draft.add(cell(evidence, rect, lines));
                }
            }
        }
        start = end;
    }
}

fn goes_on(evidence: &Evidence, rows: &[(usize, Rect)], next: &(usize, Rect)) -> bool {
    let last = &rows[rows.len() - 1];
    let step = next.1.center().y - last.1.center().y;
    let even = match rows {
        [.., a, b] => (step - (b.1.center().y - a.1.center().y)).abs() < 2.5,
        _ => (32.0..=ROW_MOST).contains(&step),
    };
    let sized =
        (next.1.width - last.1.width).abs() < 4.0 && (next.1.center().x - last.1.center().x).abs() < 2.5;
    let (a, b) = (evidence.lines[last.0].rect, evidence.lines[next.0].rect);
    even && sized && ((a.x - b.x).abs() < 3.0 || (a.right() - b.right()).abs() < 3.0)
}

/// A picture of 18 to 64 points right beside a line, at the outer side of it.
fn picture_beside(evidence: &Evidence, line: &Rect) -> Option<Rect> {
    let fits = |rect: &Rect| {
        let gap = (line.x - rect.right()).max(rect.x - line.right());
        let outer = rect.right() <= evidence.window.width * 0.3 || rect.x >= evidence.window.width * 0.7;
        let sized = (18.0..=64.0).contains(&rect.width) && (16.0..=64.0).contains(&rect.height);
        sized
            && outer
            && (0.0..=26.0).contains(&gap)
            && rect.contains(crate::geometry::Point::new(rect.center().x, line.center().y))
    };
    evidence
        .plates
        .iter()
        .map(|p| p.rect)
        .find(fits)
        .or_else(|| evidence.blobs.iter().map(|b| b.rect).find(fits))
}
