//! The simulated device: what the companion server drives. Uses everything in `sim` but the companion.
//!
//! Not async and not shared: its owner holds it behind a lock. Time moves only by [`Simulator::advance`].

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use image::RgbaImage;

use super::app::{self, App, EMBEDDED, Embedded, PermissionName};
use super::error::SimError;
use super::options::SimulatorOptions;
use super::records::{CrashRecord, LogLine, TouchPhase, TouchRecord, TruthElement};
use crate::device::{AccessibilityNode, AppInfo, Appearance, ContentSize, HardwareButton, Launch};
use crate::geometry::{Orientation, PanelPoint, Point, Rect, Screen, Size};

/// A simulated device with its installed apps.
pub struct Simulator {
    options: SimulatorOptions,
    now: DateTime<Utc>,
    installed: BTreeMap<String, Installed>,
    default_app: String,
    running: BTreeMap<String, Running>,
    front: Option<String>,
    next_pid: u64,
    permissions: BTreeMap<(String, PermissionName), bool>,
    settings: BTreeMap<String, String>,
    pasteboard: String,
    location: Option<(f64, f64)>,
    finger: Option<PanelPoint>,
    keys_down: BTreeSet<u16>,
    touches: Vec<TouchRecord>,
    log: Vec<LogLine>,
    crashes: Vec<CrashRecord>,
    generation: u64,
    framebuffer: Option<Arc<RgbaImage>>,
}

/// An installed app; the embedded ones are parsed when they are first launched.
enum Installed {
    Embedded(&'static Embedded),
    Parsed(Arc<App>),
}

struct Running {
    pid: u64,
    #[expect(dead_code, reason = "the scene is built from it")]
    app: Arc<App>,
}

impl Simulator {
    /// A booted device with the embedded apps and `app`, which is launched.
    pub fn new(app: App, options: SimulatorOptions) -> Self {
        let bundle = app.bundle.clone();
        let mut installed: BTreeMap<_, _> =
            EMBEDDED.iter().map(|e| (e.bundle.to_owned(), Installed::Embedded(e))).collect();
        installed.insert(bundle.clone(), Installed::Parsed(Arc::new(app)));
        let mut simulator = Self {
            now: options.clock.start(),
            options,
            installed,
            default_app: bundle.clone(),
            running: BTreeMap::new(),
            front: None,
            next_pid: 4_211,
            permissions: BTreeMap::new(),
            settings: BTreeMap::new(),
            pasteboard: String::new(),
            location: None,
            finger: None,
            keys_down: BTreeSet::new(),
            touches: Vec::new(),
            log: Vec::new(),
            crashes: Vec::new(),
            generation: 0,
            framebuffer: None,
        };
        // An app that was just installed can always be launched.
        let _ = simulator.launch(&Launch { bundle_id: bundle, ..Launch::default() });
        simulator
    }

    pub fn options(&self) -> &SimulatorOptions {
        &self.options
    }

    /// The bundle of the app the simulator was made for.
    pub fn default_app(&self) -> &str {
        &self.default_app
    }

    /// The bundle of the app in front; `None` on the home screen.
    pub fn front(&self) -> Option<&str> {
        self.front.as_deref()
    }

    /// Lets time pass: animations, caret, clock, delays, inertia.
    pub fn advance(&mut self, by: Duration) {
        self.now += TimeDelta::from_std(by).unwrap_or_default();
    }

    pub fn now(&self) -> DateTime<Utc> {
        self.now
    }

    /// The sizes and the orientation, measured now.
    pub fn screen(&self) -> Screen {
        let profile = self.options.profile;
        let (mut points, mut pixels) = (profile.interface, profile.pixels);
        if self.options.orientation.is_landscape() {
            points = Size::new(points.height, points.width);
            std::mem::swap(&mut pixels.width, &mut pixels.height);
        }
        Screen { pixels, points, panel: profile.panel, rotation: Some(self.options.orientation) }
    }

    /// The framebuffer: panel-native portrait, whatever the orientation. The same `Arc` while nothing changed.
    pub fn render(&mut self) -> Arc<RgbaImage> {
        let pixels = self.options.profile.pixels;
        let image = self.framebuffer.get_or_insert_with(|| {
            self.generation += 1;
            Arc::new(RgbaImage::from_pixel(pixels.width, pixels.height, image::Rgba([242, 242, 247, 255])))
        });
        Arc::clone(image)
    }

    /// Counts the different pictures that [`Simulator::render`] has given.
    pub fn generation(&self) -> u64 {
        self.generation
    }

    /// The app in front as accessibility sees it, in interface points; `None` where its screen tells nothing.
    pub fn accessibility(&self) -> Option<AccessibilityNode> {
        Some(self.application_node())
    }

