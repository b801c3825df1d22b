//! Asks the policy what an operation would need: devices and the files their names name, recordings, the age of a
//! session, and whether a tap has to be confirmed.
//! Uses `policy`, `act`, `session`.

use std::path::PathBuf;

use sha2::{Digest, Sha256};

use crate::act::{Action, Target, resolve};
use crate::device::{DeviceKind, Selector};
use crate::frame::hex;
use crate::mark::{Mark, smallest_at};
use crate::observe::{Observation, ObserveOptions};
use crate::operation::{Call, Context, OperationError};
use crate::policy::PendingTap;
use crate::recording::Loaded;
use crate::session::Session;

/// # Errors
/// The policy refuses; nothing was touched.
pub(super) async fn act(
    context: &Context,
    call: &Call,
    id: &str,
    session: &Session,
    action: &Action,
    token: Option<&str>,
) -> Result<(), OperationError> {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    call.audit.session(id);
    context.policy.admit_age(now.saturating_sub(std::time::Duration::from_secs(session.started())))?;
    let (tool, target) = match action {
        Action::Tap { target, .. } => ("tap", target),
        Action::TapAndWaitKeyboard { target, .. } => ("tap_and_wait_keyboard", target),
        _ => return Ok(()),
    };
    let seen = match session.last() {
        Some(seen) => seen,
        None => session.observe(&ObserveOptions::default()).await?,
    };
    // what can't be resolved is refused by the act itself, with all that is known about it
    let Some(mark) = meant(target, &seen) else { return Ok(()) };
    call.audit.target(&mark, &seen);
    let is_real = session.description().kind != DeviceKind::Simulator;
    if context.policy.asks_for(mark.role, &mark.label, is_real).is_none() {
        return Ok(());
    }
    let tap = PendingTap {
        tool,
        session: id.to_owned(),
        arguments: format!("{action:?}"),
        role: mark.role,
        label: mark.label,
        screen: short(&seen),
    };
    Ok(context.policy.confirm(tap, token)?)
}

/// The mark that a target is, or that lies at it.
fn meant(target: &Target, seen: &Observation) -> Option<Mark> {
    if let Target::Point(point) = target {
        return smallest_at(&seen.marks, *point).cloned();
    }
    resolve(target, seen).ok().map(|found| found.mark)
}

/// What stands on a screen, in short; a clock that ticks changes nothing, as it is no mark of the app.
fn short(seen: &Observation) -> String {
    let mut ids: Vec<&str> = seen.marks.iter().map(|mark| mark.stable_id.0.as_str()).collect();
    ids.sort_unstable();
    hex(&Sha256::digest(ids.join(" "))[..8])
}

/// # Errors
/// The policy keeps this device from being used, or the files that its name names from being read: an app of the
/// embedded simulator, the capabilities of a session.
pub(super) fn device(context: &Context, named: &str) -> Result<(), OperationError> {
    context.policy.admit_device(named)?;
    // what is no selector is refused as such
    let named = named.parse::<Selector>().ok();
    let file = named.as_ref().and_then(Selector::file);
    file.map_or(Ok(()), |file| Ok(context.policy.admit_path(file)?))
}

/// # Errors
/// A recording of this name would lie outside of the folders that may be used.
pub(super) fn named(context: &Context, name: &str) -> Result<(), OperationError> {
    // what is no name is refused as such
    context.store.folder(name).map_or(Ok(()), |folder| Ok(context.policy.admit_path(&folder)?))
}

/// # Errors
/// The name or path of a recording leads out of the folders that may be used.
pub(super) fn recording(context: &Context, name_or_path: &str) -> Result<(), OperationError> {
    let path = match name_or_path.contains(['/', '\\']) {
        true => PathBuf::from(name_or_path),
        false => context.store.root().join(name_or_path),
    };
    Ok(context.policy.admit_path(&path)?)
}

/// # Errors
/// The policy keeps this recording's device or app from being used.
pub(super) fn replay(context: &Context, loaded: &Loaded) -> Result<(), OperationError> {
    let Loaded { recording, .. } = loaded;
    device(context, &recording.device.selector)?;
    recording.app.as_ref().map_or(Ok(()), |app| Ok(context.policy.admit_app(app)?))
}
