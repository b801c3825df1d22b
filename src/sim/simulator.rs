//! The simulated device: what the companion server drives. Uses everything in `sim` but the companion.
//!
//! Not async and not shared: its owner holds it behind a lock. Time moves only by [`Simulator::advance`].
//! Touches are in `input`, pixels and trees in `view`, links, notifications and settings in `services`.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, Utc};

use super::app::{self, App, EMBEDDED, Embedded};
use super::error::SimError;
use super::input::{Gesture, hid};
use super::layout::HomeApp;
use super::options::SimulatorOptions;
use super::process::Process;
use super::records::{CrashRecord, LogLine, TouchRecord};
use super::services::ActiveBanner;
use super::system::{Request, System};
use super::view::View;
use crate::device::{AppInfo, Appearance, ContentSize, HardwareButton, Launch};
use crate::geometry::{Orientation, PanelPoint, Point, Screen, Size};

/// A simulated device with its installed apps.
pub struct Simulator {
    pub(super) system: System,
    pub(super) installed: BTreeMap<String, Installed>,
    default_app: String,
    pub(super) processes: BTreeMap<String, Process>,
    pub(super) front: Option<String>,
    next_pid: u64,
    pub(super) banner: Option<ActiveBanner>,
    pub(super) gesture: Option<Gesture>,
    keys_down: BTreeSet<u16>,
    caps_lock: bool,
    pub(super) touches: Vec<TouchRecord>,
    crashes: Vec<CrashRecord>,
    /// The most memory that was measured of each process.
    pub(super) peaks: BTreeMap<u64, u64>,
    pub(super) view: View,
}

/// An installed app; the embedded ones are parsed when they are first launched.
pub(super) enum Installed {
    Embedded(&'static Embedded),
    Parsed(Arc<App>),
}

const FIRST_PID: u64 = 4_211;
/// Things that may happen in one stretch of time; an app that never stops is stopped.
const MAX_STEPS: usize = 100_000;

impl Simulator {
    /// A booted device with the embedded apps and `app`, which is launched.
    pub fn new(app: App, options: SimulatorOptions) -> Self {
        let bundle = app.bundle.clone();
        let mut installed: BTreeMap<_, _> =
            EMBEDDED.iter().map(|e| (e.bundle.to_owned(), Installed::Embedded(e))).collect();
        installed.insert(bundle.clone(), Installed::Parsed(Arc::new(app)));
        let view = View::new(options.profile);
        let mut simulator = Self {
            system: System::new(options),
            installed,
            default_app: bundle.clone(),
            processes: BTreeMap::new(),
            front: None,
            next_pid: FIRST_PID,
            banner: None,
            gesture: None,
            keys_down: BTreeSet::new(),
            caps_lock: false,
            touches: Vec::new(),
            crashes: Vec::new(),
            peaks: BTreeMap::new(),
            view,
        };
        // an app that was just installed can always be launched
        let _ = simulator.launch(&Launch { bundle_id: bundle, ..Launch::default() });
        simulator
    }

    pub fn options(&self) -> &SimulatorOptions {
        &self.system.options
    }

    /// The bundle of the app the simulator was made for.
    pub fn default_app(&self) -> &str {
        &self.default_app
    }

    /// The bundle of the app in front; `None` on the home screen.
    pub fn front(&self) -> Option<&str> {
        self.front.as_deref()
    }

    /// A finger is down.
    pub fn is_touched(&self) -> bool {
        self.gesture.is_some()
    }

    /// Lets time pass: animations, caret, clock, delays, inertia.
    pub fn advance(&mut self, by: Duration) {
        let target = self.system.elapsed.saturating_add(by);
        for _ in 0..MAX_STEPS {
            let due = self.front_process().and_then(Process::next_due).filter(|due| *due <= target);
            let Some(due) = due else { break };
            self.system.elapsed = self.system.elapsed.max(due);
            self.with_front(Process::tick);
            self.after_input();
        }
        self.system.elapsed = target;
        self.with_front(Process::tick);
        self.tick_banner();
    }

    /// The simulator's clock.
    pub fn now(&self) -> DateTime<Utc> {
        self.system.now()
    }

