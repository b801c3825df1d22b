//! The messages and services of the wire, generated from `proto/`. Uses nothing of this crate.

/// The idb companion's protocol.
#[allow(clippy::all, missing_docs, non_camel_case_types)]
pub mod companion {
    tonic::include_proto!("idb");
}

/// What the embedded simulator offers beyond it.
#[allow(clippy::all, missing_docs, non_camel_case_types)]
pub mod control {
    tonic::include_proto!("simdrive");
}

/// The most a companion accepts in one message; clients send data in chunks of 4 MiB.
pub const COMPANION_MESSAGE_LIMIT: usize = 16 << 20;
/// The most a client accepts: the screenshot of a large tablet passes the usual limits.
pub const CLIENT_MESSAGE_LIMIT: usize = 128 << 20;
