//! Reporters: each shows the same events to somebody else. Uses `events` and the outcome's types.

mod json_lines;
mod junit;
mod terminal;

pub use json_lines::JsonLines;
pub use junit::JUnit;
pub use terminal::Terminal;
