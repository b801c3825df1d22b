//! Swipes, and swiping until something comes into view. Uses `aim`, `gesture`, `resolve`.

use std::sync::Arc;
use std::time::Duration;

use crate::act::action::{Direction, SwipePath};
use crate::act::aim::closest;
use crate::act::gesture::{self, End};
use crate::act::hands::{Done, Hands};
use crate::act::resolve::fitting;
use crate::act::{ActError, Effect, ResolvedTarget, Target};
use crate::geometry::{Point, Rect};
use crate::observe::Observation;
use crate::role::Role;

/// How long a swipe may last.
const DURATIONS: std::ops::RangeInclusive<Duration> = Duration::from_millis(50)..=Duration::from_secs(10);
/// The most swipes of one command.
const MOST_SWIPES: u32 = 100;
/// Kept clear of the edges, where the system listens to swipes.
const EDGE: f64 = 24.0;
/// Shorter ones may be taken for a tap, in points: iOS begins to scroll after 10.
const TAPPED_WITHIN: f64 = 10.0;
/// A search overlaps its looks, so that nothing is swiped past.
const SEARCH_PART: f64 = 0.55;
/// A plain swipe goes this part of what is swiped.
const PLAIN_PART: f64 = 0.7;

/// A swipe that is ready to be sent.
struct Stroke {
    from: Point,
    to: Point,
    end: End,
}

impl Hands<'_> {
    pub(super) async fn swipe(&mut self, path: SwipePath, duration: Duration) -> Result<Done, ActError> {
        check(duration, 1)?;
        let (before, targets, stroke) = self.stroke(&path, PLAIN_PART, End::Flick).await?;
        self.send(gesture::swipe(&before.screen, stroke.from, stroke.to, duration, stroke.end)).await?;
        Ok(Done { before, targets, notes: Vec::new() })
    }

    /// Swipes until the label is in view; no swipe where it is already.
    pub(super) async fn swipe_until(
        &mut self,
        path: SwipePath,
        duration: Duration,
        label: &str,
        max_swipes: u32,
    ) -> Result<Done, ActError> {
        check(duration, max_swipes)?;
        if label.trim().is_empty() {
            return Err(ActError::Invalid("`until` is empty; it is the label to come into view".into()));
        }
        let (before, targets, stroke) = self.stroke(&path, SEARCH_PART, End::Rest).await?;
        let mut done = Done { before: before.clone(), targets, notes: Vec::new() };
        let mut now = before;
        for swipes in 0..=max_swipes {
            if is_in_view(&now, label) {
                done.notes.push(match swipes {
                    0 => format!("“{label}” was in view already: nothing was swiped"),
                    1 => format!("“{label}” came into view after 1 swipe"),
                    n => format!("“{label}” came into view after {n} swipes"),
                });
                return Ok(done);
            }
            if swipes == max_swipes {
                break;
            }
            let sent =
                self.send(gesture::swipe(&now.screen, stroke.from, stroke.to, duration, stroke.end)).await;
            sent.map_err(|error| if swipes == 0 { error } else { error.after("a swipe") })?;
            let next = self.look_after(&now).await.map_err(|error| error.after("a swipe"))?;
            if super::hands::effect_between(&now, &next) == Effect::NoneObserved {
                return Err(not_reached(label, swipes + 1, true, next));
            }
            now = next;
        }
        Err(not_reached(label, max_swipes, false, now))
    }

    /// A stroke that is hardly longer than a finger trembles is a tap, and asked about as one.
    async fn stroke(
        &mut self,
        path: &SwipePath,
        part: f64,
        end: End,
    ) -> Result<(Arc<Observation>, Vec<ResolvedTarget>, Stroke), ActError> {
        let (before, targets, stroke) = self.aimed_stroke(path, part, end).await?;
        let (dx, dy) = (stroke.to.x - stroke.from.x, stroke.to.y - stroke.from.y);
        if dx.hypot(dy) < TAPPED_WITHIN {
            self.consented(targets.first().and_then(|t| t.mark.as_ref()), stroke.from, &before)?;
        }
        Ok((before, targets, stroke))
    }

    async fn aimed_stroke(
        &mut self,
        path: &SwipePath,
        part: f64,
        end: End,
    ) -> Result<(Arc<Observation>, Vec<ResolvedTarget>, Stroke), ActError> {
        match path {
            SwipePath::FromTo { from, to } => {
                let aimed = self.aim(&[from.clone(), to.clone()]).await?;
                let points: Vec<Point> = aimed.targets.iter().map(|t| t.point).collect();
                let [from, to] = points[..] else {
                    return Err(ActError::Invalid("a swipe needs `from` and `to`".into()));
                };
                // what is dragged from one thing to another stays there
                Ok((aimed.before, aimed.targets, Stroke { from, to, end: End::Rest }))
            }
            SwipePath::Toward { direction, from, distance } => {
                let targets: Vec<Target> = from.iter().cloned().collect();
                let aimed = self.aim(&targets).await?;
                let origin = aimed.targets.first();
                let stroke = toward(&aimed.before, *direction, origin, *distance, part, end)?;
                Ok((aimed.before, aimed.targets, stroke))
            }
        }
    }
}

