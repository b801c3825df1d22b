//! The tab bar with its tabs, and the navigation bar with its back button. Uses `evidence`, `icons`, `scene`.

use crate::geometry::Rect;
use crate::role::Role;

use super::blobs::Blob;
use super::colour::{chroma, difference};
use super::evidence::{Evidence, beside, grown};
use super::icons::{self, Icon};
use super::scene::{Draft, Found, Scene};

/// A navigation bar ends above this, in points from the top.
const BAR_BOTTOM_MOST: f64 = 150.0;

pub(super) fn find(draft: &mut Draft, scene: &mut Scene) {
    find_tabs(draft, scene);
    find_navigation(draft, scene);
}

/// Small texts on one line at the bottom, evenly apart, each under an icon.
fn find_tabs(draft: &mut Draft, scene: &mut Scene) {
    let evidence = draft.evidence;
    let Some(tabs) = tab_labels(draft) else { return };
    let top = tabs
        .iter()
        .filter_map(|i| icon_above(evidence, &evidence.lines[*i].rect))
        .map(|r| r.y)
        .fold(f64::MAX, f64::min);
    let centers: Vec<f64> = tabs.iter().map(|i| evidence.lines[*i].rect.center().x).collect();
    let pitch = (centers[centers.len() - 1] - centers[0]) / (centers.len() - 1) as f64;
    let bottom = tabs.iter().map(|i| evidence.lines[*i].rect.bottom()).fold(0.0, f64::max);
    let chosen = standing_out(evidence, &tabs);
    let (top, bottom) = (top - 4.0, (bottom + 5.0).min(evidence.window.height));
    for (i, (line, center)) in tabs.iter().zip(&centers).enumerate() {
        let left = (center - pitch / 2.0).max(0.0);
        let right = (center + pitch / 2.0).min(evidence.window.width);
        let rect = Rect::new(left, top, right - left, bottom - top);
        draft.add(Found::new(Role::Tab, rect, 0.9).labelled(vec![*line]).selected(Some(i) == chosen));
    }
    let bar = Rect::new(0.0, top - 3.0, evidence.window.width, evidence.window.height - top + 3.0);
    scene.tab_bar = Some(evidence.pixels(&bar));
    draft.closed.push(bar);
}

fn tab_labels(draft: &Draft) -> Option<Vec<usize>> {
    let evidence = draft.evidence;
    let window = evidence.window;
    let is_label = |i: &usize| {
        let line = &evidence.lines[*i];
        line.center_y() > window.height - 96.0 && line.size <= 16.0 && !draft.is_taken(&line.rect)
    };
    let mut candidates: Vec<usize> = (0..evidence.lines.len()).filter(is_label).collect();
    candidates.sort_by(|a, b| evidence.lines[*b].rect.bottom().total_cmp(&evidence.lines[*a].rect.bottom()));
    let lowest = evidence.lines[*candidates.first()?].center_y();
    candidates.retain(|i| (evidence.lines[*i].center_y() - lowest).abs() < 5.0);
    candidates.sort_by(|a, b| evidence.lines[*a].rect.x.total_cmp(&evidence.lines[*b].rect.x));
    let centers: Vec<f64> = candidates.iter().map(|i| evidence.lines[*i].rect.center().x).collect();
    let gaps: Vec<f64> = centers.windows(2).map(|pair| pair[1] - pair[0]).collect();
    let (least, most) = gaps.iter().fold((f64::MAX, 0.0f64), |(a, b), gap| (a.min(*gap), b.max(*gap)));
    let even = most - least <= 0.2 * most && least >= 44.0;
    let with_icons =
        candidates.iter().filter(|i| icon_above(evidence, &evidence.lines[**i].rect).is_some()).count();
    let captions = candidates.iter().all(|i| evidence.lines[*i].size <= 13.0);
    let enough = with_icons + 1 >= candidates.len()
        || (captions && candidates.len() >= 3 && with_icons * 2 >= candidates.len());
    ((2..=6).contains(&candidates.len()) && even && enough && with_icons >= 2).then_some(candidates)
}

fn icon_above(evidence: &Evidence, label: &Rect) -> Option<Rect> {
    let above = Rect::new(label.center().x - 16.0, label.y - 36.0, 32.0, 36.0);
    let blob = evidence.blobs_in(&above).map(|blob| blob.rect).find(|r| r.width.max(r.height) >= 8.0);
    blob.or_else(|| evidence.plates_in(&above).map(|plate| plate.rect).find(|r| r.width.max(r.height) >= 8.0))
}

