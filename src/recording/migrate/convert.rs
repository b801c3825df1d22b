//! A recording of the original SimDrive as one of ours. Uses the format, `acts`, `observe`.
//!
//! The original kept points and at times the text that was meant. What lies under a point is read from the picture
//! by our own eyes, so that a step names its target by label and role wherever it can.

use std::path::Path;

use chrono::{DateTime, SubsecRound, Utc};
use serde_json::Value;

use super::Files;
use super::acts::Acts;
use super::moments::{Eyes, Moment, gather};
use super::note::{Note, Subject};
use super::original::Original;
use crate::device::DeviceKind;
use crate::geometry::{PixelSize, Rect};
use crate::observe::{Observation, Vision, fold};
use crate::recording::store::{check_name, name_of};
use crate::recording::target::{hundredths, rounded};
use crate::recording::variables::escape;
use crate::recording::{
    Check, RecordedDevice, RecordedScreen, Recording, RecordingError, Requires, Result, SCHEMA, Setup, Step,
    StepBody,
};
use crate::vision::gate::GateOptions;
use crate::vision::mask::{Mask, NamedMask};

/// The longest name of a recording.
const LONGEST_NAME: usize = 64;

/// What a folder becomes.
pub(super) struct Converted {
    pub recording: Recording,
    pub frames: Files,
    pub notes: Vec<Note>,
}

/// # Errors
/// A frame is missing or broken, or the folder's name can't be made one of ours.
pub(super) fn convert(dir: &Path, original: &Original, vision: &mut dyn Vision) -> Result<Converted> {
    let name = name_for(&name_of(dir))?;
    let mut notes = Vec::new();
    let moments = gather(dir, &original.steps, &mut notes)?;
    let (Some(first), Some(last)) = (moments.first(), moments.last()) else {
        return Err(RecordingError::Invalid {
            place: original.place("steps"),
            message: "it has no steps, so there is nothing to migrate: record it again".into(),
        });
    };
    let pixels = pixels_of(original, first);
    let screen = screen_of(pixels);
    let mut acts = Acts::new(Eyes::new(vision, screen.scale), screen, pixels, notes);
    let (steps, frames) = acts.steps(&original.steps, &moments)?;
    let (start, end) = (acts.eyes.see(&first.before)?, acts.eyes.see(&last.after)?);
    let mut head = Head { original, notes: acts.notes };
    let hidden = original.requires().hidden().into_iter().map(|text| check(&text, true));
    let steps = hidden.chain(steps).chain(head.final_checks(&end)).collect();
    let recording = Recording {
        schema: SCHEMA.into(),
        description: head.description(&name, dir),
        name,
        created: head.created(),
        simdrive: env!("CARGO_PKG_VERSION").into(),
        tags: original.texts("tags"),
        device: head.device(screen),
        app: original.text("app_bundle_id").or_else(|| original.requires().bundle_id()),
        setup: Setup::default(),
        requires: Requires { labels: head.labels(&start), ..Requires::default() },
        gate: GateOptions::default(),
        masks: head.masks(screen),
        gaps: Vec::new(),
        steps,
    };
    head.tell_what_is_left_out();
    head.notes.sort_by_key(|note| (note.place.line.is_none(), note.place.line));
    Ok(Converted { recording, frames, notes: head.notes })
}

/// All but the steps.
struct Head<'o> {
    original: &'o Original,
    notes: Vec<Note>,
}

