//! Capture, vision and accessibility become an [`Observation`] of marks. Uses `vision`, `device` and the types.

pub mod observation;

pub use observation::{Observation, ObservationId};
