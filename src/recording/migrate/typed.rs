//! Where text was typed, and whether it must not be written. Uses `observe`, `secrets`.

use super::aim::{Aimed, at, called};
use super::original::Named;
use crate::geometry::Point;
use crate::mark::Mark;
use crate::observe::{Observation, fold};
use crate::recording::secrets::variable_for;
use crate::recording::{RecordedTarget, Secrets};
use crate::role::Role;

/// Words of a field whose content is nobody's business.
const SECRET_WORDS: &[&str] = &[
    "password",
    "passwort",
    "contraseña",
    "passcode",
    "passphrase",
    "pin",
    "cvc",
    "cvv",
    "secret",
    "token",
    "card number",
    "api key",
    "one-time code",
];
/// What keys and tokens of well-known services begin with.
const TOKEN_STARTS: &[&str] = &["sk-", "sk_", "ghp_", "gho_", "github_pat_", "xox", "AKIA", "eyJ", "glpat-"];

/// The field that a text went into, on the screens before and after.
#[derive(Clone, Debug, Default)]
pub(super) struct Field {
    /// What was touched first, where something was.
    pub aimed: Option<Aimed>,
    before: Option<Mark>,
    after: Option<Mark>,
}

impl Field {
    /// `first` is what the agent named; a number or an id of the original means nothing any more, so then the field
    /// is told by what it holds afterwards.
    pub fn of(
        first: Option<&Named>,
        point: Option<Point>,
        text: &str,
        before: &Observation,
        after: &Observation,
    ) -> Self {
        let aimed = first.and_then(|first| match (&first.text, point) {
            (Some(text), _) => called(before, text, true),
            (None, Some(point)) => Some(at(before, point, None)),
            (None, None) => None,
        });
        let holds = filled(text, before, after);
        let at_place = |mark: &Mark, screen: &Observation| {
            let centre = mark.frame.center();
            screen.marks.iter().find(|m| m.role.is_field() && m.frame.contains(centre)).cloned()
        };
        let named = aimed.as_ref().and_then(|aimed| aimed.mark.clone());
        let in_before = named.or_else(|| holds.and_then(|mark| at_place(mark, before)));
        let in_after = in_before.as_ref().and_then(|mark| at_place(mark, after)).or_else(|| holds.cloned());
        let mut aimed = aimed.or_else(|| {
            first?;
            in_before.as_ref().map(|mark| Aimed::of(mark, before))
        });
        // an empty secure field looks like any other, one that holds something does not
        if in_after.as_ref().is_some_and(|mark| mark.role == Role::SecureField)
            && let Some(RecordedTarget::Mark(mark)) = aimed.as_mut().map(|aimed| &mut aimed.target)
            && mark.role == Some(Role::TextField)
        {
            mark.role = Some(Role::SecureField);
        }
        Self { aimed, before: in_before, after: in_after }
    }

    fn marks(&self) -> impl Iterator<Item = &Mark> {
        self.before.iter().chain(&self.after)
    }

    /// Whether the text must not stand in the recording.
    pub fn keeps_secret(&self, text: &str) -> bool {
        let words = |mark: &Mark| {
            let label = fold(&mark.label);
            SECRET_WORDS.iter().any(|word| crate::observe::contains_words(&label, word))
        };
        self.marks().any(|mark| mark.role == Role::SecureField || words(mark)) || looks_secret(text)
    }

    /// A name for the secret that no other one has; equal values share theirs.
    pub fn name_secret(
        &self,
        value: &str,
        named: &mut Vec<(String, String)>,
        secrets: &mut Secrets,
    ) -> String {
        let name = match named.iter().find(|(_, known)| known == value) {
            Some((name, _)) => name.clone(),
            None => {
                let label = self.marks().find(|mark| !mark.label.is_empty()).map_or("", |mark| &mark.label);
                let base = variable_for(label);
                let numbered = (2..).map(|n| format!("{base}_{n}"));
                let mut names = std::iter::once(base.clone()).chain(numbered);
                let free = names.find(|name| !named.iter().any(|(taken, _)| taken == name));
                free.unwrap_or(base)
            }
        };
        named.push((name.clone(), value.to_owned()));
        secrets.learn_value(&name, value.to_owned());
        self.marks().filter(|mark| mark.role.is_field()).for_each(|mark| secrets.learn_field(mark));
        name
    }
}

