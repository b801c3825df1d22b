use std::collections::VecDeque;

use async_trait::async_trait;

use super::*;
use crate::act::action::Condition;
use crate::act::{ActOutcome, Target, TargetForm};
use crate::device::Appearance;
use crate::geometry::Rect;
use crate::mark::Mark;
use crate::recording::samples::{self, device, label, mark, outcome, resolved, screen};
use crate::recording::{RecordOptions, Recorder, RecordingFacts, Setup, Store};
use crate::role::Role;
use crate::vision::gate::GateOptions;

/// A stage whose screens were written down: each look and each act takes the next, the last one stays.
struct Script {
    looks: VecDeque<Arc<Observation>>,
    acts: Vec<Action>,
    refused: Option<Refusal>,
}

impl Script {
    fn of(shades: &[u8]) -> Self {
        let looks = shades.iter().map(|shade| shown(*shade)).collect();
        Self { looks, acts: Vec::new(), refused: None }
    }

    fn next(&mut self) -> Arc<Observation> {
        if self.looks.len() > 1 { self.looks.pop_front().unwrap() } else { self.looks[0].clone() }
    }
}

#[async_trait]
impl Stage for Script {
    async fn observe(&mut self) -> Result<Arc<Observation>, Refusal> {
        Ok(self.next())
    }

    async fn act(&mut self, action: Action) -> Result<ActOutcome, Refusal> {
        if let Some(refusal) = &self.refused {
            return Err(refusal.clone());
        }
        self.acts.push(action.clone());
        let after = self.next();
        Ok(outcome(action, Vec::new(), after.clone(), after))
    }

    async fn pause(&mut self, _: Duration) {}

    fn keeps_own_time(&self) -> bool {
        true
    }

    fn own_time(&self) -> Duration {
        Duration::ZERO
    }
}

/// A screen of one shade with a button that tells it.
fn shown(shade: u8) -> Arc<Observation> {
    screen(shade, vec![button(word(shade))])
}

fn word(shade: u8) -> &'static str {
    match shade {
        10 => "Coffee",
        60 => "Payment",
        120 => "Receipt",
        _ => "Somewhere",
    }
}

fn button(label: &str) -> Mark {
    mark(5, Role::Button, label, Rect::new(2.0, 20.0, 20.0, 10.0))
}

/// A recording that begins, on that device.
fn recording(dir: &std::path::Path, name: &str, appearance: Option<Appearance>) -> Recorder {
    let facts = RecordingFacts {
        device: device(),
        app: None,
        setup: Setup::default(),
        appearance,
        acted_since_launch: false,
    };
    let options = RecordOptions { name: name.into(), ..RecordOptions::default() };
    Recorder::start(&Store::at(dir), options, facts).unwrap().0
}

/// Taps "Coffee" on shade 10, then "Payment" on shade 60, which leads to shade 120.
fn recorded(dir: &std::path::Path) -> Loaded {
    let mut recorder = recording(dir, "two-taps", Some(Appearance::Light));
    for (before, after) in [(10, 60), (60, 120)] {
        let name = word(before);
        let action = Action::Tap { target: label(name), count: 1, hold_ms: 0 };
        let target = resolved(TargetForm::Label, button(name));
        recorder.append(&outcome(action, vec![target], shown(before), shown(after))).unwrap();
    }
    recorder.stop().unwrap();
    Store::at(dir).named("two-taps").unwrap()
}

async fn replayed(loaded: &Loaded, script: &mut Script, options: ReplayOptions) -> Attempt {
    let options = ReplayOptions { gate: GateOptions { timeout_ms: Some(300), ..options.gate }, ..options };
    let runner = Runner::new(loaded, &options, false, script);
    let mut told = 0;
    let attempt = runner.run(|_| told += 1).await;
    assert_eq!(told, loaded.recording.steps.len(), "every step is told");
    attempt
}

fn verdicts(attempt: &Attempt) -> Vec<StepVerdict> {
    attempt.steps.iter().map(|s| s.verdict).collect()
}

