//! Commands of the language that are no tool: small things of a session's device.

use std::path::PathBuf;
use std::time::Duration;

use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::act::{closest_labels, fitting};
use crate::code::ErrorCode;
use crate::device::{Feature, Launch, patience};
use crate::geometry::Point;
use crate::observe::compact::{clean, line};
use crate::observe::{ObserveOptions, View};
use crate::operation::instruct::runner::operate;
use crate::operation::instruct::{machine, video};
use crate::operation::{Call, Context, Operation, OperationError, Outcome, target};
use crate::policy::Mode;
use crate::session::Session;

pub const LAUNCH: &str = "launch_app";

/// A command that a device answers.
#[derive(Clone, Debug, Deserialize)]
#[serde(tag = "call", content = "arguments", rename_all = "snake_case", deny_unknown_fields)]
pub enum Own {
    LaunchApp(LaunchApp),
    TerminateApp { app: Option<String> },
    BootSimulator { device: String },
    ShutDownSimulator { device: Option<String> },
    FocusSimulator { device: Option<String> },
    InstallApp { path: PathBuf },
    UninstallApp { app: String },
    AddMedia { path: PathBuf },
    Pause { ms: u64 },
    DescribePoint { x: f64, y: f64 },
    Find(Find),
    ShowCrash { name: String },
    DeleteCrashes { name: Option<String>, all: Option<bool> },
    SetLocation { latitude: f64, longitude: f64 },
    ClearKeychain {},
    StartVideo { path: Option<PathBuf> },
    StopVideo {},
    UpdateContacts { path: Option<PathBuf>, clear: Option<bool> },
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LaunchApp {
    /// Bundle id, or its name on the device.
    app: String,
    #[serde(default)]
    afresh: bool,
}

#[derive(Clone, Debug, Deserialize)]
pub struct Find {
    label: Option<String>,
    role: Option<String>,
}

/// The modes of those commands.
const OWN: [(&str, Mode); 18] = [
    (LAUNCH, Mode::Interact),
    ("terminate_app", Mode::Interact),
    ("boot_simulator", Mode::Full),
    ("shut_down_simulator", Mode::Full),
    ("focus_simulator", Mode::Interact),
    ("install_app", Mode::Full),
    ("uninstall_app", Mode::Full),
    ("add_media", Mode::Interact),
    ("pause", Mode::Observe),
    ("describe_point", Mode::Observe),
    ("find", Mode::Observe),
    ("show_crash", Mode::Observe),
    ("delete_crashes", Mode::Interact),
    ("set_location", Mode::Interact),
    ("clear_keychain", Mode::Interact),
    ("start_video", Mode::Interact),
    ("stop_video", Mode::Interact),
    ("update_contacts", Mode::Interact),
];

impl Own {
    /// Whether a call is one of these.
    pub fn is(name: &str) -> bool {
        Self::mode(name).is_some()
    }

    pub fn mode(name: &str) -> Option<Mode> {
        OWN.iter().find(|(own, _)| *own == name).map(|(_, mode)| *mode)
    }

    /// What a device must have for a call, where that is not everyone's.
    pub fn needs(name: &str) -> Option<Feature> {
        match name {
            "start_video" | "stop_video" => Some(Feature::Video),
            "update_contacts" => Some(Feature::Contacts),
            _ => None,
        }
    }

    /// How long a call may take, what its device does in that time included.
    pub(super) fn deadline(&self) -> Duration {
        let slow = match self {
            // it may have to start a session first
            Self::LaunchApp(_) => patience::AGENT + patience::WEBDRIVER_SESSION,
            Self::BootSimulator { .. } | Self::ShutDownSimulator { .. } => patience::BOOT,
            Self::InstallApp { .. } => patience::INSTALL,
            Self::StopVideo {} => patience::FILM,
            Self::Pause { ms } => Duration::from_millis(*ms),
            _ => Duration::ZERO,
        };
        slow + Duration::from_secs(120)
    }

