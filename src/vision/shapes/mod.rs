//! Controls found in pixels, without an accessibility tree. Uses `vision::text` lines and the types.

mod shape;

pub use shape::Shape;
