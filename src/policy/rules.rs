//! What `[policy]` of `simdrive.toml` and of the user's file says. Uses `mode`.
//!
//! Files only take away: what one of them denies is denied, whatever another allows, so that a project that was
//! checked out can't loosen what its user has decided.

use std::path::PathBuf;

use serde::Deserialize;

use super::{Confirm, Mode};

/// One file's rules. In names `*` stands for any characters; an allow list that is given allows nothing else.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Rules {
    /// The highest mode.
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
}

/// Why a list does not let something through.
pub(super) enum Refused<'r> {
    Denied(&'r str),
    NotAllowed,
}

/// Whether two lists let a name through.
pub(super) fn pass<'r>(
    name: &str,
    allowed: Option<&'r [String]>,
    denied: &'r [String],
) -> Result<(), Refused<'r>> {
    if let Some(pattern) = denied.iter().find(|pattern| fits(pattern, name)) {
        return Err(Refused::Denied(pattern));
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
