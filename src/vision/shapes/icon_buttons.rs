//! Icon buttons: an icon on a plate of its own, or an icon that is told as an action by its look and place.
//! Uses `evidence`, `icons`, `scene`.

use crate::geometry::Rect;
use crate::role::Role;

use super::blobs::Blob;
use super::buttons::bounds;
use super::colour::{chroma, difference, is_red};
use super::evidence::{Evidence, beside, grown};
use super::icons::{self, Icon};
use super::plates::Plate;
use super::scene::{Draft, Found};

/// Where a navigation bar's icons are, in points from the top.
const TOP_BAR: f64 = 130.0;

/// An icon alone on a plate. A plate right beside text is that text's picture, a plate with nothing a decoration.
pub(super) fn on_plate(draft: &Draft, plate: &Plate) -> Option<Found> {
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
    // a badge at its corner moves what is drawn out of the middle
    let slack = if plate.is_round() { 0.2 * rect.width } else { 4.0 };
    let in_middle = (rect.center().x - content.center().x).abs() <= slack
        && (rect.center().y - content.center().y).abs() <= slack;
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

/// Icons without a ground: what a bar holds, and what is known to be an action.
pub(super) fn find(draft: &mut Draft) {
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
        let grouped =
            rect.width.min(rect.height) >= 14.0 && chroma(blob.ink) >= 70 && has_peers(evidence, blob);
        let meaningless =
            matches!(shown, Some(Icon::Checkmark | Icon::ChevronRight | Icon::Spinner | Icon::Minus));
        if apart && !meaningless && (action || in_bar || grouped || (tinted && shown.is_some())) {
            draft.add(Found::new(Role::IconButton, grown(&rect, 6.0), 0.7).named(shown.map(Icon::name)));
        }
    }
}

/// Another icon of about its size stands in its row, in the same ink.
fn has_peers(evidence: &Evidence, blob: &Blob) -> bool {
    evidence.blobs.iter().any(|other| {
        let (a, b) = (&blob.rect, &other.rect);
        let sized =
            (0.6..=1.7).contains(&(a.height / b.height)) && (0.5..=2.0).contains(&(a.width / b.width));
        let apart = (a.center().x - b.center().x).abs() > 30.0;
        sized && apart && (a.center().y - b.center().y).abs() < 4.0 && difference(blob.ink, other.ink) < 24
    })
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
