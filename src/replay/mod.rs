//! The replay runner and its gates; reporters apart. Uses `session` and below.

mod aim;
pub mod events;
mod evidence;
mod expected;
mod gate;
mod locate;
mod options;
pub mod outcome;
mod patch;
mod proposals;
mod reached;
pub mod report;
mod run;
mod runner;
pub mod selection;
mod stage;
mod start;
mod waiting;
mod words;

pub use locate::in_words;
pub use options::{OnDrift, ReplayOptions};
pub use proposals::proposals;
pub use reached::reached;
pub use run::{RunOptions, run};
pub use runner::{Attempt, Runner};
pub use stage::{Refusal, Stage};
pub use words::describe;
