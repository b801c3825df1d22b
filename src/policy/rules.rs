//! What `[policy]` of `simdrive.toml` and of the user's file says. Uses `mode`.
//!
//! Files only take away: what one of them denies is denied, whatever another allows, so that a project that was
//! checked out can't loosen what its user has decided.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Confirm, Mode};

/// One file's rules. In names `*` stands for any characters; an allow list that is given allows nothing else.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Rules {
    /// The highest mode. More than interact only the user's own file gives.
    pub mode: Option<Mode>,
    pub allow_tools: Option<Vec<String>>,
    pub deny_tools: Vec<String>,
    /// Bundle ids.
    pub allow_apps: Option<Vec<String>>,
    pub deny_apps: Vec<String>,
    /// Selectors.
    pub allow_devices: Option<Vec<String>>,
    pub deny_devices: Vec<String>,
    /// Of addresses that are opened; schemes without the colon.
    pub allow_schemes: Option<Vec<String>>,
    pub deny_schemes: Vec<String>,
    pub allow_hosts: Option<Vec<String>>,
    pub deny_hosts: Vec<String>,
    /// Folders that clients may name paths in, to read and to write. In the user's own file: instead of the
    /// project, SIMDRIVE_HOME and the folders named by flags; in a project's: of those only these.
    pub allow_folders: Option<Vec<PathBuf>>,
    /// Where taps on some labels must be confirmed.
    pub confirm: Option<Confirm>,
    /// Instead of the built-in words for money, deletion and sending.
    pub confirm_labels: Option<Vec<String>>,
    pub max_actions_per_minute: Option<u32>,
    pub max_session_minutes: Option<u64>,
}

/// Rules, and the file they stand in.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Layer {
    pub file: PathBuf,
    pub rules: Rules,
    /// Where each rule stands, by its name; items of a list by name and place (`deny_apps.0`).
    pub lines: BTreeMap<String, usize>,
    /// The user's own file, which a project's can't loosen.
    pub of_user: bool,
}

/// A rule that decided, for people to find and scripts to read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Rule {
    /// Such as `deny_apps`.
    pub rule: String,
    /// The item of the list that fits, where one does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pattern: Option<String>,
    pub file: PathBuf,
    /// From 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
}

/// Where it stands.
impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.file.display())?;
        self.line.map_or(Ok(()), |line| write!(f, ":{line}"))
    }
}

impl Layer {
    /// A rule of this file.
    pub(super) fn rule(&self, name: &str) -> Rule {
        let line = self.lines.get(name).copied();
        Rule { rule: name.to_owned(), pattern: None, file: self.file.clone(), line }
    }

    /// An item of a list of this file.
    pub(super) fn item(&self, name: &str, place: usize, pattern: &str) -> Rule {
        let rule = self.rule(name);
        let line = self.lines.get(&format!("{name}.{place}")).copied().or(rule.line);
        Rule { pattern: Some(pattern.to_owned()), line, ..rule }
    }
}

/// Why a list does not let something through.
pub(super) enum Refused<'r> {
    /// By the item at this place.
    Denied(usize, &'r str),
    NotAllowed,
}

/// Whether two lists let a name through.
pub(super) fn pass<'r>(
    name: &str,
    allowed: Option<&'r [String]>,
    denied: &'r [String],
) -> Result<(), Refused<'r>> {
    if let Some((place, pattern)) = denied.iter().enumerate().find(|(_, pattern)| fits(pattern, name)) {
        return Err(Refused::Denied(place, pattern));
    }
    match allowed {
        Some(allowed) if !allowed.iter().any(|pattern| fits(pattern, name)) => Err(Refused::NotAllowed),
        _ => Ok(()),
    }
}

/// Whether a name is as a pattern says; `*` stands for any characters, case is folded.
fn fits(pattern: &str, name: &str) -> bool {
    let (pattern, name) = (pattern.to_lowercase(), name.to_lowercase());
    let mut parts = pattern.split('*');
    let Some(mut rest) = parts.next().and_then(|first| name.strip_prefix(first)) else { return false };
    let mut parts: Vec<&str> = parts.collect();
    let Some(last) = parts.pop() else { return rest.is_empty() };
    for part in parts {
        match rest.split_once(part) {
            Some((_, after)) => rest = after,
            None => return false,
        }
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_stands_for_any_characters() {
        for (pattern, name, expected) in [
            ("com.example.*", "com.example.shop", true),
            ("com.example.*", "com.other", false),
            ("*", "", true),
            ("sim:*", "sim:shop?seed=7", true),
            ("a*b*c", "a1b2c", true),
            ("a*b*c", "acb", false),
            ("shop", "shop2", false),
            ("*.example.com", "WWW.Example.com", true),
            ("a*a", "a", false),
        ] {
            assert_eq!(fits(pattern, name), expected, "{pattern} {name}");
        }
    }

    #[test]
    fn an_unknown_key_is_an_error() {
        let error = toml::from_str::<Rules>("alow_apps = []").unwrap_err();
        assert!(error.message().contains("alow_apps"), "{error}");
    }
}
