//! A device made of coloured boxes, for tests: what is on it, what touches do, what was sent.

use std::collections::HashMap;
use std::io::Cursor;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use async_trait::async_trait;
use image::{ImageFormat, Rgba, RgbaImage};

use crate::device::{
    AccessibilityTree, AppInfo, Appearance, Capture, ContentSize, CrashInfo, Device, DeviceDescription,
    DeviceError, DeviceKind, HidEvent, Launch, LogQuery, Result,
};
use crate::frame::Frame;
use crate::geometry::{PixelRect, PixelSize, Point, Rect, Size};
use crate::observe::{ObserveError, Observer, Sight, Vision};
use crate::role::Role;
use crate::vision::shapes::{AlertShape, Scene, Shape};
use crate::vision::text::TextLine;

pub(crate) const SIZE: Size = Size { width: 200.0, height: 400.0 };

/// One thing on the stage.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Item {
    pub role: Role,
    pub label: String,
    pub value: String,
    pub rect: Rect,
    pub enabled: bool,
}

pub(crate) fn item(role: Role, label: &str, x: f64, y: f64) -> Item {
    Item { role, label: label.into(), value: String::new(), rect: Rect::new(x, y, 80.0, 30.0), enabled: true }
}

type Script = Box<dyn FnMut(&mut Play) + Send>;
type TouchScript = Box<dyn FnMut(&mut Play, Point) + Send>;

/// What is to be seen, and what was done.
#[derive(Default)]
pub(crate) struct Play {
    pub items: Vec<Item>,
    pub alert: Option<Rect>,
    pub keyboard: Option<Rect>,
    pub caret: Option<Rect>,
    pub touches: Vec<Point>,
    pub typed: String,
    pub looks: usize,
    /// What the next touch or key comes to.
    pub fails: Option<DeviceError>,
    on_look: Option<Script>,
    on_touch: Option<TouchScript>,
    /// Screenshots given out, by the hash of their pixels.
    shown: HashMap<String, Sight>,
}

#[derive(Clone, Default)]
pub(crate) struct Stage(Arc<Mutex<Play>>);

impl Stage {
    pub fn with(items: Vec<Item>) -> Self {
        let stage = Self::default();
        stage.play().items = items;
        stage
    }

    pub fn play(&self) -> MutexGuard<'_, Play> {
        self.0.lock().unwrap()
    }

    /// Called before every screenshot.
    pub fn on_look(&self, script: impl FnMut(&mut Play) + Send + 'static) {
        self.play().on_look = Some(Box::new(script));
    }

    /// Called where a finger is lifted.
    pub fn on_touch(&self, script: impl FnMut(&mut Play, Point) + Send + 'static) {
        self.play().on_touch = Some(Box::new(script));
    }

    pub fn device(&self) -> Arc<dyn Device> {
        Arc::new(self.clone())
    }

    pub fn observer(&self) -> Observer {
        Observer::new(description(), Box::new(self.clone()))
    }
}

pub(crate) fn description() -> DeviceDescription {
    DeviceDescription {
        selector: "sim:stage".into(),
        kind: DeviceKind::Simulator,
        udid: "STAGE".into(),
        name: "Stage".into(),
        model: "Stage".into(),
        os: "iOS 18.2".into(),
        state: "Booted".into(),
        panel_pixels: PixelSize::new(SIZE.width as u32, SIZE.height as u32),
        panel_points: SIZE,
    }
}

impl Play {
    fn sight(&self) -> Sight {
        let pixels = |r: Rect| PixelRect::new(r.x as u32, r.y as u32, r.width as u32, r.height as u32);
        let visible = |r: &Rect| r.intersection(&Rect::new(0.0, 0.0, SIZE.width, SIZE.height));
        let mut sight = Sight::default();
        for item in &self.items {
            let Some(rect) = visible(&item.rect).map(pixels) else { continue };
            let mut line = |text: &str| {
                (!text.is_empty()).then(|| {
                    sight.lines.push(TextLine {
                        text: text.into(),
                        rect,
                        confidence: 0.95,
                        unread: false,
                        ink: [0; 3],
                        ground: [255; 3],
                        reused: false,
                    });
                    sight.lines.len() - 1
                })
            };
            let (label_lines, value_lines) =
                (line(&item.label).into_iter().collect(), line(&item.value).into_iter().collect());
            if item.role != Role::Text {
                sight.scene.shapes.push(Shape {
                    role: item.role,
                    rect,
                    confidence: 0.9,
                    label_lines,
                    value_lines,
                    name: None,
                    words: None,
                    value: None,
                    enabled: item.enabled,
                    selected: None,
                });
            }
        }
        let alert = self.alert.map(|rect| AlertShape {
            rect: pixels(rect),
            title_lines: vec![],
            message_lines: vec![],
            buttons: vec![],
        });
        let (keyboard, caret) = (self.keyboard.map(pixels), self.caret.map(pixels));
        sight.scene = Scene { alert, keyboard, caret, ..sight.scene };
        sight
    }

