//! Receives an app to install: a path, or a gzip tar in pieces. Uses `sim::app` and the protocol's messages.
//!
//! What the embedded simulator runs is one YAML file; a bundle (`Shop.app`) is a folder that holds one.

use std::io::Read;
use std::path::{Path, PathBuf};

use flate2::read::GzDecoder;
use tonic::{Status, Streaming};

use crate::device::idb::protocol::companion as wire;
use crate::device::idb::protocol::companion::install_request::{Destination, Value};
use crate::device::idb::protocol::companion::payload::{Compression, Source};
use crate::sim::app::{self, App};
use crate::sim::companion::service::refused;

/// The most that an upload may hold; an app is some kilobytes of YAML.
const LARGEST_UPLOAD: usize = 64 << 20;
const LARGEST_APP: u64 = 8 << 20;

/// Reads the whole stream and the app in it.
///
/// # Errors
/// INVALID_ARGUMENT or UNIMPLEMENTED for what can't be installed here, INTERNAL for an app that is not sound.
pub async fn receive(mut requests: Streaming<wire::InstallRequest>) -> Result<App, Status> {
    let mut upload = Vec::new();
    let mut path = None;
    while let Some(request) = requests.message().await? {
        match request.value {
            Some(Value::Destination(code)) if code != Destination::App as i32 => {
                return Err(Status::unimplemented("the embedded simulator installs apps only"));
            }
            Some(Value::Payload(wire::Payload { source: Some(source) })) => match source {
                Source::FilePath(file) => path = Some(PathBuf::from(file)),
                Source::Data(part) if upload.len() + part.len() > LARGEST_UPLOAD => {
                    return Err(Status::resource_exhausted("the app is larger than any this simulator runs"));
                }
                Source::Data(part) => upload.extend_from_slice(&part),
                Source::Compression(code) if code != Compression::Gzip as i32 => {
                    return Err(Status::unimplemented("the embedded simulator reads gzip only"));
                }
                Source::Compression(_) => {}
                Source::Url(_) => {
                    return Err(Status::unimplemented("the embedded simulator downloads nothing"));
                }
            },
            _ => {}
        }
    }
    let read = tokio::task::spawn_blocking(move || match path {
        Some(path) => from_path(&path),
        None if upload.is_empty() => Err(Status::invalid_argument("no app was sent")),
        None => from_upload(&upload),
    });
    read.await.map_err(|_| Status::internal("the app can't be read"))?
}

fn from_path(path: &Path) -> Result<App, Status> {
    if path.is_dir() {
        let unreadable = |e: std::io::Error| Status::internal(format!("{}: {e}", path.display()));
        let mut files: Vec<PathBuf> = std::fs::read_dir(path)
            .map_err(unreadable)?
            .filter_map(|entry| Some(entry.ok()?.path()))
            .filter(|file| is_yaml(file))
            .collect();
        files.sort();
        let file = files.first().ok_or_else(no_app)?;
        return from_path(file);
    }
    if !path.is_file() {
        return Err(Status::internal(format!("there is no file {}", path.display())));
    }
    app::load(&path.to_string_lossy()).map_err(refused)
}

fn from_upload(upload: &[u8]) -> Result<App, Status> {
    const GZIP: [u8; 2] = [0x1f, 0x8b];
    if !upload.starts_with(&GZIP) {
        return from_yaml(upload, "the uploaded file");
    }
    let unreadable = |e: std::io::Error| Status::invalid_argument(format!("the archive can't be read: {e}"));
    let mut archive = tar::Archive::new(GzDecoder::new(upload));
    for entry in archive.entries().map_err(unreadable)? {
        let entry = entry.map_err(unreadable)?;
        let name = entry.path().map_err(unreadable)?.into_owned();
        if is_yaml(&name) {
            let mut yaml = Vec::new();
            entry.take(LARGEST_APP).read_to_end(&mut yaml).map_err(unreadable)?;
            return from_yaml(&yaml, &name.to_string_lossy());
        }
    }
    Err(no_app())
}

fn from_yaml(yaml: &[u8], name: &str) -> Result<App, Status> {
    let yaml = std::str::from_utf8(yaml).map_err(|_| no_app())?;
    app::parse(yaml, name).map_err(refused)
}

fn is_yaml(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "yaml" || extension == "yml")
}

fn no_app() -> Status {
    Status::invalid_argument(
        "there is no app here: the embedded simulator runs a YAML file, or a bundle with one",
    )
}
