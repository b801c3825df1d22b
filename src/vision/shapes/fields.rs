//! Text, secure and search fields: boxed and underlined, with their captions. Uses `evidence`, `icons`, `scene`.

use crate::geometry::Rect;
use crate::role::Role;

use super::blobs::Blob;
use super::colour::{chroma, contrast, difference};
use super::evidence::{Evidence, Line, beside, grown};
use super::icons::{self, Icon};
use super::plates::Plate;
use super::scene::{Draft, Found};
use super::thin::Hairline;

/// Fields with a ground or an outline of their own.
pub(super) fn find_boxed(draft: &mut Draft) {
    let evidence = draft.evidence;
    for plate in &evidence.plates {
        let rect = plate.rect;
        let sized = (26.0..=76.0).contains(&rect.height) && rect.width >= 80.0;
        if !sized || draft.is_taken(&rect) || draft.holds_control(&rect) || chroma(plate.colour) > 40 {
            continue;
        }
        if let Some(found) = boxed(draft, plate) {
            draft.add(found);
            draft.found.extend(clearing(evidence, &rect));
        }
    }
}

/// The small round button at the end of a field that empties it.
fn clearing(evidence: &Evidence, field: &Rect) -> Option<Found> {
    let at_the_end = |r: &Rect| (11.0..=22.0).contains(&r.width) && field.right() - r.right() < 16.0;
    let dot = evidence.plates_in(field).find(|plate| plate.is_round() && at_the_end(&plate.rect));
    let round = dot.filter(|dot| {
        evidence
            .drawing_on(dot)
            .is_some_and(|drawing| icons::classify(evidence, &drawing) == Some(Icon::Close))
    });
    round.map(|dot| Found::new(Role::IconButton, dot.rect, 0.8).named(Some("Clear text")))
}

fn boxed(draft: &Draft, plate: &Plate) -> Option<Found> {
    let evidence = draft.evidence;
    let rect = plate.rect;
    let lines = draft.free_lines(&rect);
    let magnifier = evidence.blobs_in(&rect).find(|b| icons::classify(evidence, b) == Some(Icon::Search));
    if magnifier.is_some_and(|icon| is_at_an_end(&rect, &icon.rect)) && lines.len() <= 2 {
        return Some(Found::new(Role::SearchField, rect, 0.95).labelled(lines));
    }
    let outlined = plate.is_outline() || plate.stroke.is_some();
    let inside = within_outline(&rect);
    match lines.as_slice() {
        [] => {
            let empty =
                evidence.blobs_in(&inside).next().is_none() && evidence.plates_in(&inside).next().is_none();
            let caption = caption_above(draft, &rect)?;
            // a narrow one is outlined, and its caption begins where it begins
            let begins = (evidence.lines[caption].rect.x - rect.x).abs() < 4.0;
            let named = rect.width >= 140.0 || (outlined && begins);
            (empty && named && rect.height >= 30.0)
                .then(|| Found::new(Role::TextField, rect, 0.75).labelled(vec![caption]))
        }
        [line] => one_line(draft, plate, outlined, *line),
        // a small caption inside the box, over what was typed
        [caption, value] => {
            let (a, b) = (&evidence.lines[*caption], &evidence.lines[*value]);
            let stacked = a.rect.bottom() <= b.rect.y + 2.0 && aligned(a, b) && a.size < 0.9 * b.size;
            (outlined && stacked && !has_trailing_chevron(evidence, &rect)).then(|| {
                Found::new(role_of(evidence, &[*caption, *value]), rect, 0.8)
                    .labelled(vec![*caption])
                    .holding(vec![*value])
            })
        }
        _ => None,
    }
}

/// Without the outline, whose corners may be drawn apart from its sides.
fn within_outline(field: &Rect) -> Rect {
    grown(field, -4.0)
}

