//! Text detection and recognition. Uses the types only.
//!
//! [`TextReader::read`] finds boxes (`detect`), makes them tight and parts them (`ink`, `order`), reads them
//! (`recognise`, `ctc`, `judge`) with [`TextModels`], and looks only at what changed (`changes`, `cache`).

mod badge;
mod bands;
mod cache;
mod caret;
mod changes;
mod ctc;
mod detect;
mod ink;
mod judge;
mod line;
mod models;
mod ocrs;
mod order;
mod pixels;
mod reader;
mod recognise;
#[cfg(test)]
mod small_models;

pub use line::TextLine;
pub use models::{TextError, TextModels};
pub use reader::{Reading, TextReader};
