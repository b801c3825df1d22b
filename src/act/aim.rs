//! From targets to places that may be touched: resolved in the last observation, validated in a fresh one.
//! Uses `observe` and `resolve`.

use std::sync::Arc;
use std::time::Duration;

use crate::act::cover::{cover_of, cover_of_hidden};
use crate::act::hands::Hands;
use crate::act::resolve::{Found, Miss, closest_labels, describe, place_among_equals, resolve};
use crate::act::{ActError, ResolvedTarget, Target, TargetForm};
use crate::geometry::{Point, Rect, Size};
use crate::mark::Mark;
use crate::observe::Observation;

/// How far a mark may be off and count as unmoved, in points.
const UNMOVED: f64 = 1.5;
/// Looks at a target that moves before it is touched where it was last seen.
const LOOKS_AT_A_MOVING_TARGET: usize = 12;
/// Between two of them.
const BETWEEN_LOOKS: Duration = Duration::from_millis(60);

/// Where to touch, and the look it rests on.
pub(super) struct Aimed {
    pub before: Arc<Observation>,
    pub targets: Vec<ResolvedTarget>,
}

/// A target as it was found in the last observation.
enum Sought {
    Point(Point),
    Mark(Found),
}

impl Hands<'_> {
    /// Resolves and validates; after an error nothing was sent.
    pub(super) async fn aim(&mut self, targets: &[Target]) -> Result<Aimed, ActError> {
        let mut last = self.known(targets).await?;
        let mut sought = Vec::new();
        for target in targets {
            let found = match self.seek(target, &last) {
                // what a label means may have come since the last look
                Err(ActError::NotFound { .. }) if matches!(target, Target::Label { .. }) => {
                    last = self.settled().await?;
                    self.seek(target, &last)
                }
                found => found,
            };
            sought.push(found?);
        }
        let mut before = self.fresh().await?;
        if sought.iter().any(|s| matches!(s, Sought::Mark(found) if before.mark(found.mark.id).is_none())) {
            // gone, or only in the middle of a movement: decided at rest
            before = self.settled().await?;
        }
        before = self.at_rest(before, &sought).await?;
        let aim = |(target, sought): (&Target, &Sought)| validate(target, sought, &before);
        let targets = targets.iter().zip(&sought).map(aim).collect::<Result<Vec<_>, _>>()?;
        Ok(Aimed { before, targets })
    }

    /// The last observation; a label or a point without one looks first.
    async fn known(&mut self, targets: &[Target]) -> Result<Arc<Observation>, ActError> {
        if let Some(last) = self.observer.last() {
            return Ok(last.clone());
        }
        let needs_one = targets.iter().find(|t| matches!(t, Target::Mark(_) | Target::StableId(_)));
        match needs_one {
            Some(target) => Err(ActError::NoObservation(describe(target))),
            None => self.settled().await,
        }
    }

    fn seek(&self, target: &Target, last: &Arc<Observation>) -> Result<Sought, ActError> {
        if let Target::Point(point) = target {
            within(*point, last.screen.points)?;
            return Ok(Sought::Point(*point));
        }
        match resolve(target, last) {
            Ok(found) => Ok(Sought::Mark(found)),
            Err(Miss::Several(candidates)) => {
                Err(ActError::Ambiguous { target: describe(target), candidates, observation: last.clone() })
            }
            Err(Miss::None { closest }) => Err(self.missing(target, closest, last)),
        }
    }

    /// Never there, there once, or there but hidden.
    fn missing(&self, target: &Target, closest: Vec<String>, last: &Arc<Observation>) -> ActError {
        let (target_words, observation) = (describe(target), last.clone());
        match target {
            Target::Mark(id) if self.observer.was_given(*id) => {
                ActError::Stale { target: target_words, observation }
            }
            Target::Label { label, role, .. } => match cover_of_hidden(label, *role, last) {
                Some(by) => ActError::Covered { target: target_words, by, observation },
                None => ActError::NotFound { target: target_words, closest, observation },
            },
            _ => ActError::NotFound { target: target_words, closest, observation },
        }
    }

    /// Follows moving targets until two looks agree on their places; one that never rests is taken as last seen.
    async fn at_rest(
        &mut self,
        mut before: Arc<Observation>,
        sought: &[Sought],
    ) -> Result<Arc<Observation>, ActError> {
        let marks: Vec<&Mark> = sought
            .iter()
            .filter_map(|s| if let Sought::Mark(f) = s { Some(&f.mark) } else { None })
            .collect();
        let mut places: Vec<Rect> = marks.iter().map(|m| m.frame).collect();
        for _ in 0..LOOKS_AT_A_MOVING_TARGET {
            let now: Vec<Rect> = marks
                .iter()
                .zip(&places)
                .map(|(m, was)| before.mark(m.id).map_or(*was, |m| m.frame))
                .collect();
            let rests = places.iter().zip(&now).all(|(was, is)| moved(was, is).is_none());
            places = now;
            if rests {
                break;
            }
            self.device.sleep(BETWEEN_LOOKS).await;
            before = self.fresh().await?;
        }
        Ok(before)
    }
}

/// Whether a touch may go to this target on this screen, and where.
fn validate(target: &Target, sought: &Sought, now: &Arc<Observation>) -> Result<ResolvedTarget, ActError> {
    let found = match sought {
        Sought::Point(point) => {
            within(*point, now.screen.points)?;
            return Ok(ResolvedTarget {
                form: TargetForm::Point,
                mark: None,
                point: *point,
                nth: 1,
                of: 1,
                moved_by: None,
            });
        }
        Sought::Mark(found) => found,
    };
    let (words, observation) = (describe(target), now.clone());
    let was = &found.mark;
    let Some(mark) = now.mark(was.id) else {
        let cover = cover_of(was, now).or_else(|| cover_of_hidden(&was.label, Some(was.role), now));
        return Err(match cover {
            Some(by) => ActError::Covered { target: words, by, observation },
            None => ActError::Stale { target: words, observation },
        });
    };
    if let Some(by) = cover_of(mark, now) {
        return Err(ActError::Covered { target: words, by, observation });
    }
    if !mark.enabled {
        return Err(ActError::Disabled { target: words, observation });
    }
    let point = mark.frame.center();
    within(point, now.screen.points)?;
    let (nth, of) = place_among_equals(mark, now);
    let moved_by = moved(&was.frame, &mark.frame);
    Ok(ResolvedTarget { form: found.form, mark: Some(mark.clone()), point, nth, of, moved_by })
}

/// By how much a mark moved, if it did.
fn moved(was: &Rect, is: &Rect) -> Option<(f64, f64)> {
    let (a, b) = (was.center(), is.center());
    let by = (b.x - a.x, b.y - a.y);
    (by.0.abs() > UNMOVED || by.1.abs() > UNMOVED).then_some(by)
}

/// Numbers are finite and on the screen.
fn within(point: Point, size: Size) -> Result<(), ActError> {
    if !point.is_finite() {
        return Err(ActError::Invalid(format!(
            "coordinates must be finite numbers, not ({}, {})",
            point.x, point.y
        )));
    }
    if size.contains(point) { Ok(()) } else { Err(ActError::Offscreen { point, size }) }
}

/// The labels that come closest, for an error about this screen.
pub(super) fn closest(observation: &Observation, label: &str) -> Vec<String> {
    closest_labels(observation, label)
}
