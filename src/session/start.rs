//! Starts a session: opens the device, brings its app to the front and looks at it. Uses `open` and below.

use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use super::crash::CrashWatch;
use super::open::open;
use super::{Opened, Session, SessionError};
use crate::device::{Device, DeviceError, Launch, Selector, Stopwatch};
use crate::observe::{AppInFront, ModelVision, ObserveError, ObserveOptions, Observer};
use crate::recording::Setup;

/// How long an app may take to come to the front.
const UNTIL_IN_FRONT: Duration = Duration::from_secs(15);
/// Between two looks for it.
const BETWEEN_LOOKS: Duration = Duration::from_millis(300);

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
    let bundle_id = start.app.clone().or_else(|| device.default_app());
    let crashes = match &bundle_id {
        Some(bundle_id) => Some(CrashWatch::begin(&*device, bundle_id).await),
        None => None,
    };
    let app = match bundle_id {
        Some(bundle_id) => Some(launch(&start.setup, &*device, bundle_id).await?),
        None => None,
    };
    observer.set_app(app.clone());
    if let (Some(app), Some(crashes)) = (&app, &crashes) {
        come_to_front(&*device, &mut observer, app, crashes).await?;
    } else {
        observer.observe(&*device, &ObserveOptions::default()).await?;
    }
    if let Some(url) = &start.setup.open_url {
        device.open_url(url).await?;
        observer.observe(&*device, &ObserveOptions::default()).await?;
    }
    Ok(Session::new(Opened {
        device,
        description,
        app,
        crashes,
        setup: start.setup,
        started: since,
        observer,
    }))
}

/// State, permissions and launch.
async fn launch(setup: &Setup, device: &dyn Device, bundle_id: String) -> Result<AppInFront, DeviceError> {
    let Setup { launch_arguments, environment, permissions, reset, .. } = setup;
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
    Ok(AppInFront { bundle_id, pid: (pid != 0).then_some(pid) })
}

/// Looks until the app is in front. An app that has ended meanwhile has crashed.
async fn come_to_front(
    device: &dyn Device,
    observer: &mut Observer,
    app: &AppInFront,
    crashes: &CrashWatch,
) -> Result<(), SessionError> {
    let mut waited = Stopwatch::start(device);
    loop {
        let seen = observer.observe(device, &ObserveOptions::default()).await?;
        if let Some(report) = crashes.report(device).await {
            return Err(SessionError::AppCrashed { app: app.bundle_id.clone(), report });
        }
        let in_front = match (seen.app.as_ref().and_then(|front| front.pid), app.pid) {
            (Some(front), Some(ours)) => front == ours,
            _ => true,
        };
        // an alert of the system may lie over it, and then it waits for us
        if in_front || seen.alert.is_some() || waited.elapsed() >= UNTIL_IN_FRONT {
            return Ok(());
        }
        waited.sleep(BETWEEN_LOOKS).await;
    }
}
