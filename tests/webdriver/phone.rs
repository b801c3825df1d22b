//! A phone that lives: the embedded simulator, spoken to in WebDriverAgent's way.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use base64::Engine;
use serde_json::{Value, json};
use simdrive::device::idb::keys;
use simdrive::device::{
    AccessibilityNode, AppInfo, Appearance, Capture, Device, DeviceError, HardwareButton, HidEvent, Launch,
};
use simdrive::geometry::{Orientation, PanelPoint, Point, Size};
use simdrive::role::Role;
use simdrive::session::open::open;
use tokio::runtime::Runtime;

use crate::standin::{Answer, unknown};

/// The process that the system's own alerts and the home screen belong to.
const SPRINGBOARD: u64 = 1;

pub struct Phone {
    runtime: Runtime,
    device: Arc<dyn Device>,
    /// The panel, upright.
    panel: Size,
    locked: AtomicBool,
}

impl Phone {
    pub fn with(app: &str) -> Self {
        let runtime = Runtime::new().unwrap();
        let selector = format!("sim:{app}").parse().unwrap();
        let (device, panel) = runtime.block_on(async {
            let device = open(&selector).await.unwrap();
            let panel = device.describe().await.unwrap().panel_points;
            (device, panel)
        });
        Self { runtime, device, panel, locked: AtomicBool::new(false) }
    }

    pub fn answer(&self, call: &str, body: &Value) -> Answer {
        self.runtime.block_on(self.asked(call, body))
    }

    async fn asked(&self, call: &str, body: &Value) -> Answer {
        if let Some(rest) = call.strip_prefix("POST ") {
            return self.told_to(rest, body).await;
        }
        match call {
            "GET /window/size" => {
                let upright = !matches!(
                    self.held().await?,
                    Some(Orientation::LandscapeLeft | Orientation::LandscapeRight)
                );
                let Size { width, height } = self.panel;
                let (width, height) = if upright { (width, height) } else { (height, width) };
                Ok(json!({"width": width, "height": height}))
            }
            "GET /orientation" => Ok(json!(match self.held().await? {
                Some(Orientation::LandscapeLeft) => "LANDSCAPE",
                Some(Orientation::LandscapeRight) => "UIA_DEVICE_ORIENTATION_LANDSCAPERIGHT",
                _ => "PORTRAIT",
            })),
            "GET /wda/locked" => Ok(json!(self.locked.load(Ordering::SeqCst))),
            "GET /screenshot" => match self.alert().await? {
                Some(alert) if alert.of_system => Err((500, "unexpected alert open", alert.text)),
                _ => {
                    let capture = self.device.screenshot().await.map_err(failed)?;
                    let picture = as_held(capture);
                    Ok(json!(base64::engine::general_purpose::STANDARD.encode(picture)))
                }
            },
            "GET /source?format=json" => Ok(source(&self.tree().await?)),
            "GET /alert/text" => Ok(json!(self.open_alert().await?.text)),
            "GET /wda/alert/buttons" => {
                let buttons = self.open_alert().await?.buttons;
                Ok(buttons.into_iter().map(|(name, _)| name).collect())
            }
            "GET /wda/apps/list" => {
                let apps = self.apps().await?;
                let running = apps.iter().filter(|app| app.pid.is_some());
                Ok(running.map(|app| json!({"pid": app.pid, "bundleId": app.bundle_id})).collect())
            }
            "GET /wda/activeAppInfo" => {
                let front = self.tree().await?.pid;
                let apps = self.apps().await?;
                let app = apps.iter().find(|app| app.pid == front);
                Ok(app.map_or_else(
                    || json!({"pid": SPRINGBOARD, "bundleId": "com.apple.springboard", "name": ""}),
                    |app| json!({"pid": app.pid, "bundleId": app.bundle_id, "name": app.name}),
                ))
            }
            "GET /wda/device/info" => {
                let style = match self.device.appearance().await.map_err(failed)?.0 {
                    Some(Appearance::Dark) => "dark",
                    _ => "light",
                };
                Ok(json!({"userInterfaceStyle": style, "isSimulator": false}))
            }
            other => unknown(other),
        }
    }

