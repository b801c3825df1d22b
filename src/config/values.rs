//! The keys that a file may hold, as they are published. Uses `device`, `policy` and the types of `vision`.

use std::net::SocketAddr;
use std::num::NonZeroU32;
use std::path::PathBuf;

use schemars::JsonSchema;
use serde::Deserialize;

use crate::device::Driver;
use crate::policy::{Mode, Rules, Toolset};
use crate::vision::gate::GateOptions;
use crate::vision::mask::Mask;

/// `simdrive.toml` of a project and `~/.config/simdrive/config.toml` of a user. Everything may be left out; paths
/// are relative to the file.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Values {
    /// Device of sessions that name none, such as `sim:demo`.
    pub device: Option<String>,
    /// Who drives simulators of this Mac.
    pub driver: Option<Driver>,
    /// JSON file: what the session of a WebDriver server is to be capable of.
    pub capabilities: Option<PathBuf>,
    /// Address of an idb companion that runs already: HOST:PORT, or the path of its socket.
    pub companion: Option<String>,
    /// Folder of recordings. Default `recordings` in SIMDRIVE_HOME.
    pub recordings: Option<PathBuf>,
    /// Folder of other text models, of ocrs or PP-OCR. Default: the built-in ones.
    pub text_model: Option<PathBuf>,
    /// What is told on standard error, such as `debug` or `simdrive=trace`.
    pub log: Option<String>,
    /// How much clients may do. `full` is for the user's own file only.
    pub mode: Option<Mode>,
    /// Clients only look, whatever else is said.
    pub read_only: Option<bool>,
    /// Offer only these groups of tools.
    pub toolsets: Option<Vec<Toolset>>,
    /// Offer only these tools, beside those of `toolsets`.
    pub tools: Option<Vec<String>>,
    /// All the schemes that `open_url` may open, instead of all but those that the system answers itself. In the
    /// user's own file only.
    pub url_schemes: Option<Vec<String>>,
    /// Masks beside the default ones, for every recording.
    pub masks: Vec<Mask>,
    /// Departures from the gate's defaults, for every recording that says nothing else.
    pub gate: GateOptions,
    pub http: HttpValues,
    pub policy: Rules,
}

/// What `simdrive serve` goes by. Tokens are never kept here: they have files of their own.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct HttpValues {
    /// Where it listens, such as `127.0.0.1:7333`.
    #[schemars(with = "Option<String>")]
    pub address: Option<SocketAddr>,
    /// Requests a second that one address may make.
    pub rate: Option<NonZeroU32>,
    /// Seconds that a client may be silent before what it has open is ended, recordings finished.
    pub idle: Option<NonZeroU32>,
    /// File with the bearer token. In the user's own file only.
    pub token_file: Option<PathBuf>,
    /// Origins whose pages may come in, beside those of this machine. In the user's own file only.
    pub allow_origins: Option<Vec<String>>,
    /// Names of this machine that are answered to, beside those of loopback. In the user's own file only.
    pub allow_hosts: Option<Vec<String>>,
}

/// Keys whose values are paths: in a file relative to it.
pub(super) const PATHS: [&str; 4] = ["capabilities", "recordings", "text_model", "http.token_file"];

/// Keys that would let a project, which may have been checked out from anywhere, loosen what its user decided.
pub(super) const OWN: [&str; 4] =
    ["url_schemes", "http.token_file", "http.allow_origins", "http.allow_hosts"];
