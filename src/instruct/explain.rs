//! Why a text is no plan: which word is pointed at, and which forms are offered. Uses the grammar's parser.

use crate::instruct::error::InstructError;
use crate::instruct::grammar::{CLOSEST, Parser};
use crate::instruct::lexer::{Kind, Span, Token, written};
use crate::instruct::pattern::Farthest;

impl Parser<'_> {
    pub(super) fn error(&self, at: usize, message: impl Into<String>) -> InstructError {
        InstructError::at(self.text, self.span(at), message)
    }

    fn span(&self, at: usize) -> Span {
        let end = Span { start: self.text.trim_end().len(), end: self.text.trim_end().len() };
        self.tokens.get(at).map_or(end, |token| token.span)
    }

    /// Points at the first word that fits nothing, and says what would have.
    pub(super) fn not_known(&self, at: usize, farthest: Farthest, forms: &[String]) -> InstructError {
        let place = farthest.at.max(at);
        let token = self.tokens.get(place).filter(|token| token.kind != Kind::Stop);
        let wanted: Vec<String> = farthest.wanted.into_iter().take(4).collect();
        let message = match token {
            Some(token) if place == at => format!("`{}` is no command", self.word(token)),
            None if place == at => "a command is missing here".to_owned(),
            Some(token) if token.kind == Kind::Comma => {
                "a text with a comma is written in quotes; a step after a comma begins with a command"
                    .to_owned()
            }
            Some(token) => format!("`{}` is not expected here{}", self.word(token), or_wanted(&wanted)),
            None => format!("something is missing here{}", or_wanted(&wanted)),
        };
        let closest = match token {
            Some(token) if place == at && !self.lexicon.is_verb(&token.folded) => {
                self.nearest_forms(&token.folded)
            }
            _ => forms.iter().take(CLOSEST).cloned().collect(),
        };
        self.error(place, message).with_closest(closest)
    }

    /// One form of each of the verbs nearest to a word.
    fn nearest_forms(&self, word: &str) -> Vec<String> {
        let verbs = self.lexicon.nearest_verbs(word).into_iter();
        verbs.filter_map(|verb| self.lexicon.forms_of(verb).into_iter().next()).take(CLOSEST).collect()
    }

    /// The words after an if, up to the next verb, are no condition.
    pub(super) fn no_condition(&self, at: usize, end: usize) -> InstructError {
        let is_step = |i: &usize| self.tokens[*i].kind == Kind::Comma || self.begins_step(*i, true);
        let end = (at + 1..end).find(is_step).unwrap_or(end);
        let said = self.tokens.get(at..end).unwrap_or_default();
        let message = match said {
            [] => "a condition is missing here".to_owned(),
            said => format!("`{}` is no condition", written(self.text, said)),
        };
        let span = match (said.first(), said.last()) {
            (Some(first), Some(last)) => Span { start: first.span.start, end: last.span.end },
            _ => self.span(at),
        };
        let known = self.lexicon.condition_forms().into_iter().take(CLOSEST).collect();
        InstructError::at(self.text, span, message).with_closest(known)
    }

    fn word(&self, token: &Token) -> &str {
        self.text[token.span.start..token.span.end].trim()
    }
}

fn or_wanted(wanted: &[String]) -> String {
    if wanted.is_empty() { String::new() } else { format!("; {} would be", wanted.join(" or ")) }
}
