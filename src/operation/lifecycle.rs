//! Devices and sessions: which there are, their beginning and end.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use crate::operation::{Call, Context, OperationError, Outcome, Run};
use crate::session::devices::{self, KnownKind};

#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct ListDevices {
    kind: Option<KnownKind>,
}

impl Run for ListDevices {
    async fn run(self, _: &Context, _: &Call) -> Result<Outcome, OperationError> {
        let mut devices = devices::known().await;
        devices.retain(|device| self.kind.is_none_or(|kind| device.kind == kind));
        let lines: Vec<String> =
            devices.iter().map(|device| format!("{}  {}", device.selector, device.description)).collect();
        let text = if lines.is_empty() { "no device of this kind".into() } else { lines.join("\n") };
        Ok(Outcome::new(text, json!({"devices": devices})))
    }
}
