//! Starts a session: opens the device, brings its app to the front and looks at it. Uses `open` and below.

use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use super::crash::CrashWatch;
use super::kept::Facts;
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
    /// The session that is gone on with: its app is left as it is where it runs still.
    pub left: Option<Facts>,
    /// An app that runs already is left as it is.
    pub as_found: bool,
}

impl SessionStart {
    pub fn new(selector: Selector) -> Self {
        Self { selector, app: None, setup: Setup::default(), left: None, as_found: false }
    }

    /// Goes on with a session whose server was killed.
    ///
    /// # Errors
    /// Its selector is none.
    pub fn again(left: Facts) -> Result<Self, DeviceError> {
        let selector = left.selector.parse()?;
        let (app, setup) = (left.app.clone(), left.setup.clone());
        Ok(Self { selector, app, setup, left: Some(left), as_found: true })
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
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
    if let Some(left) = &start.left {
        observer.go_on_from(left.numbering);
    }
    let bundle_id = start.app.clone().or_else(|| device.default_app());
    let crashes = match &bundle_id {
        Some(bundle_id) => Some(CrashWatch::begin(&*device, bundle_id).await),
        None => None,
    };
    let running = match &bundle_id {
        Some(bundle_id) => still_running(&start, &*device, bundle_id).await?,
        None => None,
    };
    let goes_on = running.is_some();
    let note = start.left.as_ref().map(|left| what_became_of_it(left, running.as_ref(), &start.selector));
    let app = match (running, bundle_id) {
        (Some(running), _) => Some(running),
        (None, Some(bundle_id)) => Some(launch(&start.setup, &*device, bundle_id).await?),
        (None, None) => None,
    };
    observer.set_app(app.clone());
    match (&app, &crashes) {
        (Some(app), Some(crashes)) if !goes_on => {
            come_to_front(&*device, &mut observer, app, crashes).await?;
        }
        _ => drop(observer.observe(&*device, &ObserveOptions::default()).await?),
    }
    if let Some(url) = start.setup.open_url.as_ref().filter(|_| !goes_on) {
        device.open_url(url).await?;
        observer.observe(&*device, &ObserveOptions::default()).await?;
    }
    let opened = Opened {
        device,
        description,
        app,
        crashes,
        setup: start.setup,
        started: start.left.map_or(now, |left| left.started),
        goes_on,
        note,
    };
    Ok(Session::new(opened, observer))
}

/// The app that is to be left as it is found, where it runs.
async fn still_running(
    start: &SessionStart,
    device: &dyn Device,
    bundle_id: &str,
) -> Result<Option<AppInFront>, DeviceError> {
    // an embedded simulator ends with its server: what runs now is another one
    if !start.as_found || matches!(start.selector, Selector::Embedded { .. }) {
        return Ok(None);
    }
    let apps = device.apps().await?;
    let running = apps.into_iter().find(|app| app.bundle_id == bundle_id && app.running == Some(true));
    Ok(running.map(|app| AppInFront { bundle_id: app.bundle_id, pid: app.pid }))
}

/// What is to be known of the app of a session that is gone on with.
fn what_became_of_it(left: &Facts, running: Option<&AppInFront>, selector: &Selector) -> String {
    match (running, selector) {
        (Some(app), _) if app.pid == left.pid => "the app runs as it was left",
        (Some(_), _) => "the app was started again by somebody else meanwhile",
        (None, Selector::Embedded { .. }) => {
            "an embedded simulator ends with its server: the app was started again"
        }
        (None, _) => "the app ran no more and was started again",
    }
    .to_owned()
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
