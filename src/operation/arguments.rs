//! Arguments against their published schema: unknown names, wrong types and ranges are refused by name,
//! numbers and switches sent as strings are taken.

use serde_json::{Map, Number, Value};

use crate::operation::OperationError;

/// What other tools call the things we call otherwise.
const OTHER_NAMES: &[(&str, &str)] = &[
    ("bundle_id", "app"),
    ("bundle_identifier", "app"),
    ("app_id", "app"),
    ("udid", "device"),
    ("device_id", "device"),
    ("session_id", "session"),
    ("id", "mark"),
    ("ref", "mark"),
    ("mark_id", "mark"),
    ("element", "label"),
    ("content", "text"),
    ("value", "text"),
    ("timeout", "timeout_ms"),
    ("duration", "duration_ms"),
    ("hold", "hold_ms"),
    ("env", "environment"),
    ("args", "launch_arguments"),
    ("arguments", "launch_arguments"),
    ("start", "from"),
    ("end", "to"),
];

/// Checks `arguments` against a plain object schema and gives them back with every value in its own type.
///
/// # Errors
/// `invalid_argument`, naming the argument and what is wanted.
pub fn check(
    tool: &str,
    schema: &Map<String, Value>,
    arguments: Map<String, Value>,
) -> Result<Value, OperationError> {
    check_object(tool, "", schema, arguments)
}

fn check_object(
    owner: &str,
    prefix: &str,
    schema: &Map<String, Value>,
    arguments: Map<String, Value>,
) -> Result<Value, OperationError> {
    let none = Map::new();
    let properties = schema.get("properties").and_then(Value::as_object).unwrap_or(&none);
    // a map from any name to values of one kind
    let other = schema.get("additionalProperties").and_then(Value::as_object);
    let mut checked = Map::new();
    for (name, value) in arguments {
        let path = if prefix.is_empty() { name.clone() } else { format!("{prefix}.{name}") };
        let Some(wanted) = properties.get(&name).and_then(Value::as_object).or(other) else {
            return Err(unknown(owner, &path, &name, properties));
        };
        if !value.is_null() {
            checked.insert(name, check_value(&path, wanted, value)?);
        }
    }
    let required = schema.get("required").and_then(Value::as_array);
    for name in required.into_iter().flatten().filter_map(Value::as_str) {
        if !checked.contains_key(name) {
            let path = if prefix.is_empty() { name.to_owned() } else { format!("{prefix}.{name}") };
            return Err(OperationError::invalid(format!("`{path}` is missing")).with_detail("argument", path));
        }
    }
    Ok(Value::Object(checked))
}

fn unknown(owner: &str, path: &str, name: &str, known: &Map<String, Value>) -> OperationError {
    let names: Vec<&str> = known.keys().map(String::as_str).collect();
    let error = match nearest(name, &names) {
        Some(near) => OperationError::invalid(format!("unknown argument `{path}`; did you mean `{near}`?"))
            .with_detail("did_you_mean", near),
        None => OperationError::invalid(format!("unknown argument `{path}` of {owner}")),
    };
    let all =
        if names.is_empty() { "it takes none".into() } else { format!("it takes {}", names.join(", ")) };
    error.with_detail("argument", path).with_hint(all)
}

/// The name that was probably meant.
pub fn nearest<'a>(name: &str, known: &[&'a str]) -> Option<&'a str> {
    let folded = name.to_ascii_lowercase().replace('-', "_");
    let other = OTHER_NAMES.iter().filter(|(from, _)| *from == folded).map(|(_, to)| *to);
    if let Some(name) = other.filter_map(|to| known.iter().find(|k| **k == to)).next() {
        return Some(name);
    }
    known
        .iter()
        .map(|k| (strsim::jaro_winkler(&folded, k), *k))
        .filter(|(score, _)| *score >= 0.8)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, k)| k)
}

