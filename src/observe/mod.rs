//! Capture, vision and accessibility become an [`Observation`] of marks. Uses `vision`, `device` and the types.
//!
//! [`Observer`] keeps what one session has seen: it settles, turns upright, asks vision and the tree, brings both
//! together (`fuse`) and gives every mark an identity that lasts (`identity`).

mod changes;
pub mod compact;
mod error;
mod fuse;
mod identity;
mod json;
pub mod observation;
mod observer;
mod options;
mod picture;
mod settle;
mod sight;
mod upright;

pub use changes::{Changes, Snapshot};
pub use compact::View;
pub use error::ObserveError;
pub use fuse::text::{allowed_misreadings, contains_words, fold, reads_like};
pub use observation::{
    Alert, AlertOwner, FrontApp, Furniture, Hidden, KeyPlane, Keyboard, Observation, ObservationId,
    Provenance,
};
pub use observer::{AppInFront, Numbering, Observer};
pub use options::{ObserveOptions, Sources};
pub use picture::observe_image;
pub use settle::Restless;
pub use sight::{ModelVision, Sight, Vision};
