//! Waiting for something to be seen, to go, or for the screen to rest. Uses `observe`, `resolve`.

use std::sync::Arc;
use std::time::Duration;

use crate::act::action::Condition;
use crate::act::aim::closest;
use crate::act::hands::{Done, Hands, outcome};
use crate::act::resolve::fitting;
use crate::act::{ActError, ActOutcome, Action};
use crate::device::{Device, Stopwatch};
use crate::observe::{Observation, ObserveOptions};

/// Between two looks, in the device's own time.
const BETWEEN_LOOKS: Duration = Duration::from_millis(150);
/// The longest wait.
const LONGEST: Duration = Duration::from_secs(600);

/// One wait: look after look, with the device free in between.
pub struct Wait<'d> {
    action: Action,
    condition: Condition,
    limit: Duration,
    waited: Stopwatch<'d>,
    first: Option<Arc<Observation>>,
}

impl<'d> Wait<'d> {
    /// # Errors
    /// A condition that asks for nothing, or too long a time.
    pub fn new(device: &'d dyn Device, condition: Condition, timeout_ms: u64) -> Result<Self, ActError> {
        let limit = Duration::from_millis(timeout_ms);
        let named =
            condition.label.as_ref().is_some_and(|l| !l.trim().is_empty()) || condition.role.is_some();
        if !named && (condition.gone || !condition.stable) {
            return Err(ActError::Invalid("give `label`, `role` or `stable: true`".into()));
        }
        if limit > LONGEST {
            return Err(ActError::Invalid(format!("`timeout_ms` is {timeout_ms}; at most 600000")));
        }
        let action = Action::WaitFor { condition: condition.clone(), timeout_ms };
        Ok(Self { action, condition, limit, waited: Stopwatch::start(device), first: None })
    }

    /// One look: the outcome where the condition holds, `None` where it is to be looked again.
    ///
    /// # Errors
    /// The time has run out, or the device doesn't answer.
    pub async fn look(&mut self, hands: &mut Hands<'_>) -> Result<Option<ActOutcome>, ActError> {
        let left = self.limit.saturating_sub(self.waited.elapsed());
        let mut now = hands.fresh().await?;
        let first = self.first.get_or_insert_with(|| now.clone()).clone();
        if self.holds(&now) {
            // decided on a screen at rest: what only flits by is not there
            let settle_timeout = left.max(Duration::from_millis(500));
            let options = ObserveOptions { settle_timeout, ..ObserveOptions::default() };
            now = hands.observer.observe(&**hands.device, &options).await?;
            if self.holds(&now) && (now.settled || !self.condition.stable) {
                let done = Done::untargeted(first);
                return Ok(Some(outcome(self.action.clone(), done, now)));
            }
        }
        if left.is_zero() {
            let closest = self.condition.label.as_deref().map(|l| closest(&now, l)).unwrap_or_default();
            return Err(ActError::WaitedInVain {
                condition: self.describe(),
                after: self.limit,
                closest: if self.condition.gone { Vec::new() } else { closest },
                observation: now,
            });
        }
        Ok(None)
    }

    /// Between two looks.
    pub async fn pause(&mut self) {
        self.waited.sleep(BETWEEN_LOOKS).await;
    }

    fn holds(&self, now: &Observation) -> bool {
        let Condition { label, role, gone, .. } = &self.condition;
        let there = match (label, role) {
            (Some(label), role) => !fitting(now, label, *role).is_empty(),
            (None, Some(role)) => now.marks.iter().any(|m| m.role == *role),
            (None, None) => return true,
        };
        there != *gone
    }

    fn describe(&self) -> String {
        let Condition { label, role, gone, stable } = &self.condition;
        let mut parts = Vec::new();
        if label.is_some() || role.is_some() {
            let role = role.map(|r| format!("{r} ")).unwrap_or_default();
            let label = label.as_ref().map(|l| format!("“{l}” ")).unwrap_or_default();
            parts.push(format!("{role}{label}{}", if *gone { "gone" } else { "there" }));
        }
        if *stable {
            parts.push("the screen at rest".to_owned());
        }
        parts.join(" and ")
    }
}

impl Hands<'_> {
    pub(super) async fn wait_for(
        &mut self,
        condition: Condition,
        timeout_ms: u64,
    ) -> Result<ActOutcome, ActError> {
        let device = self.device;
        let mut wait = Wait::new(&**device, condition, timeout_ms)?;
        loop {
            if let Some(outcome) = wait.look(self).await? {
                return Ok(outcome);
            }
            wait.pause().await;
        }
    }
}
