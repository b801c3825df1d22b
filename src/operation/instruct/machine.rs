//! Commands for simulators of this Mac, and for what is installed on a device. Uses `device::mac`, `session`.

use std::path::{Path, PathBuf};

use serde_json::json;

use crate::code::ErrorCode;
use crate::device::simctl::Simulator;
use crate::device::{Selector, mac};
use crate::operation::{Context, OperationError, Outcome, allow};
use crate::session::Session;

pub async fn boot(context: &Context, device: &str) -> Result<Outcome, OperationError> {
    let name = simulator(context, Some(device.to_owned()), None)?;
    Ok(told("is booted", &mac::boot(&name).await?))
}

pub async fn shut_down(
    context: &Context,
    device: Option<String>,
    session: Option<&str>,
) -> Result<Outcome, OperationError> {
    let name = simulator(context, device, session)?;
    let found = mac::find(&name).await?;
    let drives = |(_, session): &(String, std::sync::Arc<Session>)| matches!(session.description().selector.parse(), Ok(Selector::Mac { name, .. }) if name == found.udid);
    if let Some((id, _)) = context.sessions.of_everyone().iter().find(|open| drives(open)) {
        let message = format!("session {id} drives {}", found.name);
        return Err(OperationError::new(ErrorCode::DeviceBusy, message)
            .with_hint("end it first: `end the session`, then `shut down` with the name of the simulator"));
    }
    Ok(told("is shut down", &mac::shut_down(&found.udid).await?))
}

pub async fn focus(
    context: &Context,
    device: Option<String>,
    session: Option<&str>,
) -> Result<Outcome, OperationError> {
    let name = simulator(context, device, session)?;
    Ok(told("is in front", &mac::focus(&name).await?))
}

/// The UDID or name of a simulator of this Mac: the one that is named, or that of the session.
fn simulator(
    context: &Context,
    device: Option<String>,
    session: Option<&str>,
) -> Result<String, OperationError> {
    let named = match device {
        Some(device) => device,
        None => context.sessions.get(session)?.1.description().selector.clone(),
    };
    allow::device(context, &named)?;
    match named.parse()? {
        Selector::Mac { name, .. } => Ok(name),
        other => {
            let message = format!("{other} is no simulator of this Mac");
            Err(OperationError::new(ErrorCode::UnsupportedOnTarget, message).with_hint(
                "name one by its UDID or name; an embedded simulator lives as long as its session",
            ))
        }
    }
}

fn told(what: &str, simulator: &Simulator) -> Outcome {
    let Simulator { udid, name, .. } = simulator;
    Outcome::new(format!("{name} ({udid}) {what}"), json!({"udid": udid, "name": name}))
}

pub async fn install(context: &Context, session: &Session, path: &Path) -> Result<Outcome, OperationError> {
    let path = present(context, path)?;
    let app = session.hold().await?.install(&path).await?;
    Ok(Outcome::new(format!("{app} is installed"), json!({"app": app, "path": path})))
}

pub async fn uninstall(context: &Context, session: &Session, app: String) -> Result<Outcome, OperationError> {
    context.policy.admit_app(&app)?;
    session.hold().await?.uninstall(&app).await?;
    Ok(Outcome::new(format!("{app} is uninstalled"), json!({"app": app})))
}

pub async fn add_media(context: &Context, session: &Session, file: &Path) -> Result<Outcome, OperationError> {
    let file = present(context, file)?;
    session.hold().await?.add_media(&file).await?;
    Ok(Outcome::new(format!("{} is in the photo library", file.display()), json!({"path": file})))
}

pub async fn update_contacts(
    context: &Context,
    session: &Session,
    source: &Path,
) -> Result<Outcome, OperationError> {
    let source = present(context, source)?;
    session.hold().await?.update_contacts(&source).await?;
    let told = format!("the contacts are those of {}", source.display());
    Ok(Outcome::new(told, json!({"path": source})))
}

/// The whole path of what is to go to a device.
fn present(context: &Context, path: &Path) -> Result<PathBuf, OperationError> {
    context.policy.admit_path(path)?;
    let whole = std::path::absolute(path).ok().filter(|path| path.exists());
    whole.ok_or_else(|| OperationError::invalid(format!("there is nothing at {}", path.display())))
}
