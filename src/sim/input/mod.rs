//! From fingers and keys to what they do. Uses `layout`, `process` and the simulator itself.

mod gesture;
pub mod hid;
mod touch;

pub use gesture::Gesture;
pub use touch::element_at;
