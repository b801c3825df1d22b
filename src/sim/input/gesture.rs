//! One finger from its coming down to its going up.

use std::time::Duration;

use crate::geometry::{PanelPoint, Point};
use crate::sim::layout::Element;
use crate::sim::motion::Moment;

/// A finger that is down.
pub struct Gesture {
    pub start: Point,
    pub last_panel: PanelPoint,
    /// What was under the finger when it came down, and its place among the elements.
    pub target: Option<(usize, Element)>,
    pub mode: Mode,
    samples: Vec<(Moment, Point)>,
}

/// What the finger turned out to do.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Mode {
    /// It rests, so far.
    Press,
    /// It scrolls the front page, which began at this offset.
    Scroll { from: f64 },
    /// It drags the top sheet down.
    Sheet,
    /// It moves a slider's knob.
    Slider,
    /// It came from the left edge: back.
    Edge,
    /// It moved off what it pressed.
    Spent,
}

/// A finger that moved less is still pressing.
const SLOP: f64 = 10.0;
/// A swipe back begins this close to the edge.
const EDGE: f64 = 24.0;
/// The velocity is that of the last so many seconds.
const VELOCITY_WINDOW: Duration = Duration::from_millis(100);

impl Gesture {
    pub fn new(start: Point, panel: PanelPoint, now: Moment, target: Option<(usize, Element)>) -> Self {
        Self { start, last_panel: panel, target, mode: Mode::Press, samples: vec![(now, start)] }
    }

    pub fn moved(&mut self, to: Point, panel: PanelPoint, now: Moment) {
        self.last_panel = panel;
        self.samples.push((now, to));
    }

    /// The place of the element that shows as pressed.
    pub fn pressed(&self) -> Option<usize> {
        let (index, element) = self.target.as_ref()?;
        (self.mode == Mode::Press && element.enabled).then_some(*index)
    }

    pub fn last(&self) -> Point {
        self.samples.last().map_or(self.start, |s| s.1)
    }

    /// From the start to where the finger is.
    pub fn travel(&self) -> (f64, f64) {
        let last = self.last();
        (last.x - self.start.x, last.y - self.start.y)
    }

    pub fn is_beyond_slop(&self) -> bool {
        let (dx, dy) = self.travel();
        dx.hypot(dy) > SLOP
    }

    pub fn is_vertical(&self) -> bool {
        let (dx, dy) = self.travel();
        dy.abs() >= dx.abs()
    }

    pub fn is_from_left_edge(&self) -> bool {
        self.start.x < EDGE && self.travel().0 > 0.0
    }

    /// Points a second, downwards, over the last moments before `now`.
    pub fn velocity(&self, now: Moment) -> f64 {
        let Some((end, last)) = self.samples.last() else { return 0.0 };
        let since = now.saturating_sub(VELOCITY_WINDOW);
        if *end < since {
            return 0.0;
        }
        let first = self.samples.iter().find(|(t, _)| *t >= since).unwrap_or(&self.samples[0]);
        let seconds = now.saturating_sub(first.0).as_secs_f64();
        if seconds <= 0.0 { 0.0 } else { (last.y - first.1.y) / seconds }
    }
}
