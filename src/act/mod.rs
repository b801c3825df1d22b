//! Target → resolve → validate against the last observation → dispatch → settle. Uses `observe` and below.

pub mod action;
pub mod outcome;

pub use action::{Action, Target};
pub use outcome::{ActOutcome, Effect, ResolvedTarget, TargetForm};
