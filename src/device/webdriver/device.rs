//! A WebDriver server as a [`Device`]. Uses the rest of this folder and `device`.

use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use chrono::DateTime;
use serde_json::{Value, json};

use super::address::{Address, Family};
use super::alert::OpenAlert;
use super::client::Command;
use super::error::{Failure, ProtocolError};
use super::features::SourceKind;
use super::gestures::{self, Part};
use super::link::Link;
use super::runner::Agent;
use super::screen::Measured;
use super::{agent_tree, apps, scripts, video};
use crate::device::{
    AccessibilityTree, AppInfo, Appearance, Capture, ContentSize, CrashInfo, Device, DeviceDescription,
    DeviceError, DeviceKind, Feature, HidEvent, Launch, LogQuery, Result, Selector, is_finite, process,
};
use crate::geometry::{Orientation, PanelPoint, PixelSize, Point, Size};

pub(super) const SCREENSHOT: Command = Command::get("screenshot", "/screenshot").within(30).looking();
pub(super) const ACTIONS: Command = Command::post("actions", "/actions").within(90);
const KEYS: Command = Command::post("keys", "/wda/keys").within(90);
const ALERT_TYPE: Command = Command::post("type into the alert", "/alert/text").within(20);
const SOURCE: Command = Command::get("source", "/source").within(60);
const CONSOLE: Command = Command::post("console", "/se/log").within(20);
const APPEARANCE: Command = Command::post("appearance", "/wda/device/appearance").of_server().within(20);
const DEVICE_INFO: Command = Command::get("device info", "/wda/device/info").within(20);
const PERMISSION: Command = Command::post("set permission", "/permissions").within(20);
/// Characters of one request: a farm breaks longer ones off.
const TYPED_AT_ONCE: usize = 400;
/// Lines of the console that are kept.
const CONSOLE_LINES: usize = 5_000;

/// A phone or a browser behind a WebDriver server.
pub struct WebDriverDevice {
    pub(super) link: Arc<Link>,
    selector: String,
    udid: String,
    state: Mutex<State>,
    /// Where we started it.
    agent: Option<Arc<Agent>>,
}

/// What was seen last.
#[derive(Default)]
pub(super) struct State {
    pub(super) measured: Option<Measured>,
    pub(super) orientation: Option<Orientation>,
    /// How far a browser's page is zoomed, until something is done that may change it.
    pub(super) zoom: Option<f64>,
    /// Drawn by us, as long as it is open.
    pub(super) alert: Option<OpenAlert>,
    console: Vec<(i64, String)>,
}

impl WebDriverDevice {
    /// Reaches the server and begins a session.
    ///
    /// # Errors
    /// The server does not answer, is of another kind than the address says, or gives no session.
    pub async fn open(address: &Address) -> Result<Self> {
        let selector = address.to_string();
        let link = Link::open(address.url(), selector.clone(), address.capabilities.as_deref()).await?;
        if address.family == Family::Agent && !link.features().agent_routes {
            link.end().await;
            return Err(DeviceError::Unreachable {
                reason: format!("it is no WebDriverAgent; name it `webdriver+{}`", address.url()),
                device: selector,
            });
        }
        let state = Mutex::default();
        let udid = address.authority.clone();
        Ok(Self { link: Arc::new(link), selector, udid, state, agent: None })
    }

    /// Brings WebDriverAgent up on a phone that is paired with this Mac, and begins a session there.
    ///
    /// # Errors
    /// The phone is not there or not ready for it, or WebDriverAgent does not come up; in plain words.
    pub async fn bring_up(name: &str) -> Result<Self> {
        let agent = Arc::new(Agent::start(name).await?);
        let udid = agent.phone().udid.clone();
        let selector = Selector::Phone { name: udid.clone() }.to_string();
        let link = match Link::open(agent.url(), selector.clone(), None).await {
            Ok(link) => Arc::new(link.kept_by(agent.clone())),
            Err(error) => {
                agent.stop().await;
                return Err(error);
            }
        };
        Ok(Self { link, selector, udid, state: Mutex::default(), agent: Some(agent) })
    }

