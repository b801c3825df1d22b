//! The `idb` command, once a call: for a Mac where no companion can be kept running. Uses `gestures`, `device::process`.
//!
//! Slower than a companion of our own, and coarser: the command takes whole points, and a swipe only straight.

mod gestures;

use std::path::Path;
use std::time::Duration;

use async_trait::async_trait;
use serde_json::Value;

use crate::device::idb::accessibility::read_tree;
use crate::device::idb::{hid, keys};
use crate::device::process::{self, Command, Finished, ProcessError};
use crate::device::{
    AccessibilityTree, AppInfo, Appearance, Capture, ContentSize, CrashInfo, Device, DeviceDescription,
    DeviceError, DeviceKind, Feature, HidEvent, Launch, LogQuery, Result, patience,
};
use crate::geometry::{PixelSize, Size};

const PROGRAM: &str = "idb";
const DEADLINE: Duration = Duration::from_secs(30);
/// What has an app, or files, at its end.
const SLOW: Duration = Duration::from_secs(60);

/// A simulator that the `idb` command drives.
pub struct IdbCommand {
    selector: String,
    udid: String,
}

impl IdbCommand {
    /// # Errors
    /// The command is not there.
    pub fn new(selector: &str, udid: &str) -> Result<Self> {
        if process::find(PROGRAM).is_none() {
            return Err(DeviceError::Unreachable {
                device: selector.to_owned(),
                reason: "`idb` is not on the PATH: `pip3 install fb-idb`".to_owned(),
            });
        }
        Ok(Self { selector: selector.to_owned(), udid: udid.to_owned() })
    }

    /// `idb VERB… --udid UDID REST…`: what `launch` and `log` are given follows their options.
    fn command(&self, verb: &[&str], rest: &[&str]) -> Command {
        Command::new(PROGRAM).arguments(verb).arguments(["--udid", &self.udid]).arguments(rest)
    }

    async fn run(&self, call: &'static str, command: Command, deadline: Duration) -> Result<Finished> {
        let device = self.selector.clone();
        match command.run(deadline).await {
            Ok(finished) if finished.succeeded() => Ok(finished),
            Ok(finished) => Err(DeviceError::Refused { device, call, reason: told(&finished.stderr) }),
            Err(ProcessError::Overdue { after, .. }) => Err(DeviceError::Timeout { device, call, after }),
            Err(error) => Err(DeviceError::Unreachable { device, reason: error.to_string() }),
        }
    }

    fn malformed(&self, call: &'static str, reason: impl Into<String>) -> DeviceError {
        DeviceError::Malformed { device: self.selector.clone(), call, reason: reason.into() }
    }

    fn unsupported<T>(&self, what: &str) -> Result<T> {
        Err(DeviceError::Unsupported {
            device: self.selector.clone(),
            what: what.to_owned(),
            instead: "`xcrun simctl` can".to_owned(),
        })
    }
}

/// The last line is the message; a traceback may stand before it.
fn told(stderr: &str) -> String {
    let last = stderr.lines().rev().find(|line| !line.trim().is_empty());
    last.unwrap_or("it gave no reason").trim().to_owned()
}

/// Every line that is one JSON object.
fn objects(text: &str) -> Vec<Value> {
    text.lines().filter_map(|line| serde_json::from_str(line).ok()).filter(Value::is_object).collect()
}

#[async_trait]
impl Device for IdbCommand {
    async fn describe(&self) -> Result<DeviceDescription> {
        let call = "idb describe";
        let finished = self.run(call, self.command(&["describe"], &["--json"]), DEADLINE).await?;
        let told = objects(&finished.text()).pop().ok_or_else(|| self.malformed(call, "no JSON"))?;
        let text = |key: &str| told[key].as_str().unwrap_or_default().to_owned();
        let screen = &told["screen_dimensions"];
        let side = |key: &str| screen[key].as_u64().and_then(|n| u32::try_from(n).ok()).filter(|n| *n > 0);
        let (Some(width), Some(height)) = (side("width"), side("height")) else {
            return Err(self.malformed(call, "no screen size"));
        };
        let density = screen["density"].as_f64().filter(|d| *d > 0.0).unwrap_or(1.0);
        let points = |key: &str, pixels: u32| side(key).map_or(f64::from(pixels) / density, f64::from);
        let model = Some(text("model")).filter(|model| !model.is_empty()).unwrap_or_else(|| text("name"));
        Ok(DeviceDescription {
            selector: self.selector.clone(),
            kind: DeviceKind::Simulator,
            udid: text("udid"),
            name: text("name"),
            model,
            os: text("os_version"),
            state: text("state"),
            panel_pixels: PixelSize::new(width, height),
            panel_points: Size::new(points("width_points", width), points("height_points", height)),
        })
    }