impl Head<'_> {
    fn note(&mut self, key: &str, subject: Subject) {
        self.notes.push(Note { place: self.original.place(key), subject });
    }

    /// The name that the folder's can't hold.
    fn description(&mut self, name: &str, dir: &Path) -> Option<String> {
        let folder = name_of(dir);
        if folder != name {
            self.note("name", Subject::Renamed { from: folder.clone() });
        }
        let own = self.original.text("name").unwrap_or(folder);
        (own != name).then_some(own)
    }

    fn created(&mut self) -> DateTime<Utc> {
        let stated = self.original.get("created_at").and_then(Value::as_f64);
        let stated = stated.and_then(|seconds| DateTime::from_timestamp(seconds as i64, 0));
        stated.unwrap_or_else(|| {
            self.note("created_at", Subject::TimeUnknown);
            let changed = std::fs::metadata(&self.original.path).and_then(|file| file.modified());
            changed.map_or(DateTime::UNIX_EPOCH, DateTime::from).trunc_subsecs(0)
        })
    }

    fn device(&mut self, screen: RecordedScreen) -> RecordedDevice {
        let requires = self.original.requires();
        let is_device =
            self.original.text("target").map_or(requires.is_of_device(), |target| target == "device");
        let model = self.original.text("device").or_else(|| requires.device());
        let selector = match requires.udid() {
            Some(udid) if is_device => Some(format!("wda:{udid}")),
            _ => model.clone(),
        };
        if selector.is_none() {
            self.note("device", Subject::DeviceUnknown);
        }
        let os = self.original.text("os_version").or_else(|| requires.os()).unwrap_or_default();
        let is_bare = os.starts_with(|c: char| c.is_ascii_digit());
        RecordedDevice {
            selector: selector.unwrap_or_else(|| "unknown".into()),
            kind: if is_device { DeviceKind::Device } else { DeviceKind::Simulator },
            model: model.unwrap_or_else(|| "unknown".into()),
            os: if is_bare { format!("iOS {os}") } else { os },
            screen,
        }
    }

    /// The texts that the first screen had to show, without those that another day's would not.
    fn labels(&mut self, start: &Observation) -> Vec<String> {
        let mut labels = Vec::new();
        for text in self.original.requires().shown() {
            let why = if text.chars().any(char::is_numeric) || !text.chars().any(char::is_alphabetic) {
                "it holds a number, such as a clock or a count"
            } else if !start.shows(&text) {
                "it can't be read on the first frame"
            } else {
                if !labels.contains(&text) {
                    labels.push(text);
                }
                continue;
            };
            self.note("requires", Subject::TextNotRequired { text, why });
        }
        labels
    }

    /// What had to be somewhere on the last screen, as checks of the marks that hold it.
    fn final_checks(&mut self, end: &Observation) -> Vec<Step> {
        let mut checks = Vec::new();
        for text in self.original.texts("final_expect") {
            let wanted = fold(&text);
            match end.marks.iter().find(|mark| fold(&mark.label).contains(&wanted)) {
                Some(mark) => checks.push(check(&mark.label, false)),
                None => self.note("final_expect", Subject::TextNotChecked { text }),
            }
        }
        checks
    }

    fn masks(&mut self, screen: RecordedScreen) -> Vec<Mask> {
        let mut masks = Vec::new();
        let given = self.original.get("ssim_masks").and_then(Value::as_array);
        for mask in given.into_iter().flatten() {
            match read_mask(mask, screen) {
                Some(mask) if masks.contains(&mask) => {}
                Some(mask) => masks.push(mask),
                None => self.note("ssim_masks", Subject::MaskLeftOut),
            }
        }
        masks
    }

    fn tell_what_is_left_out(&mut self) {
        let keys: Vec<String> = self.original.left_out().map(str::to_owned).collect();
        for key in keys {
            self.note(&key.clone(), Subject::KeyLeftOut { key });
        }
        if self.original.requires().app_version().is_some() {
            self.note("requires", Subject::KeyLeftOut { key: "requires.app.version".into() });
        }
        if let Some(last) = self.original.steps.last().filter(|step| step.settle_ms == 0) {
            self.notes.push(Note { place: last.place.clone(), subject: Subject::EndUnsettled });
        }
    }
}

fn check(text: &str, gone: bool) -> Step {
    let check = Check { label: Some(escape(text)), gone, ..Check::default() };
    Step {
        body: StepBody::Check(check),
        before: None,
        after: None,
        settled_ms: 0,
        gate: GateOptions::default(),
        masks: Vec::new(),
    }
}

