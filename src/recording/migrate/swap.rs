//! A new folder in the place of an old one: in one step, with the old one kept as a hidden backup. Uses `frames`.

use std::fs;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use chrono::Utc;
use rustix::fs::{CWD, RenameFlags, renameat_with};

use super::Files;
use crate::recording::frames::write_atomically;
use crate::recording::store::name_of;
use crate::recording::{RecordingError, Result};

/// All files of a folder and of those in it.
pub(super) fn files_of(dir: &Path) -> Result<Files> {
    let mut files = Files::new();
    gather(dir, dir, &mut files).map_err(RecordingError::io("can't read", dir))?;
    Ok(files)
}

fn gather(root: &Path, dir: &Path, files: &mut Files) -> io::Result<()> {
    for entry in fs::read_dir(dir)? {
        let entry = entry?;
        let (path, kind) = (entry.path(), entry.file_type()?);
        if kind.is_dir() {
            gather(root, &path, files)?;
        } else if kind.is_file()
            && let Ok(relative) = path.strip_prefix(root)
        {
            files.insert(relative.to_owned(), fs::read(&path)?);
        }
    }
    Ok(())
}

/// Writes the files beside `target`, then lets them take its place. What stood there, and `source`, stay as backups,
/// whose paths are given.
///
/// # Errors
/// Something can't be written; until the folders change places all is as it was.
pub(super) fn replace(source: &Path, target: &Path, files: &Files) -> Result<Vec<PathBuf>> {
    let parent = target.parent().unwrap_or(Path::new("/"));
    let staging = tempfile::Builder::new()
        .prefix(&format!(".{}.migrating-", name_of(target)))
        .permissions(fs::Permissions::from_mode(0o777))
        .tempdir_in(parent)
        .map_err(RecordingError::io("can't write in", parent))?;
    for (path, bytes) in files {
        write_atomically(&staging.path().join(path), bytes)?;
    }
    let mut backups = Vec::new();
    if target.exists() {
        let backup = backup_of(target);
        change_places(staging.path(), target, &backup)
            .map_err(RecordingError::io("can't replace", target))?;
        backups.push(backup);
    } else {
        fs::rename(staging.path(), target).map_err(RecordingError::io("can't write", target))?;
    }
    // it has another name by now
    let _ = staging.keep();
    if source != target {
        let backup = backup_of(source);
        fs::rename(source, &backup).map_err(RecordingError::io("can't move", source))?;
        backups.push(backup);
    }
    fs::File::open(parent)
        .and_then(|dir| dir.sync_all())
        .map_err(RecordingError::io("can't sync", parent))?;
    Ok(backups)
}

/// Hidden, so that no list and no replay takes it for a recording.
fn backup_of(dir: &Path) -> PathBuf {
    let stamp = Utc::now().format("%Y%m%dT%H%M%SZ");
    let name = format!(".{}.backup-{stamp}", name_of(dir));
    let numbered = (2_u32..).map(|n| dir.with_file_name(format!("{name}-{n}")));
    let mut names = std::iter::once(dir.with_file_name(&name)).chain(numbered);
    names.find(|path| !path.exists()).unwrap_or_else(|| dir.with_file_name(name))
}

fn change_places(new: &Path, old: &Path, backup: &Path) -> io::Result<()> {
    if renameat_with(CWD, new, CWD, old, RenameFlags::EXCHANGE).is_ok() {
        return fs::rename(new, backup);
    }
    // not every file system can; then there is a moment with the backup only
    fs::rename(old, backup)?;
    fs::rename(new, old).inspect_err(|_| {
        // so that all is as it was
        let _ = fs::rename(backup, old);
    })
}
