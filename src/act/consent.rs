//! Whether a tap may go where it is meant to go: asked on the screen as it is now, before anything is sent.
//! Uses `observe`.

use crate::act::ActError;
use crate::act::hands::Hands;
use crate::geometry::Point;
use crate::mark::{Mark, smallest_at};
use crate::observe::Observation;

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
        let touched = touched(meant, point, now);
        match self.consent {
            Some(consent) if !touched.is_empty() && !consent(&touched, now) => Err(ActError::Withheld),
            _ => Ok(()),
        }
    }
}

/// What a touch may do something to.
fn touched<'m>(meant: Option<&'m Mark>, point: Point, now: &'m Observation) -> Vec<&'m Mark> {
    let meant = meant.or_else(|| smallest_at(&now.marks, point));
    let around = now.marks.iter().filter(|mark| {
        mark.role.is_control() && mark.frame.contains(point) && Some(mark.id) != meant.map(|m| m.id)
    });
    meant.into_iter().chain(around).collect()
}
