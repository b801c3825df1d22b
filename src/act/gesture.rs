//! Touches, swipes and keys as paths of HID events. Pure. Uses `device` and `geometry`.

use std::time::Duration;

use crate::act::action::{Key, Modifier};
use crate::device::HardwareButton;
use crate::device::HidEvent::{self, ButtonDown, ButtonUp, Delay, KeyDown, KeyUp, TouchDown, TouchUp};
use crate::device::idb::keys;
use crate::geometry::{Point, Screen};

/// How long a finger rests in a plain tap.
const TOUCH: Duration = Duration::from_millis(60);
/// Between the two touches of a double tap.
const BETWEEN_TAPS: Duration = Duration::from_millis(100);
/// Between two places of a moving finger: a display's frame.
const STEP: Duration = Duration::from_millis(16);
/// How long a finger rests at the end of a drag, so that what it moved doesn't fly on.
const REST: Duration = Duration::from_millis(120);
/// The usage code of the letter A.
const A: u16 = 4;

/// One or two taps; with `hold` one that lasts.
pub fn tap(screen: &Screen, at: Point, count: u8, hold: Duration) -> Vec<HidEvent> {
    let at = screen.to_panel(at);
    let touch = [TouchDown(at), Delay(hold.max(TOUCH)), TouchUp(at)];
    let mut events = touch.to_vec();
    for _ in 1..count {
        events.push(Delay(BETWEEN_TAPS));
        events.extend(touch);
    }
    events
}

/// How a finger leaves the screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// Moving: a list runs on.
    Flick,
    /// At rest: what was moved stays there.
    Rest,
}

/// A finger that goes down, moves at an even pace and is lifted.
pub fn swipe(screen: &Screen, from: Point, to: Point, duration: Duration, end: End) -> Vec<HidEvent> {
    let steps = (duration.as_secs_f64() / STEP.as_secs_f64()).round().max(2.0) as u32;
    let pace = duration / steps;
    let place = |i: u32| {
        let part = f64::from(i) / f64::from(steps);
        screen.to_panel(Point::new(from.x + (to.x - from.x) * part, from.y + (to.y - from.y) * part))
    };
    let mut events = vec![TouchDown(place(0))];
    for i in 1..=steps {
        events.push(Delay(pace));
        events.push(TouchDown(place(i)));
    }
    if end == End::Rest {
        events.push(Delay(REST));
        events.push(TouchDown(place(steps)));
    }
    events.push(TouchUp(place(steps)));
    events
}

/// A key or a hardware button, held with modifiers.
///
/// # Errors
/// A character that no key types, or modifiers with a hardware button.
pub fn press(key: Key, modifiers: &[Modifier]) -> Result<Vec<HidEvent>, String> {
    let usage = match key {
        Key::Home => return button(HardwareButton::Home, modifiers),
        Key::Lock => return button(HardwareButton::Lock, modifiers),
        Key::Siri => return button(HardwareButton::Siri, modifiers),
        Key::VolumeUp => return button(HardwareButton::VolumeUp, modifiers),
        Key::VolumeDown => return button(HardwareButton::VolumeDown, modifiers),
        Key::Shake if modifiers.is_empty() => return Ok(vec![HidEvent::Shake]),
        Key::Shake => return Err("`shake` takes no modifiers".to_owned()),
        Key::Return => keys::RETURN,
        Key::Tab => keys::TAB,
        Key::Escape => keys::ESCAPE,
        Key::Delete => keys::BACKSPACE,
        Key::Space => keys::SPACE,
        Key::Up => keys::UP,
        Key::Down => keys::DOWN,
        Key::Left => keys::LEFT,
        Key::Right => keys::RIGHT,
        Key::Character(c) => {
            let press = keys::press_for(c).ok_or_else(|| format!("no key types {c:?}"))?;
            let mut held = modifiers.to_vec();
            if press.shift && !held.contains(&Modifier::Shift) {
                held.push(Modifier::Shift);
            }
            return Ok(with_modifiers(press.usage, &held));
        }
    };
    Ok(with_modifiers(usage, modifiers))
}

/// Selects all and deletes it.
pub fn clear() -> Vec<HidEvent> {
    let mut events = with_modifiers(A, &[Modifier::Command]);
    events.push(Delay(STEP));
    events.extend([KeyDown(keys::BACKSPACE), KeyUp(keys::BACKSPACE)]);
    events
}

/// So many presses of the delete key.
pub fn delete(count: usize) -> Vec<HidEvent> {
    (0..count).flat_map(|_| [KeyDown(keys::BACKSPACE), KeyUp(keys::BACKSPACE), Delay(STEP)]).collect()
}

fn with_modifiers(usage: u16, modifiers: &[Modifier]) -> Vec<HidEvent> {
    let codes: Vec<u16> = modifiers
        .iter()
        .map(|modifier| match modifier {
            Modifier::Command => keys::COMMAND,
            Modifier::Shift => keys::SHIFT,
            Modifier::Option => keys::OPTION,
            Modifier::Control => keys::CONTROL,
        })
        .collect();
    let down = codes.iter().map(|c| KeyDown(*c));
    let up = codes.iter().rev().map(|c| KeyUp(*c));
    down.chain([KeyDown(usage), KeyUp(usage)]).chain(up).collect()
}

fn button(button: HardwareButton, modifiers: &[Modifier]) -> Result<Vec<HidEvent>, String> {
    if !modifiers.is_empty() {
        return Err("hardware buttons take no modifiers".to_owned());
    }
    Ok(vec![ButtonDown(button), Delay(TOUCH), ButtonUp(button)])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::PixelSize;

    fn screen() -> Screen {
        Screen::of_picture(PixelSize::new(1179, 2556), 3.0)
    }

    #[test]
    fn a_swipe_moves_in_small_steps_for_as_long_as_asked_and_lets_go_once() {
        let duration = Duration::from_millis(320);
        let events =
            swipe(&screen(), Point::new(200.0, 700.0), Point::new(200.0, 300.0), duration, End::Flick);
        let lasted: Duration =
            events.iter().filter_map(|e| if let Delay(d) = e { Some(*d) } else { None }).sum();
        let downs = events.iter().filter(|e| matches!(e, TouchDown(_))).count();
        assert_eq!((lasted, downs), (duration, 21));
        assert_eq!(events.iter().filter(|e| matches!(e, TouchUp(_))).count(), 1);
        assert!(matches!(events.last(), Some(TouchUp(at)) if (at.y - 300.0).abs() < 1e-9));
    }

    #[test]
    fn modifiers_are_let_go_in_reverse() {
        let events = press(Key::Character('a'), &[Modifier::Command, Modifier::Shift]).unwrap();
        assert_eq!(events, [KeyDown(227), KeyDown(225), KeyDown(4), KeyUp(4), KeyUp(225), KeyUp(227)]);
        assert!(press(Key::Home, &[Modifier::Shift]).is_err());
        assert!(press(Key::Character('é'), &[]).is_err());
    }
}
