//! What belongs to the device and not to an app: options, time, permissions, pasteboard, logs.
//! Uses `options`, `records` and the app's words.

use std::collections::BTreeMap;
use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};

use super::app::PermissionName;
use super::motion::Moment;
use super::options::SimulatorOptions;
use super::records::LogLine;

pub struct System {
    pub options: SimulatorOptions,
    started: DateTime<Utc>,
    /// Virtual time since the start.
    pub elapsed: Moment,
    random: u64,
    pub permissions: BTreeMap<(String, PermissionName), bool>,
    pub settings: BTreeMap<String, String>,
    pub pasteboard: String,
    pub location: Option<(f64, f64)>,
    pub log: Vec<LogLine>,
    /// What apps asked the device to do, in order.
    pub requests: Vec<Request>,
}

/// Something an app can't do by itself.
#[derive(Clone, Debug, PartialEq)]
pub enum Request {
    Crash { bundle: String, reason: String },
    Open(String),
}

/// Lines kept; the oldest go first.
const MAX_LOG: usize = 10_000;

impl System {
    pub fn new(options: SimulatorOptions) -> Self {
        Self {
            started: options.clock.start(),
            elapsed: Duration::ZERO,
            random: options.seed,
            options,
            permissions: BTreeMap::new(),
            settings: BTreeMap::new(),
            pasteboard: String::new(),
            location: None,
            log: Vec::new(),
            requests: Vec::new(),
        }
    }

    pub fn now(&self) -> DateTime<Utc> {
        let elapsed = TimeDelta::from_std(self.elapsed).unwrap_or(TimeDelta::MAX);
        self.started.checked_add_signed(elapsed).unwrap_or(DateTime::<Utc>::MAX_UTC)
    }

    /// The next number of the seed's sequence (splitmix64).
    pub fn random(&mut self) -> u64 {
        self.random = self.random.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.random;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// How long the app takes to answer this time.
    pub fn latency(&mut self) -> Duration {
        if *self.options.latency_ms.end() == 0 {
            return Duration::ZERO;
        }
        let random = self.random();
        self.options.latency_for(random)
    }

    pub fn log(&mut self, process: &str, pid: u64, text: String) {
        if self.log.len() >= MAX_LOG {
            self.log.drain(..MAX_LOG / 10);
        }
        self.log.push(LogLine { at: self.now(), process: process.to_owned(), pid, text });
    }

    /// No keyboard is drawn while a hardware one is connected.
    pub fn draws_keyboard(&self) -> bool {
        !matches!(self.settings.get("hardware_keyboard").map(String::as_str), Some("1" | "true" | "YES"))
    }
}
