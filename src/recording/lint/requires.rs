//! Which screen a recording begins on, and whether it says so. Uses the recorder's choice of labels.

use super::finding::{Findings, Rule, Spot};
use super::repair::Repair;
use super::secrets::Betrayals;
use crate::observe::Observation;
use crate::recording::Recording;
use crate::recording::recorder::telling_labels;

/// The labels that tell the first screen, as far as pixels show them.
pub(in crate::recording) fn labels_of(first: &Observation, recording: &Recording) -> Vec<String> {
    let betrayals = Betrayals::of(Some(recording));
    telling_labels(first).into_iter().filter(|label| betrayals.is_harmless(label)).collect()
}

/// `first` is what was seen in the first frame, where it could be looked at.
pub(super) fn check(recording: &Recording, first: Option<&[String]>, found: &mut Findings) {
    if recording.steps.is_empty() || !recording.requires.labels.is_empty() {
        return;
    }
    let labels = first.unwrap_or_default();
    let repair = (!labels.is_empty()).then(|| Repair::Require(labels.to_vec()));
    found.add_repaired(
        Rule::MissingRequires,
        Spot::Key("requires.labels".into()),
        "`requires` names no labels, so a replay on another screen fails late and unclearly".into(),
        "name labels that the first screen shows under `requires`",
        repair,
    );
}