fn check_value(path: &str, schema: &Map<String, Value>, value: Value) -> Result<Value, OperationError> {
    let refused = |wanted: &str| {
        OperationError::invalid(format!("`{path}` must be {wanted}; got {}", shown(&value)))
            .with_detail("argument", path)
    };
    match schema.get("type").and_then(Value::as_str) {
        Some("integer") => match integer(&value) {
            Some(number) => in_range(path, schema, Value::from(number)),
            None => Err(refused("a whole number")),
        },
        Some("number") => match number(&value) {
            Some(number) => in_range(path, schema, Value::Number(number)),
            None => Err(refused("a finite number")),
        },
        Some("boolean") => match &value {
            Value::Bool(_) => Ok(value),
            Value::String(s) if s == "true" => Ok(Value::Bool(true)),
            Value::String(s) if s == "false" => Ok(Value::Bool(false)),
            _ => Err(refused("true or false")),
        },
        Some("string") => match (&value, schema.get("enum").and_then(Value::as_array)) {
            (Value::String(_), None) => Ok(value),
            (Value::String(_), Some(words)) if words.contains(&value) => Ok(value),
            (_, Some(words)) => Err(refused(&format!("one of {}", listed(words)))),
            _ => Err(refused("a string")),
        },
        Some("array") => {
            let Some(items) = array(&value) else { return Err(refused("a list")) };
            let none = Map::new();
            let wanted = schema.get("items").and_then(Value::as_object).unwrap_or(&none);
            let items = items.into_iter().enumerate();
            items.map(|(i, item)| check_value(&format!("{path}[{i}]"), wanted, item)).collect()
        }
        Some("object") => match object(&value) {
            Some(fields) => check_object(&format!("`{path}`"), path, schema, fields),
            None => Err(refused("an object")),
        },
        _ => Ok(value),
    }
}

fn integer(value: &Value) -> Option<i64> {
    match value {
        Value::Number(n) => n.as_i64().or_else(|| n.as_f64().and_then(whole)),
        Value::String(s) => s.trim().parse().ok().or_else(|| s.trim().parse().ok().and_then(whole)),
        _ => None,
    }
}

fn whole(number: f64) -> Option<i64> {
    // 2^53: beyond it a float no longer names one whole number
    (number.fract() == 0.0 && number.abs() <= 9_007_199_254_740_992.0).then_some(number as i64)
}

fn number(value: &Value) -> Option<Number> {
    match value {
        Value::Number(n) => Some(n.clone()),
        Value::String(s) => s.trim().parse().ok().and_then(Number::from_f64),
        _ => None,
    }
}

/// Some clients send lists and objects as JSON in a string.
fn array(value: &Value) -> Option<Vec<Value>> {
    match value {
        Value::Array(items) => Some(items.clone()),
        Value::String(s) => serde_json::from_str(s).ok(),
        _ => None,
    }
}

fn object(value: &Value) -> Option<Map<String, Value>> {
    match value {
        Value::Object(fields) => Some(fields.clone()),
        Value::String(s) => serde_json::from_str(s).ok(),
        _ => None,
    }
}

fn in_range(path: &str, schema: &Map<String, Value>, value: Value) -> Result<Value, OperationError> {
    let limit = |key: &str| schema.get(key).and_then(Value::as_f64);
    let (low, high) = (limit("minimum"), limit("maximum"));
    let number = value.as_f64().unwrap_or(f64::NAN);
    if low.is_none_or(|low| number >= low) && high.is_none_or(|high| number <= high) {
        return Ok(value);
    }
    let wanted = match (low, high) {
        (Some(low), Some(high)) => format!("from {low} to {high}"),
        (Some(low), None) => format!("at least {low}"),
        (_, high) => format!("at most {}", high.unwrap_or(f64::MAX)),
    };
    Err(OperationError::invalid(format!("`{path}` must be {wanted}; got {value}"))
        .with_detail("argument", path))
}

fn listed(words: &[Value]) -> String {
    words.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(", ")
}

/// The value as it came, cut where it is long.
fn shown(value: &Value) -> String {
    let text = value.to_string();
    if text.chars().count() <= 60 { text } else { text.chars().take(59).chain(['…']).collect() }
}

#[cfg(test)]
mod tests {
    use schemars::JsonSchema;
    use serde::Deserialize;
    use serde_json::json;

    use super::*;
    use crate::operation::schema;
    use crate::operation::target::TargetArguments;

