//! A device bound to its last observation, its recorder and its lock. Uses `recording` and below.

pub mod devices;
pub mod open;