/// The field that holds a text, else the one with the caret, else the only one that holds something else than before.
fn filled<'o>(text: &str, before: &Observation, after: &'o Observation) -> Option<&'o Mark> {
    let wanted = fold(text);
    let fields = || after.marks.iter().filter(|m| m.role.is_field());
    let holds = |m: &&Mark| m.value.as_deref().is_some_and(|value| fold(value).contains(&wanted));
    let focused = || after.mark(after.focused?).filter(|m| m.role.is_field());
    let changed = || {
        let was =
            |m: &Mark| before.marks.iter().find(|b| b.role.is_field() && b.frame.contains(m.frame.center()));
        let mut changed = fields().filter(|m| was(m).is_some_and(|was| was.value != m.value));
        changed.next().filter(|_| changed.next().is_none())
    };
    fields().find(holds).or_else(focused).or_else(changed)
}

/// A token, a key, or the number of a card.
fn looks_secret(text: &str) -> bool {
    let text = text.trim();
    let one_word = !text.contains(char::is_whitespace);
    let has = |kind: fn(char) -> bool| text.chars().any(kind);
    let is_token = one_word
        && (TOKEN_STARTS.iter().any(|start| text.starts_with(start) && text.len() >= start.len() + 16)
            || (text.len() >= 32
                && text.chars().all(|c| c.is_ascii_alphanumeric() || "-_=.+/".contains(c))
                && has(|c| c.is_ascii_digit())
                && has(|c| c.is_ascii_alphabetic())));
    is_token || is_card(text)
}

/// 13 to 19 digits whose check digit is right.
fn is_card(text: &str) -> bool {
    let digits: Option<Vec<u32>> =
        text.chars().filter(|c| !matches!(c, ' ' | '-')).map(|c| c.to_digit(10)).collect();
    let Some(digits) = digits.filter(|digits| (13..=19).contains(&digits.len())) else { return false };
    let sum: u32 = digits
        .iter()
        .rev()
        .enumerate()
        .map(|(i, digit)| if i % 2 == 0 { *digit } else { digit * 2 - if *digit > 4 { 9 } else { 0 } })
        .sum();
    sum.is_multiple_of(10) && digits.iter().any(|digit| *digit != 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::Rect;
    use crate::recording::samples::{mark, screen};

    #[test]
    fn keys_cards_and_tokens_look_secret_and_words_do_not() {
        for secret in ["4111 1111 1111 1111", "sk-abcdefghijklmnop1234", "0123456789abcdef0123456789abcdef"] {
            assert!(looks_secret(secret), "{secret}");
        }
        for plain in
            ["Ada", "ada@example.com", "4111 1111 1111 1112", "0000000000000000", "a long search for tea"]
        {
            assert!(!looks_secret(plain), "{plain}");
        }
    }

    #[test]
    fn a_number_of_the_original_is_told_by_what_the_field_holds_afterwards() {
        let field = |value: Option<&str>, role| Mark {
            value: value.map(str::to_owned),
            ..mark(3, role, "Code", Rect::new(0.0, 20.0, 30.0, 10.0))
        };
        let before = screen(1, vec![field(None, Role::TextField)]);
        let after = screen(2, vec![field(Some("••••"), Role::SecureField)]);
        let mut after = (*after).clone();
        after.focused = Some(after.marks[0].id);
        let found = Field::of(Some(&Named::default()), None, "1234", &before, &after);
        assert_eq!(found.aimed.as_ref().unwrap().target.to_string(), "secure_field “Code”");
        assert!(found.keeps_secret("1234"));
        let (mut named, mut secrets) = (Vec::new(), Secrets::default());
        assert_eq!(found.name_secret("1234", &mut named, &mut secrets), "CODE");
        assert_eq!(found.name_secret("1234", &mut named, &mut secrets), "CODE");
        assert_eq!(found.name_secret("5678", &mut named, &mut secrets), "CODE_2");
        assert_eq!(secrets.places(&before).len(), 1);
    }
}
