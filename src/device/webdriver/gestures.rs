//! Touches and keys as W3C actions. Pure. Uses the device's events, and its key codes.

use std::time::Duration;

use serde_json::{Value, json};

use crate::device::idb::keys;
use crate::device::{HardwareButton, HidEvent};
use crate::geometry::{PanelPoint, Point};

/// Between two places of a moving finger.
const STEP: Duration = Duration::from_millis(16);

/// How far a finger goes before it is taken for more than a touch, in points, and how long it waits before and when
/// it is there: where it is when the page begins to move would else be chance, and so would be where the page ends.
const SLOP: f64 = 17.0;
const BEFORE_IT_MOVES: Duration = Duration::from_millis(50);
const BEGIN_TO_MOVE: Duration = Duration::from_millis(100);

/// One thing to send.
#[derive(Clone, Debug, PartialEq)]
pub enum Part {
    /// The body of `POST /actions`.
    Actions {
        body: Value,
        ends_at: Option<Point>,
    },
    Button(HardwareButton),
    Shake,
    Pause(Duration),
}

/// Which key a computer's browser takes for the command key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CommandKey {
    Meta,
    Control,
}

/// The parts of a path, in order. `place` turns panel points into what the server takes.
///
/// # Errors
/// A key that the protocol has no name for.
pub fn parts(
    events: &[HidEvent],
    command: CommandKey,
    place: impl Fn(PanelPoint) -> Point,
) -> Result<Vec<Part>, String> {
    let mut parts = Parts::default();
    for event in events {
        match *event {
            HidEvent::TouchDown(at) => parts.touch(place(at)),
            HidEvent::TouchUp(at) => parts.lift(place(at)),
            HidEvent::KeyDown(usage) => parts.key("keyDown", key_name(usage, command)?),
            HidEvent::KeyUp(usage) => parts.key("keyUp", key_name(usage, command)?),
            HidEvent::Delay(duration) => parts.waiting += duration,
            HidEvent::Swipe { from, to, duration, .. } => parts.swipe(place(from), place(to), duration),
            HidEvent::ButtonDown(button) => {
                parts.flush();
                parts.done.push(Part::Button(button));
            }
            // the server presses and lets go in one
            HidEvent::ButtonUp(_) => parts.waiting = Duration::ZERO,
            HidEvent::Shake => {
                parts.flush();
                parts.done.push(Part::Shake);
            }
        }
    }
    parts.flush();
    Ok(parts.done)
}

/// Typing, character by character; what stands for keys in the protocol is sent as that key.
pub fn typing(text: &str) -> Value {
    let keys = text.chars().flat_map(|character| {
        let name = match character {
            '\n' => '\u{E006}'.to_string(),
            '\t' => '\u{E004}'.to_string(),
            other => other.to_string(),
        };
        [json!({"type": "keyDown", "value": name}), json!({"type": "keyUp", "value": name})]
    });
    keyboard(keys.collect())
}

#[derive(Default)]
struct Parts {
    done: Vec<Part>,
    finger: Vec<Value>,
    keys: Vec<Value>,
    /// Not yet said.
    waiting: Duration,
    at: Option<Point>,
    is_down: bool,
    /// Where the finger went down, until it has gone farther than a touch does.
    still_at: Option<Point>,
}

impl Parts {
    fn touch(&mut self, at: Point) {
        if !self.keys.is_empty() {
            self.flush();
        }
        if self.is_down {
            self.begin_to_move(at);
            // the finger travels for as long as was waited
            let duration = millis(std::mem::take(&mut self.waiting));
            self.finger.push(moved(at, duration));
        } else {
            self.pause();
            self.finger.push(moved(at, 0));
            self.finger.push(json!({"type": "pointerDown", "button": 0}));
            self.is_down = true;
            self.still_at = Some(at);
        }
        self.at = Some(at);
    }

    /// On its way to a place beyond the slop a finger stops at its border, always at the same place.
    fn begin_to_move(&mut self, to: Point) {
        let Some(down) = self.still_at else { return };
        let (dx, dy) = (to.x - down.x, to.y - down.y);
        let distance = dx.hypot(dy);
        if distance < SLOP {
            return;
        }
        self.still_at = None;
        let part = SLOP / distance;
        let border = Point::new(down.x + dx * part, down.y + dy * part);
        self.finger.push(json!({"type": "pause", "duration": millis(BEFORE_IT_MOVES)}));
        self.finger.push(moved(border, millis(STEP)));
        self.finger.push(json!({"type": "pause", "duration": millis(BEGIN_TO_MOVE)}));
    }

    fn lift(&mut self, at: Point) {
        if self.at != Some(at) {
            self.touch(at);
        }
        self.pause();
        self.finger.push(json!({"type": "pointerUp", "button": 0}));
        self.is_down = false;
    }

    fn swipe(&mut self, from: Point, to: Point, duration: Duration) {
        let steps = (duration.as_secs_f64() / STEP.as_secs_f64()).round().max(2.0);
        self.touch(from);
        for step in 1..=steps as u32 {
            self.waiting += duration.div_f64(steps);
            let part = f64::from(step) / steps;
            self.touch(Point::new(from.x + (to.x - from.x) * part, from.y + (to.y - from.y) * part));
        }
        self.lift(to);
    }

