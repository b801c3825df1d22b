//! What the simulator keeps for those who ask afterwards: touches, log lines, crashes, the true layout.
//! Uses `geometry` and `role`.

use chrono::{DateTime, Utc};

use crate::geometry::{PanelPoint, Rect};
use crate::role::Role;

/// A touch that arrived, whatever it did.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TouchRecord {
    pub at: DateTime<Utc>,
    pub panel: PanelPoint,
    pub phase: TouchPhase,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TouchPhase {
    Down,
    /// A down while the finger was down.
    Moved,
    Up,
}

/// One line of an app's log.
#[derive(Clone, Debug, PartialEq)]
pub struct LogLine {
    pub at: DateTime<Utc>,
    pub process: String,
    pub pid: u64,
    pub text: String,
}

/// The report of an app that crashed.
#[derive(Clone, Debug, PartialEq)]
pub struct CrashRecord {
    /// Its file name, such as `Chaos-2026-01-01-094100.ips`.
    pub name: String,
    pub bundle_id: String,
    pub process: String,
    pub pid: u64,
    pub at: DateTime<Utc>,
    /// As the system writes it: one line of JSON, then the report as JSON.
    pub text: String,
}

/// One element as it truly is, to measure what observers find.
#[derive(Clone, Debug, PartialEq)]
pub struct TruthElement {
    pub role: Role,
    pub label: String,
    pub value: Option<String>,
    pub identifier: Option<String>,
    /// Interface points; the whole element, also where something hides a part of it.
    pub frame: Rect,
    pub enabled: bool,
    pub selected: bool,
    /// Some of it is on the screen.
    pub visible: bool,
    /// A touch on its middle would not reach it: a bar, an alert, a sheet or another element is over it.
    pub covered: bool,
}
