//! Which keys there are, from the published schema: no second list of them. Uses `values`.

use std::sync::LazyLock;

use schemars::generate::SchemaSettings;
use serde_json::{Map, Value};

use super::Values;

/// The schema of a file, without references.
static SCHEMA: LazyLock<Value> = LazyLock::new(|| {
    let settings = SchemaSettings::draft2020_12().with(|settings| settings.inline_subschemas = true);
    settings.into_generator().into_root_schema_for::<Values>().to_value()
});

/// The JSON Schema of `simdrive.toml` and of the user's file.
pub fn schema() -> &'static Value {
    &SCHEMA
}

/// What a table holds; `None` where a value of another kind stands.
fn table(node: &Value) -> Option<&Map<String, Value>> {
    node.get("properties")?.as_object()
}

/// The keys of the table at a place, such as `gate`; `None` where there is no table.
pub(super) fn of_table(place: &[String]) -> Option<impl Iterator<Item = &'static str> + use<>> {
    let mut node: &'static Value = &SCHEMA;
    for name in place {
        node = table(node)?.get(name)?;
    }
    Some(table(node)?.keys().map(String::as_str))
}

/// Every key with a value of its own, such as `gate.shift`, in the order in which they are published.
pub(super) fn leaves() -> Vec<String> {
    fn below(node: &Value, prefix: &str, found: &mut Vec<String>) {
        for (name, child) in table(node).into_iter().flatten() {
            let key = if prefix.is_empty() { name.clone() } else { format!("{prefix}.{name}") };
            match table(child) {
                Some(_) => below(child, &key, found),
                None => found.push(key),
            }
        }
    }
    let mut found = Vec::new();
    below(&SCHEMA, "", &mut found);
    found
}

/// The known name closest to a wrong one.
pub(super) fn nearest(wrong: &str, known: impl Iterator<Item = &'static str>) -> String {
    let closest =
        known.max_by(|a, b| strsim::jaro_winkler(wrong, a).total_cmp(&strsim::jaro_winkler(wrong, b)));
    closest.unwrap_or_default().to_owned()
}
