//! Texts with `{expressions}` in them, and bare expressions: read once, when the app is loaded.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{self, Deserialize, Deserializer, Visitor};
use serde_json::Value;

use super::expression::{Expression, Scope, display};

/// A text whose `{expression}` parts are filled in; `{{` is a brace.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Template {
    parts: Vec<Part>,
    location: Place,
}

/// An expression over the state, such as `count(cart) > 0`.
#[derive(Clone, Debug, PartialEq)]
pub struct Expr {
    expression: Expression,
    location: Place,
}

/// Line and column, from 1; 0 where unknown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Place {
    pub line: u64,
    pub column: u64,
}

#[derive(Clone, Debug, PartialEq)]
enum Part {
    Literal(String),
    Expression(Expression),
    Value(Value),
}

impl Template {
    pub fn literal(text: &str) -> Self {
        Self { parts: vec![Part::Literal(text.to_owned())], location: Place::default() }
    }

    /// Of a scalar as it was written.
    pub(super) fn of(scalar: Value, location: Place) -> Result<Self, String> {
        match scalar {
            Value::String(text) => Self::parse(&text, location),
            value => Ok(Self { parts: vec![Part::Value(value)], location }),
        }
    }

    fn parse(source: &str, location: Place) -> Result<Self, String> {
        let mut parts = Vec::new();
        let mut literal = String::new();
        let mut rest = source;
        while let Some(at) = rest.find(['{', '}']) {
            literal.push_str(&rest[..at]);
            let brace = &rest[at..=at];
            rest = &rest[at + 1..];
            if rest.starts_with(brace) {
                literal.push_str(brace);
                rest = &rest[1..];
                continue;
            }
            if brace == "}" {
                return Err(format!("`}}` without `{{` in `{source}`; write `}}}}` for a brace"));
            }
            let Some(end) = rest.find('}') else {
                return Err(format!("`{{` is never closed in `{source}`; write `{{{{` for a brace"));
            };
            if !literal.is_empty() {
                parts.push(Part::Literal(std::mem::take(&mut literal)));
            }
            parts.push(Part::Expression(Expression::parse(&rest[..end])?));
            rest = &rest[end + 1..];
        }
        literal.push_str(rest);
        if !literal.is_empty() {
            parts.push(Part::Literal(literal));
        }
        Ok(Self { parts, location })
    }

    pub fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    /// The text, filled in.
    pub fn text(&self, scope: &Scope) -> String {
        match self.parts.as_slice() {
            [Part::Literal(text)] => text.clone(),
            parts => parts
                .iter()
                .map(|part| match part {
                    Part::Literal(text) => Cow::Borrowed(text.as_str()),
                    Part::Expression(e) => Cow::Owned(display(&e.value(scope))),
                    Part::Value(v) => Cow::Owned(display(v)),
                })
                .collect(),
        }
    }

    /// The value: of the one expression where the text is nothing else, otherwise the text.
    pub fn value(&self, scope: &Scope) -> Value {
        match self.parts.as_slice() {
            [Part::Expression(e)] => e.value(scope),
            [Part::Value(v)] => v.clone(),
            _ => Value::String(self.text(scope)),
        }
    }

    /// The expressions in it, and where the text stands.
    pub(super) fn expressions(&self) -> impl Iterator<Item = (&Expression, Place)> {
        self.parts.iter().filter_map(|part| match part {
            Part::Expression(e) => Some((e, self.location)),
            _ => None,
        })
    }
}

impl Expr {
    pub fn value(&self, scope: &Scope) -> Value {
        self.expression.value(scope)
    }

    pub fn holds(&self, scope: &Scope) -> bool {
        super::expression::truthy(&self.value(scope))
    }

    pub(super) fn expression(&self) -> (&Expression, Place) {
        (&self.expression, self.location)
    }
}

/// A scalar as it was written, with its place.
struct Scalar {
    value: Value,
    place: Place,
}

impl<'de> Deserialize<'de> for Scalar {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Any;
        impl Visitor<'_> for Any {
            type Value = Value;
            fn expecting(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
                f.write_str("a text, a number, true, false or null")
            }
            fn visit_str<E: de::Error>(self, v: &str) -> Result<Value, E> {
                Ok(Value::String(v.to_owned()))
            }
            fn visit_bool<E: de::Error>(self, v: bool) -> Result<Value, E> {
                Ok(Value::Bool(v))
            }
            fn visit_i64<E: de::Error>(self, v: i64) -> Result<Value, E> {
                Ok(v.into())
            }
            fn visit_u64<E: de::Error>(self, v: u64) -> Result<Value, E> {
                Ok(v.into())
            }
            fn visit_f64<E: de::Error>(self, v: f64) -> Result<Value, E> {
                Ok(v.into())
            }
            fn visit_unit<E: de::Error>(self) -> Result<Value, E> {
                Ok(Value::Null)
            }
        }
        struct Inner(Value);
        impl<'de> Deserialize<'de> for Inner {
            fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
                d.deserialize_any(Any).map(Inner)
            }
        }
        let spanned = serde_saphyr::Spanned::<Inner>::deserialize(deserializer)?;
        let place = Place { line: spanned.referenced.line(), column: spanned.referenced.column() };
        Ok(Self { value: spanned.value.0, place })
    }
}

impl<'de> Deserialize<'de> for Template {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let scalar = Scalar::deserialize(deserializer)?;
        Template::of(scalar.value, scalar.place).map_err(de::Error::custom)
    }
}

impl<'de> Deserialize<'de> for Expr {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let scalar = Scalar::deserialize(deserializer)?;
        let expression = match scalar.value {
            Value::String(text) => Expression::parse(&text).map_err(de::Error::custom)?,
            value => Expression::Constant(value),
        };
        Ok(Self { expression, location: scalar.place })
    }
}

impl JsonSchema for Template {
    fn schema_name() -> Cow<'static, str> {
        "Template".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": ["string", "number", "boolean", "null"],
            "description": "A text; `{expression}` parts are filled in from the state."
        })
    }
}

impl JsonSchema for Expr {
    fn schema_name() -> Cow<'static, str> {
        "Expression".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": ["string", "number", "boolean"],
            "description": "An expression over the state, such as `count(cart) > 0`."
        })
    }
}
