//! A simulator of this Mac: a companion (or the `idb` command) for what it can, Xcode's tools for the rest.
//! Uses `device::idb`, `simctl`.

mod footprint;
mod measure;
mod simulators;

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use chrono::Utc;
use tokio::sync::Mutex;

use crate::device::idb::command::IdbCommand;
use crate::device::idb::{CompanionProcess, IdbDevice, companion_process, hid};
use crate::device::process::{self, Command, Worker};
use crate::device::simctl::{self, Simctl};
use crate::device::{
    AccessibilityTree, AppInfo, Appearance, Capture, ContentSize, CrashInfo, Device, DeviceDescription,
    DeviceError, Driver, Feature, Footprint, HidEvent, Launch, LogQuery, Metrics, Result, Selector,
};

pub use simulators::{boot, find, focus, shut_down};

/// Which way a permission goes: these are idb's; simctl has the others.
const BY_IDB: [&str; 7] =
    ["photos", "camera", "contacts", "location", "notification", "notifications", "microphone"];
const BY_SIMCTL: [&str; 8] = [
    "calendar",
    "reminders",
    "motion",
    "siri",
    "media-library",
    "contacts-limited",
    "location-always",
    "photos-add",
];
/// How far back a log is read where nobody says.
const LOG_SECONDS: i64 = 60;
const FILMING: &str = "simctl io recordVideo";
/// The first Xcode whose simulators don't hear an old companion.
const DEAF_TO_OLD: u32 = 27;

/// A simulator of this Mac, booted and driven.
pub struct MacSimulator {
    selector: String,
    hands: Arc<dyn Device>,
    simctl: Simctl,
    /// `None` where the `idb` command drives.
    companion: Option<Arc<CompanionProcess>>,
    /// The companion is too old for the newest Xcode.
    is_old: bool,
    video: Mutex<Option<Worker>>,
}

impl MacSimulator {
    /// Boots the simulator where it isn't booted, and brings up what drives it.
    ///
    /// # Errors
    /// It is not there, can't be booted, or nothing comes up to drive it.
    pub async fn open(name: &str, driver: Driver) -> Result<Self> {
        let simulator = find(name).await?;
        let selector = Selector::Mac { name: simulator.udid.clone(), driver }.to_string();
        let simctl = Simctl::new(&simulator.udid);
        if !simulator.is_booted() {
            simctl.boot().await.map_err(|e| e.of(&selector, "simctl boot"))?;
        }
        if driver == Driver::Cli {
            let hands = IdbCommand::new(&selector, &simulator.udid)?;
            let hands: Arc<dyn Device> = Arc::new(hands);
            return Ok(Self {
                selector,
                hands,
                simctl,
                companion: None,
                is_old: false,
                video: Mutex::default(),
            });
        }
        let left_behind = companion_process::reclaim().await;
        if !left_behind.is_empty() {
            tracing::info!("companions that were left behind are ended: {left_behind:?}");
        }
        let companion = Arc::new(CompanionProcess::start(&simulator.udid, &selector).await?);
        let hands = IdbDevice::supervised(companion.clone(), &selector).await?;
        let is_old = !hands.is_recent();
        let (hands, video) = (Arc::new(hands), Mutex::default());
        Ok(Self { selector, hands, simctl, companion: Some(companion), is_old, video })
    }

    /// The process of a running app.
    async fn pid(&self, bundle_id: &str) -> Result<u64> {
        let apps = self.hands.apps().await?;
        match apps.iter().find(|app| app.bundle_id == bundle_id) {
            Some(AppInfo { pid: Some(pid), .. }) => Ok(*pid),
            Some(_) => Err(self.refused("measuring", format!("`{bundle_id}` does not run"))),
            None => Err(DeviceError::AppNotInstalled {
                app: bundle_id.to_owned(),
                installed: apps.into_iter().map(|app| app.bundle_id).collect(),
            }),
        }
    }

    fn refused(&self, call: &'static str, reason: String) -> DeviceError {
        DeviceError::Refused { device: self.selector.clone(), call, reason }
    }
}

#[async_trait]
impl Device for MacSimulator {
    async fn describe(&self) -> Result<DeviceDescription> {
        self.hands.describe().await
    }

    async fn screenshot(&self) -> Result<Capture> {
        self.hands.screenshot().await
    }

