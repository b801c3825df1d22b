//! Text that reads as a time, a date or a number. Uses nothing of this crate.

use super::ContentMask;

impl ContentMask {
    /// Whether a line of text holds content of this kind.
    pub fn is_in(self, text: &str) -> bool {
        match self {
            Self::Time => words(text).any(is_time),
            Self::Date => is_date(text),
            Self::Number => text.chars().any(char::is_numeric),
        }
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
            assert!(ContentMask::Time.is_in(text), "{text}");
        }
        for text in ["2026-12-01", "1/12/26", "Dec 1, 2026", "1 de diciembre", "Yesterday", "Mon 9:41"] {
            assert!(ContentMask::Date.is_in(text), "{text}");
        }
        assert!(ContentMask::Number.is_in("€12.50"));
    }

    #[test]
    fn other_text_is_none_of_them() {
        for text in ["4:3", "99:99", "Ratio 16:9 x", "Sign In", "1:234"] {
            assert!(!ContentMask::Time.is_in(text), "{text}");
        }
        for text in ["May I help", "Version 1.2.3.4", "€12.50", "12-34"] {
            assert!(!ContentMask::Date.is_in(text), "{text}");
        }
        assert!(!ContentMask::Number.is_in("Total"));
    }
}
