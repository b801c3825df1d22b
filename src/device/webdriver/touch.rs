//! What is done to a device: paths of touches, buttons, and answers to an open alert. Uses `link`, `gestures`, `screen`.

use serde_json::{Value, json};

use super::alert::{Answer, OpenAlert};
use super::client::Command;
use super::device::{ACTIONS, WebDriverDevice};
use super::error::ProtocolError;
use super::gestures::{CommandKey, Part};
use super::screen::VIEWPORT;
use super::{apps, scripts};
use crate::device::{HardwareButton, Result};
use crate::geometry::{Orientation, PanelPoint, Point, Size};

const RELEASE: Command = Command::delete("release actions", "/actions").within(10);
const BUTTON: Command = Command::post("press button", "/wda/pressButton");
const HOME: Command = Command::post("home", "/wda/homescreen").of_server();
const LOCK: Command = Command::post("lock", "/wda/lock");
const ACCEPT: Command = Command::post("accept the alert", "/alert/accept").within(30);
const DISMISS: Command = Command::post("dismiss the alert", "/alert/dismiss").within(30);

impl WebDriverDevice {
    /// Sends what a path came to; after an error what is pressed is let go.
    pub(super) async fn send(&self, part: Part) -> Result<()> {
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
    pub(super) async fn answer(&self, alert: &OpenAlert, parts: &[Part]) -> Result<()> {
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

    /// Where a touch is sent, as measured by the look just before or else now: servers count in the interface as it is
    /// held, the panel is portrait; browsers count in the units of the page, which may be zoomed.
    pub(super) async fn placing(&self) -> Result<impl Fn(PanelPoint) -> Point + use<>> {
        let known = self.state().zoom.take();
        let zoom = if let Some(zoom) = known {
            zoom
        } else if self.link.features().is_browser() {
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

    pub(super) fn command_key(&self) -> CommandKey {
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
