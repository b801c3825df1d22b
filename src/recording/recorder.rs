//! Writes a recording step by step, so that a crash leaves the last complete step. Uses the format, `act`.

use std::time::Duration;

use chrono::{SubsecRound, Utc};

use super::draft::Draft;
use super::secrets::{Secrets, masks_over, typed_into, variable_for};
use super::target::RecordedMark;
use super::variables::map_texts;
use super::{
    Finished, Gap, RecordedDevice, RecordedScreen, RecordedTarget, Recording, RecordingError, Requires,
    Result, SCHEMA, Setup, Step, StepBody, Store,
};
use crate::act::action::TypedText;
use crate::act::{ActOutcome, Action, Target};
use crate::code::ErrorCode;
use crate::device::{Appearance, DeviceDescription};
use crate::geometry::{PixelRect, Point, Rect};
use crate::mark::Mark;
use crate::observe::Observation;
use crate::role::Role;
use crate::vision::gate::GateOptions;
use crate::vision::mask::Mask;

/// Labels of the first screen that a replay asks for, at most.
const REQUIRED_LABELS: usize = 6;
/// Marks that were read less surely than this are not asked for.
const SURE: f32 = 0.8;

/// What the agent says of the recording.
#[derive(Clone, Debug, Default)]
pub struct RecordOptions {
    pub name: String,
    pub description: Option<String>,
    pub tags: Vec<String>,
    pub masks: Vec<Mask>,
}

/// What the session knows.
#[derive(Clone, Debug)]
pub struct RecordingFacts {
    pub device: DeviceDescription,
    /// Bundle id.
    pub app: Option<String>,
    pub setup: Setup,
    pub appearance: Option<Appearance>,
    /// Something was done since the app was launched, so replay won't begin at this screen.
    pub acted_since_launch: bool,
}

/// A recording that is going on.
pub struct Recorder {
    draft: Draft,
    recording: Recording,
    secrets: Secrets,
}

/// What became of one act.
#[derive(Clone, Debug)]
pub struct Appended {
    /// The step's number, from 1.
    pub step: usize,
    /// Things the agent should know, such as a text that was not written.
    pub notices: Vec<String>,
}

impl Recorder {
    /// Begins a recording of a free name, and says what may make it hard to replay.
    pub fn start(
        store: &Store,
        options: RecordOptions,
        facts: RecordingFacts,
    ) -> Result<(Self, Vec<String>)> {
        let panel = facts.device.panel_points;
        let scale = f64::from(facts.device.panel_pixels.width) / panel.width;
        let recording = Recording {
            schema: SCHEMA.into(),
            name: options.name,
            description: options.description,
            created: Utc::now().trunc_subsecs(0),
            simdrive: env!("CARGO_PKG_VERSION").into(),
            tags: options.tags,
            device: RecordedDevice {
                selector: facts.device.selector,
                kind: facts.device.kind,
                model: facts.device.model,
                os: facts.device.os,
                screen: RecordedScreen { width: panel.width, height: panel.height, scale },
            },
            app: facts.app,
            setup: facts.setup,
            requires: Requires { appearance: facts.appearance, ..Requires::default() },
            gate: GateOptions::default(),
            masks: options.masks,
            gaps: Vec::new(),
            steps: Vec::new(),
        };
        let warnings = if facts.acted_since_launch {
            vec![
                "the screen is not the one after a launch, where replay starts: \
                 begin in a new session, or give the recording a `setup` that reaches this screen"
                    .to_owned(),
            ]
        } else {
            Vec::new()
        };
        Ok((Self { draft: store.create(&recording)?, recording, secrets: Secrets::default() }, warnings))
    }

    pub fn name(&self) -> &str {
        &self.recording.name
    }

    /// Its folder.
    pub fn path(&self) -> &std::path::Path {
        self.draft.dir()
    }

    pub fn steps(&self) -> usize {
        self.recording.steps.len()
    }

    pub fn gaps(&self) -> usize {
        self.recording.gaps.len()
    }

    /// Writes that an act reached the device and failed, so that it is no step; after an error the recording is as
    /// it was.
    pub fn append_gap(&mut self, action: &str, error: ErrorCode) -> Result<()> {
        let gap = Gap { after: self.steps(), action: action.into(), error: error.to_string() };
        self.recording.gaps.push(gap);
        self.draft.write(&self.recording).inspect_err(|_| drop(self.recording.gaps.pop()))
    }

