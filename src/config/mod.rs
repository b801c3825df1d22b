//! What simdrive goes by: defaults, the user's file, the project's, the environment and flags, the stronger later.
//! Uses `home`, `device`, `policy` and the types of `vision`; nothing else reads `simdrive.toml`.
//!
//! Two things are not overridden: `[policy]` of every file holds, as each only takes away, and what makes clients do
//! less (a lower mode, `read_only`) is never loosened by a project's file.

mod environment;
mod error;
mod file;
mod keys;
mod origin;
mod values;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::home::home;
use crate::policy::{Layer, Mode};
use crate::vision::gate::{GateError, GateOptions, STATED_SCALE};
use file::{File, Owner};

pub use error::ConfigError;
pub use file::PROJECT;
pub use keys::schema;
pub use origin::Origin;
pub use values::{HttpValues, Values};

/// Everything, merged.
#[derive(Clone, Debug, Default)]
pub struct Config {
    /// `policy` is empty here: see `layers`.
    pub values: Values,
    /// The rules of the user's file and of the project's.
    pub layers: Vec<Layer>,
    /// The folder of the project's file, where there is one.
    pub project: Option<PathBuf>,
    /// What is said of each key, but for the rules.
    said: Said,
    rules: Vec<Entry>,
}

/// One value, and where it comes from.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Entry {
    /// Such as `gate.shift`.
    pub key: String,
    /// Null where nothing is said.
    pub value: Value,
    pub origin: Origin,
}

/// What a flag says of a key.
#[derive(Clone, Debug)]
pub struct Flag {
    pub key: &'static str,
    pub value: Value,
    /// With its dashes.
    pub name: &'static str,
}

impl Flag {
    /// Those that were given, of keys, names and what each says.
    pub fn given<const N: usize>(
        rows: [(&'static str, &'static str, Option<Value>); N],
    ) -> impl Iterator<Item = Self> {
        rows.into_iter().filter_map(|(key, name, value)| Some(Self { key, value: value?, name }))
    }
}

type Said = BTreeMap<String, (Value, Origin)>;

impl Config {
    /// For who works in the current folder.
    ///
    /// # Errors
    /// A file can't be understood, or a value anywhere is none.
    pub fn load(flags: &[Flag]) -> Result<Self, ConfigError> {
        let user = file::of_user()?;
        // without a current folder there is no project around it
        let project = match std::env::current_dir() {
            Ok(folder) => file::of_project(&folder)?,
            Err(_) => None,
        };
        Self::merge(user, project, |name| std::env::var(name).ok(), flags)
    }

    fn merge(
        user: Option<File>,
        project: Option<File>,
        variable: impl Fn(&str) -> Option<String>,
        flags: &[Flag],
    ) -> Result<Self, ConfigError> {
        let mut said = Said::new();
        let mut layers = Vec::new();
        let mut rules = Vec::new();
        for (file, owner) in [(&user, Owner::User), (&project, Owner::Project)] {
            let Some(file) = file else { continue };
            layers.push(file.layer(owner));
            for (key, value) in &file.said {
                let (value, origin) = (value.clone(), file.origin(key));
                if key.starts_with("policy.") {
                    rules.push(Entry { key: key.clone(), value, origin });
                } else if owner == Owner::User || !loosens(key, &value, &said) {
                    said.insert(key.clone(), (value, origin));
                }
            }
        }
        let of_flags = flags
            .iter()
            .map(|flag| (flag.key, flag.value.clone(), Origin::Flag { name: flag.name.to_owned() }));
        for (key, value, origin) in environment::said(variable)?.into_iter().chain(of_flags) {
            let alone = Said::from([(key.to_owned(), (value.clone(), origin.clone()))]);
            typed(&alone)?;
            // who says that clients only look is not overruled
            if key != "read_only" || value == true || !said.contains_key(key) {
                said.insert(key.to_owned(), (value, origin));
            }
        }
        let values = typed(&said)?;
        let project = project.and_then(|file| file.path.parent().map(Path::to_owned));
        Ok(Self { values, layers, project, said, rules })
    }

    /// Every key in the order in which they are published, and the rules of each file.
    pub fn entries(&self) -> Vec<Entry> {
        let keys = keys::leaves().into_iter().filter(|key| !key.starts_with("policy."));
        let valued = keys.map(|key| {
            let said = self.said.get(&key).cloned();
            let (value, origin) = said.unwrap_or_else(|| (default(&key), Origin::Default));
            Entry { key, value, origin }
        });
        valued.chain(self.rules.iter().cloned()).collect()
    }

