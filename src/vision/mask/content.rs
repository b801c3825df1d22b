//! Text that reads as a time, a date or a number. Uses nothing of this crate.

use std::str::FromStr;

use regex::{Regex, RegexBuilder};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A pattern that compiles to more is refused.
const MAX_PATTERN_BYTES: usize = 1 << 20;

/// Kinds of content that may change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ContentKind {
    Time,
    Date,
    Number,
}

impl ContentKind {
    pub const ALL: [Self; 3] = [Self::Time, Self::Date, Self::Number];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Time => "time",
            Self::Date => "date",
            Self::Number => "number",
        }
    }

    fn is_in(self, text: &str) -> bool {
        match self {
            Self::Time => words(text).any(is_time),
            Self::Date => is_date(text),
            Self::Number => text.chars().any(char::is_numeric),
        }
    }
}

/// Lines of text that read as one kind of content, or only those of them that match a pattern too.
#[derive(Clone, Debug, PartialEq)]
pub struct Content {
    pub kind: ContentKind,
    pub matching: Option<Pattern>,
}

impl Content {
    pub fn of(kind: ContentKind) -> Self {
        Self { kind, matching: None }
    }

    /// Whether a line of text holds such content.
    pub fn is_in(&self, text: &str) -> bool {
        self.kind.is_in(text) && self.matching.as_ref().is_none_or(|pattern| pattern.0.is_match(text))
    }
}

/// A regular expression; matches anywhere in a line unless it is anchored.
#[derive(Clone, Debug)]
pub struct Pattern(Regex);

impl Pattern {
    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }
}

impl PartialEq for Pattern {
    fn eq(&self, other: &Self) -> bool {
        self.as_str() == other.as_str()
    }
}

/// Why a text is no pattern.
#[derive(Clone, Debug, thiserror::Error, PartialEq, Eq)]
#[error("`{pattern}` is no pattern: {why}")]
pub struct BadPattern {
    pattern: String,
    why: String,
}

impl FromStr for Pattern {
    type Err = BadPattern;

    fn from_str(text: &str) -> Result<Self, BadPattern> {
        let regex = RegexBuilder::new(text).size_limit(MAX_PATTERN_BYTES).build();
        regex.map(Self).map_err(|e| {
            // the last line of a syntax error says what is wrong, those before draw where
            let why = e.to_string().lines().last().unwrap_or_default().to_owned();
            BadPattern { pattern: text.to_owned(), why }
        })
    }
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split_whitespace().map(|word| word.trim_matches(|c: char| ",;.!?()[]".contains(c)))
}

/// `9:41`, `21.07`, `09:41:30`, `9:41AM`, `10h30`.
fn is_time(word: &str) -> bool {
    let word = word.trim_end_matches(|c: char| c.is_alphabetic());
    let parts: Vec<&str> = word.split([':', 'h']).collect();
    let number =
        |part: &str, most: u32| (1..=2).contains(&part.len()) && part.parse::<u32>().is_ok_and(|n| n <= most);
    match parts[..] {
        [hours, minutes] => number(hours, 24) && minutes.len() == 2 && number(minutes, 59),
        [hours, minutes, seconds] => {
            number(hours, 24)
                && minutes.len() == 2
                && number(minutes, 59)
                && seconds.len() == 2
                && number(seconds, 59)
        }
        _ => false,
    }
}

/// `2026-12-01`, `1/12/26`, `01.12.2026`, and a day with the name of a month in English or Spanish; weekdays and
/// `today`, `yesterday`, `tomorrow`.
fn is_date(text: &str) -> bool {
    const MONTHS: [&str; 24] = [
        "january",
        "february",
        "march",
        "april",
        "may",
        "june",
        "july",
        "august",
        "september",
        "october",
        "november",
        "december",
        "enero",
        "febrero",
        "marzo",
        "abril",
        "mayo",
        "junio",
        "julio",
        "agosto",
        "septiembre",
        "octubre",
        "noviembre",
        "diciembre",
    ];
    const DAYS: [&str; 17] = [
        "monday",
        "tuesday",
        "wednesday",
        "thursday",
        "friday",
        "saturday",
        "sunday",
        "lunes",
        "martes",
        "miércoles",
        "jueves",
        "viernes",
        "sábado",
        "domingo",
        "today",
        "yesterday",
        "tomorrow",
    ];
    let text = text.to_lowercase();
    let names = |known: &[&str], word: &str| {
        let word = word.trim_end_matches('.');
        known.iter().any(|name| *name == word || (word.chars().count() == 3 && name.starts_with(word)))
    };
    let month = words(&text).any(|word| names(&MONTHS, word));
    let day = words(&text).any(|word| names(&DAYS, word));
    let digits = text.bytes().any(|b| b.is_ascii_digit());
    day || (month && digits) || words(&text).any(is_numeric_date)
}

fn is_numeric_date(word: &str) -> bool {
    ['-', '/', '.'].into_iter().any(|between| {
        let parts: Vec<&str> = word.split(between).collect();
        let numbers = parts.iter().all(|p| !p.is_empty() && p.bytes().all(|b| b.is_ascii_digit()));
        let lengths: Vec<usize> = parts.iter().map(|p| p.len()).collect();
        numbers && matches!(lengths[..], [4, 1..=2, 1..=2] | [1..=2, 1..=2, 2 | 4])
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_dates_and_numbers_are_known() {
        for text in ["9:41", "Updated at 21:07.", "09:41:30", "9:41AM", "(10:30)", "10h30"] {
            assert!(ContentKind::Time.is_in(text), "{text}");
        }
        for text in ["2026-12-01", "1/12/26", "Dec 1, 2026", "1 de diciembre", "Yesterday", "Mon 9:41"] {
            assert!(ContentKind::Date.is_in(text), "{text}");
        }
        assert!(ContentKind::Number.is_in("€12.50"));
    }

    #[test]
    fn other_text_is_none_of_them() {
        for text in ["4:3", "99:99", "Ratio 16:9 x", "Sign In", "1:234"] {
            assert!(!ContentKind::Time.is_in(text), "{text}");
        }
        for text in ["May I help", "Version 1.2.3.4", "€12.50", "12-34"] {
            assert!(!ContentKind::Date.is_in(text), "{text}");
        }
        assert!(!ContentKind::Number.is_in("Total"));
    }

    #[test]
    fn a_pattern_narrows_a_kind_and_one_that_is_none_is_refused() {
        let prices = Content { kind: ContentKind::Number, matching: r"^\$\d+\.\d\d$".parse().ok() };
        assert!(prices.is_in("$3.40") && !prices.is_in("3 items") && !prices.is_in("Total $3.40"));
        for wrong in ["(", "[a-", r"\p{nose}", "a{1000000}{1000000}"] {
            let refused = wrong.parse::<Pattern>().unwrap_err().to_string();
            assert!(refused.contains("is no pattern") && !refused.contains('\n'), "{refused}");
        }
    }
}
