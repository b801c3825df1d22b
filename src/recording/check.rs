//! What a step may assert instead of acting. Uses `observe`, `mark`, `role`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::mark::Mark;
use crate::observe::fold;
use crate::role::Role;

/// All that is given must hold for one and the same mark; with `gone`, for none.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Check {
    /// The label, spaces and case folded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub role: Option<Role>,
    /// The content of a field, the state of a switch (`on`, `off`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
    /// It must not be there.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub gone: bool,
}

impl Check {
    /// Whether it holds on a screen with these marks.
    pub fn holds(&self, marks: &[Mark]) -> bool {
        marks.iter().any(|m| self.fits(m)) != self.gone
    }

    fn fits(&self, mark: &Mark) -> bool {
        self.label.as_ref().is_none_or(|l| fold(l) == fold(&mark.label))
            && self.role.is_none_or(|r| r == mark.role)
            && self.value.as_ref().is_none_or(|v| mark.value.as_deref().is_some_and(|m| fold(m) == fold(v)))
    }

    pub(super) fn problem(&self) -> Option<String> {
        (self.label.is_none() && self.role.is_none() && self.value.is_none())
            .then(|| "`check` needs at least one of `label`, `role` and `value`".to_owned())
    }
}

impl std::fmt::Display for Check {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(if self.gone { "no " } else { "" })?;
        f.write_str(self.role.map_or("mark", Role::as_str))?;
        if let Some(label) = &self.label {
            write!(f, " “{label}”")?;
        }
        if let Some(value) = &self.value {
            write!(f, " with value “{value}”")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::Rect;
    use crate::mark::{MarkId, Source, StableId};

    fn mark(label: &str, role: Role, value: Option<&str>) -> Mark {
        Mark {
            id: MarkId(1),
            stable_id: StableId("0".into()),
            role,
            label: label.into(),
            value: value.map(str::to_owned),
            frame: Rect::new(0.0, 0.0, 1.0, 1.0),
            enabled: true,
            selected: None,
            identifier: None,
            confidence: 1.0,
            sources: vec![Source::Text],
            text_unread: false,
        }
    }

    #[test]
    fn all_that_is_given_must_hold_for_one_mark() {
        let marks = [mark("Total", Role::Text, None), mark("Wi-Fi", Role::Switch, Some("on"))];
        let check = |label: &str, value: Option<&str>, gone| Check {
            label: Some(label.into()),
            value: value.map(str::to_owned),
            gone,
            ..Check::default()
        };
        assert!(check("wi-fi ", Some("on"), false).holds(&marks));
        assert!(!check("Total", Some("on"), false).holds(&marks));
        assert!(check("Error", None, true).holds(&marks));
        assert!(!check("Total", None, true).holds(&marks));
    }
}
