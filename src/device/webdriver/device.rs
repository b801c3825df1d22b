//! A WebDriver server as a [`Device`]. Uses the rest of this folder and `device`.

use std::io::Cursor;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use base64::Engine;
use chrono::DateTime;
use serde_json::{Value, json};

use super::address::{Address, Family};
use super::alert::{Answer, OpenAlert};
use super::client::Command;
use super::error::{Failure, ProtocolError};
use super::features::{PointsFrom, SourceKind};
use super::gestures::{self, CommandKey, Part};
use super::link::Link;
use super::{agent_tree, apps, chromium_tree, scripts};
use crate::device::{
    AccessibilityTree, AppInfo, Appearance, Capture, ContentSize, CrashInfo, Device, DeviceDescription,
    DeviceError, DeviceKind, HardwareButton, HidEvent, Launch, LogQuery, Result,
};
use crate::geometry::{Orientation, PanelPoint, PixelSize, Point, Size};

const SCREENSHOT: Command = Command::get("screenshot", "/screenshot").within(30);
const LOCKED: Command = Command::get("locked", "/wda/locked").within(10);
const ORIENTATION: Command = Command::get("orientation", "/orientation").within(10);
const WINDOW_RECT: Command = Command::get("window rect", "/window/rect").within(20);
const WINDOW_SIZE: Command = Command::get("window size", "/window/size").within(20);
const VIEWPORT: Command = Command::get("viewport", "").within(20);
const ACTIONS: Command = Command::post("actions", "/actions").within(90);
const RELEASE: Command = Command::delete("release actions", "/actions").within(10);
const KEYS: Command = Command::post("keys", "/wda/keys").within(90);
const BUTTON: Command = Command::post("press button", "/wda/pressButton");
const HOME: Command = Command::post("home", "/wda/homescreen").of_server();
const LOCK: Command = Command::post("lock", "/wda/lock");
const ALERT_TEXT: Command = Command::get("alert text", "/alert/text").within(20);
const ALERT_BUTTONS: Command = Command::get("alert buttons", "/wda/alert/buttons").within(20);
const ALERT_TYPE: Command = Command::post("type into the alert", "/alert/text").within(20);
const ACCEPT: Command = Command::post("accept the alert", "/alert/accept").within(30);
const DISMISS: Command = Command::post("dismiss the alert", "/alert/dismiss").within(30);
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
    link: Arc<Link>,
    selector: String,
    udid: String,
    state: Mutex<State>,
}

/// What was seen last.
#[derive(Default)]
struct State {
    measured: Option<Measured>,
    orientation: Option<Orientation>,
    /// Drawn by us, as long as it is open.
    alert: Option<OpenAlert>,
    /// The address a browser was started with.
    page: Option<String>,
    console: Vec<(i64, String)>,
}

#[derive(Clone, Copy, Debug)]
struct Measured {
    pixels: PixelSize,
    points: Size,
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
        Ok(Self { link: Arc::new(link), selector, udid: address.authority.clone(), state })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn get(&self, command: Command) -> Result<Value> {
        self.link.send(command, None).await.map_err(|failure| self.link.error(command, failure))
    }

    async fn post(&self, command: Command, body: Value) -> Result<Value> {
        self.link.send(command, Some(&body)).await.map_err(|failure| self.link.error(command, failure))
    }

    fn malformed(&self, command: Command, reason: impl Into<String>) -> DeviceError {
        self.link.error(command, Failure::Unreadable(reason.into()))
    }

    fn refused(&self, command: Command, reason: &str) -> DeviceError {
        DeviceError::Refused { device: self.selector.clone(), call: command.name, reason: reason.to_owned() }
    }

    /// A locked phone gives black or stale pictures.
    async fn refuse_locked(&self) -> Result<()> {
        if !self.link.features().agent_routes {
            return Ok(());
        }
        match self.link.send(LOCKED, None).await {
            Ok(Value::Bool(true)) => {
                Err(self
                    .refused(SCREENSHOT, "the phone is locked; unlock it, and keep it from locking itself"))
            }
            Err(failure) if !failure.is_unknown_command() => Err(self.link.error(LOCKED, failure)),
            _ => Ok(()),
        }
    }

    /// The picture, or the failure, told apart because of alerts.
    async fn picture(&self) -> std::result::Result<Vec<u8>, Failure> {
        let answer = self.link.send(SCREENSHOT, None).await?;
        let text = answer.as_str().unwrap_or_default();
        // some servers break the lines of what they encode
        let compact: String = text.chars().filter(|c| !c.is_ascii_whitespace()).collect();
        let decoded = base64::engine::general_purpose::STANDARD.decode(compact);
        match decoded {
            Ok(bytes) if !bytes.is_empty() => Ok(bytes),
            _ => Err(Failure::Unreadable("no picture in base64".to_owned())),
        }
    }

