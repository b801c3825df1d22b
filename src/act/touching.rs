//! Taps, keys and sheets. Uses `aim`, `gesture`.

use std::sync::Arc;
use std::time::Duration;

use crate::act::action::{Key, Modifier, SheetDirection};
use crate::act::gesture::{self, End};
use crate::act::hands::{Done, Hands};
use crate::act::resolve::describe;
use crate::act::{ActError, ResolvedTarget, Target};
use crate::device::Stopwatch;
use crate::geometry::Point;
use crate::observe::Observation;
use crate::role::Role;

/// The longest that a finger may rest.
const LONGEST_HOLD: Duration = Duration::from_secs(30);
/// Between two looks for the keyboard.
const BETWEEN_LOOKS: Duration = Duration::from_millis(100);
/// Looks before it is said that something doesn't come: on a busy machine one look may take all the time there is.
const LEAST_LOOKS: usize = 3;
/// How fast a sheet is thrown off.
const SHEET_SWIPE: Duration = Duration::from_millis(250);

impl Hands<'_> {
    pub(super) async fn tap(&mut self, target: Target, count: u8, hold_ms: u64) -> Result<Done, ActError> {
        let hold = Duration::from_millis(hold_ms);
        if !(1..=2).contains(&count) {
            return Err(ActError::Invalid(format!("`count` is {count}; it is 1 or 2")));
        }
        if hold > LONGEST_HOLD {
            return Err(ActError::Invalid(format!("`hold_ms` is {hold_ms}; at most 30000")));
        }
        let aimed = self.aim(&[target]).await?;
        for target in &aimed.targets {
            self.consented(target.mark.as_ref(), target.point, &aimed.before)?;
        }
        let screen = &aimed.before.screen;
        let at = |target: &ResolvedTarget| gesture::tap(screen, target.point, count, hold);
        self.send(aimed.targets.iter().flat_map(at).collect()).await?;
        Ok(Done { before: aimed.before, targets: aimed.targets, notes: Vec::new() })
    }

    /// Taps once and looks until the keyboard is seen.
    pub(super) async fn tap_for_keyboard(
        &mut self,
        target: Target,
        limit: Duration,
    ) -> Result<Done, ActError> {
        let words = describe(&target);
        let done = self.tap(target, 1, 0).await?;
        let seen = |now: &Observation| now.keyboard.is_some();
        self.look_until(limit, seen)
            .await
            .map_err(|error| error.after("the touch"))?
            .map_err(|observation| ActError::KeyboardNotSeen { target: words, after: limit, observation })?;
        Ok(done)
    }

    /// Looks until something is seen; the last look where the time runs out.
    pub(super) async fn look_until(
        &mut self,
        limit: Duration,
        seen: impl Fn(&Observation) -> bool,
    ) -> Result<Result<Arc<Observation>, Arc<Observation>>, ActError> {
        let mut waited = Stopwatch::start(&**self.device);
        let mut looks = 0;
        loop {
            let now = self.fresh().await?;
            if seen(&now) {
                return Ok(Ok(now));
            }
            looks += 1;
            if looks >= LEAST_LOOKS && waited.elapsed() >= limit {
                return Ok(Err(now));
            }
            waited.sleep(BETWEEN_LOOKS).await;
        }
    }

    pub(super) async fn press_key(&mut self, key: Key, modifiers: &[Modifier]) -> Result<Done, ActError> {
        let events = gesture::press(key, modifiers).map_err(ActError::Invalid)?;
        let before = self.fresh().await?;
        if key == Key::Return {
            self.return_consented(&before)?;
        }
        self.send(events).await?;
        Ok(Done::untargeted(before))
    }

    /// Drags a sheet away by its upper edge, or a banner upwards.
    pub(super) async fn dismiss_sheet(&mut self, direction: SheetDirection) -> Result<Done, ActError> {
        let before = self.fresh().await?;
        let size = before.screen.points;
        let sheet = before.marks.iter().find(|m| m.role == Role::Sheet).map(|m| m.frame);
        let mut done = Done::untargeted(before.clone());
        if sheet.is_none() {
            done.notes.push("no sheet was recognised: the middle of the screen was swiped".to_owned());
        }
        let x = sheet.map_or(size.width / 2.0, |s| s.center().x);
        let (from, to) = match direction {
            SheetDirection::Down => {
                let top = sheet.map_or(size.height * 0.2, |s| s.y + 16.0);
                (top, (size.height - 4.0).min(top + size.height * 0.7))
            }
            SheetDirection::Up => {
                let bottom = sheet.map_or(size.height * 0.6, |s| s.bottom() - 16.0);
                (bottom.min(size.height - 4.0), (bottom - size.height * 0.6).max(4.0))
            }
        };
        let path =
            gesture::swipe(&before.screen, Point::new(x, from), Point::new(x, to), SHEET_SWIPE, End::Flick);
        self.send(path).await?;
        Ok(done)
    }
}
