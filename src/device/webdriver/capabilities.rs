//! What a session is asked to be capable of. Uses the device error.

use std::path::Path;

use serde_json::{Map, Value, json};

use crate::device::DeviceError;

/// The capabilities as `POST /session` takes them, from a file that holds them in any of the usual three forms:
/// plain, as `alwaysMatch` and `firstMatch`, or with `capabilities` around.
///
/// `${NAME}` in a string is replaced from the environment, so that keys need not stand in the file.
///
/// # Errors
/// The file can't be read, holds no JSON object, or names a variable that is not set.
pub fn read(file: &Path) -> Result<Value, DeviceError> {
    let invalid =
        |why: String| DeviceError::InvalidSelector(format!("capabilities {}: {why}", file.display()));
    let text = std::fs::read_to_string(file).map_err(|e| invalid(e.to_string()))?;
    let value: Value = serde_json::from_str(&text).map_err(|e| invalid(e.to_string()))?;
    let Value::Object(mut given) = expanded(value).map_err(invalid)? else {
        return Err(invalid("not a JSON object".to_owned()));
    };
    if let Some(Value::Object(inner)) = given.remove("capabilities") {
        given = inner;
    }
    let is_matching = given.contains_key("alwaysMatch") || given.contains_key("firstMatch");
    Ok(if is_matching { Value::Object(given) } else { json!({ "alwaysMatch": given }) })
}

fn expanded(value: Value) -> Result<Value, String> {
    Ok(match value {
        Value::String(text) => Value::String(filled(&text)?),
        Value::Array(items) => Value::Array(items.into_iter().map(expanded).collect::<Result<_, _>>()?),
        Value::Object(entries) => {
            let entries = entries.into_iter().map(|(key, value)| Ok((key, expanded(value)?)));
            Value::Object(entries.collect::<Result<Map<_, _>, String>>()?)
        }
        other => other,
    })
}

fn filled(text: &str) -> Result<String, String> {
    let mut filled = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("${") {
        let (name, behind) =
            after.split_once('}').ok_or_else(|| format!("`${{` is not closed in {text:?}"))?;
        filled.push_str(before);
        filled.push_str(&std::env::var(name).map_err(|_| format!("the variable {name} is not set"))?);
        rest = behind;
    }
    filled.push_str(rest);
    Ok(filled)
}

/// Adds what this device needs and the file does not decide: dialogs are left to us, and the console is kept.
pub fn completed(mut capabilities: Value, is_chromedriver: bool) -> Value {
    let Some(given) = capabilities.as_object_mut() else { return capabilities };
    let anywhere = |name: &str, given: &Map<String, Value>| {
        let first = given.get("firstMatch").and_then(Value::as_array).into_iter().flatten();
        given.get("alwaysMatch").into_iter().chain(first).any(|part| part.get(name).is_some())
    };
    let mut wanted = vec![("unhandledPromptBehavior", json!("ignore"))];
    if is_chromedriver || anywhere("goog:chromeOptions", given) {
        wanted.push(("goog:loggingPrefs", json!({"browser": "ALL"})));
    }
    let missing: Vec<_> = wanted.into_iter().filter(|(name, _)| !anywhere(name, given)).collect();
    let always = given.entry("alwaysMatch").or_insert_with(|| json!({}));
    if let Some(always) = always.as_object_mut() {
        always.extend(missing.into_iter().map(|(name, value)| (name.to_owned(), value)));
    }
    capabilities
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_is_read_and_completed() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("c.json");
        for text in [
            r#"{"browserName": "chrome"}"#,
            r#"{"alwaysMatch": {"browserName": "chrome"}}"#,
            r#"{"capabilities": {"alwaysMatch": {"browserName": "chrome"}}}"#,
        ] {
            std::fs::write(&file, text).unwrap();
            let read = completed(read(&file).unwrap(), false);
            assert_eq!(read["alwaysMatch"]["browserName"], "chrome");
            assert_eq!(read["alwaysMatch"]["unhandledPromptBehavior"], "ignore");
        }
        std::fs::write(&file, r#"{"k": "${SIMDRIVE_NO_SUCH_VARIABLE}"}"#).unwrap();
        assert!(read(&file).unwrap_err().to_string().contains("SIMDRIVE_NO_SUCH_VARIABLE"));
        std::fs::write(&file, "[]").unwrap();
        assert!(read(&file).unwrap_err().to_string().contains("object"));
    }

    #[test]
    fn the_example_files_of_farms_are_capabilities() {
        let farms = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/farms");
        let read_file = |name: &str| read(&farms.join(name));
        let phone = read_file("phone-chromium.json").unwrap();
        assert_eq!(phone["alwaysMatch"]["browserName"], "chrome");
        assert_eq!(read_file("saucelabs.json").unwrap()["alwaysMatch"]["platformName"], "iOS");
        // an app that was not uploaded is named
        let missing = read_file("browserstack.json").unwrap_err().to_string();
        assert!(missing.contains("BROWSERSTACK_APP is not set"), "{missing}");
    }
}
