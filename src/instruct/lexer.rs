//! Text to tokens, each with its place in the text.

use serde::{Deserialize, Serialize};

use crate::instruct::error::InstructError;

/// Bytes of the text, from and to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Span {
    pub start: usize,
    pub end: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Word,
    /// Between quotes: taken as it stands.
    Quoted,
    Comma,
    Colon,
    /// The end of a sentence: a full stop, a semicolon, or a new line.
    Stop,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Token {
    pub kind: Kind,
    pub span: Span,
    /// What is meant: a word as written, or what stands between quotes.
    pub text: String,
    /// Small letters without accents, for words.
    pub folded: String,
}

impl Token {
    pub fn is_word(&self) -> bool {
        self.kind == Kind::Word
    }

    /// Whether it was written in small letters: a label's own words often are not.
    pub fn is_small(&self) -> bool {
        self.is_word() && !self.text.chars().any(char::is_uppercase)
    }
}

const QUOTES: [(char, char); 6] = [('"', '"'), ('\'', '\''), ('“', '”'), ('‘', '’'), ('«', '»'), ('`', '`')];

/// # Errors
/// A quotation that doesn't end.
pub fn tokens(text: &str) -> Result<Vec<Token>, InstructError> {
    let mut tokens: Vec<Token> = Vec::new();
    let mut at = 0;
    let mut is_line_start = true;
    while let Some(c) = text[at..].chars().next() {
        if c == '\n' {
            push(&mut tokens, Kind::Stop, at, at + 1, "\n");
            (at, is_line_start) = (at + 1, true);
        } else if c.is_whitespace() {
            at += c.len_utf8();
        } else if let Some(after) = is_line_start.then(|| after_bullet(text, at)).flatten() {
            at = after;
            is_line_start = false;
        } else if is_line_start && c == '#' && text[at + 1..].starts_with([' ', '#', '!']) {
            at = text[at..].find('\n').map_or(text.len(), |i| at + i);
        } else {
            is_line_start = false;
            at = match QUOTES.iter().find(|(open, _)| *open == c) {
                Some((_, close)) => quoted(text, at, *close, &mut tokens)?,
                None => word(text, at, &mut tokens),
            };
        }
    }
    Ok(tokens)
}

/// Past `1.`, `2)`, `-`, `*` or `•` at the start of a line.
fn after_bullet(text: &str, at: usize) -> Option<usize> {
    let rest = &text[at..];
    let digits = rest.chars().take_while(char::is_ascii_digit).count();
    let mark = if digits > 0 && digits <= 3 {
        rest[digits..].starts_with(['.', ')']).then_some(digits + 1)?
    } else {
        rest.chars().next().filter(|c| "-*•".contains(*c))?.len_utf8()
    };
    rest[mark..].starts_with(char::is_whitespace).then_some(at + mark)
}

fn quoted(text: &str, at: usize, close: char, tokens: &mut Vec<Token>) -> Result<usize, InstructError> {
    let opening = text[at..].chars().next().map_or(1, char::len_utf8);
    let mut meant = String::new();
    let mut chars = text[at + opening..].char_indices();
    while let Some((i, c)) = chars.next() {
        if c == close {
            let end = at + opening + i + c.len_utf8();
            push(tokens, Kind::Quoted, at, end, &meant);
            return Ok(end);
        }
        match (c, chars.clone().next()) {
            ('\\', Some((_, 'n'))) => meant.push('\n'),
            ('\\', Some((_, next))) if next == close || next == '\\' => meant.push(next),
            _ => {
                meant.push(c);
                continue;
            }
        }
        chars.next();
    }
    let span = Span { start: at, end: at + opening };
    Err(InstructError::at(text, span, format!("this quotation doesn't end: a {close} is missing")))
}

/// A run up to white space, its punctuation at the end apart.
fn word(text: &str, at: usize, tokens: &mut Vec<Token>) -> usize {
    let end = text[at..].find(char::is_whitespace).map_or(text.len(), |i| at + i);
    // (100, 200)
    let start = if text[at..end].starts_with('(') { at + 1 } else { at };
    let mut inner = end;
    let mut marks = Vec::new();
    while let Some(c) = text[start..inner].chars().next_back() {
        let kind = match c {
            ',' => Some(Kind::Comma),
            ';' => Some(Kind::Stop),
            ':' => Some(Kind::Colon),
            '.' if !text[start..inner].ends_with("..") => Some(Kind::Stop),
            ')' if start > at || text[start..inner - 1].ends_with(|c: char| c.is_ascii_digit()) => None,
            _ => break,
        };
        inner -= c.len_utf8();
        marks.extend(kind.map(|kind| (kind, inner, c)));
    }
    if inner > start {
        push(tokens, Kind::Word, start, inner, &text[start..inner]);
    }
    for (kind, place, c) in marks.into_iter().rev() {
        push(tokens, kind, place, place + c.len_utf8(), &c.to_string());
    }
    end
}

fn push(tokens: &mut Vec<Token>, kind: Kind, start: usize, end: usize, text: &str) {
    let folded = match kind {
        Kind::Quoted => String::new(),
        _ => fold(text),
    };
    tokens.push(Token { kind, span: Span { start, end }, text: text.to_owned(), folded });
}

/// Small letters without the accents of Spanish.
pub fn fold(text: &str) -> String {
    let plain = |c| match c {
        'á' | 'à' => 'a',
        'é' | 'è' => 'e',
        'í' => 'i',
        'ó' => 'o',
        'ú' | 'ü' => 'u',
        '’' => '\'',
        c => c,
    };
    text.chars().filter(|c| !"¿¡?!".contains(*c)).flat_map(char::to_lowercase).map(plain).collect()
}

/// Parts like `"Sign In"` or `Sign In` of the text, as they were written.
pub fn written(text: &str, tokens: &[Token]) -> String {
    match (tokens.first(), tokens.last()) {
        (Some(first), Some(last)) => text[first.span.start..last.span.end].to_owned(),
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(text: &str) -> Vec<String> {
        tokens(text).unwrap().into_iter().map(|t| t.text).collect()
    }

    #[test]
    fn words_quotations_and_punctuation_come_apart() {
        assert_eq!(texts("tap \"Sign In\", now."), ["tap", "Sign In", ",", "now", "."]);
        assert_eq!(texts("1. tap A\n2) tap B\n- tap C"), ["tap", "A", "\n", "tap", "B", "\n", "tap", "C"]);
        assert_eq!(texts("open https://x.y/a,b?c=1."), ["open", "https://x.y/a,b?c=1", "."]);
        assert_eq!(texts("tap (100, 200.5) then #12"), ["tap", "100", ",", "200.5", "then", "#12"]);
        assert_eq!(texts("# a comment\ndon't «a b»"), ["\n", "don't", "a b"]);
        assert_eq!(texts(r#"type "say \"hi\"\n""#), ["type", "say \"hi\"\n"]);
        assert_eq!(texts("tap Load…"), ["tap", "Load…"]);
    }

    #[test]
    fn a_quotation_that_does_not_end_is_pointed_at() {
        let error = tokens("tap \"Sign In").unwrap_err();
        assert_eq!(error.pointed(), "tap \"Sign In\n    ^");
    }
}
