//! Which tools are offered at all: the groups of design.md section 5, and single names. Uses `mode`.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::Mode;

/// A group of tools.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    schemars::JsonSchema,
    clap::ValueEnum,
)]
#[serde(rename_all = "snake_case")]
pub enum Toolset {
    /// observe, wait_for
    Observation,
    /// tap, swipe, type_text and the other acts
    Action,
    /// record_start, record_stop, replay and what keeps recordings healthy
    Recording,
    /// Sessions and devices
    Lifecycle,
    /// Logs, crashes, measures, permissions
    Diagnostics,
}

/// The tools a client is shown; all where neither groups nor names are given.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ToolChoice {
    pub toolsets: BTreeSet<Toolset>,
    pub names: BTreeSet<String>,
}

/// What decides about a tool.
#[derive(Clone, Copy, Debug)]
pub struct ToolFacts {
    pub name: &'static str,
    pub toolset: Toolset,
    /// The lowest mode in which it can do anything.
    pub mode: Mode,
}

impl ToolChoice {
    pub fn holds(&self, tool: &ToolFacts) -> bool {
        let all = self.toolsets.is_empty() && self.names.is_empty();
        all || self.toolsets.contains(&tool.toolset) || self.names.contains(tool.name)
    }
}
