//! What a device can do, whoever does it. Uses the types (`geometry`, `frame`, `code`) and nothing above.
//!
//! [`Device`] is the whole of what the rest of the crate knows of a simulator, a phone or a browser.
//! What a device can't do answers [`DeviceError::Unsupported`], naming what can.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::{Duration, SystemTime};

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use crate::code::ErrorCode;
use crate::geometry::{Orientation, PanelPoint, PixelSize, Rect, Size};

pub mod accessibility;
pub mod devicectl;
mod feature;
pub mod idb;
pub mod mac;
mod metrics;
pub mod patience;
pub mod process;
pub mod selector;
pub mod simctl;
pub mod stopwatch;
pub mod webdriver;

pub use accessibility::AccessibilityNode;
pub use feature::Feature;
pub use metrics::{Footprint, MemoryRegion, Metrics};
pub use selector::{Driver, Selector};
pub use stopwatch::Stopwatch;

/// Why a device did not do what was asked.
#[derive(Debug, Clone, thiserror::Error)]
pub enum DeviceError {
    #[error("no device fits `{selector}`: {reason}")]
    NotFound { selector: String, reason: String },
    #[error("{device} can't be reached: {reason}")]
    Unreachable { device: String, reason: String },
    #[error("{device} did not answer {call} within {} ms", after.as_millis())]
    Timeout { device: String, call: &'static str, after: Duration },
    /// The device knows the call, and does not do it here and now.
    #[error("{device} refused {call}: {reason}")]
    Refused { device: String, call: &'static str, reason: String },
    /// What was asked for makes no sense to the device.
    #[error("{device} can't take {call}: {reason}")]
    InvalidRequest { device: String, call: &'static str, reason: String },
    #[error("{what} is not supported on {device}; {instead}")]
    Unsupported { device: String, what: String, instead: String },
    #[error("`{app}` is not installed; installed are: {}", installed.join(", "))]
    AppNotInstalled { app: String, installed: Vec<String> },
    #[error("`{app}` crashed: {report}")]
    AppCrashed { app: String, report: String },
    #[error("these characters can't be typed: {}", .0.iter().map(|c| format!("{c:?}")).collect::<Vec<_>>().join(" "))]
    TextUnsupported(Vec<char>),
    #[error("{0}")]
    InvalidSelector(String),
    /// An answer that can't be understood.
    #[error("{device} answered {call} with something unreadable: {reason}")]
    Malformed { device: String, call: &'static str, reason: String },
}

impl DeviceError {
    pub fn code(&self) -> ErrorCode {
        match self {
            Self::NotFound { .. } => ErrorCode::DeviceNotFound,
            Self::Unreachable { .. } => ErrorCode::DeviceUnreachable,
            Self::Timeout { .. } => ErrorCode::Timeout,
            Self::Malformed { .. } => ErrorCode::Internal,
            Self::Unsupported { .. } | Self::Refused { .. } => ErrorCode::UnsupportedOnTarget,
            Self::AppNotInstalled { .. } => ErrorCode::AppNotInstalled,
            Self::AppCrashed { .. } => ErrorCode::AppCrashed,
            Self::TextUnsupported(_) => ErrorCode::TextUnsupported,
            Self::InvalidSelector(_) | Self::InvalidRequest { .. } => ErrorCode::InvalidArgument,
        }
    }

    /// Of a call that was to do something: whether it may have been done all the same.
    pub fn may_have_been_done(&self) -> bool {
        matches!(self, Self::Unreachable { .. } | Self::Timeout { .. } | Self::Malformed { .. })
    }
}

pub type Result<T> = std::result::Result<T, DeviceError>;

/// What kind of thing is driven.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DeviceKind {
    Simulator,
    Device,
    Browser,
}

/// What a device says of itself. Sizes are portrait-native.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct DeviceDescription {
    /// The selector that opens this device again.
    pub selector: String,
    pub kind: DeviceKind,
    pub udid: String,
    pub name: String,
    pub model: String,
    /// Such as `iOS 18.2`.
    pub os: String,
    pub state: String,
    pub panel_pixels: PixelSize,
    /// Points that touches are sent in.
    pub panel_points: Size,
}

/// Light or dark.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Appearance {
    Light,
    Dark,
}

/// The system's text sizes, as simctl names them.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum ContentSize {
    ExtraSmall,
    Small,
    Medium,
    Large,
    ExtraLarge,
    ExtraExtraLarge,
    ExtraExtraExtraLarge,
    AccessibilityMedium,
    AccessibilityLarge,
    AccessibilityExtraLarge,
    AccessibilityExtraExtraLarge,
    AccessibilityExtraExtraExtraLarge,
}

