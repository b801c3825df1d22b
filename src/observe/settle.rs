//! Captures until the screen rests: two alike, apart from what never rests. Uses `device`, `frame`.

use std::time::{Duration, Instant};

use crate::device::{Capture, Device, Stopwatch};
use crate::frame::Frame;
use crate::geometry::{Orientation, PixelRect};
use crate::vision::difference::differences;

use super::{ObserveError, upright};

/// Between two captures, in the device's own time.
const INTERVAL: Duration = Duration::from_millis(80);
/// How often a small place must differ on its own before it counts as a thing that never rests: long enough for
/// what a spinner stands for to arrive in most cases.
const ROUNDS_OF_A_LOADER: usize = 15;
/// A spinner jumps from spoke to spoke, up to 125 ms apart: a small place that differed rests when it has been alike
/// in as many captures.
const CAPTURES_BETWEEN_SPOKES: usize = 2;

/// A screen at rest, or as far as it came to rest.
#[derive(Clone, Debug)]
pub struct Shot {
    /// Upright.
    pub frame: Frame,
    pub orientation: Option<Orientation>,
    pub settled: bool,
    pub settle_time: Duration,
    /// Time spent in decoding and comparing, which is ours and not the device's.
    pub own_time: Duration,
    /// Places that went on moving while everything else rested.
    pub moving: Vec<PixelRect>,
}

/// Takes captures; identical bytes are decoded once.
#[derive(Default)]
pub struct Camera {
    last: Option<Taken>,
    /// Time spent decoding since it was last asked for.
    decoding: Duration,
}

#[derive(Clone)]
struct Taken {
    bytes: Vec<u8>,
    orientation: Option<Orientation>,
    frame: Frame,
}

/// What is known to move without meaning anything: status bar, caret and spinners of the last look.
#[derive(Clone, Debug, Default)]
pub struct Restless {
    pub places: Vec<PixelRect>,
    /// Pixels a point.
    pub scale: f64,
}

impl Restless {
    /// Whether a difference is a clock, a caret or a spinner.
    pub fn explains(&self, change: &PixelRect) -> bool {
        self.is_caret(change) || self.places.iter().any(|place| covers(place, change))
    }

    /// Narrow and not tall: nothing but a caret blinks like that.
    fn is_caret(&self, change: &PixelRect) -> bool {
        let (width, height) = (f64::from(change.width) / self.scale, f64::from(change.height) / self.scale);
        width <= 4.0 && (10.0..=44.0).contains(&height)
    }

    /// Small enough for a spinner or a ticker.
    fn is_small(&self, change: &PixelRect) -> bool {
        let (width, height) = (f64::from(change.width) / self.scale, f64::from(change.height) / self.scale);
        width <= 64.0 && height <= 64.0
    }
}

fn covers(place: &PixelRect, change: &PixelRect) -> bool {
    place.intersection(change).is_some_and(|common| common.area() * 10 >= change.area() * 8)
}

impl Camera {
    /// One capture, decoded and upright.
    pub async fn take(&mut self, device: &dyn Device) -> Result<(Frame, Option<Orientation>), ObserveError> {
        let Capture { bytes, orientation } = device.screenshot().await?;
        if let Some(last) = &self.last
            && last.orientation == orientation
            && last.bytes == bytes
        {
            return Ok((last.frame.clone(), orientation));
        }
        let (bytes, frame, took) = tokio::task::spawn_blocking(move || {
            let started = Instant::now();
            let frame = Frame::decode(&bytes).and_then(|frame| upright::turn(frame, orientation));
            (bytes, frame, started.elapsed())
        })
        .await
        .map_err(|e| ObserveError::Vision(e.to_string()))?;
        self.decoding += took;
        let frame = frame?;
        self.last = Some(Taken { bytes, orientation, frame: frame.clone() });
        Ok((frame, orientation))
    }

    /// Looks until two captures are alike or the time has run out.
    pub async fn settle(
        &mut self,
        device: &dyn Device,
        limit: Duration,
        restless: &Restless,
    ) -> Result<Shot, ObserveError> {
        let mut watched = Stopwatch::start(device);
        let mut own_time = Duration::ZERO;
        let mut watch = Watch::default();
        let (mut frame, mut orientation) = self.take(device).await?;
        let mut settled = false;
        while !settled && watched.elapsed() < limit {
            watched.sleep(INTERVAL).await;
            let (next, turned) = self.take(device).await?;
            let compare = Instant::now();
            let changes = differences(&frame, &next);
            settled = turned == orientation && watch.rests(&changes, restless);
            own_time += compare.elapsed();
            (frame, orientation) = (next, turned);
        }
        own_time += std::mem::take(&mut self.decoding);
        let settle_time = watched.elapsed();
        let moving = if settled { watch.loaders() } else { Vec::new() };
        Ok(Shot { frame, orientation, settled, settle_time, own_time, moving })
    }
}

