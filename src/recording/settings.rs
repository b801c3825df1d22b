//! What a recording or a step changes about the gate. Uses nothing of this crate.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Departures from the gate's defaults; what is left out is taken from the next wider place:
/// step, recording, command line, config.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GateSettings {
    /// How long the gate polls for the expected screen, in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout_ms: Option<u64>,
    /// Whether status bar, caret, scroll indicator and home indicator are masked unasked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default_masks: Option<bool>,
}

impl GateSettings {
    pub fn is_default(&self) -> bool {
        *self == Self::default()
    }

    /// These settings where they say something, else those of `wider`.
    pub fn over(self, wider: Self) -> Self {
        Self {
            timeout_ms: self.timeout_ms.or(wider.timeout_ms),
            default_masks: self.default_masks.or(wider.default_masks),
        }
    }
}
