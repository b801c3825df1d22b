//! USB HID usages of the keyboard page, as a US keyboard types them.

use crate::sim::process::Edit;

pub const MODIFIERS: std::ops::RangeInclusive<u16> = 224..=231;
pub const TAB: u16 = 43;
pub const ESCAPE: u16 = 41;

/// Modifiers that are held.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Held {
    pub shift: bool,
    pub command: bool,
    pub caps_lock: bool,
}

/// Digits and signs by usage, plain and with shift, from usage 30.
const DIGITS: [(char, char); 10] = [
    ('1', '!'),
    ('2', '@'),
    ('3', '#'),
    ('4', '$'),
    ('5', '%'),
    ('6', '^'),
    ('7', '&'),
    ('8', '*'),
    ('9', '('),
    ('0', ')'),
];

/// From usage 44 (space); 50 is the non-US variant of 49.
const SIGNS: [(char, char); 13] = [
    (' ', ' '),
    ('-', '_'),
    ('=', '+'),
    ('[', '{'),
    (']', '}'),
    ('\\', '|'),
    ('#', '~'),
    (';', ':'),
    ('\'', '"'),
    ('`', '~'),
    (',', '<'),
    ('.', '>'),
    ('/', '?'),
];

/// The character a usage types.
pub fn character(usage: u16, held: Held) -> Option<char> {
    let (plain, shifted) = match usage {
        4..=29 => {
            let letter = char::from(b'a' + u8::try_from(usage - 4).ok()?);
            let upper = held.shift != held.caps_lock;
            return Some(if upper { letter.to_ascii_uppercase() } else { letter });
        }
        30..=39 => DIGITS[usize::from(usage - 30)],
        44..=56 => SIGNS[usize::from(usage - 44)],
        // the keypad
        84 => ('/', '/'),
        85 => ('*', '*'),
        86 => ('-', '-'),
        87 => ('+', '+'),
        89..=97 => {
            let digit = char::from(b'1' + u8::try_from(usage - 89).ok()?);
            (digit, digit)
        }
        98 => ('0', '0'),
        99 => ('.', '.'),
        _ => return None,
    };
    Some(if held.shift { shifted } else { plain })
}

/// What a usage does to a focused field.
pub fn edit(usage: u16, held: Held) -> Option<Edit> {
    if held.command {
        return match character(usage, Held::default()) {
            Some('a') => Some(Edit::SelectAll),
            Some('c') => Some(Edit::Copy),
            Some('v') => Some(Edit::Paste),
            Some('x') => Some(Edit::Cut),
            _ if usage == 80 => Some(Edit::Home),
            _ if usage == 79 => Some(Edit::End),
            _ => None,
        };
    }
    match usage {
        40 | 88 => Some(Edit::Return),
        42 => Some(Edit::Delete),
        74 => Some(Edit::Home),
        76 => Some(Edit::DeleteForward),
        77 => Some(Edit::End),
        79 => Some(Edit::Right),
        80 => Some(Edit::Left),
        _ => character(usage, held).map(|c| Edit::Insert(c.to_string())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_type_what_a_us_keyboard_types() {
        let (plain, shift) = (Held::default(), Held { shift: true, ..Held::default() });
        assert_eq!(character(4, plain), Some('a'));
        assert_eq!(character(4, shift), Some('A'));
        assert_eq!(character(31, shift), Some('@'));
        assert_eq!(character(55, plain), Some('.'));
        assert_eq!(character(45, plain), Some('-'));
        assert_eq!(character(56, shift), Some('?'));
        assert_eq!(character(224, plain), None);
    }

    #[test]
    fn command_selects_and_pastes() {
        let command = Held { command: true, ..Held::default() };
        assert_eq!(edit(4, command), Some(Edit::SelectAll));
        assert_eq!(edit(25, command), Some(Edit::Paste));
        assert_eq!(edit(20, command), None);
    }
}
