//! The policy that a server holds its clients to: its mode, its tools, and the rules of files. Uses `policy`.

use std::collections::BTreeSet;

use super::Settings;
use crate::audit::AuditLog;
use crate::home::home;
use crate::operation::arguments::nearest;
use crate::operation::{Context, Descriptor, OperationError};
use crate::policy::{Mode, Policy, ToolChoice, Toolset, layers};
use crate::session::KeptSessions;

/// Flags of the server alone.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct PolicyArgs {
    /// How much clients may do [default: that of simdrive.toml or SIMDRIVE_MODE, else interact]
    #[arg(long, value_name = "MODE", value_enum)]
    mode: Option<Mode>,
    /// Only look, whatever else is said
    #[arg(long)]
    read_only: bool,
    /// Offer only these groups of tools
    #[arg(long, value_name = "GROUP,…", value_enum, value_delimiter = ',')]
    toolsets: Vec<Toolset>,
    /// Offer only these tools, beside those of --toolsets
    #[arg(long, value_name = "TOOL,…", value_delimiter = ',')]
    tools: Vec<String>,
}

impl PolicyArgs {
    /// What operations of clients work on, held to the policy.
    ///
    /// # Errors
    /// A tool or a mode that there isn't, a file that can't be understood, an audit log that can't be written.
    pub fn governed(self, settings: Settings) -> Result<Context, OperationError> {
        for name in &self.tools {
            Descriptor::named(name)?;
        }
        let mode = self.mode.map_or_else(mode_of_environment, |mode| Ok(Some(mode)))?;
        let tools = ToolChoice {
            toolsets: self.toolsets.into_iter().collect(),
            names: self.tools.into_iter().collect::<BTreeSet<_>>(),
        };
        let policy = Policy::new(mode, self.read_only || read_only_by_environment(), tools, layers()?);
        let file = home().join("audit.jsonl");
        let audit = AuditLog::at(&file).map_err(|e| {
            OperationError::invalid(format!("the audit log {} can't be written: {e}", file.display()))
        })?;
        let kept = KeptSessions::at(home().join("sessions"));
        Ok(settings.context()?.keeping(kept).governed(policy, audit))
    }
}

/// `SIMDRIVE_MODE`.
fn mode_of_environment() -> Result<Option<Mode>, OperationError> {
    let Some(named) = std::env::var("SIMDRIVE_MODE").ok().filter(|named| !named.is_empty()) else {
        return Ok(None);
    };
    <Mode as clap::ValueEnum>::from_str(&named, true).map(Some).map_err(|_| {
        let near = nearest(&named, &["observe", "interact", "full"]).unwrap_or("interact");
        OperationError::invalid(format!("SIMDRIVE_MODE is `{named}`; did you mean `{near}`?"))
    })
}

/// `SIMDRIVE_READ_ONLY`: anything but nothing, 0 and false.
fn read_only_by_environment() -> bool {
    std::env::var("SIMDRIVE_READ_ONLY").is_ok_and(|said| !matches!(said.as_str(), "" | "0" | "false"))
}
