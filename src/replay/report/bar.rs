//! How far a run is, on the last line of a terminal. Uses `events`.

use crate::replay::events::Event;

/// Cells of the bar.
const WIDTH: usize = 24;
/// Goes back to the start of the line and clears it.
pub const CLEAR: &str = "\r\x1b[2K";

/// Counts what is done.
#[derive(Debug, Default)]
pub struct Bar {
    recordings: usize,
    recordings_done: usize,
    steps: usize,
    steps_done: usize,
    /// What was begun or done last.
    now: String,
}

impl Bar {
    pub fn count(&mut self, event: &Event) {
        match event {
            Event::RunStarted { recordings, steps } => {
                *self = Self { recordings: *recordings, steps: *steps, ..Self::default() };
            }
            Event::RecordingStarted { name, steps, attempt, .. } => {
                // a retry does its steps once more
                self.steps += if *attempt > 1 { *steps } else { 0 };
                self.now.clone_from(name);
            }
            Event::StepFinished { name, .. } => {
                self.steps_done += 1;
                self.now.clone_from(name);
            }
            Event::RecordingFinished { .. } => self.recordings_done += 1,
            Event::RunFinished { .. } => {}
        }
    }

    /// Such as `━━━━━━────── 3/6 steps, 1/2 recordings  sign-in`, for a terminal of so many columns.
    pub fn line(&self, columns: usize) -> String {
        let filled = (WIDTH * self.steps_done).checked_div(self.steps).unwrap_or(0).min(WIDTH);
        let line = format!(
            "{}{} {}/{} steps, {}/{} recordings  {}",
            "━".repeat(filled),
            "─".repeat(WIDTH - filled),
            self.steps_done,
            self.steps,
            self.recordings_done,
            self.recordings,
            self.now
        );
        // a line that wraps could not be cleared
        line.chars().take(columns.saturating_sub(1)).collect()
    }
}
