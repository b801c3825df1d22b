//! The iPhones and iPads that `xcrun devicectl` knows. Uses `device::process`.

use std::time::Duration;

use serde::Deserialize;
use serde_json::Value;

use crate::device::process::Command;

/// It may look for devices on the network.
const DEADLINE: Duration = Duration::from_secs(15);

/// A real device that was paired with this Mac.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PhysicalDevice {
    pub udid: String,
    pub name: String,
    /// Such as `iPhone 16 Pro`.
    pub model: String,
    /// Such as `iOS 18.2`.
    pub os: String,
    pub paired: bool,
    /// It can be reached now, by cable or network.
    pub connected: bool,
    pub developer_mode: bool,
}

impl PhysicalDevice {
    /// One line for people.
    pub fn described(&self) -> String {
        let mut line = format!("{}, {}, {}", self.name, self.model, self.os);
        line += if self.connected { ", connected" } else { ", not connected" };
        if !self.paired {
            line += ", not paired";
        }
        if !self.developer_mode {
            line += ", Developer Mode off";
        }
        line
    }
}

/// Asks `devicectl`; empty where it is not there, is too old, or says nothing readable.
pub async fn list() -> Vec<PhysicalDevice> {
    // its standard output is for people
    let Ok(answer) = tempfile::NamedTempFile::new() else { return Vec::new() };
    let command = Command::new("xcrun")
        .arguments(["devicectl", "list", "devices", "--quiet", "--json-output"])
        .path(answer.path());
    match command.run(DEADLINE).await {
        Ok(finished) if finished.succeeded() => {}
        Ok(finished) => tracing::debug!("devicectl: {}", finished.stderr.trim()),
        Err(error) => tracing::debug!("devicectl: {error}"),
    }
    std::fs::read(answer.path()).map(|json| read(&json)).unwrap_or_default()
}

/// The one of this UDID or name.
pub async fn find(name: &str) -> Option<PhysicalDevice> {
    let fits = |device: &PhysicalDevice| {
        [&device.udid, &device.name].iter().any(|known| known.eq_ignore_ascii_case(name))
    };
    list().await.into_iter().find(fits)
}

#[derive(Deserialize)]
struct Answer {
    result: Devices,
}

#[derive(Deserialize)]
struct Devices {
    #[serde(default)]
    devices: Vec<Value>,
}

/// Reads both shapes: newer Xcodes nest the same facts under `properties`.
fn read(json: &[u8]) -> Vec<PhysicalDevice> {
    let Ok(Answer { result }) = serde_json::from_slice::<Answer>(json) else { return Vec::new() };
    let mut found: Vec<PhysicalDevice> = result.devices.iter().filter_map(device).collect();
    found.sort_by(|a, b| a.name.cmp(&b.name));
    found
}

fn device(device: &Value) -> Option<PhysicalDevice> {
    let text = |group: &str, key: &str| {
        let old = &device[format!("{group}Properties")][key];
        let new = &device["properties"][group][key];
        old.as_str().or(new.as_str()).map(str::to_owned)
    };
    // watches and televisions have no touch screen that we drive
    let platform = text("hardware", "platform")?;
    if text("hardware", "reality").is_some_and(|reality| reality != "physical")
        || !["iOS", "iPadOS"].contains(&platform.as_str())
    {
        return None;
    }
    let os = text("device", "osVersionNumber").unwrap_or_default();
    Some(PhysicalDevice {
        udid: text("hardware", "udid")?,
        name: text("device", "name").unwrap_or_default(),
        model: text("hardware", "marketingName")
            .or_else(|| text("hardware", "productType"))
            .unwrap_or_default(),
        os: format!("{platform} {os}").trim().to_owned(),
        paired: text("connection", "pairingState").as_deref() == Some("paired"),
        connected: text("connection", "tunnelState").as_deref() == Some("connected")
            || text("connection", "transportType").as_deref() == Some("wired"),
        developer_mode: text("device", "developerModeStatus").is_none_or(|mode| mode == "enabled"),
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn both_shapes_of_the_answer_are_read() {
        let hardware = json!({"udid": "00008140-1", "platform": "iOS", "marketingName": "iPhone 16 Pro",
            "productType": "iPhone17,1", "reality": "physical"});
        let about =
            json!({"name": "Ann's phone", "osVersionNumber": "18.2", "developerModeStatus": "enabled"});
        let wired =
            json!({"pairingState": "paired", "tunnelState": "disconnected", "transportType": "wired"});
        let old = json!({"identifier": "core-1", "hardwareProperties": hardware, "deviceProperties": about,
            "connectionProperties": wired});
        let new = json!({"identifier": "core-1",
            "properties": {"hardware": hardware, "device": about, "connection": wired}});
        for device in [old, new] {
            let answer = json!({"info": {}, "result": {"devices": [device]}}).to_string();
            let found = read(answer.as_bytes());
            assert_eq!(found[0].udid, "00008140-1");
            assert_eq!(found[0].described(), "Ann's phone, iPhone 16 Pro, iOS 18.2, connected");
        }
    }

    #[test]
    fn what_is_no_phone_or_not_readable_is_left_out() {
        let watch = json!({"hardwareProperties": {"udid": "w", "platform": "watchOS"}});
        let bare = json!({"hardwareProperties": {"udid": "b", "platform": "iOS"},
            "deviceProperties": {"developerModeStatus": "disabled"}});
        let found = read(json!({"result": {"devices": [watch, bare, {}, 3]}}).to_string().as_bytes());
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].described(), ", , iOS, not connected, not paired, Developer Mode off");
        for broken in ["", "No devices found.", "{}", "{\"result\": {}}", "{\"result\": {\"devices\": 1}}"] {
            assert!(read(broken.as_bytes()).is_empty(), "{broken}");
        }
    }
}
