//! What clients read by address, in the protocol's words. Uses `operation`'s resources.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use rmcp::ErrorData;
use rmcp::model::{
    ListResourceTemplatesResult, ListResourcesResult, ReadResourceResult, Resource, ResourceContents,
    ResourceTemplate,
};
use serde_json::json;

use crate::code::ErrorCode;
use crate::operation::resource::{self, Content};
use crate::operation::{Context, OperationError};

/// Resources of one answer.
const PAGE: usize = 200;

/// One page; `cursor` is where an earlier one ended.
///
/// # Errors
/// The cursor is none of ours.
pub fn list(context: &Context, cursor: Option<&str>) -> Result<ListResourcesResult, ErrorData> {
    let start: usize = match cursor {
        None => 0,
        Some(given) => given
            .parse()
            .map_err(|_| ErrorData::invalid_params("the cursor is none of this server's", None))?,
    };
    let all = resource::list(context);
    let shown = all.iter().skip(start).take(PAGE).map(|found| {
        Resource::new(found.address.to_string(), found.name.clone())
            .with_description(found.description.clone())
            .with_mime_type(found.media_type)
    });
    let mut listed = ListResourcesResult::with_all_items(shown.collect());
    let end = start.saturating_add(PAGE);
    listed.next_cursor = (end < all.len()).then(|| end.to_string());
    Ok(listed)
}

pub fn templates(context: &Context) -> ListResourceTemplatesResult {
    let all = resource::templates(context).map(|template| {
        ResourceTemplate::new(template.uri, template.name)
            .with_description(template.description)
            .with_mime_type(template.media_type)
    });
    ListResourceTemplatesResult::with_all_items(all.collect())
}

pub async fn read(context: &Context, uri: &str) -> Result<ReadResourceResult, ErrorData> {
    let read = resource::read(context, uri).await.map_err(|error| refusal(&error, uri))?;
    let content = match read.content {
        Content::Text(text) => ResourceContents::text(text, uri),
        Content::Bytes(bytes) => ResourceContents::blob(STANDARD.encode(bytes), uri),
    };
    Ok(ReadResourceResult::new(vec![content.with_mime_type(read.media_type)]))
}

/// An error with our own code, and what to do, beside the protocol's.
pub fn refusal(error: &OperationError, uri: &str) -> ErrorData {
    let data = json!({"uri": uri, "code": error.code, "hint": error.hint});
    match error.code {
        ErrorCode::Internal => ErrorData::internal_error(error.message.clone(), Some(data)),
        ErrorCode::PolicyDenied => ErrorData::invalid_params(error.message.clone(), Some(data)),
        _ => ErrorData::resource_not_found(error.message.clone(), Some(data)),
    }
}
