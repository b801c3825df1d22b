//! The things that touch the screen, and waiting for it: each becomes one [`Action`].

use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use crate::act::action::{Condition, Direction, Key, Modifier, SheetDirection, SwipePath, TypedText};
use crate::act::{ActError, ActOutcome, Action, Target};
use crate::device::{Appearance, ContentSize};
use crate::mark::Mark;
use crate::observe::Observation;
use crate::operation::consent::Taps;
use crate::operation::target::{self, TargetArguments};
use crate::operation::{Call, Context, OperationError, Outcome, Run, allow, effect};
use crate::policy::{Policy, PolicyError, scheme};
use crate::session::Session;

/// Arguments that become one action.
pub(crate) trait ToAction: Send {
    fn session(&self) -> Option<&str>;
    fn action(self) -> Result<Action, OperationError>;

    /// Beyond what any act may take.
    fn longest(&self) -> Duration {
        Duration::ZERO
    }

    /// What the policy says of it before it is looked what is on the screen.
    fn admitted(&self, _: &Policy) -> Result<(), PolicyError> {
        Ok(())
    }

    fn taps(&self) -> Result<Option<Target>, OperationError> {
        Ok(None)
    }

    /// The token that confirms it.
    fn confirmation(&self) -> Option<String> {
        None
    }
}

impl<A: ToAction> Run for A {
    fn permitted(&self, context: &Context) -> Result<(), OperationError> {
        Ok(self.admitted(&context.policy)?)
    }

    fn tapped(&self) -> Result<Vec<Target>, OperationError> {
        Ok(self.taps()?.into_iter().collect())
    }

    fn deadline(&self) -> Duration {
        Duration::from_secs(60) + self.longest()
    }

    async fn run(self, context: &Context, call: &Call) -> Result<Outcome, OperationError> {
        let (id, session) = context.sessions.get(self.session())?;
        let token = self.confirmation();
        let action = self.action()?;
        allow::age(context, &session)?;
        let taps = Taps::of(&action, token, (&id, &session), context, call);
        let outcome = match action {
            Action::WaitFor { .. } => wait(&session, action, call).await?,
            action => {
                let (message, consent) =
                    (action.name(), |marks: &[&Mark], seen: &Observation| taps.may_go(marks, seen));
                let acted =
                    call.telling(message, None, session.act_with_consent(action, Some(&consent))).await;
                acted.map_err(|error| taps.refused().map_or_else(|| refused(error, &session), Into::into))?
            }
        };
        Ok(effect::told(&outcome, session.status().recording.as_ref()))
    }
}

/// An act that failed is no step of a recording; where it touched the screen all the same, replay would come out
/// elsewhere.
fn refused(error: ActError, session: &Session) -> OperationError {
    let is_missed = error.reached_the_device() && session.status().recording.is_some();
    let error = OperationError::from(error);
    if !is_missed {
        return error;
    }
    error.with_text(
        "note: this act reached the device but is no step of the recording, which says so; undo it, or record anew",
    )
}

/// Waiting only looks: it can be left at any moment, and tells how long it has taken.
async fn wait(session: &Session, action: Action, call: &Call) -> Result<ActOutcome, OperationError> {
    let Action::WaitFor { timeout_ms, .. } = action else { return Ok(session.act(action).await?) };
    let total = timeout_ms as f64 / 1e3;
    tokio::select! {
        outcome = call.telling("not yet", Some(total), session.act(action)) => Ok(outcome?),
        () = call.cancellation.cancelled() => Err(OperationError::cancelled("wait_for")),
    }
}

#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct Tap {
    session: Option<String>,
    #[serde(flatten)]
    target: TargetArguments,
    /// 2 for a double tap
    #[schemars(range(min = 1, max = 2))]
    count: Option<u8>,
    /// Long press
    #[schemars(range(min = 0, max = 30_000))]
    hold_ms: Option<u64>,
    /// Token of a refusal that asked for your user's agreement
    confirm: Option<String>,
}

impl ToAction for Tap {
    fn session(&self) -> Option<&str> {
        self.session.as_deref()
    }

    fn taps(&self) -> Result<Option<Target>, OperationError> {
        self.target.clone().required(None).map(Some)
    }

    fn confirmation(&self) -> Option<String> {
        self.confirm.clone()
    }

    fn action(self) -> Result<Action, OperationError> {
        let target = self.target.required(None)?;
        Ok(Action::Tap { target, count: self.count.unwrap_or(1), hold_ms: self.hold_ms.unwrap_or(0) })
    }
}