fn one_line(draft: &Draft, plate: &Plate, outlined: bool, index: usize) -> Option<Found> {
    let evidence = draft.evidence;
    let (rect, line) = (plate.rect, &evidence.lines[index]);
    let leading = leading_inset(&rect, &line.rect) <= 0.25 * rect.width && !is_centred(&rect, &line.rect);
    let secret = is_dots(line.text);
    let caption = caption_above(draft, &rect);
    let captioned = caption.is_some_and(|caption| names_closely(&evidence.lines[caption], line, &rect));
    let typed = line.is_faint() || secret || ((outlined || captioned) && !line.is_tinted());
    let busy = evidence
        .blobs_in(&within_outline(&rect))
        .any(|b| leading_inset(&rect, &b.rect) < leading_inset(&rect, &line.rect) - 2.0);
    if !leading || !typed || (busy && !line.is_faint()) || has_trailing_chevron(evidence, &rect) {
        return None;
    }
    let named: Vec<usize> = caption.into_iter().chain([index]).collect();
    let found = Found::new(role_of(evidence, &named), rect, 0.85);
    Some(match caption {
        Some(caption) => found.labelled(vec![caption]).holding(vec![index]),
        None if line.is_faint() => found.labelled(vec![index]),
        None => found.holding(vec![index]),
    })
}

/// Whether a caption begins where its box does, small over what the box holds: the heading of a section is inset.
fn names_closely(caption: &Line, held: &Line, field: &Rect) -> bool {
    let begins = (caption.rect.x - field.x).abs() < 4.0 || (caption.rect.right() - field.right()).abs() < 4.0;
    begins && field.y - caption.rect.bottom() <= 14.0 && caption.size < held.size
}

/// Fields that are a line of text on a rule, with a small caption over it.
pub(super) fn find_underlined(draft: &mut Draft) {
    let evidence = draft.evidence;
    for rule in &evidence.hairlines {
        if draft.closed.iter().any(|c| c.contains(rule.rect.center())) || evidence.in_card(&rule.rect) {
            continue;
        }
        let Some(form) = on_rule(draft, rule) else { continue };
        let top = form
            .caption
            .iter()
            .chain(&form.values)
            .map(|i| evidence.lines[*i].rect.y)
            .fold(f64::MAX, f64::min);
        let rect = Rect::new(rule.rect.x, top - 4.0, rule.rect.width, rule.rect.bottom() - top + 4.0);
        let all: Vec<usize> = form.caption.into_iter().chain(form.values.iter().copied()).collect();
        if has_trailing_chevron(evidence, &rect) {
            // without a caption it is a row of a list
            if let Some(caption) = form.caption {
                let found = Found::new(Role::Cell, rect, 0.85);
                draft.add(found.labelled(vec![caption]).holding(form.values));
            }
            continue;
        }
        let mut values = form.values;
        add_pickers(draft, &rect, &mut values);
        let found = Found::new(role_of(evidence, &all), rect, 0.85);
        draft.add(match form.caption {
            Some(caption) => found.labelled(vec![caption]).holding(values),
            None => found.labelled(values),
        });
    }
}

struct Form {
    caption: Option<usize>,
    values: Vec<usize>,
}

