//! The variables that a value may come from. Uses its siblings.

use serde_json::{Value, json};

use super::{ConfigError, Origin};

/// How the text of a variable is read.
#[derive(Clone, Copy)]
enum Kind {
    Text,
    /// Parted by commas.
    List,
    Number,
    /// Anything but nothing, `0` and `false`.
    Switch,
}

/// Each key that a variable can say. `[policy]` and masks stand in files only.
const VARIABLES: [(&str, &str, Kind); 23] = [
    ("SIMDRIVE_DEVICE", "device", Kind::Text),
    ("SIMDRIVE_DRIVER", "driver", Kind::Text),
    ("SIMDRIVE_CAPABILITIES", "capabilities", Kind::Text),
    // the idb client's own
    ("IDB_COMPANION", "companion", Kind::Text),
    ("SIMDRIVE_RECORDINGS", "recordings", Kind::Text),
    ("SIMDRIVE_TEXT_MODEL", "text_model", Kind::Text),
    ("SIMDRIVE_LOG", "log", Kind::Text),
    ("SIMDRIVE_MODE", "mode", Kind::Text),
    ("SIMDRIVE_READ_ONLY", "read_only", Kind::Switch),
    ("SIMDRIVE_TOOLSETS", "toolsets", Kind::List),
    ("SIMDRIVE_TOOLS", "tools", Kind::List),
    ("SIMDRIVE_URL_SCHEMES", "url_schemes", Kind::List),
    ("SIMDRIVE_GATE_TOLERANCE", "gate.tolerance", Kind::Number),
    ("SIMDRIVE_GATE_OUTLYING_PIXELS", "gate.outlying_pixels", Kind::Number),
    ("SIMDRIVE_GATE_SHIFT", "gate.shift", Kind::Number),
    ("SIMDRIVE_GATE_COLOUR_DELTA", "gate.colour_delta", Kind::Number),
    ("SIMDRIVE_GATE_TIMEOUT_MS", "gate.timeout_ms", Kind::Number),
    ("SIMDRIVE_HTTP_ADDRESS", "http.address", Kind::Text),
    ("SIMDRIVE_HTTP_RATE", "http.rate", Kind::Number),
    ("SIMDRIVE_HTTP_IDLE", "http.idle", Kind::Number),
    ("SIMDRIVE_HTTP_TOKEN_FILE", "http.token_file", Kind::Text),
    ("SIMDRIVE_HTTP_ALLOW_ORIGINS", "http.allow_origins", Kind::List),
    ("SIMDRIVE_HTTP_ALLOW_HOSTS", "http.allow_hosts", Kind::List),
];

/// What the environment says: keys, values and the variables.
pub(super) fn said(
    variable: impl Fn(&str) -> Option<String>,
) -> Result<Vec<(&'static str, Value, Origin)>, ConfigError> {
    let mut all = Vec::new();
    for (name, key, kind) in VARIABLES {
        let Some(text) = variable(name) else { continue };
        let at = Origin::Variable { name: name.to_owned() };
        let value = match kind {
            // one that is set to nothing names nothing
            Kind::List => json!(text.split(',').map(str::trim).filter(|n| !n.is_empty()).collect::<Vec<_>>()),
            _ if text.is_empty() => continue,
            Kind::Text => json!(text),
            Kind::Switch => json!(!matches!(text.as_str(), "0" | "false")),
            Kind::Number => match serde_json::from_str::<serde_json::Number>(text.trim()) {
                Ok(number) => json!(number),
                Err(_) => {
                    return Err(ConfigError::Invalid { at, message: format!("`{text}` is no number") });
                }
            },
        };
        all.push((key, value, at));
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::keys;

    #[test]
    fn every_key_has_a_variable_but_lists_of_tables_and_the_policy() {
        let known = keys::leaves();
        for (name, key, _) in VARIABLES {
            assert!(known.contains(&key.to_owned()), "{key}");
            let expected = format!("SIMDRIVE_{}", key.replace('.', "_").to_ascii_uppercase());
            assert!(name == expected || key == "companion", "{name} {expected}");
        }
        for key in known.iter().filter(|key| *key != "masks" && !key.starts_with("policy.")) {
            assert!(VARIABLES.iter().any(|(_, has, _)| has == key), "{key} has no variable");
        }
    }
}
