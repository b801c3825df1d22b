//! What clients may read without calling a tool: recordings and their frames, the last look of a session, reports of
//! replays, the audit log. Nothing here asks a device. Uses `recording`, `session`, `policy`, `audit`.

mod address;
mod reports;

use serde_json::json;

use crate::code::ErrorCode;
use crate::observe::View;
use crate::operation::observation::{Presentation, present};
use crate::operation::{Context, Descriptor, OperationError, allow};
use crate::policy::Mode;
use crate::session::Client;

pub use address::{Address, Template};
pub use reports::Reports;

/// Lines of the audit log that are told, the latest.
const AUDIT_LINES: usize = 200;
const JSON: &str = "application/json";
const REPORT: &str = "report.json";

/// One that is there now.
#[derive(Clone, Debug)]
pub struct Resource {
    pub address: Address,
    pub name: String,
    pub description: String,
    pub media_type: &'static str,
}

/// What stands at an address.
#[derive(Clone, Debug)]
pub struct Read {
    pub media_type: &'static str,
    pub content: Content,
}

#[derive(Clone, Debug)]
pub enum Content {
    Text(String),
    Bytes(Vec<u8>),
}

/// Those that the caller may read, in a lasting order; frames are found by their recording.
pub fn list(context: &Context) -> Vec<Resource> {
    let mut all = vec![
        Resource {
            address: Address::Recordings,
            name: "recordings".into(),
            description: "The recordings there are: name, steps, tags, path".into(),
            media_type: JSON,
        },
        Resource {
            address: Address::Audit,
            name: "audit log".into(),
            description: format!("What was done and refused: the last {AUDIT_LINES} lines"),
            media_type: "application/x-ndjson",
        },
    ];
    for (id, session) in context.sessions.all() {
        let device = &session.description().selector;
        all.push(Resource {
            address: Address::Observation { session: id.clone() },
            name: format!("last observation of {id}"),
            description: format!("What was last seen on {device}"),
            media_type: JSON,
        });
        all.push(Resource {
            address: Address::Picture { session: id.clone() },
            name: format!("last picture of {id}"),
            description: format!("The same screen of {device}, with numbered marks"),
            media_type: "image/jpeg",
        });
    }
    for (id, folder) in context.reports.all() {
        all.push(Resource {
            address: Address::Report { id: id.clone() },
            name: format!("report {id}"),
            description: format!("Verdicts of a replay; its page is {}", folder.join("index.html").display()),
            media_type: JSON,
        });
    }
    for name in context.store.names() {
        all.push(Resource {
            address: Address::Recording { name: name.clone() },
            description: format!("The steps of {name}"),
            name,
            media_type: "application/yaml",
        });
    }
    all.retain(|resource| offered(context, resource.address.tool()));
    all
}

/// The forms of addresses that the caller may use.
pub fn templates(context: &Context) -> impl Iterator<Item = &'static Template> {
    Template::ALL.iter().filter(|template| offered(context, Some(template.tool())))
}

fn offered(context: &Context, tool: Option<&str>) -> bool {
    tool.is_none_or(|name| {
        // what it shows is read only, whatever the tool itself may need
        Descriptor::named(name).is_ok_and(|tool| context.policy.permits(&tool.facts(), Mode::Observe).is_ok())
    })
}

/// Reads what stands at an address.
///
/// # Errors
/// There is nothing, it is another client's, or the policy keeps it from being read.
pub async fn read(context: &Context, uri: &str) -> Result<Read, OperationError> {
    let address = Address::parse(uri)?;
    if let Some(tool) = address.tool() {
        context.policy.permits(&Descriptor::named(tool)?.facts(), Mode::Observe)?;
    }
    match address {
        Address::Recordings => {
            let folder = context.store.root().display().to_string();
            Ok(document(&json!({"folder": folder, "recordings": context.store.list(None)})))
        }
        Address::Recording { name } => {
            allow::named(context, &name)?;
            let text = context.store.text(&name)?;
            Ok(Read { media_type: "application/yaml", content: Content::Text(text) })
        }
        Address::Frame { recording, frame } => {
            allow::named(context, &recording)?;
            let bytes = context.store.frame(&recording, &frame)?;
            Ok(Read { media_type: "image/png", content: Content::Bytes(bytes) })
        }
        Address::Observation { session } => {
            let seen = last_look(context, &session)?;
            Ok(document(&seen.to_json(&View::default())))
        }
        Address::Picture { session } => {
            let shown = present(last_look(context, &session)?, Presentation::default()).await?;
            let picture = shown.picture.ok_or_else(|| OperationError::internal("no picture was drawn"))?;
            Ok(Read { media_type: picture.media_type, content: Content::Bytes(picture.bytes) })
        }
        Address::Report { id } => report(context, &id),
        Address::Audit => {
            Ok(Read { media_type: "application/x-ndjson", content: Content::Text(audit(context)?) })
        }
    }
}

fn document(value: &serde_json::Value) -> Read {
    Read { media_type: JSON, content: Content::Text(format!("{value:#}")) }
}

fn last_look(
    context: &Context,
    session: &str,
) -> Result<std::sync::Arc<crate::observe::Observation>, OperationError> {
    let (id, session) = context.sessions.get(Some(session))?;
    session
        .last()
        .ok_or_else(|| OperationError::new(ErrorCode::NoObservation, format!("nothing was seen in {id} yet")))
}

fn report(context: &Context, id: &str) -> Result<Read, OperationError> {
    let folder = context.reports.folder(id).ok_or_else(|| {
        OperationError::invalid(format!("there is no report {id:?}"))
            .with_hint("replay with report_dir keeps one, and tells its id")
    })?;
    let file = folder.join(REPORT);
    let text = std::fs::read_to_string(&file)
        .map_err(|e| OperationError::invalid(format!("{} can't be read: {e}", file.display())))?;
    Ok(Read { media_type: JSON, content: Content::Text(text) })
}

/// One of several clients reads only what was done in its own open sessions.
fn audit(context: &Context) -> Result<String, OperationError> {
    let Some(audit) = &context.audit else { return Ok(String::new()) };
    let lines = audit
        .last_lines(AUDIT_LINES)
        .map_err(|e| OperationError::internal(format!("the audit log can't be read: {e}")))?;
    if *context.sessions.client() == Client::Only {
        return Ok(lines.join("\n"));
    }
    let own = context.sessions.all();
    let is_own = |line: &String| {
        let Ok(entry) = serde_json::from_str::<serde_json::Value>(line) else { return false };
        let at = entry["time"].as_str().and_then(|time| chrono::DateTime::parse_from_rfc3339(time).ok());
        let at = at.and_then(|time| u64::try_from(time.timestamp()).ok()).unwrap_or(0);
        own.iter().any(|(id, session)| entry["session"] == id.as_str() && at >= session.started())
    };
    Ok(lines.into_iter().filter(is_own).collect::<Vec<_>>().join("\n"))
}
