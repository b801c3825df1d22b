//! The acts of an original as steps of ours. Uses `aim`, `typed`, `moments`, `act`.

use super::Files;
use super::aim::{self, Aimed};
use super::moments::{Eyes, Moment, Shot};
use super::note::{Note, Subject};
use super::original::{Named, OriginalAct, OriginalStep, Pixels};
use super::typed::Field;
use crate::act::Action;
use crate::act::action::{Key, SwipePath, TypedText};
use crate::geometry::{PixelSize, Point};
use crate::observe::Observation;
use crate::recording::frames::painted_over;
use crate::recording::secrets::masks_over;
use crate::recording::target::hundredths;
use crate::recording::{FrameName, Place, RecordedScreen, RecordedTarget, Result, Secrets, Step, StepBody};
use crate::vision::gate::GateOptions;

/// As a recorded tap that waits for the keyboard has it.
const KEYBOARD_MS: u64 = 3_000;
/// As a swipe has it where none is said.
const SWIPE_MS: u64 = 300;

/// What the steps of one recording are made with.
pub(super) struct Acts<'v> {
    pub eyes: Eyes<'v>,
    pub screen: RecordedScreen,
    /// Of the whole screen, where a step doesn't say.
    pub pixels: PixelSize,
    pub notes: Vec<Note>,
    secrets: Secrets,
    /// Names and values of what looked secret.
    named: Vec<(String, String)>,
}

impl<'v> Acts<'v> {
    pub fn new(eyes: Eyes<'v>, screen: RecordedScreen, pixels: PixelSize, notes: Vec<Note>) -> Self {
        Self { eyes, screen, pixels, notes, secrets: Secrets::default(), named: Vec::new() }
    }

    pub fn note(&mut self, place: &Place, subject: Subject) {
        self.notes.push(Note { place: place.clone(), subject });
    }

    /// All steps and their frames. Frames come last: only then is known what must not show in any of them.
    pub fn steps(&mut self, steps: &[OriginalStep], moments: &[Moment]) -> Result<(Vec<Step>, Files)> {
        let mut actions = Vec::new();
        for (step, moment) in steps.iter().zip(moments) {
            if let Some(action) = self.action(step, moment)? {
                actions.push((step, moment, action));
            }
        }
        let (mut made, mut frames) = (Vec::new(), Files::new());
        for (step, moment, action) in actions {
            let mut masks = Vec::new();
            let mut store = |shot: &Shot| -> Result<FrameName> {
                let seen = self.eyes.see(shot)?;
                let hidden = self.secrets.places(&seen);
                let pixels: Vec<_> = hidden.iter().filter_map(|rect| seen.screen.to_pixels(*rect)).collect();
                let bytes = painted_over(&shot.frame()?, &pixels)?.to_png();
                masks.extend(hidden);
                let name = FrameName::of(&bytes);
                frames.insert(std::path::Path::new("frames").join(name.file_name()), bytes);
                Ok(name)
            };
            let (before, after) = (store(&moment.before)?, store(&moment.after)?);
            made.push(Step {
                body: StepBody::Act(Box::new(action)),
                before: Some(before),
                after: Some(after),
                settled_ms: step.settle_ms,
                gate: GateOptions::default(),
                masks: masks_over(masks),
            });
        }
        Ok((made, frames))
    }

