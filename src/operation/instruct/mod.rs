//! `instruct`: a text becomes a plan, every call of it is checked, and it is carried out step by step.
//!
//! The language is `crate::instruct`; what a call does is the operation of its name, or one of [`own`], of which
//! `machine` has those for simulators and apps as such, `video` those that film.

mod machine;
pub mod own;
mod runner;
mod told;
mod video;

use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::act::Target;
use crate::code::ErrorCode;
use crate::device::Feature;
use crate::instruct::{InstructError, Language, Plan, PlannedCall, Step, parse};
use crate::operation::instruct::own::Own;
use crate::operation::instruct::runner::Runner;
use crate::operation::{Call, Context, Descriptor, Operation, OperationError, Outcome, Run};
use crate::policy::Mode;

/// The longest that a plan may take.
const LONGEST: Duration = Duration::from_secs(3_600);

/// What happens after a step that failed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum OnError {
    #[default]
    Stop,
    Continue,
}

#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct Instruct {
    /// One command or several, a line each or joined by "then"
    text: String,
    session: Option<String>,
    /// Only tell the plan
    dry_run: Option<bool>,
    /// Default stop
    on_error: Option<OnError>,
    /// Default: the one that fits
    language: Option<Language>,
}

impl Run for Instruct {
    fn deadline(&self) -> Duration {
        let plan = self.plan();
        plan.map_or(Duration::from_secs(60), |plan| longest(&plan.steps).min(LONGEST))
    }

    fn permitted(&self, context: &Context) -> Result<(), OperationError> {
        // what can't be understood is refused as such
        let Ok(plan) = self.plan() else { return Ok(()) };
        if self.dry_run == Some(true) {
            return Ok(());
        }
        plan.calls().into_iter().try_for_each(|call| match checked(call)? {
            Checked::Tool(operation) => operation.permitted(context).map_err(|error| at(call, error)),
            Checked::Own(_) => Ok(()),
        })
    }

    fn tapped(&self) -> Result<Vec<Target>, OperationError> {
        let plan = self.plan()?;
        let mut targets = Vec::new();
        for call in plan.calls().into_iter().filter(|_| self.dry_run != Some(true)) {
            if let Checked::Tool(operation) = checked(call)? {
                targets.extend(operation.tapped()?);
            }
        }
        Ok(targets)
    }

    fn needs(&self) -> Mode {
        match self.plan() {
            Ok(plan) if self.dry_run != Some(true) => mode(&plan),
            _ => Mode::Observe,
        }
    }

    async fn run(self, context: &Context, call: &Call) -> Result<Outcome, OperationError> {
        let plan = self.plan()?;
        if self.dry_run.unwrap_or(false) {
            return Ok(dry(&plan, context, self.session.as_deref()));
        }
        let on_error = self.on_error.unwrap_or(if plan.go_on { OnError::Continue } else { OnError::Stop });
        if on_error == OnError::Stop {
            lacking(&plan, context, self.session.as_deref()).into_iter().next().map_or(Ok(()), Err)?;
        }
        Runner::new(context, call, self.session, on_error).carry_out(&plan).await
    }
}

impl Instruct {
    fn plan(&self) -> Result<Plan, OperationError> {
        planned(&self.text, self.language)
    }
}

/// The plan of a text, each of its calls checked as the tool's own arguments are.
///
/// # Errors
/// `invalid_argument`: a word that isn't known, or a value that a call doesn't take.
pub fn planned(text: &str, language: Option<Language>) -> Result<Plan, OperationError> {
    let plan = parse(text, language)?;
    for call in plan.calls() {
        checked(call).map_err(|error| at(call, error))?;
    }
    Ok(plan)
}

/// Whether a plan needs a session that was opened before.
pub fn needs_session(plan: &Plan) -> bool {
    let first =
        plan.calls().into_iter().find(|call| takes_session(&call.call) || call.call == "session_start");
    first.is_some_and(|call| call.call != "session_start" && call.call != own::LAUNCH)
        || first.is_none() && plan.steps.iter().any(|step| !matches!(step, Step::Call(_)))
}

/// What a plan needs to be allowed: the highest mode of its calls.
pub fn mode(plan: &Plan) -> Mode {
    plan.calls().into_iter().map(|call| call_mode(&call.call)).max().unwrap_or(Mode::Observe)
}

fn call_mode(name: &str) -> Mode {
    Own::mode(name).or_else(|| Descriptor::named(name).ok().map(|d| d.mode)).unwrap_or(Mode::Interact)
}

/// Whether a call is done in a session.
fn takes_session(name: &str) -> bool {
    Own::is(name)
        || Descriptor::named(name)
            .is_ok_and(|d| d.schema.get("properties").is_some_and(|p| p.get("session").is_some()))
}

fn at(call: &PlannedCall, error: OperationError) -> OperationError {
    OperationError { message: format!("`{}`: {}", call.said, error.message), ..error }
}

/// A call whose arguments are right.
enum Checked {
    Tool(Box<Operation>),
    Own(Own),
}

fn checked(call: &PlannedCall) -> Result<Checked, OperationError> {
    // how many points a share of the screen is, is known only when it is there
    let arguments = sized(Value::Object(call.arguments.clone()), 1.0, 1.0);
    let arguments = arguments.as_object().cloned().unwrap_or_default().into_iter().map(|(name, value)| {
        let value = match name.as_str() {
            "distance" if value.is_string() => json!(1.0),
            _ => sized(value, 1.0, 1.0),
        };
        (name, value)
    });
    let arguments: Map<String, Value> = arguments.collect();
    if Own::is(&call.call) {
        Own::parse(&call.call, arguments).map(Checked::Own)
    } else {
        Operation::parse(&call.call, arguments).map(|operation| Checked::Tool(Box::new(operation)))
    }
}

