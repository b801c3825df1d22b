//! An `idb_companion` of our own: started on a private socket, watched, stopped. Uses `link` and `device::process`.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use async_trait::async_trait;
use serde_json::Value;
use tempfile::TempDir;

use crate::device::idb::Endpoint;
use crate::device::idb::link::Link;
use crate::device::process::{
    self, Command, NotReady, Output, Owned, Service, Standing, Status, Supervisor, Timing,
};
use crate::device::{DeviceError, Result};
use crate::home::home;

const PROGRAM: &str = "idb_companion";
/// Where it is installed; a server that a desktop application started has a short `PATH`.
const USUAL_FOLDERS: [&str; 3] = ["/opt/facebook/idb/bin", "/opt/homebrew/bin", "/usr/local/bin"];

/// How to get a companion.
pub const INSTALL: &str = "brew install facebook/fb/idb-companion";

/// The companion that would be started.
pub fn program() -> Option<PathBuf> {
    let usual = USUAL_FOLDERS.iter().map(|folder| Path::new(folder).join(PROGRAM));
    process::find(PROGRAM).or_else(|| usual.filter_map(|p| process::find(&p.display().to_string())).next())
}

/// Ends the companions that a killed simdrive has left behind, and gives their process ids.
pub async fn reclaim() -> Vec<i32> {
    process::reclaim(&records()).await
}

/// The record of a process that serves this, for [`reclaim`].
pub fn owned(serves: &str) -> Owned {
    Owned::new(&records(), serves, None)
}

fn records() -> PathBuf {
    home().join("companions")
}

/// A companion that runs until this is closed or dropped.
pub struct CompanionProcess {
    supervisor: Supervisor,
    endpoint: Endpoint,
    /// Holds the socket; only this user enters it.
    _folder: TempDir,
}

impl CompanionProcess {
    /// Starts a companion for a simulator, and waits until it answers.
    ///
    /// # Errors
    /// There is none to start, or it does not come to answer; with what it last said.
    pub async fn start(udid: &str, selector: &str) -> Result<Self> {
        let unreachable = |reason: String| DeviceError::Unreachable { device: selector.to_owned(), reason };
        let program = program().ok_or_else(|| {
            unreachable(format!(
                "`{PROGRAM}` is not on the PATH nor where it is usually installed: {INSTALL}; \
                 or use `--driver cli` with the `idb` command"
            ))
        })?;
        let owner_only = std::fs::Permissions::from_mode(0o700);
        let folder = tempfile::Builder::new()
            .prefix("simdrive-")
            .permissions(owner_only)
            .tempdir()
            .map_err(|e| unreachable(format!("no folder for its socket can be made: {e}")))?;
        let socket = folder.path().join("companion.sock");
        let command = Command::new(program.display().to_string())
            .arguments(["--udid", udid, "--grpc-domain-sock"])
            .path(&socket)
            .arguments(["--only", "simulator"]);
        let owned = Owned::new(&records(), udid, Some(folder.path().to_owned()));
        let service = Arc::new(CompanionService { socket: socket.clone() });
        let supervisor = Supervisor::start(PROGRAM, command, service, Timing::default(), Some(owned));
        let this = Self { supervisor, endpoint: Endpoint::Unix(socket), _folder: folder };
        this.supervisor.ready().await.map_err(unreachable)?;
        Ok(this)
    }

    pub fn endpoint(&self) -> &Endpoint {
        &self.endpoint
    }

    pub fn status(&self) -> Status {
        self.supervisor.status()
    }

    /// Stops it in steps, and returns once it is gone.
    pub async fn stop(&self) {
        self.supervisor.stop().await;
    }
}

#[async_trait]
impl Standing for CompanionProcess {
    async fn standing(&self) -> std::result::Result<u32, String> {
        self.supervisor.ready().await?;
        Ok(self.supervisor.status().restarts)
    }
}

/// Ready once it has said where it listens and answers there.
struct CompanionService {
    socket: PathBuf,
}

#[async_trait]
impl Service for CompanionService {
    async fn ready(&self, output: &Output) -> std::result::Result<(), NotReady> {
        let Some(path) = output.lines().iter().find_map(|line| announced(line)) else {
            return Err(NotReady::Yet("it has not said where it listens".to_owned()));
        };
        if Path::new(&path) != self.socket {
            return Err(NotReady::Never(format!(
                "it listens on {path}, not on {} as it was told",
                self.socket.display()
            )));
        }
        self.healthy().await.map_err(NotReady::Yet)
    }

    async fn healthy(&self) -> std::result::Result<(), String> {
        let link = Link::new(Endpoint::Unix(self.socket.clone()));
        link.check().await.map_err(|error| error.to_string())
    }
}

/// The socket in a companion's start-up line; other lines are noise.
fn announced(line: &str) -> Option<String> {
    let line: Value = serde_json::from_str(line.trim()).ok()?;
    Some(line.get("grpc_path")?.as_str()?.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_start_up_line_is_believed() {
        assert_eq!(announced("{\"grpc_path\": \"/tmp/a b.sock\"}"), Some("/tmp/a b.sock".into()));
        for noise in ["", "Loading frameworks", "{}", "{\"grpc_port\": 1}", "[1]", "{\"grpc_path\": 3}"] {
            assert_eq!(announced(noise), None, "{noise}");
        }
    }
}