/// Remembers which small places differ time and again.
#[derive(Default)]
struct Watch {
    places: Vec<Moving>,
}

/// A small place that moves.
struct Moving {
    place: PixelRect,
    /// How often it differed.
    changes: usize,
    /// For how many captures it has been alike.
    still: usize,
}

impl Watch {
    /// Whether the screen rests but for what is explained, or has been moving in the same small places only.
    fn rests(&mut self, changes: &[PixelRect], restless: &Restless) -> bool {
        let unexplained = changes.iter().filter(|change| !restless.explains(change));
        let (small, large): (Vec<_>, Vec<_>) = unexplained.partition(|change| restless.is_small(change));
        for moving in &mut self.places {
            moving.still += 1;
        }
        for change in small {
            let known = self.places.iter().position(|moving| moving.place.intersection(change).is_some());
            let known = known.map(|i| self.places.swap_remove(i));
            let grown =
                known.map(|m| Moving { place: m.place.union(change), changes: m.changes + 1, still: 0 });
            // what wanders off is no spinner
            let grown = grown.filter(|m| restless.is_small(&m.place));
            self.places.push(grown.unwrap_or(Moving { place: *change, changes: 1, still: 0 }));
        }
        self.places.retain(|moving| moving.still < CAPTURES_BETWEEN_SPOKES);
        large.is_empty() && self.places.iter().all(|moving| moving.changes >= ROUNDS_OF_A_LOADER)
    }

    fn loaders(self) -> Vec<PixelRect> {
        self.places.into_iter().map(|moving| moving.place).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rest() -> Restless {
        Restless { places: vec![PixelRect::new(0, 0, 1179, 150)], scale: 3.0 }
    }

    #[test]
    fn a_clock_and_a_caret_don_t_keep_the_screen_from_resting() {
        let mut watch = Watch::default();
        assert!(watch.rests(&[PixelRect::new(100, 60, 90, 40), PixelRect::new(400, 900, 6, 66)], &rest()));
    }

    #[test]
    fn a_spinner_is_known_after_a_few_rounds_and_a_transition_never() {
        let (mut watch, spinner) = (Watch::default(), PixelRect::new(500, 1200, 96, 96));
        for _ in 1..ROUNDS_OF_A_LOADER {
            assert!(!watch.rests(&[spinner], &rest()));
        }
        assert!(watch.rests(&[spinner], &rest()));
        let mut watch = Watch::default();
        for i in 0..20 {
            assert!(!watch.rests(&[PixelRect::new(i * 40, 400, 300, 900)], &rest()));
        }
    }

    #[test]
    fn a_spinner_that_jumps_from_spoke_to_spoke_does_not_rest_between_them() {
        let (mut watch, spinner) = (Watch::default(), PixelRect::new(500, 1200, 60, 60));
        for round in 0..2 * ROUNDS_OF_A_LOADER - 2 {
            let changes = if round % 2 == 0 { vec![spinner] } else { Vec::new() };
            assert!(!watch.rests(&changes, &rest()), "{round}");
        }
        assert!(watch.rests(&[spinner], &rest()));
    }

    #[test]
    fn a_spinner_that_started_during_a_transition_is_not_forgotten() {
        let (mut watch, spinner) = (Watch::default(), PixelRect::new(500, 1200, 60, 60));
        assert!(!watch.rests(&[spinner, PixelRect::new(0, 1800, 1179, 700)], &rest()));
        assert!(!watch.rests(&[], &rest()));
        assert!(!watch.rests(&[spinner], &rest()));
    }

    #[test]
    fn a_switch_rests_soon_after_it_was_turned() {
        let (mut watch, switch) = (Watch::default(), PixelRect::new(900, 1200, 150, 90));
        assert!(!watch.rests(&[switch], &rest()));
        assert!(!watch.rests(&[], &rest()));
        assert!(watch.rests(&[], &rest()));
    }

    #[test]
    fn a_small_thing_on_its_way_is_no_spinner() {
        let mut watch = Watch::default();
        for i in 0..20 {
            assert!(!watch.rests(&[PixelRect::new(100 + i * 60, 400, 90, 90)], &rest()));
        }
    }
}
