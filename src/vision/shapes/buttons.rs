//! Buttons: filled, tinted and outlined ones, icon buttons, words in a tint colour, links.
//! Uses `evidence`, `icons`, `scene`.

use crate::geometry::Rect;
use crate::role::Role;

use super::colour::{chroma, contrast, difference, is_red};
use super::evidence::{Blob, Evidence, Line, beside, grown};
use super::fields::{is_centred, menu_chevron};
use super::icons::{self, Icon};
use super::plates::Plate;
use super::scene::{Draft, Found};

/// Where a navigation bar's icons are, in points from the top.
const TOP_BAR: f64 = 130.0;

/// Buttons with a ground or an outline.
pub(super) fn find_filled(draft: &mut Draft) {
    let evidence = draft.evidence;
    for plate in &evidence.plates {
        let rect = plate.rect;
        let sized = (22.0..=80.0).contains(&rect.height)
            && rect.width >= 22.0
            && rect.width < evidence.window.width * 0.985;
        if !sized || draft.is_taken(&rect) || draft.holds_control(&rect) {
            continue;
        }
        let found = if draft.free_lines(&rect).is_empty() {
            icon_plate(draft, plate)
        } else {
            text_plate(draft, plate)
        };
        if let Some(found) = found {
            draft.add(found);
        }
    }
}

/// Words in the middle of a plate, perhaps with an icon before them.
fn text_plate(draft: &Draft, plate: &Plate) -> Option<Found> {
    let evidence = draft.evidence;
    let rect = plate.rect;
    let lines = draft.free_lines(&rect);
    let icons: Vec<&Blob> = evidence.blobs_in(&rect).collect();
    let words = bounds(lines.iter().map(|i| evidence.lines[*i].rect))?;
    let content = icons.iter().fold(words, |all, icon| all.union(&icon.rect));
    let in_middle =
        |r: &Rect| is_centred(&rect, r) && (r.center().y - rect.center().y).abs() <= 0.16 * rect.height + 2.0;
    let is_menu = lines.len() == 1 && menu_chevron(evidence, &words).is_some();
    if lines.len() > 2 || icons.len() > 3 || !(in_middle(&words) || in_middle(&content) || is_menu) {
        return None;
    }
    let first = &evidence.lines[lines[0]];
    let quiet = !first.is_tinted() && chroma(plate.colour) < 24;
    // small grey plates are badges and tags
    if rect.height < if quiet { 27.0 } else { 23.0 } || is_badge(draft, plate, first) {
        return None;
    }
    let faded =
        contrast(first.ink, plate.colour) < 2.3 && chroma(first.ink) < 40 && chroma(plate.colour) < 40;
    let role = if is_address(first.text) { Role::Link } else { Role::Button };
    Some(Found::new(role, rect, 0.9).labelled(lines).enabled(!faded))
}

/// A small number or word on a coloured ground beside other text.
fn is_badge(draft: &Draft, plate: &Plate, line: &Line) -> bool {
    let rect = plate.rect;
    let short = line.text.chars().count() <= 3 && line.text.chars().any(|c| c.is_ascii_digit());
    short && rect.height < 27.0 && draft.evidence.lines.iter().any(|other| beside(&other.rect, &rect) > 0.5)
}

/// An icon alone on a plate. A plate right beside text is that text's picture, a plate with nothing a decoration.
fn icon_plate(draft: &Draft, plate: &Plate) -> Option<Found> {
    let evidence = draft.evidence;
    let rect = plate.rect;
    let core = grown(&rect, -0.12 * rect.height);
    let blobs: Vec<&Blob> =
        evidence.blobs_in(&core).filter(|b| b.rect.width.max(b.rect.height) >= 3.0).collect();
    let shown = blobs.first().filter(|_| blobs.len() == 1).and_then(|blob| icons::classify(evidence, blob));
    if blobs.is_empty() || blobs.len() > 4 {
        return None;
    }
    if shown == Some(Icon::Spinner) {
        return (rect.width > 60.0)
            .then(|| Found::new(Role::Button, rect, 0.85).valued("loading").enabled(false));
    }
    let squarish = rect.width <= 1.7 * rect.height && rect.height >= 26.0 && rect.height <= 72.0;
    let content = bounds(blobs.iter().map(|b| b.rect))?;
    let in_middle = is_centred(&rect, &content) && (rect.center().y - content.center().y).abs() < 4.0;
    if !squarish || !in_middle || content.width > 0.8 * rect.width || has_words_beside(evidence, &rect) {
        return None;
    }
    let known = shown.map(Icon::name);
    // an unknown picture on a square is as likely an illustration
    (plate.is_round() || known.is_some() || rect.y < TOP_BAR)
        .then(|| Found::new(Role::IconButton, rect, 0.85).named(known))
}

fn has_words_beside(evidence: &Evidence, rect: &Rect) -> bool {
    evidence.lines.iter().any(|line| {
        let gap = (line.rect.x - rect.right()).max(rect.x - line.rect.right());
        beside(&line.rect, rect) > 0.5 && (-1.0..22.0).contains(&gap)
    })
}

