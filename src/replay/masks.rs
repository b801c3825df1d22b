//! From masks to the places they cover on one screen. Uses `observe`, `vision` masks.

use crate::geometry::{PixelRect, Rect, Screen};
use crate::mark::Mark;
use crate::observe::{Observation, contains_words, fold};
use crate::vision::mask::{ContentMask, Mask, NamedMask};

use super::options::MaskOptions;

/// Points that a caret or an indicator may be wider than it was seen.
const MARGIN: f64 = 1.0;
const DEFAULT: [NamedMask; 3] = [NamedMask::StatusBar, NamedMask::Caret, NamedMask::HomeIndicator];

/// What is left out on this screen, in pixels. A thing that is not there masks nothing.
pub fn places(asked: &[&[Mask]], options: &MaskOptions, seen: &Observation) -> Vec<PixelRect> {
    let defaults = DEFAULT.into_iter().filter(|_| options.default).map(Mask::Named);
    let all = asked.iter().flat_map(|masks| masks.iter()).chain(&options.more).cloned().chain(defaults);
    let moving = seen.furniture.moving.iter().copied().filter(|_| options.default);
    let rects: Vec<Rect> = all.flat_map(|mask| covered(&mask, seen)).chain(moving).collect();
    pixels(&rects, &seen.screen)
}

fn covered(mask: &Mask, seen: &Observation) -> Vec<Rect> {
    let marks =
        |fits: &dyn Fn(&Mark) -> bool| seen.marks.iter().filter(|m| fits(m)).map(|m| m.frame).collect();
    match mask {
        Mask::Named(named) => thing(*named, seen).into_iter().collect(),
        Mask::Label(label) => {
            let label = fold(label);
            marks(&|m| {
                let own = fold(&m.label);
                own == label || contains_words(&own, &label)
            })
        }
        Mask::Role(role) => marks(&|m| m.role == *role),
        Mask::Content(content) => marks(&|m| {
            holds(*content, &m.label) || m.value.as_deref().is_some_and(|value| holds(*content, value))
        }),
        Mask::Rect(rect) => vec![*rect],
    }
}

fn thing(named: NamedMask, seen: &Observation) -> Option<Rect> {
    let furniture = &seen.furniture;
    let wider =
        |r: Rect| Rect::new(r.x - MARGIN, r.y - MARGIN, r.width + 2.0 * MARGIN, r.height + 2.0 * MARGIN);
    match named {
        NamedMask::StatusBar => furniture.status_bar,
        NamedMask::HomeIndicator => furniture.home_indicator.map(wider),
        NamedMask::Caret => furniture.caret.map(wider),
        NamedMask::Keyboard => seen.keyboard.as_ref().map(|k| k.frame),
        // a settled screen shows none: they fade once the content rests
        NamedMask::ScrollIndicator => None,
    }
}

fn pixels(rects: &[Rect], screen: &Screen) -> Vec<PixelRect> {
    let mut places: Vec<PixelRect> = rects.iter().filter_map(|rect| screen.to_pixels(*rect)).collect();
    places.sort_by_key(|p| (p.y, p.x, p.height, p.width));
    places.dedup();
    places
}

/// Whether a text holds a time, a date or a number.
fn holds(content: ContentMask, text: &str) -> bool {
    match content {
        ContentMask::Number => text.chars().any(|c| c.is_numeric()),
        ContentMask::Time => text.split_whitespace().any(is_time),
        ContentMask::Date => is_date(text),
    }
}

/// `9:41`, `09:41:07`, `9:41am`.
fn is_time(word: &str) -> bool {
    let word = word.trim_matches(|c: char| !c.is_ascii_alphanumeric());
    let word = word.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let parts: Vec<&str> = word.split(':').collect();
    let two_digits = |part: &&str| part.len() == 2 && part.parse::<u32>().is_ok_and(|n| n <= 59);
    let hour = parts[0].len() <= 2 && parts[0].parse::<u32>().is_ok_and(|n| n <= 24);
    hour && (2..=3).contains(&parts.len()) && parts[1..].iter().all(two_digits)
}

/// `2026-11-30`, `30.11.2026`, `11/30/26`, or a month's name beside a number.
fn is_date(text: &str) -> bool {
    const MONTHS: [&str; 12] =
        ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
    let numeric = |word: &str| {
        let parts: Vec<&str> =
            word.trim_matches(|c: char| !c.is_ascii_digit()).split(['-', '/', '.']).collect();
        parts.len() == 3 && parts.iter().all(|p| matches!(p.len(), 1..=4) && p.parse::<u32>().is_ok())
    };
    let words: Vec<String> = text.split([' ', ',']).map(str::to_lowercase).collect();
    let month = words.iter().any(|w| w.len() >= 3 && MONTHS.iter().any(|m| w.starts_with(m)));
    words.iter().any(|w| numeric(w)) || (month && text.chars().any(|c| c.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recording::samples::{mark, screen};
    use crate::role::Role;

    #[test]
    fn content_is_told_apart() {
        for (text, time, date, number) in [
            ("9:41", true, false, true),
            ("Updated 09:41:07.", true, false, true),
            ("30.11.2026", false, true, true),
            ("Nov 30, 2026", false, true, true),
            ("$12.00", false, false, true),
            ("Version 99.99", false, false, true),
            ("Sign In", false, false, false),
        ] {
            let found = [ContentMask::Time, ContentMask::Date, ContentMask::Number].map(|c| holds(c, text));
            assert_eq!(found, [time, date, number], "{text}");
        }
    }

    #[test]
    fn masks_cover_what_they_name_where_it_is() {
        let balance = mark(1, Role::Text, "Balance: $5", Rect::new(2.0, 10.0, 10.0, 4.0));
        let button = mark(2, Role::Button, "Pay", Rect::new(2.0, 20.0, 10.0, 4.0));
        let mut seen = (*screen(1, vec![balance, button])).clone();
        seen.furniture.status_bar = Some(Rect::new(0.0, 0.0, 30.0, 5.0));
        let none = MaskOptions { default: false, more: Vec::new() };
        assert_eq!(
            places(&[&[Mask::Label("balance".into())]], &none, &seen),
            [PixelRect::new(6, 30, 30, 12)]
        );
        assert_eq!(places(&[&[Mask::Role(Role::Button)]], &none, &seen), [PixelRect::new(6, 60, 30, 12)]);
        assert_eq!(places(&[], &MaskOptions::default(), &seen), [PixelRect::new(0, 0, 90, 15)]);
        assert_eq!(places(&[], &none, &seen), []);
    }
}
