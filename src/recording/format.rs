//! `recording.yaml`, version 1 (design.md section 6). Uses `device` types and the steps.

use std::collections::BTreeMap;
use std::path::Path;

use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::yaml::{self, flow, flow_list};
use super::{Place, RecordingError, Result, Step};
use crate::device::{Appearance, ContentSize, DeviceKind};
use crate::geometry::{PlainNumber, Rect};
use crate::vision::gate::GateOptions;
use crate::vision::mask::Mask;

/// The version that this build writes and reads.
pub const SCHEMA: &str = "simdrive.recording/1";
/// Larger files are refused unread.
const MAX_BYTES: u64 = 16 << 20;

/// A recording, without its frames.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Recording {
    /// Always `simdrive.recording/1`.
    pub schema: String,
    pub name: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    pub created: DateTime<Utc>,
    /// The version of simdrive that wrote it.
    pub simdrive: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty", serialize_with = "flow_list")]
    pub tags: Vec<String>,
    #[serde(serialize_with = "flow")]
    pub device: RecordedDevice,
    /// Bundle id; without one the device is taken as it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub app: Option<String>,
    /// How the start is reached again.
    #[serde(default, skip_serializing_if = "Setup::is_default")]
    pub setup: Setup,
    /// What must be so before the first step.
    #[serde(default, skip_serializing_if = "Requires::is_default")]
    pub requires: Requires,
    /// Departures from the gate's defaults, for every step.
    #[serde(default, skip_serializing_if = "GateOptions::is_default", serialize_with = "flow")]
    pub gate: GateOptions,
    /// Masks beside the default ones, for every step.
    #[serde(default, skip_serializing_if = "Vec::is_empty", serialize_with = "flow_list")]
    pub masks: Vec<Mask>,
    /// Acts that are missing among the steps.
    #[serde(default, skip_serializing_if = "Vec::is_empty", serialize_with = "flow_list")]
    pub gaps: Vec<Gap>,
    pub steps: Vec<Step>,
}

/// An act that reached the device and failed: it is no step, and what follows may begin on another screen.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Gap {
    /// How many steps stand before it.
    pub after: usize,
    /// The action's name.
    pub action: String,
    /// The code of its error.
    pub error: String,
}

impl std::fmt::Display for Gap {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { after, action, error } = self;
        match after {
            0 => f.write_str("before the first step")?,
            step => write!(f, "after step {step}")?,
        }
        write!(f, " {action} reached the device and failed ({error}), so it is not replayed")
    }
}

/// What it was recorded on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RecordedDevice {
    /// Opens a device of this kind again (design.md section 2).
    pub selector: String,
    #[schemars(with = "String")]
    pub kind: DeviceKind,
    pub model: String,
    /// Such as `iOS 18.2`.
    pub os: String,
    pub screen: RecordedScreen,
}

/// Interface points as held, and pixels a point.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, from = "ScreenFile", into = "ScreenFile")]
#[schemars(with = "ScreenFile")]
pub struct RecordedScreen {
    pub width: f64,
    pub height: f64,
    pub scale: f64,
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(title = "RecordedScreen")]
struct ScreenFile {
    width: PlainNumber,
    height: PlainNumber,
    scale: PlainNumber,
}

impl From<ScreenFile> for RecordedScreen {
    fn from(file: ScreenFile) -> Self {
        Self { width: file.width.0, height: file.height.0, scale: file.scale.0 }
    }
}

impl From<RecordedScreen> for ScreenFile {
    fn from(screen: RecordedScreen) -> Self {
        Self {
            width: PlainNumber(screen.width),
            height: PlainNumber(screen.height),
            scale: PlainNumber(screen.scale),
        }
    }
}

/// How the start of a recording is reached again.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Setup {
    #[serde(default, skip_serializing_if = "Vec::is_empty", serialize_with = "flow_list")]
    pub launch_arguments: Vec<String>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty", serialize_with = "flow")]
    pub environment: BTreeMap<String, String>,
    /// Permission to whether it is granted.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty", serialize_with = "flow")]
    pub permissions: BTreeMap<String, bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub open_url: Option<String>,
    /// Put the app's state back as after installation first.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub reset: bool,
}