#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct TapAndWaitKeyboard {
    session: Option<String>,
    #[serde(flatten)]
    target: TargetArguments,
    #[schemars(range(min = 0, max = 60_000))]
    timeout_ms: Option<u64>,
    /// Token of a refusal that asked for your user's agreement
    confirm: Option<String>,
}

impl ToAction for TapAndWaitKeyboard {
    fn session(&self) -> Option<&str> {
        self.session.as_deref()
    }

    fn longest(&self) -> Duration {
        Duration::from_millis(self.timeout_ms.unwrap_or(3_000))
    }

    fn taps(&self) -> Result<Option<Target>, OperationError> {
        self.target.clone().required(None).map(Some)
    }

    fn confirmation(&self) -> Option<String> {
        self.confirm.clone()
    }

    fn action(self) -> Result<Action, OperationError> {
        let target = self.target.required(None)?;
        Ok(Action::TapAndWaitKeyboard { target, timeout_ms: self.timeout_ms.unwrap_or(3_000) })
    }
}

#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct Swipe {
    session: Option<String>,
    /// A target: mark, stable_id, label, or x and y
    from: Option<TargetArguments>,
    /// A target
    to: Option<TargetArguments>,
    /// Where the finger goes: up shows what is below
    direction: Option<Direction>,
    /// Points
    #[schemars(range(min = 1, max = 10_000))]
    distance: Option<f64>,
    #[schemars(range(min = 10, max = 30_000))]
    duration_ms: Option<u64>,
    /// Repeat until this label is in view
    until: Option<String>,
    #[schemars(range(min = 1, max = 100))]
    max_swipes: Option<u32>,
}

impl ToAction for Swipe {
    fn session(&self) -> Option<&str> {
        self.session.as_deref()
    }

    fn longest(&self) -> Duration {
        // settling included
        let one = Duration::from_millis(self.duration_ms.unwrap_or(300)) + Duration::from_secs(5);
        one * if self.until.is_some() { self.max_swipes.unwrap_or(10) } else { 1 }
    }

    fn action(self) -> Result<Action, OperationError> {
        let from = self.from.map(|t| t.required(Some("from"))).transpose()?;
        let to = self.to.map(|t| t.required(Some("to"))).transpose()?;
        let path = match (self.direction, from, to) {
            (None, Some(from), Some(to)) => {
                if self.distance.is_some() {
                    return Err(OperationError::invalid("`distance` goes with `direction` only"));
                }
                SwipePath::FromTo { from, to }
            }
            (Some(direction), from, None) => SwipePath::Toward { direction, from, distance: self.distance },
            _ => {
                return Err(OperationError::invalid(
                    "a swipe takes `from` and `to`, or `direction` with an optional `from`",
                ));
            }
        };
        if self.until.as_ref().is_some_and(|label| label.trim().is_empty()) {
            return Err(OperationError::invalid("`until` is empty"));
        }
        if self.until.is_none() && self.max_swipes.is_some() {
            return Err(OperationError::invalid("`max_swipes` goes with `until` only"));
        }
        Ok(Action::Swipe {
            path,
            duration_ms: self.duration_ms.unwrap_or(300),
            until: self.until,
            max_swipes: self.max_swipes.unwrap_or(10),
        })
    }
}

#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct TypeText {
    session: Option<String>,
    text: Option<String>,
    /// Instead of text: environment variable that holds it; never written or shown
    secret: Option<String>,
    /// Field to tap first; a target, as in tap
    into: Option<TargetArguments>,
    clear_first: Option<bool>,
    /// Press return afterwards
    submit: Option<bool>,
    /// Token of a refusal that asked for your user's agreement
    confirm: Option<String>,
}

impl ToAction for TypeText {
    fn session(&self) -> Option<&str> {
        self.session.as_deref()
    }

    fn confirmation(&self) -> Option<String> {
        self.confirm.clone()
    }

    fn action(self) -> Result<Action, OperationError> {
        let text = match (self.text, self.secret) {
            (Some(text), None) => TypedText::Text(text),
            (None, Some(name)) if !name.trim().is_empty() => TypedText::Secret(name),
            _ => return Err(OperationError::invalid("type_text takes exactly one of `text` and `secret`")),
        };
        let into = self.into.map(|t| t.required(Some("into"))).transpose()?;
        Ok(Action::TypeText {
            text,
            into,
            clear_first: self.clear_first.unwrap_or(false),
            submit: self.submit.unwrap_or(false),
        })
    }
}

