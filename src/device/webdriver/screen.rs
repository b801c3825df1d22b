//! What a device shows: its picture, the alert that hides it, how large it is and how it is held. Uses `link`.

use std::io::Cursor;
use std::time::Duration;

use base64::Engine;
use serde_json::{Value, json};

use super::alert::OpenAlert;
use super::client::Command;
use super::device::{SCREENSHOT, WebDriverDevice};
use super::error::Failure;
use super::features::PointsFrom;
use super::{chromium_tree, scripts};
use crate::device::{AccessibilityTree, Result};
use crate::geometry::{Orientation, PixelSize, Size};

/// Chromium's own way, which can be told to pack quickly; the pixels are the same.
const QUICK_SCREENSHOT: Command =
    Command::post(SCREENSHOT.name, "/goog/cdp/execute").within(30).reading().looking();
const LOCKED: Command = Command::get("locked", "/wda/locked").within(10);
const ORIENTATION: Command = Command::get("orientation", "/orientation").within(10);
const WINDOW_RECT: Command = Command::get("window rect", "/window/rect").within(20);
const WINDOW_SIZE: Command = Command::get("window size", "/window/size").within(20);
pub(super) const VIEWPORT: Command = Command::get("viewport", "").within(20);
const ALERT_TEXT: Command = Command::get("alert text", "/alert/text").within(20);
const ALERT_BUTTONS: Command = Command::get("alert buttons", "/wda/alert/buttons").within(20);

/// Sizes of one moment.
#[derive(Clone, Copy, Debug)]
pub(super) struct Measured {
    pub pixels: PixelSize,
    pub points: Size,
}

impl WebDriverDevice {
    /// A locked phone gives black or stale pictures.
    pub(super) async fn refuse_locked(&self) -> Result<()> {
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
    pub(super) async fn picture(&self) -> std::result::Result<Vec<u8>, Failure> {
        let answer = if self.link.features().cdp {
            let asked = json!({"cmd": "Page.captureScreenshot",
                "params": {"format": "png", "optimizeForSpeed": true}});
            self.link.send(QUICK_SCREENSHOT, Some(&asked)).await?["data"].take()
        } else {
            self.link.send(SCREENSHOT, None).await?
        };
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
    pub(super) async fn alert_picture(&self) -> Result<Vec<u8>> {
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
    pub(super) async fn measure(&self) -> Result<Measured> {
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
    pub(super) async fn orientation(&self) -> Option<Orientation> {
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

    pub(super) async fn chromium_tree(&self) -> std::result::Result<Option<AccessibilityTree>, Failure> {
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
        self.state().zoom = Some(viewport.zoom);
        Ok(chromium_tree::join(&tree, &snapshot, &viewport))
    }
}

fn size_of(picture: &[u8]) -> Option<PixelSize> {
    let reader = image::ImageReader::new(Cursor::new(picture)).with_guessed_format().ok()?;
    let (width, height) = reader.into_dimensions().ok()?;
    Some(PixelSize::new(width, height))
}