    async fn told_to(&self, path: &str, body: &Value) -> Answer {
        let text = |name: &str| body[name].as_str().unwrap_or_default().to_owned();
        let done = match path {
            "/actions" => self.hid(&self.path(body).await?).await,
            "/wda/keys" => {
                let Some(keys) = body["value"].as_array() else {
                    return Err((400, "invalid argument", "'value' must be an array".to_owned()));
                };
                let typed: String = keys.iter().filter_map(Value::as_str).collect();
                if !self.tree().await?.walk().any(|node| node.focused == Some(true)) {
                    return Err((400, "invalid element state", "the keyboard is not there".to_owned()));
                }
                self.device.type_text(&typed).await
            }
            "/wda/homescreen" => self.press(HardwareButton::Home).await,
            "/wda/lock" => {
                self.locked.store(true, Ordering::SeqCst);
                Ok(())
            }
            "/wda/pressButton" => match body["name"].as_str() {
                Some("volumeup") => self.press(HardwareButton::VolumeUp).await,
                Some("volumedown") => self.press(HardwareButton::VolumeDown).await,
                other => return Err((400, "invalid argument", format!("no button {other:?}"))),
            },
            "/wda/apps/launch" => {
                let arguments = body["arguments"].as_array().into_iter().flatten();
                let launch = Launch {
                    bundle_id: text("bundleId"),
                    arguments: arguments.filter_map(Value::as_str).map(str::to_owned).collect(),
                    foreground_if_running: true,
                    ..Launch::default()
                };
                self.device.launch(&launch).await.map(drop)
            }
            "/wda/apps/terminate" => self.device.terminate(&text("bundleId")).await,
            "/url" => self.device.open_url(&text("url")).await,
            "/wda/device/appearance" => {
                let appearance = if body["name"] == "dark" { Appearance::Dark } else { Appearance::Light };
                self.device.set_appearance(Some(appearance), None).await
            }
            "/alert/accept" | "/alert/dismiss" => {
                let alert = self.open_alert().await?;
                let named = alert.buttons.iter().find(|(name, _)| body["name"] == name.as_str());
                let usual =
                    if path == "/alert/accept" { alert.buttons.last() } else { alert.buttons.first() };
                let button = if body["name"].is_string() { named } else { usual };
                let Some((_, at)) = button else {
                    return Err((400, "invalid element state", "no such button".to_owned()));
                };
                let at = self.on_panel(at.x, at.y, self.held().await?);
                let tap = [HidEvent::TouchDown(at), delay(60), HidEvent::TouchUp(at)];
                let tapped = self.hid(&tap).await;
                self.device.sleep(Duration::from_millis(400)).await;
                tapped
            }
            other => return unknown(other),
        };
        done.map(|()| Value::Null).map_err(failed)
    }

    async fn hid(&self, events: &[HidEvent]) -> Result<(), DeviceError> {
        self.device.hid(events).await
    }

    async fn press(&self, button: HardwareButton) -> Result<(), DeviceError> {
        self.hid(&[HidEvent::ButtonDown(button), HidEvent::ButtonUp(button)]).await
    }

    async fn tree(&self) -> Result<AccessibilityNode, (u16, &'static str, String)> {
        Ok(self.device.accessibility().await.map_err(failed)?.map(|tree| tree.root).unwrap_or_default())
    }

    async fn apps(&self) -> Result<Vec<AppInfo>, (u16, &'static str, String)> {
        self.device.apps().await.map_err(failed)
    }

    async fn held(&self) -> Result<Option<Orientation>, (u16, &'static str, String)> {
        Ok(self.device.screenshot().await.map_err(failed)?.orientation)
    }

    async fn alert(&self) -> Result<Option<OpenAlert>, (u16, &'static str, String)> {
        let tree = self.tree().await?;
        // over an app that is in front; its own tree is left out then
        let of_system = tree.pid != Some(SPRINGBOARD) && tree.walk().any(|n| n.pid == Some(SPRINGBOARD));
        if !of_system && !tree.walk().any(|node| node.role == Some(Role::Alert)) {
            return Ok(None);
        }
        let labelled = |role| {
            let of_role = tree.walk().filter(move |node| node.role == Some(role));
            of_role.filter_map(|node| Some((node.label.clone()?, node.frame?.center()))).collect::<Vec<_>>()
        };
        let buttons = labelled(Role::Button);
        let texts: Vec<String> = labelled(Role::Text).into_iter().map(|(text, _)| text).collect();
        Ok(Some(OpenAlert { text: texts.join("\n"), buttons, of_system }))
    }

    async fn open_alert(&self) -> Result<OpenAlert, (u16, &'static str, String)> {
        let none = || (404, "no such alert", "An attempt was made to operate on no alert".to_owned());
        self.alert().await?.ok_or_else(none)
    }

    /// The events of W3C actions: one finger, or a keyboard.
    async fn path(&self, body: &Value) -> Result<Vec<HidEvent>, (u16, &'static str, String)> {
        let wrong = |what: &str| (500, "unknown error", what.to_owned());
        let [source] = body["actions"].as_array().map(Vec::as_slice).unwrap_or_default() else {
            return Err(wrong("one source of actions"));
        };
        let items = source["actions"].as_array().ok_or_else(|| wrong("no actions"))?;
        if source["type"] == "key" {
            return items.iter().map(key).collect();
        }
        if source["type"] != "pointer" || source["parameters"]["pointerType"] != "touch" {
            return Err(wrong("only pointers of the type touch, and keys"));
        }
        let held = self.held().await?;
        let (mut events, mut at, mut is_down) = (Vec::new(), PanelPoint { x: 0.0, y: 0.0 }, false);
        for item in items {
            let number = |name: &str| item[name].as_f64().unwrap_or_default();
            let waited = item["duration"].as_u64().unwrap_or_default();
            match item["type"].as_str().unwrap_or_default() {
                "pointerMove" => {
                    at = self.on_panel(number("x"), number("y"), held);
                    if is_down {
                        events.extend([delay(waited), HidEvent::TouchDown(at)]);
                    }
                }
                "pointerDown" => {
                    is_down = true;
                    events.push(HidEvent::TouchDown(at));
                }
                "pointerUp" => {
                    is_down = false;
                    events.push(HidEvent::TouchUp(at));
                }
                "pause" => events.push(delay(waited)),
                other => return Err(wrong(&format!("no action {other}"))),
            }
        }
        Ok(events)
    }