/// One event of a touch or key path, in order. A path is always balanced by who sends it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum HidEvent {
    /// Finger down, or moved to, this point.
    TouchDown(PanelPoint),
    TouchUp(PanelPoint),
    /// USB HID usage code.
    KeyDown(u16),
    KeyUp(u16),
    ButtonDown(HardwareButton),
    ButtonUp(HardwareButton),
    /// One swipe run by the device itself: points a step and the whole duration.
    Swipe {
        from: PanelPoint,
        to: PanelPoint,
        delta: f64,
        duration: Duration,
    },
    Shake,
    Delay(Duration),
}

/// Whether every point of a path is one; a device would divide by what it isn't.
pub fn is_finite(events: &[HidEvent]) -> bool {
    let finite = |at: PanelPoint| at.x.is_finite() && at.y.is_finite();
    events.iter().all(|event| match *event {
        HidEvent::TouchDown(at) | HidEvent::TouchUp(at) => finite(at),
        HidEvent::Swipe { from, to, delta, .. } => finite(from) && finite(to) && delta.is_finite(),
        _ => true,
    })
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HardwareButton {
    Home,
    Lock,
    Siri,
    VolumeUp,
    VolumeDown,
}

/// An installed app and whether it runs.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct AppInfo {
    pub bundle_id: String,
    pub name: String,
    /// `None` where the device doesn't say.
    pub running: Option<bool>,
    pub pid: Option<u64>,
    /// `user`, `system`, …
    pub install_type: String,
}

/// How an app is started.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Launch {
    pub bundle_id: String,
    pub arguments: Vec<String>,
    pub environment: BTreeMap<String, String>,
    /// Bring a running app to the front instead of starting it afresh.
    pub foreground_if_running: bool,
}

/// Which log lines are asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LogQuery {
    /// At most so many, the last ones.
    pub lines: usize,
    /// How long they are gathered from a device that only sends them as they come.
    pub within: Duration,
    /// What is older need not be told.
    pub since: Option<DateTime<Utc>>,
}

/// A crash report as the device lists it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CrashInfo {
    pub name: String,
    pub bundle_id: String,
    pub process: String,
    /// Unix seconds.
    pub timestamp: u64,
}

/// A screenshot as the device sent it, and how the interface is turned if the device says so.
#[derive(Clone, Debug)]
pub struct Capture {
    /// PNG or JPEG.
    pub bytes: Vec<u8>,
    /// Interface orientation, where the device can be asked.
    pub orientation: Option<Orientation>,
}

/// The accessibility tree of the app in front.
#[derive(Clone, Debug, PartialEq)]
pub struct AccessibilityTree {
    pub root: AccessibilityNode,
}

impl AccessibilityTree {
    /// The size the tree is laid out in, in interface points; `None` where its root has no frame.
    pub fn size(&self) -> Option<Size> {
        self.root.frame.map(|f: Rect| Size::new(f.width, f.height))
    }
}