#[tokio::test]
async fn a_slow_screen_is_no_drift_and_its_time_is_told() {
    let dir = tempfile::tempdir().unwrap();
    let loaded = recorded(dir.path());
    // the first screen comes late, and so does the one after the last tap
    let mut script = Script::of(&[200, 200, 10, 60, 200, 120]);
    let attempt = replayed(&loaded, &mut script, ReplayOptions::default()).await;
    assert_eq!(verdicts(&attempt), [StepVerdict::Passed; 2]);
    assert_eq!(script.acts.len(), 2);
    assert_eq!(attempt.steps[0].gates[0].looks, 3);
    let last = &attempt.steps[1].gates;
    assert_eq!((last[1].frame, last[1].looks), (Side::After, 2));
}

#[tokio::test]
async fn halt_warn_and_force_differ_in_what_is_done() {
    let dir = tempfile::tempdir().unwrap();
    let loaded = recorded(dir.path());
    for (on_drift, acts, then) in [
        (OnDrift::Halt, 1, [StepVerdict::Passed, StepVerdict::Drifted]),
        (OnDrift::Warn, 2, [StepVerdict::Passed, StepVerdict::Drifted]),
        (OnDrift::Force, 2, [StepVerdict::Passed, StepVerdict::Drifted]),
    ] {
        // the second screen has the button, but another shade
        let mut script = Script::of(&[10]);
        script.looks.push_back(screen(230, vec![button("Payment")]));
        let attempt = replayed(&loaded, &mut script, ReplayOptions { on_drift, ..Default::default() }).await;
        assert_eq!(verdicts(&attempt), then, "{on_drift:?}");
        assert_eq!(script.acts.len(), acts, "{on_drift:?}");
        let drift = attempt.steps[1].drift().unwrap();
        assert_eq!(drift.regions[0].nearest.as_deref(), Some("button “Payment”"));
    }
}

#[tokio::test]
async fn a_halted_recording_touches_nothing_more() {
    let dir = tempfile::tempdir().unwrap();
    let loaded = recorded(dir.path());
    let mut script = Script::of(&[230]);
    let attempt = replayed(&loaded, &mut script, ReplayOptions::default()).await;
    assert_eq!(verdicts(&attempt), [StepVerdict::Failed, StepVerdict::NotRun]);
    let refusal = attempt.refusal.unwrap();
    assert_eq!(refusal.code, ErrorCode::RequiresUnmet, "{}", refusal.message);
    assert!(script.acts.is_empty());
}

#[tokio::test]
async fn a_lost_device_ends_the_recording_and_is_told_as_such() {
    let dir = tempfile::tempdir().unwrap();
    let loaded = recorded(dir.path());
    let mut script = Script::of(&[10]);
    script.refused = Some(Refusal { code: ErrorCode::DeviceUnreachable, message: "gone".into() });
    let attempt = replayed(&loaded, &mut script, ReplayOptions::default()).await;
    assert_eq!(verdicts(&attempt), [StepVerdict::Failed, StepVerdict::NotRun]);
    assert!(attempt.refusal.unwrap().is_device_lost());
}

