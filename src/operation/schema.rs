//! The schemas of arguments: plain enough for every client, and enforced as published.
//!
//! A plain schema has one `type` a node and no `$ref`, `anyOf`, `oneOf`, null or format: several clients
//! refuse the rest, and each byte of it is read by a model.

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};

/// The plain schema of `T`, an object.
pub fn plain<T: JsonSchema>() -> Map<String, Value> {
    let settings = SchemaSettings::draft2020_12().with(|s| {
        s.inline_subschemas = true;
        s.meta_schema = None;
    });
    let mut schema = settings.into_generator().into_root_schema_for::<T>().to_value();
    simplify(&mut schema);
    let mut object = match schema {
        Value::Object(object) => object,
        _ => Map::new(),
    };
    object.remove("description");
    object.entry("properties").or_insert_with(|| json!({}));
    object
}

/// Rewrites one node and all below it.
fn simplify(node: &mut Value) {
    let Value::Object(object) = node else { return };
    for key in ["$schema", "title", "format", "default", "minLength", "unevaluatedProperties"] {
        object.remove(key);
    }
    if let Some(Value::Array(types)) = object.get("type") {
        let kept = types.iter().find(|t| *t != "null").cloned().unwrap_or(Value::Null);
        object.insert("type".into(), kept);
    }
    unwrap_alternatives(object);
    if let Some(Value::Array(values)) = object.get_mut("enum") {
        values.retain(|v| !v.is_null());
    }
    if let Some(Value::Object(properties)) = object.get_mut("properties") {
        for property in properties.values_mut() {
            simplify(property);
            drop_descriptions_within(property);
        }
    }
    for key in ["items", "additionalProperties"] {
        if let Some(child) = object.get_mut(key) {
            simplify(child);
        }
    }
    if object.get("type").is_some_and(|t| t == "object") {
        object.entry("additionalProperties").or_insert(Value::Bool(false));
    }
}

/// What an object of an argument holds is told in the argument's own description: a target's eight properties
/// would else be told again in every place where one is taken.
fn drop_descriptions_within(node: &mut Value) {
    if let Some(Value::Object(properties)) = node.get_mut("properties") {
        for property in properties.values_mut().filter_map(Value::as_object_mut) {
            property.remove("description");
        }
    }
    if let Some(items) = node.get_mut("items") {
        if let Value::Object(object) = items {
            object.remove("description");
        }
        drop_descriptions_within(items);
    }
}

/// `anyOf: [T, null]` becomes `T`; alternatives of constants become one `enum`.
fn unwrap_alternatives(object: &mut Map<String, Value>) {
    for key in ["anyOf", "oneOf"] {
        let Some(Value::Array(mut alternatives)) = object.remove(key) else { continue };
        alternatives.retain(|a| a.get("type").is_none_or(|t| t != "null"));
        alternatives.iter_mut().for_each(simplify);
        let constants: Option<Vec<Value>> = alternatives.iter().map(|a| a.get("const").cloned()).collect();
        if let Some(constants) = constants {
            object.insert("type".into(), json!("string"));
            object.insert("enum".into(), Value::Array(constants));
        } else if let [Value::Object(only)] = alternatives.as_slice() {
            for (key, value) in only {
                object.entry(key.clone()).or_insert_with(|| value.clone());
            }
        }
    }
}
