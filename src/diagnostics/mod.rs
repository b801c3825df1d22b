//! What is asked of the set-up, and of how an app fares. Uses `session` and below.

pub mod alerts;
pub mod baseline;
pub mod crash_report;
pub mod doctor;
pub mod hardware;
mod mac;
pub mod perf;
