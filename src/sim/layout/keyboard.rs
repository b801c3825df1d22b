//! The drawn keyboard: keys that really take touches.

use super::builder::Builder;
use super::element::{Element, KeyCap, Touch};
use super::flow::shade;
use super::look::Font;
use crate::geometry::{Rect, Size};
use crate::role::Role;
use crate::sim::app::{FieldKind, IconName, ReturnKey};
use crate::sim::process::{Edit, Focus, Keyboard, Plane};
use crate::sim::render::{Rgba, Weight};

/// Sizes that differ between a phone upright, a phone on its side, and a tablet.
#[derive(Clone, Copy)]
struct Metrics {
    /// From one row of keys to the next.
    pitch: f64,
    key: f64,
    gap: f64,
    below: f64,
    side: f64,
}

impl Metrics {
    fn of(size: Size) -> Self {
        let phone_upright = size.width < 500.0;
        let pad = size.width.min(size.height) >= 700.0;
        match (phone_upright, pad) {
            (true, _) => Self { pitch: 54.0, key: 43.0, gap: 6.0, below: 70.0, side: 3.0 },
            (_, true) => Self { pitch: 64.0, key: 54.0, gap: 10.0, below: 46.0, side: 6.0 },
            _ => Self { pitch: 39.0, key: 32.0, gap: 6.0, below: 24.0, side: 62.0 },
        }
    }
}

const ABOVE: f64 = 8.0;

/// The whole height, with what is below the keys.
pub fn height(size: Size) -> f64 {
    let metrics = Metrics::of(size);
    ABOVE + 4.0 * metrics.pitch + metrics.below
}

const LETTERS: [&str; 3] = ["qwertyuiop", "asdfghjkl", "zxcvbnm"];
const NUMBERS: [&str; 3] = ["1234567890", "-/:;()$&@\"", ".,?!'"];
const SYMBOLS: [&str; 3] = ["[]{}#%^*+=", "_\\|~<>€£¥•", ".,?!'"];

/// A key and how wide it is, in points.
struct Key {
    face: Face,
    label: String,
    cap: KeyCap,
    width: f64,
    special: bool,
}

enum Face {
    Text(String),
    Shift { on: bool },
    Delete,
}

impl Key {
    fn character(c: char, width: f64) -> Self {
        let text = c.to_string();
        Self {
            face: Face::Text(text.clone()),
            label: text.clone(),
            cap: KeyCap::Edit(Edit::Insert(text)),
            width,
            special: false,
        }
    }

    fn special(face: Face, label: &str, cap: KeyCap, width: f64) -> Self {
        Self { face, label: label.to_owned(), cap, width, special: true }
    }
}

impl Builder<'_> {
    /// The keyboard at the bottom of the screen.
    pub fn keyboard(&mut self, keyboard: &Keyboard, focus: Option<&Focus>, size: Size) {
        let metrics = Metrics::of(size);
        let height = height(size);
        let top = size.height - height * keyboard.presence.amount(self.now);
        let top = self.snap(top);
        let frame = Rect::new(0.0, top, size.width, height);
        self.fill(frame, 0.0, self.look.keyboard());
        self.element(Element::shield(frame, Touch::Nothing));
        let (kind, return_key) =
            focus.map_or_else(Default::default, |focus| (focus.field.kind, focus.field.return_key));
        self.grouped("Keyboard", |b| {
            for (i, row) in rows(keyboard, (kind, return_key), size.width, metrics).into_iter().enumerate() {
                b.key_row(row, top + ABOVE + i as f64 * metrics.pitch, size.width, metrics);
            }
        });
        if metrics.below > 60.0 {
            let y = top + ABOVE + 4.0 * metrics.pitch + 4.0;
            let color = self.look.secondary();
            self.icon(IconName::Globe, Rect::new(30.0, y, 26.0, 26.0), color);
            self.icon(IconName::Mic, Rect::new(size.width - 56.0, y, 26.0, 26.0), color);
        }
    }

    fn key_row(&mut self, row: Vec<Key>, y: f64, width: f64, metrics: Metrics) {
        let taken: f64 = row.iter().map(|k| k.width).sum::<f64>() + metrics.gap * (row.len() - 1) as f64;
        let mut x = (width - taken) / 2.0;
        for key in row {
            let frame = Rect::new(x, y, key.width, metrics.key);
            x += key.width + metrics.gap;
            self.key(key, frame, metrics);
        }
    }

    fn key(&mut self, key: Key, frame: Rect, metrics: Metrics) {
        let blue = key.special && matches!(key.label.as_str(), "search" | "go" | "join" | "send" | "done");
        let lit = matches!(key.face, Face::Shift { on: true });
        let ground = match () {
            () if blue => self.look.accent(),
            () if lit => self.look.key(),
            () if self.next_is_pressed() != key.special => self.look.special_key(),
            () => self.look.key(),
        };
        self.fill(Rect::new(frame.x, frame.y + 1.0, frame.width, frame.height), 5.0, shade(0.3));
        self.fill(frame, 5.0, ground);
        let color = if blue { Rgba::hex(0x00FF_FFFF) } else { self.look.label() };
        let center = frame.center();
        match &key.face {
            Face::Text(text) => {
                let size = if text.chars().count() > 1 { 16.0 } else { (metrics.key * 0.54).min(25.0) };
                self.centered(text, Font::of(size, Weight::Regular), color, center);
            }
            Face::Shift { .. } => {
                self.centered("⇧", Font::of(22.0, Weight::Regular), color, center);
            }
            Face::Delete => {
                self.centered("⌫", Font::of(20.0, Weight::Regular), color, center);
            }
        }
        let hit = Rect::new(
            frame.x - metrics.gap / 2.0,
            frame.y - (metrics.pitch - metrics.key) / 2.0,
            frame.width + metrics.gap,
            metrics.pitch,
        );
        let element = Element::new(Role::KeyboardKey, "Button", key.label, frame)
            .traits(&["KeyboardKey"])
            .exact_touch(Touch::Key(key.cap));
        self.element(Element { hit, ..element });
    }
}

