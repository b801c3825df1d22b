//! The files of the original SimDrive, read. Uses the format's YAML reader.
//!
//! They have no version: which keys are there depends on when they were written, so that each is looked for by itself,
//! and what is missing is made up for.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::{Map, Value};
use serde_saphyr::Spanned;

use crate::recording::{Place, RecordingError, Result, yaml};

/// Keys whose meaning is carried over, or that only tell of the run.
const UNDERSTOOD: &[&str] = &[
    "name",
    "created_at",
    "device",
    "os_version",
    "app_bundle_id",
    "app_version",
    "simdrive_version",
    "created_by_session",
    "screenshot_size_pixels",
    "tags",
    "target",
    "steps",
    "requires",
    "ssim_masks",
    "final_expect",
];

/// One file of the original.
#[derive(Debug)]
pub(super) struct Original {
    pub path: PathBuf,
    keys: BTreeMap<String, Spanned<Value>>,
    pub steps: Vec<OriginalStep>,
}

#[derive(Clone, Debug)]
pub(super) struct OriginalStep {
    pub place: Place,
    pub action: String,
    pub act: OriginalAct,
    pub before: Option<String>,
    pub after: Option<String>,
    pub settle_ms: u64,
}

/// What was done. Places are pixels of a picture of the size given, else of the recording's.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum OriginalAct {
    Tap { at: Pixels, text: Option<String>, keyboard: bool },
    Swipe { from: Pixels, to: Pixels, duration_ms: Option<u64> },
    Type { text: String, first: Option<Named>, clear_first: bool },
    Key(String),
    Clear(Option<Named>),
    Unknown,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Pixels {
    pub x: f64,
    pub y: f64,
    pub of: Option<(f64, f64)>,
}

/// A target as an agent named it.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub(super) struct Named {
    pub x: Option<f64>,
    pub y: Option<f64>,
    pub text: Option<String>,
}

#[derive(Deserialize)]
struct StepFile {
    action: String,
    #[serde(default)]
    args: Option<Map<String, Value>>,
    pre_screenshot: Option<String>,
    post_screenshot: Option<String>,
}

#[derive(Deserialize)]
struct StepLines {
    #[serde(default)]
    steps: Vec<Spanned<IgnoredAny>>,
}

impl Original {
    /// # Errors
    /// It is no YAML, no file of the original, or a step of it is broken.
    pub fn parse(path: &Path, text: &str) -> Result<Self> {
        let keys: BTreeMap<String, Spanned<Value>> = yaml::read(path, text)?;
        let invalid = |line, message: &str| RecordingError::Invalid {
            place: Place { path: path.into(), line, step: None },
            message: message.into(),
        };
        let Some(steps) =
            keys.get("steps").filter(|_| keys.contains_key("created_at") || keys.contains_key("name"))
        else {
            let message = "it is neither a recording of simdrive (no `schema`) nor one of the original \
                           (no `name` and `steps`)";
            return Err(invalid(None, message));
        };
        let Value::Array(list) = &steps.value else {
            return Err(invalid(line_of(steps), "`steps` must be a list"));
        };
        let lines = yaml::parse::<StepLines>(text).map(|lines| lines.steps).unwrap_or_default();
        let place =
            |i: usize| Place { path: path.into(), line: lines.get(i).and_then(line_of), step: Some(i + 1) };
        let steps =
            list.iter().enumerate().map(|(i, step)| read_step(step, place(i))).collect::<Result<_>>()?;
        Ok(Self { path: path.into(), steps, keys })
    }

    pub fn get(&self, key: &str) -> Option<&Value> {
        self.keys.get(key).map(|spanned| &spanned.value).filter(|value| !value.is_null())
    }

    /// A text, also where YAML took it for a number, as it does with `18.2`.
    pub fn text(&self, key: &str) -> Option<String> {
        self.get(key).and_then(text)
    }

    pub fn texts(&self, key: &str) -> Vec<String> {
        self.get(key).map(texts).unwrap_or_default()
    }

    pub fn place(&self, key: &str) -> Place {
        Place { path: self.path.clone(), line: self.keys.get(key).and_then(line_of), step: None }
    }

    /// Keys that nothing is made of.
    pub fn left_out(&self) -> impl Iterator<Item = &str> {
        self.keys.keys().map(String::as_str).filter(|key| !UNDERSTOOD.contains(key))
    }

    /// `requires` in one form: an earlier one had the facts of the device flat in it.
    pub fn requires(&self) -> Requires<'_> {
        Requires(self.get("requires").and_then(Value::as_object))
    }
}

/// What the first screen and the device had to be.
#[derive(Clone, Copy)]
pub(super) struct Requires<'a>(Option<&'a Map<String, Value>>);