    fn key(&mut self, kind: &str, name: String) {
        if !self.finger.is_empty() {
            self.flush();
        }
        let waited = millis(std::mem::take(&mut self.waiting));
        if waited > 0 {
            self.keys.push(json!({"type": "pause", "duration": waited}));
        }
        self.keys.push(json!({"type": kind, "value": name}));
    }

    fn pause(&mut self) {
        let waited = millis(std::mem::take(&mut self.waiting));
        if waited > 0 {
            self.finger.push(json!({"type": "pause", "duration": waited}));
        }
    }

    fn flush(&mut self) {
        let finger = std::mem::take(&mut self.finger);
        if !finger.is_empty() {
            let source = json!({"type": "pointer", "id": "finger",
                "parameters": {"pointerType": "touch"}, "actions": finger});
            let ends_at = self.at.take();
            self.done.push(Part::Actions { body: json!({"actions": [source]}), ends_at });
        }
        let keys = std::mem::take(&mut self.keys);
        if !keys.is_empty() {
            self.done.push(Part::Actions { body: keyboard(keys), ends_at: None });
        }
        let waited = std::mem::take(&mut self.waiting);
        if !waited.is_zero() {
            self.done.push(Part::Pause(waited));
        }
        self.is_down = false;
    }
}

fn keyboard(actions: Vec<Value>) -> Value {
    json!({"actions": [{"type": "key", "id": "keyboard", "actions": actions}]})
}

fn moved(at: Point, duration: u64) -> Value {
    // older drivers take whole numbers only
    let (x, y) = (at.x.round() as i64, at.y.round() as i64);
    json!({"type": "pointerMove", "duration": duration, "origin": "viewport", "x": x, "y": y})
}

fn millis(duration: Duration) -> u64 {
    (duration.as_secs_f64() * 1_000.0).round() as u64
}

/// The protocol's name of a key.
fn key_name(usage: u16, command: CommandKey) -> Result<String, String> {
    let special = match usage {
        keys::RETURN => '\u{E006}',
        keys::ESCAPE => '\u{E00C}',
        keys::BACKSPACE => '\u{E003}',
        keys::TAB => '\u{E004}',
        keys::RIGHT => '\u{E014}',
        keys::LEFT => '\u{E012}',
        keys::DOWN => '\u{E015}',
        keys::UP => '\u{E013}',
        keys::CONTROL => '\u{E009}',
        keys::SHIFT => '\u{E008}',
        keys::OPTION => '\u{E00A}',
        keys::COMMAND if command == CommandKey::Control => '\u{E009}',
        keys::COMMAND => '\u{E03D}',
        other => {
            let press = keys::KeyPress { usage: other, shift: false };
            return keys::character_of(press)
                .map(String::from)
                .ok_or_else(|| format!("no key of the protocol for the usage code {other}"));
        }
    };
    Ok(special.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(x: f64, y: f64) -> PanelPoint {
        PanelPoint { x, y }
    }

    fn read(events: &[HidEvent]) -> Vec<Part> {
        parts(events, CommandKey::Control, |p| Point::new(p.x, p.y)).unwrap()
    }

    fn actions(part: &Part) -> &Vec<Value> {
        let Part::Actions { body, .. } = part else { panic!("{part:?}") };
        body["actions"][0]["actions"].as_array().unwrap()
    }

    #[test]
    fn a_swipe_is_real_moves_that_last_as_long_as_asked() {
        let duration = Duration::from_millis(320);
        let swipe = HidEvent::Swipe { from: at(100.0, 700.0), to: at(100.0, 300.0), delta: 10.0, duration };
        let parts = read(&[swipe]);
        let actions = actions(&parts[0]);
        let moves: Vec<_> = actions.iter().filter(|a| a["type"] == "pointerMove").collect();
        assert_eq!(moves.len(), 22);
        assert_eq!(moves.iter().map(|m| m["duration"].as_u64().unwrap()).sum::<u64>(), 320 + 16);
        assert_eq!(actions.iter().filter(|a| a["type"] == "pointerUp").count(), 1);
        assert_eq!(moves[21]["y"], 300);
        // the finger waits at the border of what is a touch, wherever its first step would have brought it
        assert_eq!(moves[1]["y"], 683);
        assert_eq!(actions.iter().filter(|a| a["type"] == "pause").count(), 2);
    }

    #[test]
    fn a_double_tap_is_one_request_and_a_chord_holds_its_modifier() {
        let tap = [
            HidEvent::TouchDown(at(10.0, 20.0)),
            HidEvent::Delay(Duration::from_millis(60)),
            HidEvent::TouchUp(at(10.0, 20.0)),
        ];
        let pause = [HidEvent::Delay(Duration::from_millis(100))];
        let parts = read(&[&tap[..], &pause, &tap].concat());
        assert_eq!(parts.len(), 1);
        let kinds: Vec<_> = actions(&parts[0]).iter().map(|a| a["type"].as_str().unwrap()).collect();
        let once = ["pointerMove", "pointerDown", "pause", "pointerUp"];
        assert_eq!(kinds, [&once[..], &["pause"], &once].concat());

        let parts = read(&[
            HidEvent::KeyDown(keys::COMMAND),
            HidEvent::KeyDown(4),
            HidEvent::KeyUp(4),
            HidEvent::KeyUp(keys::COMMAND),
        ]);
        let names: Vec<_> = actions(&parts[0]).iter().map(|a| a["value"].as_str().unwrap()).collect();
        assert_eq!(names, ["\u{E009}", "a", "a", "\u{E009}"]);
    }
}