    /// From the interface, as it is held, to the panel.
    fn on_panel(&self, x: f64, y: f64, held: Option<Orientation>) -> PanelPoint {
        match held {
            Some(Orientation::LandscapeLeft) => PanelPoint { x: y, y: self.panel.height - x },
            Some(Orientation::LandscapeRight) => PanelPoint { x: self.panel.width - y, y: x },
            _ => PanelPoint { x, y },
        }
    }
}

struct OpenAlert {
    text: String,
    buttons: Vec<(String, Point)>,
    of_system: bool,
}

/// The simulator's pictures are the panel's, upright; WebDriverAgent's are the interface's.
fn as_held(capture: Capture) -> Vec<u8> {
    let turned = match capture.orientation {
        Some(Orientation::LandscapeLeft) => image::load_from_memory(&capture.bytes).unwrap().rotate90(),
        Some(Orientation::LandscapeRight) => image::load_from_memory(&capture.bytes).unwrap().rotate270(),
        _ => return capture.bytes,
    };
    let mut png = std::io::Cursor::new(Vec::new());
    turned.write_to(&mut png, image::ImageFormat::Png).unwrap();
    png.into_inner()
}

fn delay(milliseconds: u64) -> HidEvent {
    HidEvent::Delay(Duration::from_millis(milliseconds))
}

fn failed(error: DeviceError) -> (u16, &'static str, String) {
    (500, "unknown error", error.to_string())
}

fn key(item: &Value) -> Result<HidEvent, (u16, &'static str, String)> {
    let wrong = || (500, "unknown error", format!("no key {item}"));
    if item["type"] == "pause" {
        return Ok(delay(item["duration"].as_u64().unwrap_or_default()));
    }
    let character = item["value"].as_str().and_then(|value| value.chars().next()).ok_or_else(wrong)?;
    let usage = match character {
        '\u{E003}' => keys::BACKSPACE,
        '\u{E004}' => keys::TAB,
        '\u{E006}' => keys::RETURN,
        '\u{E008}' => keys::SHIFT,
        '\u{E009}' => keys::CONTROL,
        '\u{E00A}' => keys::OPTION,
        '\u{E00C}' => keys::ESCAPE,
        '\u{E012}' => keys::LEFT,
        '\u{E013}' => keys::UP,
        '\u{E014}' => keys::RIGHT,
        '\u{E015}' => keys::DOWN,
        '\u{E03D}' => keys::COMMAND,
        other => keys::press_for(other).ok_or_else(wrong)?.usage,
    };
    match item["type"].as_str() {
        Some("keyDown") => Ok(HidEvent::KeyDown(usage)),
        Some("keyUp") => Ok(HidEvent::KeyUp(usage)),
        _ => Err(wrong()),
    }
}

/// A tree as `source?format=json` gives it: short type names, flags as "1" and "0", no processes.
fn source(node: &AccessibilityNode) -> Value {
    let flag = |on: Option<bool>| if on.unwrap_or(true) { "1" } else { "0" };
    let kind = match node.role {
        Some(Role::Button | Role::IconButton | Role::BackButton | Role::Tab | Role::Segmented) => "Button",
        Some(Role::TextField) => "TextField",
        Some(Role::SecureField) => "SecureTextField",
        Some(Role::SearchField) => "SearchField",
        Some(Role::Switch) => "Switch",
        Some(Role::Checkbox) => "CheckBox",
        Some(Role::Text) => "StaticText",
        Some(Role::KeyboardKey) => "Key",
        Some(Role::Cell) => "Cell",
        Some(Role::Alert) => "Alert",
        _ => node.kind.as_str(),
    };
    let mut told = json!({"type": kind, "rawIdentifier": node.identifier, "value": node.value,
        "name": node.identifier.as_ref().or(node.label.as_ref()), "label": node.label,
        "placeholderValue": node.placeholder, "isEnabled": flag(node.enabled), "isVisible": "1",
        "isAccessible": "1", "isFocused": flag(Some(node.focused == Some(true))),
        "isSelected": flag(Some(node.selected == Some(true))), "traits": node.traits.join(", "),
        "children": node.children.iter().map(source).collect::<Value>()});
    if let Some(frame) = node.frame {
        told["rect"] = json!({"x": frame.x.round(), "y": frame.y.round(),
            "width": frame.width.round(), "height": frame.height.round()});
    }
    told
}
