//! Brings a device to where a recording starts, in a session of its own. Uses `session` and below.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;

use super::stage::{Refusal, Stage};
use crate::act::{ActError, ActOutcome, Action};
use crate::code::ErrorCode;
use crate::device::{DeviceError, Selector};
use crate::observe::{Observation, ObserveOptions};
use crate::recording::{Loaded, Requires, Setup, Variables};
use crate::session::{Session, SessionError, SessionStart};

/// Opens the device afresh and launches the recorded app with its setup.
///
/// # Errors
/// The device or the app is not to be had, a variable is not set, or what the recording requires can't be had.
pub async fn start(loaded: &Loaded, selector: &str, variables: &Variables) -> Result<Arc<Session>, Refusal> {
    let recording = &loaded.recording;
    let selector: Selector =
        selector.parse().map_err(|e: DeviceError| Refusal { code: e.code(), message: e.to_string() })?;
    let setup = expanded(&recording.setup, variables, &loaded.file().display().to_string())?;
    let session =
        Session::start(SessionStart { app: recording.app.clone(), setup, ..SessionStart::new(selector) })
            .await?;
    match appear(&session, &recording.requires).await {
        Ok(()) => Ok(session),
        Err(refusal) => {
            // the refusal is what counts; a recording can't be open yet
            let _ = session.end(true).await;
            Err(refusal)
        }
    }
}

/// `${NAME}` may stand in what the app is started with.
fn expanded(setup: &Setup, variables: &Variables, file: &str) -> Result<Setup, Refusal> {
    let expand = |text: &String| variables.expand(text, file);
    let mut setup = setup.clone();
    for argument in &mut setup.launch_arguments {
        *argument = expand(argument)?;
    }
    for value in setup.environment.values_mut() {
        *value = expand(value)?;
    }
    setup.open_url = setup.open_url.as_ref().map(expand).transpose()?;
    Ok(setup)
}

/// The appearance that the recording requires, set where it is another.
async fn appear(session: &Session, requires: &Requires) -> Result<(), Refusal> {
    if requires.appearance.is_none() && requires.content_size.is_none() {
        return Ok(());
    }
    let device = session.hold().await?;
    // a device that doesn't say is told all the same
    let (appearance, size) = device.appearance().await.unwrap_or_default();
    let other_appearance = requires.appearance.filter(|wanted| appearance != Some(*wanted));
    let other_size = requires.content_size.filter(|wanted| size != Some(*wanted));
    if other_appearance.is_none() && other_size.is_none() {
        return Ok(());
    }
    device.set_appearance(other_appearance, other_size).await.map_err(|e| Refusal {
        code: ErrorCode::RequiresUnmet,
        message: format!("the recording requires another appearance, which can't be set: {e}"),
    })
}

#[async_trait]
impl Stage for Arc<Session> {
    async fn observe(&mut self) -> Result<Arc<Observation>, Refusal> {
        Ok(Session::observe(self, &ObserveOptions::default()).await?)
    }

    async fn act(&mut self, action: Action) -> Result<ActOutcome, Refusal> {
        Ok(Session::act(self, action).await?)
    }

    async fn pause(&mut self, duration: Duration) {
        self.device().sleep(duration).await;
    }

    fn keeps_own_time(&self) -> bool {
        self.device().keeps_own_time()
    }

    fn own_time(&self) -> Duration {
        Session::own_time(self)
    }
}

impl From<SessionError> for Refusal {
    fn from(error: SessionError) -> Self {
        Self { code: error.code(), message: error.to_string() }
    }
}

impl From<ActError> for Refusal {
    fn from(error: ActError) -> Self {
        Self { code: error.code(), message: format!("{error}; {}", error.hint()) }
    }
}