    async fn screenshot(&self) -> Result<Capture> {
        let call = "idb screenshot";
        let finished = self.run(call, self.command(&["screenshot"], &["-"]), DEADLINE).await?;
        if finished.stdout.is_empty() {
            return Err(self.malformed(call, "an empty picture"));
        }
        Ok(Capture { bytes: finished.stdout, orientation: None })
    }

    async fn accessibility(&self) -> Result<Option<AccessibilityTree>> {
        let call = "idb ui describe-all";
        let command = self.command(&["ui", "describe-all"], &["--nested", "--json"]);
        let finished = self.run(call, command, DEADLINE).await?;
        read_tree(&finished.text()).map_err(|e| self.malformed(call, e.to_string()))
    }

    async fn hid(&self, events: &[HidEvent]) -> Result<()> {
        for step in gestures::commands(events) {
            match step {
                gestures::Step::Pause(pause) => tokio::time::sleep(pause).await,
                gestures::Step::Run(words) => {
                    let rest: Vec<&str> = words[1..].iter().map(String::as_str).collect();
                    let command = self.command(&["ui", &words[0]], &rest);
                    let deadline = DEADLINE + hid::duration(events);
                    self.run("idb ui", command, deadline).await?;
                }
            }
        }
        Ok(())
    }

    async fn type_text(&self, text: &str) -> Result<()> {
        let untypable = self.untypable(text);
        if !untypable.is_empty() {
            return Err(DeviceError::TextUnsupported(untypable));
        }
        // text may begin with a dash
        self.run("idb ui text", self.command(&["ui", "text"], &["--", text]), DEADLINE).await.map(drop)
    }

    fn untypable(&self, text: &str) -> Vec<char> {
        let mut found: Vec<char> = text.chars().filter(|c| keys::press_for(*c).is_none()).collect();
        found.sort_unstable();
        found.dedup();
        found
    }

    async fn apps(&self) -> Result<Vec<AppInfo>> {
        let finished = self.run("idb list-apps", self.command(&["list-apps"], &["--json"]), DEADLINE).await?;
        let app = |app: Value| {
            let text = |key: &str| app[key].as_str().map(str::to_owned);
            // a number in quotes, or null
            let pid = text("pid").and_then(|pid| pid.parse().ok()).or_else(|| app["pid"].as_u64());
            let running = match text("process_state").as_deref() {
                Some("Running") => Some(true),
                Some("Not running") => Some(false),
                _ => pid.map(|_| true),
            };
            Some(AppInfo {
                bundle_id: text("bundle_id")?,
                name: text("name").unwrap_or_default(),
                running,
                pid: pid.filter(|pid| *pid > 0),
                install_type: text("install_type").unwrap_or_default(),
            })
        };
        Ok(objects(&finished.text()).into_iter().filter_map(app).collect())
    }

    async fn launch(&self, launch: &Launch) -> Result<u64> {
        let call = "idb launch";
        if !launch.foreground_if_running {
            // one that doesn't run is refused, which is well
            let _ = self.run(call, self.command(&["terminate"], &[&launch.bundle_id]), DEADLINE).await;
        }
        let mut rest = if launch.foreground_if_running { vec!["-f"] } else { vec![] };
        rest.push(&launch.bundle_id);
        rest.extend(launch.arguments.iter().map(String::as_str));
        let mut command = self.command(&["launch"], &rest);
        for (name, value) in &launch.environment {
            command = command.environment(format!("IDB_{name}"), value);
        }
        let finished = self.run(call, command, SLOW).await?;
        let pid = objects(&finished.text()).iter().find_map(|answer| answer["pid"].as_u64());
        pid.ok_or_else(|| self.malformed(call, "no process id"))
    }

    async fn terminate(&self, bundle_id: &str) -> Result<()> {
        self.run("idb terminate", self.command(&["terminate"], &[bundle_id]), DEADLINE).await.map(drop)
    }

    async fn logs(&self, _: &LogQuery) -> Result<Vec<String>> {
        self.unsupported("reading a log by the `idb` command")
    }

