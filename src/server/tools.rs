//! The published list of tools, from the table of operations.

use std::sync::Arc;

use rmcp::model::{Tool, ToolAnnotations};

use crate::operation::Descriptor;
use crate::policy::Policy;

/// Those that the policy lets a client have.
pub fn offered(policy: &Policy) -> Vec<Tool> {
    Descriptor::all().iter().filter(|descriptor| policy.offers(&descriptor.facts())).map(tool).collect()
}

fn tool(descriptor: &'static Descriptor) -> Tool {
    let hints = descriptor.hints;
    let annotations = ToolAnnotations::from_raw(
        Some(descriptor.title.to_owned()),
        Some(hints.read_only),
        Some(hints.destructive),
        Some(hints.idempotent),
        Some(hints.open_world),
    );
    Tool::new(descriptor.name, descriptor.description, Arc::new(descriptor.schema.clone()))
        .with_annotations(annotations)
}
