//! One file: read, every key known, every value of its kind, and the line that each stands in. Uses its siblings.

use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::path::{Component, Path, PathBuf};

use serde_json::Value;
use toml::de::{DeTable, DeValue};

use super::values::{OWN, PATHS};
use super::{ConfigError, Origin, Values, keys};
use crate::policy::{Layer, Mode, Rules};

/// The name of a project's file.
pub const PROJECT: &str = "simdrive.toml";

/// Whose file it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Owner {
    User,
    Project,
}

/// What one file says.
#[derive(Debug)]
pub(super) struct File {
    pub path: PathBuf,
    /// Values by key, such as `gate.shift`; those of `[policy]` too.
    pub said: BTreeMap<String, Value>,
    /// By key, and by key and place for the items of a list (`policy.deny_apps.0`).
    lines: BTreeMap<String, usize>,
    pub rules: Rules,
}

/// The user's file, where there is one: `simdrive/config.toml` in `XDG_CONFIG_HOME`, else in `.config` of their folder.
pub(super) fn of_user() -> Result<Option<File>, ConfigError> {
    let of = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let folder = of("XDG_CONFIG_HOME").or_else(|| of("HOME").map(|home| home.join(".config")));
    match folder {
        Some(folder) => File::read(&folder.join("simdrive/config.toml"), Owner::User),
        None => Ok(None),
    }
}

/// The nearest `simdrive.toml` in `folder` or above it.
pub(super) fn of_project(folder: &Path) -> Result<Option<File>, ConfigError> {
    for dir in folder.ancestors() {
        if let Some(file) = File::read(&dir.join(PROJECT), Owner::Project)? {
            return Ok(Some(file));
        }
    }
    Ok(None)
}

impl File {
    /// Nothing where there is no such file.
    pub fn read(path: &Path, owner: Owner) -> Result<Option<Self>, ConfigError> {
        let text = match std::fs::read_to_string(path) {
            Ok(text) => text,
            Err(e) if matches!(e.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => return Ok(None),
            Err(e) => {
                return Err(ConfigError::Unreadable { file: path.to_owned(), reason: e.to_string() });
            }
        };
        Self::parse(path, &text, owner).map(Some)
    }

    pub fn parse(path: &Path, text: &str, owner: Owner) -> Result<Self, ConfigError> {
        let wrong = |error: toml::de::Error| ConfigError::Invalid {
            at: Origin::File { file: path.to_owned(), line: error.span().map(|span| line(text, span.start)) },
            message: error.message().to_owned(),
        };
        let table = DeTable::parse(text).map_err(wrong)?;
        let mut walk = Walk { path, text, lines: BTreeMap::new() };
        walk.table(table.get_ref(), &mut Vec::new())?;
        let values: Values = toml::from_str(text).map_err(wrong)?;
        let said: Value = toml::from_str(text).map_err(wrong)?;
        let mut file = Self {
            path: path.to_owned(),
            said: BTreeMap::new(),
            lines: walk.lines,
            rules: values.policy.clone(),
        };
        flatten(&said, "", &mut file.said);
        file.check(&values, owner)?;
        file.find_paths();
        Ok(file)
    }

    /// Where a key stands.
    pub fn origin(&self, key: &str) -> Origin {
        Origin::File { file: self.path.clone(), line: self.lines.get(key).copied() }
    }

    /// `[policy]`, and where each rule of it stands.
    pub fn layer(&self, owner: Owner) -> Layer {
        let lines = self
            .lines
            .iter()
            .filter_map(|(key, line)| Some((key.strip_prefix("policy.")?.to_owned(), *line)));
        Layer {
            file: self.path.clone(),
            rules: self.rules.clone(),
            lines: lines.collect(),
            of_user: owner == Owner::User,
        }
    }

    /// What a type can't say.
    fn check(&self, values: &Values, owner: Owner) -> Result<(), ConfigError> {
        if let Some((key, message)) = super::fault(values) {
            let message = format!("`{key}`: {message}");
            return Err(ConfigError::Invalid { at: self.origin(&key), message });
        }
        if owner == Owner::User {
            return Ok(());
        }
        if let Some(key) = OWN.iter().find(|key| self.said.contains_key(**key)) {
            return Err(ConfigError::NotOfProjects { at: self.origin(key), key: (*key).to_owned() });
        }
        if values.mode == Some(Mode::Full) {
            return Err(ConfigError::NotOfProjects {
                at: self.origin("mode"),
                key: "mode = full".to_owned(),
            });
        }
        Ok(())
    }

    /// Paths in a file are relative to it.
    fn find_paths(&mut self) {
        let folder = self.path.parent().unwrap_or(Path::new(".")).to_owned();
        for key in PATHS {
            if let Some(Value::String(path)) = self.said.get_mut(key) {
                *path = within(&folder, path.as_ref()).display().to_string();
            }
        }
        for path in self.rules.allow_folders.iter_mut().flatten() {
            *path = within(&folder, path);
        }
    }
}

/// A path as a file says it; `~` is the user's folder.
fn within(folder: &Path, path: &Path) -> PathBuf {
    let mut parts = path.components();
    match (parts.next(), std::env::var_os("HOME")) {
        (Some(Component::Normal(first)), Some(home)) if first == "~" => PathBuf::from(home).join(parts),
        _ => folder.join(path),
    }
}

/// Values by their whole keys; tables that are values themselves stand in lists only.
fn flatten(node: &Value, prefix: &str, into: &mut BTreeMap<String, Value>) {
    match node {
        Value::Object(table) => {
            for (name, child) in table {
                let key = if prefix.is_empty() { name.clone() } else { format!("{prefix}.{name}") };
                flatten(child, &key, into);
            }
        }
        value => {
            into.insert(prefix.to_owned(), value.clone());
        }
    }
}

fn line(text: &str, at: usize) -> usize {
    1 + text.bytes().take(at).filter(|byte| *byte == b'\n').count()
}

/// Goes through a file's tables and notes the lines.
struct Walk<'f> {
    path: &'f Path,
    text: &'f str,
    lines: BTreeMap<String, usize>,
}

impl Walk<'_> {
    fn table(&mut self, table: &DeTable<'_>, place: &mut Vec<String>) -> Result<(), ConfigError> {
        for (name, value) in table {
            let at = line(self.text, name.span().start);
            let Some(mut known) = keys::of_table(place) else { continue };
            if !known.any(|key| key == name.get_ref().as_ref()) {
                let near = keys::of_table(place).map(|known| keys::nearest(name.get_ref(), known));
                return Err(ConfigError::UnknownKey {
                    at: Origin::File { file: self.path.to_owned(), line: Some(at) },
                    key: joined(place, name.get_ref()),
                    near: joined(place, &near.unwrap_or_default()),
                });
            }
            let key = joined(place, name.get_ref());
            if let Some(items) = value.get_ref().as_array() {
                for (i, item) in items.iter().enumerate() {
                    self.lines.insert(format!("{key}.{i}"), line(self.text, item.span().start));
                }
            }
            self.lines.insert(key, at);
            if let DeValue::Table(below) = value.get_ref() {
                place.push(name.get_ref().to_string());
                self.table(below, place)?;
                place.pop();
            }
        }
        Ok(())
    }
}

fn joined(place: &[String], name: &str) -> String {
    place.iter().map(String::as_str).chain([name]).collect::<Vec<_>>().join(".")
}