    pub(super) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) async fn get(&self, command: Command) -> Result<Value> {
        self.link.send(command, None).await.map_err(|failure| self.link.error(command, failure))
    }

    pub(super) async fn post(&self, command: Command, body: Value) -> Result<Value> {
        self.link.send(command, Some(&body)).await.map_err(|failure| self.link.error(command, failure))
    }

    pub(super) fn malformed(&self, command: Command, reason: impl Into<String>) -> DeviceError {
        self.link.error(command, Failure::Unreadable(reason.into()))
    }

    pub(super) fn refused(&self, command: Command, reason: &str) -> DeviceError {
        DeviceError::Refused { device: self.selector.clone(), call: command.name, reason: reason.to_owned() }
    }
}

#[async_trait]
impl Device for WebDriverDevice {
    async fn describe(&self) -> Result<DeviceDescription> {
        let features = self.link.features();
        let is_browser = features.is_browser();
        let held = self.measure().await?;
        // a browser's window has no native way up
        let measured = if !is_browser && held.points.width > held.points.height {
            Measured {
                pixels: PixelSize::new(held.pixels.height, held.pixels.width),
                points: Size::new(held.points.height, held.points.width),
            }
        } else {
            held
        };
        let told = |name: &str| features.capabilities[name].as_str().unwrap_or_default().to_owned();
        let first =
            |names: &[&str]| names.iter().map(|n| told(n)).find(|v| !v.is_empty()).unwrap_or_default();
        self.state().measured = Some(measured);
        let os = if is_browser {
            format!(
                "{} {}",
                told("browserName"),
                told("browserVersion").split('.').next().unwrap_or_default()
            )
        } else {
            format!("iOS {}", first(&["sdkVersion", "platformVersion"]))
        };
        let model = if is_browser { told("browserName") } else { first(&["deviceName", "device"]) };
        // the agent itself knows little of its phone
        let (name, model, os) = match self.agent.as_ref().map(|agent| agent.phone().clone()) {
            Some(phone) => (phone.name, phone.model, phone.os),
            None => (model.clone(), model, os),
        };
        Ok(DeviceDescription {
            selector: self.selector.clone(),
            kind: if is_browser { DeviceKind::Browser } else { DeviceKind::Device },
            udid: Some(told("udid")).filter(|udid| !udid.is_empty()).unwrap_or_else(|| self.udid.clone()),
            name,
            model,
            os: os.trim().to_owned(),
            state: "Booted".to_owned(),
            panel_pixels: measured.pixels,
            panel_points: measured.points,
        })
    }

    async fn screenshot(&self) -> Result<Capture> {
        self.refuse_locked().await?;
        match self.picture().await {
            Ok(bytes) => {
                let orientation = self.orientation().await;
                let mut state = self.state();
                state.alert = None;
                state.orientation = orientation;
                Ok(Capture { bytes, orientation })
            }
            Err(failure) if failure.is(ProtocolError::UnexpectedAlertOpen) => {
                Ok(Capture { bytes: self.alert_picture().await?, orientation: None })
            }
            Err(failure) => Err(self.link.error(SCREENSHOT, failure)),
        }
    }

    async fn accessibility(&self) -> Result<Option<AccessibilityTree>> {
        if let Some(alert) = &self.state().alert {
            return Ok(Some(alert.tree()));
        }
        let failed = |failure| self.link.error(SOURCE, failure);
        match self.link.features().source {
            SourceKind::Chromium => self.chromium_tree().await.map_err(failed),
            SourceKind::AgentJson => {
                let path = "/source?format=json";
                Ok(agent_tree::of_json(self.link.send_to(SOURCE, path, None).await.map_err(failed)?))
            }
            SourceKind::Xml => {
                let source = self.get(SOURCE).await?;
                agent_tree::of_xml(source.as_str().unwrap_or_default())
                    .map_err(|reason| self.malformed(SOURCE, reason))
            }
            SourceKind::None => Ok(None),
        }
    }

