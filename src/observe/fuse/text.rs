//! How texts are compared: folded, and with a little tolerance for what was read from pixels.
//! Uses nothing of this crate.

/// Lower case, spaces and typographic variants made one: what two spellings of one label share.
pub fn fold(text: &str) -> String {
    let mut folded = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        if !folded.is_empty() {
            folded.push(' ');
        }
        for c in word.chars() {
            match c {
                '…' => folded.push_str("..."),
                '‘' | '’' | 'ʼ' | '`' => folded.push('\''),
                '“' | '”' | '„' => folded.push('"'),
                '–' | '—' | '−' | '‑' => folded.push('-'),
                '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}' => {}
                c => folded.extend(c.to_lowercase()),
            }
        }
    }
    folded
}

/// How many characters of a label of this length may be misread: one in six, at most three.
pub fn allowed_misreadings(label: &str) -> usize {
    (label.chars().count() / 6).min(3)
}

/// Whether two folded texts are one up to a few misread letters. Digits are never forgiven: a price that differs
/// is another price.
pub fn reads_like(a: &str, b: &str) -> bool {
    if a == b {
        return true;
    }
    let allowed = allowed_misreadings(a).min(allowed_misreadings(b));
    allowed > 0
        && digits(a).eq(digits(b))
        && a.len().abs_diff(b.len()) <= 4 * allowed
        && strsim::osa_distance(a, b) <= allowed
}

fn digits(text: &str) -> impl Iterator<Item = char> {
    text.chars().filter(char::is_ascii_digit)
}

/// A label without the icon before it, where that was read as a sign: `! Add to Cart`. What signs mean something stay.
pub fn without_icon(label: &str) -> &str {
    let Some((sign, rest)) = label.split_once(' ') else { return label };
    let mut signs = sign.chars();
    match (signs.next(), signs.next()) {
        (Some(c), None) if !c.is_alphanumeric() && !is_currency(c) && !MEANT.contains(c) => rest.trim_start(),
        _ => label,
    }
}

/// Signs that stand alone before words and are meant.
const MEANT: &str = "+-–−#&@~≈±";

fn is_currency(c: char) -> bool {
    matches!(c, '$' | '¢' | '£' | '¥' | '\u{20a0}'..='\u{20cf}')
}

/// Whether a read label is this one with up to two characters before it, as an icon is read; both folded.
pub fn is_behind_an_icon(read: &str, label: &str) -> bool {
    read.strip_suffix(label)
        .and_then(|icon| icon.strip_suffix(' '))
        .is_some_and(|icon| (1..=2).contains(&icon.chars().count()))
}

/// Whether `part` stands in `whole` at word boundaries; both folded.
pub fn contains_words(whole: &str, part: &str) -> bool {
    !part.is_empty()
        && whole.match_indices(part).any(|(at, found)| {
            let outside = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric());
            outside(whole[..at].chars().next_back()) && outside(whole[at + found.len()..].chars().next())
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_icon_that_was_read_as_a_sign_is_no_part_of_a_label() {
        for (read, label) in [
            ("! Add to Cart", "Add to Cart"),
            ("• Privacy", "Privacy"),
            ("+ New", "+ New"),
            ("$ 12", "$ 12"),
            ("€ 12", "€ 12"),
            ("A Team", "A Team"),
            ("5 items", "5 items"),
            ("!", "!"),
            ("Wait !", "Wait !"),
        ] {
            assert_eq!(without_icon(read), label);
        }
        assert!(is_behind_an_icon("8 settings", "settings"));
        assert!(
            !is_behind_an_icon("my settings and", "settings") && !is_behind_an_icon("settings", "settings")
        );
        assert!(!is_behind_an_icon("other settings", "settings"));
    }

    #[test]
    fn a_digit_is_never_forgiven_and_a_letter_is() {
        assert!(reads_like(&fold("Add to cart"), &fold("Add to carl")));
        assert!(!reads_like(&fold("Total 19.99 EUR"), &fold("Total 19.98 EUR")));
        assert!(!reads_like("save", "safe"));
    }

    #[test]
    fn folding_makes_typographic_variants_one() {
        assert_eq!(fold("  Don’t\u{200b}  Allow…"), fold("don't allow..."));
    }

    #[test]
    fn words_are_found_whole() {
        assert!(contains_words("wi-fi, home", "home"));
        assert!(!contains_words("continued", "continue"));
    }
}
