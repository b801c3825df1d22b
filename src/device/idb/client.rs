//! The connection to a companion, and what the calls of a device are made of. Uses the rest of this folder.

use std::any::Any;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use crate::device::idb::link::{Call, Companion, Link};
use crate::device::idb::protocol::companion as wire;
use crate::device::idb::protocol::control;
use crate::device::idb::{CompanionProcess, Endpoint, hid};
use crate::device::{DeviceError, HidEvent, Launch, Result};
use crate::geometry::Orientation;

const ORIENTATION: Call = Call::new("get_orientation", Duration::from_secs(5));
/// Beyond what the events themselves take.
pub(super) const HID: Call = Call::new("hid", Duration::from_secs(10));
const RELEASE: Call = Call::new("hid", Duration::from_secs(2));
const LIST_APPS: Call = Call::new("list_apps", Duration::from_secs(15));
const LAUNCH: Call = Call::new("launch", Duration::from_secs(60));
pub(super) const CONTROL: Call = Call::new("simulator control", Duration::from_secs(10));

pub struct IdbDevice {
    pub(super) selector: String,
    pub(super) link: Arc<Link>,
    /// What the embedded simulator says of itself; `None` for any other companion.
    pub(super) simulator: Option<control::SimulatorDescription>,
    /// Whether `get_orientation` is worth asking; older companions don't know it.
    tells_orientation: std::sync::atomic::AtomicBool,
    /// What lives as long as the device, such as the embedded simulator itself.
    pub(super) keeps: Mutex<Option<Box<dyn Any + Send>>>,
}

impl IdbDevice {
    /// Connects to a companion. `selector` is the name that opens the device again.
    ///
    /// # Errors
    /// [`DeviceError::Unreachable`] within a few seconds where nothing answers as a companion.
    pub async fn connect(endpoint: Endpoint, selector: impl Into<String>) -> Result<Self> {
        Self::over(Link::new(endpoint), selector.into()).await
    }

    /// Connects to a companion of our own, which is started again where it dies.
    ///
    /// # Errors
    /// As [`IdbDevice::connect`].
    pub async fn supervised(process: Arc<CompanionProcess>, selector: impl Into<String>) -> Result<Self> {
        let link = Link::to_process(process.endpoint().clone(), process);
        Self::over(link, selector.into()).await
    }

    async fn over(link: Link, selector: String) -> Result<Self> {
        let link = Arc::new(link);
        let asked =
            link.control(CONTROL, |mut c| async move { c.describe(control::DescribeRequest {}).await });
        let simulator = match asked.await {
            Ok(description) => Some(description),
            Err(DeviceError::Unsupported { .. } | DeviceError::Refused { .. }) => None,
            Err(error) => return Err(error),
        };
        Ok(Self { selector, link, simulator, tells_orientation: true.into(), keeps: Mutex::new(None) })
    }

    /// Keeps a thing alive until the device is closed or dropped.
    pub fn keeping(self, kept: impl Any + Send) -> Self {
        Self { keeps: Mutex::new(Some(Box::new(kept))), ..self }
    }

    /// Whether the companion is of version 1.7 or later, as far as it told.
    pub fn is_recent(&self) -> bool {
        self.link.is_recent()
    }

    /// The calls of the embedded simulator, or an error that names what to use elsewhere.
    pub(super) fn simulator(&self, what: &str, instead: &str) -> Result<&control::SimulatorDescription> {
        self.simulator.as_ref().ok_or_else(|| DeviceError::Unsupported {
            device: self.selector.clone(),
            what: what.to_owned(),
            instead: instead.to_owned(),
        })
    }