fn rows(keyboard: &Keyboard, field: (FieldKind, ReturnKey), width: f64, m: Metrics) -> [Vec<Key>; 4] {
    let inner = width - 2.0 * m.side;
    let unit = (inner - 9.0 * m.gap) / 10.0;
    let upper = keyboard.plane == Plane::Letters && keyboard.shift;
    let faces = match keyboard.plane {
        Plane::Letters => LETTERS,
        Plane::Numbers => NUMBERS,
        Plane::Symbols => SYMBOLS,
    };
    let few = if keyboard.plane == Plane::Letters { unit } else { unit * 1.4 };
    let characters = |row: &str, width: f64| -> Vec<Key> {
        row.chars().map(|c| Key::character(if upper { c.to_ascii_uppercase() } else { c }, width)).collect()
    };
    let third_width = faces[2].len() as f64 * (few + m.gap) - m.gap;
    let outer = ((inner - third_width) / 2.0 - m.gap * 2.0).max(unit);
    let left = match keyboard.plane {
        Plane::Letters => Key::special(Face::Shift { on: keyboard.shift }, "shift", KeyCap::Shift, outer),
        Plane::Numbers => plane_key("#+=", "more, symbols", Plane::Symbols, outer),
        Plane::Symbols => plane_key("123", "more, numbers", Plane::Numbers, outer),
    };
    let mut third = vec![left];
    third.extend(characters(faces[2], few));
    third.push(Key::special(Face::Delete, "delete", KeyCap::Edit(Edit::Delete), outer));
    [
        characters(faces[0], unit),
        characters(faces[1], unit),
        third,
        bottom_row(keyboard, field, inner, unit, m),
    ]
}

fn plane_key(face: &str, label: &str, plane: Plane, width: f64) -> Key {
    Key::special(Face::Text(face.to_owned()), label, KeyCap::Plane(plane), width)
}

fn bottom_row(
    keyboard: &Keyboard,
    (kind, return_key): (FieldKind, ReturnKey),
    inner: f64,
    unit: f64,
    m: Metrics,
) -> Vec<Key> {
    let wide = unit * 2.0 + m.gap;
    let switch = match keyboard.plane {
        Plane::Letters => plane_key("123", "more, numbers", Plane::Numbers, wide),
        _ => plane_key("ABC", "more, letters", Plane::Letters, wide),
    };
    let face = return_key.face();
    let label = if return_key == ReturnKey::Return { "Return" } else { face };
    let done =
        Key::special(Face::Text(face.to_owned()), label, KeyCap::Edit(Edit::Return), wide + unit * 0.4);
    let mut row = vec![switch];
    let mut space = inner - wide - done.width - 2.0 * m.gap;
    let extra: &[char] = if kind == FieldKind::Email { &['@', '.'] } else { &[] };
    space -= extra.len() as f64 * (unit + m.gap);
    row.push(Key {
        face: Face::Text("space".to_owned()),
        label: "space".to_owned(),
        cap: KeyCap::Edit(Edit::Insert(" ".to_owned())),
        width: space,
        special: false,
    });
    row.extend(extra.iter().map(|c| Key::character(*c, unit)));
    row.push(done);
    row
}
