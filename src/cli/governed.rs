//! The policy that a server holds its clients to: its mode, its tools, the rules of files, and where paths may lead.
//! Uses `config` and `policy`.

use std::path::{Path, PathBuf};

use serde_json::json;

use super::settings::{self, Settings};
use crate::audit::AuditLog;
use crate::config::{Config, Flag, Origin};
use crate::home::home;
use crate::operation::{Context, Descriptor, OperationError};
use crate::policy::{Folders, Mode, Policy, PolicyOptions, Said, ToolChoice, Toolset};
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
    /// Everything that is said, these flags and `more` last.
    ///
    /// # Errors
    /// A tool or a mode that there isn't, a file that can't be understood.
    pub fn config(self, settings: Settings, more: Vec<Flag>) -> Result<Config, OperationError> {
        let chosen = !self.toolsets.is_empty() || !self.tools.is_empty();
        let given = Flag::given([
            ("mode", "--mode", self.mode.map(|mode| json!(mode))),
            ("read_only", "--read-only", self.read_only.then(|| json!(true))),
            // one of the two flags chooses anew
            ("toolsets", "--toolsets", chosen.then(|| json!(self.toolsets))),
            ("tools", "--tools", chosen.then(|| json!(self.tools))),
        ]);
        let config = settings.config(given.chain(more).collect())?;
        for name in config.values.tools.iter().flatten() {
            Descriptor::named(name).map_err(|error| OperationError {
                message: format!("{}: {}", config.origin("tools"), error.message),
                ..error
            })?;
        }
        Ok(config)
    }
}

/// What operations of clients work on, held to the policy.
///
/// # Errors
/// The audit log can't be written.
pub fn governed(config: &Config) -> Result<Context, OperationError> {
    let file = home().join("audit.jsonl");
    let audit = AuditLog::at(&file).map_err(|e| {
        OperationError::invalid(format!("the audit log {} can't be written: {e}", file.display()))
    })?;
    let kept = KeptSessions::at(home().join("sessions"));
    Ok(settings::context(config).keeping(kept).governed(policy(config), audit))
}

/// The policy that the configuration amounts to.
pub fn policy(config: &Config) -> Policy {
    let values = &config.values;
    let said = |key: &str| config.origin(key).to_string();
    Policy::new(PolicyOptions {
        mode: values.mode.map(|value| Said { value, by: said("mode") }),
        read_only: (values.read_only == Some(true)).then(|| said("read_only")),
        tools: ToolChoice {
            toolsets: values.toolsets.iter().flatten().copied().collect(),
            names: values.tools.iter().flatten().cloned().collect(),
        },
        layers: config.layers.clone(),
        url_schemes: settings::url_schemes(config),
        folders: Some(folders(config)),
    })
}

/// Where paths that clients name may lead: the project, or else the current folder; SIMDRIVE_HOME; and what the user
/// named. Files with `allow_folders` of their own narrow it, the user's own file widens it too.
fn folders(config: &Config) -> Folders {
    let here = std::env::current_dir().ok().filter(|folder| folder != Path::new("/"));
    let mut all: Vec<PathBuf> = config.project.clone().or(here).into_iter().collect();
    all.push(home());
    let of_user = config.layers.iter().find(|layer| layer.of_user);
    if let Some(allowed) = of_user.and_then(|layer| layer.rules.allow_folders.clone()) {
        all = allowed;
    }
    // a project's file names no folder for its user
    let is_project = |origin: &Origin| matches!((origin, &config.project), (Origin::File { file, .. }, Some(project)) if file.parent() == Some(project));
    if !is_project(&config.origin("recordings")) {
        all.push(config.recordings());
    }
    let of_project = config.layers.iter().filter(|layer| !layer.of_user);
    of_project.filter_map(|layer| layer.rules.allow_folders.clone()).fold(Folders::of(all), Folders::within)
}