    async fn accessibility(&self) -> Result<Option<AccessibilityTree>> {
        self.hands.accessibility().await
    }

    async fn hid(&self, events: &[HidEvent]) -> Result<()> {
        self.hands.hid(events).await
    }

    async fn type_text(&self, text: &str) -> Result<()> {
        let untypable = self.untypable(text);
        if !untypable.is_empty() {
            return Err(DeviceError::TextUnsupported(untypable));
        }
        if self.hands.untypable(text).is_empty() {
            return self.hands.type_text(text).await;
        }
        self.simctl.copy(text).await.map_err(|e| e.of(&self.selector, "simctl pbcopy"))?;
        self.hands.hid(&hid::pasting()).await
    }

    fn untypable(&self, text: &str) -> Vec<char> {
        // the pasteboard carries all but control characters
        self.hands.untypable(text).into_iter().filter(|c| c.is_control()).collect()
    }

    async fn apps(&self) -> Result<Vec<AppInfo>> {
        self.hands.apps().await
    }

    async fn launch(&self, launch: &Launch) -> Result<u64> {
        self.hands.launch(launch).await
    }

    async fn terminate(&self, bundle_id: &str) -> Result<()> {
        self.simctl.terminate(bundle_id).await.map_err(|e| e.of(&self.selector, "simctl terminate"))
    }

    async fn logs(&self, query: &LogQuery) -> Result<Vec<String>> {
        let seconds = query.since.map_or(LOG_SECONDS, |since| (Utc::now() - since).num_seconds().max(1) + 1);
        let text = self.simctl.log(seconds.unsigned_abs()).await;
        let text = text.map_err(|e| e.of(&self.selector, "log show"))?;
        // the first lines name the columns
        let header = |line: &&str| line.starts_with("Timestamp ") || line.starts_with("Filtering the log");
        let all: Vec<&str> = text.lines().filter(|line| !header(line)).collect();
        Ok(all[all.len().saturating_sub(query.lines)..].iter().map(|line| (*line).to_owned()).collect())
    }

    async fn crashes(&self, since: u64, bundle_id: Option<&str>) -> Result<Vec<CrashInfo>> {
        self.hands.crashes(since, bundle_id).await
    }

    async fn crash_report(&self, name: &str) -> Result<String> {
        self.hands.crash_report(name).await
    }