    /// # Errors
    /// The arguments are not those of this call.
    pub fn parse(name: &str, arguments: Map<String, Value>) -> Result<Self, OperationError> {
        let own = serde_json::from_value(json!({"call": name, "arguments": arguments}));
        own.map_err(|e| OperationError::invalid(format!("{name}: {e}")))
    }

    pub async fn run(
        self,
        context: &Context,
        call: &Call,
        session: Option<&str>,
    ) -> Result<Outcome, OperationError> {
        let open = || context.sessions.get(session).map(|(_, session)| session);
        match self {
            Self::Pause { ms } => pause(context, call, session, ms).await,
            Self::BootSimulator { device } => machine::boot(context, &device).await,
            Self::ShutDownSimulator { device } => machine::shut_down(context, device, session).await,
            Self::FocusSimulator { device } => machine::focus(context, device, session).await,
            Self::LaunchApp(launch) if session.is_none() && context.sessions.all().is_empty() => {
                launch.in_new_session(context, call).await
            }
            Self::LaunchApp(launch) => launch.run(context, &*open()?).await,
            Self::TerminateApp { app } => terminate(context, &*open()?, app).await,
            Self::InstallApp { path } => machine::install(context, &*open()?, &path).await,
            Self::UninstallApp { app } => {
                let session = open()?;
                not_while_recording(&session)?;
                machine::uninstall(context, &session, app).await
            }
            Self::AddMedia { path } => machine::add_media(context, &*open()?, &path).await,
            Self::DescribePoint { x, y } => describe(&*open()?, Point::new(x, y)).await,
            Self::Find(find) => find.run(&*open()?).await,
            Self::ShowCrash { name } => {
                let report = open()?.hold().await?.crash_report(&name).await?;
                Ok(Outcome::new(report.clone(), json!({"name": name, "report": report})))
            }
            Self::DeleteCrashes { name, .. } => {
                let gone = open()?.hold().await?.delete_crashes(name.as_deref()).await?;
                let names: Vec<String> = gone.iter().map(|name| clean(name, 80)).collect();
                let told = match names.as_slice() {
                    [] => "there were no crash reports".to_owned(),
                    names => format!("deleted {}", names.join(", ")),
                };
                Ok(Outcome::new(told, json!({"deleted": gone})))
            }
            Self::SetLocation { latitude, longitude } => {
                open()?.hold().await?.set_location(latitude, longitude).await?;
                let facts = json!({"latitude": latitude, "longitude": longitude});
                Ok(Outcome::new(format!("the location is {latitude}, {longitude}"), facts))
            }
            Self::ClearKeychain {} => {
                open()?.hold().await?.clear_keychain().await?;
                Ok(Outcome::new("the keychain is empty", json!({})))
            }
            Self::StartVideo { path } => video::start(context, &*open()?, path).await,
            Self::StopVideo {} => video::stop(&*open()?).await,
            Self::UpdateContacts { clear: Some(true), .. } => {
                open()?.hold().await?.clear_contacts().await?;
                Ok(Outcome::new("there are no contacts any more", json!({})))
            }
            Self::UpdateContacts { path, .. } => {
                let path = path.ok_or_else(|| {
                    OperationError::invalid("say which file: update the contacts from people.vcf")
                })?;
                machine::update_contacts(context, &*open()?, &path).await
            }
        }
    }
}

/// In the device's own time, without holding it.
async fn pause(
    context: &Context,
    call: &Call,
    session: Option<&str>,
    ms: u64,
) -> Result<Outcome, OperationError> {
    let duration = Duration::from_millis(ms);
    let device = context.sessions.get(session).ok().map(|(_, session)| session.device().clone());
    let slept = async {
        match device {
            Some(device) => device.sleep(duration).await,
            None => tokio::time::sleep(duration).await,
        }
    };
    tokio::select! {
        () = slept => Ok(Outcome::new(format!("waited {ms} ms"), json!({"ms": ms}))),
        () = call.cancellation.cancelled() => Err(OperationError::cancelled("pause")),
    }
}

/// A recording has no step that starts or ends an app: its replay would come out elsewhere.
fn not_while_recording(session: &Session) -> Result<(), OperationError> {
    match session.status().recording {
        None => Ok(()),
        Some(recording) => {
            let message = format!("starting and ending apps is no step that {} could replay", recording.name);
            Err(OperationError::new(ErrorCode::AlreadyRecording, message))
        }
    }
}

impl LaunchApp {
    async fn in_new_session(self, context: &Context, call: &Call) -> Result<Outcome, OperationError> {
        let mut arguments = Map::new();
        arguments.insert("app".into(), self.app.into());
        let start = Operation::parse("session_start", arguments)?;
        let mut outcome = operate(start, context, call).await?;
        outcome.facts["started"] = outcome.facts["session"].clone();
        Ok(outcome)
    }

