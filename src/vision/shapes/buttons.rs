//! Buttons: filled, tinted and outlined ones, icon buttons, words in a tint colour, links.
//! Uses `evidence`, `icons`, `scene`.

use crate::geometry::Rect;
use crate::role::Role;

use super::blobs::Blob;
use super::colour::{chroma, contrast, difference, is_red, luma};
use super::evidence::{Evidence, Line, beside};
use super::fields::{is_centred, menu_chevron};
use super::icon_buttons;
use super::plates::Plate;
use super::scene::{Draft, Found};

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
        let found = if draft.free_lines(&rect).iter().all(|line| is_count(evidence, *line, &rect)) {
            icon_buttons::on_plate(draft, plate)
        } else {
            text_plate(draft, plate)
        };
        if let Some(found) = found {
            draft.add(found);
        }
    }
}

/// A small number in a corner, such as how many things are in a cart.
fn is_count(evidence: &Evidence, line: usize, plate: &Rect) -> bool {
    let (line, center) = (&evidence.lines[line], plate.center());
    let digits = line.text.len() <= 3 && line.text.bytes().all(|b| b.is_ascii_digit() || b == b'+');
    digits
        && (line.rect.center().x - center.x).abs() > 0.12 * plate.width
        && line.rect.center().y < center.y - 2.0
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
    let most = if chroma(plate.colour) > 60 { 4 } else { 2 };
    if lines.len() > most || icons.len() > 3 || !(in_middle(&words) || in_middle(&content) || is_menu) {
        return None;
    }
    let first = &evidence.lines[lines[0]];
    let quiet = !first.is_tinted() && chroma(plate.colour) < 24;
    // small grey plates are badges and tags
    if rect.height < if quiet { 27.0 } else { 23.0 } || is_badge(draft, plate, first) {
        return None;
    }
    // grey words in the middle of a white row say what goes on
    let bare = !(50.0..=235.0).contains(&luma(plate.colour));
    if quiet && bare && first.is_grey() && !first.is_faint() {
        return None;
    }
    // on dark grounds the same fading leaves more contrast
    let least = if luma(plate.colour) < 100.0 { 3.2 } else { 2.3 };
    let faded =
        contrast(first.ink, plate.colour) < least && chroma(first.ink) < 40 && chroma(plate.colour) < 40;
    let role = if is_address(first.text) { Role::Link } else { Role::Button };
    Some(Found::new(role, rect, 0.9).labelled(lines).enabled(!faded))
}

/// A small number or word on a coloured ground beside other text.
fn is_badge(draft: &Draft, plate: &Plate, line: &Line) -> bool {
    let rect = plate.rect;
    let short = line.text.chars().count() <= 3 && line.text.chars().any(|c| c.is_ascii_digit());
    short && rect.height < 27.0 && draft.evidence.lines.iter().any(|other| beside(&other.rect, &rect) > 0.5)
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

pub(super) fn bounds(rects: impl Iterator<Item = Rect>) -> Option<Rect> {
    rects.reduce(|a, b| a.union(&b))
}