    /// The root of every tree: the application in front, without children.
    pub fn application_node(&self) -> AccessibilityNode {
        let size = self.screen().points;
        let front = self.front.as_ref().and_then(|b| Some((b, self.running.get(b)?)));
        let (label, pid) = front.map_or(("SpringBoard".to_owned(), 1), |(b, r)| (self.app_name(b), r.pid));
        AccessibilityNode {
            kind: "Application".to_owned(),
            label: Some(label),
            enabled: Some(true),
            frame: Some(Rect::new(0.0, 0.0, size.width, size.height)),
            pid: Some(pid),
            ..AccessibilityNode::default()
        }
    }

    /// A finger comes down, or moves where it is down already.
    pub fn touch_down(&mut self, at: PanelPoint) {
        let phase = if self.finger.is_some() { TouchPhase::Moved } else { TouchPhase::Down };
        self.touches.push(TouchRecord { at: self.now, panel: at, phase });
        self.finger = Some(at);
    }

    pub fn touch_up(&mut self, at: PanelPoint) {
        self.touches.push(TouchRecord { at: self.now, panel: at, phase: TouchPhase::Up });
        self.finger = None;
    }

    /// A key of the hardware keyboard, by USB HID usage.
    pub fn key(&mut self, usage: u16, down: bool) {
        if down {
            self.keys_down.insert(usage);
        } else {
            self.keys_down.remove(&usage);
        }
    }

    pub fn button(&mut self, button: HardwareButton, down: bool) {
        if button == HardwareButton::Home && down {
            self.front = None;
        }
    }

    pub fn shake(&mut self) {}

    pub fn apps(&self) -> Vec<AppInfo> {
        let info = |bundle: &String| {
            let pid = self.running.get(bundle).map(|r| r.pid);
            AppInfo {
                bundle_id: bundle.clone(),
                name: self.app_name(bundle),
                running: Some(pid.is_some()),
                pid,
                install_type: "user".to_owned(),
            }
        };
        self.installed.keys().map(info).collect()
    }

    fn app_name(&self, bundle: &str) -> String {
        match self.installed.get(bundle) {
            Some(Installed::Embedded(e)) => e.title.to_owned(),
            Some(Installed::Parsed(app)) => app.name.clone(),
            None => bundle.to_owned(),
        }
    }

    fn not_installed(&self, bundle: &str) -> SimError {
        SimError::NotInstalled {
            bundle: bundle.to_owned(),
            installed: self.installed.keys().cloned().collect(),
        }
    }

    fn parsed(&mut self, bundle: &str) -> Result<Arc<App>, SimError> {
        let app = match self.installed.get(bundle) {
            Some(Installed::Parsed(app)) => return Ok(Arc::clone(app)),
            Some(Installed::Embedded(e)) => Arc::new(app::load(e.name)?),
            None => return Err(self.not_installed(bundle)),
        };
        self.installed.insert(bundle.to_owned(), Installed::Parsed(Arc::clone(&app)));
        Ok(app)
    }

    /// Starts an app afresh (or brings a running one to the front, where so asked) and gives its pid.
    ///
    /// # Errors
    /// [`SimError::NotInstalled`].
    pub fn launch(&mut self, launch: &Launch) -> Result<u64, SimError> {
        let bundle = &launch.bundle_id;
        let app = self.parsed(bundle)?;
        if launch.foreground_if_running
            && let Some(running) = self.running.get(bundle)
        {
            self.front = Some(bundle.clone());
            return Ok(running.pid);
        }
        let pid = self.next_pid;
        self.next_pid += 7;
        self.running.insert(bundle.clone(), Running { pid, app });
        self.front = Some(bundle.clone());
        Ok(pid)
    }

    /// Ends an app; one that doesn't run is no error.
    ///
    /// # Errors
    /// [`SimError::NotInstalled`].
    pub fn terminate(&mut self, bundle: &str) -> Result<(), SimError> {
        if !self.installed.contains_key(bundle) {
            return Err(self.not_installed(bundle));
        }
        self.running.remove(bundle);
        if self.front.as_deref() == Some(bundle) {
            self.front = None;
        }
        Ok(())
    }

    /// Installs an app, over an older one if there is one, and gives its bundle.
    pub fn install(&mut self, app: App) -> String {
        let bundle = app.bundle.clone();
        self.forget(&bundle);
        self.installed.insert(bundle.clone(), Installed::Parsed(Arc::new(app)));
        bundle
    }

    /// Ends and removes an app with its permissions.
    ///
    /// # Errors
    /// [`SimError::NotInstalled`].
    pub fn uninstall(&mut self, bundle: &str) -> Result<(), SimError> {
        self.terminate(bundle)?;
        self.forget(bundle);
        self.installed.remove(bundle);
        Ok(())
    }

    /// Puts an app back as after installation: ended, its permissions not asked for yet.
    ///
    /// # Errors
    /// [`SimError::NotInstalled`].
    pub fn reset(&mut self, bundle: &str) -> Result<(), SimError> {
        self.terminate(bundle)?;
        self.forget(bundle);
        Ok(())
    }

