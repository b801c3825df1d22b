//! Outcomes and errors as tool results: the picture first, then the text.

use std::fmt::Write;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use rmcp::model::{CallToolResult, ContentBlock};

use crate::operation::{OperationError, Outcome};

/// A result is read by a model: this many characters are about 8,000 tokens.
const MAX_TEXT: usize = 32_000;

pub fn success(outcome: Outcome) -> CallToolResult {
    let mut content = Vec::new();
    if let Some(picture) = &outcome.picture {
        content.push(ContentBlock::image(STANDARD.encode(&picture.bytes), picture.media_type));
    }
    content.push(ContentBlock::text(shortened(outcome.text)));
    if outcome.failed { CallToolResult::error(content) } else { CallToolResult::success(content) }
}

pub fn failure(error: &OperationError) -> CallToolResult {
    CallToolResult::error(vec![ContentBlock::text(shortened(error.to_text()))])
}

/// Cut between two lines, saying what is missing.
fn shortened(text: String) -> String {
    if text.len() <= MAX_TEXT {
        return text;
    }
    let mut kept = String::with_capacity(MAX_TEXT);
    let mut lines = text.lines();
    let mut left_out = 0;
    for line in lines.by_ref() {
        if kept.len() + line.len() + 1 > MAX_TEXT - 40 {
            left_out = 1 + lines.count();
            break;
        }
        kept.push_str(line);
        kept.push('\n');
    }
    // writing to a String can't fail
    let _ = write!(kept, "… {left_out} more lines left out");
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_text_is_cut_between_lines_and_says_so() {
        let text = shortened("é".repeat(99).lines().cycle().take(1_000).collect::<Vec<_>>().join("\n"));
        assert!(text.len() <= MAX_TEXT);
        assert!(text.ends_with("more lines left out"), "{}", &text[text.len() - 60..]);
    }
}
