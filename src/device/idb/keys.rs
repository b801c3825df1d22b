//! USB HID usage codes of a US keyboard: which keys type a character. Uses nothing of this crate.

pub const RETURN: u16 = 40;
pub const ESCAPE: u16 = 41;
pub const BACKSPACE: u16 = 42;
pub const TAB: u16 = 43;
pub const SPACE: u16 = 44;
pub const RIGHT: u16 = 79;
pub const LEFT: u16 = 80;
pub const DOWN: u16 = 81;
pub const UP: u16 = 82;
pub const CONTROL: u16 = 224;
pub const SHIFT: u16 = 225;
pub const OPTION: u16 = 226;
pub const COMMAND: u16 = 227;

/// The key of the letter V, for pasting.
pub const V: u16 = 25;

/// One press that types one character.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeyPress {
    pub usage: u16,
    pub shift: bool,
}

/// Keys whose character is no letter or digit: usage code, plain, with shift.
const SYMBOLS: [(u16, char, char); 11] = [
    (45, '-', '_'),
    (46, '=', '+'),
    (47, '[', '{'),
    (48, ']', '}'),
    (49, '\\', '|'),
    (51, ';', ':'),
    (52, '\'', '"'),
    (53, '`', '~'),
    (54, ',', '<'),
    (55, '.', '>'),
    (56, '/', '?'),
];

/// What stands over the digits 1 to 9 and 0, which are the codes 30 to 39.
const OVER_DIGITS: &str = "!@#$%^&*()";
const DIGITS: &str = "1234567890";

/// The press that types a character: printable ASCII and newline, 96 in all; `None` for any other.
pub fn press_for(character: char) -> Option<KeyPress> {
    let press = |usage, shift| Some(KeyPress { usage, shift });
    match character {
        'a'..='z' => press(4 + (character as u16 - 'a' as u16), false),
        'A'..='Z' => press(4 + (character as u16 - 'A' as u16), true),
        '\n' => press(RETURN, false),
        ' ' => press(SPACE, false),
        _ => {
            let in_row = |row: &str| (30..).zip(row.chars()).find(|&(_, c)| c == character).map(|(u, _)| u);
            if let Some(usage) = in_row(DIGITS) {
                return press(usage, false);
            }
            if let Some(usage) = in_row(OVER_DIGITS) {
                return press(usage, true);
            }
            SYMBOLS.iter().find_map(|&(usage, plain, shifted)| match character {
                c if c == plain => press(usage, false),
                c if c == shifted => press(usage, true),
                _ => None,
            })
        }
    }
}

/// The character that a press types; the other way round of [`press_for`].
pub fn character_of(press: KeyPress) -> Option<char> {
    (' '..='~').chain(['\n']).find(|&c| press_for(c) == Some(press))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exactly_ninety_six_characters_can_be_typed() {
        let typed: Vec<char> = ('\0'..='\u{2fff}').filter(|&c| press_for(c).is_some()).collect();
        assert_eq!(typed.len(), 96);
        assert!(typed.iter().all(|&c| c == '\n' || (' '..='~').contains(&c)));
    }

    #[test]
    fn every_press_types_one_character_only() {
        for c in (' '..='~').chain(['\n']) {
            assert_eq!(character_of(press_for(c).unwrap()), Some(c));
        }
        assert_eq!(press_for('!'), Some(KeyPress { usage: 30, shift: true }));
        assert_eq!(press_for(')'), Some(KeyPress { usage: 39, shift: true }));
    }
}
