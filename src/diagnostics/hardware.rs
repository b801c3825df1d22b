//! Tries on a device itself what simdrive does with one: for machines that it was never run on. Uses `session::open`.
//!
//! It looks, and presses the home button; no app is started, ended or changed.

use std::future::Future;
use std::time::{Duration, Instant};

use super::doctor::{Check, State};
use crate::device::{Device, DeviceError, HardwareButton, HidEvent, LogQuery, Selector};
use crate::frame::Frame;
use crate::session::open::open;

const REPORT: &str = "run it with SIMDRIVE_LOG=debug and report what it tells";
const LOG_LINES: usize = 10;

/// Opens the device, tries one thing after another, and lets go of it.
pub async fn check(selector: &Selector) -> Vec<Check> {
    let mut checks = Vec::new();
    let opened = tried("open", open(selector), |_| selector.to_string()).await;
    let (check, device) = opened;
    checks.push(check);
    if let Some(device) = device {
        try_everything(&*device, &mut checks).await;
        device.close().await;
    }
    checks
}

async fn try_everything(device: &dyn Device, checks: &mut Vec<Check>) {
    let (check, described) =
        tried("describe", device.describe(), |d| format!("{}, {}, {}", d.name, d.model, d.os)).await;
    checks.push(check);
    checks.push(screenshot(device, described.as_ref().map(|d| d.panel_pixels)).await);
    let tree = tried("accessibility", device.accessibility(), |tree| match tree {
        Some(tree) => format!("{} elements", tree.root.walk().count()),
        None => "it has none to give: text and shapes are read from pixels".to_owned(),
    });
    checks.push(tree.await.0);
    let home = [HidEvent::ButtonDown(HardwareButton::Home), HidEvent::ButtonUp(HardwareButton::Home)];
    checks.push(tried("home button", device.hid(&home), |()| "pressed".to_owned()).await.0);
    let (check, apps) = tried("apps", device.apps(), |apps| format!("{} installed", apps.len())).await;
    checks.push(check);
    let query = LogQuery { lines: LOG_LINES, within: Duration::from_secs(2), since: None };
    checks.push(tried("logs", device.logs(&query), |lines| format!("{} lines", lines.len())).await.0);
    checks.push(tried("crashes", device.crashes(0, None), |all| format!("{} reports", all.len())).await.0);
    let appearance = tried("appearance", device.appearance(), |(appearance, size)| {
        format!("{appearance:?}, {size:?}").to_lowercase()
    });
    checks.push(appearance.await.0);
    let running = apps.into_iter().flatten().find(|app| app.pid.is_some());
    if let Some(app) = running {
        let metrics = device.metrics(&app.bundle_id);
        let told = tried("metrics", metrics, |m| format!("{}: {:.1} % cpu", app.bundle_id, m.cpu_percent));
        checks.push(told.await.0);
    }
}

/// The picture can be read and has the size that the device claims, upright or turned.
async fn screenshot(device: &dyn Device, claimed: Option<crate::geometry::PixelSize>) -> Check {
    const NAME: &str = "screenshot";
    let (check, capture) =
        tried(NAME, device.screenshot(), |capture| format!("{} bytes", capture.bytes.len())).await;
    let Some(capture) = capture else { return check };
    let size = match Frame::decode(&capture.bytes) {
        Ok(frame) => frame.size(),
        Err(e) => return Check::not(NAME, State::Fail, format!("it can't be decoded: {e}"), REPORT),
    };
    let sides = |s: crate::geometry::PixelSize| (s.width.min(s.height), s.width.max(s.height));
    match claimed {
        Some(claimed) if sides(claimed) != sides(size) => {
            let told = format!("it is {size:?}, but the device says {claimed:?}");
            Check::not(NAME, State::Fail, told, REPORT)
        }
        _ => check,
    }
}

/// What came of a try, with how long it took.
async fn tried<T>(
    name: &'static str,
    what: impl Future<Output = Result<T, DeviceError>>,
    told: impl FnOnce(&T) -> String,
) -> (Check, Option<T>) {
    let started = Instant::now();
    match what.await {
        Ok(got) => {
            let detail = format!("{} ({} ms)", told(&got), started.elapsed().as_millis());
            (Check::ok(name, detail), Some(got))
        }
        Err(error @ DeviceError::Unsupported { .. }) => {
            (Check::not(name, State::Warn, error.to_string(), "nothing: this kind of device can't"), None)
        }
        Err(error) => (Check::not(name, State::Fail, error.to_string(), REPORT), None),
    }
}
