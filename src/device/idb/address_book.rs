//! The databases of an address book, packed as a companion takes them: a gzip tar of their folder (idb's
//! `contacts update`). Uses nothing of this crate.

use std::path::Path;

use flate2::Compression;
use flate2::write::GzEncoder;

/// The database of names; a folder without it is no address book.
const NAMES: &str = "AddressBook.sqlitedb";

/// # Errors
/// There is no address book, or it can't be read; in plain words.
pub fn pack(folder: &Path) -> Result<Vec<u8>, String> {
    if !folder.join(NAMES).is_file() {
        return Err(format!(
            "{} is neither a vCard (.vcf) nor a folder with {NAMES} in it",
            folder.display()
        ));
    }
    let name = folder.file_name().unwrap_or_else(|| "contacts".as_ref());
    let mut archive = tar::Builder::new(GzEncoder::new(Vec::new(), Compression::default()));
    let packed = archive.append_dir_all(name, folder).and_then(|()| archive.into_inner());
    packed.and_then(GzEncoder::finish).map_err(|e| format!("{} can't be read: {e}", folder.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_packed_with_its_name_and_what_is_none_is_refused() {
        let home = tempfile::tempdir().unwrap();
        let folder = home.path().join("book");
        std::fs::create_dir(&folder).unwrap();
        assert!(pack(&folder).unwrap_err().contains("neither a vCard"));
        std::fs::write(folder.join(NAMES), "names").unwrap();
        std::fs::write(folder.join("AddressBookImages.sqlitedb"), "images").unwrap();
        let packed = pack(&folder).unwrap();
        let mut archive = tar::Archive::new(flate2::read::GzDecoder::new(&packed[..]));
        let files =
            archive.entries().unwrap().map(|entry| entry.unwrap().path().unwrap().display().to_string());
        let mut files: Vec<String> = files.filter(|file| file.ends_with("sqlitedb")).collect();
        files.sort();
        assert_eq!(files, ["book/AddressBook.sqlitedb", "book/AddressBookImages.sqlitedb"]);
    }
}