    pub(super) async fn orientation(&self) -> Option<Orientation> {
        use std::sync::atomic::Ordering::Relaxed;
        use wire::get_orientation_response::Physical;
        if !self.tells_orientation.load(Relaxed) {
            return None;
        }
        let ask = |mut c: Companion| async move { c.get_orientation(wire::GetOrientationRequest {}).await };
        let answer = match self.link.read(ORIENTATION, ask).await {
            Ok(answer) => answer.orientation(),
            Err(DeviceError::Unsupported { .. }) => {
                self.tells_orientation.store(false, Relaxed);
                return None;
            }
            // the screenshot stands by itself
            Err(_) => return None,
        };
        // the interface turns against the device: held to the left it is landscape right
        match answer {
            Physical::Portrait => Some(Orientation::Portrait),
            Physical::PortraitUpsideDown => Some(Orientation::PortraitUpsideDown),
            Physical::LandscapeLeft => Some(Orientation::LandscapeRight),
            Physical::LandscapeRight => Some(Orientation::LandscapeLeft),
            Physical::Unknown | Physical::FaceUp | Physical::FaceDown => None,
        }
    }

    /// Moves a clock that stands still on, and reads it.
    pub(super) async fn advance(&self, duration: Duration) -> Result<control::Clock> {
        let milliseconds = duration.as_millis().try_into().unwrap_or(u64::MAX);
        let request = control::AdvanceClockRequest { milliseconds };
        self.link.control(CONTROL, |mut c| async move { c.advance_clock(request).await }).await
    }

    pub(super) async fn installed(&self) -> Result<Vec<wire::InstalledAppInfo>> {
        let ask = |mut c: Companion| async move { c.list_apps(wire::ListAppsRequest::default()).await };
        Ok(self.link.read(LIST_APPS, ask).await?.apps)
    }

    /// Says of a refused call whether the app was missing altogether.
    pub(super) async fn explain_refusal(&self, error: DeviceError, bundle_id: &str) -> DeviceError {
        if !matches!(error, DeviceError::Refused { .. }) {
            return error;
        }
        match self.installed().await {
            Ok(apps) if !apps.iter().any(|app| app.bundle_id == bundle_id) => DeviceError::AppNotInstalled {
                app: bundle_id.to_owned(),
                installed: apps.into_iter().map(|app| app.bundle_id).collect(),
            },
            _ => error,
        }
    }

    pub(super) async fn start(&self, launch: &Launch) -> Result<u64> {
        let start = wire::launch_request::Start {
            bundle_id: launch.bundle_id.clone(),
            env: launch.environment.clone().into_iter().collect(),
            app_args: launch.arguments.clone(),
            foreground_if_running: launch.foreground_if_running,
            ..Default::default()
        };
        let request = wire::LaunchRequest { control: Some(wire::launch_request::Control::Start(start)) };
        let link = &self.link;
        // the pid is in the stream: reading it belongs within the deadline
        let ask = |mut c: Companion| async move {
            let mut answers = c.launch(tokio_stream::once(request)).await?.into_inner();
            while let Some(answer) = answers.message().await? {
                if let Some(debugger) = answer.debugger {
                    return Ok(tonic::Response::new(Some(debugger.pid)));
                }
            }
            Ok(tonic::Response::new(None))
        };
        match link.act(LAUNCH, ask).await? {
            Some(pid) => Ok(pid),
            None => {
                let apps = self.installed().await?;
                let running = apps.iter().find(|app| app.bundle_id == launch.bundle_id);
                running
                    .map(|app| app.process_identifier)
                    .filter(|pid| *pid > 0)
                    .ok_or_else(|| link.malformed(LAUNCH, "no process id"))
            }
        }
    }
}

/// Sends a path in one stream, and whatever it may have left pressed in another where that fails.
pub(super) async fn send_balanced(link: &Link, events: &[HidEvent]) -> Result<()> {
    let mut path = events.to_vec();
    path.extend(hid::left_pressed(events));
    let call = Call::new(HID.name, HID.deadline + 2 * hid::duration(&path));
    let sent = send(link, call, &path).await;
    if sent.is_err() {
        // the first error is the one to tell
        let _ = send(link, RELEASE, &hid::everything_pressed(events)).await;
    }
    sent
}

async fn send(link: &Link, call: Call, events: &[HidEvent]) -> Result<()> {
    if events.is_empty() {
        return Ok(());
    }
    let stream: Vec<wire::HidEvent> = events.iter().map(hid::encode).collect();
    link.act(call, |mut c| async move { c.hid(tokio_stream::iter(stream)).await }).await?;
    Ok(())
}
