//! Devices and sessions: which there are, their beginning and end.

use std::collections::BTreeMap;
use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::code::ErrorCode;
use crate::device::process::{State, Status};
use crate::device::{Selector, patience};
use crate::observe::View;
use crate::operation::{Call, Context, OperationError, Outcome, Run, allow};
use crate::policy::Mode;
use crate::recording::{Finished, Setup};
use crate::session::devices::{self, Known, KnownKind};
use crate::session::{Session, SessionStart as Start};

/// What is opened where nothing at all is named.
const DEFAULT_DEVICE: &str = "sim:demo";

#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct ListDevices {
    kind: Option<KnownKind>,
}

impl Run for ListDevices {
    async fn run(self, context: &Context, _: &Call) -> Result<Outcome, OperationError> {
        let Known { mut devices, notes } = devices::known(context.companion.as_deref()).await;
        devices.retain(|device| self.kind.is_none_or(|kind| device.kind == kind));
        let mut lines: Vec<String> =
            devices.iter().map(|device| format!("{}  {}", device.selector, device.description)).collect();
        if lines.is_empty() {
            lines.push("no device of this kind".to_owned());
        }
        lines.extend(notes.iter().map(|note| format!("note: {note}")));
        Ok(Outcome::new(lines.join("\n"), json!({"devices": devices, "notes": notes})))
    }
}

#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct SessionStart {
    /// sim:demo, sim:shop, sim:settings, sim:chaos; UDID or name of a simulator; idb://HOST:PORT; …
    device: Option<String>,
    /// Bundle id to launch
    app: Option<String>,
    launch_arguments: Option<Vec<String>>,
    environment: Option<BTreeMap<String, String>>,
    /// Such as {"photos": true}
    permissions: Option<BTreeMap<String, bool>>,
    /// End another session on this device first
    replace_existing: Option<bool>,
    /// Instead of all else: a session of a killed server to go on with
    attach: Option<String>,
}

impl Run for SessionStart {
    fn deadline(&self) -> Duration {
        // a simulator may have to boot first, and what drives a phone to be built
        let starting = match self.device.as_deref().map(str::parse) {
            Some(Ok(Selector::Embedded { .. } | Selector::Companion(_) | Selector::Mac { .. })) => {
                patience::BOOT
            }
            // the server's own words may name a phone
            _ => patience::AGENT + patience::WEBDRIVER_SESSION,
        };
        starting + Duration::from_secs(120)
    }

    fn needs(&self) -> Mode {
        if self.permissions.is_some() { Mode::Interact } else { Mode::Observe }
    }

    fn permitted(&self, context: &Context) -> Result<(), OperationError> {
        if let Some(named) = &self.device {
            allow::device(context, named)?;
        }
        let ours = context.device.as_deref().filter(|_| self.device.is_none());
        ours.map_or(Ok(()), |ours| context.policy.admit_device(ours))?;
        self.app.as_ref().map_or(Ok(()), |app| Ok(context.policy.admit_app(app)?))
    }

    async fn run(self, context: &Context, call: &Call) -> Result<Outcome, OperationError> {
        if let Some(id) = &self.attach {
            return self.attach(id, context, call).await;
        }
        let named = self.device.as_deref().or(context.device.as_deref());
        let (selector, note) = choose(named, self.app.is_some(), context).await?;
        // where none was named
        context.policy.admit_device(&selector)?;
        let start = Start {
            selector: context.selector(&selector)?,
            app: self.app,
            setup: Setup {
                launch_arguments: self.launch_arguments.unwrap_or_default(),
                environment: self.environment.unwrap_or_default(),
                permissions: self.permissions.unwrap_or_default(),
                ..Setup::default()
            },
            left: None,
            as_found: false,
        };
        call.progress(0.0, None, &format!("opening {selector}"));
        // a start that nobody waits for lets go of the device
        let (id, session) = tokio::select! {
            started = context.sessions.start(start, self.replace_existing.unwrap_or(false)) => started?,
            () = call.cancellation.cancelled() => return Err(OperationError::cancelled("session_start")),
        };
        // the device's own app is known only now
        if let Some(refused) = session.app().and_then(|app| context.policy.admit_app(&app.bundle_id).err()) {
            context.sessions.end(Some(&id), true).await?;
            return Err(refused.into());
        }
        call.audit.session(&id);
        Ok(started(&id, &session, note.into_iter().collect()))
    }
}

impl SessionStart {
    async fn attach(&self, id: &str, context: &Context, call: &Call) -> Result<Outcome, OperationError> {
        let beside = [
            ("device", self.device.is_some()),
            ("app", self.app.is_some()),
            ("launch_arguments", self.launch_arguments.is_some()),
            ("environment", self.environment.is_some()),
            ("permissions", self.permissions.is_some()),
            ("replace_existing", self.replace_existing.is_some()),
        ];
        if let Some((name, _)) = beside.iter().find(|(_, given)| *given) {
            return Err(OperationError::invalid(format!(
                "`attach` goes on with a session as it was: leave `{name}` out"
            ))
            .with_detail("argument", *name));
        }
        call.progress(0.0, None, &format!("going on with {id}"));
        let session = tokio::select! {
            attached = context.sessions.attach(id) => attached?,
            () = call.cancellation.cancelled() => return Err(OperationError::cancelled("session_start")),
        };
        let mut notes: Vec<String> = session.note().map(str::to_owned).into_iter().collect();
        let unfinished = context.store.unfinished();
        if session.status().recording.is_none() && !unfinished.is_empty() {
            notes.push(format!("never finished: {}; record_stop finishes it", unfinished.join(", ")));
        }
        Ok(started(id, &session, notes))
    }
}

