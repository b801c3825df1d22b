//! Numbers on a screen, by the label that they belong to. Uses `observe`.

use crate::geometry::Rect;
use crate::observe::{Observation, contains_words, fold};

/// The number that a label names: behind it in the same mark, in the mark's value, else in the nearest mark of the
/// same row to the right.
pub(super) fn beside(label: &str, screen: &Observation) -> Option<f64> {
    let label = fold(label);
    let named = screen.marks.iter().filter(|mark| contains_words(&fold(&mark.label), &label));
    named.into_iter().find_map(|mark| {
        let text = fold(&mark.label);
        let behind = text.split_once(&label).map(|(_, behind)| behind).unwrap_or_default();
        first_in(behind).or_else(|| mark.value.as_deref().and_then(first_in)).or_else(|| {
            let mut row: Vec<(f64, f64)> = screen
                .marks
                .iter()
                .filter(|other| other.id != mark.id && is_right_of(&other.frame, &mark.frame))
                .filter_map(|other| {
                    let number = first_in(&other.label).or_else(|| other.value.as_deref().and_then(first_in));
                    Some((other.frame.x, number?))
                })
                .collect();
            row.sort_by(|a, b| a.0.total_cmp(&b.0));
            row.first().map(|(_, number)| *number)
        })
    })
}

fn is_right_of(other: &Rect, of: &Rect) -> bool {
    let middle = other.center().y;
    other.x >= of.center().x && middle >= of.y && middle <= of.bottom()
}

/// The first number of a text: `1,234.50`, `1.234,50`, `-3`, `$3.40`.
pub(super) fn first_in(text: &str) -> Option<f64> {
    let start = text.find(|c: char| c.is_ascii_digit())?;
    let minus = text[..start].trim_end_matches(['$', '€', '£', ' ']).ends_with(['-', '−']);
    let digits: String = text[start..]
        .chars()
        .take_while(|c| c.is_ascii_digit() || ",.' \u{a0}\u{202f}".contains(*c))
        .collect();
    let digits = digits.trim_end_matches(|c: char| !c.is_ascii_digit());
    // a space stands between numbers unless three digits follow it
    let digits = match digits.find(' ') {
        Some(at) if !is_group(&digits[at + 1..]) => &digits[..at],
        _ => digits,
    };
    let point = decimal_point(digits);
    let plain: String = digits
        .char_indices()
        .filter_map(|(at, c)| if Some(at) == point { Some('.') } else { c.is_ascii_digit().then_some(c) })
        .collect();
    plain.parse::<f64>().ok().map(|number| if minus { -number } else { number })
}

fn is_group(rest: &str) -> bool {
    let digits = rest.chars().take_while(char::is_ascii_digit).count();
    digits == 3
}

/// Where the decimals begin. A sign that stands twice, or before exactly three digits as the only one, groups.
fn decimal_point(digits: &str) -> Option<usize> {
    let at = digits.rfind(['.', ','])?;
    let sign = &digits[at..=at];
    let decimals = digits.len() - at - 1;
    let other = digits[..at].contains(['.', ',']);
    let twice = digits.matches(sign).count() > 1;
    // one point alone is decimal also before three digits, one comma is not
    let groups = twice || (sign == "," && decimals == 3 && !other);
    (!groups).then_some(at)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recording::samples::{mark, screen};
    use crate::role::Role;

    #[test]
    fn numbers_are_read_as_people_write_them() {
        for (text, number) in [
            ("Counter: 6", Some(6.0)),
            ("$3.40", Some(3.4)),
            ("3,40 €", Some(3.4)),
            ("1,234.50", Some(1234.5)),
            ("1.234,50 EUR", Some(1234.5)),
            ("1,234", Some(1234.0)),
            ("1 234", Some(1234.0)),
            ("12 of 30", Some(12.0)),
            ("2 1", Some(2.0)),
            ("-3 °C", Some(-3.0)),
            ("−$5", Some(-5.0)),
            ("100%", Some(100.0)),
            ("1.234.567", Some(1_234_567.0)),
            ("none", None),
        ] {
            assert_eq!(first_in(text), number, "{text}");
        }
    }

    #[test]
    fn a_number_is_found_in_its_mark_or_right_of_it() {
        let screen = screen(
            1,
            vec![
                mark(1, Role::Text, "Counter: 6", Rect::new(0.0, 0.0, 50.0, 10.0)),
                mark(2, Role::Text, "Total", Rect::new(0.0, 20.0, 20.0, 10.0)),
                mark(3, Role::Text, "7 items", Rect::new(0.0, 40.0, 20.0, 10.0)),
                mark(4, Role::Text, "$19.99", Rect::new(60.0, 20.0, 20.0, 10.0)),
            ],
        );
        assert_eq!(beside("counter", &screen), Some(6.0));
        assert_eq!(beside("Total", &screen), Some(19.99));
        assert_eq!(beside("items", &screen), None);
    }
}