#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct PressKey {
    session: Option<String>,
    /// home, lock, siri, shake, volume_up, volume_down, return, tab, escape, delete, space, up, down, left, right, or a character
    key: String,
    modifiers: Option<Vec<Modifier>>,
    /// Token of a refusal that asked for your user's agreement
    confirm: Option<String>,
}

impl ToAction for PressKey {
    fn session(&self) -> Option<&str> {
        self.session.as_deref()
    }

    fn confirmation(&self) -> Option<String> {
        self.confirm.clone()
    }

    fn action(self) -> Result<Action, OperationError> {
        let folded =
            if self.key.chars().count() == 1 { self.key.clone() } else { self.key.to_ascii_lowercase() };
        let key: Key = serde_json::from_value(Value::String(folded)).map_err(|_| {
            OperationError::invalid(format!("`key`: no key is called {:?}", self.key)).with_hint(
                "keys are home, lock, siri, shake, volume_up, volume_down, return, tab, escape, delete, space, \
                 up, down, left, right, or a single character",
            )
        })?;
        Ok(Action::PressKey { key, modifiers: self.modifiers.unwrap_or_default() })
    }
}

#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct ClearField {
    session: Option<String>,
    #[serde(flatten)]
    target: TargetArguments,
}

impl ToAction for ClearField {
    fn session(&self) -> Option<&str> {
        self.session.as_deref()
    }

    fn action(self) -> Result<Action, OperationError> {
        Ok(Action::ClearField { target: self.target.target(None)? })
    }
}

#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct DismissSheet {
    session: Option<String>,
    direction: Option<SheetDirection>,
}

impl ToAction for DismissSheet {
    fn session(&self) -> Option<&str> {
        self.session.as_deref()
    }

    fn action(self) -> Result<Action, OperationError> {
        Ok(Action::DismissSheet { direction: self.direction.unwrap_or_default() })
    }
}

#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct WaitFor {
    session: Option<String>,
    label: Option<String>,
    role: Option<String>,
    /// Wait until it is gone
    gone: Option<bool>,
    /// Wait until the screen rests
    stable: Option<bool>,
    #[schemars(range(min = 0, max = 600_000))]
    timeout_ms: Option<u64>,
}

impl ToAction for WaitFor {
    fn session(&self) -> Option<&str> {
        self.session.as_deref()
    }

    fn longest(&self) -> Duration {
        Duration::from_millis(self.timeout_ms.unwrap_or(10_000))
    }

    fn action(self) -> Result<Action, OperationError> {
        let condition = Condition {
            role: self.role.map(|r| target::role("role", &r)).transpose()?,
            label: self.label,
            gone: self.gone.unwrap_or(false),
            stable: self.stable.unwrap_or(false),
        };
        let names_a_mark = condition.label.is_some() || condition.role.is_some();
        if !names_a_mark && !condition.stable {
            return Err(OperationError::invalid("wait_for takes `label`, `role` or `stable`"));
        }
        if condition.gone && !names_a_mark {
            return Err(OperationError::invalid("`gone` goes with `label` or `role`"));
        }
        Ok(Action::WaitFor { condition, timeout_ms: self.timeout_ms.unwrap_or(10_000) })
    }
}

#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct SetAppearance {
    session: Option<String>,
    appearance: Option<Appearance>,
    content_size: Option<ContentSize>,
}

impl ToAction for SetAppearance {
    fn session(&self) -> Option<&str> {
        self.session.as_deref()
    }

    fn action(self) -> Result<Action, OperationError> {
        if self.appearance.is_none() && self.content_size.is_none() {
            return Err(OperationError::invalid("set_appearance takes `appearance`, `content_size` or both"));
        }
        Ok(Action::SetAppearance { appearance: self.appearance, content_size: self.content_size })
    }
}

#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct OpenUrl {
    session: Option<String>,
    url: String,
}

impl ToAction for OpenUrl {
    fn session(&self) -> Option<&str> {
        self.session.as_deref()
    }

    fn admitted(&self, policy: &Policy) -> Result<(), PolicyError> {
        // what is no address is refused as such
        scheme(&self.url).map_or(Ok(()), |_| policy.admit_address(&self.url))
    }

    fn action(self) -> Result<Action, OperationError> {
        if scheme(&self.url).is_none() {
            let message = format!("`url` must be an address with a scheme; got {:?}", self.url);
            return Err(OperationError::invalid(message));
        }
        Ok(Action::OpenUrl { url: self.url })
    }
}
