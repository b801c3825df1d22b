//! Asking about the set-up, and about the apps of a device.

use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use crate::code::ErrorCode;
use crate::device::AppInfo;
use crate::device::process::Command;
use crate::diagnostics::doctor::{self, State};
use crate::diagnostics::hardware;
use crate::operation::lifecycle::choose;
use crate::operation::{Call, Context, OperationError, Outcome, Run};

#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct Doctor {
    /// Also tries everything on the device that runs
    hardware: Option<bool>,
}

impl Run for Doctor {
    fn deadline(&self) -> Duration {
        Duration::from_secs(240)
    }

    async fn run(self, context: &Context, _: &Call) -> Result<Outcome, OperationError> {
        let mut checks = doctor::check(context.store.root()).await;
        if self.hardware.unwrap_or(false) {
            let (selector, _) = choose(context.device.as_deref(), true, context).await?;
            let selector = context.selector(&selector)?;
            checks.extend(hardware::check(&selector).await);
        }
        let worst = |state| checks.iter().any(|c| c.state == state);
        let lines = checks.iter().map(|check| {
            let state = match check.state {
                State::Ok => "ok  ",
                State::Warn => "warn",
                State::Fail => "fail",
            };
            let fix = check.fix.as_ref().map_or_else(String::new, |fix| format!("\n     fix: {fix}"));
            format!("{state} {}: {}{fix}", check.name, check.detail)
        });
        let text = lines.collect::<Vec<_>>().join("\n");
        let failed = worst(State::Fail);
        let facts = json!({"ok": !failed, "checks": checks});
        Ok(Outcome { failed, ..Outcome::new(text, facts) })
    }
}

#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct Version {}

impl Run for Version {
    async fn run(self, _: &Context, _: &Call) -> Result<Outcome, OperationError> {
        let version = env!("CARGO_PKG_VERSION");
        let system = format!("{}-{}", std::env::consts::OS, std::env::consts::ARCH);
        let on_disk = on_disk().await;
        let mut text = format!("simdrive {version} on {system}");
        match on_disk.as_deref() {
            Some(other) if other != version => {
                text += &format!("\non disk is {other}: start the server again to run it");
            }
            _ => {}
        }
        Ok(Outcome::new(text, json!({"simdrive": version, "on_disk": on_disk, "system": system})))
    }
}

/// The version of the program that would be started now, where this one came from.
async fn on_disk() -> Option<String> {
    let program = std::env::current_exe().ok()?;
    let asked = Command::new(program.display().to_string()).arguments(["--version"]);
    let finished = asked.run(Duration::from_secs(5)).await.ok()?;
    finished.text().trim().strip_prefix("simdrive ").map(str::to_owned)
}

#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct Apps {
    session: Option<String>,
}

impl Run for Apps {
    async fn run(self, context: &Context, _: &Call) -> Result<Outcome, OperationError> {
        let (_, session) = context.sessions.get(self.session.as_deref())?;
        let apps = session.hold().await?.apps().await?;
        let text = apps.iter().map(app_line).collect::<Vec<_>>().join("\n");
        Ok(Outcome::new(text, json!({"apps": apps})))
    }
}

fn app_line(app: &AppInfo) -> String {
    let state = match (app.running, app.pid) {
        (Some(true), Some(pid)) => format!("running, pid {pid}"),
        (Some(true), None) => "running".to_owned(),
        (Some(false), _) => "not running".to_owned(),
        (None, _) => "state unknown".to_owned(),
    };
    format!("{}  {}  {state}  {}", app.bundle_id, app.name, app.install_type)
}

#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct AppState {
    session: Option<String>,
    /// Bundle id; default the session's app
    app: Option<String>,
}

impl Run for AppState {
    async fn run(self, context: &Context, _: &Call) -> Result<Outcome, OperationError> {
        let (_, session) = context.sessions.get(self.session.as_deref())?;
        let app = self.app.or_else(|| session.app().map(|app| app.bundle_id.clone()));
        let app = app.ok_or_else(|| OperationError::invalid("this session started no app: pass `app`"))?;
        let apps = session.hold().await?.apps().await?;
        let Some(info) = apps.iter().find(|info| info.bundle_id == app) else {
            let installed: Vec<&str> = apps.iter().map(|info| info.bundle_id.as_str()).collect();
            let error = OperationError::new(ErrorCode::AppNotInstalled, format!("`{app}` is not installed"));
            return Err(error.with_hint(format!("installed are {}", installed.join(", "))));
        };
        let front = session.last().and_then(|seen| seen.app.clone());
        let in_front = front.as_ref().and_then(|front| front.bundle_id.as_ref()).map(|id| *id == app);
        let crash =
            session.status().crash.filter(|_| session.app().is_some_and(|ours| ours.bundle_id == app));
        let mut text = app_line(info);
        match in_front {
            Some(true) => text += "  in front",
            Some(false) => text += "  not in front",
            None => {}
        }
        if let Some(report) = &crash {
            text += &format!("\ncrashed:\n{report}");
        }
        Ok(Outcome::new(text, json!({"app": info, "in_front": in_front, "crash": crash})))
    }
}
