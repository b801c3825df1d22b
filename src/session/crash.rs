//! Notices that the app of a session has crashed. Uses `device`.

use std::collections::HashSet;
use std::time::Duration;

use crate::device::{CrashInfo, Device};

/// How long a crash report may take to be written.
const UNTIL_REPORTED: Duration = Duration::from_millis(500);

/// The reports that were there beforehand, so that a new one is known. A device's clock may be another than ours.
#[derive(Debug)]
pub(super) struct CrashWatch {
    bundle_id: String,
    known: HashSet<String>,
}

impl CrashWatch {
    pub async fn begin(device: &dyn Device, bundle_id: &str) -> Self {
        let known = device.crashes(0, Some(bundle_id)).await.unwrap_or_default();
        Self { bundle_id: bundle_id.to_owned(), known: known.into_iter().map(|report| report.name).collect() }
    }

    /// Whether this report was written since.
    pub fn is_new(&self, crash: &CrashInfo) -> bool {
        !self.known.contains(&crash.name)
    }

    /// The report of an app that runs no more; `None` while it runs, or where nothing says that it crashed.
    pub async fn report(&self, device: &dyn Device) -> Option<String> {
        let apps = device.apps().await.ok()?;
        // a companion says of an app without a process that it doesn't know
        let running = apps.iter().find(|app| app.bundle_id == self.bundle_id)?.running;
        if running == Some(true) {
            return None;
        }
        let newest = match self.newest(device).await {
            None => {
                device.sleep(UNTIL_REPORTED).await;
                self.newest(device).await
            }
            found => found,
        };
        match newest {
            Some(report) => Some(device.crash_report(&report.name).await.unwrap_or(report.name)),
            None => running.map(|_| "it ended without a crash report".to_owned()),
        }
    }

    async fn newest(&self, device: &dyn Device) -> Option<CrashInfo> {
        let reports = device.crashes(0, Some(&self.bundle_id)).await.ok()?;
        reports
            .into_iter()
            .filter(|report| !self.known.contains(&report.name))
            .max_by_key(|report| report.timestamp)
    }
}
