//! What came of an act: said honestly, changes first.

use std::fmt::Write;

use serde_json::{Value, json};

use crate::act::{ActOutcome, Effect, ResolvedTarget};
use crate::observe::compact::{clean, line};
use crate::observe::{Changes, View};
use crate::operation::Outcome;
use crate::session::RecordingStatus;

/// The outcome as text and JSON, and the step it became where a recording is going on.
pub fn told(outcome: &ActOutcome, recording: Option<&RecordingStatus>) -> Outcome {
    let changes = Changes {
        appeared: outcome.appeared.clone(),
        disappeared: outcome.disappeared.clone(),
        updated: outcome.updated.clone(),
        moved: Vec::new(),
    };
    let effect = match outcome.effect {
        Effect::Changed => "changed",
        Effect::NoneObserved => "none_observed",
    };
    // writing to a String can't fail
    let mut text = format!("{}{}: effect {effect}\n", outcome.action.name(), targets(&outcome.targets));
    text.push_str(&outcome.after.compact_changes(&changes, &View::default()));
    if let Some(alert) = &outcome.after.alert {
        let buttons = alert.buttons.join(", ");
        let _ = writeln!(text, "alert shown: \"{}\" ({})", clean(&alert.title, 60), clean(&buttons, 120));
    }
    match (&outcome.before.keyboard, &outcome.after.keyboard) {
        (None, Some(keyboard)) => {
            let _ = writeln!(text, "keyboard shown from y {:.0}", keyboard.frame.y);
        }
        (Some(_), None) => text.push_str("keyboard gone\n"),
        _ => {}
    }
    for note in &outcome.notes {
        let _ = writeln!(text, "note: {}", clean(note, 400));
    }
    if let Some(recording) = recording {
        let _ = writeln!(text, "recorded in {}: {} steps", recording.name, recording.steps);
    }
    Outcome::new(text.trim_end(), facts(outcome, effect, &changes, recording))
}

/// What was touched, where.
fn targets(targets: &[ResolvedTarget]) -> String {
    let told = targets.iter().map(|target| {
        let mut told = match &target.mark {
            Some(mark) => line(mark, false),
            None => format!("{:.0},{:.0}", target.point.x, target.point.y),
        };
        if let Some((dx, dy)) = target.moved_by {
            // writing to a String can't fail
            let _ = write!(told, " (it had moved by {dx:.0},{dy:.0})");
        }
        told
    });
    let told = told.collect::<Vec<_>>().join(" to ");
    if told.is_empty() { told } else { format!(" {told}") }
}

fn facts(
    outcome: &ActOutcome,
    effect: &str,
    changes: &Changes,
    recording: Option<&RecordingStatus>,
) -> Value {
    let targets: Vec<Value> = outcome
        .targets
        .iter()
        .map(|target| {
            json!({
                "form": target.form,
                "mark": target.mark,
                "point": target.point,
                "nth": target.nth,
                "of": target.of,
                "moved_by": target.moved_by.map(|(x, y)| json!({"x": x, "y": y})),
            })
        })
        .collect();
    let mut facts = changes.to_json();
    if let Value::Object(facts) = &mut facts {
        facts.remove("moved");
        facts.insert("action".into(), outcome.action.name().into());
        facts.insert("effect".into(), effect.into());
        facts.insert("targets".into(), targets.into());
        facts.insert("observation".into(), outcome.after.id.to_string().into());
        facts.insert("settled".into(), outcome.after.settled.into());
        facts.insert("settle_ms".into(), (outcome.settle_time.as_millis() as u64).into());
        facts.insert("notes".into(), json!(outcome.notes));
        facts.insert("recording".into(), json!(recording));
    }
    facts
}
