//! Asks the policy what an operation would need: devices and the files their names name, recordings, the age of a
//! session. Uses `policy`, `session`.

use std::path::PathBuf;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use crate::device::Selector;
use crate::operation::{Context, OperationError};
use crate::recording::Loaded;
use crate::session::Session;

/// # Errors
/// The session is older than it may be.
pub(super) fn age(context: &Context, session: &Session) -> Result<(), OperationError> {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Ok(context.policy.admit_age(now.saturating_sub(Duration::from_secs(session.started())))?)
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