    #[derive(Debug, Deserialize, JsonSchema)]
    #[serde(rename_all = "snake_case")]
    enum Side {
        Left,
        Right,
    }

    #[derive(Debug, Deserialize, JsonSchema)]
    #[expect(dead_code, reason = "only its schema matters")]
    struct Sample {
        app: String,
        #[serde(flatten)]
        target: TargetArguments,
        #[schemars(range(min = 1, max = 2))]
        count: Option<u8>,
        side: Option<Side>,
        quick: Option<bool>,
        tags: Option<Vec<String>>,
        into: Option<TargetArguments>,
        environment: Option<std::collections::BTreeMap<String, String>>,
    }

    fn checked(arguments: Value) -> Result<Value, OperationError> {
        let Value::Object(arguments) = arguments else { panic!("an object") };
        check("sample", &schema::plain::<Sample>(), arguments)
    }

    fn refusal(arguments: Value) -> String {
        checked(arguments).unwrap_err().message
    }

    #[test]
    fn a_schema_is_plain() {
        let schema = Value::Object(schema::plain::<Sample>());
        let text = schema.to_string();
        for key in ["$ref", "anyOf", "oneOf", "allOf", "null", "format", "title", "default", "$defs"] {
            assert!(!text.contains(&format!("\"{key}\"")), "{key} in {text}");
        }
        assert_eq!(schema["properties"]["side"], json!({"type": "string", "enum": ["left", "right"]}));
        assert_eq!(schema["properties"]["count"]["maximum"], 2);
        assert_eq!(schema["properties"]["x"]["type"], "number");
        assert_eq!(schema["properties"]["into"]["additionalProperties"], false);
        assert_eq!(schema["required"], json!(["app"]));
    }

    #[test]
    fn an_unknown_argument_is_refused_with_the_name_that_was_meant() {
        assert_eq!(refusal(json!({"bundle_id": "x"})), "unknown argument `bundle_id`; did you mean `app`?");
        assert_eq!(
            refusal(json!({"app": "x", "lable": "y"})),
            "unknown argument `lable`; did you mean `label`?"
        );
        let nested = refusal(json!({"app": "x", "into": {"makr": 1}}));
        assert_eq!(nested, "unknown argument `into.makr`; did you mean `mark`?");
        assert_eq!(refusal(json!({"app": "x", "qqqq": 1})), "unknown argument `qqqq` of sample");
    }

    #[test]
    fn a_wrong_type_or_range_names_the_argument() {
        assert_eq!(refusal(json!({"app": 1})), "`app` must be a string; got 1");
        assert_eq!(refusal(json!({"app": "x", "mark": "two"})), "`mark` must be a whole number; got \"two\"");
        assert_eq!(refusal(json!({"app": "x", "mark": 1.5})), "`mark` must be a whole number; got 1.5");
        assert_eq!(refusal(json!({"app": "x", "mark": -1})), "`mark` must be at least 0; got -1");
        assert_eq!(refusal(json!({"app": "x", "count": 3})), "`count` must be from 1 to 2; got 3");
        assert_eq!(
            refusal(json!({"app": "x", "side": "up"})),
            "`side` must be one of left, right; got \"up\""
        );
        assert_eq!(refusal(json!({"app": "x", "tags": ["a", 1]})), "`tags[1]` must be a string; got 1");
        assert_eq!(refusal(json!({})), "`app` is missing");
        for text in ["NaN", "inf", "-Infinity", "1e999"] {
            assert!(
                refusal(json!({"app": "x", "x": text})).starts_with("`x` must be a finite number"),
                "{text}"
            );
        }
    }

    #[test]
    fn what_clients_send_as_strings_is_taken() {
        let arguments = json!({"app": "x", "count": "2", "x": "10.5", "y": 3, "quick": "true", "tags": "[\"a\"]",
            "into": "{\"mark\": \"7\"}", "environment": {"A": "1"}, "side": null});
        let wanted = json!({"app": "x", "count": 2, "x": 10.5, "y": 3, "quick": true, "tags": ["a"],
            "into": {"mark": 7}, "environment": {"A": "1"}});
        assert_eq!(checked(arguments).unwrap(), wanted);
    }
}
