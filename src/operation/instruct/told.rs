//! What a plan did, step by step, for people, models and scripts.

use serde_json::{Value, json};

use crate::instruct::{Plan, PlannedCall};
use crate::operation::instruct::{call_mode, mode};
use crate::operation::{OperationError, Outcome, Picture};
use crate::policy::Mode;

/// One step that was carried out.
pub(super) struct Done {
    place: String,
    said: String,
    /// All that it answered.
    text: String,
    facts: Value,
    picture: Option<Picture>,
    /// Its answer is what it was asked for, and is told in full.
    is_answer: bool,
    failed: bool,
}

impl Done {
    pub fn call(place: &str, planned: &PlannedCall, outcome: Outcome) -> Self {
        let facts = json!({
            "step": place, "said": planned.said, "call": planned.call, "arguments": planned.arguments,
            "ok": true, "outcome": outcome.facts,
        });
        Self {
            place: place.to_owned(),
            said: planned.said.clone(),
            text: outcome.text,
            facts,
            picture: outcome.picture,
            is_answer: call_mode(&planned.call) == Mode::Observe && planned.call != "wait_for",
            failed: false,
        }
    }

    pub fn look(place: &str, said: &str, answer: &str) -> Self {
        let facts = json!({"step": place, "said": said, "ok": true, "holds": answer == "yes"});
        Self { failed: false, ..Self::told(place, &format!("{said}?"), answer, facts) }
    }

    pub fn failure(place: &str, said: &str, error: &OperationError) -> Self {
        let mut facts = json!({"step": place, "said": said, "ok": false});
        facts["error"] = error.to_json()["error"].clone();
        let text = format!("error {}: {}", error.code, error.message);
        Self { failed: true, ..Self::told(place, said, &text, facts) }
    }

    fn told(place: &str, said: &str, text: &str, facts: Value) -> Self {
        Self {
            place: place.to_owned(),
            said: said.to_owned(),
            text: text.to_owned(),
            facts,
            picture: None,
            is_answer: false,
            failed: false,
        }
    }

    fn line(&self, in_full: bool) -> String {
        let text = self.text.trim_end();
        let text = if in_full { text } else { text.lines().next().unwrap_or_default() };
        format!("{}. {} → {text}", self.place, self.said)
    }
}

/// All steps so far.
#[derive(Default)]
pub(super) struct Report {
    done: Vec<Done>,
}

impl Report {
    pub fn push(&mut self, done: Done) {
        self.done.push(done);
    }

    pub fn len(&self) -> usize {
        self.done.len()
    }

    /// Every step in a line; what was asked, and what the last step came to, in full.
    pub fn outcome(mut self, plan: &Plan) -> Outcome {
        let last = self.done.len().saturating_sub(1);
        let lines: Vec<String> =
            self.done.iter().enumerate().map(|(i, done)| done.line(done.is_answer || i == last)).collect();
        let failures = self.done.iter().filter(|done| done.failed).count();
        let picture = self.done.iter_mut().rev().find_map(|done| done.picture.take());
        let mut text = lines.join("\n");
        if failures > 0 {
            text += &format!("\n{failures} of {} steps failed", self.done.len());
        }
        let steps: Vec<Value> = self.done.into_iter().map(|done| done.facts).collect();
        let needs = mode(plan);
        let facts = json!({"language": plan.language, "mode": needs, "failures": failures, "steps": steps});
        Outcome { picture, failed: failures > 0, ..Outcome::new(text, facts) }
    }

    /// The error that ended it, with its place, and what was done before.
    pub fn broken_off(self, error: OperationError) -> OperationError {
        let Some((broken, before)) = self.done.split_last() else { return error };
        // cancelled between two steps
        let (place, before) = match broken.failed {
            true => (format!("step {} (`{}`): ", broken.place, broken.said), before),
            false => (String::new(), self.done.as_slice()),
        };
        let lines: Vec<String> = before.iter().map(|done| done.line(false)).collect();
        let done = match lines.as_slice() {
            [] => "nothing was done before".to_owned(),
            lines => format!("done before:\n{}", lines.join("\n")),
        };
        let steps: Vec<Value> = self.done.iter().map(|done| done.facts.clone()).collect();
        let told = error.text.clone();
        let message = format!("{place}{}", error.message);
        let error = OperationError { message, text: String::new(), ..error };
        error.with_detail("steps", steps).with_text(&done).with_text(&told)
    }
}
