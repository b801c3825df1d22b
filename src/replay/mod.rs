//! The replay runner and its gates; reporters apart. Uses `session` and below.

pub mod events;
mod gate;
mod locate;
mod options;
pub mod outcome;
mod patch;
mod pictures;
pub mod report;
mod run;
mod runner;
pub mod selection;
mod stage;
mod start;
mod words;

pub use options::{OnDrift, ReplayOptions};
pub use run::{RunOptions, run};
pub use runner::{Attempt, Runner};
pub use stage::{Refusal, Stage};
