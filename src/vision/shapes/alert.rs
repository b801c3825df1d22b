//! Alerts: a card in the middle of a dimmed screen, its words and its buttons; and sheets from the bottom edge.
//! Uses `evidence`, `scene`.

use crate::geometry::Rect;
use crate::role::Role;

use super::Shape;
use super::colour::{difference, is_red, luma};
use super::evidence::{Evidence, contains};
use super::plates::Plate;
use super::scene::{AlertShape, Draft, Found};

/// An alert as found, its buttons still in points.
pub(super) struct Alert {
    rect: Rect,
    title: Vec<usize>,
    message: Vec<usize>,
}

impl Alert {
    /// With the buttons as they stand in the finished list of shapes.
    pub fn onto(self, evidence: &Evidence, shapes: &[Shape]) -> AlertShape {
        let rect = evidence.pixels(&self.rect);
        let inside = |shape: &Shape| {
            let center = (shape.rect.x + shape.rect.width / 2, shape.rect.y + shape.rect.height / 2);
            shape.role == Role::Button && rect.contains(center.0, center.1)
        };
        let buttons = (0..shapes.len()).filter(|i| inside(&shapes[*i])).collect();
        let (title_lines, message_lines) = (evidence.indices(&self.title), evidence.indices(&self.message));
        AlertShape { rect, title_lines, message_lines, buttons }
    }
}

pub(super) fn find(draft: &mut Draft) -> Option<Alert> {
    let evidence = draft.evidence;
    find_sheet(draft);
    let card = evidence.plates.iter().find(|plate| is_alert_card(evidence, plate))?.clone();
    let buttons = buttons(evidence, &card);
    if buttons.is_empty() {
        return None;
    }
    let first_button = buttons.iter().map(|(rect, _)| rect.y).fold(f64::MAX, f64::min);
    let words: Vec<usize> = evidence
        .lines_in(&card.rect)
        .into_iter()
        .filter(|i| evidence.lines[*i].rect.center().y < first_button)
        .collect();
    let (title, message) = split_words(evidence, &words);
    for (rect, lines) in buttons {
        let enabled = !lines.iter().all(|i| evidence.lines[*i].is_faint());
        draft.add(Found::new(Role::Button, rect, 0.95).labelled(lines).enabled(enabled));
    }
    // the words stay texts, and make no button of the part of the card they stand on
    words.iter().for_each(|line| draft.line_taken[*line] = true);
    Some(Alert { rect: card.rect, title, message })
}

/// In the middle, as wide as alerts are, and lighter than the dimmed screen round it.
fn is_alert_card(evidence: &Evidence, plate: &Plate) -> bool {
    let (rect, window) = (plate.rect, evidence.window);
    let centred = (rect.center().x - window.width / 2.0).abs() < 4.0;
    let middle = (rect.center().y - window.height / 2.0).abs() < window.height * 0.2;
    let sized = (230.0..=340.0).contains(&rect.width) && (80.0..=window.height * 0.8).contains(&rect.height);
    let raised = luma(plate.colour) > luma(plate.around) + 8.0 && plate.radius >= 5.0;
    centred && middle && sized && raised && is_dimmed(evidence, rect) && !evidence.lines_in(&rect).is_empty()
}

/// Nothing outside the card is as light as white paper or the card itself: a veil lies over the rest.
fn is_dimmed(evidence: &Evidence, card: Rect) -> bool {
    let window = evidence.window;
    let card_colour = evidence.grid.at(card.x + card.width * 0.5, card.y + 6.0).unwrap_or([255; 3]);
    let outside: Vec<f64> = (0..24)
        .flat_map(|i| (0..12).map(move |j| (i, j)))
        .map(|(i, j)| {
            (window.width * (f64::from(j) + 0.5) / 12.0, window.height * (f64::from(i) + 0.5) / 24.0)
        })
        .filter(|(x, y)| {
            !(card.x - 4.0..card.right() + 4.0).contains(x)
                || !(card.y - 4.0..card.bottom() + 4.0).contains(y)
        })
        .filter_map(|(x, y)| evidence.grid.at(x, y))
        .map(luma)
        .collect();
    // in the dark what is written under the veil is lighter than the card
    let light = outside.iter().filter(|l| **l >= luma(card_colour) - 8.0).count();
    light * 12 < outside.len()
}

/// The buttons: plates of their own, else what the hairlines at the bottom part, else the tinted lines.
fn buttons(evidence: &Evidence, card: &Plate) -> Vec<(Rect, Vec<usize>)> {
    let filled: Vec<(Rect, Vec<usize>)> = evidence
        .plates_in(&card.rect)
        .filter(|p| {
            (30.0..=64.0).contains(&p.rect.height) && p.rect.width > 70.0 && p.rect.width < card.rect.width
        })
        .map(|p| (p.rect, evidence.lines_in(&p.rect)))
        .filter(|(_, lines)| lines.len() == 1)
        .collect();
    if !filled.is_empty() {
        return filled;
    }
    let bounds = card.rect;
    let wide =
        |h: &&super::thin::Hairline| contains(&bounds, &h.rect, 1.5) && h.rect.width > 0.8 * bounds.width;
    let mut edges: Vec<f64> = evidence.hairlines.iter().filter(wide).map(|h| h.rect.center().y).collect();
    if edges.is_empty() {
        return Vec::new();
    }
    edges.push(bounds.bottom());
    let mut found = Vec::new();
    for pair in edges.windows(2) {
        let row = Rect::new(bounds.x, pair[0], bounds.width, pair[1] - pair[0]);
        let lines = evidence.lines_in(&row);
        let is_action = |i: &usize| {
            evidence.lines[*i].is_tinted() || is_red(evidence.lines[*i].ink) || evidence.lines[*i].is_faint()
        };
        if row.height > 70.0 || lines.is_empty() || !lines.iter().any(is_action) {
            continue;
        }
        let width = row.width / lines.len() as f64;
        for (i, line) in lines.iter().enumerate() {
            found.push((Rect::new(row.x + width * i as f64, row.y, width, row.height), vec![*line]));
        }
    }
    found
}

/// The title is the first words in one style; what follows is the message.
fn split_words(evidence: &Evidence, words: &[usize]) -> (Vec<usize>, Vec<usize>) {
    let Some(first) = words.first().map(|i| &evidence.lines[*i]) else { return (Vec::new(), Vec::new()) };
    let (size, ink) = (first.size, first.ink);
    let as_first = |i: &&usize| {
        let line = &evidence.lines[**i];
        (line.size / size - 1.0).abs() < 0.14 && difference(line.ink, ink) < 48
    };
    let count = words.iter().take_while(as_first).count();
    (words[..count].to_vec(), words[count..].to_vec())
}

/// A card that rises from the bottom edge with round upper corners, over a darker screen.
fn find_sheet(draft: &mut Draft) {
    let evidence = draft.evidence;
    let window = evidence.window;
    let is_sheet = |plate: &&Plate| {
        let rect = plate.rect;
        let edge = rect.bottom() > window.height - 3.0 && rect.width > window.width * 0.94;
        let part = rect.y > 30.0 && rect.height > 120.0 && plate.radius >= 3.5;
        edge && part && luma(plate.colour) > luma(plate.around) + 8.0
    };
    if let Some(sheet) = evidence.plates.iter().find(is_sheet) {
        draft.found.push(Found::new(Role::Sheet, sheet.rect, 0.7));
    }
}