    /// Draws the alert that keeps the server from giving a picture.
    async fn alert_picture(&self) -> Result<Vec<u8>> {
        let text = self.get(ALERT_TEXT).await?;
        let text = text.as_str().unwrap_or_default().to_owned();
        let buttons = if self.link.features().agent_routes {
            let told = self.get(ALERT_BUTTONS).await.unwrap_or_default();
            let names = told.as_array().into_iter().flatten().filter_map(Value::as_str);
            names.map(str::to_owned).collect()
        } else {
            Vec::new()
        };
        let measured = self.state().measured;
        let Some(Measured { pixels, points }) = measured else {
            return Err(self.refused(SCREENSHOT, "an alert was open before anything was seen; answer it"));
        };
        let alert = OpenAlert::lay_out(&text, buttons, points);
        let png = alert.draw(pixels).map_err(|e| self.malformed(SCREENSHOT, e.to_string()))?;
        self.state().alert = Some(alert);
        Ok(png)
    }

    /// Size of what touches are sent in, as the screen is held.
    async fn points(&self) -> Result<Size> {
        let size = match self.link.features().points {
            PointsFrom::Page => {
                let told = self.link.script(scripts::VIEWPORT, json!([])).await;
                let told = told.map_err(|failure| self.link.error(VIEWPORT, failure))?;
                (told.get(0).and_then(Value::as_f64), told.get(1).and_then(Value::as_f64))
            }
            PointsFrom::Window => {
                let told = match self.link.send(WINDOW_RECT, None).await {
                    Ok(rect) if rect["width"].is_number() => rect,
                    Err(failure) if !failure.is_unknown_command() => {
                        return Err(self.link.error(WINDOW_RECT, failure));
                    }
                    _ => self.get(WINDOW_SIZE).await?,
                };
                (told["width"].as_f64(), told["height"].as_f64())
            }
        };
        match size {
            (Some(width), Some(height)) if width >= 1.0 && height >= 1.0 => {
                Ok(Size::new(width.round(), height.round()))
            }
            _ => Err(self.malformed(WINDOW_RECT, "no size of the screen")),
        }
    }

    /// Pixels and points of one moment: taken again where they don't fit, as in the middle of a rotation.
    async fn measure(&self) -> Result<Measured> {
        for _ in 0..3 {
            let points = self.points().await?;
            let bytes = self.picture().await.map_err(|failure| self.link.error(SCREENSHOT, failure))?;
            let pixels = size_of(&bytes).ok_or_else(|| self.malformed(SCREENSHOT, "no picture"))?;
            let (sx, sy) = (f64::from(pixels.width) / points.width, f64::from(pixels.height) / points.height);
            if (sx / sy - 1.0).abs() < 0.02 {
                return Ok(Measured { pixels, points });
            }
            tokio::time::sleep(Duration::from_millis(300)).await;
        }
        Err(self.malformed(SCREENSHOT, "a picture whose shape is not the screen's"))
    }

    /// How a phone is held, where that matters: what is sent and told is turned with the interface already.
    async fn orientation(&self) -> Option<Orientation> {
        if self.link.features().is_browser() {
            return None;
        }
        let told = self.link.send(ORIENTATION, None).await.ok()?;
        Some(match told.as_str()? {
            "LANDSCAPE" | "UIA_DEVICE_ORIENTATION_LANDSCAPELEFT" => Orientation::LandscapeLeft,
            "UIA_DEVICE_ORIENTATION_LANDSCAPERIGHT" => Orientation::LandscapeRight,
            _ => Orientation::Portrait,
        })
    }

    async fn chromium_tree(&self) -> std::result::Result<Option<AccessibilityTree>, Failure> {
        let metrics = self.link.cdp("Page.getLayoutMetrics", json!({})).await?;
        let tree = self.link.cdp("Accessibility.getFullAXTree", json!({})).await?;
        let snapshot = self
            .link
            .cdp(
                "DOMSnapshot.captureSnapshot",
                json!({"computedStyles": ["background-color"], "includePaintOrder": true}),
            )
            .await?;
        let viewport = chromium_tree::Viewport::of(&metrics)
            .ok_or_else(|| Failure::Unreadable("no size of the page".to_owned()))?;
        Ok(chromium_tree::join(&tree, &snapshot, &viewport))
    }

    /// Sends what a path came to; after an error what is pressed is let go.
    async fn send(&self, part: Part) -> Result<()> {
        match part {
            Part::Actions { body, .. } => {
                let sent = self.link.send(ACTIONS, Some(&body)).await;
                if let Err(failure) = &sent
                    && !failure.is(ProtocolError::InvalidSessionId)
                    && let Err(unreleased) = self.link.send(RELEASE, None).await
                {
                    tracing::debug!("what was pressed was not let go of: {unreleased:?}");
                }
                sent.map(drop).map_err(|failure| self.link.error(ACTIONS, failure))
            }
            Part::Button(button) => self.press(button).await,
            Part::Shake => Err(apps::lacks(&self.link, "shaking")),
            Part::Pause(duration) => {
                tokio::time::sleep(duration).await;
                Ok(())
            }
        }
    }

