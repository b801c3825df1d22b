//! Journeys of the original SimDrive (`schema_version: 1`), read as ours. Uses the format.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::{Map, Value};
use serde_saphyr::Spanned;

use super::error::parse;
use super::{Budget, Criterion, Journey, JourneyError, LeftOut, Result, SCHEMA};
use crate::recording::yaml::nearest;

/// The kinds of criteria that it has.
const KINDS: &[&str] = &[
    "text_visible",
    "screen_matches",
    "perf_under",
    "no_crash",
    "announcement_heard",
    "cross_device_state_matches",
];
/// Keys that are read here, or say nothing that is needed.
const KEYS: &[&str] = &[
    "schema_version",
    "name",
    "persona",
    "target",
    "device_selector",
    "goals",
    "success_criteria",
    "budget",
    "tags",
    "app_bundle_id",
];

type Keys = BTreeMap<String, Spanned<Value>>;
/// One entry of `success_criteria`: kinds and what they want.
type Entry = Map<String, Value>;

/// # Errors
/// A key that it needs is missing or of another type.
pub(super) fn read(path: &Path, text: &str) -> Result<Journey> {
    let keys: Keys = parse(path, text)?;
    let file = File { path, keys: &keys };
    if file.get("schema_version") != Some(&Value::from(1)) {
        return Err(file.wrong("schema_version", "must be 1, the only version that the original had"));
    }
    let (mut success, mut left_out) = (Vec::new(), Vec::new());
    for (line, criterion) in file.criteria(text)? {
        for (kind, value) in criterion {
            if !KINDS.contains(&kind.as_str()) {
                let near = nearest(&kind, KINDS.iter().copied());
                let message = format!("`{kind}` is no criterion; did you mean `{near}`?");
                return Err(JourneyError::new(path, line, message));
            }
            match read_criterion(&kind, &value) {
                Ok(read) => success.push(read),
                Err(why) => left_out.push(LeftOut { line, key: kind, why, is_criterion: true }),
            }
        }
    }
    let other = keys.iter().filter(|(key, _)| !KEYS.contains(&key.as_str()));
    left_out.extend(other.map(|(key, value)| LeftOut {
        line: line_of(value),
        key: key.clone(),
        why: "nothing here stands for it".into(),
        is_criterion: false,
    }));
    let selector = file.get("device_selector").and_then(Value::as_object);
    let device = selector.and_then(|selector| {
        let udid = selector.get("udid").and_then(Value::as_str).map(|udid| format!("wda:{udid}"));
        udid.or_else(|| Some(selector.get("name")?.as_str()?.to_owned()))
    });
    Ok(Journey {
        schema: SCHEMA.into(),
        name: file.text("name")?.ok_or_else(|| file.wrong("name", "is missing"))?,
        description: None,
        goals: file.texts("goals")?,
        persona: file.text("persona")?,
        app: file.text("app_bundle_id")?,
        device,
        budget: file.budget()?,
        tags: if keys.contains_key("tags") { file.texts("tags")? } else { Vec::new() },
        success,
        left_out,
    })
}

struct File<'a> {
    path: &'a Path,
    keys: &'a Keys,
}

impl File<'_> {
    fn get(&self, key: &str) -> Option<&Value> {
        self.keys.get(key).map(|spanned| &spanned.value).filter(|value| !value.is_null())
    }

    fn wrong(&self, key: &str, what: &str) -> JourneyError {
        JourneyError::new(self.path, self.keys.get(key).and_then(line_of), format!("`{key}` {what}"))
    }

    fn text(&self, key: &str) -> Result<Option<String>> {
        match self.get(key) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text.clone())),
            Some(_) => Err(self.wrong(key, "must be a text")),
        }
    }

    fn texts(&self, key: &str) -> Result<Vec<String>> {
        let texts: Option<Vec<String>> = match self.get(key) {
            None => return Err(self.wrong(key, "is missing")),
            Some(list) => list
                .as_array()
                .and_then(|list| list.iter().map(|item| item.as_str().map(str::to_owned)).collect()),
        };
        texts.ok_or_else(|| self.wrong(key, "must be a list of texts"))
    }

    /// Each with its line.
    fn criteria(&self, text: &str) -> Result<Vec<(Option<u64>, Entry)>> {
        #[derive(serde::Deserialize)]
        struct Lines {
            success_criteria: Vec<Spanned<Entry>>,
        }
        if self.get("success_criteria").is_none_or(|list| list.as_array().is_none_or(Vec::is_empty)) {
            return Err(self.wrong("success_criteria", "needs at least one criterion"));
        }
        let lines: Lines = parse(self.path, text)?;
        Ok(lines.success_criteria.into_iter().map(|spanned| (line_of(&spanned), spanned.value)).collect())
    }

    fn budget(&self) -> Result<Budget> {
        let default = Budget::default();
        let Some(budget) = self.get("budget") else { return Ok(default) };
        let number = |key: &str, otherwise: u32| match budget.get(key) {
            None => Ok(otherwise),
            Some(value) => {
                let number = value.as_u64().and_then(|n| u32::try_from(n).ok()).filter(|n| *n > 0);
                number
                    .ok_or_else(|| self.wrong("budget", &format!("needs a whole number from 1 for `{key}`")))
            }
        };
        Ok(Budget {
            steps: number("max_steps", default.steps)?,
            seconds: number("max_seconds", default.seconds)?,
            calls: number("max_llm_calls", default.calls)?,
        })
    }
}

/// The criterion, or why none of ours is it.
fn read_criterion(kind: &str, value: &Value) -> std::result::Result<Criterion, String> {
    let ours = |key: &str, value: Value| {
        let entry = Value::Object(Map::from_iter([(key.to_owned(), value)]));
        serde_json::from_value(entry).map_err(|e| e.to_string())
    };
    match kind {
        "text_visible" => ours("text", value.clone()),
        "no_crash" => ours("no_crash", value.clone()),
        "perf_under" => {
            let limit = |key: &str| value.get(key).cloned().unwrap_or(Value::Null);
            ours(
                "usage",
                serde_json::json!({"cpu_percent": limit("cpu_pct"), "memory_mb": limit("memory_mb")}),
            )
        }
        "screen_matches" => {
            Err("ids of the original say where something was, not what; use `screen` with a label".into())
        }
        "announcement_heard" => Err("announcements of VoiceOver can't be heard here".into()),
        _ => Err("one device is looked at here".into()),
    }
}

fn line_of<T>(spanned: &Spanned<T>) -> Option<u64> {
    Some(spanned.referenced.line()).filter(|line| *line > 0)
}
