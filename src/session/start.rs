//! Starts a session: opens the device, brings its app to the front and looks at it. Uses `open` and below.

use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use super::open::open;
use super::{Session, SessionError};
use crate::device::{Device, DeviceError, Launch, Selector};
use crate::observe::{AppInFront, ModelVision, ObserveError, ObserveOptions, Observer};
use crate::recording::Setup;

/// How long an app may take to come to the front.
const UNTIL_IN_FRONT: Duration = Duration::from_secs(15);
/// Between two looks for it.
const BETWEEN_LOOKS: Duration = Duration::from_millis(300);
/// How long a crash report may take to be written.
const UNTIL_REPORTED: Duration = Duration::from_millis(500);

/// What a session is started with.
#[derive(Clone, Debug)]
pub struct SessionStart {
    pub selector: Selector,
    /// Bundle id; without one the device's own app, or what is in front.
    pub app: Option<String>,
    pub setup: Setup,
}

impl SessionStart {
    pub fn new(selector: Selector) -> Self {
        Self { selector, app: None, setup: Setup::default() }
    }
}

impl Session {
    /// Opens a device, launches its app and looks until it is in front.
    ///
    /// # Errors
    /// The device is not to be had, the app is not installed or crashes, or the screen can't be read. The device is
    /// let go of then.
    pub async fn start(start: SessionStart) -> Result<Arc<Self>, SessionError> {
        let device = open(&start.selector).await?;
        let started = begin(start, device.clone()).await;
        if started.is_err() {
            device.close().await;
        }
        started.map(Arc::new)
    }
}

async fn begin(start: SessionStart, device: Arc<dyn Device>) -> Result<Session, SessionError> {
    let description = device.describe().await?;
    let vision = tokio::task::spawn_blocking(ModelVision::new)
        .await
        .map_err(|e| ObserveError::Vision(e.to_string()))??;
    let mut observer = Observer::new(description.clone(), Box::new(vision));
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
    let app = prepare(&start, &*device).await?;
    observer.set_app(app.clone());
    come_to_front(&*device, &mut observer, app.as_ref(), since).await?;
    if let Some(url) = &start.setup.open_url {
        device.open_url(url).await?;
        observer.observe(&*device, &ObserveOptions::default()).await?;
    }
    Ok(Session::new(device, description, app, start.setup, since, observer))
}

/// State, permissions and launch.
async fn prepare(start: &SessionStart, device: &dyn Device) -> Result<Option<AppInFront>, DeviceError> {
    let Some(bundle_id) = start.app.clone().or_else(|| device.default_app()) else {
        return Ok(None);
    };
    let Setup { launch_arguments, environment, permissions, reset, .. } = &start.setup;
    if *reset {
        device.reset(&bundle_id).await?;
    }
    for (permission, granted) in permissions {
        device.set_permission(&bundle_id, permission, *granted).await?;
    }
    let launch = Launch {
        bundle_id: bundle_id.clone(),
        arguments: launch_arguments.clone(),
        environment: environment.clone(),
        foreground_if_running: false,
    };
    let pid = device.launch(&launch).await?;
    Ok(Some(AppInFront { bundle_id, pid: (pid != 0).then_some(pid) }))
}

/// Looks until the app is in front. An app that has ended meanwhile has crashed.
async fn come_to_front(
    device: &dyn Device,
    observer: &mut Observer,
    app: Option<&AppInFront>,
    since: u64,
) -> Result<(), SessionError> {
    let started = Instant::now();
    loop {
        let seen = observer.observe(device, &ObserveOptions::default()).await?;
        let Some(app) = app else { return Ok(()) };
        if let Some(report) = crash_of(device, &app.bundle_id, since).await {
            return Err(SessionError::AppCrashed { app: app.bundle_id.clone(), report });
        }
        let in_front = match (seen.app.as_ref().and_then(|front| front.pid), app.pid) {
            (Some(front), Some(ours)) => front == ours,
            _ => true,
        };
        // an alert of the system may lie over it, and then it waits for us
        if in_front || seen.alert.is_some() || started.elapsed() >= UNTIL_IN_FRONT {
            return Ok(());
        }
        device.sleep(BETWEEN_LOOKS).await;
    }
}

/// The report of an app that runs no more; `None` while it runs, or where the device doesn't say.
pub(super) async fn crash_of(device: &dyn Device, bundle_id: &str, since: u64) -> Option<String> {
    let apps = device.apps().await.ok()?;
    let ended = apps.iter().any(|app| app.bundle_id == bundle_id && app.running == Some(false));
    if !ended {
        return None;
    }
    let mut reports = device.crashes(since.saturating_sub(1), Some(bundle_id)).await.unwrap_or_default();
    if reports.is_empty() {
        device.sleep(UNTIL_REPORTED).await;
        reports = device.crashes(since.saturating_sub(1), Some(bundle_id)).await.unwrap_or_default();
    }
    let newest = reports.into_iter().max_by_key(|report| report.timestamp);
    Some(match newest {
        Some(report) => device.crash_report(&report.name).await.unwrap_or(report.name),
        None => "it ended without a crash report".to_owned(),
    })
}
