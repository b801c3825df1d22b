//! Where a companion listens. Uses nothing of this crate.

use std::fmt;
use std::path::PathBuf;

/// A TCP port or a unix socket.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Endpoint {
    /// The host without the brackets of an IPv6 address.
    Tcp {
        host: String,
        port: u16,
    },
    Unix(PathBuf),
}

/// The selector of the endpoint: `idb://HOST:PORT` or `idb+unix:///PATH`.
impl fmt::Display for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tcp { host, port } if host.contains(':') => write!(f, "idb://[{host}]:{port}"),
            Self::Tcp { host, port } => write!(f, "idb://{host}:{port}"),
            Self::Unix(path) => write!(f, "idb+unix://{}", path.display()),
        }
    }
}
