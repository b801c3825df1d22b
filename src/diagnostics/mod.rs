//! What is asked of the set-up itself rather than of a device. Uses `session` and below.

pub mod doctor;