    fn forget(&mut self, bundle: &str) {
        self.running.remove(bundle);
        self.permissions.retain(|(b, _), _| b != bundle);
    }

    /// Lines of all apps since the start, oldest first.
    pub fn log_lines(&self) -> &[LogLine] {
        &self.log
    }

    /// Every touch that arrived since the start.
    pub fn touches(&self) -> &[TouchRecord] {
        &self.touches
    }

    pub fn crashes(&self) -> &[CrashRecord] {
        &self.crashes
    }

    /// # Errors
    /// [`SimError::NoCrash`].
    pub fn delete_crash(&mut self, name: &str) -> Result<(), SimError> {
        let before = self.crashes.len();
        self.crashes.retain(|c| c.name != name);
        if self.crashes.len() == before { Err(SimError::NoCrash(name.to_owned())) } else { Ok(()) }
    }

    /// Grants a permission or takes it back; an app that asks later is answered so at once.
    ///
    /// # Errors
    /// [`SimError::NotInstalled`], [`SimError::UnknownPermission`].
    pub fn set_permission(&mut self, bundle: &str, permission: &str, granted: bool) -> Result<(), SimError> {
        if !self.installed.contains_key(bundle) {
            return Err(self.not_installed(bundle));
        }
        let name = PermissionName::named(permission).ok_or_else(|| SimError::UnknownPermission {
            name: permission.to_owned(),
            known: PermissionName::ALL.iter().map(|(_, n)| (*n).to_owned()).collect(),
        })?;
        self.permissions.insert((bundle.to_owned(), name), granted);
        Ok(())
    }

    /// Opens a link in the app that knows its prefix.
    ///
    /// # Errors
    /// [`SimError::NoHandler`].
    pub fn open_url(&mut self, url: &str) -> Result<(), SimError> {
        Err(SimError::NoHandler { url: url.to_owned() })
    }

    /// A value of the system's settings, such as `locale` or `AppleLanguages`; empty where never set.
    pub fn setting(&self, name: &str) -> &str {
        self.settings.get(name).map_or("", String::as_str)
    }

    pub fn set_setting(&mut self, name: &str, value: &str) {
        self.settings.insert(name.to_owned(), value.to_owned());
    }

    pub fn locale(&self) -> &str {
        &self.options.locale
    }

    pub fn set_locale(&mut self, locale: &str) {
        self.options.locale = locale.to_owned();
    }

    /// Shows a banner with what the payload's `aps.alert` says.
    ///
    /// # Errors
    /// [`SimError::NotInstalled`], or [`SimError::InvalidArgument`] where the payload is not JSON.
    pub fn send_notification(&mut self, bundle: &str, payload: &str) -> Result<(), SimError> {
        if !self.installed.contains_key(bundle) {
            return Err(self.not_installed(bundle));
        }
        serde_json::from_str::<serde_json::Value>(payload)
            .map_err(|e| SimError::InvalidArgument(format!("the notification is not JSON: {e}")))?;
        Ok(())
    }

    pub fn set_location(&mut self, latitude: f64, longitude: f64) {
        self.location = Some((latitude, longitude));
    }

    pub fn location(&self) -> Option<(f64, f64)> {
        self.location
    }

    /// The app in front hears of it and logs it.
    pub fn memory_warning(&mut self) {}

    pub fn clear_keychain(&mut self) {}

    /// Brings the simulator's window to the front; there is none.
    pub fn focus(&mut self) {}

    pub fn orientation(&self) -> Orientation {
        self.options.orientation
    }

    pub fn set_orientation(&mut self, orientation: Orientation) {
        self.options.orientation = orientation;
    }

    pub fn set_appearance(&mut self, appearance: Option<Appearance>, size: Option<ContentSize>) {
        self.options.appearance = appearance.unwrap_or(self.options.appearance);
        self.options.content_size = size.unwrap_or(self.options.content_size);
    }

    pub fn pasteboard(&self) -> &str {
        &self.pasteboard
    }

    pub fn set_pasteboard(&mut self, text: &str) {
        self.pasteboard = text.to_owned();
    }

    /// The true layout of what is shown now.
    pub fn truth(&self) -> Vec<TruthElement> {
        Vec::new()
    }

    /// Where a touch on the panel lands in the interface.
    pub fn to_interface(&self, at: PanelPoint) -> Point {
        let screen = self.screen();
        let Size { width: w, height: h } = screen.panel;
        let (x, y, iw, ih) = match self.options.orientation {
            Orientation::Portrait => (at.x, at.y, w, h),
            Orientation::PortraitUpsideDown => (w - at.x, h - at.y, w, h),
            Orientation::LandscapeRight => (at.y, w - at.x, h, w),
            Orientation::LandscapeLeft => (h - at.y, at.x, h, w),
        };
        Point::new(x * screen.points.width / iw, y * screen.points.height / ih)
    }
}
