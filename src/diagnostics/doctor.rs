//! Checks of what simdrive needs on this machine, each with what to do where it isn't so.

use std::path::Path;
use std::time::Instant;

use serde::Serialize;

use super::mac;
use crate::device::Selector;
use crate::session::open::open;
use crate::vision::text::TextModels;

/// How a check came out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum State {
    Ok,
    /// Something that is only needed for some devices is missing.
    Warn,
    Fail,
}

/// One thing that was looked at.
#[derive(Clone, Debug, Serialize)]
pub struct Check {
    pub name: &'static str,
    pub state: State,
    pub detail: String,
    /// A command, or what to change.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fix: Option<String>,
}

impl Check {
    pub(super) fn ok(name: &'static str, detail: impl Into<String>) -> Self {
        Self { name, state: State::Ok, detail: detail.into(), fix: None }
    }

    pub(super) fn not(
        name: &'static str,
        state: State,
        detail: impl Into<String>,
        fix: impl Into<String>,
    ) -> Self {
        Self { name, state, detail: detail.into(), fix: Some(fix.into()) }
    }
}

/// Looks at everything; `recordings` is where recordings are kept.
pub async fn check(recordings: &Path) -> Vec<Check> {
    let mut checks = vec![embedded_simulator().await, text_models().await, recordings_folder(recordings)];
    checks.extend(mac::checks().await);
    checks
}

/// The embedded simulator starts, and shows its screen.
async fn embedded_simulator() -> Check {
    let name = "simulator";
    let started = Instant::now();
    let shown = async {
        let device = open(&Selector::Embedded { app: "demo".into(), options: String::new() }).await?;
        let shown = device.screenshot().await;
        device.close().await;
        shown
    };
    match shown.await {
        Ok(_) => Check::ok(name, format!("sim:demo opened in {} ms", started.elapsed().as_millis())),
        Err(e) => Check::not(
            name,
            State::Fail,
            e.to_string(),
            "SIMDRIVE_LOG=debug simdrive doctor, and report what it tells",
        ),
    }
}

/// The models that read text load.
async fn text_models() -> Check {
    let name = "text models";
    let started = Instant::now();
    match tokio::task::spawn_blocking(TextModels::shared).await {
        Ok(Ok(_)) => Check::ok(name, format!("loaded in {} ms", started.elapsed().as_millis())),
        Ok(Err(e)) => {
            Check::not(name, State::Fail, e.to_string(), "build simdrive again from a whole checkout")
        }
        Err(e) => Check::not(name, State::Fail, e.to_string(), "report this"),
    }
}

/// Recordings can be written; nothing is left behind.
fn recordings_folder(folder: &Path) -> Check {
    let name = "recordings";
    // the folder is only made when something is recorded; until then what will hold it counts
    let existing = folder.ancestors().find(|f| f.exists()).unwrap_or(folder);
    let probe = existing.join(format!(".simdrive-doctor-{}", std::process::id()));
    match std::fs::write(&probe, b"").and_then(|()| std::fs::remove_file(&probe)) {
        Ok(()) => Check::ok(name, format!("{} can be written", folder.display())),
        Err(e) => Check::not(
            name,
            State::Fail,
            format!("{} can't be written: {e}", folder.display()),
            "choose another folder with --recordings or in simdrive.toml",
        ),
    }
}
