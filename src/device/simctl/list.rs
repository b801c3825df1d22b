//! The simulators in `simctl list devices --json`, and which of them is meant. Pure.

use std::collections::BTreeMap;

use serde::Deserialize;

/// A simulator of this Mac.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Simulator {
    pub udid: String,
    pub name: String,
    /// Such as `iOS 26.3`.
    pub os: String,
    /// `Shutdown`, `Booted`, `Booting`, `Shutting Down`, `Creating`.
    pub state: String,
    /// Why it can't be used, where it can't.
    pub problem: Option<String>,
}

impl Simulator {
    pub fn is_booted(&self) -> bool {
        self.state == "Booted"
    }

    /// One line for people.
    pub fn described(&self) -> String {
        let problem = self.problem.as_ref().map_or_else(String::new, |p| format!(", unavailable: {p}"));
        format!("{}, {}, {}{problem}", self.name, self.os, self.state.to_lowercase())
    }
}

#[derive(Deserialize)]
struct Answer {
    devices: BTreeMap<String, Vec<Device>>,
    #[serde(default)]
    runtimes: Vec<Runtime>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Device {
    udid: String,
    name: String,
    #[serde(default)]
    state: String,
    is_available: Option<bool>,
    availability_error: Option<String>,
}

#[derive(Deserialize)]
struct Runtime {
    identifier: String,
    name: String,
}

/// Reads the answer; the newest systems first, names in order.
pub fn read(json: &[u8]) -> serde_json::Result<Vec<Simulator>> {
    let Answer { devices, runtimes } = serde_json::from_slice(json)?;
    let mut found = Vec::new();
    for (runtime, devices) in devices {
        let told = runtimes.iter().find(|r| r.identifier == runtime).map(|r| r.name.clone());
        let os = told.unwrap_or_else(|| os_of(&runtime));
        found.extend(devices.into_iter().map(|device| Simulator {
            problem:
                (device.is_available == Some(false)).then(|| {
                    device.availability_error.unwrap_or_else(|| "its runtime is not installed".into())
                }),
            udid: device.udid,
            name: device.name,
            os: os.clone(),
            state: device.state,
        }));
    }
    found.sort_by(|a, b| version(&b.os).cmp(&version(&a.os)).then_with(|| a.name.cmp(&b.name)));
    Ok(found)
}

/// `com.apple.CoreSimulator.SimRuntime.iOS-26-3` is iOS 26.3.
fn os_of(runtime: &str) -> String {
    let name = runtime.rsplit('.').next().unwrap_or(runtime);
    match name.split_once('-') {
        Some((platform, version)) => format!("{platform} {}", version.replace('-', ".")),
        None => name.to_owned(),
    }
}

fn version(os: &str) -> Vec<u32> {
    let numbers = os.rsplit(' ').next().unwrap_or_default();
    numbers.split('.').filter_map(|part| part.parse().ok()).collect()
}

/// Which simulator a name means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Choice<'a> {
    One(&'a Simulator),
    /// These all fit: who asked must say which.
    Several(Vec<&'a Simulator>),
    /// None fits; the names that come nearest.
    None(Vec<String>),
}

/// Finds the simulator with this UDID or name; `NAME, OS` and `NAME (OS)` tell equal names apart. Two that fit are
/// never guessed between. One that can't be used is only meant where no other fits.
pub fn choose<'a>(simulators: &'a [Simulator], wanted: &str) -> Choice<'a> {
    if let Some(one) = simulators.iter().find(|s| s.udid.eq_ignore_ascii_case(wanted)) {
        return Choice::One(one);
    }
    let folded = fold(wanted);
    let fits = |s: &&Simulator| {
        let os_version = s.os.rsplit(' ').next().unwrap_or_default();
        let full = [&s.os, os_version].map(|os| fold(&format!("{} {os}", s.name)));
        fold(&s.name) == folded || full.contains(&folded)
    };
    let all: Vec<&Simulator> = simulators.iter().filter(fits).collect();
    let usable: Vec<&Simulator> = all.iter().copied().filter(|s| s.problem.is_none()).collect();
    match (usable.as_slice(), all.as_slice()) {
        ([one], _) | ([], [one]) => Choice::One(one),
        ([], []) => Choice::None(nearest(simulators, &folded)),
        ([], _) => Choice::Several(all),
        _ => Choice::Several(usable),
    }
}

