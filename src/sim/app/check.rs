//! What the types can't say: names of screens, states and fields must exist.

use super::screen::App;

pub(super) struct Fault {
    pub line: u64,
    pub column: u64,
    pub message: String,
}

pub(super) fn check(_app: &App) -> Result<(), Fault> {
    Ok(())
}