    /// The act; nothing where it can't be done here, which is noted.
    fn action(&mut self, step: &OriginalStep, moment: &Moment) -> Result<Option<Action<RecordedTarget>>> {
        let place = &step.place;
        Ok(Some(match &step.act {
            OriginalAct::Tap { at, text, keyboard } => {
                let seen = self.eyes.see(&moment.before)?;
                let aimed = aim::at(&seen, self.point(*at), text.as_deref());
                let target = self.target(place, aimed);
                match keyboard {
                    true => Action::TapAndWaitKeyboard { target, timeout_ms: KEYBOARD_MS },
                    false => Action::Tap { target, count: 1, hold_ms: 0 },
                }
            }
            OriginalAct::Swipe { from, to, duration_ms } => {
                self.note(place, Subject::RawPoint { why: "a swipe goes between two points" });
                let point = |at| RecordedTarget::Point(self.point(at));
                Action::Swipe {
                    path: SwipePath::FromTo { from: point(*from), to: point(*to) },
                    duration_ms: duration_ms.unwrap_or(SWIPE_MS).clamp(50, 5_000),
                    until: None,
                    max_swipes: 10,
                }
            }
            OriginalAct::Type { text, first, clear_first } => {
                self.typing(place, moment, text, first.as_ref(), *clear_first)?
            }
            OriginalAct::Key(name) => match key(name) {
                Some(key) => Action::PressKey { key, modifiers: Vec::new() },
                None => {
                    let why = format!("there is no key `{name}` here");
                    self.note(place, Subject::ActLeftOut { action: step.action.clone(), why });
                    return Ok(None);
                }
            },
            OriginalAct::Clear(named) => {
                let seen = self.eyes.see(&moment.before)?;
                let target = named.as_ref().and_then(|named| self.cleared(named, &seen));
                Action::ClearField { target: target.map(|aimed| self.target(place, aimed)) }
            }
            OriginalAct::Unknown => {
                let why = "it is no act of the original that is known".to_owned();
                self.note(place, Subject::ActLeftOut { action: step.action.clone(), why });
                return Ok(None);
            }
        }))
    }

    fn typing(
        &mut self,
        place: &Place,
        moment: &Moment,
        text: &str,
        first: Option<&Named>,
        clear_first: bool,
    ) -> Result<Action<RecordedTarget>> {
        let (before, after) = (self.eyes.see(&moment.before)?, self.eyes.see(&moment.after)?);
        let point = first.and_then(|first| self.named_point(first));
        let field = Field::of(first, point, text, &before, &after);
        let typed = if field.keeps_secret(text) {
            let variable = field.name_secret(text, &mut self.named, &mut self.secrets);
            self.note(place, Subject::SecretNamed { variable: variable.clone() });
            TypedText::Secret(variable)
        } else {
            TypedText::Text(self.secrets.written(text))
        };
        let into = match (field.aimed, first) {
            (Some(aimed), _) => Some(self.target(place, aimed)),
            (None, Some(_)) => {
                self.note(place, Subject::FieldUnknown);
                None
            }
            (None, None) => None,
        };
        Ok(Action::TypeText { text: typed, into, clear_first, submit: false })
    }

    fn cleared(&self, named: &Named, seen: &Observation) -> Option<Aimed> {
        let by_text = named.text.as_ref().and_then(|text| aim::called(seen, text, true));
        by_text.or_else(|| Some(aim::at(seen, self.named_point(named)?, None)))
    }

    fn target(&mut self, place: &Place, aimed: Aimed) -> RecordedTarget {
        if let Some(note) = aimed.note {
            self.note(place, note);
        }
        aimed.target
    }

    fn named_point(&self, named: &Named) -> Option<Point> {
        Some(self.point(Pixels { x: named.x?, y: named.y?, of: None }))
    }

    /// Pixels of a picture as points of the screen, to a hundredth.
    fn point(&self, at: Pixels) -> Point {
        let (width, height) = at.of.unwrap_or((f64::from(self.pixels.width), f64::from(self.pixels.height)));
        Point::new(
            hundredths(at.x / width * self.screen.width),
            hundredths(at.y / height * self.screen.height),
        )
    }
}

/// The original's names for keys and buttons.
fn key(name: &str) -> Option<Key> {
    Some(match name.to_ascii_lowercase().replace(['-', '_', ' '], "").as_str() {
        "home" => Key::Home,
        "lock" | "power" => Key::Lock,
        "siri" => Key::Siri,
        "shake" => Key::Shake,
        "volumeup" => Key::VolumeUp,
        "volumedown" => Key::VolumeDown,
        "return" | "enter" => Key::Return,
        "tab" => Key::Tab,
        "escape" | "esc" => Key::Escape,
        "delete" | "backspace" => Key::Delete,
        "space" => Key::Space,
        "up" | "arrowup" => Key::Up,
        "down" | "arrowdown" => Key::Down,
        "left" | "arrowleft" => Key::Left,
        "right" | "arrowright" => Key::Right,
        _ => return None,
    })
}
