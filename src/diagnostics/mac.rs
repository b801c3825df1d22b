//! Checks of what the simulators and phones of a Mac need. Uses `device` and `doctor`.

use std::path::Path;
use std::time::Duration;

use super::doctor::{Check, State};
use crate::device::devicectl::{self, PhysicalDevice};
use crate::device::idb::companion_process;
use crate::device::process::{self, Command};
use crate::device::webdriver::runner::{self, FORWARDER_INSTALL, Way};
use crate::device::{mac, simctl};

/// Where the idb client keeps its lock; one that crashed leaves it behind.
const CLIENT_LOCK: &str = "/tmp/idb/state.lock";
/// A lock that is older belongs to nobody.
const STALE: Duration = Duration::from_secs(60);

/// All of them; elsewhere than on a Mac only what might be there all the same.
pub async fn checks() -> Vec<Check> {
    let is_mac = cfg!(target_os = "macos");
    if !is_mac && process::find("xcrun").is_none() {
        let detail =
            "not needed here: simulators of Xcode exist on a Mac only; `sim:` and companions by address work";
        return vec![Check::ok("mac", detail)];
    }
    let (xcode, simulators, companion, phones) =
        tokio::join!(xcode(), simulators(), companion(), devicectl::list());
    let mut checks = vec![xcode, simulators, companion, idb_command()];
    checks.extend(phone_checks(&phones));
    checks.push(left_behind().await);
    checks.extend(client_lock(Path::new(CLIENT_LOCK)));
    checks
}

async fn xcode() -> Check {
    const NAME: &str = "xcode";
    match mac::xcode_version().await {
        Some(version) => Check::ok(NAME, format!("Xcode {version}")),
        None if process::find("xcodebuild").is_none() => Check::not(
            NAME,
            State::Warn,
            "`xcodebuild` is not on the PATH: simulators of this Mac can't be driven",
            "install Xcode from the App Store, then sudo xcode-select -s /Applications/Xcode.app",
        ),
        None => Check::not(
            NAME,
            State::Warn,
            "`xcodebuild -version` names no Xcode: only the command line tools are chosen",
            "sudo xcode-select -s /Applications/Xcode.app && sudo xcodebuild -license accept",
        ),
    }
}

async fn simulators() -> Check {
    const NAME: &str = "simulators";
    match simctl::list().await {
        Ok(simulators) => {
            let usable = simulators.iter().filter(|s| s.problem.is_none()).count();
            let booted = simulators.iter().filter(|s| s.is_booted()).count();
            let detail = format!("{usable} can be used, {booted} booted");
            match usable {
                0 => Check::not(NAME, State::Warn, detail, "xcodebuild -downloadPlatform iOS"),
                _ => Check::ok(NAME, detail),
            }
        }
        Err(error) => {
            let fix = "xcrun simctl list devices, and do what it says";
            Check::not(NAME, State::Warn, error.to_string(), fix)
        }
    }
}

/// It is there, it runs, and it is recent enough for this Xcode.
async fn companion() -> Check {
    const NAME: &str = "idb_companion";
    let Some(program) = companion_process::program() else {
        let detail =
            "not on the PATH nor where it is usually installed: simulators of this Mac can't be driven";
        return Check::not(NAME, State::Warn, detail, companion_process::INSTALL);
    };
    let asked = Command::new(program.display().to_string()).arguments(["--version"]);
    match asked.run(Duration::from_secs(15)).await {
        Ok(finished) if finished.succeeded() => {
            let built = serde_json::from_str::<serde_json::Value>(finished.text().trim()).ok();
            let built = built.and_then(|v| v["build_date"].as_str().map(|date| format!(", built {date}")));
            Check::ok(NAME, format!("{}{}", program.display(), built.unwrap_or_default()))
        }
        Ok(finished) => {
            let said =
                finished.stderr.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or("nothing");
            let detail = format!("{} does not run; it said: {}", program.display(), said.trim());
            Check::not(NAME, State::Warn, detail, "sudo xcode-select -s /Applications/Xcode.app")
        }
        Err(error) => Check::not(NAME, State::Warn, error.to_string(), "brew reinstall idb-companion"),
    }
}

/// Only needed for `--driver cli`.
fn idb_command() -> Check {
    match process::find("idb") {
        Some(program) => Check::ok("idb", program.display().to_string()),
        None => Check::ok("idb", "not there; only `--driver cli` needs it (pip3 install fb-idb)"),
    }
}

/// Who is paired, and what bringing WebDriverAgent up on them needs.
fn phone_checks(phones: &[PhysicalDevice]) -> Vec<Check> {
    if phones.is_empty() {
        return vec![Check::ok("phones", "none is paired")];
    }
    vec![paired(phones), forwarder(), agent(phones)]
}

fn paired(phones: &[PhysicalDevice]) -> Check {
    const NAME: &str = "phones";
    let told: Vec<String> = phones.iter().map(PhysicalDevice::described).collect();
    // one that lies elsewhere is no fault
    let hindered = phones.iter().filter(|phone| phone.connected || !phone.paired);
    let hindered = hindered.filter_map(|phone| Some((phone, runner::hindrance(phone)?))).next();
    match hindered {
        Some((phone, why)) => {
            Check::not(NAME, State::Warn, told.join("; "), format!("{}: {why}", phone.name))
        }
        None => Check::ok(NAME, told.join("; ")),
    }
}

fn forwarder() -> Check {
    const NAME: &str = "iproxy";
    match process::find(NAME) {
        Some(program) => Check::ok(NAME, program.display().to_string()),
        None => Check::not(
            NAME,
            State::Warn,
            "not on the PATH: `wda:UDID` can't reach a phone without it",
            FORWARDER_INSTALL,
        ),
    }
}

/// How it would be started, on every phone that is connected.
fn agent(phones: &[PhysicalDevice]) -> Check {
    const NAME: &str = "webdriveragent";
    const FIX: &str =
        "set SIMDRIVE_WDA_PROJECT to WebDriverAgent.xcodeproj and SIMDRIVE_WDA_TEAM to your team's id";
    let way = match Way::of_environment() {
        Ok(way) => way,
        Err(why) => return Check::not(NAME, State::Warn, why, "correct the variable, or unset it"),
    };
    let connected = phones.iter().filter(|phone| phone.connected);
    let unsuited = connected.filter_map(|phone| Some((phone, way.suits(phone).err()?))).next();
    match unsuited {
        Some((phone, why)) => Check::not(NAME, State::Warn, format!("{}: {why}", phone.name), FIX),
        None => Check::ok(NAME, way.described()),
    }
}

/// What a killed simdrive has left running is ended here and now.
async fn left_behind() -> Check {
    let mut ended = companion_process::reclaim().await;
    ended.extend(runner::reclaim().await);
    let detail = match ended.as_slice() {
        [] => "no companion or agent was left behind".to_owned(),
        pids => format!("what a killed simdrive had left behind was ended: {pids:?}"),
    };
    Check::ok("left behind", detail)
}

fn client_lock(lock: &Path) -> Option<Check> {
    let age = lock.metadata().ok()?.modified().ok()?.elapsed().ok()?;
    (age > STALE).then(|| {
        let detail =
            format!("{} is {} s old: the idb client waits for it in vain", lock.display(), age.as_secs());
        Check::not("idb lock", State::Warn, detail, format!("rm {}", lock.display()))
    })
}