    async fn hid(&self, events: &[HidEvent]) -> Result<()> {
        let invalid = |reason: String| DeviceError::InvalidRequest {
            device: self.selector.clone(),
            call: ACTIONS.name,
            reason,
        };
        if !is_finite(events) {
            return Err(invalid("a touch at a point that is not finite".to_owned()));
        }
        let alert = self.state().alert.clone();
        if let Some(alert) = alert {
            let as_drawn = |at: PanelPoint| Point::new(at.x, at.y);
            let parts = gestures::parts(events, self.command_key(), as_drawn).map_err(invalid)?;
            return self.answer(&alert, &parts).await;
        }
        let place = self.placing().await?;
        let parts = gestures::parts(events, self.command_key(), place).map_err(invalid)?;
        for part in parts {
            self.send(part).await?;
        }
        Ok(())
    }

    async fn type_text(&self, text: &str) -> Result<()> {
        let untypable = self.untypable(text);
        if !untypable.is_empty() {
            return Err(DeviceError::TextUnsupported(untypable));
        }
        self.state().zoom = None;
        if self.state().alert.is_some() {
            return self.post(ALERT_TYPE, json!({"text": text})).await.map(drop);
        }
        let characters: Vec<char> = text.chars().collect();
        for part in characters.chunks(TYPED_AT_ONCE) {
            if self.link.features().agent_routes {
                let keys: Vec<String> = part.iter().map(char::to_string).collect();
                self.post(KEYS, json!({ "value": keys })).await?;
            } else {
                let body = gestures::typing(&part.iter().collect::<String>());
                self.send(Part::Actions { body, ends_at: None }).await?;
            }
        }
        Ok(())
    }

    fn untypable(&self, text: &str) -> Vec<char> {
        let mut found = Vec::new();
        for character in text.chars() {
            // the protocol gives these to keys that have no character
            let is_key = matches!(character, '\u{E000}'..='\u{E05D}');
            let typable = matches!(character, '\n' | '\t') || !(character.is_control() || is_key);
            if !typable && !found.contains(&character) {
                found.push(character);
            }
        }
        found
    }

    async fn apps(&self) -> Result<Vec<AppInfo>> {
        apps::list(&self.link, self.link.page().as_deref()).await
    }

    async fn launch(&self, launch: &Launch) -> Result<u64> {
        self.state().zoom = None;
        let pid = apps::launch(&self.link, launch).await?;
        if self.link.features().is_browser() {
            self.link.starts_at(&launch.bundle_id);
        }
        Ok(pid)
    }

    async fn terminate(&self, bundle_id: &str) -> Result<()> {
        apps::terminate(&self.link, bundle_id).await
    }

    async fn logs(&self, query: &LogQuery) -> Result<Vec<String>> {
        if !self.link.features().is_browser() {
            return Err(apps::lacks(&self.link, "reading logs"));
        }
        // the server gives every line once
        let new = self.post(CONSOLE, json!({"type": "browser"})).await?;
        let lines = new.as_array().into_iter().flatten().filter_map(|entry| {
            let at = entry["timestamp"].as_i64()?;
            let time = DateTime::from_timestamp_millis(at)?.to_rfc3339();
            let level = entry["level"].as_str().unwrap_or("INFO");
            Some((at, format!("{time} {level} {}", entry["message"].as_str().unwrap_or_default())))
        });
        let mut state = self.state();
        state.console.extend(lines);
        let past = state.console.len().saturating_sub(CONSOLE_LINES);
        state.console.drain(..past);
        let since = query.since.map_or(i64::MIN, |since| since.timestamp_millis());
        let asked: Vec<_> = state.console.iter().filter(|(at, _)| *at >= since).collect();
        let last = asked.len().saturating_sub(query.lines);
        Ok(asked[last..].iter().map(|(_, line)| line.clone()).collect())
    }

    async fn crashes(&self, _: u64, _: Option<&str>) -> Result<Vec<CrashInfo>> {
        Err(apps::lacks(&self.link, "listing crashes"))
    }

