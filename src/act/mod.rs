//! Target → resolve → validate against the last observation → dispatch → settle. Uses `observe` and below.

pub mod action;
mod aim;
mod consent;
mod cover;
mod error;
mod gesture;
mod hands;
pub mod outcome;
mod resolve;
mod swiping;
mod touching;
mod typing;
mod wait;

pub use action::{Action, Target};
pub use consent::Consent;
pub use cover::Cover;
pub use error::ActError;
pub use hands::Hands;
pub use outcome::{ActOutcome, Effect, ResolvedTarget, TargetForm};
pub use resolve::{Found, Miss, closest_labels, describe, fitting, resolve};
pub use wait::Wait;

#[cfg(test)]
pub(crate) mod stage;
#[cfg(test)]
mod tests;
