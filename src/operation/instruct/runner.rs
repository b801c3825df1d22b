//! Carries out a plan: each call as the tool would, conditions by a look, and a clear word on where it stopped.

use std::pin::Pin;

use serde_json::{Map, Value, json};

use crate::act::fitting;
use crate::code::ErrorCode;
use crate::instruct::{Condition, Plan, PlannedCall, Step};
use crate::observe::ObserveOptions;
use crate::operation::instruct::own::Own;
use crate::operation::instruct::told::{Done, Report};
use crate::operation::instruct::{OnError, sized, takes_session};
use crate::operation::{Call, Context, Operation, OperationError, Outcome, target};

/// Steps that are carried out at most, whatever is repeated in what is repeated.
const MOST_STEPS: usize = 1_000;

pub(super) struct Runner<'a> {
    context: &'a Context,
    call: &'a Call,
    session: Option<String>,
    on_error: OnError,
    report: Report,
}

type Pending<'p, T> = Pin<Box<dyn Future<Output = Result<T, OperationError>> + Send + 'p>>;

impl<'a> Runner<'a> {
    pub fn new(context: &'a Context, call: &'a Call, session: Option<String>, on_error: OnError) -> Self {
        Self { context, call, session, on_error, report: Report::default() }
    }

    /// All of it, or up to the step that failed.
    ///
    /// # Errors
    /// What a step failed with, its place and what was done before in its text.
    pub async fn carry_out(mut self, plan: &Plan) -> Result<Outcome, OperationError> {
        match self.steps(&plan.steps, "").await {
            Ok(()) => Ok(self.report.outcome(plan)),
            Err(error) => Err(self.report.broken_off(error)),
        }
    }

