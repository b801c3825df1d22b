//! Reporters: each shows the same events to somebody else. Uses `events` and the outcome's types.

mod html;
mod json_lines;
mod junit;
mod terminal;

pub use html::Html;
pub use json_lines::JsonLines;
pub use junit::JUnit;
pub use terminal::Terminal;

/// Text for XML and HTML: what can't stand in it at all is left out.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\n' => out.push_str("&#10;"),
            '\t' => out.push('\t'),
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => {}
            c => out.push(c),
        }
    }
    out
}
