//! What the HTTP server is told, and whether that is safe. Uses `operation`'s errors.

use std::net::SocketAddr;
use std::num::NonZeroU32;
use std::path::PathBuf;
use std::time::Duration;

use super::token;
use crate::operation::OperationError;

#[derive(Clone, Debug)]
pub struct HttpOptions {
    pub address: SocketAddr,
    /// Where the user keeps a token.
    pub token_file: Option<PathBuf>,
    /// Listen beyond this machine.
    pub allow_remote: bool,
    /// Origins of pages beside those of this machine.
    pub origins: Vec<String>,
    /// Names of this machine beside those of loopback.
    pub hosts: Vec<String>,
    /// Requests a second and peer.
    pub rate: NonZeroU32,
    /// What a client that is silent for so long has open is ended, its recordings finished.
    pub idle: Duration,
}

impl HttpOptions {
    /// # Errors
    /// Others would reach the server, and the user did not say that they may.
    pub fn check(&self) -> Result<(), OperationError> {
        if !self.is_remote() {
            return Ok(());
        }
        let own = self.token_file.is_some() || token::of_environment().is_some();
        let lacks = match (own, self.allow_remote) {
            (true, true) => return Ok(()),
            (true, false) => "--allow-remote",
            (false, true) => "a token of your own (--token-file FILE, or SIMDRIVE_TOKEN)",
            (false, false) => "--allow-remote and a token of your own (--token-file FILE, or SIMDRIVE_TOKEN)",
        };
        let message = format!("{} can be reached from other machines", self.address);
        Err(OperationError::invalid(message).with_hint(format!(
            "add {lacks}, and --allow-host with the name that clients use; or listen on 127.0.0.1"
        )))
    }

    pub(super) fn is_remote(&self) -> bool {
        !self.address.ip().to_canonical().is_loopback()
    }
}