/// Words without any ground, in a tint colour.
pub(super) fn find_plain(draft: &mut Draft) {
    let evidence = draft.evidence;
    for i in 0..evidence.lines.len() {
        let line = &evidence.lines[i];
        if draft.line_taken[i] || draft.is_taken(&line.rect) || !is_action(evidence, line) {
            continue;
        }
        let mut lines = vec![i];
        lines.extend(continuation(draft, i));
        let rect =
            lines.iter().map(|i| evidence.lines[*i].rect).reduce(|a, b| a.union(&b)).unwrap_or(line.rect);
        let role = if flows(evidence, line) || is_address(line.text) { Role::Link } else { Role::Button };
        let rect = Rect::new(rect.x - 6.0, rect.y - 5.0, rect.width + 12.0, rect.height + 10.0);
        draft.add(Found::new(role, rect, 0.75).labelled(lines));
    }
}

/// Tinted, with letters, no larger than a button's title, and no error or price.
fn is_action(evidence: &Evidence, line: &Line) -> bool {
    let letters = line.text.chars().filter(|c| c.is_alphabetic()).count();
    let words = line.text.split_whitespace().count();
    if !line.is_tinted() || line.size > 26.0 || (letters < 2 && !line.text.is_empty()) || line.text.is_empty()
    {
        return false;
    }
    let middle = (line.rect.center().x - evidence.window.width / 2.0).abs() < 8.0;
    let trailing = line.rect.x > evidence.window.width * 0.6;
    let [r, g, b] = line.ink.map(i32::from);
    let warns = is_red(line.ink) || (r > 150 && g > 90 && b < 100) || (g > r + 30 && g > b + 30);
    // red, orange and green words at the left are messages: errors, warnings, what went well
    !(warns && ((!middle && !trailing) || words > 4 || line.text.ends_with('.')))
}

/// The next lines of a wrapped title.
fn continuation(draft: &Draft, first: usize) -> Vec<usize> {
    let evidence = draft.evidence;
    let mut lines = Vec::new();
    let mut last = &evidence.lines[first];
    for (i, line) in evidence.lines.iter().enumerate() {
        let gap = line.rect.y - last.rect.bottom();
        let same = difference(line.ink, last.ink) < 24 && (line.size / last.size - 1.0).abs() < 0.12;
        let under = (0.0..0.7 * last.size).contains(&gap) && (line.rect.x - last.rect.x).abs() < 4.0;
        if i != first && !draft.line_taken[i] && same && under {
            lines.push(i);
            last = line;
        }
    }
    lines
}

/// In the middle of a sentence: other ink goes on right before or behind, at the same height.
fn flows(evidence: &Evidence, line: &Line) -> bool {
    evidence.lines.iter().any(|other| {
        let gap = (other.rect.x - line.rect.right()).max(line.rect.x - other.rect.right());
        let level = (other.rect.bottom() - line.rect.bottom()).abs() < 4.0
            && (other.size / line.size - 1.0).abs() < 0.15;
        level && (0.0..9.0).contains(&gap) && !other.is_tinted()
    })
}

fn is_address(text: &str) -> bool {
    text.starts_with("http://") || text.starts_with("https://") || text.starts_with("www.")
}

/// Icons without a ground: what a bar holds, and what is known to be an action.
pub(super) fn find_icons(draft: &mut Draft) {
    let evidence = draft.evidence;
    for blob in &evidence.blobs {
        let rect = blob.rect;
        let sized = (8.0..=40.0).contains(&rect.width.max(rect.height)) && rect.width.min(rect.height) >= 2.0;
        if !sized || draft.is_taken(&rect) || is_in_picture(evidence, &rect) {
            continue;
        }
        let shown = icons::classify(evidence, blob);
        let action = matches!(
            shown,
            Some(
                Icon::Close
                    | Icon::Plus
                    | Icon::More
                    | Icon::Menu
                    | Icon::Share
                    | Icon::Trash
                    | Icon::Settings
                    | Icon::Search
            )
        );
        let in_bar =
            rect.y < TOP_BAR && rect.width.min(rect.height) >= 10.0 && !has_words_beside(evidence, &rect);
        let apart = !has_words_beside(evidence, &rect);
        let tinted = chroma(blob.ink) >= 70 && rect.width.min(rect.height) >= 14.0 && !is_red(blob.ink);
        let meaningless =
            matches!(shown, Some(Icon::Checkmark | Icon::ChevronRight | Icon::Spinner | Icon::Minus));
        if apart && !meaningless && (action || in_bar || (tinted && shown.is_some())) {
            draft.add(Found::new(Role::IconButton, grown(&rect, 6.0), 0.7).named(shown.map(Icon::name)));
        }
    }
}

/// A part of a larger drawing.
fn is_in_picture(evidence: &Evidence, rect: &Rect) -> bool {
    let around = grown(rect, 6.0);
    evidence.blobs.iter().any(|other| {
        other.rect != *rect
            && other.rect.width.max(other.rect.height) > 40.0
            && other.rect.intersection(&around).is_some()
    })
}

pub(super) fn bounds(rects: impl Iterator<Item = Rect>) -> Option<Rect> {
    rects.reduce(|a, b| a.union(&b))
}