    async fn run(self, context: &Context, session: &Session) -> Result<Outcome, OperationError> {
        not_while_recording(session)?;
        let (bundle_id, pid) = {
            let device = session.hold().await?;
            let apps = device.apps().await?;
            let named = apps.iter().find(|app| app.bundle_id == self.app);
            let named = named.or_else(|| apps.iter().find(|app| app.name.eq_ignore_ascii_case(&self.app)));
            // one that the device doesn't list it refuses itself, naming those that it has
            let bundle_id = named.map_or(self.app, |app| app.bundle_id.clone());
            context.policy.admit_app(&bundle_id)?;
            let foreground_if_running = !self.afresh;
            let launch = Launch { bundle_id: bundle_id.clone(), foreground_if_running, ..Launch::default() };
            let pid = device.launch(&launch).await?;
            (bundle_id, pid)
        };
        let seen = session.observe(&ObserveOptions::default()).await?;
        let text = format!("{bundle_id} runs, pid {pid}\n{}", seen.compact(&View::default()).trim_end());
        let facts = json!({"app": bundle_id, "pid": pid, "observation": seen.to_json(&View::default())});
        Ok(Outcome::new(text, facts))
    }
}

async fn terminate(
    context: &Context,
    session: &Session,
    app: Option<String>,
) -> Result<Outcome, OperationError> {
    not_while_recording(session)?;
    let app = app.or_else(|| session.app().map(|app| app.bundle_id.clone()));
    let app = app.ok_or_else(|| OperationError::invalid("this session started no app: name it"))?;
    context.policy.admit_app(&app)?;
    session.hold().await?.terminate(&app).await?;
    Ok(Outcome::new(format!("{app} has ended"), json!({"app": app})))
}

async fn describe(session: &Session, point: Point) -> Result<Outcome, OperationError> {
    let seen = session.observe(&ObserveOptions::default()).await?;
    let mut under: Vec<_> = seen.marks.iter().filter(|mark| mark.frame.contains(point)).collect();
    // the innermost is what a touch there means
    under.sort_by(|a, b| a.frame.area().total_cmp(&b.frame.area()));
    let mut lines: Vec<String> = under.iter().map(|mark| line(mark, true)).collect();
    if lines.is_empty() {
        lines.push(format!("nothing is at {}, {}", point.x, point.y));
    }
    Ok(Outcome::new(lines.join("\n"), json!({"x": point.x, "y": point.y, "marks": under})))
}

impl Find {
    async fn run(self, session: &Session) -> Result<Outcome, OperationError> {
        let label =
            self.label.ok_or_else(|| OperationError::invalid("find takes what it says: find Sign In"))?;
        let role = self.role.map(|name| target::role("role", &name)).transpose()?;
        let seen = session.observe(&ObserveOptions::default()).await?;
        let found = fitting(&seen, &label, role);
        if found.is_empty() {
            let closest = closest_labels(&seen, &label);
            let message = format!("“{}” is not on the screen", clean(&label, 80));
            let error = OperationError::new(ErrorCode::TargetNotFound, message);
            let hint = match closest.as_slice() {
                [] => "scroll to it: scroll to <label>".to_owned(),
                closest => format!("closest are {}", closest.join(", ")),
            };
            return Err(error.with_hint(hint).with_detail("closest", closest));
        }
        let lines: Vec<String> = found.iter().map(|mark| line(mark, true)).collect();
        Ok(Outcome::new(lines.join("\n"), json!({"marks": found})))
    }
}