#[tokio::test]
async fn every_action_is_replayed_as_it_was_recorded() {
    let dir = tempfile::tempdir().unwrap();
    let mut recorder = recording(dir.path(), "all", None);
    let target = button("a");
    let seen = || screen(10, vec![button("a")]);
    let asked: Vec<Action> = samples::every_action();
    for action in &asked {
        let mut targets = Vec::new();
        let _ = action.clone().map_targets(|t| {
            targets.push(match t {
                Target::Point(point) => crate::act::ResolvedTarget {
                    form: TargetForm::Point,
                    mark: None,
                    point,
                    nth: 1,
                    of: 1,
                    moved_by: None,
                },
                _ => resolved(TargetForm::Label, target.clone()),
            });
            Ok::<_, ()>(())
        });
        recorder.append(&outcome(action.clone(), targets, seen(), seen())).unwrap();
    }
    recorder.stop().unwrap();
    let loaded = Store::at(dir.path()).named("all").unwrap();
    let mut script = Script::of(&[10]);
    script.looks = VecDeque::from([seen()]);
    let attempt = replayed(&loaded, &mut script, ReplayOptions::default()).await;
    assert!(verdicts(&attempt).iter().all(|v| *v == StepVerdict::Passed), "{:?}", attempt.steps);
    let aimed = |action: Action| {
        action.map_targets(|t| {
            Ok::<_, ()>(match t {
                Target::Label { .. } => Target::Mark(target.id),
                other => other,
            })
        })
    };
    let expected: Vec<Action> = asked.into_iter().map(|a| aimed(a).unwrap()).collect();
    assert_eq!(script.acts, expected);
}

#[tokio::test]
async fn a_tree_of_elements_may_come_later_than_the_pixels() {
    let dir = tempfile::tempdir().unwrap();
    let mut loaded = recorded(dir.path());
    loaded.recording.requires.labels = vec!["Coffee".into()];
    let unlabelled = screen(10, vec![button("")]);
    let mut script = Script::of(&[10, 60, 120]);
    script.looks.push_front(unlabelled);
    let attempt = replayed(&loaded, &mut script, ReplayOptions::default()).await;
    assert_eq!(verdicts(&attempt), [StepVerdict::Passed, StepVerdict::Passed], "{:?}", attempt.refusal);
}

#[tokio::test]
async fn a_step_that_needed_another_attempt_is_flaky() {
    let dir = tempfile::tempdir().unwrap();
    let loaded = recorded(dir.path());
    let options = ReplayOptions::default();
    let mut script = Script::of(&[10, 60, 120]);
    let failed_before = BTreeMap::from([(2, "the total differs".to_owned())]);
    let attempt = Runner::new(&loaded, &options, false, &mut script).after(failed_before).run(|_| ()).await;
    assert_eq!(verdicts(&attempt), [StepVerdict::Passed, StepVerdict::Flaky]);
    assert!(attempt.steps[1].message.as_deref().unwrap().contains("the total differs"));
}

#[tokio::test]
async fn what_is_waited_for_may_come_sooner_than_when_it_was_recorded() {
    let dir = tempfile::tempdir().unwrap();
    let mut recorder = recording(dir.path(), "wait", None);
    let tap = |name: &str| Action::Tap { target: label(name), count: 1, hold_ms: 0 };
    let wait = Action::WaitFor {
        condition: Condition { label: Some("Receipt".into()), ..Default::default() },
        timeout_ms: 5_000,
    };
    let target = |name| vec![resolved(TargetForm::Label, button(name))];
    // the tap changed nothing at first, and the screen came while it was waited for
    recorder.append(&outcome(tap("Coffee"), target("Coffee"), shown(10), shown(10))).unwrap();
    recorder.append(&outcome(wait, Vec::new(), shown(10), shown(120))).unwrap();
    recorder.append(&outcome(tap("Receipt"), target("Receipt"), shown(120), shown(120))).unwrap();
    recorder.stop().unwrap();
    let loaded = Store::at(dir.path()).named("wait").unwrap();
    let mut sooner = Script::of(&[10, 120]);
    let attempt = replayed(&loaded, &mut sooner, ReplayOptions::default()).await;
    assert_eq!(verdicts(&attempt), [StepVerdict::Passed; 3], "{:?}", attempt.steps);
    // another screen is drift all the same, at the step behind the wait
    let mut other = Script::of(&[10]);
    other.looks.push_back(screen(230, vec![button("Receipt")]));
    let attempt = replayed(&loaded, &mut other, ReplayOptions::default()).await;
    let expected = [StepVerdict::Passed, StepVerdict::Passed, StepVerdict::Drifted];
    assert_eq!(verdicts(&attempt), expected, "{:?}", attempt.steps);
}
