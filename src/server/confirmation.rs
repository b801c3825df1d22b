//! Asks the client's user whether a sensitive tap may be done, where the client can ask. Uses `operation`'s errors.

use std::collections::BTreeMap;
use std::time::Duration;

use rmcp::model::{ElicitRequestParams, ElicitationAction, ElicitationSchema};
use rmcp::service::ElicitationMode;
use rmcp::{Peer, RoleServer, ServiceError};

use crate::code::ErrorCode;
use crate::operation::OperationError;

/// A person may be slow; the token is void after two minutes.
const PATIENCE: Duration = Duration::from_secs(115);

/// What the user said.
pub enum Answer {
    Agreed,
    Declined,
}

/// The token that a refusal brought, where it was one for want of agreement.
pub fn token(error: &OperationError) -> Option<String> {
    let token = error.details.get("confirm").filter(|_| error.code == ErrorCode::ConfirmationRequired)?;
    token.as_str().map(str::to_owned)
}

/// `None` where the client can't ask: then the token goes to the agent.
pub async fn ask(peer: &Peer<RoleServer>, what: &str) -> Option<Answer> {
    if !peer.supported_elicitation_modes().contains(&ElicitationMode::Form) {
        return None;
    }
    let question = ElicitRequestParams::FormElicitationParams {
        meta: None,
        message: format!("{what}. Allow it, this once?"),
        // accepting is all there is to say
        requested_schema: ElicitationSchema::new(BTreeMap::new()),
    };
    match peer.create_elicitation_with_timeout(question, Some(PATIENCE)).await {
        Ok(answer) if answer.action == ElicitationAction::Accept => Some(Answer::Agreed),
        Ok(_) | Err(ServiceError::Timeout { .. }) => Some(Answer::Declined),
        Err(e) => {
            tracing::debug!("the client was not able to ask: {e}");
            None
        }
    }
}

/// Declined is declined: no token goes on.
pub fn declined(error: &OperationError) -> OperationError {
    OperationError::new(ErrorCode::PolicyDenied, format!("{}, and the user did not agree", error.message))
        .with_hint("nothing was touched; do something else, or ask your user what they want")
}