impl Setup {
    fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

/// What must be so before the first step.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Requires {
    /// Set before the start where the device can.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub appearance: Option<Appearance>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content_size: Option<ContentSize>,
    /// Labels that the first screen shows.
    #[serde(default, skip_serializing_if = "Vec::is_empty", serialize_with = "flow_list")]
    pub labels: Vec<String>,
}

impl Requires {
    fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

impl Recording {
    /// Reads the text of a `recording.yaml`; `path` is named in errors.
    pub fn parse(path: &Path, text: &str) -> Result<Self> {
        let read = yaml::read::<Self>(path, text);
        // what another version means by its keys can't be told, so its version is the first thing to say
        check_version(path, text)?;
        let recording = read?;
        recording.check(path)?;
        Ok(recording)
    }

    /// Reads a `recording.yaml`.
    pub fn read(path: &Path) -> Result<Self> {
        Self::parse(path, &read_text(path)?)
    }

    pub fn to_yaml(&self, path: &Path) -> Result<String> {
        yaml::write(path, self)
    }

    fn check(&self, path: &Path) -> Result<()> {
        if self.schema != SCHEMA {
            let message = format!("`schema` must be `{SCHEMA}`");
            return Err(RecordingError::Version { place: Place::file(path), message });
        }
        let screen = self.device.screen;
        let sound = |v: f64| v.is_finite() && v > 0.0 && v < 1e5;
        if !(sound(screen.width) && sound(screen.height) && sound(screen.scale)) {
            return Err(RecordingError::Invalid {
                place: Place::file(path),
                message: "`device.screen` needs a width, height and scale above 0".into(),
            });
        }
        let shown = Rect::new(0.0, 0.0, screen.width.max(screen.height), screen.width.max(screen.height));
        let masks =
            self.steps.iter().enumerate().flat_map(|(i, s)| s.masks.iter().map(move |m| (Some(i + 1), m)));
        for (step, mask) in self.masks.iter().map(|m| (None, m)).chain(masks) {
            if let Mask::Rect(rect) = mask
                && rect.intersection(&shown).is_none()
            {
                return Err(RecordingError::Invalid {
                    place: Place { path: path.into(), line: None, step },
                    message: format!(
                        "the mask at {}, {} lies outside the screen of {}×{} points",
                        rect.x, rect.y, screen.width, screen.height
                    ),
                });
            }
        }
        super::store::check_name(&self.name)
    }
}

/// The text of a `recording.yaml`, whatever version it is of.
pub(super) fn read_text(path: &Path) -> Result<String> {
    let io = |source| RecordingError::Io { what: "can't read", path: path.into(), source };
    let length = std::fs::metadata(path).map_err(io)?.len();
    let refused = |message: String| RecordingError::Invalid { place: Place::file(path), message };
    if length > MAX_BYTES {
        return Err(refused(format!("the file has {length} bytes; at most {MAX_BYTES} are read")));
    }
    let bytes = std::fs::read(path).map_err(io)?;
    String::from_utf8(bytes).map_err(|e| refused(format!("it is not UTF-8: {e}")))
}

/// The version that a text states and the line of it, looked for by that line: the rest of the file may be anything.
pub(super) fn stated_version(text: &str) -> Option<(&str, u64)> {
    let mut lines = text.lines().zip(1..);
    let (value, line) = lines.find_map(|(l, n)| Some((l.strip_prefix("schema:")?, n)))?;
    Some((value.split(" #").next().unwrap_or_default().trim().trim_matches(['"', '\'']), line))
}

fn check_version(path: &Path, text: &str) -> Result<()> {
    let at = |line: Option<u64>| Place { path: path.into(), line, step: None };
    let Some((value, line)) = stated_version(text) else {
        return Err(RecordingError::Version {
            place: at(None),
            message: format!(
                "there is no `schema:`; a recording of this version says `schema: {SCHEMA}`, \
                 one of the original SimDrive is brought up by `simdrive migrate`"
            ),
        });
    };
    if value == SCHEMA {
        return Ok(());
    }
    Err(RecordingError::Version {
        place: at(Some(line)),
        message: format!(
            "`{value}` is not a version this simdrive reads (it reads `{SCHEMA}`); \
             a newer simdrive may read it, an older recording is brought up by `simdrive migrate`"
        ),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = r#"schema: simdrive.recording/1
name: sign-in
created: 2026-11-30T10:15:00Z
simdrive: 0.1.0
device: {selector: "sim:shop", kind: simulator, model: iPhone 16, os: iOS 18.2, screen: {width: 393, height: 852, scale: 3}}
app: com.example.shop
setup: {launch_arguments: [], environment: {}, permissions: {}, open_url: null, reset: false}
requires: {appearance: light, labels: [Email, Password, Sign In]}
masks: [status-bar, {label: "Balance"}, {x: 0, y: 700, width: 393, height: 40}]
steps:
  - action: tap
    target: {by: label, label: Sign In, role: button, stable_id: 7f3a09c41d2e, identifier: signin, nth: 2, of: 2, frame: [24, 520, 345, 50]}
    before: 1234567890123456
    after: 12e4567890123456
    settled_ms: 240
  - check: {label: Total, gone: true}
  - action: type_text
    secret: SHOP_PASSWORD
    before: 0000000000000001
    after: 91bc07aa00112233
"#;

    fn parse(text: &str) -> Result<Recording> {
        Recording::parse(Path::new("r/recording.yaml"), text)
    }

    /// The error of the good recording with one thing replaced.
    fn broken(from: &str, to: &str) -> String {
        assert!(GOOD.contains(from), "{from}");
        let error = parse(&GOOD.replacen(from, to, 1)).unwrap_err();
        format!("{} {error}", error.code())
    }

    #[test]
    fn what_the_design_shows_is_read_and_written_back() {
        let recording = parse(GOOD).unwrap();
        assert_eq!(recording.steps.len(), 3);
        let yaml = recording.to_yaml(Path::new("x")).unwrap();
        assert_eq!(parse(&yaml).unwrap(), recording, "{yaml}");
    }

    #[test]
    fn errors_name_file_line_key_and_the_nearest_right_one() {
        for (from, to, said) in [
            ("masks:", "mask:", "r/recording.yaml:9: unknown key `mask`; did you mean `masks`?"),
            ("identifier:", "identifer:", "12: unknown key `identifer`; did you mean `identifier`?"),
            ("    settled_ms", "    setled_ms", "15: unknown key `setled_ms`; did you mean `settled_ms`?"),
            ("action: tap", "action: tab", "11: `tab` is no action; did you mean `tap`?"),
            (
                "    settled_ms: 240",
                "    settled_ms: 240\n    text: x",
                "11: `text` does not belong to `tap`",
            ),
            ("    before: 1234567890123456\n", "", "11: `tap` needs both frames"),
            ("12e4567890123456", "../../x", "14: `../../x` is no frame's name"),
            ("role: button", "role: buton", "12: `buton` is not known here; did you mean `button`?"),
            ("nth: 2,", "nth: 3,", "12: `nth` is 3 of 2"),
            ("settled_ms: 240", "settled_ms: soon", "15: "),
            (
                "secret: SHOP_PASSWORD",
                "secret: hunter-2",
                "17: `secret` is the name of an environment variable",
            ),
            ("check: {label: Total, gone: true}", "check: {gone: true}", "16: `check` needs at least one"),
            ("masks: [status-bar,", "masks: [statusbar,", "9: "),
            ("steps:\n", "variants: {}\nsteps:\n", "10: `variants` is reserved"),
            ("steps:\n", "steps: [\n", ""),
            (
                "x: 0, y: 700",
                "x: 0, y: 7000",
                "the mask at 0, 7000 lies outside the screen of 393×852 points",
            ),
            ("width: 393, height: 852", "width: 0, height: 852", "`device.screen` needs"),
        ] {
            let error = broken(from, to);
            assert!(
                error.starts_with("recording_invalid ") && error.contains(said),
                "{error}\n  lacks: {said}"
            );
        }
    }

    #[test]
    fn other_versions_are_told_from_broken_files() {
        let newer = broken("simdrive.recording/1", "simdrive.recording/2");
        assert!(newer.starts_with("recording_version r/recording.yaml:1: `simdrive.recording/2`"), "{newer}");
        let original = broken("schema: simdrive.recording/1\n", "");
        assert!(
            original.starts_with("recording_version") && original.contains("simdrive migrate"),
            "{original}"
        );
    }
}
