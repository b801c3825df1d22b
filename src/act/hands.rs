//! Does one action: aim, send, settle, look, and say honestly what came of it. Uses `observe`, `device`.
//!
//! [`Hands`] holds a device and the eyes on it for the time of one command. How a target is validated stands in
//! `aim`; each kind of action has its module: `touching`, `typing`, `swiping`, `wait`.

use std::sync::Arc;
use std::time::Duration;

use crate::act::{ActError, ActOutcome, Action, Consent, Effect, ResolvedTarget};
use crate::device::{Device, DeviceError, HidEvent};
use crate::observe::{Changes, Observation, ObserveOptions, Observer, Restless, Snapshot};
use crate::vision::difference::differences;

/// Before the first look after a touch: what a touch starts has begun to move by then.
const UNTIL_IT_MOVES: Duration = Duration::from_millis(100);
/// A second look this much later before it is said that nothing changed.
const SECOND_LOOK: Duration = Duration::from_millis(350);

/// A device and the eyes on it, for one command.
pub struct Hands<'a> {
    pub(super) device: &'a Arc<dyn Device>,
    pub(super) observer: &'a mut Observer,
    /// Asked before a tap; without one every tap may go.
    pub(super) consent: Option<&'a Consent<'a>>,
}

/// What an action did, before the look afterwards.
pub(super) struct Done {
    pub before: Arc<Observation>,
    pub targets: Vec<ResolvedTarget>,
    pub notes: Vec<String>,
}

impl<'a> Hands<'a> {
    pub fn new(device: &'a Arc<dyn Device>, observer: &'a mut Observer) -> Self {
        Self { device, observer, consent: None }
    }

    /// Asks before each tap.
    pub fn asking(self, consent: Option<&'a Consent<'a>>) -> Self {
        Self { consent, ..self }
    }

    /// Does one action. Nothing is sent twice.
    ///
    /// # Errors
    /// See [`ActError`]: unless it says otherwise nothing was sent.
    pub async fn perform(&mut self, action: Action) -> Result<ActOutcome, ActError> {
        let asked = action.clone();
        match action {
            Action::Tap { target, count, hold_ms } => {
                let done = self.tap(target, count, hold_ms).await?;
                self.conclude(asked, done, "the touch").await
            }
            Action::TapAndWaitKeyboard { target, timeout_ms } => {
                let done = self.tap_for_keyboard(target, Duration::from_millis(timeout_ms)).await?;
                self.conclude(asked, done, "the touch").await
            }
            Action::Swipe { path, duration_ms, until, max_swipes } => {
                let duration = Duration::from_millis(duration_ms);
                let done = match until {
                    None => self.swipe(path, duration).await?,
                    Some(label) => self.swipe_until(path, duration, &label, max_swipes).await?,
                };
                self.conclude(asked, done, "the swipe").await
            }
            Action::TypeText { text, into, clear_first, submit } => {
                self.type_text(asked, text, into, clear_first, submit).await
            }
            Action::ClearField { target } => self.clear_field(asked, target).await,
            Action::PressKey { key, modifiers } => {
                let done = self.press_key(key, &modifiers).await?;
                self.conclude(asked, done, "the key").await
            }
            Action::DismissSheet { direction } => {
                let done = self.dismiss_sheet(direction).await?;
                self.conclude(asked, done, "the swipe").await
            }
            Action::WaitFor { condition, timeout_ms } => self.wait_for(condition, timeout_ms).await,
            Action::SetAppearance { appearance, content_size } => {
                if appearance.is_none() && content_size.is_none() {
                    return Err(ActError::Invalid("give `appearance`, `content_size` or both".into()));
                }
                let before = self.fresh().await?;
                let set = self.device.set_appearance(appearance, content_size).await;
                set.map_err(|error| ActError::sending(error, "the change of appearance"))?;
                self.conclude(asked, Done::untargeted(before), "the change of appearance").await
            }
            Action::OpenUrl { url } => {
                let before = self.fresh().await?;
                let opened = self.device.open_url(&url).await;
                opened.map_err(|error| ActError::sending(error, "the URL"))?;
                self.conclude(asked, Done::untargeted(before), "the URL").await
            }
        }
    }

    /// The screen as it is now, moving or not.
    pub(super) async fn fresh(&mut self) -> Result<Arc<Observation>, ActError> {
        Ok(self.observer.observe(&**self.device, &ObserveOptions::at_once()).await?)
    }