/// The one whose ink differs from what the others have in common.
fn standing_out(evidence: &Evidence, tabs: &[usize]) -> Option<usize> {
    let ink = |i: usize| evidence.lines[tabs[i]].ink;
    let alike = |i: usize| (0..tabs.len()).filter(|j| difference(ink(i), ink(*j)) < 40).count();
    let alone: Vec<usize> = (0..tabs.len()).filter(|i| alike(*i) == 1).collect();
    match alone.as_slice() {
        [one] if tabs.len() > 2 => Some(*one),
        _ => (0..tabs.len()).max_by_key(|i| chroma(ink(*i))).filter(|i| chroma(ink(*i)) >= 60),
    }
}

fn find_navigation(draft: &mut Draft, scene: &mut Scene) {
    let evidence = draft.evidence;
    let top = draft.closed.iter().filter(|c| c.y == 0.0).map(Rect::bottom).fold(0.0, f64::max);
    let bar = Rect::new(0.0, top, evidence.window.width, BAR_BOTTOM_MOST - top);
    let back =
        evidence.blobs_in(&bar).find(|blob| is_back(draft, blob, top)).map(|blob| back_button(draft, blob));
    let title = evidence.lines_in(&bar).into_iter().find(|i| {
        let line = &evidence.lines[*i];
        let centred = (line.rect.center().x - evidence.window.width / 2.0).abs() < 4.0;
        centred && (14.0..=24.0).contains(&line.size) && !line.is_tinted() && line.center_y() < top + 80.0
    });
    let bottom = match (&back, title) {
        (Some(back), _) => back.rect.bottom() + 4.0,
        (None, Some(title)) if top > 0.0 => evidence.lines[title].rect.bottom() + 14.0,
        _ => top,
    };
    if bottom > top {
        scene.nav_bar = Some(evidence.pixels(&Rect::new(0.0, top, evidence.window.width, bottom - top)));
    }
    if let Some(back) = back {
        draft.add(back);
    }
    if let Some(title) = title {
        add_bar_buttons(draft, title);
    }
}

/// Short words at the ends of the bar, level with its title, are buttons whatever their colour.
fn add_bar_buttons(draft: &mut Draft, title: usize) {
    let evidence = draft.evidence;
    let place = evidence.lines[title].rect;
    for (i, line) in evidence.lines.iter().enumerate() {
        let at_an_end = line.rect.x < 36.0 || line.rect.right() > evidence.window.width - 36.0;
        let free = i != title && !draft.line_taken[i] && !draft.is_taken(&line.rect);
        let apart = line.rect.right() + 12.0 < place.x || line.rect.x > place.right() + 12.0;
        let plain =
            !evidence.plates.iter().any(|p| p.rect.height < 80.0 && p.rect.contains(line.rect.center()));
        if free && at_an_end && apart && plain && line.size <= 20.0 && beside(&line.rect, &place) > 0.5 {
            let rect = Rect::new(
                line.rect.x - 6.0,
                line.rect.y - 5.0,
                line.rect.width + 12.0,
                line.rect.height + 10.0,
            );
            let found = Found::new(Role::Button, rect, 0.8).labelled(vec![i]);
            draft.add(found.enabled(!line.is_faint()));
        }
    }
}

fn is_back(draft: &Draft, blob: &Blob, top: f64) -> bool {
    let rect = blob.rect;
    let mirrored = rect.right() > draft.evidence.window.width - 44.0 && draft.evidence.is_right_to_left();
    (rect.x < 44.0 || mirrored)
        && (11.0..=30.0).contains(&rect.height)
        && rect.center().y < top + if top > 0.0 { 58.0 } else { 130.0 }
        && !draft.is_taken(&rect)
        && icons::classify(draft.evidence, blob).is_some_and(|icon| match mirrored {
            true => icon == Icon::ChevronRight && draft.evidence.lines_in(&grown(&rect, 24.0)).is_empty(),
            false => icon.is_back(),
        })
}

/// A chevron at the top left, with the circle round it or the word behind it.
fn back_button(draft: &Draft, chevron: &Blob) -> Found {
    let evidence = draft.evidence;
    let round = evidence.plates.iter().rev().find(|plate| {
        plate.rect.contains(chevron.rect.center())
            && (28.0..=60.0).contains(&plate.rect.height)
            && plate.rect.width < 160.0
    });
    let word = (0..evidence.lines.len()).find(|i| {
        let line = &evidence.lines[*i];
        let gap = line.rect.x - chevron.rect.right();
        beside(&line.rect, &chevron.rect) > 0.5
            && (0.0..=16.0).contains(&gap)
            && difference(line.ink, chevron.ink) < 60
    });
    let rect = match (round, word) {
        (Some(plate), _) => plate.rect,
        (None, Some(word)) => grown(&chevron.rect.union(&evidence.lines[word].rect), 4.0),
        (None, None) => grown(&chevron.rect, 8.0),
    };
    let name = word.is_none().then_some("Back");
    Found::new(Role::BackButton, rect, 0.9).labelled(word.into_iter().collect()).named(name)
}