/// The folder's name, which told recordings apart, made one that ours may have.
fn name_for(folder: &str) -> Result<String> {
    if check_name(folder).is_ok() {
        return Ok(folder.to_owned());
    }
    let mut name = String::new();
    for c in folder.to_lowercase().chars() {
        if c.is_ascii_alphanumeric() || (c == '_' && !name.is_empty()) {
            name.push(c);
        } else if !name.is_empty() && !name.ends_with('-') {
            name.push('-');
        }
    }
    name.truncate(LONGEST_NAME);
    let name = name.trim_end_matches('-').to_owned();
    check_name(&name).map(|()| name).map_err(|_| RecordingError::InvalidName(folder.to_owned()))
}

fn pixels_of(original: &Original, first: &Moment) -> PixelSize {
    let stated = original.get("screenshot_size_pixels").and_then(Value::as_array);
    let side =
        |i: usize| stated?.get(i)?.as_u64().and_then(|side| u32::try_from(side).ok()).filter(|n| *n > 0);
    match (side(0), side(1)) {
        (Some(width), Some(height)) => PixelSize::new(width, height),
        _ => first.before.size,
    }
}

/// The size in points of a screen with so many pixels.
fn screen_of(pixels: PixelSize) -> RecordedScreen {
    let (width, height) = (f64::from(pixels.width), f64::from(pixels.height));
    // the minis and the older Plus phones draw more points than they have thirds of pixels
    let scale = match (pixels.width.min(pixels.height), pixels.width.max(pixels.height)) {
        (1080, 2340) => 1080.0 / 375.0,
        (1080, 1920) => 1080.0 / 414.0,
        _ => pixels.likely_scale(),
    };
    RecordedScreen { width: hundredths(width / scale), height: hundredths(height / scale), scale }
}

/// In points; the status bar by its name.
fn read_mask(mask: &Value, screen: RecordedScreen) -> Option<Mask> {
    if mask.get("label").and_then(Value::as_str) == Some("status_bar") {
        return Some(Mask::Named(NamedMask::StatusBar));
    }
    let side = |key: &str| mask.get(key).and_then(Value::as_f64).filter(|v| v.is_finite());
    let points = |key: &str| side(key).map(|side| side / screen.scale);
    let rect = rounded(Rect::new(points("x")?, points("y")?, points("w")?, points("h")?));
    rect.intersection(&Rect::new(0.0, 0.0, screen.width, screen.height)).map(Mask::Rect)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_s_name_becomes_one_of_ours() {
        for (folder, name) in
            [("sign-in", "sign-in"), ("Sign In (2)", "sign-in-2"), ("__x", "x"), ("Été à Paris", "t-paris")]
        {
            assert_eq!(name_for(folder).unwrap(), name);
        }
        assert_eq!(name_for("設定").unwrap_err().code().as_str(), "invalid_argument");
    }

    #[test]
    fn masks_become_points_within_the_screen() {
        let screen = screen_of(PixelSize::new(1206, 2622));
        assert_eq!((screen.width, screen.height, screen.scale), (402.0, 874.0, 3.0));
        let mask = |text: &str| read_mask(&serde_json::from_str(text).unwrap(), screen);
        let bar = mask(r#"{"x": 0, "y": 0, "w": 1206, "h": 180, "label": "status_bar"}"#);
        assert_eq!(bar, Some(Mask::Named(NamedMask::StatusBar)));
        let clock = mask(r#"{"x": 300, "y": 2400, "w": 3000, "h": 90}"#);
        assert_eq!(clock, Some(Mask::Rect(Rect::new(100.0, 800.0, 302.0, 30.0))));
        assert_eq!(mask(r#"{"x": 1300, "y": 0, "w": 10, "h": 10}"#), None);
        assert_eq!(mask(r#"{"x": 1, "y": 0, "w": 10}"#), None);
    }
}
