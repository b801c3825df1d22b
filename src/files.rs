//! How files are written: whole, or not at all. Uses nothing of this crate.

use std::fs::{File, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

/// Writes under a temporary name, syncs, renames, syncs the folder, which must be there. `mode` is that of the file,
/// less what the user's mask takes away.
///
/// # Errors
/// The file can't be written; what was there before is as it was.
pub fn write_atomically(path: &Path, bytes: &[u8], mode: u32) -> io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    let mut builder = tempfile::Builder::new();
    builder.prefix(".").suffix(".tmp").permissions(Permissions::from_mode(mode));
    let mut file = builder.tempfile_in(folder)?;
    file.write_all(bytes)?;
    file.as_file().sync_all()?;
    file.persist(path)?;
    File::open(folder)?.sync_all()
}