/// One device. Every call has a deadline; what it can't do is [`DeviceError::Unsupported`].
///
/// One command is in flight a device: who drives it (`session`) holds the lock; a `Device` takes none.
#[async_trait]
pub trait Device: Send + Sync {
    async fn describe(&self) -> Result<DeviceDescription>;
    async fn screenshot(&self) -> Result<Capture>;
    /// `None` where the device has no tree to give at all.
    async fn accessibility(&self) -> Result<Option<AccessibilityTree>>;
    /// Sends events in order. After an error whatever was pressed is let go.
    async fn hid(&self, events: &[HidEvent]) -> Result<()>;
    /// Types text; refused whole, before anything is sent, where a character can't be typed.
    async fn type_text(&self, text: &str) -> Result<()>;
    /// The characters of `text` that this device has no way to type, each once.
    fn untypable(&self, text: &str) -> Vec<char>;
    async fn apps(&self) -> Result<Vec<AppInfo>>;
    /// Starts an app (a running one is ended first unless `foreground_if_running`) and gives its pid.
    async fn launch(&self, launch: &Launch) -> Result<u64>;
    /// Ends an app; one that doesn't run is no error.
    async fn terminate(&self, bundle_id: &str) -> Result<()>;
    /// The last log lines, oldest first.
    async fn logs(&self, query: &LogQuery) -> Result<Vec<String>>;
    async fn crashes(&self, since: u64, bundle_id: Option<&str>) -> Result<Vec<CrashInfo>>;
    /// The text of one crash report.
    async fn crash_report(&self, name: &str) -> Result<String>;
    /// Grants (or takes back) a permission, such as photos, camera, contacts, location, notification, microphone;
    /// gives who did it, such as `idb` or `simctl`.
    async fn set_permission(&self, bundle_id: &str, permission: &str, granted: bool) -> Result<&'static str>;
    async fn set_appearance(&self, appearance: Option<Appearance>, size: Option<ContentSize>) -> Result<()>;
    /// The appearance in force, where the device says.
    async fn appearance(&self) -> Result<(Option<Appearance>, Option<ContentSize>)>;
    async fn open_url(&self, url: &str) -> Result<()>;
    /// Where the device believes to be, in degrees.
    async fn set_location(&self, latitude: f64, longitude: f64) -> Result<()> {
        let _ = (latitude, longitude);
        Err(self.lacks("setting the location"))
    }
    /// Forgets all passwords and keys of the device.
    async fn clear_keychain(&self) -> Result<()> {
        Err(self.lacks("clearing the keychain"))
    }
    /// Deletes one crash report, or all, and gives the names of those that are gone.
    async fn delete_crashes(&self, name: Option<&str>) -> Result<Vec<String>> {
        let _ = name;
        Err(self.lacks("deleting crash reports"))
    }
    /// Installs an app from a path on the machine that the device hangs on; its bundle id.
    async fn install(&self, path: &Path) -> Result<String> {
        let _ = path;
        Err(self.lacks("installing an app"))
    }
    async fn uninstall(&self, bundle_id: &str) -> Result<()> {
        let _ = bundle_id;
        Err(self.lacks("uninstalling an app"))
    }
    /// Adds a picture or a video to the photo library.
    async fn add_media(&self, file: &Path) -> Result<()> {
        let _ = file;
        Err(self.lacks("adding media"))
    }
    /// Whether it can do what many devices can't.
    fn has(&self, feature: Feature) -> bool {
        let _ = feature;
        false
    }
    /// Films the screen into a file that is not there yet, until [`Device::stop_video`].
    async fn start_video(&self, file: &Path) -> Result<()> {
        let _ = file;
        Err(Feature::Video.lacking("this device"))
    }
    /// Ends the video that was begun into this file, which is whole then.
    async fn stop_video(&self, file: &Path) -> Result<()> {
        let _ = file;
        Err(Feature::Video.lacking("this device"))
    }
    /// Adds the contacts of a vCard; a folder with the databases of an address book takes the place of the one there.
    async fn update_contacts(&self, source: &Path) -> Result<()> {
        let _ = source;
        Err(Feature::Contacts.lacking("this device"))
    }
    async fn clear_contacts(&self) -> Result<()> {
        Err(Feature::Contacts.lacking("this device"))
    }
    /// Puts the device's own state back as after installation (`setup.reset` of a recording).
    async fn reset(&self, bundle_id: &str) -> Result<()>;
    /// What a running app uses at this moment.
    async fn metrics(&self, bundle_id: &str) -> Result<Metrics> {
        let _ = bundle_id;
        Err(self.lacks("measuring an app"))
    }
    /// What the memory of a running app is made of.
    async fn footprint(&self, bundle_id: &str) -> Result<Footprint> {
        let _ = bundle_id;
        Err(self.lacks("measuring an app"))
    }
    /// Why a touch may have had no effect although it was accepted, where that is known of this device.
    async fn touch_caution(&self) -> Option<String> {
        None
    }
    /// What keeps the device driven, where that is a process of ours.
    fn driver_status(&self) -> Option<process::Status> {
        None
    }
    /// The error for something that only other devices can do.
    fn lacks(&self, what: &str) -> DeviceError {
        DeviceError::Unsupported {
            device: "this device".to_owned(),
            what: what.to_owned(),
            instead: "embedded simulators (`sim:`) and simulators of a Mac (`idb:UDID`) can".to_owned(),
        }
    }
    /// The app that `sim:APP` was opened for, launched when a session names none.
    fn default_app(&self) -> Option<String> {
        None
    }
    /// What time it is on the device.
    async fn now(&self) -> SystemTime {
        SystemTime::now()
    }
    /// Whether its time stands still but for [`Device::sleep`] and the delays in touches.
    fn keeps_own_time(&self) -> bool {
        false
    }
    /// Sleeps in the device's own time: a simulator with a virtual clock advances it instead.
    async fn sleep(&self, duration: Duration) {
        tokio::time::sleep(duration).await;
    }
    /// Lets go of the device: an embedded simulator stops.
    async fn close(&self) {}
}
