//! Frames named by what they hold: one file however often its pixels occur. Uses `frame`, `geometry`.

use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::{Place, Recording, RecordingError, Result};
use crate::files;
use crate::frame::{Frame, hex};
use crate::geometry::PixelRect;

/// What masked pixels are painted with.
const BLANK: [u8; 4] = [128, 128, 128, 255];

/// The first 16 hex digits of the sha256 of the stored file.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String", into = "String")]
#[schemars(with = "String")]
pub struct FrameName(String);

impl FrameName {
    pub(super) fn of(file: &[u8]) -> Self {
        Self(hex(&Sha256::digest(file)[..8]))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    pub fn file_name(&self) -> String {
        format!("{}.png", self.0)
    }
}

impl std::fmt::Display for FrameName {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl From<FrameName> for String {
    fn from(name: FrameName) -> Self {
        name.0
    }
}

impl TryFrom<String> for FrameName {
    type Error = String;

    fn try_from(name: String) -> std::result::Result<Self, String> {
        let sound =
            name.len() == 16 && name.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b));
        sound.then(|| Self(name.clone())).ok_or_else(|| {
            format!(
                "`{name}` is no frame's name: 16 lower-case hexadecimal digits, without folder and `.png`"
            )
        })
    }
}

/// A frame, and the file it is stored in.
pub(super) struct FrameFile {
    pub bytes: Vec<u8>,
    pub frame: Frame,
}

/// The `frames` folder of one recording.
#[derive(Clone, Debug)]
pub struct FrameFolder {
    dir: PathBuf,
}

impl FrameFolder {
    /// Of the recording in this folder.
    pub fn of(recording: &Path) -> Self {
        Self { dir: recording.join("frames") }
    }

    pub fn path(&self, name: &FrameName) -> PathBuf {
        self.dir.join(name.file_name())
    }

    /// Stores a frame with these pixels painted over, and syncs it; a file already there is left alone.
    pub fn put(&self, frame: &Frame, secret: &[PixelRect]) -> Result<FrameName> {
        let masked;
        let shown = if secret.is_empty() {
            frame
        } else {
            masked = painted_over(frame, secret)?;
            &masked
        };
        let bytes = shown.to_png();
        self.put_file(&bytes)
    }

    /// Stores the file of a frame under the name of its digest.
    pub(super) fn put_file(&self, bytes: &[u8]) -> Result<FrameName> {
        let name = FrameName::of(bytes);
        let path = self.path(&name);
        if !path.exists() {
            write_atomically(&path, bytes)?;
        }
        Ok(name)
    }

    /// Reads a frame and checks that it is the one that was stored.
    pub fn load(&self, name: &FrameName, place: &Place) -> Result<Frame> {
        self.read(name, place).map(|file| file.frame)
    }

    /// As `load`, with the file it came from.
    pub(super) fn read(&self, name: &FrameName, place: &Place) -> Result<FrameFile> {
        let file = self.path(name);
        let altered = |reason: String| RecordingError::AlteredFrame {
            place: place.clone(),
            file: file.clone(),
            reason,
        };
        let bytes = match std::fs::read(&file) {
            Ok(bytes) => bytes,
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => {
                return Err(RecordingError::MissingFrame {
                    place: place.clone(),
                    frame: name.to_string(),
                    file,
                });
            }
            Err(source) => return Err(RecordingError::Io { what: "can't read", path: file, source }),
        };
        if FrameName::of(&bytes) != *name {
            return Err(altered("its content no longer has the digest in its name".into()));
        }
        match Frame::decode(&bytes) {
            Ok(frame) => Ok(FrameFile { bytes, frame }),
            Err(e) => Err(altered(e.to_string())),
        }
    }

    /// The PNG files that are here, by the part of the name before `.png`.
    pub(super) fn stored(&self) -> Vec<String> {
        let Ok(entries) = std::fs::read_dir(&self.dir) else { return Vec::new() };
        let mut names: Vec<String> = entries
            .filter_map(|e| e.ok()?.file_name().into_string().ok()?.strip_suffix(".png").map(str::to_owned))
            .collect();
        names.sort();
        names
    }

