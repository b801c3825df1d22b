//! Whether a tap may go where it is meant to go: asked on the screen as it is now, before anything is sent.
//! Uses `observe`.

use crate::act::ActError;
use crate::act::hands::Hands;
use crate::geometry::Point;
use crate::mark::{Mark, smallest_at};
use crate::observe::Observation;
use crate::role::Role;

/// Says whether a touch may go to these marks: the one that is meant first, then the controls it lies in.
pub type Consent<'c> = dyn Fn(&[&Mark], &Observation) -> bool + Send + Sync + 'c;

impl Hands<'_> {
    /// # Errors
    /// A touch at this point, on what is meant by it, is not consented to; nothing was sent.
    pub(super) fn consented(
        &self,
        meant: Option<&Mark>,
        point: Point,
        now: &Observation,
    ) -> Result<(), ActError> {
        self.asked(&touched(meant, point, now), now)
    }

    /// # Errors
    /// Return is not consented to, as the keyboard says what it would do; nothing was sent.
    pub(super) fn return_consented(&self, now: &Observation) -> Result<(), ActError> {
        self.asked(&return_key(now), now)
    }

    fn asked(&self, touched: &[&Mark], now: &Observation) -> Result<(), ActError> {
        match self.consent {
            Some(consent) if !touched.is_empty() && !consent(touched, now) => Err(ActError::Withheld),
            _ => Ok(()),
        }
    }
}

/// The keys with a word on them where keyboards have return: in the right half, and below the first row, whose last
/// key on an iPad is the one that deletes.
fn return_key(now: &Observation) -> Vec<&Mark> {
    let Some(keyboard) = now.keyboard.as_ref().map(|keyboard| keyboard.frame) else { return Vec::new() };
    let keys = || now.marks.iter().filter(|mark| mark.role == Role::KeyboardKey);
    let first_row = keys().map(|key| key.frame.bottom()).fold(f64::INFINITY, f64::min);
    let is_return = |key: &&Mark| {
        let center = key.frame.center();
        key.label.chars().count() > 1 && center.x > keyboard.center().x && center.y > first_row
    };
    keys().filter(is_return).collect()
}

/// What a touch may do something to.
fn touched<'m>(meant: Option<&'m Mark>, point: Point, now: &'m Observation) -> Vec<&'m Mark> {
    let meant = meant.or_else(|| smallest_at(&now.marks, point));
    let around = now.marks.iter().filter(|mark| {
        mark.role.is_control() && mark.frame.contains(point) && Some(mark.id) != meant.map(|m| m.id)
    });
    meant.into_iter().chain(around).collect()
}
