//! Taps that somebody must agree to first: asked about when they would be sent, and declined where the answer is no.
//! Uses `policy`, `act`, `session`, `audit`.

use std::sync::{Mutex, PoisonError};

use sha2::{Digest, Sha256};

use crate::act::Action;
use crate::code::ErrorCode;
use crate::device::DeviceKind;
use crate::frame::hex;
use crate::mark::Mark;
use crate::observe::Observation;
use crate::operation::{Call, Context, OperationError};
use crate::policy::{PendingTap, PolicyError};
use crate::session::Session;

/// Asks the policy about each tap of an act, at the moment when it would be sent: on the screen as it is then, where
/// it would go then. What the policy refuses is kept, to be told.
pub(super) struct Taps<'c> {
    context: &'c Context,
    call: &'c Call,
    session: &'c str,
    is_real: bool,
    tool: &'static str,
    arguments: String,
    token: Option<String>,
    can_be_confirmed: bool,
    refused: Mutex<Option<PolicyError>>,
}

impl<'c> Taps<'c> {
    /// Those of an action; `token` confirms what was refused before.
    pub fn of(
        action: &Action,
        token: Option<String>,
        (id, session): (&'c str, &Session),
        context: &'c Context,
        call: &'c Call,
    ) -> Self {
        call.audit.session(id);
        Self {
            context,
            call,
            session: id,
            is_real: session.description().kind != DeviceKind::Simulator,
            tool: action.name(),
            arguments: format!("{action:?}"),
            token,
            can_be_confirmed: matches!(
                action,
                Action::Tap { .. }
                    | Action::TapAndWaitKeyboard { .. }
                    | Action::TypeText { .. }
                    | Action::PressKey { .. }
            ),
            refused: Mutex::default(),
        }
    }

    pub fn may_go(&self, marks: &[&Mark], seen: &Observation) -> bool {
        let Some(meant) = marks.first() else { return true };
        self.call.audit.target(meant, seen);
        let policy = &self.context.policy;
        let Some(mark) = marks.iter().find(|m| policy.asks_for(m.role, &m.label, self.is_real).is_some())
        else {
            return true;
        };
        if !self.can_be_confirmed {
            return false;
        }
        let tap = PendingTap {
            tool: self.tool,
            session: self.session.to_owned(),
            arguments: self.arguments.clone(),
            role: mark.role,
            label: mark.label.clone(),
            screen: short(seen),
        };
        match policy.confirm(tap, self.token.as_deref()) {
            Ok(()) => true,
            Err(refused) => {
                *self.refused.lock().unwrap_or_else(PoisonError::into_inner) = Some(refused);
                false
            }
        }
    }

    /// Why a tap was not let go.
    pub fn refused(self) -> Option<PolicyError> {
        self.refused.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What stands on a screen, in short; a clock that ticks changes nothing, as it is no mark of the app.
fn short(seen: &Observation) -> String {
    let mut ids: Vec<&str> = seen.marks.iter().map(|mark| mark.stable_id.0.as_str()).collect();
    ids.sort_unstable();
    hex(&Sha256::digest(ids.join(" "))[..8])
}

/// Somebody did not agree to a tap: its token is void, the audit log says so, and this is what the caller gets.
pub fn decline(context: &Context, caller: Option<&str>, token: &str) -> OperationError {
    let tap = context.policy.decline(token);
    let what = tap.as_ref().map_or("this tap".to_owned(), |tap| format!("{} “{}”", tap.role, tap.label));
    if let (Some(tap), Some(audit)) = (&tap, &context.audit) {
        audit.declined(tap.tool, caller, &tap.session, &what);
    }
    OperationError::new(
        ErrorCode::PolicyDenied,
        format!("{what} must be confirmed, and the user did not agree"),
    )
    .with_hint("it was not done; do something else, or ask your user what they want")
}