    fn steps<'p>(&'p mut self, steps: &'p [Step], above: &'p str) -> Pending<'p, ()> {
        Box::pin(async move {
            for (i, step) in steps.iter().enumerate() {
                let place = format!("{above}{}", i + 1);
                match step {
                    Step::Call(call) => self.planned(call, &place).await?,
                    Step::If { condition, then, otherwise } => {
                        if let Some(holds) = self.looked(condition, &place).await? {
                            let way = if holds { then } else { otherwise };
                            self.steps(way, &format!("{place}.")).await?;
                        }
                    }
                    Step::Repeat { times, until, steps } => {
                        self.rounds(*times, until.as_ref(), steps, &place).await?;
                    }
                }
            }
            Ok(())
        })
    }

    async fn rounds(
        &mut self,
        times: u32,
        until: Option<&Condition>,
        steps: &[Step],
        place: &str,
    ) -> Result<(), OperationError> {
        for round in 1..=times {
            if let Some(until) = until
                && self.looked(until, place).await? != Some(false)
            {
                return Ok(());
            }
            self.steps(steps, &format!("{place}.{round}.")).await?;
        }
        let Some(until) = until else { return Ok(()) };
        if self.looked(until, place).await? == Some(false) {
            let message = format!("after {times} rounds, {} did not come to hold", until.told());
            let error = OperationError::new(ErrorCode::TargetNotFound, message);
            return self.failed(place, &until.told(), error);
        }
        Ok(())
    }

    /// Whether a condition holds; `None` where looking failed and that stops nothing.
    async fn looked(&mut self, condition: &Condition, place: &str) -> Result<Option<bool>, OperationError> {
        let said = condition.told();
        match self.holds(condition).await {
            Ok(holds) => {
                let answer = if holds { "yes" } else { "no" };
                self.report.push(Done::look(place, &said, answer));
                Ok(Some(holds))
            }
            Err(error) => self.failed(place, &said, error).map(|()| None),
        }
    }

    async fn holds(&self, condition: &Condition) -> Result<bool, OperationError> {
        self.still_wanted()?;
        let part = |name: &str| condition.target.get(name).and_then(Value::as_str);
        let role = part("role").map(|name| target::role("role", name)).transpose()?;
        let (_, session) = self.context.sessions.get(self.session.as_deref())?;
        let seen = session.observe(&ObserveOptions::default()).await?;
        Ok(fitting(&seen, part("label").unwrap_or_default(), role).is_empty() != condition.visible)
    }

    async fn planned(&mut self, planned: &PlannedCall, place: &str) -> Result<(), OperationError> {
        self.still_wanted()?;
        if self.report.len() >= MOST_STEPS {
            let message = format!("a plan carries out at most {MOST_STEPS} steps");
            return Err(OperationError::new(ErrorCode::LimitExceeded, message));
        }
        self.call.progress(self.report.len() as f64, None, &planned.said);
        match self.call(planned).await {
            Ok(outcome) => {
                self.follow(planned, &outcome);
                if outcome.failed {
                    let first = outcome.text.lines().next().unwrap_or_default().to_owned();
                    let error = OperationError::new(ErrorCode::RequiresUnmet, first).with_text(&outcome.text);
                    return self.failed(place, &planned.said, error);
                }
                self.report.push(Done::call(place, planned, outcome));
                Ok(())
            }
            Err(error) => self.failed(place, &planned.said, error),
        }
    }

    /// Later steps are meant for the session that was begun.
    fn follow(&mut self, planned: &PlannedCall, outcome: &Outcome) {
        match planned.call.as_str() {
            "session_end" => self.session = None,
            _ => {
                if let Some(id) = outcome.facts.get("started").or_else(|| {
                    (planned.call == "session_start").then(|| outcome.facts.get("session")).flatten()
                }) {
                    self.session = id.as_str().map(str::to_owned);
                }
            }
        }
    }

    async fn call(&self, planned: &PlannedCall) -> Result<Outcome, OperationError> {
        let mut arguments = self.in_points(planned.arguments.clone()).await?;
        if Own::is(&planned.call) {
            let own = Own::parse(&planned.call, arguments)?;
            return own.run(self.context, self.call, self.session.as_deref()).await;
        }
        if let Some(session) = &self.session
            && takes_session(&planned.call)
        {
            arguments.insert("session".into(), session.as_str().into());
        }
        let operation = Operation::parse(&planned.call, arguments)?;
        operate(operation, self.context, self.call).await
    }

    /// The same, with shares of the screen as points.
    async fn in_points(&self, arguments: Map<String, Value>) -> Result<Map<String, Value>, OperationError> {
        let is_share = |value: &Value| value.as_str().is_some_and(|text| text.ends_with('%'));
        let within = |value: &Value| {
            value
                .as_object()
                .is_some_and(|parts| ["x", "y"].iter().any(|n| parts.get(*n).is_some_and(is_share)))
        };
        let direct = ["x", "y", "distance"].iter().any(|name| arguments.get(*name).is_some_and(is_share));
        if !direct && !arguments.values().any(within) {
            return Ok(arguments);
        }
        let (_, session) = self.context.sessions.get(self.session.as_deref())?;
        let seen = match session.last() {
            Some(seen) => seen,
            None => session.observe(&ObserveOptions::default()).await?,
        };
        let size = seen.screen.points;
        let aside = matches!(arguments.get("direction").and_then(Value::as_str), Some("left" | "right"));
        let Value::Object(arguments) = sized(Value::Object(arguments), size.width, size.height) else {
            return Err(OperationError::internal("arguments are an object"));
        };
        let arguments = arguments.into_iter().map(|(name, value)| {
            let value = match name.as_str() {
                "distance" => {
                    let share = sized(json!({"x": value}), if aside { size.width } else { size.height }, 0.0);
                    share["x"].clone()
                }
                _ => sized(value, size.width, size.height),
            };
            (name, value)
        });
        Ok(arguments.collect())
    }

    /// Notes a failure; it goes on only where that was asked for and something can still be done.
    fn failed(&mut self, place: &str, said: &str, error: OperationError) -> Result<(), OperationError> {
        let is_over = matches!(error.code, ErrorCode::Cancelled | ErrorCode::DeviceUnreachable);
        self.report.push(Done::failure(place, said, &error));
        if self.on_error == OnError::Stop || is_over { Err(error) } else { Ok(()) }
    }

    fn still_wanted(&self) -> Result<(), OperationError> {
        if self.call.cancellation.is_cancelled() {
            Err(OperationError::cancelled("instruct"))
        } else {
            Ok(())
        }
    }
}

/// An operation within an operation: boxed, as one is as large as the other else.
pub(super) fn operate<'p>(
    operation: Operation,
    context: &'p Context,
    call: &'p Call,
) -> Pending<'p, Outcome> {
    Box::pin(operation.run(context, call))
}
