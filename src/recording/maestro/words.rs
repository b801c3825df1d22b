//! How Maestro writes selectors, texts, places and keys. Uses the format, `act`.

use std::fmt::Write;

use crate::act::action::{Direction, Key};
use crate::geometry::Point;
use crate::recording::{RecordedMark, RecordedTarget};
use crate::role::Role;

/// By identifier where that is enough, else by text; a point by its place. Nothing where a mark has neither.
pub(super) fn target_keys(target: &RecordedTarget) -> Option<Vec<(&'static str, String)>> {
    let mark = match target {
        RecordedTarget::Point(point) => return Some(vec![("point", quoted(&at(*point)))]),
        RecordedTarget::Mark(mark) => mark,
    };
    let RecordedMark { identifier, label, nth, of, .. } = mark;
    match (identifier, label.is_empty(), *of) {
        (Some(id), _, ..=1) => Some(vec![("id", selector(id, false))]),
        (Some(id), true, _) => Some(vec![("id", selector(id, false)), ("index", (nth - 1).to_string())]),
        (None, true, _) => None,
        (_, false, ..=1) => Some(vec![("", selector(label, false))]),
        (_, false, _) => Some(vec![("text", selector(label, false)), ("index", (nth - 1).to_string())]),
    }
}

pub(super) fn place(target: &RecordedTarget) -> Option<Point> {
    match target {
        RecordedTarget::Point(point) => Some(*point),
        RecordedTarget::Mark(mark) => mark.frame.map(|frame| frame.center()),
    }
}

pub(super) fn hides_the_keyboard(target: &RecordedTarget) -> bool {
    let RecordedTarget::Mark(mark) = target else { return false };
    let label = mark.label.to_lowercase();
    mark.role == Some(Role::KeyboardKey) && ["done", "hide keyboard", "dismiss"].contains(&label.as_str())
}

pub(super) fn at(point: Point) -> String {
    format!("{:.0}, {:.0}", point.x, point.y)
}

pub(super) fn word(direction: Direction) -> &'static str {
    match direction {
        Direction::Up => "UP",
        Direction::Down => "DOWN",
        Direction::Left => "LEFT",
        Direction::Right => "RIGHT",
    }
}

/// The command for a key, and what it takes.
pub(super) fn pressed(key: Key) -> Option<(&'static str, &'static str)> {
    Some(match key {
        Key::Home => ("pressKey", "Home"),
        Key::Lock => ("pressKey", "Lock"),
        Key::VolumeUp => ("pressKey", "Volume Up"),
        Key::VolumeDown => ("pressKey", "Volume Down"),
        Key::Return => ("pressKey", "Enter"),
        Key::Tab => ("pressKey", "Tab"),
        Key::Delete => ("pressKey", "Backspace"),
        Key::Space => ("inputText", " "),
        Key::Siri | Key::Shake | Key::Escape | Key::Up | Key::Down | Key::Left | Key::Right => return None,
        Key::Character(_) => return None,
    })
}

/// A label as a regular expression that means nothing but it; `part` where it may stand among other words.
pub(super) fn selector(label: &str, part: bool) -> String {
    let mut out = String::new();
    let mut rest = label;
    while let Some(at) = rest.find("${") {
        let name_end = rest[at..].find('}').map_or(rest.len(), |end| at + end + 1);
        // `$${` stands for a literal `${` here
        let is_literal = rest[..at].ends_with('$');
        let before = if is_literal { &rest[..at - 1] } else { &rest[..at] };
        escape_into(&mut out, before);
        if is_literal {
            out += r"\$\{";
            rest = &rest[at + 2..];
        } else {
            out += &rest[at..name_end];
            rest = &rest[name_end..];
        }
    }
    escape_into(&mut out, rest);
    quoted(&if part { format!(".*{out}.*") } else { out })
}

fn escape_into(out: &mut String, text: &str) {
    for c in text.chars() {
        if r"\.[]{}()*+?^$|".contains(c) {
            out.push('\\');
        }
        out.push(c);
    }
}

/// A text to type or open: `${NAME}` as it is, what is none kept from being one.
pub(super) fn text(text: &str) -> String {
    quoted(&text.replace("$${", "\\${"))
}

/// Plain where nothing in it means anything to YAML, else in double quotes, whose escapes are those of JSON.
pub(super) fn quoted(text: &str) -> String {
    let plain = text.starts_with(|c: char| c.is_alphabetic())
        && text.chars().all(|c| c.is_alphanumeric() || " ._-/@".contains(c))
        && !text.ends_with(' ')
        && !["true", "false", "null", "yes", "no", "on", "off", "y", "n"]
            .contains(&text.to_lowercase().as_str());
    if plain {
        return text.to_owned();
    }
    let mut out = String::from('"');
    for c in text.chars() {
        // writing to a String can't fail
        let _ = match c {
            '"' => write!(out, "\\\""),
            '\\' => write!(out, "\\\\"),
            '\n' => write!(out, "\\n"),
            '\t' => write!(out, "\\t"),
            c if c.is_control() => write!(out, "\\u{:04x}", u32::from(c)),
            c => write!(out, "{c}"),
        };
    }
    out + "\""
}
