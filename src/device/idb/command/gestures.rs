//! A path of events as `idb ui` commands. Pure. Uses `device` and `keys`.

use std::time::Duration;

use crate::device::idb::keys;
use crate::device::{HardwareButton, HidEvent};
use crate::geometry::PanelPoint;

/// A shorter rest of the finger is a plain tap.
const HELD: Duration = Duration::from_millis(200);
/// A finger that moved less has not moved, in points.
const STILL: f64 = 2.0;

/// What is to be done next.
#[derive(Clone, Debug, PartialEq)]
pub enum Step {
    /// The words after `idb ui`.
    Run(Vec<String>),
    Pause(Duration),
}

/// The commands that come nearest to a path. What has no command (a bend, a second finger) is left out.
pub fn commands(events: &[HidEvent]) -> Vec<Step> {
    let mut path = Path::default();
    for event in events {
        path.take(*event);
    }
    path.flush_keys();
    path.steps
}

#[derive(Default)]
struct Path {
    steps: Vec<Step>,
    finger: Option<Finger>,
    /// Keys that were pressed without modifiers, in a row.
    keys: Vec<u16>,
    held: Vec<u16>,
}

struct Finger {
    from: PanelPoint,
    at: PanelPoint,
    /// Since it went down.
    time: Duration,
}

impl Path {
    fn take(&mut self, event: HidEvent) {
        match event {
            HidEvent::TouchDown(at) => {
                self.flush_keys();
                match &mut self.finger {
                    Some(finger) => finger.at = at,
                    None => self.finger = Some(Finger { from: at, at, time: Duration::ZERO }),
                }
            }
            HidEvent::TouchUp(_) => {
                if let Some(finger) = self.finger.take() {
                    self.steps.push(Step::Run(finger.words()));
                }
            }
            HidEvent::Delay(pause) => match &mut self.finger {
                Some(finger) => finger.time += pause,
                // the command itself takes longer than keys need between them
                None if self.keys.is_empty() && self.held.is_empty() => self.steps.push(Step::Pause(pause)),
                None => {}
            },
            HidEvent::Swipe { from, to, delta, duration } => {
                self.flush_keys();
                let mut words = swipe(from, to, duration);
                words.extend(["--delta".to_owned(), (delta.round().max(1.0) as u64).to_string()]);
                self.steps.push(Step::Run(words));
            }
            HidEvent::KeyDown(usage) if modifier(usage).is_some() => {
                self.flush_keys();
                self.held.push(usage);
            }
            HidEvent::KeyUp(usage) if modifier(usage).is_some() => self.held.retain(|held| *held != usage),
            HidEvent::KeyDown(usage) if self.held.is_empty() => self.keys.push(usage),
            HidEvent::KeyDown(usage) => {
                let held = self.held.iter().filter_map(|usage| modifier(*usage)).map(str::to_owned);
                let words = ["key".to_owned(), usage.to_string()].into_iter().chain(held).collect();
                self.steps.push(Step::Run(words));
            }
            HidEvent::ButtonDown(button) => {
                self.flush_keys();
                self.steps.push(Step::Run(vec!["button".to_owned(), name(button).to_owned()]));
            }
            HidEvent::Shake => {
                self.flush_keys();
                self.steps.push(Step::Run(vec!["shake".to_owned()]));
            }
            HidEvent::KeyUp(_) | HidEvent::ButtonUp(_) => {}
        }
    }

    fn flush_keys(&mut self) {
        let keys = std::mem::take(&mut self.keys);
        if !keys.is_empty() {
            let codes = keys.iter().map(u16::to_string);
            self.steps.push(Step::Run(["key-sequence".to_owned()].into_iter().chain(codes).collect()));
        }
    }
}

impl Finger {
    fn words(&self) -> Vec<String> {
        let moved = (self.at.x - self.from.x).hypot(self.at.y - self.from.y) > STILL;
        if moved {
            return swipe(self.from, self.at, self.time);
        }
        let mut words = vec!["tap".to_owned()];
        words.extend(point(self.from));
        if self.time > HELD {
            words.extend(["--duration".to_owned(), seconds(self.time)]);
        }
        words
    }
}

fn swipe(from: PanelPoint, to: PanelPoint, duration: Duration) -> Vec<String> {
    let mut words = vec!["swipe".to_owned()];
    words.extend(point(from).into_iter().chain(point(to)));
    words.extend(["--duration".to_owned(), seconds(duration)]);
    words
}

/// The command takes whole points.
fn point(at: PanelPoint) -> [String; 2] {
    [at.x, at.y].map(|side| (side.round() as i64).to_string())
}

fn seconds(duration: Duration) -> String {
    let seconds = format!("{:.3}", duration.as_secs_f64());
    seconds.trim_end_matches('0').trim_end_matches('.').to_owned()
}

fn modifier(usage: u16) -> Option<&'static str> {
    Some(match usage {
        keys::CONTROL => "--control",
        keys::SHIFT => "--shift",
        keys::OPTION => "--option",
        keys::COMMAND => "--command",
        _ => return None,
    })
}

fn name(button: HardwareButton) -> &'static str {
    match button {
        HardwareButton::Home => "HOME",
        HardwareButton::Lock => "LOCK",
        HardwareButton::Siri => "SIRI",
        HardwareButton::VolumeUp => "VOLUME_UP",
        HardwareButton::VolumeDown => "VOLUME_DOWN",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::HidEvent::*;
    use crate::device::idb::hid;

    fn words(events: &[HidEvent]) -> String {
        let told = commands(events).into_iter().map(|step| match step {
            Step::Run(words) => words.join(" "),
            Step::Pause(pause) => format!("pause {}", pause.as_millis()),
        });
        told.collect::<Vec<_>>().join("; ")
    }

    #[test]
    fn every_path_that_we_send_has_its_command() {
        let (a, b) = (PanelPoint { x: 10.4, y: 20.6 }, PanelPoint { x: 10.0, y: 300.0 });
        let ms = Duration::from_millis;
        let middle = PanelPoint { x: 10.0, y: 100.0 };
        for (events, expected) in [
            (vec![TouchDown(a), Delay(ms(60)), TouchUp(a)], "tap 10 21"),
            (vec![TouchDown(a), Delay(ms(800)), TouchUp(a)], "tap 10 21 --duration 0.8"),
            (
                vec![TouchDown(a), TouchUp(a), Delay(ms(100)), TouchDown(a), TouchUp(a)],
                "tap 10 21; pause 100; tap 10 21",
            ),
            (
                vec![
                    TouchDown(a),
                    Delay(ms(150)),
                    TouchDown(middle),
                    Delay(ms(150)),
                    TouchDown(b),
                    TouchUp(b),
                ],
                "swipe 10 21 10 300 --duration 0.3",
            ),
            (
                vec![Swipe { from: b, to: a, delta: 9.6, duration: ms(250) }],
                "swipe 10 300 10 21 --duration 0.25 --delta 10",
            ),
            (vec![KeyDown(40), KeyUp(40)], "key-sequence 40"),
            (hid::pasting(), "key 25 --command"),
            (hid::typing("aB").unwrap_or_default(), "key-sequence 4; key 5 --shift"),
            (vec![ButtonDown(HardwareButton::Home), ButtonUp(HardwareButton::Home)], "button HOME"),
            (vec![Shake], "shake"),
            (vec![], ""),
        ] {
            assert_eq!(words(&events), expected, "{events:?}");
        }
    }
}
