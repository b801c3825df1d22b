//! How an argument names what is meant: exactly one of `mark`, `stable_id`, `label`, or `x` and `y`.

use std::str::FromStr;

use schemars::JsonSchema;
use serde::Deserialize;

use crate::act::Target;
use crate::geometry::Point;
use crate::mark::{MarkId, StableId};
use crate::operation::{OperationError, arguments};
use crate::role::Role;

/// A target, as the parameters of a tool or as an object in `from`, `to` and `into`.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
pub struct TargetArguments {
    /// Its number in the last observation
    mark: Option<u32>,
    stable_id: Option<String>,
    /// What it says
    label: Option<String>,
    /// With label: button, text_field, cell…
    role: Option<String>,
    /// With label: which of equals, from 1
    #[schemars(range(min = 1))]
    nth: Option<u32>,
    /// With label: label of something close by
    near: Option<String>,
    /// Points
    x: Option<f64>,
    y: Option<f64>,
}

impl TargetArguments {
    /// The target, or `None` where nothing was named. `of` is the argument it came in, if not the tool itself.
    ///
    /// # Errors
    /// `invalid_argument` where more than one form is given, or half of one.
    pub fn target(self, of: Option<&str>) -> Result<Option<Target>, OperationError> {
        let named = |name: &str| of.map_or_else(|| name.to_owned(), |of| format!("{of}.{name}"));
        let forms: Vec<&str> = [
            ("mark", self.mark.is_some()),
            ("stable_id", self.stable_id.is_some()),
            ("label", self.label.is_some()),
            ("x and y", self.x.is_some() || self.y.is_some()),
        ]
        .into_iter()
        .filter_map(|(form, given)| given.then_some(form))
        .collect();
        if forms.len() > 1 {
            return Err(OperationError::invalid(format!(
                "a target is exactly one of mark, stable_id, label, or x and y; got {}",
                forms.join(" and ")
            ))
            .with_detail("argument", of.unwrap_or("target")));
        }
        let refinement =
            [("role", self.role.is_some()), ("nth", self.nth.is_some()), ("near", self.near.is_some())];
        if self.label.is_none()
            && let Some((name, _)) = refinement.iter().find(|(_, given)| *given)
        {
            return Err(OperationError::invalid(format!("`{}` goes with `label` only", named(name)))
                .with_detail("argument", named(name)));
        }
        Ok(match (self.mark, self.stable_id, self.label, self.x, self.y) {
            (Some(mark), ..) => Some(Target::Mark(MarkId(mark))),
            (_, Some(id), ..) => Some(Target::StableId(StableId(id.trim().to_ascii_lowercase()))),
            (_, _, Some(label), ..) => {
                if label.trim().is_empty() {
                    return Err(OperationError::invalid(format!("`{}` is empty", named("label"))));
                }
                let role = self.role.map(|r| role(&named("role"), &r)).transpose()?;
                Some(Target::Label { label, role, nth: self.nth, near: self.near })
            }
            (.., Some(x), Some(y)) => Some(Target::Point(Point::new(x, y))),
            (.., Some(_), None) => {
                return Err(OperationError::invalid(format!("`{}` is missing", named("y"))));
            }
            (.., None, Some(_)) => {
                return Err(OperationError::invalid(format!("`{}` is missing", named("x"))));
            }
            (.., None, None) => None,
        })
    }

    /// The target, which must be there.
    pub fn required(self, of: Option<&str>) -> Result<Target, OperationError> {
        self.target(of)?.ok_or_else(|| {
            let what = of.map_or_else(String::new, |of| format!("`{of}`: "));
            OperationError::invalid(format!("{what}a target is missing: mark, stable_id, label, or x and y"))
                .with_detail("argument", of.unwrap_or("target"))
        })
    }
}

/// A role by its name.
pub fn role(argument: &str, name: &str) -> Result<Role, OperationError> {
    Role::from_str(name).map_err(|_| {
        let names: Vec<&str> = Role::ALL.iter().map(|r| r.as_str()).collect();
        let meant = arguments::nearest(name, &names);
        let meant = meant.map_or_else(String::new, |near| format!("; did you mean `{near}`?"));
        OperationError::invalid(format!("`{argument}`: `{name}` is no role{meant}"))
            .with_detail("argument", argument)
            .with_hint(format!("roles are {}", names.join(", ")))
    })
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn target(arguments: Value) -> Result<Option<Target>, OperationError> {
        serde_json::from_value::<TargetArguments>(arguments).unwrap().target(None)
    }

    #[test]
    fn each_form_names_a_target() {
        assert_eq!(target(json!({"mark": 3})).unwrap(), Some(Target::Mark(MarkId(3))));
        assert_eq!(target(json!({"x": 1.5, "y": 2})).unwrap(), Some(Target::Point(Point::new(1.5, 2.0))));
        let label = Target::Label {
            label: "Sign In".into(),
            role: Some(Role::Button),
            nth: Some(2),
            near: Some("Card".into()),
        };
        let arguments = json!({"label": "Sign In", "role": "button", "nth": 2, "near": "Card"});
        assert_eq!(target(arguments).unwrap(), Some(label));
        assert_eq!(target(json!({})).unwrap(), None);
    }

    #[test]
    fn two_forms_or_half_a_form_are_refused() {
        for (arguments, part) in [
            (json!({"mark": 1, "label": "x"}), "got mark and label"),
            (json!({"stable_id": "a", "x": 1, "y": 1}), "got stable_id and x and y"),
            (json!({"x": 1}), "`y` is missing"),
            (json!({"mark": 1, "nth": 1}), "`nth` goes with `label` only"),
            (json!({"label": " "}), "`label` is empty"),
            (json!({"label": "x", "role": "buton"}), "did you mean `button`?"),
        ] {
            let message = target(arguments).unwrap_err().message;
            assert!(message.contains(part), "{message}");
        }
    }
}