    async fn crash_report(&self, _: &str) -> Result<String> {
        Err(apps::lacks(&self.link, "reading a crash report"))
    }

    async fn set_permission(&self, _: &str, permission: &str, granted: bool) -> Result<&'static str> {
        let name = match permission {
            "location" => "geolocation",
            "notification" | "notifications" => "notifications",
            "camera" => "camera",
            "microphone" => "microphone",
            other => return Err(apps::lacks(&self.link, &format!("the permission `{other}`"))),
        };
        if !self.link.features().is_browser() {
            return Err(apps::lacks(&self.link, "setting permissions"));
        }
        let state = if granted { "granted" } else { "denied" };
        self.post(PERMISSION, json!({"descriptor": {"name": name}, "state": state})).await?;
        Ok("webdriver")
    }

    async fn set_appearance(&self, appearance: Option<Appearance>, size: Option<ContentSize>) -> Result<()> {
        if size.is_some() {
            return Err(apps::lacks(&self.link, "setting the text size"));
        }
        let Some(appearance) = appearance else { return Ok(()) };
        let name = match appearance {
            Appearance::Light => "light",
            Appearance::Dark => "dark",
        };
        let features = self.link.features();
        let set = if features.agent_routes {
            self.link.send(APPEARANCE, Some(&json!({ "name": name }))).await
        } else if features.mobile_scripts {
            self.link.mobile("setAppearance", json!({ "style": name })).await
        } else if features.cdp {
            let scheme = json!({"features": [{"name": "prefers-color-scheme", "value": name}]});
            self.link.cdp("Emulation.setEmulatedMedia", scheme).await
        } else {
            return Err(apps::lacks(&self.link, "setting the appearance"));
        };
        set.map(drop).map_err(|failure| self.link.error(APPEARANCE, failure))
    }

    async fn appearance(&self) -> Result<(Option<Appearance>, Option<ContentSize>)> {
        let features = self.link.features();
        let told = if features.agent_routes {
            match self.link.send(DEVICE_INFO, None).await {
                Ok(info) => match info["userInterfaceStyle"].as_str() {
                    Some("dark") => Some(Appearance::Dark),
                    Some("light") => Some(Appearance::Light),
                    _ => None,
                },
                Err(failure) if failure.is_unknown_command() => None,
                Err(failure) => return Err(self.link.error(DEVICE_INFO, failure)),
            }
        } else if features.is_browser() {
            let dark = self.link.script(scripts::DARK, json!([])).await;
            let dark = dark.map_err(|failure| self.link.error(APPEARANCE, failure))?;
            dark.as_bool().map(|dark| if dark { Appearance::Dark } else { Appearance::Light })
        } else {
            None
        };
        Ok((told, None))
    }

    async fn open_url(&self, url: &str) -> Result<()> {
        self.state().zoom = None;
        apps::open_url(&self.link, url).await
    }

    fn has(&self, feature: Feature) -> bool {
        feature == Feature::Video && self.link.features().mobile_scripts
    }

    async fn start_video(&self, file: &Path) -> Result<()> {
        match self.has(Feature::Video) {
            true => video::start(&self.link, file).await,
            false => Err(Feature::Video.lacking(&self.selector)),
        }
    }

    async fn stop_video(&self, file: &Path) -> Result<()> {
        video::stop(&self.link, file).await
    }

    async fn reset(&self, _: &str) -> Result<()> {
        if !self.link.features().is_browser() {
            return Err(apps::lacks(&self.link, "resetting an app"));
        }
        self.link.renew().await.map_err(|failure| failure.of(&self.selector, "new session"))?;
        self.state().alert = None;
        Ok(())
    }

    fn lacks(&self, what: &str) -> DeviceError {
        apps::lacks(&self.link, what)
    }

    fn driver_status(&self) -> Option<process::Status> {
        self.agent.as_ref().map(|agent| agent.status())
    }

    async fn close(&self) {
        self.link.end().await;
        if let Some(agent) = &self.agent {
            agent.stop().await;
        }
    }
}
