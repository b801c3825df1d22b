//! A simulator that lives: shared, in its own time, with the pictures already encoded. Uses `sim`.
//!
//! Where its clock is real the simulator catches up with the time that has passed whenever somebody looks or
//! touches, so that an unwatched one costs nothing. Where the clock is set it stands still but for delays and
//! [`Live::pass`].

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio_util::sync::CancellationToken;

use crate::sim::companion::picture::Picture;
use crate::sim::{Clock, Simulator};

/// A finger that is down for longer was forgotten.
const LONGEST_PATH: Duration = Duration::from_secs(10);

/// The simulator behind its lock, with all that its service needs.
pub struct Live {
    state: Mutex<State>,
    stopped: CancellationToken,
}

struct State {
    simulator: Simulator,
    /// When the simulator last caught up; `None` where its clock stands still.
    last: Option<Instant>,
    /// When no finger was down, the last time somebody looked.
    untouched: Instant,
    picture: Option<Picture>,
    latency: Latency,
}

impl Live {
    pub fn new(simulator: Simulator) -> Self {
        let last = matches!(simulator.options().clock, Clock::Real).then(Instant::now);
        let latency = Latency { min: Duration::ZERO, max: Duration::ZERO, random: simulator.options().seed };
        let state = State { simulator, last, untouched: Instant::now(), picture: None, latency };
        Self { state: Mutex::new(state), stopped: CancellationToken::new() }
    }

    /// Looks at or touches the simulator, in the present.
    pub fn with<R>(&self, f: impl FnOnce(&mut Simulator) -> R) -> R {
        f(&mut self.present().simulator)
    }

    /// The picture now. The same one while nothing changed, with what was already encoded of it.
    pub fn picture(&self) -> Picture {
        let mut state = self.present();
        let pixels = state.simulator.render();
        let generation = state.simulator.generation();
        if let Some(picture) = state.picture.as_ref().filter(|p| p.generation == generation) {
            return picture.clone();
        }
        state.picture.insert(Picture::new(pixels, generation)).clone()
    }

    /// Lets time pass: waits for it, or moves the clock where that stands still.
    pub async fn wait(&self, duration: Duration) {
        if self.is_virtual() {
            self.pass(duration);
        } else {
            tokio::time::sleep(duration).await;
            // exactly so much, however late the machine woke up: a swipe throws a list equally far each time
            let mut state = self.present();
            if state.simulator.is_touched() {
                state.simulator.advance(duration);
            }
        }
    }

    /// Moves the clock on, whether it runs by itself or not.
    pub fn pass(&self, duration: Duration) {
        self.present().simulator.advance(duration);
    }

    pub fn is_virtual(&self) -> bool {
        self.lock().last.is_none()
    }

    pub fn set_latency(&self, min: Duration, max: Duration) {
        let mut state = self.lock();
        (state.latency.min, state.latency.max) = (min.min(max), max);
    }

    /// Waits as long as an answer is to take.
    pub async fn delay_answer(&self) {
        let delay = self.lock().latency.draw();
        if !delay.is_zero() {
            tokio::time::sleep(delay).await;
        }
    }

    /// Endless answers end when the companion stops.
    pub fn stopped(&self) -> &CancellationToken {
        &self.stopped
    }

    fn present(&self) -> MutexGuard<'_, State> {
        let mut state = self.lock();
        if let Some(last) = state.last {
            let now = Instant::now();
            state.last = Some(now);
            if !state.simulator.is_touched() {
                state.untouched = now;
            }
            // while a finger draws its path time passes by the path's delays; a finger left behind stops nothing
            if now - state.untouched == Duration::ZERO || now - state.untouched > LONGEST_PATH {
                state.simulator.advance(now - last);
            }
        }
        state
    }

    /// A panic in the simulator must not take the companion with it.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// How long answers take: drawn evenly between the two, from a seed.
struct Latency {
    min: Duration,
    max: Duration,
    random: u64,
}

impl Latency {
    fn draw(&mut self) -> Duration {
        if self.max.is_zero() {
            return Duration::ZERO;
        }
        let spread = (self.max - self.min).as_millis() as u64;
        self.min + Duration::from_millis(split_mix(&mut self.random) % (spread + 1))
    }
}

/// SplitMix64: a plain, well-spread sequence for a seed.
fn split_mix(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}
