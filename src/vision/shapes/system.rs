//! What the system draws round an app: status bar, home indicator, scroll indicators, the text cursor.
//! Uses `evidence`, `scene`.

use crate::geometry::Rect;

use super::colour::{chroma, difference};
use super::evidence::{Evidence, grown};
use super::scene::{Draft, Scene};
use super::thin::Sliver;

/// Neither clock nor battery is lower than this, in points.
const STATUS_BAR_MOST: f64 = 62.0;

pub(super) fn find(draft: &mut Draft, scene: &mut Scene) {
    let evidence = draft.evidence;
    if let Some(rect) = status_bar(evidence) {
        scene.status_bar = Some(evidence.pixels(&rect));
        draft.closed.push(rect);
    }
    if let Some(sliver) = evidence.slivers.iter().find(|s| is_home_indicator(evidence, s)) {
        scene.home_indicator = Some(evidence.pixels(&sliver.rect));
        draft.closed.push(grown(&sliver.rect, 2.0));
    }
    let indicators = evidence.slivers.iter().filter(|s| is_scroll_indicator(evidence, s));
    scene.scroll_indicators = indicators.map(|s| evidence.pixels(&s.rect)).collect();
    scene.caret = caret(draft).map(|rect| evidence.pixels(&rect));
}

/// The strip round a clock at the top.
fn status_bar(evidence: &Evidence) -> Option<Rect> {
    let clock = evidence
        .lines
        .iter()
        .find(|line| line.rect.bottom() < STATUS_BAR_MOST && line.size < 24.0 && is_clock(line.text))?;
    let bottom = if clock.rect.y < 12.0 { clock.rect.bottom() + 5.0 } else { clock.rect.bottom() + 12.0 };
    Some(Rect::new(0.0, 0.0, evidence.window.width, bottom.clamp(20.0, STATUS_BAR_MOST)))
}

/// `9:41`, also with `AM` or an arrow behind it.
fn is_clock(text: &str) -> bool {
    let Some((hours, rest)) = text.trim().split_once([':', '.']) else { return false };
    let minutes = rest.get(..2).unwrap_or("");
    let digits = |s: &str| !s.is_empty() && s.bytes().all(|b| b.is_ascii_digit());
    let more = rest.get(2..).unwrap_or("");
    digits(hours)
        && hours.len() <= 2
        && digits(minutes)
        && !more.starts_with(|c: char| c.is_ascii_digit())
        && more.len() <= 6
}

fn is_home_indicator(evidence: &Evidence, sliver: &Sliver) -> bool {
    let (rect, window) = (sliver.rect, evidence.window);
    let centred = (rect.center().x - window.width / 2.0).abs() < 3.0;
    let low = rect.bottom() > window.height - 16.0;
    let wide = (0.18..0.45).contains(&(rect.width / window.width)) && rect.width > 90.0;
    centred && low && wide && chroma(sliver.colour) < 24
}

fn is_scroll_indicator(evidence: &Evidence, sliver: &Sliver) -> bool {
    let (rect, window) = (sliver.rect, evidence.window);
    let upright = rect.height > 24.0 && rect.width <= 4.5 && rect.right() > window.width - 8.0;
    let lying = rect.width > 24.0 && rect.height <= 4.5 && rect.bottom() > window.height - 8.0;
    let inside = rect.right() < window.width && rect.height < window.height * 0.95;
    (upright || lying) && inside && chroma(sliver.colour) < 40
}

/// A tinted upright bar as high as a line of text; letters stand right beside it, but not over its whole height.
fn caret(draft: &Draft) -> Option<Rect> {
    let evidence = draft.evidence;
    let is_caret = |s: &&Sliver| {
        let rect = s.rect;
        let alone = |y: f64| {
            let sides = [rect.x - 2.5, rect.right() + 2.5].map(|x| evidence.grid.at(x, y));
            matches!(sides, [Some(a), Some(b)] if difference(a, b) < 12 && difference(a, s.colour) > 60)
        };
        let alone = [rect.y + 1.5, rect.center().y, rect.bottom() - 1.5].into_iter().any(alone);
        (1.3..=3.4).contains(&rect.width)
            && (14.0..=40.0).contains(&rect.height)
            && chroma(s.colour) >= 70
            && alone
    };
    evidence.slivers.iter().filter(is_caret).find(|s| !draft.is_taken(&s.rect)).map(|s| s.rect)
}
