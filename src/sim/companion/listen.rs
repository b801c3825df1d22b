//! Where a companion listens: a given port or socket, or a private socket of its own.
//! Uses the endpoint of `device::idb`.

use std::fs::Metadata;
use std::io;
use std::net::Ipv4Addr;
use std::os::unix::fs::{FileTypeExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use tokio::net::{TcpListener, UnixListener};
use tokio_stream::wrappers::UnixListenerStream;
use tonic::transport::server::TcpIncoming;

use crate::device::idb::Endpoint;
use crate::sim::companion::StartError;

/// What is asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Listen {
    /// A socket in a folder that only this user enters.
    Private,
    /// This socket; one that was left behind is replaced.
    Socket(PathBuf),
    /// This port of the loopback interface; 0 for a free one.
    Port(u16),
}

pub enum Listener {
    Tcp(TcpIncoming),
    Unix(UnixListenerStream),
}

/// A socket in the file system; it goes when this is dropped, unless another has taken its place.
pub struct SocketFile {
    path: PathBuf,
    /// Device and number of the file that we made.
    identity: Option<(u64, u64)>,
    /// A folder that was made for it.
    folder: Option<PathBuf>,
}

impl Listen {
    pub async fn open(&self) -> Result<(Listener, Endpoint, Option<SocketFile>), StartError> {
        match self {
            Self::Port(port) => {
                let failed = |e: io::Error| StartError::Listen {
                    place: format!("port {port}"),
                    reason: e.to_string(),
                };
                let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, *port)).await.map_err(failed)?;
                let port = listener.local_addr().map_err(failed)?.port();
                let endpoint = Endpoint::Tcp { host: Ipv4Addr::LOCALHOST.to_string(), port };
                Ok((Listener::Tcp(TcpIncoming::from(listener).with_nodelay(Some(true))), endpoint, None))
            }
            Self::Socket(path) => on_socket(path.clone(), None),
            Self::Private => {
                let folder = private_folder().map_err(|e| StartError::Listen {
                    place: "a private socket".to_owned(),
                    reason: e.to_string(),
                })?;
                on_socket(folder.join("companion.sock"), Some(folder))
            }
        }
    }
}

fn on_socket(
    path: PathBuf,
    folder: Option<PathBuf>,
) -> Result<(Listener, Endpoint, Option<SocketFile>), StartError> {
    let mut socket = SocketFile { path: path.clone(), identity: None, folder };
    let failed =
        |e: io::Error| StartError::Listen { place: path.display().to_string(), reason: e.to_string() };
    remove_stale(&path).map_err(failed)?;
    let listener = UnixListener::bind(&path).map_err(failed)?;
    socket.identity = path.symlink_metadata().ok().map(|m| identity(&m));
    Ok((Listener::Unix(UnixListenerStream::new(listener)), Endpoint::Unix(path.clone()), Some(socket)))
}

/// Removes a socket that is in the way; any other file stays, and is an error.
fn remove_stale(path: &Path) -> io::Result<()> {
    match path.symlink_metadata() {
        Ok(metadata) if metadata.file_type().is_socket() => std::fs::remove_file(path),
        Ok(_) => Err(io::Error::new(io::ErrorKind::AlreadyExists, "there is a file that is no socket")),
        Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(e) => Err(e),
    }
}

fn private_folder() -> io::Result<PathBuf> {
    let owner_only = std::fs::Permissions::from_mode(0o700);
    let folder = tempfile::Builder::new().prefix("simdrive-").permissions(owner_only).tempdir()?;
    // removed together with the socket in it
    Ok(folder.keep())
}

fn identity(metadata: &Metadata) -> (u64, u64) {
    (metadata.dev(), metadata.ino())
}

impl Drop for SocketFile {
    fn drop(&mut self) {
        // nobody can be told of what fails here
        let now = self.path.symlink_metadata().ok().map(|m| identity(&m));
        if now.is_some() && now == self.identity {
            let _ = std::fs::remove_file(&self.path);
        }
        if let Some(folder) = &self.folder {
            let _ = std::fs::remove_dir(folder);
        }
    }
}
