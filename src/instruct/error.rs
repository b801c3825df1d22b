//! What isn't understood, and where: the line, a caret under the word, and the nearest known forms.

use crate::instruct::lexer::Span;

/// A text that is no plan.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{message}")]
pub struct InstructError {
    pub message: String,
    /// Bytes of the text.
    pub span: Span,
    /// Known forms that come closest, best first.
    pub closest: Vec<String>,
    line: String,
    /// From 1.
    pub line_number: usize,
    /// Characters into the line, from 0.
    column: usize,
    width: usize,
}

impl InstructError {
    pub fn at(text: &str, span: Span, message: impl Into<String>) -> Self {
        let start = span.start.min(text.len());
        let line_start = text[..start].rfind('\n').map_or(0, |i| i + 1);
        let line_end = text[start..].find('\n').map_or(text.len(), |i| start + i);
        let end = span.end.clamp(start, line_end);
        Self {
            message: message.into(),
            span,
            closest: Vec::new(),
            line: text[line_start..line_end].trim_end().replace('\t', " "),
            line_number: text[..start].matches('\n').count() + 1,
            column: text[line_start..start].chars().count(),
            width: text[start..end].chars().count().max(1),
        }
    }

    pub fn with_closest(mut self, closest: Vec<String>) -> Self {
        self.closest = closest;
        self
    }

    /// How far into the text all was understood.
    pub fn reached(&self) -> usize {
        self.span.start
    }

    /// The line, with a caret under what is meant.
    pub fn pointed(&self) -> String {
        // only what is around the place, where the line is long
        let skipped = self.column.saturating_sub(60);
        let shown: String = self.line.chars().skip(skipped).take(120).collect();
        let width = self.width.min(120 - (self.column - skipped));
        format!("{shown}\n{}{}", " ".repeat(self.column - skipped), "^".repeat(width.max(1)))
    }
}