    async fn set_permission(&self, bundle_id: &str, permission: &str, granted: bool) -> Result<&'static str> {
        let name = permission.to_ascii_lowercase().replace('_', "-");
        if BY_IDB.contains(&name.as_str()) {
            return self.hands.set_permission(bundle_id, &name, granted).await;
        }
        if !BY_SIMCTL.contains(&name.as_str()) {
            return Err(DeviceError::Unsupported {
                device: self.selector.clone(),
                what: format!("the permission `{permission}`"),
                instead: format!("known are {}, {}", BY_IDB.join(", "), BY_SIMCTL.join(", ")),
            });
        }
        let done = self.simctl.privacy(&name, bundle_id, granted).await;
        done.map(|()| "simctl").map_err(|e| e.of(&self.selector, "simctl privacy"))
    }

    async fn set_appearance(&self, appearance: Option<Appearance>, size: Option<ContentSize>) -> Result<()> {
        if let Some(appearance) = appearance {
            let set = self.simctl.set_appearance(appearance).await;
            set.map_err(|e| e.of(&self.selector, "simctl ui appearance"))?;
        }
        if let Some(size) = size {
            let set = self.simctl.set_content_size(size).await;
            set.map_err(|e| e.of(&self.selector, "simctl ui content_size"))?;
        }
        Ok(())
    }

    async fn appearance(&self) -> Result<(Option<Appearance>, Option<ContentSize>)> {
        self.simctl.appearance().await.map_err(|e| e.of(&self.selector, "simctl ui"))
    }

    async fn open_url(&self, url: &str) -> Result<()> {
        self.simctl.open_url(url).await.map_err(|e| e.of(&self.selector, "simctl openurl"))
    }

    async fn set_location(&self, latitude: f64, longitude: f64) -> Result<()> {
        self.hands.set_location(latitude, longitude).await
    }

    async fn clear_keychain(&self) -> Result<()> {
        self.hands.clear_keychain().await
    }

    async fn install(&self, path: &Path) -> Result<String> {
        self.hands.install(path).await
    }

    async fn uninstall(&self, bundle_id: &str) -> Result<()> {
        self.hands.uninstall(bundle_id).await
    }

    async fn add_media(&self, file: &Path) -> Result<()> {
        let added = self.simctl.add_media(file).await;
        added.map_err(|e| e.of(&self.selector, "simctl addmedia"))
    }

    fn has(&self, feature: Feature) -> bool {
        match feature {
            Feature::Video | Feature::Contacts => true,
        }
    }

    async fn start_video(&self, file: &Path) -> Result<()> {
        let mut video = self.video.lock().await;
        if video.is_some() {
            return Err(self.refused(FILMING, "it is being filmed already".to_owned()));
        }
        let begun = self
            .simctl
            .record_video(file, companion_process::owned(&format!("video-{}", self.selector)))
            .await;
        *video = Some(begun.map_err(|e| e.of(&self.selector, FILMING))?);
        Ok(())
    }

    async fn stop_video(&self, file: &Path) -> Result<()> {
        let video = self.video.lock().await.take();
        let video = video.ok_or_else(|| self.refused(FILMING, "it is not being filmed".to_owned()))?;
        simctl::finish_video(video).await.map_err(|e| e.of(&self.selector, FILMING))?;
        match file.metadata() {
            Ok(written) if written.len() > 0 => Ok(()),
            _ => Err(self.refused(FILMING, format!("nothing was written to {}", file.display()))),
        }
    }

    async fn update_contacts(&self, source: &Path) -> Result<()> {
        if is_card(source) {
            // it takes contacts beside pictures
            return self.add_media(source).await;
        }
        self.hands.update_contacts(source).await
    }

    async fn clear_contacts(&self) -> Result<()> {
        self.hands.clear_contacts().await
    }

    async fn delete_crashes(&self, name: Option<&str>) -> Result<Vec<String>> {
        self.hands.delete_crashes(name).await
    }

    async fn reset(&self, bundle_id: &str) -> Result<()> {
        self.simctl.reinstall(bundle_id).await.map_err(|e| e.of(&self.selector, "reinstalling"))
    }

    async fn metrics(&self, bundle_id: &str) -> Result<Metrics> {
        let pid = self.pid(bundle_id).await?;
        measure::metrics(pid).await.map_err(|reason| self.refused("measuring", reason))
    }

    async fn footprint(&self, bundle_id: &str) -> Result<Footprint> {
        let pid = self.pid(bundle_id).await?;
        match footprint::of(pid).await {
            Ok(footprint) => Ok(footprint),
            // without a breakdown the sum still counts
            Err(reason) => {
                tracing::debug!("footprint: {reason}");
                let measured = measure::metrics(pid).await;
                let total_bytes = measured.map_err(|reason| self.refused("measuring", reason))?.memory_bytes;
                Ok(Footprint { total_bytes, peak_bytes: None, regions: Vec::new() })
            }
        }
    }

    async fn touch_caution(&self) -> Option<String> {
        let xcode = if self.is_old { xcode_version().await? } else { return None };
        (xcode >= DEAF_TO_OLD).then(|| {
            format!(
                "this idb_companion is older than 1.7: under Xcode {xcode} it accepts touches and nothing happens; \
                 `brew install facebook/fb/idb`"
            )
        })
    }

    fn driver_status(&self) -> Option<process::Status> {
        self.companion.as_ref().map(|companion| companion.status())
    }

    async fn close(&self) {
        self.hands.close().await;
        if let Some(companion) = &self.companion {
            companion.stop().await;
        }
    }
}

/// Whether this is a vCard, by its name.
fn is_card(file: &Path) -> bool {
    file.extension()
        .is_some_and(|extension| ["vcf", "vcard"].iter().any(|e| extension.eq_ignore_ascii_case(e)))
}

/// The number of the chosen Xcode, such as 16.
pub async fn xcode_version() -> Option<u32> {
    let asked = Command::new("xcodebuild").arguments(["-version"]).run(Duration::from_secs(10)).await.ok()?;
    let text = asked.text();
    text.lines().next()?.strip_prefix("Xcode ")?.split('.').next()?.trim().parse().ok()
}
