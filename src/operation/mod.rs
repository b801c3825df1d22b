//! One enum of everything a user can ask for: parse, dispatch, outcome. Uses `replay` and below.
//!
//! Tools, commands and sentences are three ways into it. An operation's arguments are one typed struct; the schema made
//! from that struct is what is published and what is enforced. One table, in `catalog`, names them all.

pub mod action;
mod allow;
pub mod arguments;
pub mod call;
pub mod catalog;
pub mod completion;
pub mod consent;
pub mod context;
pub mod crashes;
pub mod diagnostics;
pub mod effect;
pub mod error;
pub mod instruct;
pub mod journey;
pub mod lifecycle;
pub mod lint;
pub mod logs;
pub mod measure;
pub mod migrate;
pub mod observation;
pub mod outcome;
pub mod permissions;
pub mod prompt;
pub mod record;
pub mod replay;
pub mod resource;
pub mod schema;
pub mod target;
mod verdict;
pub mod watch;

use std::time::Duration;

use crate::act::Target;
use crate::policy::Mode;

pub use call::Call;
pub use catalog::{Descriptor, Hints, Operation};
pub use context::Context;
pub use error::OperationError;
pub use outcome::{Outcome, Picture};
pub use verdict::verdict;

/// What every operation's arguments can do.
pub(crate) trait Run: Sized + Send {
    /// How long it may take before the caller is told that it takes too long.
    fn deadline(&self) -> Duration {
        Duration::from_secs(60)
    }

    /// Whether the policy lets these arguments be, as far as they say what would be done: devices, apps, addresses,
    /// folders. Nothing is done here; what only the screen can tell is asked while it runs.
    ///
    /// # Errors
    /// It does not.
    fn permitted(&self, _: &Context) -> Result<(), OperationError> {
        Ok(())
    }

    /// What it taps: a label may have to be confirmed.
    ///
    /// # Errors
    /// A target that is none.
    fn tapped(&self) -> Result<Vec<Target>, OperationError> {
        Ok(Vec::new())
    }

    /// The mode that these arguments need, where it is more than their tool needs at least.
    fn needs(&self) -> Mode {
        Mode::Observe
    }

    fn run(
        self,
        context: &Context,
        call: &Call,
    ) -> impl Future<Output = Result<Outcome, OperationError>> + Send;
}
