//! The versions of `recording.yaml`, and the way from each to the next. Uses the format.

use std::path::Path;

use serde_json::{Map, Value};

use crate::recording::format::stated_version;
use crate::recording::{Place, RecordingError, Result, SCHEMA, yaml};

const PREFIX: &str = "simdrive.recording/";

/// The way from one version to the next.
pub(super) struct Rung {
    pub from: u32,
    /// Changes the file's keys; an error is told as words.
    pub change: fn(&mut Map<String, Value>) -> std::result::Result<(), String>,
}

/// All versions, the oldest first.
pub(super) struct Ladder {
    pub newest: u32,
    pub rungs: &'static [Rung],
}

/// A version after the first adds a rung here, and moves [`SCHEMA`] on.
pub(super) const LADDER: Ladder = Ladder { newest: 1, rungs: &[] };

/// Which version a file is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Version {
    Newest,
    Older(u32),
    /// It says nothing, as the original's files do.
    Unstated,
}

impl Ladder {
    /// # Errors
    /// A version that this build doesn't know, such as a newer one.
    pub fn version_of(&self, path: &Path, text: &str) -> Result<Version> {
        let Some((stated, line)) = stated_version(text) else { return Ok(Version::Unstated) };
        let known = |n: &u32| *n == self.newest || self.rungs.iter().any(|rung| rung.from == *n);
        let number = stated.strip_prefix(PREFIX).and_then(|n| n.parse().ok());
        match number.filter(known) {
            Some(number) if number == self.newest => Ok(Version::Newest),
            Some(number) => Ok(Version::Older(number)),
            None => Err(RecordingError::Version {
                place: Place { path: path.into(), line: Some(line), step: None },
                message: format!(
                    "`{stated}` is not a version this simdrive knows; its newest is `{SCHEMA}`, \
                     a newer simdrive may read it"
                ),
            }),
        }
    }

    /// The text of an older version as one of the newest.
    pub fn bring_up(&self, path: &Path, text: &str, from: u32) -> Result<String> {
        let mut keys: Map<String, Value> = yaml::read(path, text)?;
        for rung in self.rungs.iter().filter(|rung| rung.from >= from) {
            (rung.change)(&mut keys).map_err(|message| RecordingError::Invalid {
                place: Place::file(path),
                message: format!("from version {}: {message}", rung.from),
            })?;
        }
        keys.insert("schema".into(), Value::from(format!("{PREFIX}{}", self.newest)));
        yaml::write(path, &keys)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const THREE: Ladder = Ladder {
        newest: 3,
        rungs: &[
            Rung {
                from: 1,
                change: |keys| {
                    let title = keys.remove("title").ok_or("`title` is missing")?;
                    keys.insert("name".into(), title);
                    Ok(())
                },
            },
            Rung {
                from: 2,
                change: |keys| {
                    keys.insert("bands".into(), Value::Array(Vec::new()));
                    Ok(())
                },
            },
        ],
    };

    #[test]
    fn a_version_climbs_every_rung_above_it() {
        let path = Path::new("r/recording.yaml");
        let first = "schema: simdrive.recording/1\ntitle: sign-in\n";
        assert_eq!(THREE.version_of(path, first).unwrap(), Version::Older(1));
        let up = THREE.bring_up(path, first, 1).unwrap();
        assert_eq!(up, "schema: simdrive.recording/3\nname: sign-in\nbands: []\n");
        assert_eq!(THREE.version_of(path, &up).unwrap(), Version::Newest);
        let second = THREE.bring_up(path, "schema: simdrive.recording/2\nname: a\n", 2).unwrap();
        assert!(second.contains("name: a\n"), "{second}");
        let broken = THREE.bring_up(path, "schema: simdrive.recording/1\n", 1).unwrap_err().to_string();
        assert_eq!(broken, "r/recording.yaml: from version 1: `title` is missing");
    }

    #[test]
    fn a_version_that_is_not_known_is_told_with_its_line() {
        let path = Path::new("r/recording.yaml");
        for stated in ["simdrive.recording/4", "simdrive.recording/0", "simdrive.recording/x", "other/1"] {
            let error = THREE.version_of(path, &format!("name: a\nschema: {stated}\n")).unwrap_err();
            assert_eq!(error.code().as_str(), "recording_version");
            assert!(error.to_string().starts_with(&format!("r/recording.yaml:2: `{stated}`")), "{error}");
        }
        assert_eq!(THREE.version_of(path, "name: a\n").unwrap(), Version::Unstated);
        assert_eq!(LADDER.newest.to_string(), SCHEMA.strip_prefix(PREFIX).unwrap());
    }
}
