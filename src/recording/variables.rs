//! `${NAME}` in recorded text: values from `--var` or the environment. Uses `act` and errors.

use std::collections::BTreeMap;

use super::{RecordingError, Result};
use crate::act::Action;
use crate::act::action::TypedText;

/// Values for `${NAME}` and for secrets: those given, else the environment's.
#[derive(Clone, Default)]
pub struct Variables {
    given: BTreeMap<String, String>,
}

// values may be secrets: their names are shown, never they
impl std::fmt::Debug for Variables {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_set().entries(self.given.keys()).finish()
    }
}

impl Variables {
    /// Reads `NAME=VALUE` pairs; the first that is none is given back.
    pub fn parse<'a>(pairs: impl IntoIterator<Item = &'a str>) -> std::result::Result<Self, String> {
        let mut given = BTreeMap::new();
        for pair in pairs {
            match pair.split_once('=') {
                Some((name, value)) if is_name(name) => given.insert(name.to_owned(), value.to_owned()),
                _ => return Err(pair.to_owned()),
            };
        }
        Ok(Self { given })
    }

    /// Whether a value was given for it, not merely found in the environment.
    pub fn is_given(&self, name: &str) -> bool {
        self.given.contains_key(name)
    }

    pub fn get(&self, name: &str) -> Option<String> {
        self.given.get(name).cloned().or_else(|| std::env::var(name).ok())
    }

    /// Puts values in; `$${` stands for a literal `${`. `file` is named where a value is missing.
    pub fn expand(&self, text: &str, file: &str) -> Result<String> {
        let mut out = String::with_capacity(text.len());
        for piece in pieces(text) {
            match piece {
                Piece::Literal(literal) => out.push_str(literal),
                Piece::Name(name) => out.push_str(&self.get(name).ok_or_else(|| {
                    RecordingError::VariableUnset { name: name.to_owned(), file: file.to_owned() }
                })?),
            }
        }
        Ok(out)
    }
}

/// Text that [`Variables::expand`] turns back into `text` unchanged.
pub(super) fn escape(text: &str) -> String {
    text.replace("${", "$${")
}

/// The names that a text uses.
pub(super) fn names(text: &str) -> impl Iterator<Item = &str> {
    pieces(text).into_iter().filter_map(|p| match p {
        Piece::Name(name) => Some(name),
        Piece::Literal(_) => None,
    })
}

/// Letters, digits and underscores, no digit first: what environments allow.
pub(super) fn is_name(name: &str) -> bool {
    !name.is_empty()
        && !name.starts_with(|c: char| c.is_ascii_digit())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// The action with every text of it that may hold `${NAME}` put through `f`; labels of targets are left alone.
pub(crate) fn map_texts<T, E>(
    mut action: Action<T>,
    mut f: impl FnMut(String) -> std::result::Result<String, E>,
) -> std::result::Result<Action<T>, E> {
    let text = match &mut action {
        Action::TypeText { text: TypedText::Text(text), .. } => Some(text),
        Action::Swipe { until, .. } => until.as_mut(),
        Action::WaitFor { condition, .. } => condition.label.as_mut(),
        Action::OpenUrl { url } => Some(url),
        Action::TypeText { text: TypedText::Secret(_), .. }
        | Action::Tap { .. }
        | Action::TapAndWaitKeyboard { .. }
        | Action::PressKey { .. }
        | Action::ClearField { .. }
        | Action::DismissSheet { .. }
        | Action::SetAppearance { .. } => None,
    };
    if let Some(text) = text {
        *text = f(std::mem::take(text))?;
    }
    Ok(action)
}

enum Piece<'a> {
    Literal(&'a str),
    Name(&'a str),
}

fn pieces(text: &str) -> Vec<Piece<'_>> {
    let mut pieces = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find("${") {
        let (before, from) = rest.split_at(at);
        if let Some(literal) = before.strip_suffix('$') {
            pieces.push(Piece::Literal(literal));
            pieces.push(Piece::Literal("${"));
            rest = &from[2..];
            continue;
        }
        pieces.push(Piece::Literal(before));
        match from[2..].split_once('}') {
            Some((name, after)) if is_name(name) => {
                pieces.push(Piece::Name(name));
                rest = after;
            }
            _ => {
                pieces.push(Piece::Literal("${"));
                rest = &from[2..];
            }
        }
    }
    pieces.push(Piece::Literal(rest));
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn given_values_are_put_in_and_missing_ones_named() {
        let vars = Variables::parse(["USER_NAME=ana", "EMPTY="]).unwrap();
        assert_eq!(vars.expand("hi ${USER_NAME}!${EMPTY}", "f").unwrap(), "hi ana!");
        let error = vars.expand("${SIMDRIVE_NO_SUCH}", "f").unwrap_err();
        assert_eq!(error.code().as_str(), "secret_unset");
        assert!(error.to_string().contains("SIMDRIVE_NO_SUCH"));
        assert_eq!(Variables::parse(["A=1", "2B=3"]).unwrap_err(), "2B=3");
    }

    #[test]
    fn escaped_text_comes_back_unchanged() {
        let vars = Variables::default();
        for text in ["${HOME}", "a$${b}", "$", "${", "${1}", "$$${x} ${"] {
            assert_eq!(vars.expand(&escape(text), "f").unwrap(), text, "{text}");
        }
    }
}