    /// Writes one act as the next step; after an error the recording is as it was.
    pub fn append(&mut self, outcome: &ActOutcome) -> Result<Appended> {
        let mut notices = Vec::new();
        let action = self.stored_action(outcome, &mut notices)?;
        if self.recording.steps.is_empty() {
            self.describe_start(&outcome.before);
        }
        let frames = self.draft.frames();
        let (before, after) = (&outcome.before, &outcome.after);
        let (hidden_before, hidden_after) = (self.secrets.places(before), self.secrets.places(after));
        let step = Step {
            body: StepBody::Act(Box::new(action)),
            before: Some(frames.put(&before.frame, &pixels(before, &hidden_before))?),
            after: Some(frames.put(&after.frame, &pixels(after, &hidden_after))?),
            settled_ms: millis(outcome.settle_time),
            gate: GateOptions::default(),
            masks: masks_over([&hidden_before[..], &hidden_after].concat()),
        };
        self.recording.steps.push(step);
        if let Err(e) = self.draft.write(&self.recording) {
            self.recording.steps.pop();
            return Err(e);
        }
        Ok(Appended { step: self.recording.steps.len(), notices })
    }

    pub fn stop(self) -> Result<Finished> {
        self.draft.finish()
    }

    /// Deletes what was recorded.
    pub fn discard(self) -> Result<()> {
        self.draft.discard()
    }

    /// The size of the screen and what the first one shows.
    fn describe_start(&mut self, first: &Observation) {
        let screen = &first.screen;
        self.recording.device.screen = RecordedScreen {
            width: round(screen.points.width),
            height: round(screen.points.height),
            scale: round(screen.scale_x()),
        };
        self.recording.requires.labels =
            telling_labels(first).into_iter().filter(|l| !self.secrets.shows(l)).collect();
    }

    /// The act with its targets as they were found and its secrets by name.
    fn stored_action(
        &mut self,
        outcome: &ActOutcome,
        notices: &mut Vec<String>,
    ) -> Result<Action<RecordedTarget>> {
        let action = self.without_secret_text(outcome, notices);
        let mut found = outcome.targets.iter();
        let action = action.map_targets(|asked| match (found.next(), asked) {
            (Some(target), _) => Ok(RecordedTarget::from(target)),
            (None, Target::Point(Point { x, y })) => Ok(RecordedTarget::Point(Point { x, y })),
            (None, other) => Err(RecordingError::Unrecordable(format!("{other:?} was never resolved"))),
        })?;
        let secrets = &self.secrets;
        let action = map_texts(action, |text| Ok::<_, RecordingError>(secrets.written(&text)))?;
        action.map_targets(|target| {
            Ok(match target {
                RecordedTarget::Mark(mark) => {
                    RecordedTarget::Mark(RecordedMark { label: secrets.written(&mark.label), ..mark })
                }
                point => point,
            })
        })
    }

    /// Learns what was typed where; text that went into a secure field becomes a secret.
    fn without_secret_text(&mut self, outcome: &ActOutcome, notices: &mut Vec<String>) -> Action {
        let Action::TypeText { text, into, clear_first, submit } = &outcome.action else {
            return outcome.action.clone();
        };
        let (name, value) = match text {
            TypedText::Secret(name) => (name.clone(), std::env::var(name).ok()),
            TypedText::Text(text) => match secure_field(outcome) {
                Some(field) => {
                    let name = variable_for(&field.label);
                    notices.push(format!(
                        "the text went into a secure field and was not written; replay types ${name} \
                         (--var {name}=… or the environment): use `secret` to name it yourself"
                    ));
                    (name, Some(text.clone()))
                }
                None => return outcome.action.clone(),
            },
        };
        self.secrets.learn_fields(outcome);
        if let Some(value) = value {
            self.secrets.learn_value(&name, value);
        }
        Action::TypeText {
            text: TypedText::Secret(name),
            into: into.clone(),
            clear_first: *clear_first,
            submit: *submit,
        }
    }
}

/// The secure field that a text went into, or may have gone into.
fn secure_field(outcome: &ActOutcome) -> Option<&Mark> {
    typed_into(outcome).into_iter().find(|m| m.role == Role::SecureField)
}