/// The text that stands on a rule: lines close over it and the caption over those.
fn on_rule(draft: &Draft, rule: &Hairline) -> Option<Form> {
    let evidence = draft.evidence;
    let r = rule.rect;
    let above = Rect::new(r.x - 2.0, r.y - 130.0, r.width + 4.0, 130.0);
    let mut lines = draft.free_lines(&above);
    // nothing above another rule or a control belongs here
    let floor = evidence
        .hairlines
        .iter()
        .filter(|h| h.rect.y < r.y - 6.0 && overlap_x(&h.rect, &r))
        .map(|h| h.rect.bottom());
    let controls = draft
        .found
        .iter()
        .filter(|f| f.rect.center().y < r.y && overlap_x(&f.rect, &r))
        .map(|f| f.rect.bottom());
    let floor = floor.chain(controls).fold(0.0, f64::max);
    lines.retain(|i| evidence.lines[*i].rect.y >= floor - 1.0);
    lines.reverse();
    let last = evidence.lines.get(*lines.first()?)?;
    let under = r.y - last.rect.bottom();
    if !(1.0..=14.0).contains(&under) || last.size > 24.0 {
        return None;
    }
    let (mut values, mut caption, mut top) = (Vec::new(), None, last.rect.y);
    for i in lines {
        let line = &evidence.lines[i];
        if top - line.rect.bottom() > 21.0 {
            break;
        }
        let stacked = line.rect.bottom() <= top + 1.0;
        // a title over its subtitle is darker and no smaller
        let other_ink = difference(line.ink, last.ink) >= 60 && !last.is_faint();
        let lighter = contrast(line.ink, line.ground) < contrast(last.ink, last.ground);
        let captioned = line.size < 0.92 * last.size || (other_ink && lighter);
        if stacked && captioned && starts_with(line, &r) {
            caption = Some(i);
            break;
        }
        let like_last = (line.size / last.size - 1.0).abs() < 0.2;
        if !like_last {
            break;
        }
        values.push(i);
        top = top.min(line.rect.y);
    }
    evidence.sort_for_reading(&mut values);
    let steps =
        values.windows(2).filter(|w| evidence.lines[w[1]].rect.y > evidence.lines[w[0]].rect.bottom() - 2.0);
    let rows = 1 + steps.count();
    let above_gap = top - floor;
    let sits_low = above_gap >= 1.6 * under || floor == 0.0;
    let typed =
        values.len() <= 3 && (caption.is_some() || (sits_low && under <= 11.0 && starts_with(last, &r)));
    (typed || (caption.is_some() && rows <= 5)).then_some(Form { caption, values })
}

/// A word with a chevron down behind it, inside a field: a menu of its own.
fn add_pickers(draft: &mut Draft, field: &Rect, values: &mut Vec<usize>) {
    let evidence = draft.evidence;
    let menus: Vec<(usize, Rect)> = values
        .iter()
        .filter_map(|i| menu_chevron(evidence, &evidence.lines[*i].rect).map(|chevron| (*i, chevron.rect)))
        .filter(|(_, chevron)| field.contains(chevron.center()))
        .collect();
    for (line, chevron) in menus {
        values.retain(|i| *i != line);
        let rect = evidence.lines[line].rect.union(&chevron);
        draft.add(Found::new(Role::Button, rect, 0.8).labelled(vec![line]));
    }
}

/// A chevron down right behind a word.
pub(super) fn menu_chevron<'e>(evidence: &'e Evidence, word: &Rect) -> Option<&'e Blob> {
    evidence.blobs.iter().find(|blob| {
        let near = (-0.5..=12.0).contains(&(blob.rect.x - word.right())) && beside(&blob.rect, word) > 0.5;
        near && matches!(icons::classify(evidence, blob), Some(Icon::ChevronDown | Icon::ChevronUpDown))
    })
}

/// The line close above a box that names it.
pub(super) fn caption_above(draft: &Draft, rect: &Rect) -> Option<usize> {
    let evidence = draft.evidence;
    let near = |i: &usize| {
        let line = &evidence.lines[*i];
        let gap = rect.y - line.rect.bottom();
        let begins = line.rect.x >= rect.x - 6.0 && line.rect.x <= rect.x + 28.0;
        let ends = line.rect.right() <= rect.right() + 6.0 && line.rect.right() >= rect.right() - 28.0;
        (0.0..=18.0).contains(&gap) && (begins || ends) && line.size <= 20.0 && !draft.line_taken[*i]
    };
    let gap = |i: &usize| rect.y - evidence.lines[*i].rect.bottom();
    (0..evidence.lines.len()).filter(near).min_by(|a, b| gap(a).total_cmp(&gap(b)))
}

