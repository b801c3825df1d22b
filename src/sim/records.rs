//! What the simulator keeps for those who ask afterwards: touches, log lines, crashes, the true layout.
//! Uses `geometry` and `role`.

use chrono::{DateTime, Utc};

use super::app::App;
use super::profiles::Profile;
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

impl CrashRecord {
    pub fn new(app: &App, pid: u64, at: DateTime<Utc>, profile: &Profile, reason: &str) -> Self {
        let name = format!("{}-{}.ips", app.name, at.format("%Y-%m-%d-%H%M%S"));
        let time = at.format("%Y-%m-%d %H:%M:%S%.3f %z").to_string();
        let header = serde_json::json!({
            "app_name": app.name, "bundleID": app.bundle, "app_version": app.version, "timestamp": time,
            "os_version": profile.os, "bug_type": "309", "name": app.name,
        });
        let report = serde_json::json!({
            "procName": app.name, "pid": pid, "parentProc": "launchd_sim", "captureTime": time,
            "modelCode": profile.model, "bundleInfo": {"CFBundleIdentifier": app.bundle},
            "exception": {"type": "EXC_BREAKPOINT", "signal": "SIGTRAP"},
            "termination": {"namespace": "SIGNAL", "indicator": "Trace/BPT trap: 5"},
            "faultingThread": 0,
            "threads": [{"triggered": true, "frames": [
                {"imageIndex": 0, "imageOffset": 244, "symbol": "_assertionFailure(_:_:file:line:flags:)", "symbolLocation": 244},
                {"imageIndex": 1, "imageOffset": 4096, "symbol": "perform(_:)", "symbolLocation": 64},
                {"imageIndex": 1, "imageOffset": 1024, "symbol": "main", "symbolLocation": 8},
            ]}],
            "usedImages": [{"name": "libswiftCore.dylib"}, {"name": app.name}],
            "asi": {"libswiftCore.dylib": [format!("Fatal error: {reason}")]},
        });
        let text = format!("{header}\n{report:#}\n");
        Self { name, bundle_id: app.bundle.clone(), process: app.name.clone(), pid, at, text }
    }
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
