//! The devices that can be named here: the embedded simulator's apps, and companions that answer.

use std::path::{Path, PathBuf};
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::device::{DeviceDescription, Selector};
use crate::session::open::open;
use crate::sim::app::EMBEDDED;

/// Where the idb client keeps the sockets of the companions it started.
const COMPANION_SOCKETS: &str = "/tmp/idb";
/// A companion that takes longer is not told of.
const PATIENCE: Duration = Duration::from_secs(2);

/// A device that `--device` and `session_start` can be given.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct KnownDevice {
    pub selector: String,
    pub kind: KnownKind,
    /// Such as `Shop, on the embedded simulator` or `iPhone 16, iOS 18.2, booted`.
    pub description: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum KnownKind {
    Embedded,
    Companion,
}

/// All of them, the embedded ones first.
pub async fn known() -> Vec<KnownDevice> {
    let mut devices: Vec<KnownDevice> = EMBEDDED
        .iter()
        .map(|app| KnownDevice {
            selector: format!("sim:{}", app.name),
            kind: KnownKind::Embedded,
            description: format!("{}, on the embedded simulator", app.title),
        })
        .collect();
    let mut asked = tokio::task::JoinSet::new();
    for selector in companions() {
        asked.spawn(async move { tokio::time::timeout(PATIENCE, answering(&selector)).await.ok().flatten() });
    }
    while let Some(answer) = asked.join_next().await {
        devices.extend(answer.ok().flatten());
    }
    // in an order that does not depend on who answers first
    devices[EMBEDDED.len()..].sort_by(|a, b| a.selector.cmp(&b.selector));
    devices
}

/// The companion as it describes itself, if it answers.
async fn answering(selector: &Selector) -> Option<KnownDevice> {
    let device = open(selector).await.ok()?;
    let DeviceDescription { name, os, state, .. } = device.describe().await.ok()?;
    Some(KnownDevice {
        selector: selector.to_string(),
        kind: KnownKind::Companion,
        description: format!("{name}, {os}, {}", state.to_lowercase()),
    })
}

/// Selectors of companions that may run: the one that the idb client is told of, and the sockets it keeps.
fn companions() -> Vec<Selector> {
    let told = std::env::var("IDB_COMPANION").ok().map(|address| match address.strip_prefix('/') {
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
        let devices = known().await;
        assert_eq!(devices[0].selector, "sim:demo");
        assert!(devices.iter().any(|d| d.selector == "sim:shop" && d.kind == KnownKind::Embedded));
    }
}
