//! Prompts, and what may complete their arguments and those of resources, in the protocol's words. Uses `operation`'s
//! prompts and completions.

use rmcp::ErrorData;
use rmcp::model::{
    CompleteRequestParams, CompleteResult, CompletionInfo, GetPromptRequestParams, GetPromptResult,
    ListPromptsResult, Prompt as Listed, PromptArgument, PromptMessage, Reference, Role,
};
use serde_json::json;

use crate::operation::prompt::Prompt;
use crate::operation::{Context, OperationError, completion, resource};

pub fn list(context: &Context) -> ListPromptsResult {
    let all = Prompt::offered(context).map(|prompt| {
        let arguments = prompt.arguments.iter().map(|argument| {
            PromptArgument::new(argument.name)
                .with_description(argument.description)
                .with_required(argument.required)
        });
        Listed::new(prompt.name, Some(prompt.description), Some(arguments.collect())).with_title(prompt.title)
    });
    ListPromptsResult::with_all_items(all.collect())
}

/// # Errors
/// There is no such prompt, or its arguments are wrong.
pub fn get(context: &Context, request: GetPromptRequestParams) -> Result<GetPromptResult, ErrorData> {
    let prompt = Prompt::named(context, &request.name).map_err(|e| refusal(&e))?;
    let text = prompt.text(&request.arguments.unwrap_or_default()).map_err(|e| refusal(&e))?;
    let message = PromptMessage::new_text(Role::User, text);
    Ok(GetPromptResult::new(vec![message]).with_description(prompt.description))
}

/// # Errors
/// There is no such prompt or template, or it has no such argument.
pub async fn complete(
    context: &Context,
    request: CompleteRequestParams,
) -> Result<CompleteResult, ErrorData> {
    let name = request.argument.name.as_str();
    let is_argument = match &request.r#ref {
        Reference::Prompt(of) => {
            let prompt = Prompt::named(context, &of.name).map_err(|e| refusal(&e))?;
            prompt.arguments.iter().any(|argument| argument.name == name)
        }
        Reference::Resource(of) => {
            let found = resource::templates(context).find(|template| template.uri == of.uri);
            let template = found.ok_or_else(|| {
                let known: Vec<&str> = resource::templates(context).map(|template| template.uri).collect();
                refusal(
                    &OperationError::invalid(format!("there is no template {:?}", of.uri))
                        .with_hint(format!("there are {}", known.join(", "))),
                )
            })?;
            template.uri.contains(&format!("{{{name}}}"))
        }
        _ => false,
    };
    if !is_argument {
        return Err(refusal(&OperationError::invalid(format!("there is no argument {name:?} there"))));
    }
    let given = |name: &str| {
        let known = request.context.as_ref().and_then(|context| context.arguments.as_ref());
        known.and_then(|arguments| arguments.get(name).cloned())
    };
    let mut values = completion::complete(context, name, &request.argument.value, given).await;
    let total = u32::try_from(values.len()).ok();
    let has_more = values.len() > CompletionInfo::MAX_VALUES;
    values.truncate(CompletionInfo::MAX_VALUES);
    CompletionInfo::with_pagination(values, total, has_more)
        .map(CompleteResult::new)
        .map_err(|e| ErrorData::internal_error(e, None))
}

fn refusal(error: &OperationError) -> ErrorData {
    let data = json!({"code": error.code, "hint": error.hint, "details": error.details});
    ErrorData::invalid_params(error.message.clone(), Some(data))
}
