//! What a replay waits for besides its gates: the first screen, checks, and targets. Uses `locate`, `recording`.

use std::sync::Arc;
use std::time::Duration;

use super::locate::{Located, Rules, locate};
use super::runner::Runner;
use super::stage::{Refusal, Waited};
use crate::act::Action;
use crate::code::ErrorCode;
use crate::frame::Frame;
use crate::observe::Observation;
use crate::recording::{Check, RecordedMark, RecordedTarget};

/// Between two looks for what is not there yet.
const BETWEEN_LOOKS: Duration = Duration::from_millis(200);
/// How long targets are looked for once the screen is as recorded.
const UNTIL_TARGETS: Duration = Duration::from_secs(1);

impl Runner<'_> {
    /// The labels that the recording requires of its first screen.
    pub(super) async fn check_start(&mut self, seen: Arc<Observation>) -> Result<Arc<Observation>, Refusal> {
        let required = self.loaded.recording.requires.labels.clone();
        let patience = self.patience();
        let seen =
            self.look_until(seen, patience, |seen| required.iter().all(|label| seen.shows(label))).await?;
        let missing: Vec<String> =
            required.iter().filter(|label| !seen.shows(label)).map(|label| format!("“{label}”")).collect();
        if missing.is_empty() {
            return Ok(seen);
        }
        Err(Refusal {
            code: ErrorCode::RequiresUnmet,
            message: format!(
                "the first screen does not show {}, which `requires.labels` asks for; \
                 bring the app to where the recording starts, with `setup` for instance",
                missing.join(", ")
            ),
        })
    }

    /// Waits for a check to hold.
    pub(super) async fn check(
        &mut self,
        check: &Check,
        seen: Arc<Observation>,
    ) -> Result<Arc<Observation>, Refusal> {
        let expanded = |text: &Option<String>| text.as_ref().map(|t| self.expand(t)).transpose();
        let check = Check { label: expanded(&check.label)?, value: expanded(&check.value)?, ..check.clone() };
        let patience = self.patience();
        let seen = self.look_until(seen, patience, |seen| check.holds(&seen.marks)).await?;
        if check.holds(&seen.marks) {
            return Ok(seen);
        }
        let message = format!("the check does not hold: {check} was expected");
        Err(Refusal { code: ErrorCode::ReplayDrift, message })
    }

    /// Looks again where a target is not there as recorded: a tree of elements may come later than the pixels.
    pub(super) async fn await_targets(
        &mut self,
        action: &Action<RecordedTarget>,
        seen: Arc<Observation>,
        recorded: Option<&Frame>,
        waited_for: bool,
    ) -> Result<Arc<Observation>, Refusal> {
        let mut marks = Vec::new();
        action.clone().map_targets(|target| -> Result<(), Refusal> {
            if let RecordedTarget::Mark(mark) = target {
                marks.push(RecordedMark { label: self.expand(&mark.label)?, ..mark });
            }
            Ok(())
        })?;
        let rules = Rules { other_kind: self.other_kind };
        let there =
            |seen: &Observation, mark| matches!(locate(mark, seen, recorded, rules), Located::Same(_));
        // where no gate waited for the screen, this has to
        let patience = if waited_for { self.patience().min(UNTIL_TARGETS) } else { self.patience() };
        self.look_until(seen, patience, |seen| marks.iter().all(|mark| there(seen, mark))).await
    }

    /// As long as a gate waits for its screen.
    fn patience(&self) -> Duration {
        let gate = self.loaded.recording.gate.over(self.options.gate);
        Duration::from_millis(gate.timeout_ms.unwrap_or(5_000))
    }

    /// Looks again until the screen is as wanted or the time has run out; what is seen last is returned.
    async fn look_until(
        &mut self,
        mut seen: Arc<Observation>,
        patience: Duration,
        wanted: impl Fn(&Observation) -> bool,
    ) -> Result<Arc<Observation>, Refusal> {
        let mut waited = Waited::start();
        while !wanted(&seen) && waited.elapsed(self.stage) < patience {
            seen = waited.look_again(self.stage, BETWEEN_LOOKS).await?;
        }
        Ok(seen)
    }
}