    fn draw(&self) -> RgbaImage {
        let mut picture = RgbaImage::from_pixel(SIZE.width as u32, SIZE.height as u32, Rgba([250; 4]));
        let mut fill = |rect: Rect, shade: [u8; 3]| {
            let on_screen = rect.intersection(&Rect::new(0.0, 0.0, SIZE.width, SIZE.height));
            let Some(r) = on_screen else { return };
            for y in r.y as u32..r.bottom() as u32 {
                for x in r.x as u32..r.right() as u32 {
                    picture.put_pixel(x, y, Rgba([shade[0], shade[1], shade[2], 255]));
                }
            }
        };
        for item in &self.items {
            let sum = |text: &str| text.bytes().fold(7u8, |a, b| a.wrapping_mul(31).wrapping_add(b));
            fill(item.rect, [sum(&item.label), sum(&item.value), if item.enabled { 40 } else { 200 }]);
        }
        for (rect, shade) in
            [(self.keyboard, [90; 3]), (self.alert, [120, 130, 140]), (self.caret, [0, 0, 255])]
        {
            rect.into_iter().for_each(|rect| fill(rect, shade));
        }
        picture
    }
}

impl Vision for Stage {
    fn see(&mut self, frame: &Frame, _scale: f64) -> std::result::Result<Sight, ObserveError> {
        let known = self.play().shown.get(frame.hash()).cloned();
        known.ok_or_else(|| ObserveError::Vision("a picture that was never shown".into()))
    }
}

#[async_trait]
impl Device for Stage {
    async fn describe(&self) -> Result<DeviceDescription> {
        Ok(description())
    }

    async fn screenshot(&self) -> Result<Capture> {
        let mut play = self.play();
        play.looks += 1;
        if let Some(mut script) = play.on_look.take() {
            script(&mut play);
            play.on_look.get_or_insert(script);
        }
        let picture = play.draw();
        let sight = play.sight();
        let frame = Frame::new(picture.clone()).unwrap();
        play.shown.insert(frame.hash().to_owned(), sight);
        let mut bytes = Vec::new();
        picture.write_to(&mut Cursor::new(&mut bytes), ImageFormat::Png).unwrap();
        Ok(Capture { bytes, orientation: None })
    }

    async fn accessibility(&self) -> Result<Option<AccessibilityTree>> {
        Ok(None)
    }

    async fn hid(&self, events: &[HidEvent]) -> Result<()> {
        let mut play = self.play();
        if let Some(error) = play.fails.take() {
            return Err(error);
        }
        for event in events {
            if let HidEvent::TouchUp(at) = event {
                let at = Point::new(at.x, at.y);
                play.touches.push(at);
                if let Some(mut script) = play.on_touch.take() {
                    script(&mut play, at);
                    play.on_touch.get_or_insert(script);
                }
            }
        }
        Ok(())
    }

    async fn type_text(&self, text: &str) -> Result<()> {
        let mut play = self.play();
        play.typed.push_str(text);
        if play.keyboard.is_some()
            && let Some(field) = play.items.iter_mut().find(|i| i.role.is_field())
        {
            field.value.push_str(text);
        }
        Ok(())
    }

    fn untypable(&self, text: &str) -> Vec<char> {
        text.chars().filter(|c| !c.is_ascii()).collect()
    }

    async fn apps(&self) -> Result<Vec<AppInfo>> {
        Ok(Vec::new())
    }

    async fn launch(&self, _: &Launch) -> Result<u64> {
        Ok(1)
    }

    async fn terminate(&self, _: &str) -> Result<()> {
        Ok(())
    }

    async fn logs(&self, _: &LogQuery) -> Result<Vec<String>> {
        Ok(Vec::new())
    }

    async fn crashes(&self, _: u64, _: Option<&str>) -> Result<Vec<CrashInfo>> {
        Ok(Vec::new())
    }

    async fn crash_report(&self, name: &str) -> Result<String> {
        Ok(name.to_owned())
    }

    async fn set_permission(&self, _: &str, _: &str, _: bool) -> Result<&'static str> {
        Ok("stage")
    }

    async fn set_appearance(&self, _: Option<Appearance>, _: Option<ContentSize>) -> Result<()> {
        Ok(())
    }

    async fn appearance(&self) -> Result<(Option<Appearance>, Option<ContentSize>)> {
        Ok((None, None))
    }

    async fn open_url(&self, url: &str) -> Result<()> {
        Err(DeviceError::Unsupported {
            device: "stage".into(),
            what: url.into(),
            instead: "use another device".into(),
        })
    }

    async fn reset(&self, _: &str) -> Result<()> {
        Ok(())
    }

    fn keeps_own_time(&self) -> bool {
        true
    }

    async fn sleep(&self, _: Duration) {
        tokio::task::yield_now().await;
    }
}