impl<'a> Requires<'a> {
    fn part(self, name: &str, key: &str) -> Option<&'a Value> {
        let part = self.0?.get(name)?.as_object()?;
        part.get(key).filter(|value| !value.is_null())
    }

    fn flat(self, key: &str) -> Option<&'a Value> {
        self.0?.get(key).filter(|value| !value.is_null())
    }

    pub fn bundle_id(self) -> Option<String> {
        self.part("app", "bundle_id").or_else(|| self.flat("app_bundle_id")).and_then(text)
    }

    pub fn udid(self) -> Option<String> {
        self.part("device", "udid").or_else(|| self.flat("udid")).and_then(text)
    }

    pub fn device(self) -> Option<String> {
        let named = self.part("sim", "device").or_else(|| self.part("device", "device_name"));
        named.or_else(|| self.flat("device_name")).and_then(text)
    }

    pub fn os(self) -> Option<String> {
        let of_device = self.part("device", "os_version").or_else(|| self.flat("os_version"));
        // of a simulator it may be a condition, such as ">=18.0"
        let version = of_device.or_else(|| self.part("sim", "ios_version")).and_then(text)?;
        version.starts_with(|c: char| c.is_ascii_digit()).then_some(version)
    }

    /// Whether the facts of a device stand in it, however it is called.
    pub fn is_of_device(self) -> bool {
        self.udid().is_some() || self.flat("target").and_then(Value::as_str) == Some("device")
    }

    pub fn shown(self) -> Vec<String> {
        let mut shown = self.part("initial_state", "text_subset_required").map(texts).unwrap_or_default();
        let button = self.part("initial_state", "primary_button_label").and_then(text);
        shown.extend(button.filter(|button| !shown.contains(button)).into_iter().collect::<Vec<_>>());
        shown
    }

    pub fn hidden(self) -> Vec<String> {
        self.part("initial_state", "text_subset_forbidden").map(texts).unwrap_or_default()
    }

    /// The version of the app that was asked for.
    pub fn app_version(self) -> Option<String> {
        self.part("app", "version").and_then(text)
    }
}

fn read_step(step: &Value, place: Place) -> Result<OriginalStep> {
    let invalid = |message: String| RecordingError::Invalid { place: place.clone(), message };
    let file: StepFile = serde_json::from_value(step.clone()).map_err(|e| invalid(e.to_string()))?;
    let args = file.args.unwrap_or_default();
    let act = read_act(&file.action, &args).map_err(|e| invalid(format!("`{}`: {e}", file.action)))?;
    let settle_ms = args.get("settle_ms").and_then(Value::as_f64).unwrap_or(0.0).max(0.0) as u64;
    Ok(OriginalStep {
        action: file.action,
        act,
        before: file.pre_screenshot,
        after: file.post_screenshot,
        settle_ms,
        place: place.clone(),
    })
}

fn read_act(action: &str, args: &Map<String, Value>) -> std::result::Result<OriginalAct, String> {
    let number = |key: &str| {
        let value = args.get(key).and_then(Value::as_f64).filter(|v| v.is_finite());
        value.ok_or_else(|| format!("`{key}` must be a number"))
    };
    let of =
        number("screenshot_w").ok().zip(number("screenshot_h").ok()).filter(|(w, h)| *w > 0.0 && *h > 0.0);
    let pixels = |x: &str, y: &str| Ok::<_, String>(Pixels { x: number(x)?, y: number(y)?, of });
    let named = |key: &str| match args.get(key) {
        None | Some(Value::Null) => Ok(None),
        Some(value) => serde_json::from_value(value.clone()).map(Some).map_err(|e| format!("`{key}`: {e}")),
    };
    Ok(match action {
        "tap" | "tap_and_wait_keyboard" => OriginalAct::Tap {
            at: pixels("x", "y")?,
            text: args.get("text").and_then(text),
            keyboard: action == "tap_and_wait_keyboard",
        },
        "swipe" => OriginalAct::Swipe {
            from: pixels("x1", "y1")?,
            to: pixels("x2", "y2")?,
            duration_ms: number("duration_ms").ok().map(|ms| ms.max(0.0) as u64),
        },
        "type_text" => OriginalAct::Type {
            text: args.get("text").and_then(text).ok_or("`text` is missing")?,
            first: named("tap_first")?,
            clear_first: args.get("clear_first").and_then(Value::as_bool).unwrap_or(false),
        },
        "press_key" => OriginalAct::Key(args.get("key").and_then(text).ok_or("`key` is missing")?),
        "clear_field" => OriginalAct::Clear(named("target")?),
        _ => OriginalAct::Unknown,
    })
}

fn text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

fn texts(value: &Value) -> Vec<String> {
    value.as_array().into_iter().flatten().filter_map(text).collect()
}

fn line_of<T>(spanned: &Spanned<T>) -> Option<u64> {
    Some(spanned.referenced.line()).filter(|line| *line > 0)
}