/// The device to open, and what to say of the choice. Without any that runs the embedded simulator is opened, unless
/// `names_app` says that something is expected which only a real one can have.
pub(crate) async fn choose(
    named: Option<&str>,
    names_app: bool,
    context: &Context,
) -> Result<(String, Option<String>), OperationError> {
    if let Some(named) = named {
        return Ok((named.to_owned(), None));
    }
    let running = devices::running(context.companion.as_deref()).await;
    let running: Vec<String> = running.into_iter().map(|device| device.selector).collect();
    match running.as_slice() {
        [only] => Ok((only.clone(), Some(format!("no device was named: {only} is the only one that runs")))),
        [] if names_app => {
            let message = "no device was named, and none runs";
            Err(OperationError::new(ErrorCode::DeviceNotFound, message))
        }
        [] => Ok((DEFAULT_DEVICE.into(), Some(format!("no device was named: this is {DEFAULT_DEVICE}")))),
        several => {
            let message = format!("no device was named, and several run: {}", several.join(", "));
            Err(OperationError::new(ErrorCode::DeviceNotFound, message)
                .with_hint("pass one of them as `device`")
                .with_detail("devices", several))
        }
    }
}

fn started(id: &str, session: &Session, notes: Vec<String>) -> Outcome {
    let status = session.status();
    let mut text = format!("session {id}: {}", device_line(session));
    for note in &notes {
        text += &format!("\nnote: {note}");
    }
    let mut facts = json!({"session": id, "status": status, "notes": notes});
    if let Some(seen) = session.last() {
        text += &format!("\n{}", seen.compact(&View::default()).trim_end());
        facts["observation"] = seen.to_json(&View::default());
    }
    Outcome::new(text, facts)
}

fn device_line(session: &Session) -> String {
    let device = session.description();
    let app = session.app().map_or_else(|| "no app".to_owned(), |app| app.bundle_id.clone());
    format!("{} ({}, {}), {app}", device.selector, device.model, device.os)
}

#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct SessionEnd {
    session: Option<String>,
    /// End the app too
    terminate_app: Option<bool>,
}

impl Run for SessionEnd {
    fn deadline(&self) -> Duration {
        // what is being filmed is fetched first
        patience::FILM + Duration::from_secs(60)
    }

    async fn run(self, context: &Context, call: &Call) -> Result<Outcome, OperationError> {
        let terminate = self.terminate_app.unwrap_or(false);
        let ending = context.sessions.end(self.session.as_deref(), terminate);
        let (id, ended) = call.telling("ending", None, ending).await?;
        let mut text = format!("session {id} has ended");
        if let Some(finished) = &ended.recording {
            text += &format!("\n{}", finished_line(finished));
        }
        if let Some(video) = &ended.video {
            text += &format!("\nthe video is {}", video.display());
        }
        let facts = json!({"session": id, "recording": ended.recording, "video": ended.video});
        Ok(Outcome::new(text, facts))
    }
}

/// Whether what drives the device is well.
fn driver_words(driver: &Status) -> String {
    let state = match driver.state {
        State::Ready if driver.restarts == 0 => return format!(", {} well", driver.name),
        State::Ready => "runs again",
        State::Starting | State::Restarting => "is being started",
        State::Error => "was given up",
        State::Stopped => "was stopped",
    };
    let mut words = format!(", {} {state}", driver.name);
    if driver.restarts > 0 {
        words += &format!(" after {} restarts", driver.restarts);
    }
    if let Some(error) = &driver.last_error {
        words += &format!(": {}", error.lines().next().unwrap_or_default());
    }
    words
}

/// Where a recording lies, and what should be known of it.
pub(crate) fn finished_line(finished: &Finished) -> String {
    let mut text =
        format!("recorded {}: {} steps in {}", finished.name, finished.steps, finished.path.display());
    for warning in &finished.warnings {
        text += &format!("\nwarning: {warning}");
    }
    text
}

#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct SessionStatus {
    session: Option<String>,
}

impl Run for SessionStatus {
    async fn run(self, context: &Context, _: &Call) -> Result<Outcome, OperationError> {
        let sessions = match &self.session {
            Some(_) => vec![context.sessions.get(self.session.as_deref())?],
            None => context.sessions.all(),
        };
        let facts: Vec<Value> = sessions
            .iter()
            .map(|(id, session)| json!({"session": id, "mode": context.policy.mode(), "status": session.status()}))
            .collect();
        let mut lines: Vec<String> = sessions.iter().map(|(id, session)| status_line(id, session)).collect();
        if lines.is_empty() {
            lines.push("no session is open".to_owned());
        }
        let left = context.sessions.left();
        lines.extend(left.iter().map(|(id, device)| {
            format!(
                "{id}: {device}, left by a server that was killed; session_start with attach goes on with it"
            )
        }));
        let left: Vec<Value> =
            left.iter().map(|(id, device)| json!({"session": id, "device": device})).collect();
        Ok(Outcome::new(lines.join("\n"), json!({"sessions": facts, "left": left})))
    }
}

fn status_line(id: &str, session: &Session) -> String {
    let status = session.status();
    let mut line = format!("{id}: {}, {} acts", device_line(session), status.acts);
    if let Some(last) = status.last_action {
        line += &format!(", last {last}");
    }
    if let Some(seen) = status.last_observation {
        line += &format!(", last look {seen} with {} marks", status.marks);
    }
    if let Some(recording) = &status.recording {
        line += &format!(", recording {} ({} steps)", recording.name, recording.steps);
    }
    if let Some(video) = &status.video {
        line += &format!(", filming into {}", video.display());
    }
    if let Some(driver) = &status.driver {
        line += &driver_words(driver);
    }
    if let Some(crash) = &status.crash {
        line += &format!(", the app crashed: {}", crash.lines().next().unwrap_or_default());
    }
    line
}