    async fn crashes(&self, since: u64, bundle_id: Option<&str>) -> Result<Vec<CrashInfo>> {
        let since = since.to_string();
        let mut rest = vec!["list", "--json"];
        if since != "0" {
            rest.extend(["--since", &since]);
        }
        if let Some(bundle_id) = bundle_id {
            rest.extend(["--bundle-id", bundle_id]);
        }
        let command =
            Command::new(PROGRAM).arguments(["crash"]).arguments(rest).arguments(["--udid", &self.udid]);
        let finished = self.run("idb crash list", command, DEADLINE).await?;
        let crash = |crash: Value| {
            let text = |key: &str| crash[key].as_str().map(str::to_owned);
            Some(CrashInfo {
                name: text("name")?,
                bundle_id: text("bundle_id").unwrap_or_default(),
                process: text("process_name").unwrap_or_default(),
                timestamp: crash["timestamp"].as_f64().unwrap_or_default() as u64,
            })
        };
        Ok(objects(&finished.text()).into_iter().filter_map(crash).collect())
    }

    async fn delete_crashes(&self, name: Option<&str>) -> Result<Vec<String>> {
        let which = name.map_or(vec!["--all"], |name| vec!["--", name]);
        let command = self.command(&["crash", "delete"], &which);
        let finished = self.run("idb crash delete", command, DEADLINE).await?;
        let gone = objects(&finished.text());
        Ok(gone.iter().filter_map(|crash| crash["name"].as_str().map(str::to_owned)).collect())
    }

    async fn crash_report(&self, name: &str) -> Result<String> {
        let command = self.command(&["crash", "show"], &[name]);
        Ok(self.run("idb crash show", command, DEADLINE).await?.text())
    }

    async fn set_permission(&self, bundle_id: &str, permission: &str, granted: bool) -> Result<&'static str> {
        let verb = if granted { "approve" } else { "revoke" };
        let permission = if permission == "notifications" { "notification" } else { permission };
        self.run("idb approve", self.command(&[verb], &[bundle_id, permission]), DEADLINE).await?;
        Ok("idb")
    }

    async fn set_appearance(&self, _: Option<Appearance>, _: Option<ContentSize>) -> Result<()> {
        self.unsupported("setting the appearance by the `idb` command")
    }

    async fn appearance(&self) -> Result<(Option<Appearance>, Option<ContentSize>)> {
        Ok((None, None))
    }

    async fn set_location(&self, latitude: f64, longitude: f64) -> Result<()> {
        let at = [latitude.to_string(), longitude.to_string()];
        // degrees may begin with a dash
        let command = self.command(&["set-location"], &["--", &at[0], &at[1]]);
        self.run("idb set-location", command, DEADLINE).await.map(drop)
    }

    async fn clear_keychain(&self) -> Result<()> {
        self.run("idb clear-keychain", self.command(&["clear-keychain"], &[]), DEADLINE).await.map(drop)
    }

    fn has(&self, feature: Feature) -> bool {
        feature == Feature::Contacts
    }

    async fn update_contacts(&self, source: &Path) -> Result<()> {
        let command = self.command(&["contacts", "update"], &[]).path(source);
        self.run("idb contacts update", command, SLOW).await.map(drop)
    }

    async fn clear_contacts(&self) -> Result<()> {
        self.run("idb contacts clear", self.command(&["contacts", "clear"], &[]), DEADLINE).await.map(drop)
    }

    async fn open_url(&self, url: &str) -> Result<()> {
        self.run("idb open", self.command(&["open"], &[url]), DEADLINE).await.map(drop)
    }

    async fn install(&self, path: &Path) -> Result<String> {
        let call = "idb install";
        let command = self.command(&["install"], &["--json"]).path(path);
        let finished = self.run(call, command, patience::INSTALL).await?;
        let told = objects(&finished.text());
        let installed = told.iter().find_map(|answer| answer["installedAppBundleId"].as_str());
        installed.map(str::to_owned).ok_or_else(|| self.malformed(call, "no bundle id"))
    }

    async fn uninstall(&self, bundle_id: &str) -> Result<()> {
        self.run("idb uninstall", self.command(&["uninstall"], &[bundle_id]), SLOW).await.map(drop)
    }

    async fn reset(&self, _: &str) -> Result<()> {
        self.unsupported("resetting an app by the `idb` command")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_lines_that_are_objects_are_answers() {
        let text = "warning: do not run as root\n{\"pid\": 7}\n[1]\n\n{\"pid\": null}\n";
        assert_eq!(objects(text).len(), 2);
        assert_eq!(
            told("Traceback (most recent call last):\n  File x\nIdbException: no such app\n\n"),
            "IdbException: no such app"
        );
    }
}
