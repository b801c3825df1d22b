//! Whether a recording is whole: its file, its folder, every frame, and what is missing among the steps.
//! `validate` and `lint` both ask here. Uses the store and `frames`.

use std::collections::BTreeMap;
use std::path::Path;

use super::finding::{Findings, Rule, Spot};
use super::layout::Layout;
use super::repair::Repair;
use super::secret_text::is_left_open;
use crate::act::Action;
use crate::act::action::TypedText;
use crate::frame::Frame;
use crate::geometry::PixelSize;
use crate::recording::format::read_text;
use crate::recording::frames::FrameFile;
use crate::recording::store::{FILE, check_name, name_of};
use crate::recording::{
    FrameName, Loaded, Place, RecordedTarget, Recording, RecordingError, Side, StepBody, draft,
};
use crate::role::Role;

/// A frame that is as it was stored, and the steps that name it.
pub(in crate::recording) struct Shot<'a> {
    pub name: &'a FrameName,
    pub bytes: Vec<u8>,
    pub frame: Frame,
    /// Step, from 1, and which of its frames.
    pub uses: Vec<(usize, Side)>,
}

/// Reads the recording in a folder, and checks it; `look` is shown every frame that is whole, one after the other.
///
/// # Errors
/// Those of `look`.
pub(in crate::recording) fn check<E>(
    dir: &Path,
    look: &mut dyn FnMut(&Loaded, &Shot<'_>, &mut Findings) -> Result<(), E>,
) -> Result<(Option<Loaded>, Findings), E> {
    let file = dir.join(FILE);
    let text = match read_text(&file) {
        Ok(text) => text,
        Err(error) => {
            let mut found = Findings::of(&file, Layout::default());
            refused(&error, Spot::File, &mut found);
            return Ok((None, found));
        }
    };
    let mut found = Findings::of(&file, Layout::of(&text));
    let recording = match Recording::parse(&file, &text) {
        Ok(recording) => recording,
        Err(error) => {
            refused(&error, spot_of(&error, &found.layout), &mut found);
            return Ok((None, found));
        }
    };
    let loaded = Loaded { dir: dir.to_owned(), recording };
    check_folder(&loaded, &mut found);
    check_frames(&loaded, &mut found, look)?;
    check_orphans(&loaded, &mut found);
    check_steps(&loaded.recording, &mut found);
    Ok((Some(loaded), found))
}

fn spot_of(error: &RecordingError, layout: &Layout) -> Spot {
    match (error, error.place()) {
        (RecordingError::UnknownKey { key, .. }, Some(Place { line: Some(line), .. })) => {
            layout.key_at(*line, key).map_or(Spot::Line(*line), Spot::Key)
        }
        (_, Some(Place { step: Some(step), .. })) => Spot::Step(*step, ""),
        (_, Some(Place { line: Some(line), .. })) => Spot::Line(*line),
        _ => Spot::File,
    }
}

/// A fault for which there is a typed error.
fn refused(error: &RecordingError, spot: Spot, found: &mut Findings) {
    let restore = "bring it back from version control, or record again";
    let (rule, message, fix) = match error {
        RecordingError::UnknownKey { message, .. } => {
            (Rule::UnknownKey, message.clone(), "write the key as the format has it, or take it out")
        }
        RecordingError::Version { message, .. } => {
            (Rule::SchemaVersion, message.clone(), "bring it up to this version, or use a newer simdrive")
        }
        RecordingError::MissingFrame { frame, file, .. } => {
            (Rule::MissingFrame, format!("the frame `{frame}` is missing: no {}", file.display()), restore)
        }
        RecordingError::AlteredFrame { file, reason, .. } => {
            (Rule::AlteredFrame, format!("the frame {} was altered: {reason}", file.display()), restore)
        }
        RecordingError::Invalid { message, .. } => (
            Rule::Unreadable,
            message.clone(),
            "correct it by hand; `simdrive schema recording` has the format",
        ),
        other => (Rule::Unreadable, other.to_string(), restore),
    };
    found.add(rule, spot, message, fix);
}

fn check_folder(loaded: &Loaded, found: &mut Findings) {
    let recording = &loaded.recording;
    let folder = name_of(&std::path::absolute(&loaded.dir).unwrap_or_else(|_| loaded.dir.clone()));
    if recording.name != folder {
        found.add_repaired(
            Rule::NameMismatch,
            Spot::Key("name".into()),
            format!("`name` is `{}` but the folder is `{folder}`; the folder counts", recording.name),
            "write the folder's name, or rename the folder",
            check_name(&folder).is_ok().then(|| Repair::Name(folder.clone())),
        );
    }
    if recording.steps.is_empty() {
        let fix = "record again, or delete it";
        found.add(Rule::NoSteps, Spot::Key("steps".into()), "there are no steps".into(), fix);
    }
    if draft::is_unfinished(&loaded.dir) {
        let message = format!("it was never stopped; its {} complete steps stand", recording.steps.len());
        found.add(Rule::Unfinished, Spot::File, message, "record_stop finishes it");
    }
}

fn check_frames<E>(
    loaded: &Loaded,
    found: &mut Findings,
    look: &mut dyn FnMut(&Loaded, &Shot<'_>, &mut Findings) -> Result<(), E>,
) -> Result<(), E> {
    let (frames, file) = (loaded.frames(), loaded.file());
    let used = used_frames(&loaded.recording);
    // in the order of the steps, in which one frame is most like the one before
    let mut names: Vec<_> = used.iter().collect();
    names.sort_by_key(|(_, uses)| uses[0]);
    for (name, uses) in names {
        let (step, side) = uses[0];
        match frames.read(name, &Place::step(&file, step)) {
            Ok(FrameFile { bytes, frame }) => {
                let shot = Shot { name, bytes, frame, uses: uses.clone() };
                check_size(&loaded.recording, &shot, found);
                look(loaded, &shot, found)?;
            }
            Err(error) => refused(&error, Spot::Step(step, side.as_str()), found),
        }
    }
    Ok(())
}

fn used_frames(recording: &Recording) -> BTreeMap<&FrameName, Vec<(usize, Side)>> {
    let mut used: BTreeMap<&FrameName, Vec<(usize, Side)>> = BTreeMap::new();
    for (i, step) in recording.steps.iter().enumerate() {
        for (side, name) in [(Side::Before, &step.before), (Side::After, &step.after)] {
            if let Some(name) = name {
                used.entry(name).or_default().push((i + 1, side));
            }
        }
    }
    used
}

fn check_size(recording: &Recording, shot: &Shot<'_>, found: &mut Findings) {
    let screen = recording.device.screen;
    let (width, height) = (screen.width * screen.scale, screen.height * screen.scale);
    let size = shot.frame.size();
    let near = |a: f64, b: u32| (a - f64::from(b)).abs() <= 2.0;
    let upright = near(width, size.width) && near(height, size.height);
    let turned = near(width, size.height) && near(height, size.width);
    if !upright && !turned {
        let (step, side) = shot.uses[0];
        let (name, PixelSize { width: w, height: h }) = (shot.name, size);
        found.add(
            Rule::FrameSize,
            Spot::Step(step, side.as_str()),
            format!("frame {name} is {w}×{h} pixels, the recorded screen {width:.0}×{height:.0}"),
            "record again on one device, or correct `device.screen`",
        );
    }
}

fn check_orphans(loaded: &Loaded, found: &mut Findings) {
    // the frame of a step that is not written yet
    if draft::is_unfinished(&loaded.dir) {
        return;
    }
    let used = used_frames(&loaded.recording);
    let frames = loaded.frames();
    let orphans = frames.stored().into_iter().filter(|stored| !used.keys().any(|u| u.as_str() == *stored));
    // where a frame is missing, this may be what became of it
    let sure = !found.has(|f| matches!(f.code, Rule::MissingFrame | Rule::AlteredFrame));
    for orphan in orphans {
        let path = frames.stored_path(&orphan);
        found.add_repaired(
            Rule::OrphanedFrame,
            Spot::Frame(path.clone()),
            format!("no step uses frames/{orphan}.png"),
            "delete it",
            sure.then_some(Repair::Delete(path)),
        );
    }
}

fn check_steps(recording: &Recording, found: &mut Findings) {
    for (i, gap) in recording.gaps.iter().enumerate() {
        let fix = "undo what it did in the steps that follow, or record again";
        found.add(Rule::Gap, Spot::Key(format!("gaps[{i}]")), gap.to_string(), fix);
    }
    for (i, step) in recording.steps.iter().enumerate() {
        if let StepBody::Act(action) = &step.body
            && let Action::TypeText {
                text: TypedText::Text(text),
                into: Some(RecordedTarget::Mark(field)),
                ..
            } = &**action
            && field.role == Some(Role::SecureField)
            && is_left_open(text)
        {
            found.add(
                Rule::SecretInFile,
                Spot::Step(i + 1, "text"),
                "text for a secure field stands in clear".into(),
                "use `secret` instead of `text`",
            );
        }
    }
}