fn check(duration: Duration, max_swipes: u32) -> Result<(), ActError> {
    if !DURATIONS.contains(&duration) {
        return Err(ActError::Invalid(format!(
            "`duration_ms` is {}; it is from 50 to 10000",
            duration.as_millis()
        )));
    }
    if !(1..=MOST_SWIPES).contains(&max_swipes) {
        return Err(ActError::Invalid(format!(
            "`max_swipes` is {max_swipes}; it is from 1 to {MOST_SWIPES}"
        )));
    }
    Ok(())
}

/// A stroke in a direction: from a target's middle, or across the middle of the content.
fn toward(
    before: &Observation,
    direction: Direction,
    origin: Option<&ResolvedTarget>,
    distance: Option<f64>,
    part: f64,
    end: End,
) -> Result<Stroke, ActError> {
    if distance.is_some_and(|d| !(d.is_finite() && d > 0.0)) {
        return Err(ActError::Invalid("`distance` must be a positive number of points".into()));
    }
    let content = content(before);
    let (dx, dy) = match direction {
        Direction::Up => (0.0, -1.0),
        Direction::Down => (0.0, 1.0),
        Direction::Left => (-1.0, 0.0),
        Direction::Right => (1.0, 0.0),
    };
    let length = if dx == 0.0 { content.height } else { content.width };
    let distance = distance.unwrap_or(length * part).min(length);
    let from = match origin {
        Some(target) => target.point,
        None => {
            let middle = content.center();
            Point::new(middle.x - dx * distance / 2.0, middle.y - dy * distance / 2.0)
        }
    };
    let size = before.screen.points;
    let to = Point::new(
        (from.x + dx * distance).clamp(2.0, size.width - 2.0),
        (from.y + dy * distance).clamp(2.0, size.height - 2.0),
    );
    Ok(Stroke { from, to, end })
}

/// What lies between the bars and above the keyboard.
fn content(observation: &Observation) -> Rect {
    let size = observation.screen.points;
    let bar = observation.furniture.status_bar.map_or(EDGE, |bar| bar.bottom());
    let top = observation
        .marks
        .iter()
        .filter(|m| m.role == Role::BackButton)
        .map(|m| m.frame.bottom())
        .fold(bar, f64::max);
    let tabs = observation.marks.iter().filter(|m| m.role == Role::Tab).map(|m| m.frame.y);
    let keyboard = observation.keyboard.iter().map(|k| k.frame.y);
    let bottom = tabs.chain(keyboard).fold(size.height - EDGE, f64::min);
    let (top, bottom) = if bottom - top > 80.0 { (top, bottom) } else { (EDGE, size.height - EDGE) };
    Rect::new(EDGE, top, size.width - 2.0 * EDGE, bottom - top)
}

/// Seen, and not in a bar or under the keyboard.
fn is_in_view(observation: &Observation, label: &str) -> bool {
    let content = content(observation);
    fitting(observation, label, None).iter().any(|m| content.contains(m.frame.center()))
}

fn not_reached(label: &str, swipes: u32, ended: bool, observation: Arc<Observation>) -> ActError {
    let closest = closest(&observation, label);
    ActError::NotReached { label: label.to_owned(), swipes, ended, closest, observation }
}
