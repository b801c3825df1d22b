//! The devices that can be named here: the embedded simulator's apps, companions that answer, and what a Mac has.

use std::path::{Path, PathBuf};
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::device::{DeviceDescription, Selector, devicectl, simctl};
use crate::session::open::open;
use crate::sim::app::EMBEDDED;

/// Where the idb client keeps the sockets of the companions it started.
const COMPANION_SOCKETS: &str = "/tmp/idb";
/// A companion that takes longer is not told of.
const PATIENCE: Duration = Duration::from_secs(2);

/// A device that can be named, and what kind of thing it is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct KnownDevice {
    /// What `--device` and `session_start` take.
    pub selector: String,
    pub kind: KnownKind,
    /// Such as `Shop, on the embedded simulator` or `iPhone 16, iOS 18.2, booted`.
    pub description: String,
    /// It runs now: where no device is named, the only one that runs is meant.
    pub running: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub udid: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum KnownKind {
    Embedded,
    // documented like this, a published schema stays a plain enumeration
    // an idb companion that somebody started
    Companion,
    // a simulator of this Mac
    Simulator,
    // an iPhone or iPad that is paired with this Mac
    Device,
}

/// What there is, and what kept more from being told.
#[derive(Clone, Debug, Default)]
pub struct Known {
    /// The embedded ones first.
    pub devices: Vec<KnownDevice>,
    pub notes: Vec<String>,
}

/// All devices that can be named. `companion` is where the idb client is told that one runs: HOST:PORT, or the path of
/// its socket.
pub async fn known(companion: Option<&str>) -> Known {
    let (mut known, phones) = tokio::join!(simulators_and_companions(companion), devicectl::list());
    known.devices.splice(0..0, embedded());
    known.devices.extend(phones.iter().map(phone));
    known
}

/// Those that run now. Phones are not asked for: that takes long, and they don't run by themselves.
pub async fn running(companion: Option<&str>) -> Vec<KnownDevice> {
    let known = simulators_and_companions(companion).await;
    known.devices.into_iter().filter(|device| device.running).collect()
}

async fn simulators_and_companions(companion: Option<&str>) -> Known {
    let (companions, simulators) = tokio::join!(companions_that_answer(companion), simctl::list());
    let mut known = Known::default();
    match simulators {
        Ok(simulators) => known.devices.extend(simulators.into_iter().map(simulator)),
        // elsewhere than on a Mac nobody expects any
        Err(simctl::SimctlError::NoXcode(_)) if !cfg!(target_os = "macos") => {}
        Err(error) => known.notes.push(error.to_string()),
    }
    // a companion of a simulator that is listed anyway is not another device
    let named = |companion: &KnownDevice| {
        let udids = known.devices.iter().filter_map(|device| device.udid.as_ref());
        companion.udid.as_ref().is_some_and(|own| udids.into_iter().any(|udid| udid == own))
    };
    let others: Vec<KnownDevice> = companions.into_iter().filter(|companion| !named(companion)).collect();
    known.devices.extend(others);
    known
}

fn embedded() -> Vec<KnownDevice> {
    let device = |app: &crate::sim::app::Embedded| KnownDevice {
        selector: format!("sim:{}", app.name),
        kind: KnownKind::Embedded,
        description: format!("{}, on the embedded simulator", app.title),
        running: false,
        udid: None,
    };
    EMBEDDED.iter().map(device).collect()
}

fn simulator(simulator: simctl::Simulator) -> KnownDevice {
    KnownDevice {
        selector: format!("idb:{}", simulator.udid),
        kind: KnownKind::Simulator,
        description: simulator.described(),
        running: simulator.is_booted(),
        udid: Some(simulator.udid),
    }
}

fn phone(phone: &devicectl::PhysicalDevice) -> KnownDevice {
    KnownDevice {
        selector: format!("wda:{}", phone.udid),
        kind: KnownKind::Device,
        description: phone.described(),
        // it takes more than a cable to drive it
        running: false,
        udid: Some(phone.udid.clone()),
    }
}

async fn companions_that_answer(companion: Option<&str>) -> Vec<KnownDevice> {
    let mut asked = tokio::task::JoinSet::new();
    for selector in companions(companion) {
        asked.spawn(async move { tokio::time::timeout(PATIENCE, answering(&selector)).await.ok().flatten() });
    }
    let mut found: Vec<KnownDevice> = asked.join_all().await.into_iter().flatten().collect();
    // in an order that does not depend on who answers first
    found.sort_by(|a, b| a.selector.cmp(&b.selector));
    found
}

/// The companion as it describes itself, if it answers.
async fn answering(selector: &Selector) -> Option<KnownDevice> {
    let device = open(selector).await.ok()?;
    let DeviceDescription { name, os, state, udid, .. } = device.describe().await.ok()?;
    Some(KnownDevice {
        selector: selector.to_string(),
        kind: KnownKind::Companion,
        description: format!("{name}, {os}, {}", state.to_lowercase()),
        running: true,
        udid: Some(udid),
    })
}

/// Selectors of companions that may run: the one that the idb client is told of, and the sockets it keeps.
fn companions(told: Option<&str>) -> Vec<Selector> {
    let told = told.map(|address| match address.strip_prefix('/') {
        Some(_) => format!("idb+unix://{address}"),
        None => format!("idb://{address}"),
    });
    let sockets = sockets(Path::new(COMPANION_SOCKETS)).into_iter();
    let sockets = sockets.map(|path| format!("idb+unix://{}", path.display()));
    told.into_iter().chain(sockets).filter_map(|selector| selector.parse().ok()).collect()
}

fn sockets(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries.map(|entry| entry.path()).filter(|path| path.extension().is_some_and(|e| e == "sock")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn the_embedded_apps_are_always_known() {
        let devices = known(None).await.devices;
        assert_eq!(devices[0].selector, "sim:demo");
        assert!(devices.iter().any(|d| d.selector == "sim:shop" && d.kind == KnownKind::Embedded));
    }
}