    /// Where the value of a key comes from.
    pub fn origin(&self, key: &str) -> Origin {
        self.said.get(key).map_or(Origin::Default, |(_, origin)| origin.clone())
    }

    /// The folder of recordings.
    pub fn recordings(&self) -> PathBuf {
        self.values.recordings.clone().unwrap_or_else(|| home().join("recordings"))
    }
}

/// What tells of a process is told so: such as `debug` or `simdrive=trace`.
///
/// # Errors
/// It is none of these; in words.
pub fn log_filter(text: &str) -> Result<tracing_subscriber::EnvFilter, String> {
    let filter = tracing_subscriber::EnvFilter::builder().parse(text);
    filter.map_err(|e| format!("{e}; say a level, such as `debug`, or `simdrive=trace`"))
}

/// Whether a project's file would let clients do more than their user's own file does.
fn loosens(key: &str, value: &Value, user: &Said) -> bool {
    let Some((decided, _)) = user.get(key) else { return false };
    match key {
        "mode" => {
            let mode = |value: &Value| serde_json::from_value::<Mode>(value.clone()).unwrap_or_default();
            mode(value) > mode(decided)
        }
        "read_only" => *decided == true,
        _ => false,
    }
}

/// The values, each of its kind.
fn typed(said: &Said) -> Result<Values, ConfigError> {
    let invalid = |key: &str, message: String| {
        let origin = said.get(key).map_or(Origin::Default, |(_, origin)| origin.clone());
        ConfigError::Invalid { at: origin, message: format!("`{key}`: {message}") }
    };
    let values: Values = serde_json::from_value(nested(said)).map_err(|error| {
        // files were checked one by one: what is wrong was said alone
        invalid(said.keys().next().map_or("", String::as_str), error.to_string())
    })?;
    match fault(&values) {
        Some((key, message)) => Err(invalid(&key, message)),
        None => Ok(values),
    }
}

/// What is wrong with values that are of their kind: the key, and why.
fn fault(values: &Values) -> Option<(String, String)> {
    if let Some(Err(error)) = values.device.as_deref().map(str::parse::<crate::device::Selector>) {
        return Some(("device".to_owned(), error.to_string()));
    }
    if let Some(Err(error)) = values.log.as_deref().map(log_filter) {
        return Some(("log".to_owned(), error));
    }
    match values.gate.limits(STATED_SCALE) {
        Err(error @ GateError::Option { option, .. }) => Some((format!("gate.{option}"), error.to_string())),
        _ => None,
    }
}

/// `gate.shift: 2` as `{"gate": {"shift": 2}}`.
fn nested(said: &Said) -> Value {
    let mut root = Map::new();
    for (key, (value, _)) in said {
        match key.split_once('.') {
            Some((table, name)) => {
                let table = root.entry(table).or_insert_with(|| json!({}));
                table[name] = value.clone();
            }
            None => {
                root.insert(key.clone(), value.clone());
            }
        }
    }
    Value::Object(root)
}

/// What holds where nothing is said.
fn default(key: &str) -> Value {
    match key {
        "driver" => json!("companion"),
        "recordings" => json!(home().join("recordings")),
        "log" => json!(DEFAULT_LOG),
        "mode" => json!(Mode::default()),
        "read_only" => json!(false),
        "masks" => json!([]),
        "http.rate" => json!(DEFAULT_RATE),
        "http.idle" => json!(DEFAULT_IDLE),
        _ => match key.strip_prefix("gate.") {
            Some(option) => json!(GateOptions::DEFAULT)[option].clone(),
            None => Value::Null,
        },
    }
}

/// What is told where nobody says otherwise.
pub const DEFAULT_LOG: &str = "warn,rmcp=error";
/// Requests a second that one address may make, where nobody says otherwise.
pub const DEFAULT_RATE: std::num::NonZeroU32 = std::num::NonZeroU32::MIN.saturating_add(499);
/// Seconds that a client of HTTP may be silent, where nobody says.
pub const DEFAULT_IDLE: std::num::NonZeroU32 = std::num::NonZeroU32::MIN.saturating_add(1_799);

#[cfg(test)]
mod tests;
