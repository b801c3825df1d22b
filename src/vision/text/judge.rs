//! Is it text, and can it be believed? What the networks read is taken, cleaned, or refused.
//!
//! A script that the models don't know is not guessed: there they are unsure, disagree, or see nothing.

use super::ctc::Reading;
use super::ink::Strip;

/// What a strip says.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Recognised {
    Text {
        text: String,
        confidence: f32,
    },
    /// Text in a script that can't be read.
    Unread {
        confidence: f32,
    },
    /// A picture that the detector took for text.
    Nothing,
}

/// Least mean probability of a line, and of one with enough characters to tell.
const LEAST: f32 = 0.60;
const LEAST_LONG: f32 = 0.88;
/// The same for few characters that foreign writing or drawings pass for.
const LEAST_ODD: f32 = 0.93;
/// The same where both networks read, and not the same.
const LEAST_APART: f32 = 0.85;
const LONG: usize = 5;
/// Two networks that disagree must be surer than this.
const LEAST_DISPUTED: f32 = 0.95;
/// A single character has nothing beside it that speaks for it.
const LEAST_SINGLE: f32 = 0.75;
/// What is written alone; any other single sign is an icon.
const SINGLE_SIGNS: &str = "+-−–×÷=%#*?!$€£¥&@.,/";
/// Unread ink that is not this many times as wide as high is a picture.
const WORD_SHAPE: f32 = 1.7;
/// Nor is ink of fewer pixels in height writing.
const LOWEST: u32 = 5;
/// How sure it is that ink of this shape is text all the same.
const UNREAD: f32 = 0.6;
/// Steps of the networks are this wide, in heights of the crop.
const STEP: f32 = 8.0 / 48.0;

pub(super) fn judge(strip: &Strip, quick: Option<Reading>, careful: Option<Reading>) -> Recognised {
    if let Some(dots) = strip.dots {
        return Recognised::Text { text: "•".repeat(dots), confidence: 0.95 };
    }
    let (reading, other) = match (careful, quick) {
        (Some(careful), quick) => (careful, quick),
        (None, Some(quick)) => (quick, None),
        (None, None) => return Recognised::Nothing,
    };
    let text = cleaned(&spaced(&reading, strip));
    let letters = text.chars().filter(|c| !c.is_whitespace()).count();
    let confidence = reading.mean;
    if letters == 1 {
        return single(text, confidence, other);
    }
    let other = other.map(|other| cleaned(&other.text));
    let apart = other.as_ref().is_some_and(|other| *other != text);
    let disputed = other.is_some_and(|other| disagree(&text, &other));
    // a foreign word passes for digits among letters
    let mixed = text.chars().any(|c| c.is_ascii_digit()) && text.chars().any(char::is_alphabetic);
    // and any drawing resembles some sign of thousands
    let wide = !text.chars().all(latin);
    let odd = mixed || wide;
    let believed = letters > 0
        && confidence
            >= if letters >= LONG {
                LEAST_LONG
            } else if odd {
                LEAST_ODD
            } else {
                LEAST
            }
        && (!apart || confidence >= LEAST_APART)
        && (!disputed || confidence >= LEAST_DISPUTED);
    if believed {
        Recognised::Text { text, confidence }
    } else if strip.rect.height >= LOWEST && strip.rect.width as f32 >= strip.rect.height as f32 * WORD_SHAPE
    {
        Recognised::Unread { confidence: UNREAD }
    } else {
        Recognised::Nothing
    }
}

fn single(text: String, confidence: f32, other: Option<Reading>) -> Recognised {
    let agreed = other.is_none_or(|o| cleaned(&o.text) == text);
    let written = |c: char| c.is_alphanumeric() || SINGLE_SIGNS.contains(c);
    if text.chars().all(written) && (confidence >= LEAST_SINGLE || agreed && confidence >= LEAST) {
        Recognised::Text { text, confidence }
    } else {
        Recognised::Nothing
    }
}

/// More than half of the longer text would have to be written anew.
fn disagree(a: &str, b: &str) -> bool {
    let longer = a.chars().count().max(b.chars().count());
    strsim::levenshtein(a, b) * 2 > longer
}