/// What a person would name the screen by: controls first, nothing that counts, ticks or is half read.
pub(super) fn telling_labels(screen: &Observation) -> Vec<String> {
    let telling = |m: &&Mark| {
        m.confidence >= SURE
            && m.role != Role::KeyboardKey
            && m.role != Role::SecureField
            && (2..=40).contains(&m.label.chars().count())
            && m.label.chars().any(char::is_alphabetic)
            && !m.label.chars().any(|c| c.is_numeric())
    };
    let mut marks: Vec<&Mark> = screen.marks.iter().filter(telling).collect();
    marks.sort_by_key(|m| !m.role.is_control());
    let mut labels: Vec<String> = Vec::new();
    for mark in marks {
        if labels.len() < REQUIRED_LABELS && !labels.contains(&mark.label) {
            labels.push(mark.label.clone());
        }
    }
    labels
}

fn pixels(screen: &Observation, hidden: &[Rect]) -> Vec<PixelRect> {
    hidden.iter().filter_map(|rect| screen.screen.to_pixels(*rect)).collect()
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

fn round(value: f64) -> f64 {
    (value * 100.0).round() / 100.0
}

#[cfg(test)]
mod tests {
    use super::super::samples::{device, every_action, label, mark, outcome, resolved, screen};
    use super::super::{Loaded, Variables, validate};
    use super::*;
    use crate::act::{ResolvedTarget, TargetForm};

    fn options(name: &str) -> RecordOptions {
        RecordOptions { name: name.into(), ..RecordOptions::default() }
    }

    fn facts() -> RecordingFacts {
        RecordingFacts {
            device: device(),
            app: Some("com.example.shop".into()),
            setup: Setup::default(),
            appearance: Some(Appearance::Light),
            acted_since_launch: false,
        }
    }

    fn button() -> Mark {
        Mark {
            identifier: Some("signin".into()),
            ..mark(3, Role::Button, "Sign In: now", Rect::new(2.0, 5.333, 20.0, 10.0))
        }
    }

    fn tap() -> ActOutcome {
        let action = Action::Tap { target: label("sign in"), count: 1, hold_ms: 0 };
        outcome(
            action,
            vec![resolved(TargetForm::Label, button())],
            screen(1, vec![button()]),
            screen(2, vec![]),
        )
    }

    #[test]
    fn every_action_comes_back_from_the_file_as_it_was() {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::at(dir.path());
        let (mut recorder, _) = Recorder::start(&store, options("all"), facts()).unwrap();
        let mut expected = Vec::new();
        for action in every_action() {
            let mut targets = Vec::new();
            let _ = action.clone().map_targets(|t| {
                targets.push(match t {
                    Target::Point(point) => ResolvedTarget {
                        form: TargetForm::Point,
                        mark: None,
                        point,
                        nth: 1,
                        of: 1,
                        moved_by: None,
                    },
                    _ => ResolvedTarget { nth: 2, of: 3, ..resolved(TargetForm::Mark, button()) },
                });
                Ok::<_, ()>(())
            });
            let act = outcome(action, targets, screen(1, vec![]), screen(2, vec![]));
            recorder.append(&act).unwrap();
            expected.push(act);
        }
        let Finished { steps, path, warnings, .. } = recorder.stop().unwrap();
        assert_eq!((steps, warnings), (expected.len(), vec![]));
        assert!(validate(&path).is_valid(), "{:?}", validate(&path));

        let loaded = store.named("all").unwrap();
        let nothing_set = Variables::default();
        for (step, act) in loaded.recording.steps.iter().zip(expected) {
            let StepBody::Act(read) = step.body.clone() else { panic!("{step:?}") };
            let read = map_texts(*read, |t| nothing_set.expand(&t, "f")).unwrap();
            let mut targets = act.targets.iter().map(RecordedTarget::from);
            let asked = act.action.map_targets(|_| targets.next().ok_or(())).unwrap();
            assert_eq!(read, asked);
            assert_eq!(step.settled_ms, 240);
        }
        assert_eq!(loaded.frames().stored().len(), 2, "equal frames are stored once");
    }

    #[test]
    fn the_file_reads_as_people_write_it() {
        let dir = tempfile::tempdir().unwrap();
        let options = RecordOptions {
            description: Some("Sign in".into()),
            tags: vec!["smoke".into()],
            masks: vec![
                Mask::Named(crate::vision::mask::NamedMask::StatusBar),
                Mask::Rect(Rect::new(0.0, 5.0, 30.0, 4.0)),
            ],
            ..options("sign-in")
        };
        let (mut recorder, warnings) = Recorder::start(&Store::at(dir.path()), options, facts()).unwrap();
        assert!(warnings.is_empty());
        recorder.append(&tap()).unwrap();
        let yaml = std::fs::read_to_string(recorder.path().join("recording.yaml")).unwrap();
        for line in [
            "schema: simdrive.recording/1",
            "tags: [smoke]",
            "device: {selector: sim:shop, kind: simulator, model: iPhone 16, os: iOS 18.2, screen: {width: 30, height: 60, scale: 3}}",
            "requires:",
            "masks: [status-bar, {x: 0, y: 5, width: 30, height: 4}]",
            "  - action: tap",
            "    target: {by: label, label: \"Sign In: now\", role: button, stable_id: \"000000000003\", identifier: signin, frame: [2, 5.33, 20, 10]}",
            "    settled_ms: 240",
        ] {
            assert!(yaml.lines().any(|l| l == line), "{line}");
        }
    }

    #[test]
    fn a_broken_off_recording_stands_up_to_its_last_complete_step_and_can_be_finished() {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::at(dir.path());
        let (mut recorder, _) = Recorder::start(&store, options("cut"), facts()).unwrap();
        recorder.append(&tap()).unwrap();
        let path = recorder.path().to_owned();
        assert!(store.unfinished().is_empty(), "it is still being written");
        assert!(matches!(store.finish(Some("cut")), Err(RecordingError::InUse { .. })));
        // the process dies in the middle of the next step
        drop(recorder);
        std::fs::write(path.join("frames/00000000000000ff.png"), b"half").unwrap();
        std::fs::write(path.join(".recording.yaml.1.tmp"), b"schema: simd").unwrap();

        let found = validate(&path);
        assert!(found.is_valid() && found.steps == 1 && found.warnings.len() == 1, "{found:?}");
        let again = Recorder::start(&store, options("cut"), facts()).err().unwrap();
        assert_eq!(again.code().as_str(), "recording_exists");
        let finished = store.finish(None).unwrap();
        assert_eq!((finished.name.as_str(), finished.steps), ("cut", 1));
        let found = validate(&path);
        assert!(found.is_valid() && found.warnings.is_empty(), "{found:?}");
        assert_eq!(store.finish(None).unwrap_err().code().as_str(), "not_recording");
    }

    #[test]
    fn a_secret_is_written_nowhere() {
        let dir = tempfile::tempdir().unwrap();
        let (mut recorder, _) = Recorder::start(&Store::at(dir.path()), options("s"), facts()).unwrap();
        let field = mark(4, Role::SecureField, "Card PIN", Rect::new(2.0, 20.0, 20.0, 8.0));
        let typed = Action::TypeText {
            text: TypedText::Text("hunter2!".into()),
            into: Some(label("Card PIN")),
            clear_first: false,
            submit: false,
        };
        let act = outcome(
            typed,
            vec![resolved(TargetForm::Label, field.clone())],
            screen(1, vec![field.clone()]),
            screen(2, vec![field]),
        );
        let notices = recorder.append(&act).unwrap().notices;
        assert!(notices[0].contains("$CARD_PIN"), "{notices:?}");
        // later the app shows it, and it is waited for
        let shown = mark(9, Role::Text, "Your PIN is hunter2!", Rect::new(0.0, 40.0, 30.0, 8.0));
        let wait = Action::WaitFor {
            condition: crate::act::action::Condition {
                label: Some("PIN is hunter2!".into()),
                ..Default::default()
            },
            timeout_ms: 1,
        };
        recorder
            .append(&outcome(wait, vec![], screen(3, vec![shown.clone()]), screen(3, vec![shown])))
            .unwrap();

        let Finished { path, .. } = recorder.stop().unwrap();
        let yaml = std::fs::read_to_string(path.join("recording.yaml")).unwrap();
        assert!(!yaml.contains("hunter2") && yaml.contains("secret: CARD_PIN"), "{yaml}");
        let loaded = Store::at_path(&path).unwrap();
        assert_eq!(validate(&path).needs, ["CARD_PIN"]);
        assert!(is_blank(&loaded, 0, 30, 70) && is_blank(&loaded, 1, 45, 130));
        assert_eq!(loaded.recording.steps[0].masks, [Mask::Rect(Rect::new(2.0, 20.0, 20.0, 8.0))]);
        assert_eq!(loaded.recording.steps[1].masks, [Mask::Rect(Rect::new(0.0, 40.0, 30.0, 8.0))]);
    }

    fn is_blank(loaded: &Loaded, step: usize, x: u32, y: u32) -> bool {
        let step = &loaded.recording.steps[step];
        [&step.before, &step.after].into_iter().flatten().all(|name| {
            let frame = loaded.frames().load(name, &Default::default()).unwrap();
            frame.pixels().get_pixel(x, y).0 == [128, 128, 128, 255]
        })
    }
}
