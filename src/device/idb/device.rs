//! The companion as a [`Device`]. Uses the rest of this folder and `device`.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use async_trait::async_trait;
use tokio::time::{Instant, timeout_at};

use crate::device::idb::accessibility::read_tree;
use crate::device::idb::address_book;
use crate::device::idb::client::{CONTROL, HID, IdbDevice, send_balanced};
use crate::device::idb::link::{Call, Companion, Control};
use crate::device::idb::protocol::companion as wire;
use crate::device::idb::protocol::companion::install_request;
use crate::device::idb::protocol::control;
use crate::device::idb::{hid, keys};
use crate::device::{
    AccessibilityTree, AppInfo, Appearance, Capture, ContentSize, CrashInfo, Device, DeviceDescription,
    DeviceError, DeviceKind, Feature, Footprint, HidEvent, Launch, LogQuery, MemoryRegion, Metrics, Result,
    is_finite, patience,
};
use crate::geometry::{PixelSize, Size};

const DESCRIBE: Call = Call::new("describe", Duration::from_secs(10));
const SCREENSHOT: Call = Call::new("screenshot", Duration::from_secs(20));
const ACCESSIBILITY: Call = Call::new("accessibility_info", Duration::from_secs(20));
const TERMINATE: Call = Call::new("terminate", Duration::from_secs(20));
const LOG: Call = Call::new("log", Duration::from_secs(10));
const CRASHES: Call = Call::new("crash_list", Duration::from_secs(15));
const CRASH: Call = Call::new("crash_show", Duration::from_secs(15));
const APPROVE: Call = Call::new("approve", Duration::from_secs(30));
const REVOKE: Call = Call::new("revoke", Duration::from_secs(30));
const SET_LOCATION: Call = Call::new("set_location", Duration::from_secs(15));
const CONTACTS: Call = Call::new("contacts_update", Duration::from_secs(60));
const CONTACTS_CLEAR: Call = Call::new("contacts_clear", Duration::from_secs(30));
const CLEAR_KEYCHAIN: Call = Call::new("clear_keychain", Duration::from_secs(30));
const CRASH_DELETE: Call = Call::new("crash_delete", Duration::from_secs(15));
const OPEN_URL: Call = Call::new("open_url", Duration::from_secs(30));
/// Signing an app may take minutes.
const INSTALL: Call = Call::new("install", patience::INSTALL);
const UNINSTALL: Call = Call::new("uninstall", Duration::from_secs(60));
/// What measures where a companion can't.
const MEASURED: &str = "name the simulator by its UDID (`idb:UDID`) on its Mac, where `ps` measures its apps";
/// A log that has been silent for so long after its first lines has said what it had to say.
const LOG_SILENCE: Duration = Duration::from_millis(250);

#[async_trait]
impl Device for IdbDevice {
    async fn describe(&self) -> Result<DeviceDescription> {
        let ask =
            |mut c: Companion| async move { c.describe(wire::TargetDescriptionRequest::default()).await };
        let target = self
            .link
            .read(DESCRIBE, ask)
            .await?
            .target_description
            .ok_or_else(|| self.link.malformed(DESCRIBE, "no target"))?;
        let screen = target
            .screen_dimensions
            .filter(|s| s.width > 0 && s.height > 0)
            .ok_or_else(|| self.link.malformed(DESCRIBE, "no screen size"))?;
        let points = match (screen.width_points, screen.height_points) {
            (0, _) | (_, 0) if screen.density > 0.0 => {
                Size::new(screen.width as f64 / screen.density, screen.height as f64 / screen.density)
            }
            (0, _) | (_, 0) => return Err(self.link.malformed(DESCRIBE, "no screen size in points")),
            (width, height) => Size::new(width as f64, height as f64),
        };
        let side = |pixels: u64| {
            u32::try_from(pixels).map_err(|_| self.link.malformed(DESCRIBE, "an impossible screen size"))
        };
        let kind = if target.target_type == "device" { DeviceKind::Device } else { DeviceKind::Simulator };
        Ok(DeviceDescription {
            selector: self.selector.clone(),
            kind,
            udid: target.udid,
            model: model_in(&target.extended).unwrap_or_else(|| target.name.clone()),
            name: target.name,
            os: target.os_version,
            state: target.state,
            panel_pixels: PixelSize::new(side(screen.width)?, side(screen.height)?),
            panel_points: points,
        })
    }

