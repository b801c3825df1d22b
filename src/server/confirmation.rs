//! Asks the client's user whether a sensitive tap may be done, where the client can ask. Uses `operation`'s errors.
//!
//! The question goes to a client of the protocol before 2026-07-28 as a request, and to a later one as a result that
//! wants input, whose state is the refusal's token: 128 random bits that stand for what the policy keeps, so there is
//! nothing in it to forge or to read.

use std::collections::BTreeMap;
use std::time::Duration;

use rmcp::model::{
    CallToolRequestParams, ElicitRequest, ElicitRequestParams, ElicitResult, ElicitationAction,
    ElicitationSchema, InputRequest, InputRequests, InputRequiredResult, ProtocolVersion,
};
use rmcp::service::RequestContext;
use rmcp::{RoleServer, ServiceError};

use crate::code::ErrorCode;
use crate::operation::OperationError;

/// A person may be slow; the token is void after two minutes.
const PATIENCE: Duration = Duration::from_secs(115);
/// Names the question among those of a result, of which it is the only one.
const QUESTION: &str = "confirm";

/// What the user said.
#[derive(Clone, Copy)]
pub enum Answer {
    Agreed,
    Declined,
}

/// What became of a question.
pub enum Asked {
    Answered(Answer),
    /// The client calls again with what its user said.
    Returned(InputRequiredResult),
    /// The client can't ask: the token goes to the agent.
    Not,
}

/// The token that a refusal brought, where it was one for want of agreement.
pub fn token(error: &OperationError) -> Option<String> {
    let token = error.details.get("confirm").filter(|_| error.code == ErrorCode::ConfirmationRequired)?;
    token.as_str().map(str::to_owned)
}

/// What a call brings of an earlier question: the token, and what the user said.
pub fn answer(request: &CallToolRequestParams) -> Option<(String, Answer)> {
    let token = request.request_state.clone()?;
    let said = request.input_responses.as_ref()?.get(QUESTION)?.clone();
    let said = serde_json::from_value::<ElicitResult>(said).ok()?;
    Some((token, said.action.into()))
}

/// Asks the client's user about a tap that was refused with this token.
pub async fn ask(context: &RequestContext<RoleServer>, what: &str, token: String) -> Asked {
    let elicitation = context.client_capabilities().and_then(|capabilities| capabilities.elicitation);
    // one that names no kind means forms
    if !elicitation.is_some_and(|kinds| kinds.form.is_some() || kinds.url.is_none()) {
        return Asked::Not;
    }
    let question = ElicitRequestParams::FormElicitationParams {
        meta: None,
        message: format!("{what}. Allow it, this once?"),
        // accepting is all there is to say
        requested_schema: ElicitationSchema::new(BTreeMap::new()),
    };
    if context.protocol_version().is_some_and(|version| version >= ProtocolVersion::V_2026_07_28) {
        let question = InputRequest::Elicitation(ElicitRequest::new(question));
        let questions = InputRequests::from([(QUESTION.to_owned(), question)]);
        return Asked::Returned(InputRequiredResult::new(Some(questions), Some(token)));
    }
    match context.peer.create_elicitation_with_timeout(question, Some(PATIENCE)).await {
        Ok(answer) => Asked::Answered(answer.action.into()),
        Err(ServiceError::Timeout { .. }) => Asked::Answered(Answer::Declined),
        Err(e) => {
            tracing::debug!("the client was not able to ask: {e}");
            Asked::Not
        }
    }
}

impl From<ElicitationAction> for Answer {
    fn from(action: ElicitationAction) -> Self {
        match action {
            ElicitationAction::Accept => Self::Agreed,
            _ => Self::Declined,
        }
    }
}