    /// The sizes and the orientation, measured now.
    pub fn screen(&self) -> Screen {
        let options = &self.system.options;
        let profile = options.profile;
        let (mut points, mut pixels) = (profile.interface, profile.pixels);
        if options.orientation.is_landscape() {
            points = Size::new(points.height, points.width);
            std::mem::swap(&mut pixels.width, &mut pixels.height);
        }
        Screen { pixels, points, panel: profile.panel, rotation: Some(options.orientation) }
    }

    pub(super) fn front_process(&self) -> Option<&Process> {
        self.processes.get(self.front.as_ref()?)
    }

    pub(super) fn front_process_mut(&mut self) -> Option<&mut Process> {
        self.processes.get_mut(self.front.as_ref()?)
    }

    /// Does something with the app in front and the system, then what the app asked the system for.
    pub(super) fn with_front(&mut self, act: impl FnOnce(&mut Process, &mut System)) {
        if let Some(process) = self.front.as_ref().and_then(|f| self.processes.get_mut(f)) {
            act(process, &mut self.system);
        }
        for request in std::mem::take(&mut self.system.requests) {
            match request {
                Request::Crash { bundle, reason } => self.crash(&bundle, &reason),
                Request::Open(url) => {
                    if let Err(error) = self.open_url(&url) {
                        self.system.log("SpringBoard", 1, error.to_string());
                    }
                }
            }
        }
    }

    /// A key of the hardware keyboard, by USB HID usage.
    pub fn key(&mut self, usage: u16, down: bool) {
        if !down {
            self.keys_down.remove(&usage);
            return;
        }
        if !self.keys_down.insert(usage) || hid::MODIFIERS.contains(&usage) {
            return;
        }
        let held = self.held();
        match usage {
            57 => self.caps_lock = !self.caps_lock,
            hid::ESCAPE => self.escape(),
            hid::TAB => self.focus_next(!held.shift),
            // command-H goes home
            11 if held.command => self.go_home(),
            _ => {
                if let Some(edit) = hid::edit(usage, held) {
                    self.with_front(|process, system| process.edit(&edit, system));
                }
            }
        }
        self.after_input();
    }

    fn held(&self) -> hid::Held {
        let any = |usages: [u16; 2]| usages.iter().any(|u| self.keys_down.contains(u));
        hid::Held { shift: any([225, 229]), command: any([227, 231]), caps_lock: self.caps_lock }
    }

    /// Closes the keyboard, or else the sheet.
    fn escape(&mut self) {
        self.with_front(|process, system| {
            if process.focus.is_some() {
                process.unfocus(system);
            } else if process.alerts.is_empty() {
                process.dismiss_sheet(system);
            }
        });
    }

    pub fn button(&mut self, button: HardwareButton, down: bool) {
        if !down {
            return;
        }
        match button {
            HardwareButton::Home => self.go_home(),
            other => {
                let name = format!("{other:?}").to_lowercase();
                self.system.log("SpringBoard", 1, format!("button {name} pressed"));
            }
        }
    }

    pub fn shake(&mut self) {
        self.log_front("shaken".to_owned());
    }

    /// The app in front goes behind the home screen and rests there.
    pub(super) fn go_home(&mut self) {
        self.with_front(|process, system| process.unfocus(system));
        self.front = None;
    }

