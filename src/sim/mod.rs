//! The embedded simulator: app scenes, renderer, touch and keys, idb companion server.
//! Used by the device opener and the CLI only, through the companion protocol. Uses the types and the device types.
//!
//! [`simulator::Simulator`] is the whole of it without a protocol: a device whose time is virtual, so that
//! the same options and the same events at the same times always give the same pixels.

pub mod app;
pub mod companion;
pub mod error;
#[cfg(test)]
mod gallery;
mod input;
mod layout;
mod measure;
mod motion;
pub mod options;
mod process;
pub mod profiles;
pub mod records;
mod render;
mod services;
pub mod simulator;
mod system;
#[cfg(test)]
mod tests;
mod view;

pub use error::SimError;
pub use options::{Clock, SimulatorOptions};
pub use simulator::Simulator;
