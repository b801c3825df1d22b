//! Whether a session may do an act: how old it is, where an address leads, whether a tap has to be confirmed.
//! Uses `policy`, `act`, `session`.

use sha2::{Digest, Sha256};

use crate::act::{Action, Target, resolve};
use crate::device::DeviceKind;
use crate::frame::hex;
use crate::mark::{Mark, smallest_at};
use crate::observe::{Observation, ObserveOptions};
use crate::operation::{Call, Context, OperationError};
use crate::policy::{PendingTap, Policy};
use crate::recording::Recording;
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
        Action::OpenUrl { url } => return Ok(context.policy.admit_address(url)?),
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
    if !context.policy.asks_for(mark.role, &mark.label, is_real) {
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
/// The policy keeps this recording's device or app from being used.
pub(super) fn replay(policy: &Policy, recording: &Recording) -> Result<(), OperationError> {
    policy.admit_device(&recording.device.selector)?;
    if let Some(app) = &recording.app {
        policy.admit_app(app)?;
    }
    Ok(())
}
