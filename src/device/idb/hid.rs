//! Touch and key paths as the companion's HID events: encoding, typing, balance. Uses `device`, `keys`.

use std::time::Duration;

use crate::device::idb::keys::{self, KeyPress};
use crate::device::idb::protocol::companion as wire;
use crate::device::{HardwareButton, HidEvent};
use crate::geometry::PanelPoint;

/// Between two characters: a companion sends them without pause, and a busy app then loses some.
const BETWEEN_CHARACTERS: Duration = Duration::from_millis(10);

/// One event as it goes over the wire, byte for byte as the `idb` command sends it.
pub fn encode(event: &HidEvent) -> wire::HidEvent {
    use wire::hid_event::{ButtonPress, Direction, Key, PressAction, Touch};
    use wire::hid_event::{Delay, Event, Press, Shake, Swipe, press_action::Action};
    let press = |action: Action, direction: Direction| {
        Event::Press(Press {
            action: Some(PressAction { action: Some(action) }),
            direction: direction.into(),
        })
    };
    let touch = |at: PanelPoint| Action::Touch(Touch { point: Some(point(at)) });
    let key = |usage: u16| Action::Key(Key { keycode: usage.into() });
    let button = |b: HardwareButton| Action::Button(ButtonPress { button: button_code(b).into() });
    let event = match *event {
        HidEvent::TouchDown(at) => press(touch(at), Direction::Down),
        HidEvent::TouchUp(at) => press(touch(at), Direction::Up),
        HidEvent::KeyDown(usage) => press(key(usage), Direction::Down),
        HidEvent::KeyUp(usage) => press(key(usage), Direction::Up),
        HidEvent::ButtonDown(b) => press(button(b), Direction::Down),
        HidEvent::ButtonUp(b) => press(button(b), Direction::Up),
        HidEvent::Swipe { from, to, delta, duration } => Event::Swipe(Swipe {
            start: Some(point(from)),
            end: Some(point(to)),
            delta,
            duration: duration.as_secs_f64(),
        }),
        HidEvent::Shake => Event::Shake(Shake {}),
        HidEvent::Delay(duration) => Event::Delay(Delay { duration: duration.as_secs_f64() }),
    };
    wire::HidEvent { event: Some(event) }
}

fn point(at: PanelPoint) -> wire::Point {
    wire::Point { x: at.x, y: at.y }
}

fn button_code(button: HardwareButton) -> wire::hid_event::Button {
    use wire::hid_event::Button;
    match button {
        HardwareButton::Home => Button::Home,
        HardwareButton::Lock => Button::Lock,
        HardwareButton::Siri => Button::Siri,
        HardwareButton::VolumeUp => Button::VolumeUp,
        HardwareButton::VolumeDown => Button::VolumeDown,
    }
}

/// The key path that types a text; `None` where a character has no key.
pub fn typing(text: &str) -> Option<Vec<HidEvent>> {
    let mut events = Vec::with_capacity(text.len() * 4);
    for character in text.chars() {
        let KeyPress { usage, shift } = keys::press_for(character)?;
        if !events.is_empty() {
            events.push(HidEvent::Delay(BETWEEN_CHARACTERS));
        }
        let plain = [HidEvent::KeyDown(usage), HidEvent::KeyUp(usage)];
        if shift {
            events.push(HidEvent::KeyDown(keys::SHIFT));
            events.extend(plain);
            events.push(HidEvent::KeyUp(keys::SHIFT));
        } else {
            events.extend(plain);
        }
    }
    Some(events)
}

/// The key path that pastes: command-V.
pub fn pasting() -> Vec<HidEvent> {
    vec![
        HidEvent::KeyDown(keys::COMMAND),
        HidEvent::KeyDown(keys::V),
        HidEvent::KeyUp(keys::V),
        HidEvent::KeyUp(keys::COMMAND),
    ]
}

/// What a path leaves pressed at its end, as the events that let go of it, last pressed first.
pub fn left_pressed(events: &[HidEvent]) -> Vec<HidEvent> {
    let mut releases: Vec<HidEvent> = Vec::new();
    for event in events {
        let Some(release) = release_of(event) else { continue };
        releases.retain(|other| !same_thing(other, &release));
        if is_press(event) {
            releases.push(release);
        }
    }
    releases.reverse();
    releases
}

/// Everything a path presses at any time, as the events that let go of it, last pressed first.
///
/// After an error nobody knows how far a path ran; letting go of what isn't pressed does nothing.
pub fn everything_pressed(events: &[HidEvent]) -> Vec<HidEvent> {
    let presses: Vec<HidEvent> = events
        .iter()
        .filter_map(|event| match *event {
            HidEvent::Swipe { to, .. } => Some(HidEvent::TouchDown(to)),
            press if is_press(&press) => Some(press),
            _ => None,
        })
        .collect();
    left_pressed(&presses)
}

/// How long the device itself takes for a path.
pub fn duration(events: &[HidEvent]) -> Duration {
    events
        .iter()
        .map(|event| match event {
            HidEvent::Delay(duration) | HidEvent::Swipe { duration, .. } => *duration,
            _ => Duration::ZERO,
        })
        .sum()
}

