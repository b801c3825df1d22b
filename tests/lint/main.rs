//! Recordings kept healthy: what lint finds, what it fixes, and how recordings are trimmed, renamed and deleted.

mod base;
mod command;
mod edit;
mod faults;
mod fix;
