//! Whether a recording can be replayed, and what to do where not. Uses the store and `frames`.

use std::collections::BTreeSet;
use std::path::Path;

use serde::Serialize;

use super::store::{FILE, name_of};
use super::variables::{map_texts, names};
use super::{Check, FrameName, Loaded, Place, Recording, RecordingError, StepBody, draft};
use crate::act::Action;
use crate::act::action::TypedText;
use crate::code::ErrorCode;
use crate::frame::Frame;
use crate::recording::RecordedTarget;
use crate::role::Role;

/// One thing that is wrong, or worth knowing.
#[derive(Clone, Debug, Serialize)]
pub struct Finding {
    pub code: ErrorCode,
    pub message: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub step: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u64>,
}

/// With no errors, the recording can be replayed.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Validation {
    pub errors: Vec<Finding>,
    pub warnings: Vec<Finding>,
    /// How many steps could be read.
    pub steps: usize,
    /// Variables and secrets that a replay needs.
    pub needs: Vec<String>,
}

impl Validation {
    pub fn is_valid(&self) -> bool {
        self.errors.is_empty()
    }

    fn error(&mut self, error: &RecordingError) {
        let place = match error {
            RecordingError::Invalid { place, .. }
            | RecordingError::Version { place, .. }
            | RecordingError::MissingFrame { place, .. }
            | RecordingError::AlteredFrame { place, .. } => place.clone(),
            _ => Place::default(),
        };
        let message = error.to_string();
        self.errors.push(Finding { code: error.code(), message, step: place.step, line: place.line });
    }

    fn warn(&mut self, step: Option<usize>, message: String) {
        self.warnings.push(Finding { code: ErrorCode::RecordingInvalid, message, step, line: None });
    }
}

/// Checks the recording in this folder: its file, every frame, and what a replay would need.
/// A folder whose recording was broken off is valid up to its last complete step.
pub fn validate(dir: &Path) -> Validation {
    let mut found = Validation::default();
    let recording = match Recording::read(&dir.join(FILE)) {
        Ok(recording) => recording,
        Err(e) => {
            found.error(&e);
            return found;
        }
    };
    found.steps = recording.steps.len();
    let loaded = Loaded { dir: dir.to_owned(), recording };
    check_folder(&loaded, &mut found);
    check_frames(&loaded, &mut found);
    check_steps(&loaded.recording, &mut found);
    found.needs = needs(&loaded.recording).into_iter().collect();
    found
}

fn check_folder(loaded: &Loaded, found: &mut Validation) {
    let recording = &loaded.recording;
    let folder = name_of(&std::path::absolute(&loaded.dir).unwrap_or_else(|_| loaded.dir.clone()));
    if recording.name != folder {
        found.warn(
            None,
            format!("`name` is `{}` but the folder is `{folder}`; the folder counts", recording.name),
        );
    }
    if recording.steps.is_empty() {
        found.warn(None, "there are no steps".into());
    }
    if draft::is_unfinished(&loaded.dir) {
        let steps = recording.steps.len();
        found.warn(
            None,
            format!("it was never stopped; its {steps} complete steps stand, record_stop finishes it"),
        );
        return;
    }
    let used: BTreeSet<&str> = used_frames(recording).map(|(_, name)| name.as_str()).collect();
    for orphan in loaded.frames().stored().iter().filter(|name| !used.contains(name.as_str())) {
        found.warn(None, format!("no step uses frames/{orphan}.png; delete it"));
    }
}

fn used_frames(recording: &Recording) -> impl Iterator<Item = (usize, &FrameName)> {
    let numbered = recording.steps.iter().enumerate();
    numbered.flat_map(|(i, s)| [&s.before, &s.after].into_iter().flatten().map(move |name| (i + 1, name)))
}

fn check_frames(loaded: &Loaded, found: &mut Validation) {
    let (frames, file) = (loaded.frames(), loaded.file());
    let mut seen = BTreeSet::new();
    for (step, name) in used_frames(&loaded.recording).filter(|(_, name)| seen.insert(*name)) {
        match frames.load(name, &Place::step(&file, step)) {
            Ok(frame) => check_size(&loaded.recording, step, name, &frame, found),
            Err(e) => found.error(&e),
        }
    }
}

fn check_size(recording: &Recording, step: usize, name: &FrameName, frame: &Frame, found: &mut Validation) {
    let screen = recording.device.screen;
    let (width, height) = (screen.width * screen.scale, screen.height * screen.scale);
    let size = frame.size();
    let near = |a: f64, b: u32| (a - f64::from(b)).abs() <= 2.0;
    let upright = near(width, size.width) && near(height, size.height);
    let turned = near(width, size.height) && near(height, size.width);
    if !upright && !turned {
        found.warn(
            Some(step),
            format!(
                "frame {name} is {}×{} pixels, the recorded screen {width:.0}×{height:.0}",
                size.width, size.height
            ),
        );
    }
}

fn check_steps(recording: &Recording, found: &mut Validation) {
    for gap in &recording.gaps {
        found.warn(None, format!("{gap}; undo what it did in the steps that follow, or record again"));
    }
    for (i, step) in recording.steps.iter().enumerate() {
        if let StepBody::Act(action) = &step.body
            && let Action::TypeText {
                text: TypedText::Text(_), into: Some(RecordedTarget::Mark(field)), ..
            } = &**action
            && field.role == Some(Role::SecureField)
        {
            found.warn(
                Some(i + 1),
                "text for a secure field stands in clear; use `secret` instead of `text`".into(),
            );
        }
    }
}

/// The names of variables and secrets that the steps use.
fn needs(recording: &Recording) -> BTreeSet<String> {
    let mut needed = BTreeSet::new();
    for step in &recording.steps {
        match &step.body {
            StepBody::Act(action) => {
                if let Action::TypeText { text: TypedText::Secret(name), .. } = &**action {
                    needed.insert(name.clone());
                }
                let gathered = map_texts((**action).clone(), |text| {
                    needed.extend(names(&text).map(str::to_owned));
                    Ok::<_, std::convert::Infallible>(text)
                });
                match gathered {
                    Ok(_) => {}
                    Err(never) => match never {},
                }
            }
            StepBody::Check(Check { label, value, .. }) => {
                for text in [label, value].into_iter().flatten() {
                    needed.extend(names(text).map(str::to_owned));
                }
            }
        }
    }
    needed
}