    async fn press(&self, button: HardwareButton) -> Result<()> {
        let features = self.link.features();
        let name = match button {
            HardwareButton::VolumeUp => "volumeup",
            HardwareButton::VolumeDown => "volumedown",
            HardwareButton::Home if features.agent_routes => {
                return self.post(HOME, json!({})).await.map(drop);
            }
            HardwareButton::Lock if features.agent_routes => {
                return self.post(LOCK, json!({})).await.map(drop);
            }
            HardwareButton::Home => "home",
            HardwareButton::Lock | HardwareButton::Siri => {
                return Err(apps::lacks(&self.link, "this button"));
            }
        };
        if features.agent_routes {
            self.post(BUTTON, json!({"name": name})).await.map(drop)
        } else if features.mobile_scripts {
            let pressed = self.link.mobile("pressButton", json!({"name": name})).await;
            pressed.map(drop).map_err(|failure| self.link.error(BUTTON, failure))
        } else {
            Err(apps::lacks(&self.link, "this button"))
        }
    }

    /// Answers the alert that was drawn, where a path ends on one of its buttons or presses a key for it.
    async fn answer(&self, alert: &OpenAlert, parts: &[Part]) -> Result<()> {
        // what the path ends with counts
        let answer = parts.iter().rev().find_map(|part| match part {
            Part::Actions { ends_at: Some(at), .. } => alert.answer_at(*at),
            Part::Actions { body, ends_at: None } => key_answer(body),
            _ => None,
        });
        let Some(answer) = answer else { return Ok(()) };
        let (command, body) = match answer {
            Answer::Accept => (ACCEPT, json!({})),
            Answer::Dismiss => (DISMISS, json!({})),
            Answer::Named(name) => (ACCEPT, json!({ "name": name })),
        };
        self.state().alert = None;
        match self.link.send(command, Some(&body)).await {
            // it was answered by somebody else meanwhile
            Err(failure) if failure.is(ProtocolError::NoSuchAlert) => {
                Err(self.refused(command, "the alert is not open any more"))
            }
            sent => sent.map(drop).map_err(|failure| self.link.error(command, failure)),
        }
    }

    /// Where a touch is sent, measured now: servers count in the interface as it is held, the panel is portrait;
    /// browsers count in the units of the page, which may be zoomed.
    async fn placing(&self) -> Result<impl Fn(PanelPoint) -> Point + use<>> {
        let zoom = if self.link.features().is_browser() {
            let told = self.link.script(scripts::ZOOM, json!([])).await;
            let told = told.map_err(|failure| self.link.error(VIEWPORT, failure))?;
            told.as_f64().filter(|zoom| *zoom > 0.0).unwrap_or(1.0)
        } else {
            1.0
        };
        let state = self.state();
        let panel = state.measured.map(|measured| measured.points).unwrap_or(Size::new(0.0, 0.0));
        let orientation = state.orientation;
        Ok(move |at: PanelPoint| match orientation {
            Some(Orientation::LandscapeLeft) => Point::new(panel.height - at.y, at.x),
            Some(Orientation::LandscapeRight) => Point::new(at.y, panel.width - at.x),
            _ => Point::new(at.x / zoom, at.y / zoom),
        })
    }

    fn command_key(&self) -> CommandKey {
        let features = self.link.features();
        let platform =
            features.capabilities["platformName"].as_str().unwrap_or_default().to_ascii_lowercase();
        if features.is_browser() && !platform.contains("mac") && platform != "ios" {
            CommandKey::Control
        } else {
            CommandKey::Meta
        }
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
        Ok(DeviceDescription {
            selector: self.selector.clone(),
            kind: if is_browser { DeviceKind::Browser } else { DeviceKind::Device },
            udid: Some(told("udid")).filter(|udid| !udid.is_empty()).unwrap_or_else(|| self.udid.clone()),
            name: model.clone(),
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
        if !crate::device::idb::hid::is_finite(events) {
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
        let page = self.state().page.clone();
        apps::list(&self.link, page.as_deref()).await
    }

    async fn launch(&self, launch: &Launch) -> Result<u64> {
        let pid = apps::launch(&self.link, launch).await?;
        if self.link.features().is_browser() {
            self.state().page = Some(launch.bundle_id.clone());
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
        apps::open_url(&self.link, url).await
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

    async fn close(&self) {
        self.link.end().await;
    }
}

/// Return accepts, escape dismisses.
fn key_answer(body: &Value) -> Option<Answer> {
    let pressed = body["actions"][0]["actions"].as_array()?;
    let is_pressed = |key: &str| pressed.iter().any(|a| a["type"] == "keyDown" && a["value"] == key);
    if is_pressed("\u{E006}") {
        Some(Answer::Accept)
    } else {
        is_pressed("\u{E00C}").then_some(Answer::Dismiss)
    }
}

fn size_of(picture: &[u8]) -> Option<PixelSize> {
    let reader = image::ImageReader::new(Cursor::new(picture)).with_guessed_format().ok()?;
    let (width, height) = reader.into_dimensions().ok()?;
    Some(PixelSize::new(width, height))
}
