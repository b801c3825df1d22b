//! Findings as SARIF 2.1.0, which code hosts show beside the lines concerned. Uses `finding`.

use std::path::{Component, Path};

use serde_json::{Map, Value, json};

use super::{Finding, Linted, Rule};

/// One document for one run.
pub fn sarif(linted: &[Linted]) -> Value {
    let rules: Vec<Value> = Rule::ALL
        .iter()
        .map(|rule| {
            json!({
                "id": rule.code(),
                "shortDescription": {"text": rule.about()},
                "defaultConfiguration": {"level": rule.severity().as_str()},
            })
        })
        .collect();
    let results: Vec<Value> = linted.iter().flat_map(|one| &one.findings).map(result).collect();
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": {
                "name": "simdrive",
                "semanticVersion": env!("CARGO_PKG_VERSION"),
                "rules": rules,
            }},
            "columnKind": "unicodeCodePoints",
            "results": results,
        }],
    })
}

fn result(finding: &Finding) -> Value {
    let mut place = json!({"artifactLocation": {"uri": uri(&finding.file)}});
    if let Some(line) = finding.line {
        place["region"] = json!({"startLine": line});
    }
    let mut location = json!({"physicalLocation": place});
    if let Some(key) = &finding.key {
        location["logicalLocations"] = json!([{"fullyQualifiedName": key}]);
    }
    let mut properties = Map::new();
    properties.insert("fixable".into(), finding.repair.is_some().into());
    if let Some(step) = finding.step {
        properties.insert("step".into(), step.into());
    }
    json!({
        "ruleId": finding.code.code(),
        "ruleIndex": Rule::ALL.iter().position(|rule| *rule == finding.code),
        "level": finding.severity.as_str(),
        "message": {"text": format!("{}; {}", finding.message, finding.fix)},
        "locations": [location],
        "properties": properties,
    })
}

/// A relative path stays relative, so that a code host finds it in its repository.
fn uri(path: &Path) -> String {
    let mut uri = if path.is_absolute() { "file://".to_owned() } else { String::new() };
    for component in path.components() {
        match component {
            Component::RootDir | Component::Prefix(_) | Component::CurDir => continue,
            Component::ParentDir => push(&mut uri, ".."),
            Component::Normal(name) => push(&mut uri, &name.to_string_lossy()),
        }
    }
    uri
}

fn push(uri: &mut String, segment: &str) {
    if !uri.is_empty() {
        uri.push('/');
    }
    for byte in segment.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            uri.push(char::from(byte));
        } else {
            uri.push_str(&format!("%{byte:02X}"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_become_addresses() {
        assert_eq!(uri(Path::new("./a b/frames/ü.png")), "a%20b/frames/%C3%BC.png");
        assert_eq!(uri(Path::new("/work/x:y")), "file:///work/x%3Ay");
    }
}
