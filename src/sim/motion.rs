//! Movement as functions of time: transitions, inertia, rubber band. Uses nothing of this crate.
//!
//! Everything is computed from when it began, never stepped, so that it doesn't matter how time is cut up.

use std::time::Duration;

/// Virtual time since the simulator was made.
pub type Moment = Duration;

/// Transitions of pages, sheets, alerts and the keyboard.
pub const TRANSITION: Duration = Duration::from_millis(300);

/// Slow at both ends; 0 to 1.
pub fn ease(t: f64) -> f64 {
    let t = t.clamp(0.0, 1.0);
    t * t * (3.0 - 2.0 * t)
}

/// How far a transition is that began at `since`; 1 once it is over.
pub fn progress(now: Moment, since: Moment) -> f64 {
    ease(now.saturating_sub(since).as_secs_f64() / TRANSITION.as_secs_f64())
}

/// Something that comes in or goes out.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Presence {
    pub shown: bool,
    /// `None` where it has been so from the beginning.
    since: Option<Moment>,
}

impl Presence {
    pub fn absent() -> Self {
        Self { shown: false, since: None }
    }

    pub fn entering(now: Moment) -> Self {
        Self { shown: true, since: Some(now) }
    }

    pub fn leaving(now: Moment) -> Self {
        Self { shown: false, since: Some(now) }
    }

    /// 1 where it is wholly there.
    pub fn amount(self, now: Moment) -> f64 {
        let p = self.since.map_or(1.0, |since| progress(now, since));
        if self.shown { p } else { 1.0 - p }
    }

    pub fn is_gone(self, now: Moment) -> bool {
        !self.shown && self.since.is_none_or(|since| now >= since + TRANSITION)
    }
}

/// A vertical scroll position.
#[derive(Clone, Debug, PartialEq)]
pub struct Scroll {
    motion: Motion,
}

#[derive(Clone, Debug, PartialEq)]
enum Motion {
    Rest(f64),
    Glide { from: f64, velocity: f64, max: f64, since: Moment },
    Ease { from: f64, to: f64, since: Moment },
}

/// How quickly a list slows down, a second: UIKit's normal rate of 0.998 a millisecond.
const FRICTION: f64 = 2.002;
/// Slower than this (points a second) is standing still.
const STILL: f64 = 8.0;
/// Stiffness of the edge, in 1/s.
const SPRING: f64 = 12.0;

impl Scroll {
    pub fn at(offset: f64) -> Self {
        Self { motion: Motion::Rest(offset) }
    }

    pub fn offset(&self, now: Moment) -> f64 {
        match self.motion {
            Motion::Rest(offset) => offset,
            Motion::Glide { from, velocity, max, since } => {
                glide(from, velocity, max, now.saturating_sub(since).as_secs_f64()).0
            }
            Motion::Ease { from, to, since } => from + (to - from) * progress(now, since),
        }
    }

    pub fn is_moving(&self) -> bool {
        !matches!(self.motion, Motion::Rest(_))
    }

    /// Lets go at a velocity in points a second; beyond `0..=max` it springs back.
    pub fn release(&mut self, from: f64, velocity: f64, max: f64, now: Moment) {
        let beyond = from < 0.0 || from > max;
        self.motion = if velocity.abs() < STILL && !beyond {
            Motion::Rest(from)
        } else {
            Motion::Glide { from, velocity, max, since: now }
        };
    }

    pub fn ease_to(&mut self, to: f64, now: Moment) {
        self.motion = Motion::Ease { from: self.offset(now), to, since: now };
    }

    /// Comes to rest where its motion is over.
    pub fn settle(&mut self, now: Moment) {
        let over = match self.motion {
            Motion::Rest(_) => return,
            Motion::Ease { since, .. } => now >= since + TRANSITION,
            Motion::Glide { from, velocity, max, since } => {
                glide(from, velocity, max, now.saturating_sub(since).as_secs_f64()).1
            }
        };
        if over {
            self.motion = Motion::Rest(self.offset(now));
        }
    }
}

/// Where a released list is after `t` seconds, and whether it has come to rest.
fn glide(from: f64, velocity: f64, max: f64, t: f64) -> (f64, bool) {
    let edge = if from < 0.0 || (velocity < 0.0 && from <= max) { 0.0 } else { max };
    if from < 0.0 || from > max {
        return spring(edge, from - edge, velocity.clamp(-400.0, 400.0), t);
    }
    let end = from + velocity / FRICTION;
    if (0.0..=max).contains(&end) {
        let stop = (velocity.abs() / STILL).max(1.0).ln() / FRICTION;
        let t = t.min(stop);
        return (from + velocity / FRICTION * (1.0 - (-FRICTION * t).exp()), t >= stop);
    }
    let hit = -(1.0 - (edge - from) * FRICTION / velocity).ln() / FRICTION;
    if t < hit {
        (from + velocity / FRICTION * (1.0 - (-FRICTION * t).exp()), false)
    } else {
        let speed = velocity * (-FRICTION * hit).exp();
        spring(edge, 0.0, speed.clamp(-900.0, 900.0), t - hit)
    }
}

/// A critically damped spring around `edge`.
fn spring(edge: f64, distance: f64, velocity: f64, t: f64) -> (f64, bool) {
    let swing = (distance + (velocity + SPRING * distance) * t) * (-SPRING * t).exp();
    if t > 1.2 { (edge, true) } else { (edge + swing, false) }
}

/// How far something follows a finger that drags it `by` beyond its edge.
pub fn rubber_band(by: f64, height: f64) -> f64 {
    by.signum() * (1.0 - 1.0 / (by.abs() * 0.55 / height + 1.0)) * height
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn a_released_list_glides_and_rests() {
        let mut scroll = Scroll::at(0.0);
        scroll.release(100.0, 800.0, 5_000.0, Duration::ZERO);
        let soon = scroll.offset(SECOND / 10);
        assert!(soon > 150.0 && soon < 180.0, "{soon}");
        scroll.settle(SECOND * 5);
        assert!(!scroll.is_moving());
        let rest = scroll.offset(SECOND * 5);
        assert!((rest - 495.0).abs() < 10.0, "{rest}");
    }

    #[test]
    fn a_list_thrown_past_its_end_comes_back_to_it() {
        let mut scroll = Scroll::at(0.0);
        scroll.release(900.0, 3_000.0, 1_000.0, Duration::ZERO);
        let beyond = (1..100).map(|i| scroll.offset(SECOND * i / 100)).fold(0.0, f64::max);
        assert!(beyond > 1_000.0, "{beyond}");
        scroll.settle(SECOND * 4);
        assert_eq!(scroll.offset(SECOND * 4), 1_000.0);
    }

    #[test]
    fn a_list_dragged_above_its_start_springs_back() {
        let mut scroll = Scroll::at(0.0);
        scroll.release(-60.0, 0.0, 1_000.0, Duration::ZERO);
        assert!(scroll.offset(SECOND / 20) < 0.0);
        assert_eq!(scroll.offset(SECOND * 2), 0.0);
    }
}
