//! The font that letters of our own are drawn with, once in the program. Uses nothing of this crate.

/// Inter, regular; `fixtures/fonts/NOTICE.md` gives its source and licence.
pub static REGULAR: &[u8] = include_bytes!("../fixtures/fonts/Inter-Regular.otf");
