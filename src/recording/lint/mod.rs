//! Keeps recordings healthy: every rule of design.md section 6, each finding with its place and what to do about it.
//! Uses the store, `observe` and `vision`.
//!
//! `integrity` says whether a recording is whole, which `validate` asks too. `targets` and `secrets` look at the file,
//! `moving`, `weight` and `secrets` at every frame through `eyes`; `repair` does what is safe; `sarif` is for machines.

mod eyes;
mod finding;
mod integrity;
mod layout;
mod moving;
mod repair;
mod requires;
mod sarif;
mod secret_text;
mod secrets;
mod targets;
mod weight;

use std::path::{Path, PathBuf};

use serde::Serialize;

use super::{Loaded, Pending, Project, Recording, Result, Side, draft};
pub(super) use eyes::Eyes;
pub use finding::{Finding, Rule, Severity};
pub(super) use integrity::check as check_integrity;
pub use repair::Repair;
pub(super) use requires::labels_of;
pub use sarif::sarif;

/// How often repairs are looked at again: one may only show what another one hid.
const PASSES: usize = 4;
/// Pixels a point, in each direction, at which pictures are still observed.
const MOST_PIXELS: f64 = 8.0;

/// What was found in one recording.
#[derive(Clone, Debug, Serialize)]
pub struct Linted {
    pub path: PathBuf,
    pub findings: Vec<Finding>,
    /// What was found first, and is so no longer.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub fixed: Vec<Finding>,
}

/// Looks at one recording after the other, and keeps what its models know.
pub struct Linter {
    project: Project,
    eyes: Eyes,
}

impl Linter {
    /// `project` says which masks and gates hold besides a recording's own.
    pub fn new(project: Project) -> Self {
        Self { project, eyes: Eyes::default() }
    }

    /// Looks, and changes nothing.
    ///
    /// # Errors
    /// The models can't be loaded, or fail.
    pub fn lint(&mut self, dir: &Path) -> Result<Linted> {
        Ok(Linted { path: dir.to_owned(), findings: self.look(dir)?.1, fixed: Vec::new() })
    }

    /// Looks, and does what is safe.
    ///
    /// # Errors
    /// The models fail, or a file can't be written; the recording is whole all the same.
    pub fn fix(&mut self, dir: &Path) -> Result<Linted> {
        let mut fixed = Vec::new();
        for _ in 0..PASSES {
            let (loaded, findings) = self.look(dir)?;
            let (repairable, left): (Vec<_>, Vec<_>) = findings.into_iter().partition(|f| f.repair.is_some());
            let Some(loaded) = loaded.filter(|_| !repairable.is_empty()) else {
                return Ok(Linted { path: dir.to_owned(), findings: left, fixed });
            };
            repair::apply(loaded, repairable.iter().filter_map(|finding| finding.repair.as_ref()))?;
            fixed.extend(repairable);
        }
        Ok(Linted { fixed, ..self.lint(dir)? })
    }

    fn look(&mut self, dir: &Path) -> Result<(Option<Loaded>, Vec<Finding>)> {
        let repairable = is_at_rest(dir);
        // changes that wait for review name frames by their digest
        let renamable = repairable && Pending::load(dir).is_ok_and(|pending| pending.changes.is_empty());
        let (project, eyes) = (&self.project, &mut self.eyes);
        let mut first: Option<Vec<String>> = None;
        let (loaded, mut found) = integrity::check(dir, &mut |loaded, shot, found| {
            let recording = &loaded.recording;
            weight::check(shot, &loaded.frames(), renamable, found);
            let scale = recording.device.screen.scale;
            // what no gate can hold against a screen, and what has more pixels than any, is not looked at
            if recording.gate.limits(scale).is_err() || scale > MOST_PIXELS {
                return Ok(());
            }
            let seen = eyes.see(&shot.frame, scale)?;
            if shot.uses.contains(&(1, Side::Before)) {
                first = Some(requires::labels_of(&seen.screen, recording));
            }
            targets::check_alike(recording, shot, &seen.screen, found);
            secrets::Betrayals::of(Some(recording)).in_frame(
                shot.uses[0],
                shot.name.as_str(),
                &seen.lines,
                scale,
                found,
            );
            moving::check(recording, project, shot, &seen, eyes, found)
        })?;
        let recording: Option<&Recording> = loaded.as_ref().map(|loaded| &loaded.recording);
        if let Some(recording) = recording {
            targets::check(recording, &mut found);
            requires::check(recording, first.as_deref(), &mut found);
        }
        secrets::Betrayals::of(recording).in_file(recording, &mut found);
        let mut findings = found.into_list(repairable);
        findings.sort_by(|a, b| (&a.file, a.line, a.code).cmp(&(&b.file, b.line, b.code)));
        Ok((loaded, findings))
    }
}

/// Nobody writes it, and it is really here: neither it nor its frames are links to another place.
fn is_at_rest(dir: &Path) -> bool {
    let is_link = |path: &Path| path.symlink_metadata().is_ok_and(|of| of.file_type().is_symlink());
    let linked = is_link(dir) || is_link(&dir.join("frames")) || is_link(&dir.join(super::store::FILE));
    !linked && !draft::is_unfinished(dir)
}