/// Spaces that the network left out although the ink has a gap between words there.
fn spaced(reading: &Reading, strip: &Strip) -> String {
    let step = strip.crop.height as f32 * STEP;
    let place = |i: usize| strip.crop.x as f32 + (reading.steps[i] as f32 + 0.5) * step;
    let characters: Vec<char> = reading.text.chars().collect();
    let mut text = String::with_capacity(reading.text.len() + 4);
    for (i, &c) in characters.iter().enumerate() {
        if i > 0
            && !c.is_whitespace()
            && !characters[i - 1].is_whitespace()
            && latin(c)
            && latin(characters[i - 1])
        {
            let between = |&gap: &u32| place(i - 1) + step * 0.5 < gap as f32 && (gap as f32) < place(i);
            if strip.gaps.iter().any(between) {
                text.push(' ');
            }
        }
        text.push(c);
    }
    text
}

/// Scripts that part words by spaces, as far as the models know them.
fn latin(c: char) -> bool {
    c < '\u{2e80}'
}

/// One way to write what looks alike; no spaces at the ends or twice.
fn cleaned(text: &str) -> String {
    let wide = text
        .chars()
        .any(|c| c > '\u{2e80}' && c.is_alphabetic() && !(('\u{ff01}'..='\u{ff5e}').contains(&c)));
    let mut plain = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\u{ff01}'..='\u{ff5e}' if !wide => plain.extend(char::from_u32(c as u32 - 0xfee0)),
            '℃' => plain.push_str("°C"),
            '℉' => plain.push_str("°F"),
            '∙' | '⋅' => plain.push('·'),
            _ => plain.push(c),
        }
    }
    plain.replace("°°", "°").split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::PixelRect;

    fn strip(width: u32) -> Strip {
        let rect = PixelRect::new(0, 0, width, 48);
        Strip { rect, crop: rect, ink: [0; 3], ground: [255; 3], gaps: Vec::new(), caret: None, dots: None }
    }

    fn reading(text: &str, mean: f32) -> Option<Reading> {
        let steps = (0..text.chars().count()).map(|i| i * 2).collect();
        Some(Reading { text: text.into(), mean, least: mean, steps })
    }

    fn text(text: &str, confidence: f32) -> Recognised {
        Recognised::Text { text: text.into(), confidence }
    }

    #[test]
    fn what_two_networks_guess_differently_is_unread() {
        let judged = judge(&strip(400), reading("Pueμíσεlç", 0.73), reading("Pυθμσει", 0.91));
        assert!(matches!(judged, Recognised::Unread { .. }));
        assert!(matches!(
            judge(&strip(400), reading("Jlel loo", 0.79), reading("", 0.0)),
            Recognised::Unread { .. }
        ));
        assert_eq!(judge(&strip(400), reading("tódż", 0.77), reading("Łódź", 0.87)), text("Łódź", 0.87));
    }

    #[test]
    fn short_words_are_believed_less_where_they_are_odd() {
        let unread = |quick, careful| matches!(judge(&strip(150), quick, careful), Recognised::Unread { .. });
        assert!(unread(reading("7V9", 0.81), reading("7V9", 0.81)));
        assert!(unread(reading("äeUl", 0.66), reading("äėUI", 0.68)));
        assert_eq!(judge(&strip(150), reading("4K", 0.97), None), text("4K", 0.97));
        assert_eq!(judge(&strip(150), reading("Zoé", 0.8), reading("Zoé", 0.8)), text("Zoé", 0.8));
    }

    #[test]
    fn a_single_sign_is_an_icon_unless_it_is_written_alone() {
        assert_eq!(judge(&strip(40), reading("√", 0.93), reading("L", 0.32)), Recognised::Nothing);
        assert_eq!(judge(&strip(40), reading("7", 0.99), None), text("7", 0.99));
        assert_eq!(judge(&strip(40), reading("+", 0.99), None), text("+", 0.99));
    }

    #[test]
    fn a_gap_in_the_ink_is_a_space() {
        let strip = Strip { gaps: vec![35], ..strip(200) };
        // steps of 8 pixels: characters at 4, 20, 36, 52
        let read = Reading { text: "ab12".into(), mean: 0.99, least: 0.99, steps: vec![0, 2, 5, 6] };
        assert_eq!(judge(&strip, Some(read), None), text("ab 12", 0.99));
    }

    #[test]
    fn a_row_of_dots_is_a_hidden_password() {
        let strip = Strip { dots: Some(6), ..strip(200) };
        assert_eq!(judge(&strip, None, None), text("••••••", 0.95));
    }
}
