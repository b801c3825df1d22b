//! What is to be done, as data: it can be printed, kept, and carried out.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// A language that has a lexicon.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Language {
    En,
    Es,
}

/// What a text asks for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    pub language: Language,
    pub steps: Vec<Step>,
    /// The text itself asks to go on after a step that failed.
    #[serde(default)]
    pub go_on: bool,
}

/// One step of a plan.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "step", rename_all = "snake_case")]
pub enum Step {
    Call(PlannedCall),
    /// Looks once, and takes one of two ways.
    If {
        condition: Condition,
        then: Vec<Step>,
        otherwise: Vec<Step>,
    },
    /// Does `steps` at most `times`; with `until` it looks before each round and stops when that holds.
    Repeat {
        times: u32,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        until: Option<Condition>,
        steps: Vec<Step>,
    },
}

/// A call of a tool, or of one of the few commands that are no tool, with its arguments.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlannedCall {
    pub call: String,
    pub arguments: Map<String, Value>,
    /// The words it was read from.
    pub said: String,
}

/// Whether something is to be seen.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Condition {
    /// `label`, and `role` where it was said.
    pub target: Map<String, Value>,
    pub visible: bool,
}

impl Plan {
    /// Every call in it, also those that may not be reached.
    pub fn calls(&self) -> Vec<&PlannedCall> {
        let mut calls = Vec::new();
        gather(&self.steps, &mut calls);
        calls
    }

    /// The plan for people: a line a step, inner ones set in.
    pub fn told(&self) -> String {
        let mut lines = Vec::new();
        tell(&self.steps, "", &mut lines);
        if self.go_on {
            lines.push("a step that fails stops nothing".to_owned());
        }
        lines.join("\n")
    }
}

fn gather<'p>(steps: &'p [Step], calls: &mut Vec<&'p PlannedCall>) {
    for step in steps {
        match step {
            Step::Call(call) => calls.push(call),
            Step::If { then, otherwise, .. } => {
                gather(then, calls);
                gather(otherwise, calls);
            }
            Step::Repeat { steps, .. } => gather(steps, calls),
        }
    }
}

fn tell(steps: &[Step], indent: &str, lines: &mut Vec<String>) {
    let inner = format!("{indent}   ");
    for (i, step) in steps.iter().enumerate() {
        let number = format!("{indent}{}.", i + 1);
        match step {
            Step::Call(call) => {
                lines.push(format!("{number} {} {}", call.call, Value::Object(call.arguments.clone())));
            }
            Step::If { condition, then, otherwise } => {
                lines.push(format!("{number} if {}", condition.told()));
                tell(then, &inner, lines);
                if !otherwise.is_empty() {
                    lines.push(format!("{indent}   otherwise"));
                    tell(otherwise, &inner, lines);
                }
            }
            Step::Repeat { times, until, steps } => {
                lines.push(match until {
                    Some(until) => format!("{number} until {}, at most {times} times", until.told()),
                    None => format!("{number} {times} times"),
                });
                tell(steps, &inner, lines);
            }
        }
    }
}

impl Condition {
    /// The condition in a few words.
    pub fn told(&self) -> String {
        let part = |name: &str| self.target.get(name).and_then(Value::as_str);
        let label = part("label").unwrap_or_default();
        let role = part("role").map_or_else(String::new, |role| format!("{role} "));
        format!("{role}\"{label}\" is {}", if self.visible { "visible" } else { "not visible" })
    }
}
