//! Which recordings a run replays: paths, tags, and this machine's share. Uses `recording`.

use std::path::{Path, PathBuf};
use std::str::FromStr;

use crate::recording::{Loaded, Recording, RecordingError, Store, recordings_under};

/// One of N shares of a run, from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    pub index: u32,
    pub total: u32,
}

impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let parts =
            text.split_once('/').and_then(|(i, n)| Some((i.trim().parse().ok()?, n.trim().parse().ok()?)));
        match parts {
            Some((index, total)) if 1 <= index && index <= total => Ok(Self { index, total }),
            _ => Err(format!("`{text}` is no shard; write I/N with I from 1 to N, such as 2/4")),
        }
    }
}

impl Shard {
    /// The share that the CI system gives this machine; `get` reads an environment variable.
    pub fn from_ci(get: impl Fn(&str) -> Option<String>) -> Option<Self> {
        // (index, total, the index of the first)
        let known = [
            ("CI_NODE_INDEX", "CI_NODE_TOTAL", 1),
            ("CIRCLE_NODE_INDEX", "CIRCLE_NODE_TOTAL", 0),
            ("BUILDKITE_PARALLEL_JOB", "BUILDKITE_PARALLEL_JOB_COUNT", 0),
            ("JOB_COMPLETION_INDEX", "JOB_COMPLETIONS", 0),
        ];
        known.into_iter().find_map(|(index, total, first)| {
            let number = |name| get(name)?.trim().parse::<u32>().ok();
            let (index, total) = (number(index)?.checked_sub(first)? + 1, number(total)?);
            (total > 1 && index <= total).then_some(Self { index, total })
        })
    }
}

/// A recording to replay, or why it can't be.
#[derive(Debug)]
pub struct Chosen {
    /// Its folder.
    pub path: PathBuf,
    pub loaded: Result<Loaded, RecordingError>,
}

impl Chosen {
    fn at(path: &Path) -> Self {
        Self { path: path.to_owned(), loaded: Store::at_path(path) }
    }

    fn has_tag(&self, tags: &[String]) -> bool {
        // what can't be read is never left out silently
        tags.is_empty()
            || self.loaded.as_ref().map_or(true, |l| l.recording.tags.iter().any(|t| tags.contains(t)))
    }

    /// Milliseconds that it may take, from what it took when it was recorded.
    fn expected_ms(&self) -> u64 {
        const OWN_SHARE_OF_A_STEP: u64 = 200;
        let of = |r: &Recording| r.steps.iter().map(|s| s.settled_ms + OWN_SHARE_OF_A_STEP).sum();
        self.loaded.as_ref().map_or(0, |l| of(&l.recording))
    }
}

/// The recordings that paths name: a recording, a folder of them, or a name in the store.
///
/// # Errors
/// A path that names nothing.
pub fn choose(paths: &[String], store: &Store, tags: &[String]) -> Result<Vec<Chosen>, RecordingError> {
    let mut chosen: Vec<Chosen> = Vec::new();
    for path in paths {
        let below = if Path::new(path).exists() { recordings_under(Path::new(path)) } else { Vec::new() };
        let found = if below.is_empty() {
            let loaded = store.find(path)?;
            vec![Chosen { path: loaded.dir.clone(), loaded: Ok(loaded) }]
        } else {
            below.iter().map(|dir| Chosen::at(dir)).collect()
        };
        for one in found {
            if !chosen.iter().any(|c| c.path == one.path) {
                chosen.push(one);
            }
        }
    }
    chosen.retain(|c| c.has_tag(tags));
    Ok(chosen)
}

/// This machine's share, every share taking about as long; all machines come to the same parts.
pub fn share(chosen: Vec<Chosen>, shard: Option<Shard>) -> Vec<Chosen> {
    let Some(shard) = shard else { return chosen };
    let mut longest_first: Vec<usize> = (0..chosen.len()).collect();
    longest_first.sort_by_key(|i| (std::cmp::Reverse(chosen[*i].expected_ms()), *i));
    let mut loads = vec![0; shard.total as usize];
    let mut mine = vec![false; chosen.len()];
    for i in longest_first {
        let least = (0..loads.len()).min_by_key(|part| loads[*part]).unwrap_or(0);
        loads[least] += chosen[i].expected_ms().max(1);
        mine[i] = least + 1 == shard.index as usize;
    }
    chosen.into_iter().zip(mine).filter_map(|(one, mine)| mine.then_some(one)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shards_are_read_and_found_in_ci() {
        assert_eq!("2/4".parse(), Ok(Shard { index: 2, total: 4 }));
        for wrong in ["0/4", "5/4", "2", "a/b", "-1/2"] {
            assert!(wrong.parse::<Shard>().is_err(), "{wrong}");
        }
        // name of the index, its value, name of the total; all mean the second of three
        for (index, value, total) in [
            ("CI_NODE_INDEX", "2", "CI_NODE_TOTAL"),
            ("CIRCLE_NODE_INDEX", "1", "CIRCLE_NODE_TOTAL"),
            ("BUILDKITE_PARALLEL_JOB", "1", "BUILDKITE_PARALLEL_JOB_COUNT"),
            ("JOB_COMPLETION_INDEX", "1", "JOB_COMPLETIONS"),
        ] {
            let get = |name: &str| match name {
                name if name == index => Some(value.to_owned()),
                name if name == total => Some("3".to_owned()),
                _ => None,
            };
            assert_eq!(Shard::from_ci(get), Some(Shard { index: 2, total: 3 }), "{index}");
            let nonsense = |name: &str| get(name).map(|_| "9".to_owned()).filter(|_| name == index);
            assert_eq!(Shard::from_ci(nonsense), None, "{index}");
        }
        assert_eq!(Shard::from_ci(|_| None), None);
    }

    #[test]
    fn every_recording_is_in_exactly_one_share() {
        let names: Vec<String> = (0..7).map(|i| format!("/nowhere/{i}")).collect();
        let all = || names.iter().map(|n| Chosen::at(Path::new(n))).collect::<Vec<_>>();
        let mut seen: Vec<PathBuf> = Vec::new();
        for index in 1..=3 {
            let part = share(all(), Some(Shard { index, total: 3 }));
            assert!((2..=3).contains(&part.len()));
            seen.extend(part.into_iter().map(|c| c.path));
        }
        seen.sort();
        assert_eq!(seen, names.iter().map(PathBuf::from).collect::<Vec<_>>());
    }
}
