//! Sliders, progress bars and spinners. Uses `evidence`, `icons`, `scene`.

use crate::geometry::Rect;
use crate::role::Role;

use super::colour::{chroma, difference};
use super::evidence::Evidence;
use super::icons::{self, Icon};
use super::scene::{Draft, Found};
use super::thin::Sliver;
use super::toggles::label_beside;

pub(super) fn find(draft: &mut Draft) {
    find_sliders(draft);
    find_white_on_white(draft);
    find_bars(draft);
}

/// A knob with a thin track to one or both sides.
fn find_sliders(draft: &mut Draft) {
    let evidence = draft.evidence;
    for knob in &evidence.plates {
        let rect = knob.rect;
        let sized = (14.0..=42.0).contains(&rect.width) && (14.0..=34.0).contains(&rect.height);
        if !sized || !knob.is_capsule() || draft.is_taken(&rect) {
            continue;
        }
        let center = rect.center();
        let level = |s: &&Sliver| {
            (s.rect.center().y - center.y).abs() <= 2.5 && s.rect.width >= 8.0 && s.rect.height <= 8.0
        };
        let left = evidence.slivers.iter().filter(level).find(|s| (rect.x - s.rect.right()).abs() <= 4.0);
        let right = evidence.slivers.iter().filter(level).find(|s| (s.rect.x - rect.right()).abs() <= 4.0);
        let start = left.map_or(rect.x, |s| s.rect.x);
        let end = right.map_or(rect.right(), |s| s.rect.right());
        if (left.is_none() && right.is_none()) || end - start < 70.0 {
            continue;
        }
        let share = (center.x - start - rect.width / 2.0) / (end - start - rect.width).max(1.0);
        let whole = Rect::new(start, rect.y, end - start, rect.height);
        let label = label_beside(draft, &whole);
        draft.add(Found::new(Role::Slider, whole, 0.9).labelled(label).valued(percent(share)));
    }
}

/// A track in two colours with room for a knob between: the knob itself can't be told from its ground.
fn find_white_on_white(draft: &mut Draft) {
    let evidence = draft.evidence;
    for left in &evidence.slivers {
        let l = left.rect;
        let right = evidence.slivers.iter().find(|right| {
            let r = right.rect;
            let level = (r.center().y - l.center().y).abs() < 1.5 && (r.height - l.height).abs() < 2.0;
            level && (13.0..=46.0).contains(&(r.x - l.right())) && difference(left.colour, right.colour) >= 30
        });
        let Some(right) = right.filter(|_| (2.0..=8.0).contains(&l.height)) else { continue };
        let knob = Rect::new(l.right(), l.center().y - 14.0, right.rect.x - l.right(), 28.0);
        let whole = Rect::new(l.x, knob.y, right.rect.right() - l.x, knob.height);
        if whole.width < 90.0 || draft.is_taken(&knob) || !evidence.lines_in(&whole).is_empty() {
            continue;
        }
        let share = l.width / (l.width + right.rect.width).max(1.0);
        let label = label_beside(draft, &whole);
        draft.add(Found::new(Role::Slider, whole, 0.8).labelled(label).valued(percent(share)));
    }
}

/// A thin bar in two colours: what is done and what is left.
fn find_bars(draft: &mut Draft) {
    let evidence = draft.evidence;
    for done in &evidence.slivers {
        let rect = done.rect;
        if !(2.0..=8.0).contains(&rect.height)
            || rect.width < 4.0
            || draft.is_taken(&rect)
            || chroma(done.colour) < 50
        {
            continue;
        }
        let rest = evidence.slivers.iter().find(|rest| {
            let r = rest.rect;
            let level = (r.center().y - rect.center().y).abs() < 1.2 && (r.height - rect.height).abs() < 1.6;
            level && (r.x - rect.right()).abs() <= 2.0 && difference(rest.colour, done.colour) > 30
        });
        let Some(rest) = rest else { continue };
        let whole = rect.union(&rest.rect);
        if whole.width >= 60.0 {
            let value = percent(rect.width / whole.width);
            draft.add(Found::new(Role::Progress, whole, 0.8).valued(value));
        }
    }
}

/// Spinners outside of buttons: a button shows that it is busy itself.
pub(super) fn find_spinners(draft: &mut Draft) {
    let evidence: &Evidence = draft.evidence;
    for blob in &evidence.blobs {
        let sized = (10.0..=48.0).contains(&blob.rect.width);
        if sized && !draft.is_taken(&blob.rect) && icons::classify(evidence, blob) == Some(Icon::Spinner) {
            draft.add(Found::new(Role::Progress, blob.rect, 0.7).named(Some(Icon::Spinner.name())));
        }
    }
}

fn percent(share: f64) -> String {
    format!("{}%", (share.clamp(0.0, 1.0) * 100.0).round())
}