/// What of a plan the device of the session that is open can't do, each thing once: told before anything is touched.
fn lacking(plan: &Plan, context: &Context, session: Option<&str>) -> Vec<OperationError> {
    // a plan may begin with its own session
    let Ok((_, session)) = context.sessions.get(session) else { return Vec::new() };
    let needed = |feature: &Feature| plan.calls().iter().any(|call| Own::needs(&call.call) == Some(*feature));
    let lacking = Feature::ALL.into_iter().filter(needed).filter(|feature| !session.device().has(*feature));
    lacking.map(|feature| feature.lacking(&session.description().selector).into()).collect()
}

/// Shares of a screen, such as `50%`, in points: `x` of its width, `y` of its height.
fn sized(value: Value, x: f64, y: f64) -> Value {
    let share = |value: &Value| -> Option<f64> {
        Some(value.as_str()?.strip_suffix('%')?.parse::<f64>().ok()? / 100.0)
    };
    let Value::Object(parts) = value else { return value };
    let parts = parts.into_iter().map(|(name, value)| {
        let of = if name == "x" { x } else { y };
        match (name.as_str(), share(&value)) {
            ("x" | "y", Some(share)) => (name, json!(share * of)),
            _ => (name, value),
        }
    });
    Value::Object(parts.collect())
}

/// How long a plan may take: all that its calls may.
fn longest(steps: &[Step]) -> Duration {
    let each = steps.iter().map(|step| match step {
        Step::Call(call) => call_deadline(call),
        Step::If { then, otherwise, .. } => longest(then).max(longest(otherwise)) + Duration::from_secs(30),
        Step::Repeat { times, steps, .. } => {
            (longest(steps) + Duration::from_secs(30)).saturating_mul(*times)
        }
    });
    each.fold(Duration::from_secs(5), Duration::saturating_add)
}

fn call_deadline(call: &PlannedCall) -> Duration {
    match checked(call) {
        Ok(Checked::Tool(operation)) => operation.deadline(),
        Ok(Checked::Own(own)) => own.deadline(),
        // it ends as it begins
        Err(_) => Duration::ZERO,
    }
}

/// The plan, and what of it can't be done.
fn dry(plan: &Plan, context: &Context, session: Option<&str>) -> Outcome {
    let lacking: Vec<String> =
        lacking(plan, context, session).into_iter().map(|error| error.message).collect();
    let mut text = plan.told();
    for lack in &lacking {
        text += &format!("\nnote: {lack}");
    }
    let mode = mode(plan);
    text += &format!("\nneeds mode {mode}; nothing was done");
    Outcome::new(text, json!({"plan": plan, "mode": mode, "unsupported": lacking}))
}

impl From<InstructError> for OperationError {
    fn from(error: InstructError) -> Self {
        let hint = match error.closest.as_slice() {
            [] => "quote labels and text that hold words of commands: tap \"Then and now\"".to_owned(),
            closest => format!("known are: {}", closest.join("; ")),
        };
        let place = format!("line {}:\n{}", error.line_number, error.pointed());
        Self::new(ErrorCode::InvalidArgument, error.to_string())
            .with_hint(hint)
            .with_detail("argument", "text")
            .with_detail("line", error.line_number)
            .with_detail("start", error.span.start)
            .with_detail("end", error.span.end)
            .with_detail("closest", error.closest)
            .with_text(&place)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::instruct::command::Command;

    #[test]
    fn a_plan_waits_longer_than_a_device_takes() {
        use crate::device::patience;
        for (text, device_takes) in [
            ("install ./Demo.app", patience::INSTALL),
            ("boot \"iPhone 16\"", patience::BOOT),
            ("shut down \"iPhone 16\"", patience::BOOT),
            ("launch \"Demo\"", patience::BOOT),
            ("start a session on \"iPhone 16\"", patience::BOOT),
            ("start a session on wda:AAAA-2", patience::AGENT + patience::WEBDRIVER_SESSION),
            ("start a session", patience::AGENT + patience::WEBDRIVER_SESSION),
            ("stop the video", patience::FILM),
            ("end the session", patience::FILM),
            ("wait 90 s", Duration::from_secs(90)),
            ("tap 50%, 50%", Duration::from_secs(30)),
            ("install ./Demo.app then stop the video", patience::INSTALL + patience::FILM),
        ] {
            let asked: Instruct = serde_json::from_value(json!({"text": text})).unwrap();
            planned(text, None).unwrap();
            assert!(
                asked.deadline() > device_takes + Duration::from_secs(30),
                "{text}: {:?}",
                asked.deadline()
            );
        }
    }

    #[test]
    fn every_command_has_its_mode_in_one_table() {
        for command in Command::ALL {
            let call = command.call();
            let modes = [Own::mode(call), Descriptor::named(call).ok().map(|tool| tool.mode)];
            assert_eq!(modes.iter().flatten().count(), 1, "{call}: {modes:?}");
            assert_eq!(modes.into_iter().flatten().next(), Some(call_mode(call)));
        }
        for (call, mode) in [("install_app", Mode::Full), ("tap", Mode::Interact), ("find", Mode::Observe)] {
            assert_eq!(call_mode(call), mode, "{call}");
        }
    }
}
