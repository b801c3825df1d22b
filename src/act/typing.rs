//! Typing into fields, clearing them, and reading back what they hold. Uses `aim`, `gesture`.

use std::time::Duration;

use crate::act::action::{Key, TypedText};
use crate::act::gesture;
use crate::act::hands::{Done, Hands, outcome};
use crate::act::resolve::describe;
use crate::act::{ActError, ActOutcome, Action, Target};
use crate::mark::{Mark, MarkId};
use crate::observe::{Observation, fold};
use crate::role::Role;

/// How long a field may take to get the focus.
const UNTIL_FOCUSED: Duration = Duration::from_secs(3);
/// The most characters of one text.
const LONGEST_TEXT: usize = 10_000;

/// Whether what is typed may be repeated in an answer.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Privacy {
    Open,
    Secret,
}

impl Hands<'_> {
    pub(super) async fn type_text(
        &mut self,
        asked: Action,
        text: TypedText,
        into: Option<Target>,
        clear_first: bool,
        submit: bool,
    ) -> Result<ActOutcome, ActError> {
        let (text, privacy) = self.checked(text, clear_first || submit)?;
        let (mut done, field) = self.focus(into).await?;
        if submit || text.contains('\n') {
            self.return_after_focus_consented(&done).await?;
        }
        if clear_first {
            self.send(gesture::clear()).await.map_err(|error| error.after("the touch"))?;
        }
        if !text.is_empty() {
            self.send_text(text.clone()).await.map_err(|error| error.after("part of the keys"))?;
        }
        if submit {
            let submit = gesture::press(Key::Return, &[]).map_err(ActError::Invalid)?;
            self.send(submit).await.map_err(|error| error.after("the text"))?;
        }
        let after = self.look_after(&done.before).await.map_err(|error| error.after("the text"))?;
        let held = field.as_ref().and_then(|field| same_field(&after, field)).or_else(|| focused(&after));
        if let Some(held) = held.filter(|_| !text.is_empty()) {
            done.notes.extend(read_back(held, &text, privacy, clear_first));
        }
        Ok(outcome(asked, done, after))
    }

    /// The same as [`Hands::return_consented`]; a keyboard that comes with the focus is waited for.
    async fn return_after_focus_consented(&mut self, focused: &Done) -> Result<(), ActError> {
        let is_news = self.observer.last().is_some_and(|last| last.id != focused.before.id);
        match is_news && self.consent.is_some() {
            false => self.return_consented(&focused.before),
            true => {
                let now = self.settled().await.map_err(|error| error.after("the touch"))?;
                self.return_consented(&now).map_err(|error| error.after("the touch"))
            }
        }
    }

    pub(super) async fn clear_field(
        &mut self,
        asked: Action,
        target: Option<Target>,
    ) -> Result<ActOutcome, ActError> {
        let (mut done, field) = self.focus(target).await?;
        self.send(gesture::clear()).await.map_err(|error| error.after("the touch"))?;
        let mut after = self.look_after(&done.before).await.map_err(|error| error.after("the keys"))?;
        let left = |now: &Observation| {
            let field = field.as_ref().and_then(|f| same_field(now, f)).or_else(|| focused(now))?;
            field.value.clone().filter(|value| !value.is_empty() && fold(value) != fold(&field.label))
        };
        if let Some(value) = left(&after) {
            // an app may not know command-A
            let count = value.chars().count();
            self.send(gesture::delete(count)).await.map_err(|error| error.after("the keys"))?;
            after = self.look_after(&after).await.map_err(|error| error.after("the keys"))?;
            done.notes.push(match left(&after) {
                // no key takes anything of it
                Some(shown) if shown == value => {
                    format!("the field is empty, or keeps what it shows: “{value}”")
                }
                Some(_) => "the field still holds something".to_owned(),
                None => "cleared character by character".to_owned(),
            });
        }
        Ok(outcome(asked, done, after))
    }

    /// The text to type; refused whole where a character can't be typed.
    fn checked(&self, text: TypedText, may_be_empty: bool) -> Result<(String, Privacy), ActError> {
        let (text, privacy) = match text {
            TypedText::Text(text) => (text, Privacy::Open),
            TypedText::Secret(name) => {
                let value = std::env::var(&name).map_err(|_| ActError::SecretUnset(name))?;
                (value, Privacy::Secret)
            }
        };
        if text.is_empty() && !may_be_empty {
            return Err(ActError::Invalid("`text` is empty; to empty a field use clear_field".into()));
        }
        if text.chars().count() > LONGEST_TEXT {
            return Err(ActError::Invalid(format!("`text` is longer than {LONGEST_TEXT} characters")));
        }
        match self.device.untypable(&text) {
            refused if refused.is_empty() => Ok((text, privacy)),
            refused => Err(ActError::TextUnsupported(refused)),
        }
    }

    /// Brings a field to the focus by one tap, unless it has it; without a target the field that has it is meant.
    async fn focus(&mut self, into: Option<Target>) -> Result<(Done, Option<Mark>), ActError> {
        let Some(target) = into else {
            let before = self.fresh().await?;
            let field = focused(&before).cloned();
            let mut done = Done::untargeted(before);
            if field.is_none() && done.before.keyboard.is_none() && done.before.furniture.caret.is_none() {
                done.notes.push("no field with a caret and no keyboard was seen beforehand".to_owned());
            }
            return Ok((done, field));
        };
        let words = describe(&target);
        let aimed = self.aim(&[target]).await?;
        let field = aimed.targets.first().and_then(|t| t.mark.clone());
        let mut done = Done { before: aimed.before, targets: aimed.targets, notes: Vec::new() };
        if field.as_ref().is_some_and(|field| done.before.focused == Some(field.id)) {
            done.notes.push("the field had the focus already".to_owned());
            return Ok((done, field));
        }
        let Some(target) = done.targets.first() else { return Ok((done, field)) };
        self.consented(field.as_ref(), target.point, &done.before)?;
        self.send(gesture::tap(&done.before.screen, target.point, 1, Duration::ZERO)).await?;
        let id = field.as_ref().map(|f| f.id);
        let was_open = done.before.keyboard.is_some();
        let seen = self.look_until(UNTIL_FOCUSED, |now| has_focus(now, id, was_open)).await;
        seen.map_err(|error| error.after("the touch"))?.map_err(|observation| ActError::KeyboardNotSeen {
            target: words,
            after: UNTIL_FOCUSED,
            observation,
        })?;
        Ok((done, field))
    }
}