    /// The screen at rest.
    pub(super) async fn settled(&mut self) -> Result<Arc<Observation>, ActError> {
        Ok(self.observer.observe(&**self.device, &ObserveOptions::default()).await?)
    }

    /// Sends a path; it is sent to its end even where the caller loses interest, so that no finger stays down.
    pub(super) async fn send(&self, events: Vec<HidEvent>) -> Result<(), ActError> {
        let device = self.device.clone();
        to_the_end(async move { device.hid(&events).await }, "the touches or keys").await
    }

    /// Types a text, to its end.
    pub(super) async fn send_text(&self, text: String) -> Result<(), ActError> {
        let device = self.device.clone();
        to_the_end(async move { device.type_text(&text).await }, "the keys").await
    }

    /// Settles, looks, and compares with what was before.
    pub(super) async fn conclude(
        &mut self,
        action: Action,
        done: Done,
        what: &'static str,
    ) -> Result<ActOutcome, ActError> {
        let after = self.look_after(&done.before).await.map_err(|error| error.after(what))?;
        Ok(outcome(action, done, after))
    }

    /// The settled screen after something was sent; where nothing changed yet, a second look a little later.
    pub(super) async fn look_after(
        &mut self,
        before: &Arc<Observation>,
    ) -> Result<Arc<Observation>, ActError> {
        self.device.sleep(UNTIL_IT_MOVES).await;
        let after = self.settled().await?;
        if effect_between(before, &after) == Effect::Changed {
            return Ok(after);
        }
        self.device.sleep(SECOND_LOOK).await;
        self.settled().await
    }
}

impl Done {
    pub fn untargeted(before: Arc<Observation>) -> Self {
        Self { before, targets: Vec::new(), notes: Vec::new() }
    }
}

impl ActError {
    /// A device that failed in the middle of doing something.
    fn sending(error: DeviceError, what: &'static str) -> Self {
        let may_have_been_done = error.may_have_been_done();
        let error = Self::Device(error);
        if may_have_been_done { error.after(what) } else { error }
    }

    /// The same failure, when something had been sent already.
    pub(super) fn after(self, what: &'static str) -> Self {
        match self {
            already @ (Self::Unconfirmed { .. } | Self::KeyboardNotSeen { .. } | Self::NotReached { .. }) => {
                already
            }
            error => Self::Unconfirmed { what, source: Box::new(error) },
        }
    }
}

async fn to_the_end(
    sending: impl Future<Output = Result<(), DeviceError>> + Send + 'static,
    what: &'static str,
) -> Result<(), ActError> {
    match tokio::spawn(sending).await {
        // of a path that is broken off, a part has been done
        Ok(Err(error @ DeviceError::Refused { .. })) => Err(ActError::Device(error).after(what)),
        Ok(result) => result.map_err(|error| ActError::sending(error, what)),
        Err(stopped) => Err(ActError::Invalid(format!("sending stopped: {stopped}"))),
    }
}

/// What an act comes to.
pub(super) fn outcome(action: Action, done: Done, after: Arc<Observation>) -> ActOutcome {
    let changes = changes(&done.before, &after);
    let effect = effect(&done.before, &after, &changes);
    let mut notes = done.notes;
    if !after.settled {
        notes.push("the screen was still moving when the time to settle ran out".to_owned());
    }
    let Changes { appeared, disappeared, updated, .. } = changes;
    ActOutcome {
        action,
        targets: done.targets,
        effect,
        settle_time: after.settle_time,
        before: done.before,
        after,
        appeared,
        disappeared,
        updated,
        notes,
    }
}

fn changes(before: &Observation, after: &Observation) -> Changes {
    Changes::between(&Snapshot::from(before), after)
}

/// Whether anything changed between two looks.
pub(super) fn effect_between(before: &Observation, after: &Observation) -> Effect {
    effect(before, after, &changes(before, after))
}

/// Changed only where marks differ, the focus moved, or pixels differ that are no clock, caret or spinner.
fn effect(before: &Observation, after: &Observation, changes: &Changes) -> Effect {
    let says_so = !changes.is_empty()
        || before.focused != after.focused
        || before.keyboard.is_some() != after.keyboard.is_some()
        || before.alert.is_some() != after.alert.is_some();
    let (was, is) = (Restless::of(before), Restless::of(after));
    let shows_it =
        || differences(&before.frame, &after.frame).iter().any(|d| !(was.explains(d) && is.explains(d)));
    if says_so || shows_it() { Effect::Changed } else { Effect::NoneObserved }
}
