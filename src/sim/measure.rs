//! What an app of the simulator uses. It is no process of the machine: the figures follow what it holds and does
//! (screens, state, drawing, touches), so that a comparison sees a change where there is one. Uses `simulator`.

use std::time::Duration;

use serde_json::Value;

use super::error::SimError;
use super::process::{Process, Root};
use super::simulator::Simulator;

/// A touch keeps an app busy for so long.
const BUSY: Duration = Duration::from_millis(500);
const KIB: u64 = 1 << 10;

/// What an app uses at one moment.
#[derive(Clone, Debug, PartialEq)]
pub struct Measurement {
    /// Of one core.
    pub cpu_percent: f64,
    pub threads: u32,
    /// Kinds of memory, in bytes.
    pub regions: Vec<(&'static str, u64)>,
    pub peak_bytes: u64,
}

impl Simulator {
    /// Measures a running app.
    ///
    /// # Errors
    /// [`SimError::NotInstalled`], or [`SimError::InvalidArgument`] where it does not run.
    pub fn measure(&mut self, bundle: &str) -> Result<Measurement, SimError> {
        if !self.installed.contains_key(bundle) {
            return Err(self.not_installed(bundle));
        }
        let does_not_run = || SimError::InvalidArgument(format!("`{bundle}` does not run"));
        let process = self.processes.get(bundle).ok_or_else(does_not_run)?;
        let in_front = self.front.as_deref() == Some(bundle);
        let now = self.now();
        let touched = self
            .touches
            .last()
            .is_some_and(|touch| (now - touch.at).to_std().is_ok_and(|since| since < BUSY) && in_front);
        let moves = in_front && process.slide.is_some();
        // a little unrest, as every machine has it; it repeats with the clock
        let unrest = (now.timestamp_millis().rem_euclid(97)) as f64 / 97.0;
        let base = if in_front { 1.2 } else { 0.1 };
        let work = 28.0 * f64::from(u8::from(touched)) + 9.0 * f64::from(u8::from(moves));
        let pixels = self.options().profile.pixels;
        let surface = u64::from(pixels.width) * u64::from(pixels.height) * 4;
        let pages = pages(process);
        let state = Value::Object(process.state.clone()).to_string().len() as u64;
        let regions = vec![
            ("MALLOC", 6 * KIB * KIB + 40 * state + pages * 300 * KIB),
            ("CoreAnimation", pages * 900 * KIB),
            ("IOSurface", if in_front { 2 * surface } else { 0 }),
            ("__DATA", 3 * KIB * KIB),
        ];
        let total: u64 = regions.iter().map(|(_, bytes)| bytes).sum();
        let peak = self.peaks.entry(process.pid).or_default();
        *peak = total.max(*peak);
        Ok(Measurement {
            cpu_percent: base + work + 0.8 * unrest,
            threads: if in_front { 10 } else { 7 } + u32::from(touched),
            regions,
            peak_bytes: *peak,
        })
    }
}

/// Screens that the app holds, seen or not.
fn pages(process: &Process) -> u64 {
    let root = match &process.root {
        Root::Single(stack) => stack.len(),
        Root::Tabs { stacks, .. } => stacks.iter().map(Vec::len).sum(),
    };
    (root + process.sheets.iter().map(|sheet| sheet.stack.len()).sum::<usize>()) as u64
}