fn is_press(event: &HidEvent) -> bool {
    matches!(event, HidEvent::TouchDown(_) | HidEvent::KeyDown(_) | HidEvent::ButtonDown(_))
}

fn release_of(event: &HidEvent) -> Option<HidEvent> {
    Some(match *event {
        HidEvent::TouchDown(at) | HidEvent::TouchUp(at) => HidEvent::TouchUp(at),
        HidEvent::Swipe { to, .. } => HidEvent::TouchUp(to),
        HidEvent::KeyDown(usage) | HidEvent::KeyUp(usage) => HidEvent::KeyUp(usage),
        HidEvent::ButtonDown(button) | HidEvent::ButtonUp(button) => HidEvent::ButtonUp(button),
        HidEvent::Shake | HidEvent::Delay(_) => return None,
    })
}

/// One finger, wherever it is; keys and buttons by their code.
fn same_thing(a: &HidEvent, b: &HidEvent) -> bool {
    matches!((a, b), (HidEvent::TouchUp(_), HidEvent::TouchUp(_))) || a == b
}

#[cfg(test)]
mod tests {
    use prost::Message;

    use super::*;
    use crate::frame::hex;

    fn at(x: f64, y: f64) -> PanelPoint {
        PanelPoint { x, y }
    }

    fn wire(events: &[HidEvent]) -> Vec<String> {
        events.iter().map(|e| hex(&encode(e).encode_to_vec())).collect()
    }

    // idb.md 6.3: what the real `idb` command sends
    #[test]
    fn events_are_byte_for_byte_those_of_the_idb_command() {
        use HidEvent::*;
        let tap = [TouchDown(at(10.0, 20.0)), TouchUp(at(10.0, 20.0))];
        assert_eq!(
            wire(&tap),
            [
                "0a180a160a140a12090000000000002440110000000000003440",
                "0a1a0a160a140a120900000000000024401100000000000034401001"
            ]
        );
        assert_eq!(wire(&[Delay(Duration::from_millis(500))]), ["1a0909000000000000e03f"]);
        let swipe = |delta, ms| Swipe {
            from: at(100.0, 500.0),
            to: at(100.0, 100.0),
            delta,
            duration: Duration::from_millis(ms),
        };
        let ends = "0a12090000000000005940110000000000407f401212090000000000005940110000000000005940";
        assert_eq!(wire(&[swipe(0.0, 0)]), [format!("1228{ends}")]);
        assert_eq!(wire(&[swipe(20.0, 500)]), [format!("123a{ends}29000000000000344031000000000000e03f")]);
        assert_eq!(
            wire(&[KeyDown(225), KeyDown(11), KeyUp(11), KeyUp(225)]),
            ["0a070a051a0308e101", "0a060a041a02080b", "0a080a041a02080b1001", "0a090a051a0308e1011001"]
        );
        assert_eq!(wire(&[KeyDown(40), KeyUp(40)]), ["0a060a041a020828", "0a080a041a0208281001"]);
        assert_eq!(
            wire(&[ButtonDown(HardwareButton::Home), ButtonUp(HardwareButton::Home)]),
            ["0a060a0412020801", "0a080a04120208011001"]
        );
        assert_eq!(
            wire(&[ButtonDown(HardwareButton::Lock), ButtonDown(HardwareButton::VolumeUp)]),
            ["0a060a0412020802", "0a060a0412020806"]
        );
        assert_eq!(wire(&[Shake]), ["3200"]);
    }

    #[test]
    fn typing_holds_shift_around_one_key_only() {
        use HidEvent::*;
        let keys: Vec<HidEvent> =
            typing("Hi!").unwrap().into_iter().filter(|e| !matches!(e, Delay(_))).collect();
        assert_eq!(
            keys,
            [
                KeyDown(225),
                KeyDown(11),
                KeyUp(11),
                KeyUp(225),
                KeyDown(12),
                KeyUp(12),
                KeyDown(225),
                KeyDown(30),
                KeyUp(30),
                KeyUp(225)
            ]
        );
        assert_eq!(typing("é"), None);
    }

    #[test]
    fn what_a_path_leaves_pressed_is_let_go_of_in_reverse() {
        use HidEvent::*;
        let path = [KeyDown(225), TouchDown(at(1.0, 1.0)), TouchDown(at(2.0, 2.0)), KeyDown(4), KeyUp(4)];
        assert_eq!(left_pressed(&path), [TouchUp(at(2.0, 2.0)), KeyUp(225)]);
        assert_eq!(everything_pressed(&path), [KeyUp(4), TouchUp(at(2.0, 2.0)), KeyUp(225)]);
        let balanced = [TouchDown(at(1.0, 1.0)), TouchUp(at(1.5, 1.0))];
        assert_eq!(left_pressed(&balanced), []);
        assert_eq!(everything_pressed(&balanced), [TouchUp(at(1.0, 1.0))]);
        let swipe = [Swipe { from: at(1.0, 9.0), to: at(1.0, 1.0), delta: 1.0, duration: Duration::ZERO }];
        assert_eq!(left_pressed(&swipe), []);
        assert_eq!(everything_pressed(&swipe), [TouchUp(at(1.0, 1.0))]);
    }
}