/// Letters, digits and single spaces: how a name is written in detail doesn't matter.
fn fold(name: &str) -> String {
    let plain: String =
        name.chars().map(|c| if "(),".contains(c) { ' ' } else { c.to_ascii_lowercase() }).collect();
    plain.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn nearest(simulators: &[Simulator], folded: &str) -> Vec<String> {
    let mut names: Vec<&str> = simulators.iter().map(|s| s.name.as_str()).collect();
    names.sort_by(|a, b| {
        let likeness = |name: &str| strsim::jaro_winkler(&fold(name), folded);
        likeness(b).total_cmp(&likeness(a))
    });
    names.dedup();
    names.into_iter().take(3).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const LISTED: &str = r#"{"devices": {
        "com.apple.CoreSimulator.SimRuntime.iOS-18-2": [
            {"udid": "A1", "name": "iPhone 16", "state": "Shutdown", "isAvailable": true, "dataPathSize": 1},
            {"udid": "A2", "name": "iPhone 16 Pro", "state": "Booted", "isAvailable": true,
             "lastBootedAt": "2026-11-30T08:00:00Z"}],
        "com.apple.CoreSimulator.SimRuntime.iOS-26-3": [
            {"udid": "B1", "name": "iPhone 16", "state": "Shutdown", "isAvailable": true},
            {"udid": "B2", "name": "iPhone 17", "state": "Shutdown", "isAvailable": true}],
        "com.apple.CoreSimulator.SimRuntime.iOS-17-0": [
            {"udid": "C1", "name": "iPhone 17", "state": "Shutdown", "isAvailable": false,
             "availabilityError": "runtime profile not found"},
            {"udid": "C2", "name": "iPad mini", "state": "Shutdown", "isAvailable": false}],
        "com.apple.CoreSimulator.SimRuntime.watchOS-11-0": []}}"#;

    fn chosen(wanted: &str) -> String {
        let simulators = read(LISTED.as_bytes()).unwrap();
        match choose(&simulators, wanted) {
            Choice::One(one) => one.udid.clone(),
            Choice::Several(several) => {
                let udids: Vec<&str> = several.iter().map(|s| s.udid.as_str()).collect();
                format!("several {}", udids.join(" "))
            }
            Choice::None(near) => format!("none, near {}", near.join(" / ")),
        }
    }

    #[test]
    fn a_name_or_udid_means_one_simulator_or_is_not_guessed() {
        for (wanted, expected) in [
            ("b2", "B2"),
            ("iPhone 16 Pro", "A2"),
            ("iphone  16 pro", "A2"),
            ("iPhone 16", "several B1 A1"),
            ("iPhone 16 (18.2)", "A1"),
            ("iPhone 16, iOS 26.3", "B1"),
            // the other of this name can't be used
            ("iPhone 17", "B2"),
            ("iPad mini", "C2"),
            ("C1", "C1"),
            ("iPhone 61 Pro", "none, near iPhone 16 Pro / iPhone 16 / iPhone 17"),
        ] {
            assert_eq!(chosen(wanted), expected, "{wanted}");
        }
    }

    #[test]
    fn every_shape_of_the_list_is_read() {
        let simulators = read(LISTED.as_bytes()).unwrap();
        assert_eq!((simulators.len(), simulators[0].os.as_str()), (6, "iOS 26.3"));
        let one = simulators.iter().find(|s| s.udid == "C1").unwrap();
        assert_eq!(one.described(), "iPhone 17, iOS 17.0, shutdown, unavailable: runtime profile not found");
        let named = r#"{"devices": {"x.y": [{"udid": "U", "name": "N"}]},
            "runtimes": [{"identifier": "x.y", "name": "iOS 26.3", "version": "26.3"}]}"#;
        assert_eq!(read(named.as_bytes()).unwrap()[0].os, "iOS 26.3");
        assert_eq!(read(b"{\"devices\": {}}").unwrap(), []);
        for broken in ["", "[]", "{}", "No devices", "{\"devices\": [1]}"] {
            assert!(read(broken.as_bytes()).is_err(), "{broken}");
        }
    }
}