    /// Where one of `stored` is.
    pub(super) fn stored_path(&self, name: &str) -> PathBuf {
        self.dir.join(format!("{name}.png"))
    }

    /// Deletes the frames that no step of the recording uses.
    pub(super) fn keep_only(&self, recording: &Recording) -> Result<()> {
        let steps = recording.steps.iter();
        let used: Vec<&str> =
            steps.flat_map(|s| [&s.before, &s.after]).flatten().map(FrameName::as_str).collect();
        for orphan in self.stored().iter().filter(|name| !used.contains(&name.as_str())) {
            let file = self.stored_path(orphan);
            std::fs::remove_file(&file).map_err(RecordingError::io("can't delete", file))?;
        }
        Ok(())
    }
}

/// The frame with these pixels made grey; what lies outside of it is left out.
pub fn painted_over(frame: &Frame, rects: &[PixelRect]) -> Result<Frame> {
    let mut pixels = frame.pixels().clone();
    let (width, height) = pixels.dimensions();
    for rect in rects {
        for y in rect.y..rect.bottom().min(height) {
            for x in rect.x..rect.right().min(width) {
                pixels.put_pixel(x, y, image::Rgba(BLANK));
            }
        }
    }
    Frame::new(pixels).map_err(|e| RecordingError::Picture(e.to_string()))
}

/// Puts a file in its place, whole or not at all, to be read by others like any file.
pub(super) fn write_atomically(path: &Path, bytes: &[u8]) -> Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    std::fs::create_dir_all(folder).map_err(RecordingError::io("can't make", folder))?;
    files::write_atomically(path, bytes, 0o666).map_err(RecordingError::io("can't write", path))
}

#[cfg(test)]
mod tests {
    use super::*;
    use image::RgbaImage;

    fn frame(shade: u8) -> Frame {
        Frame::new(RgbaImage::from_pixel(12, 20, image::Rgba([shade, 10, 20, 255]))).unwrap()
    }

    #[test]
    fn equal_pixels_are_stored_once_and_come_back_exactly() {
        let dir = tempfile::tempdir().unwrap();
        let folder = FrameFolder::of(dir.path());
        let a = folder.put(&frame(1), &[]).unwrap();
        assert_eq!(a, folder.put(&frame(1), &[]).unwrap());
        assert_ne!(a, folder.put(&frame(2), &[]).unwrap());
        assert_eq!(folder.stored().len(), 2);
        assert_eq!(folder.load(&a, &Place::default()).unwrap().hash(), frame(1).hash());
    }

    #[test]
    fn a_secret_s_pixels_never_reach_the_file() {
        let dir = tempfile::tempdir().unwrap();
        let folder = FrameFolder::of(dir.path());
        let name = folder.put(&frame(1), &[PixelRect::new(2, 3, 4, 100)]).unwrap();
        let stored = folder.load(&name, &Place::default()).unwrap();
        assert_eq!(stored.pixels().get_pixel(2, 3).0, BLANK);
        assert_eq!(stored.pixels().get_pixel(5, 19).0, BLANK);
        assert_eq!(stored.pixels().get_pixel(6, 3).0, [1, 10, 20, 255]);
    }

    #[test]
    fn a_missing_and_an_altered_frame_are_told_apart() {
        let dir = tempfile::tempdir().unwrap();
        let folder = FrameFolder::of(dir.path());
        let name = folder.put(&frame(1), &[]).unwrap();
        let other = folder.put(&frame(2), &[]).unwrap();
        std::fs::copy(folder.path(&other), folder.path(&name)).unwrap();
        assert!(matches!(folder.load(&name, &Place::default()), Err(RecordingError::AlteredFrame { .. })));
        std::fs::remove_file(folder.path(&name)).unwrap();
        assert!(matches!(folder.load(&name, &Place::default()), Err(RecordingError::MissingFrame { .. })));
    }

    #[test]
    fn names_that_could_leave_the_folder_are_refused() {
        for name in ["../../etc/passwd", "3F9A000000000000", "3f9a", "3f9a0000000000000", ""] {
            assert!(FrameName::try_from(name.to_owned()).is_err(), "{name}");
        }
    }
}