/// Whether this field takes keys now. Where focus can't be seen, an open keyboard must do.
fn has_focus(now: &Observation, field: Option<MarkId>, keyboard_was_open: bool) -> bool {
    match (now.focused, field) {
        (Some(focused), Some(field)) if focused == field => true,
        // the mark may have another number once its placeholder has gone
        (Some(focused), Some(field)) => now.mark(field).is_none() && now.mark(focused).is_some(),
        (Some(_), None) => true,
        (None, _) => now.keyboard.is_some() && (!keyboard_was_open || now.furniture.caret.is_none()),
    }
}

fn focused(observation: &Observation) -> Option<&Mark> {
    observation.mark(observation.focused?)
}

/// The field in a later look: by its number, else by its place.
fn same_field<'o>(now: &'o Observation, field: &Mark) -> Option<&'o Mark> {
    let by_place = || now.marks.iter().find(|m| m.role.is_field() && m.frame.contains(field.frame.center()));
    now.mark(field.id).or_else(by_place)
}

/// What the field holds now, in words; of a secret the length only.
fn read_back(field: &Mark, typed: &str, privacy: Privacy, was_cleared: bool) -> Option<String> {
    let held = field.value.as_deref().filter(|value| !value.is_empty())?;
    let secret = privacy == Privacy::Secret || field.role == Role::SecureField;
    if secret {
        return Some(format!("the field shows {} characters", held.chars().count()));
    }
    let (held_folded, typed_folded) = (fold(held), fold(typed));
    if held_folded == typed_folded || (!was_cleared && held_folded.ends_with(&typed_folded)) {
        Some(format!("read back as “{held}”"))
    } else {
        Some(format!("the field reads “{held}”, which is not what was typed"))
    }
}