    pub fn apps(&self) -> Vec<AppInfo> {
        let info = |bundle: &String| {
            let pid = self.processes.get(bundle).map(|p| p.pid);
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

    pub(super) fn app_name(&self, bundle: &str) -> String {
        match self.installed.get(bundle) {
            Some(Installed::Embedded(e)) => e.title.to_owned(),
            Some(Installed::Parsed(app)) => app.name.clone(),
            None => bundle.to_owned(),
        }
    }

    pub(super) fn home_apps(&self) -> Vec<HomeApp> {
        let look = |installed: &Installed| match installed {
            Installed::Embedded(e) => (e.icon, e.tint),
            Installed::Parsed(app) => (app.icon, app.tint),
        };
        self.installed
            .iter()
            .map(|(bundle, installed)| {
                let (icon, color) = look(installed);
                HomeApp { bundle: bundle.clone(), name: self.app_name(bundle), icon, color }
            })
            .collect()
    }

    pub(super) fn not_installed(&self, bundle: &str) -> SimError {
        SimError::NotInstalled {
            bundle: bundle.to_owned(),
            installed: self.installed.keys().cloned().collect(),
        }
    }

    pub(super) fn parsed(&mut self, bundle: &str) -> Result<Arc<App>, SimError> {
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
            && let Some(process) = self.processes.get(bundle)
        {
            let pid = process.pid;
            self.front = Some(bundle.clone());
            return Ok(pid);
        }
        let pid = self.next_pid;
        self.next_pid += 7;
        let environment = launch.environment.iter().map(|(k, v)| (k.clone(), v.as_str().into()));
        let environment = serde_json::Value::Object(environment.collect());
        let process = Process::launch(pid, app, &launch.arguments, environment, &mut self.system);
        self.processes.insert(bundle.clone(), process);
        self.front = Some(bundle.clone());
        self.gesture = None;
        self.with_front(|_, _| ());
        self.after_input();
        Ok(pid)
    }

    /// Shows an app as its icon does: where it was left, or afresh.
    pub(super) fn bring_to_front(&mut self, bundle: &str) -> Result<u64, SimError> {
        let launch =
            Launch { bundle_id: bundle.to_owned(), foreground_if_running: true, ..Launch::default() };
        self.launch(&launch)
    }

    /// Ends an app; one that doesn't run is no error.
    ///
    /// # Errors
    /// [`SimError::NotInstalled`].
    pub fn terminate(&mut self, bundle: &str) -> Result<(), SimError> {
        if !self.installed.contains_key(bundle) {
            return Err(self.not_installed(bundle));
        }
        self.processes.remove(bundle);
        if self.front.as_deref() == Some(bundle) {
            self.front = None;
            self.gesture = None;
        }
        Ok(())
    }

    /// Installs an app, over an older one if there is one, and gives its bundle.
    pub fn install(&mut self, app: App) -> String {
        let bundle = app.bundle.clone();
        // an older one may run
        let _ = self.terminate(&bundle);
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
        self.system.permissions.retain(|(b, _), _| b != bundle);
    }

    fn crash(&mut self, bundle: &str, reason: &str) {
        let Some(process) = self.processes.remove(bundle) else { return };
        if self.front.as_deref() == Some(bundle) {
            self.front = None;
            self.gesture = None;
        }
        let name = process.app.name.clone();
        self.system.log(&name, process.pid, format!("Fatal error: {reason}"));
        let report = CrashRecord::new(&process.app, process.pid, self.now(), self.options().profile, reason);
        self.crashes.push(report);
    }

    /// Lines of all apps since the start, oldest first.
    pub fn log_lines(&self) -> &[LogLine] {
        &self.system.log
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

    pub fn orientation(&self) -> Orientation {
        self.system.options.orientation
    }

    pub fn set_orientation(&mut self, orientation: Orientation) {
        self.system.options.orientation = orientation;
        self.gesture = None;
        self.after_input();
    }

    pub fn set_appearance(&mut self, appearance: Option<Appearance>, size: Option<ContentSize>) {
        let options = &mut self.system.options;
        options.appearance = appearance.unwrap_or(options.appearance);
        options.content_size = size.unwrap_or(options.content_size);
        self.after_input();
    }

    pub fn pasteboard(&self) -> &str {
        &self.system.pasteboard
    }

    pub fn set_pasteboard(&mut self, text: &str) {
        self.system.pasteboard = text.to_owned();
    }

    /// Where a touch on the panel lands in the interface.
    pub fn to_interface(&self, at: PanelPoint) -> Point {
        let screen = self.screen();
        let Size { width: w, height: h } = screen.panel;
        let (x, y, iw, ih) = match self.orientation() {
            Orientation::Portrait => (at.x, at.y, w, h),
            Orientation::PortraitUpsideDown => (w - at.x, h - at.y, w, h),
            Orientation::LandscapeRight => (at.y, w - at.x, h, w),
            Orientation::LandscapeLeft => (h - at.y, at.x, h, w),
        };
        Point::new(x * screen.points.width / iw, y * screen.points.height / ih)
    }
}
