//! What somebody who looks on is shown, of all clients of a server. It reads and never acts; nothing here is a use of
//! a session. Uses `session`, `recording`, `replay`'s words, `audit`.

use serde_json::{Value, json};

use crate::act::Action;
use crate::act::action::SwipePath;
use crate::observe::{Observation, View};
use crate::operation::{Context, OperationError};
use crate::recording::{RecordedTarget, Step, StepBody};
use crate::replay::describe;
use crate::session::Session;

/// Marks that are shown at most.
const MARKS: usize = 1_000;

/// The open sessions, a few facts of each.
pub fn sessions(context: &Context) -> Vec<Value> {
    let open = context.sessions.of_everyone().into_iter();
    open.map(|(id, session)| summary(&id, &session)).collect()
}

fn summary(id: &str, session: &Session) -> Value {
    let status = session.status();
    json!({
        "id": id,
        "device": status.device.selector,
        "model": status.device.model,
        "os": status.device.os,
        "app": status.app,
        "started": status.started,
        "acts": status.acts,
        "recording": status.recording.map(|recording| json!({"name": recording.name, "steps": recording.steps})),
        "crash": status.crash.as_deref().and_then(|report| report.lines().next()),
    })
}

/// A look with all its marks.
pub fn look(seen: &Observation) -> Value {
    seen.to_json(&View { min_confidence: 0.0, limit: MARKS, full: true })
}

/// What this server did for its clients and refused, the latest first.
pub fn actions(context: &Context) -> Vec<Value> {
    let written = context.audit.as_ref().map(|audit| audit.written()).unwrap_or_default();
    written.iter().rev().filter_map(|line| serde_json::from_str(line).ok()).collect()
}

/// The recordings of the store, the newest first.
pub fn recordings(context: &Context) -> Value {
    let names = context.store.names();
    let mut listed = context.store.list(None);
    listed.retain(|listed| names.contains(&listed.name));
    listed.sort_by_key(|listed| std::cmp::Reverse(listed.created));
    json!({"folder": context.store.root().display().to_string(), "recordings": listed})
}

/// One recording: each step in words, with the frames before and after it.
///
/// # Errors
/// There is none of this name, or it can't be read.
pub fn recording(context: &Context, name: &str) -> Result<Value, OperationError> {
    context.store.text(name)?;
    let loaded = context.store.named(name)?;
    let recording = &loaded.recording;
    let steps: Vec<Value> = recording.steps.iter().map(step).collect();
    let screen = recording.device.screen;
    Ok(json!({
        "name": recording.name,
        "description": recording.description,
        "device": format!("{}, {}", recording.device.model, recording.device.os),
        "app": recording.app,
        "tags": recording.tags,
        "created": recording.created,
        "screen": {"width": screen.width, "height": screen.height},
        "steps": steps,
    }))
}

fn step(step: &Step) -> Value {
    let target = match aimed_at(&step.body) {
        Some(RecordedTarget::Mark(mark)) => mark.frame,
        _ => None,
    };
    json!({
        "words": describe(&step.body),
        "before": step.before,
        "after": step.after,
        "target": target,
        "settled_ms": step.settled_ms,
    })
}

fn aimed_at(body: &StepBody) -> Option<&RecordedTarget> {
    let StepBody::Act(action) = body else { return None };
    match &**action {
        Action::Tap { target, .. } | Action::TapAndWaitKeyboard { target, .. } => Some(target),
        Action::TypeText { into, .. } => into.as_ref(),
        Action::ClearField { target } => target.as_ref(),
        Action::Swipe { path: SwipePath::FromTo { from, .. }, .. } => Some(from),
        Action::Swipe { path: SwipePath::Toward { from, .. }, .. } => from.as_ref(),
        _ => None,
    }
}