/// Secure where dots stand for letters, search where the words say so.
pub(super) fn role_of(evidence: &Evidence, lines: &[usize]) -> Role {
    let says = |word: &str| lines.iter().any(|i| evidence.lines[*i].text.to_lowercase().contains(word));
    if lines.iter().any(|i| is_dots(evidence.lines[*i].text))
        || says("password")
        || says("passcode")
        || says("passwort")
        || says("contraseña")
    {
        Role::SecureField
    } else if lines.first().is_some_and(|i| evidence.lines[*i].text.to_lowercase().starts_with("search")) {
        Role::SearchField
    } else {
        Role::TextField
    }
}

fn is_dots(text: &str) -> bool {
    let mut count = 0;
    text.chars().filter(|c| !c.is_whitespace()).all(|c| {
        count += 1;
        matches!(c, '•' | '●' | '·' | '*' | '∙' | '⚫' | '・' | '．' | '.')
    }) && count >= 3
}

/// A chevron right at the trailing edge (left, right to left), with no text behind it.
pub(super) fn has_trailing_chevron(evidence: &Evidence, rect: &Rect) -> bool {
    trailing_icon(evidence, rect, &[Icon::ChevronRight]).is_some()
        || leading_icon(evidence, rect, &[Icon::ChevronLeft]).is_some()
}

pub(super) fn trailing_icon<'e>(evidence: &'e Evidence, rect: &Rect, icons: &[Icon]) -> Option<&'e Blob> {
    let free =
        |blob: &Blob| !evidence.lines_in(rect).iter().any(|i| evidence.lines[*i].rect.x > blob.rect.right());
    evidence
        .blobs_in(rect)
        .filter(|blob| rect.right() - blob.rect.right() < 60.0 && free(blob))
        .find(|blob| icons::classify(evidence, blob).is_some_and(|icon| icons.contains(&icon)))
}

fn leading_icon<'e>(evidence: &'e Evidence, rect: &Rect, icons: &[Icon]) -> Option<&'e Blob> {
    let free =
        |blob: &Blob| !evidence.lines_in(rect).iter().any(|i| evidence.lines[*i].rect.right() < blob.rect.x);
    evidence
        .blobs_in(rect)
        .filter(|blob| blob.rect.x - rect.x < 60.0 && free(blob))
        .find(|blob| icons::classify(evidence, blob).is_some_and(|icon| icons.contains(&icon)))
}

pub(super) fn is_centred(outer: &Rect, inner: &Rect) -> bool {
    (outer.center().x - inner.center().x).abs() <= (0.03 * outer.width).max(4.0)
}

/// How far text starts from the nearer side, left or (right to left) right.
fn leading_inset(outer: &Rect, inner: &Rect) -> f64 {
    (inner.x - outer.x).min(outer.right() - inner.right())
}

fn is_at_an_end(outer: &Rect, inner: &Rect) -> bool {
    leading_inset(outer, inner) < 26.0
}

fn aligned(a: &Line, b: &Line) -> bool {
    (a.rect.x - b.rect.x).abs() < 4.0 || (a.rect.right() - b.rect.right()).abs() < 4.0
}

fn starts_with(line: &Line, rule: &Rect) -> bool {
    (line.rect.x - rule.x).abs() < 8.0 || (line.rect.right() - rule.right()).abs() < 8.0
}

fn overlap_x(a: &Rect, b: &Rect) -> bool {
    a.x < b.right() && b.x < a.right()
}

impl Evidence<'_> {
    /// Whether a place lies in a card narrower than the window.
    pub fn in_card(&self, rect: &Rect) -> bool {
        let is_card = |p: &Plate| {
            p.rect.width < self.window.width * 0.985 && p.rect.height > 30.0 && p.rect.width > 160.0
        };
        self.plates
            .iter()
            .any(|p| is_card(p) && p.rect.contains(rect.center()) && difference(p.colour, p.around) > 2)
    }
}
