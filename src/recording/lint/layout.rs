//! Where what stands in a YAML file: the line of every key, and every text. Uses `serde-saphyr`.
//!
//! The typed reader forgets lines once a file is read well; this one keeps nothing else.

use std::collections::BTreeMap;
use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_saphyr::Spanned;

/// A text that stands in the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Scalar {
    /// Such as `steps[2].target.label`.
    pub key: String,
    pub line: u64,
    pub text: String,
}

/// Keys and texts of one file; empty where it is no YAML.
#[derive(Clone, Debug, Default)]
pub(in crate::recording) struct Layout {
    lines: BTreeMap<String, u64>,
    pub(super) scalars: Vec<Scalar>,
    /// The file as it is.
    pub(super) text: String,
}

impl Layout {
    pub(in crate::recording) fn of(text: &str) -> Self {
        let mut layout = Self { text: text.to_owned(), ..Self::default() };
        if let Ok(root) = serde_saphyr::from_str::<Spanned<Node>>(text) {
            layout.note(String::new(), root);
        }
        layout
    }

    /// The line of a key, or of the nearest key above it that stands in the file.
    pub(super) fn line(&self, key: &str) -> Option<u64> {
        let mut key = key;
        loop {
            if let Some(line) = self.lines.get(key) {
                return Some(*line);
            }
            key = &key[..key.rfind(['.', '['])?];
        }
    }

    /// The whole of a key that ends with `name` and has its value on this line.
    pub(super) fn key_at(&self, line: u64, name: &str) -> Option<String> {
        let ends = |key: &str| key.rsplit('.').next() == Some(name);
        self.lines.iter().find(|(key, at)| **at == line && ends(key)).map(|(key, _)| key.clone())
    }

    fn note(&mut self, key: String, node: Spanned<Node>) {
        let line = node.referenced.line();
        // 0 stands for a place that is not known
        if line > 0 {
            self.lines.insert(key.clone(), line);
        }
        match node.value {
            Node::Scalar(text) => self.scalars.push(Scalar { key, line, text }),
            Node::List(items) => {
                for (i, item) in items.into_iter().enumerate() {
                    self.note(format!("{key}[{i}]"), item);
                }
            }
            Node::Map(entries) => {
                for (name, value) in entries {
                    self.note(if key.is_empty() { name } else { format!("{key}.{name}") }, value);
                }
            }
        }
    }
}

enum Node {
    Scalar(String),
    List(Vec<Spanned<Node>>),
    Map(Vec<(String, Spanned<Node>)>),
}

impl<'de> Deserialize<'de> for Node {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(AnyNode)
    }
}

struct AnyNode;

impl<'de> Visitor<'de> for AnyNode {
    type Value = Node;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("YAML")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Node, E> {
        Ok(Node::Scalar(text.to_owned()))
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Node, E> {
        Ok(Node::Scalar(value.to_string()))
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Node, E> {
        Ok(Node::Scalar(value.to_string()))
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Node, E> {
        Ok(Node::Scalar(value.to_string()))
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Node, E> {
        Ok(Node::Scalar(value.to_string()))
    }

    fn visit_unit<E: Error>(self) -> Result<Node, E> {
        Ok(Node::Scalar(String::new()))
    }

    fn visit_none<E: Error>(self) -> Result<Node, E> {
        Ok(Node::Scalar(String::new()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Node, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = list.next_element()? {
            items.push(item);
        }
        Ok(Node::List(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Node, A::Error> {
        let mut entries = Vec::new();
        while let Some(entry) = map.next_entry()? {
            entries.push(entry);
        }
        Ok(Node::Map(entries))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_key_has_its_line_and_every_text_its_key() {
        let layout = Layout::of(
            "name: x\ndevice: {model: \"iPhone: 16\", screen: {width: 393}}\nsteps:\n  - action: tap\n    \
             target: {label: Go, nth: 2}\n  - check:\n      label: >-\n        a\n        b\n  - text: 0123\n",
        );
        for (key, line) in [
            ("name", 1),
            ("device.screen.width", 2),
            ("steps[0]", 4),
            ("steps[0].target.label", 5),
            ("steps[0].nowhere", 4),
            // a folded text begins on the line below its key
            ("steps[1].check.label", 8),
            ("steps[2].text", 10),
        ] {
            assert_eq!(layout.line(key), Some(line), "{key}");
        }
        let texts: Vec<(&str, &str)> =
            layout.scalars.iter().map(|s| (s.key.as_str(), s.text.as_str())).collect();
        assert!(texts.contains(&("device.model", "iPhone: 16")), "{texts:?}");
        assert!(texts.contains(&("steps[1].check.label", "a b")), "{texts:?}");
    }

    #[test]
    fn what_is_no_yaml_has_no_keys() {
        let layout = Layout::of("a: [");
        assert_eq!(layout.line("a"), None);
    }
}
