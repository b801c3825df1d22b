//! Text detection and recognition. Uses the types only.

mod line;

pub use line::TextLine;
