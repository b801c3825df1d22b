//! A simulator behind an idb companion, whether on a Mac or embedded. Uses `device` and the types.
//!
//! The companion's gRPC protocol is the same on both; what it lacks (appearance, pasteboard, reset) goes to
//! the embedded simulator's own control service where that is offered.

mod accessibility;
mod address_book;
mod client;
pub mod command;
pub mod companion_process;
mod device;
mod endpoint;
pub mod hid;
pub mod keys;
pub(crate) mod link;
pub mod protocol;

pub use client::IdbDevice;
pub use companion_process::CompanionProcess;
pub use endpoint::Endpoint;
