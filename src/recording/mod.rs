//! The format of recordings, their content-addressed frames, and the store. Uses `act` and below.
//!
//! A recording is a folder made to be read in a pull request: `recording.yaml` and `frames/*.png`
//! (design.md section 6). [`Store`] knows where they are, [`Recorder`] writes one step by step,
//! [`validate`] says whether one can be replayed, [`lint`] whether it is healthy; [`migrate`] brings up what
//! others wrote, [`maestro`] hands on.

mod check;
mod draft;
mod edit;
mod error;
mod format;
mod frames;
pub mod lint;
pub mod maestro;
pub mod migrate;
mod pending;
mod project;
mod recorder;
#[cfg(test)]
pub(crate) mod samples;
mod secrets;
mod step;
mod store;
mod target;
mod validate;
mod variables;
pub(crate) mod yaml;

pub use check::Check;
pub use edit::Trimmed;
pub use error::{Place, RecordingError};
pub use format::{Gap, RecordedDevice, RecordedScreen, Recording, Requires, SCHEMA, Setup};
pub use frames::{FrameFolder, FrameName, painted_over};
pub use pending::{Change, ChangeTo, Pending, Side};
pub use project::Project;
pub use recorder::{Appended, RecordOptions, Recorder, RecordingFacts};
pub use secrets::{Secrets, masks_over};
pub use step::{Step, StepBody};
pub(crate) use store::recordings_under;
pub use store::{Finished, Listed, Loaded, Store};
pub use target::{RecordedMark, RecordedTarget};
pub use validate::{Finding, Validation, validate};
pub use variables::Variables;
pub(crate) use variables::map_texts;

pub type Result<T> = std::result::Result<T, RecordingError>;
