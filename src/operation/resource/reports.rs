//! The reports of replays that this server ran, where their caller had them kept. Uses nothing of this crate.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// Older ones are still in their folders, but are not told of any more.
const MOST: usize = 32;

/// Folders of reports, by the ids that they were given. Clones share them.
#[derive(Clone, Debug, Default)]
pub struct Reports(Arc<Mutex<Told>>);

#[derive(Debug, Default)]
struct Told {
    given: u32,
    kept: VecDeque<(String, PathBuf)>,
}

impl Reports {
    /// Tells of a report from now on, under the id that is returned.
    pub fn add(&self, folder: &Path) -> String {
        let mut told = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        told.given += 1;
        let id = format!("r{}", told.given);
        let folder = std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned());
        told.kept.push_back((id.clone(), folder));
        if told.kept.len() > MOST {
            told.kept.pop_front();
        }
        id
    }

    /// Ids and folders, the oldest first.
    pub fn all(&self) -> Vec<(String, PathBuf)> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).kept.iter().cloned().collect()
    }

    pub fn folder(&self, id: &str) -> Option<PathBuf> {
        self.all().into_iter().find(|(known, _)| known == id).map(|(_, folder)| folder)
    }
}