    async fn screenshot(&self) -> Result<Capture> {
        let ask = |mut c: Companion| async move { c.screenshot(wire::ScreenshotRequest::default()).await };
        let answer = self.link.read(SCREENSHOT, ask).await?;
        if answer.image_data.is_empty() {
            return Err(self.link.malformed(SCREENSHOT, "an empty picture"));
        }
        Ok(Capture { bytes: answer.image_data, orientation: self.orientation().await })
    }

    async fn accessibility(&self) -> Result<Option<AccessibilityTree>> {
        let ask = |mut c: Companion| async move {
            let format = wire::accessibility_info_request::Format::Nested.into();
            c.accessibility_info(wire::AccessibilityInfoRequest { format, ..Default::default() }).await
        };
        match self.link.read(ACCESSIBILITY, ask).await {
            Ok(answer) => {
                read_tree(&answer.json).map_err(|e| self.link.malformed(ACCESSIBILITY, e.to_string()))
            }
            Err(DeviceError::Unsupported { .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }

    async fn hid(&self, events: &[HidEvent]) -> Result<()> {
        if !is_finite(events) {
            return Err(DeviceError::InvalidRequest {
                device: self.selector.clone(),
                call: HID.name,
                reason: "a touch at a point that is not finite".to_owned(),
            });
        }
        let (link, events) = (Arc::clone(&self.link), events.to_vec());
        // in a task of its own: a caller that goes away leaves no finger on the screen
        let sent = tokio::spawn(async move { send_balanced(&link, &events).await });
        sent.await.unwrap_or_else(|e| Err(self.link.malformed(HID, e.to_string())))
    }

    async fn type_text(&self, text: &str) -> Result<()> {
        let untypable = self.untypable(text);
        if !untypable.is_empty() {
            return Err(DeviceError::TextUnsupported(untypable));
        }
        if let Some(events) = hid::typing(text) {
            return self.hid(&events).await;
        }
        let pasteboard = control::Pasteboard { text: text.to_owned() };
        self.link.control(CONTROL, |mut c| async move { c.set_pasteboard(pasteboard).await }).await?;
        self.hid(&hid::pasting()).await
    }

    fn untypable(&self, text: &str) -> Vec<char> {
        // the embedded simulator has a pasteboard, which carries all but control characters
        let can_paste = self.simulator.is_some();
        let mut found = Vec::new();
        for character in text.chars() {
            let typable = keys::press_for(character).is_some() || (can_paste && !character.is_control());
            if !typable && !found.contains(&character) {
                found.push(character);
            }
        }
        found
    }

    async fn apps(&self) -> Result<Vec<AppInfo>> {
        use wire::installed_app_info::ProcessState;
        let read = |app: wire::InstalledAppInfo| AppInfo {
            running: match app.process_state() {
                ProcessState::Running => Some(true),
                ProcessState::NotRunning => Some(false),
                // a companion says unknown of an app without a process
                ProcessState::Unknown => (app.process_identifier > 0).then_some(true),
            },
            pid: Some(app.process_identifier).filter(|pid| *pid > 0),
            bundle_id: app.bundle_id,
            name: app.name,
            install_type: app.install_type,
        };
        Ok(self.installed().await?.into_iter().map(read).collect())
    }

    async fn launch(&self, launch: &Launch) -> Result<u64> {
        if !launch.foreground_if_running {
            self.terminate(&launch.bundle_id).await?;
        }
        match self.start(launch).await {
            Err(error) => Err(self.explain_refusal(error, &launch.bundle_id).await),
            started => started,
        }
    }

    async fn terminate(&self, bundle_id: &str) -> Result<()> {
        let request = wire::TerminateRequest { bundle_id: bundle_id.to_owned() };
        let sent = self.link.act(TERMINATE, |mut c| async move { c.terminate(request).await }).await;
        let Err(error) = sent else { return Ok(()) };
        match self.explain_refusal(error, bundle_id).await {
            error @ DeviceError::Refused { .. } => {
                let apps = self.apps().await?;
                let runs = apps.iter().any(|app| app.bundle_id == bundle_id && app.running == Some(true));
                if runs { Err(error) } else { Ok(()) }
            }
            error => Err(error),
        }
    }

    async fn logs(&self, query: &LogQuery) -> Result<Vec<String>> {
        let LogQuery { lines, within, .. } = *query;
        let end = Instant::now() + within;
        let ask = |mut c: Companion| async move { c.log(wire::LogRequest::default()).await };
        let call = Call::new(LOG.name, LOG.deadline.max(within));
        // the log of a silent device may not even send headers before its first line
        let mut stream = match timeout_at(end, self.link.read(call, ask)).await {
            Ok(stream) => stream?,
            Err(_) => return Ok(Vec::new()),
        };
        let mut bytes = Vec::new();
        loop {
            let until = if bytes.is_empty() { end } else { end.min(Instant::now() + LOG_SILENCE) };
            match timeout_at(until, stream.message()).await {
                Ok(Ok(Some(part))) => bytes.extend_from_slice(&part.output),
                Ok(Ok(None)) | Err(_) => break,
                Ok(Err(status)) => return Err(self.link.error(LOG, &status)),
            }
        }
        let text = String::from_utf8_lossy(&bytes);
        let all: Vec<&str> = text.lines().collect();
        Ok(all[all.len().saturating_sub(lines)..].iter().map(|line| (*line).to_owned()).collect())
    }

    async fn crashes(&self, since: u64, bundle_id: Option<&str>) -> Result<Vec<CrashInfo>> {
        let query = wire::CrashLogQuery {
            since,
            bundle_id: bundle_id.unwrap_or_default().to_owned(),
            ..Default::default()
        };
        let ask = |mut c: Companion| {
            let query = query.clone();
            async move { c.crash_list(query).await }
        };
        let read = |crash: wire::CrashLogInfo| CrashInfo {
            name: crash.name,
            bundle_id: crash.bundle_id,
            process: crash.process_name,
            timestamp: crash.timestamp,
        };
        Ok(self.link.read(CRASHES, ask).await?.list.into_iter().map(read).collect())
    }

    async fn crash_report(&self, name: &str) -> Result<String> {
        let ask = |mut c: Companion| {
            let request = wire::CrashShowRequest { name: name.to_owned() };
            async move { c.crash_show(request).await }
        };
        Ok(self.link.read(CRASH, ask).await?.contents)
    }

    async fn set_permission(&self, bundle_id: &str, permission: &str, granted: bool) -> Result<&'static str> {
        let permission = permission_code(permission).ok_or_else(|| DeviceError::Unsupported {
            device: self.selector.clone(),
            what: format!("the permission `{permission}`"),
            instead: "known are photos, camera, contacts, location, notification and microphone; \
                      `xcrun simctl privacy` knows calendar, reminders, motion and siri"
                .to_owned(),
        })?;
        let bundle_id = bundle_id.to_owned();
        let permissions = vec![permission.into()];
        if granted {
            let request = wire::ApproveRequest { bundle_id, permissions, ..Default::default() };
            self.link.act(APPROVE, |mut c| async move { c.approve(request).await }).await?;
        } else {
            let request = wire::RevokeRequest { bundle_id, permissions, ..Default::default() };
            self.link.act(REVOKE, |mut c| async move { c.revoke(request).await }).await?;
        }
        Ok("idb")
    }

    async fn set_appearance(&self, appearance: Option<Appearance>, size: Option<ContentSize>) -> Result<()> {
        self.simulator(
            "setting the appearance",
            "use `xcrun simctl ui UDID appearance` and `xcrun simctl ui UDID content_size`",
        )?;
        let state = control::AppearanceState {
            appearance: appearance.as_ref().and_then(name_of),
            content_size: size.as_ref().and_then(name_of),
        };
        self.link.control(CONTROL, |mut c| async move { c.set_appearance(state).await }).await?;
        Ok(())
    }

    async fn appearance(&self) -> Result<(Option<Appearance>, Option<ContentSize>)> {
        if self.simulator.is_none() {
            return Ok((None, None));
        }
        let ask = |mut c: Control| async move { c.get_appearance(control::GetAppearanceRequest {}).await };
        let state = self.link.control(CONTROL, ask).await?;
        Ok((state.appearance.and_then(named), state.content_size.and_then(named)))
    }

    async fn open_url(&self, url: &str) -> Result<()> {
        let request = wire::OpenUrlRequest { url: url.to_owned() };
        self.link.act(OPEN_URL, |mut c| async move { c.open_url(request).await }).await?;
        Ok(())
    }

    async fn set_location(&self, latitude: f64, longitude: f64) -> Result<()> {
        let request = wire::SetLocationRequest { location: Some(wire::Location { latitude, longitude }) };
        self.link.act(SET_LOCATION, |mut c| async move { c.set_location(request).await }).await?;
        Ok(())
    }

    async fn clear_keychain(&self) -> Result<()> {
        let request = wire::ClearKeychainRequest {};
        self.link.act(CLEAR_KEYCHAIN, |mut c| async move { c.clear_keychain(request).await }).await?;
        Ok(())
    }

    fn has(&self, feature: Feature) -> bool {
        match feature {
            Feature::Video => false,
            Feature::Contacts => self.simulator.is_none(),
        }
    }

    async fn update_contacts(&self, source: &Path) -> Result<()> {
        let source = source.to_owned();
        let packed = tokio::task::spawn_blocking(move || address_book::pack(&source)).await;
        let data = packed.unwrap_or_else(|e| Err(e.to_string())).map_err(|reason| {
            DeviceError::InvalidRequest { device: self.selector.clone(), call: CONTACTS.name, reason }
        })?;
        let payload = wire::Payload { source: Some(wire::payload::Source::Data(data)) };
        let request = wire::ContactsUpdateRequest { payload: Some(payload) };
        self.link.act(CONTACTS, |mut c| async move { c.contacts_update(request).await }).await?;
        Ok(())
    }

    async fn clear_contacts(&self) -> Result<()> {
        let request = wire::ContactsClearRequest {};
        self.link.act(CONTACTS_CLEAR, |mut c| async move { c.contacts_clear(request).await }).await?;
        Ok(())
    }

    async fn delete_crashes(&self, name: Option<&str>) -> Result<Vec<String>> {
        let query = wire::CrashLogQuery { name: name.unwrap_or_default().to_owned(), ..Default::default() };
        let told = self.link.act(CRASH_DELETE, |mut c| async move { c.crash_delete(query).await }).await?;
        Ok(told.list.into_iter().map(|crash| crash.name).collect())
    }

    async fn install(&self, path: &Path) -> Result<String> {
        let part = |value| wire::InstallRequest { value: Some(value) };
        let file = wire::payload::Source::FilePath(path.display().to_string());
        let parts = [
            part(install_request::Value::Destination(install_request::Destination::App as i32)),
            part(install_request::Value::Payload(wire::Payload { source: Some(file) })),
        ];
        let ask = |mut c: Companion| async move {
            let mut answers = c.install(tokio_stream::iter(parts)).await?.into_inner();
            let mut name = None;
            // it tells its progress, and the name with it
            while let Some(answer) = answers.message().await? {
                name = Some(answer.name).filter(|name| !name.is_empty()).or(name);
            }
            Ok(tonic::Response::new(name))
        };
        self.link.act(INSTALL, ask).await?.ok_or_else(|| self.link.malformed(INSTALL, "no bundle id"))
    }

    async fn uninstall(&self, bundle_id: &str) -> Result<()> {
        let request = wire::UninstallRequest { bundle_id: bundle_id.to_owned() };
        match self.link.act(UNINSTALL, |mut c| async move { c.uninstall(request).await }).await {
            Ok(_) => Ok(()),
            Err(error) => Err(self.explain_refusal(error, bundle_id).await),
        }
    }

    async fn reset(&self, bundle_id: &str) -> Result<()> {
        self.simulator(
            "resetting an app",
            "install it anew: `xcrun simctl uninstall UDID APP`, then `xcrun simctl install UDID PATH`",
        )?;
        let request = control::ResetRequest { bundle_id: bundle_id.to_owned() };
        match self.link.control(CONTROL, |mut c| async move { c.reset(request).await }).await {
            Err(error) => Err(self.explain_refusal(error, bundle_id).await),
            Ok(_) => Ok(()),
        }
    }

    async fn metrics(&self, bundle_id: &str) -> Result<Metrics> {
        self.simulator("measuring an app", MEASURED)?;
        let request = control::MeasureRequest { bundle_id: bundle_id.to_owned() };
        let ask = |mut c: Control| {
            let request = request.clone();
            async move { c.measure(request).await }
        };
        match self.link.control(CONTROL, ask).await {
            Ok(told) => Ok(Metrics {
                cpu_percent: told.cpu_percent,
                memory_bytes: told.regions.iter().map(|region| region.bytes).sum(),
                threads: told.threads,
            }),
            Err(error) => Err(self.explain_refusal(error, bundle_id).await),
        }
    }

    async fn footprint(&self, bundle_id: &str) -> Result<Footprint> {
        self.simulator("measuring an app", MEASURED)?;
        let request = control::MeasureRequest { bundle_id: bundle_id.to_owned() };
        match self.link.control(CONTROL, |mut c| async move { c.measure(request).await }).await {
            Ok(told) => Ok(Footprint::of(
                told.regions
                    .into_iter()
                    .map(|r| MemoryRegion { category: r.category, bytes: r.bytes })
                    .collect(),
                Some(told.peak_bytes),
            )),
            Err(error) => Err(self.explain_refusal(error, bundle_id).await),
        }
    }

    fn default_app(&self) -> Option<String> {
        Some(self.simulator.as_ref()?.bundle_id.clone()).filter(|id| !id.is_empty())
    }

    fn keeps_own_time(&self) -> bool {
        self.simulator.as_ref().is_some_and(|s| s.virtual_clock)
    }

    async fn now(&self) -> SystemTime {
        if !self.keeps_own_time() {
            return SystemTime::now();
        }
        let told = self.advance(Duration::ZERO).await.ok();
        let since_epoch = told.and_then(|clock| clock.unix_milliseconds.try_into().ok());
        since_epoch.map_or_else(SystemTime::now, |ms| UNIX_EPOCH + Duration::from_millis(ms))
    }

    async fn sleep(&self, duration: Duration) {
        if !self.keeps_own_time() {
            return tokio::time::sleep(duration).await;
        }
        // a simulator that is gone has no time; the next call tells
        let _ = self.advance(duration).await;
    }

    async fn close(&self) {
        self.link.drop_channel().await;
        let kept = self.keeps.lock().map(|mut kept| kept.take());
        drop(kept);
    }
}

/// The model in the companion's JSON of extras.
fn model_in(extended: &[u8]) -> Option<String> {
    let extras: serde_json::Value = serde_json::from_slice(extended).ok()?;
    Some(extras.get("model")?.as_str()?.to_owned()).filter(|model| !model.is_empty())
}

fn permission_code(name: &str) -> Option<wire::Permission> {
    Some(match name.to_ascii_lowercase().as_str() {
        "photos" => wire::Permission::Photos,
        "camera" => wire::Permission::Camera,
        "contacts" => wire::Permission::Contacts,
        "location" => wire::Permission::Location,
        "notification" | "notifications" => wire::Permission::Notification,
        "microphone" => wire::Permission::Microphone,
        _ => return None,
    })
}

/// The name of an enum's value, as its serialised form has it.
fn name_of(value: &impl serde::Serialize) -> Option<String> {
    serde_json::to_value(value).ok()?.as_str().map(str::to_owned)
}

fn named<T: serde::de::DeserializeOwned>(name: String) -> Option<T> {
    serde_json::from_value(serde_json::Value::String(name)).ok()
}
