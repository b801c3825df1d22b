//! The table of operations: name, title, mode, hints and description of each, and its way to the code.

use std::sync::LazyLock;
use std::time::Duration;

use serde_json::{Map, Value};

use crate::act::Target;
use crate::code::ErrorCode;
use crate::operation::{Call, Context, OperationError, Outcome, Run, arguments, schema};
use crate::operation::{
    action, crashes, diagnostics, instruct, journey, lifecycle, lint, logs, measure, migrate, observation,
    permissions, record, replay,
};
use crate::policy::{Mode, ToolFacts, Toolset};

/// The hints of the Model Context Protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hints {
    pub read_only: bool,
    pub destructive: bool,
    pub idempotent: bool,
    pub open_world: bool,
}

const READS: Hints = Hints { read_only: true, destructive: false, idempotent: true, open_world: false };
const ADDS: Hints = Hints { read_only: false, destructive: false, idempotent: false, open_world: false };
const SETS: Hints = Hints { read_only: false, destructive: false, idempotent: true, open_world: false };
/// What a touch sets off is up to the app.
const TOUCHES: Hints = Hints { read_only: false, destructive: true, idempotent: false, open_world: true };

/// What is published of an operation.
#[derive(Debug)]
pub struct Descriptor {
    pub name: &'static str,
    pub title: &'static str,
    pub description: &'static str,
    pub toolset: Toolset,
    /// The lowest mode in which it can do anything.
    pub mode: Mode,
    pub hints: Hints,
    /// A plain object schema.
    pub schema: Map<String, Value>,
}

macro_rules! operations {
    ($($variant:ident($arguments:ty) = $name:literal, $title:literal, $toolset:ident, $mode:ident, $hints:ident, $description:literal;)*) => {
        /// Everything a user can ask for.
        #[derive(Clone, Debug)]
        pub enum Operation {
            $($variant($arguments),)*
        }

        static CATALOG: LazyLock<Vec<Descriptor>> = LazyLock::new(|| vec![
            $(Descriptor {
                name: $name,
                title: $title,
                description: $description,
                toolset: Toolset::$toolset,
                mode: Mode::$mode,
                hints: $hints,
                schema: schema::plain::<$arguments>(),
            },)*
        ]);

        impl Operation {
            /// The operation called `name`, with its arguments checked.
            ///
            /// # Errors
            /// `invalid_argument`, naming what is wrong and what was probably meant.
            pub fn parse(name: &str, arguments: Map<String, Value>) -> Result<Self, OperationError> {
                let descriptor = Descriptor::named(name)?;
                let checked = arguments::check(name, &descriptor.schema, arguments)?;
                let refused = |e: serde_json::Error| OperationError::invalid(format!("{name}: {e}"));
                match name {
                    $($name => serde_json::from_value(checked).map(Self::$variant).map_err(refused),)*
                    _ => Err(unknown(name)),
                }
            }

            pub fn name(&self) -> &'static str {
                match self {
                    $(Self::$variant(_) => $name,)*
                }
            }

            /// How long it may take before its caller is told that it takes too long.
            pub fn deadline(&self) -> Duration {
                match self {
                    $(Self::$variant(arguments) => arguments.deadline(),)*
                }
            }

            /// What it needs with these arguments, where that is more than its tool needs at least.
            fn needs(&self) -> Mode {
                match self {
                    $(Self::$variant(arguments) => arguments.needs().max(Mode::$mode),)*
                }
            }

            /// What it taps.
            pub(super) fn tapped(&self) -> Result<Vec<Target>, OperationError> {
                match self {
                    $(Self::$variant(arguments) => arguments.tapped(),)*
                }
            }

            fn arguments_permitted(&self, context: &Context) -> Result<(), OperationError> {
                match self {
                    $(Self::$variant(arguments) => arguments.permitted(context),)*
                }
            }

            async fn dispatch(self, context: &Context, call: &Call) -> Result<Outcome, OperationError> {
                match self {
                    $(Self::$variant(arguments) => arguments.run(context, call).await,)*
                }
            }
        }
    };
}

operations! {
    SessionStart(lifecycle::SessionStart) = "session_start", "Start a session", Lifecycle, Observe, ADDS,
        "Opens a device and launches its app. First call of all. Returns the session id and what is on the screen.";
    SessionEnd(lifecycle::SessionEnd) = "session_end", "End a session", Lifecycle, Observe, SETS,
        "Finishes an open recording and lets go of the device.";
    SessionStatus(lifecycle::SessionStatus) = "session_status", "Session status", Lifecycle, Observe, READS,
        "Open sessions: device, app, last action, recording, crash.";
    ListDevices(lifecycle::ListDevices) = "list_devices", "List devices", Lifecycle, Observe, READS,
        "The devices that session_start can open, each with its selector.";
    Observe(observation::Observe) = "observe", "Look at the screen", Observation, Observe, READS,
        "A picture with numbered marks, and a line for each: id role \"label\" =value @x,y in points. Waits until the screen rests.";
    Tap(action::Tap) = "tap", "Tap", Action, Interact, TOUCHES,
        "Taps one target: mark, stable_id, label, or x and y. Refused untouched if it is gone, covered, disabled or ambiguous. Returns what changed.";
    TapAndWaitKeyboard(action::TapAndWaitKeyboard) = "tap_and_wait_keyboard", "Tap a field", Action, Interact, TOUCHES,
        "Taps a field, as tap does, and waits for the keyboard.";
    Swipe(action::Swipe) = "swipe", "Swipe", Action, Interact, TOUCHES,
        "Drags from one target to another, or in a direction; with until, scrolls to a label. Returns what changed.";
    TypeText(action::TypeText) = "type_text", "Type text", Action, Interact, TOUCHES,
        "Types into the focused field, or into the one given. Passwords go by secret. Returns what changed.";
    PressKey(action::PressKey) = "press_key", "Press a key", Action, Interact, TOUCHES,
        "Presses a hardware button or a key.";
    ClearField(action::ClearField) = "clear_field", "Clear a field", Action, Interact, TOUCHES,
        "Empties the target field, or the focused one.";
    DismissSheet(action::DismissSheet) = "dismiss_sheet", "Dismiss a sheet", Action, Interact, TOUCHES,
        "Drags the sheet that lies over the screen away, down by default.";
    WaitFor(action::WaitFor) = "wait_for", "Wait", Observation, Observe, READS,
        "Waits until a label or role is there, or gone, or the screen is stable; default 10 s.";
    SetAppearance(action::SetAppearance) = "set_appearance", "Set appearance", Diagnostics, Interact, SETS,
        "Light or dark, and the text size.";
    OpenUrl(action::OpenUrl) = "open_url", "Open a URL", Action, Interact, TOUCHES,
        "Opens a URL or deep link on the device. Returns what changed.";
    RecordStart(record::RecordStart) = "record_start", "Start recording", Recording, Interact, ADDS,
        "Records every act from here on, with frames, for replay. Begin right after session_start: replay starts there.";
    RecordStop(record::RecordStop) = "record_stop", "Stop recording", Recording, Interact, ADDS,
        "Finishes the recording and returns its path.";
    Replay(replay::Replay) = "replay", "Replay a recording", Recording, Interact, TOUCHES,
        "Replays a recording in a session of its own: each step finds its target and compares the screen. Fails with replay_drift, naming step and place.";
    ListReplays(record::ListReplays) = "list_replays", "List recordings", Recording, Observe, READS,
        "The recordings there are: name, steps, tags, path.";
    ValidateReplay(record::ValidateReplay) = "validate_replay", "Check a recording", Recording, Observe, READS,
        "Whether a recording is whole, without a device: what is wrong, where, and which variables it needs.";
    LintRecordings(lint::LintRecordings) = "lint_recordings", "Lint recordings", Recording, Observe, SETS,
        "Looks for what makes recordings brittle or unsafe: lost frames, raw coordinates, unmasked clocks, secrets. Each finding: place, reason, fix. Changes nothing without fix.";
    MigrateRecording(migrate::MigrateRecording) = "migrate_recording", "Migrate a recording", Recording, Observe, SETS,
        "Brings a recording of an older version or of the original SimDrive up. Returns what could not be carried over, and where the backup is.";
    LoadJourney(journey::LoadJourney) = "load_journey", "Load a journey", Recording, Observe, READS,
        "Reads a journey for you to drive: goals, persona, budget, and the criteria that must hold in the end.";
    AppState(diagnostics::AppState) = "app_state", "App state", Diagnostics, Observe, READS,
        "Whether an app runs, is in front, or crashed.";
    Apps(diagnostics::Apps) = "apps", "List apps", Diagnostics, Observe, READS,
        "The installed apps: bundle id, name, state.";
    Logs(logs::Logs) = "logs", "Logs", Diagnostics, Observe, READS,
        "The device's last log lines, oldest first.";
    Crashes(crashes::Crashes) = "crashes", "Crash reports", Diagnostics, Observe, READS,
        "Crash reports since the session started: process, reason, top frames. Use when the app is gone.";
    Perf(measure::Perf) = "perf", "Measure an app", Diagnostics, Observe, READS,
        "CPU, memory and threads of a running app: median and range of several samples.";
    PerfBaseline(measure::PerfBaseline) = "perf_baseline", "Keep a baseline", Diagnostics, Interact, SETS,
        "Measures as perf does and keeps it for perf_compare, for this session or under a label on disk.";
    PerfCompare(measure::PerfCompare) = "perf_compare", "Compare with a baseline", Diagnostics, Observe, READS,
        "Measures again and grades what grew: none, minor, major, critical. Noise within the ranges is no regression.";
    Memory(measure::Memory) = "memory", "Memory of an app", Diagnostics, Observe, READS,
        "What the memory of a running app is made of, the largest first.";
    DismissFirstLaunchAlerts(permissions::DismissFirstLaunchAlerts) = "dismiss_first_launch_alerts", "Answer permission alerts", Diagnostics, Interact, TOUCHES,
        "Answers the system's permission alerts one after another and says what it pressed; leaves the app's own alone.";
    PreGrantPermissions(permissions::PreGrantPermissions) = "pre_grant_permissions", "Grant permissions", Diagnostics, Interact, SETS,
        "Grants permissions, or takes them back, before the app asks. Returns what was done for each, and by what.";
    Instruct(instruct::Instruct) = "instruct", "Do as told", Action, Observe, TOUCHES,
        "Does what plain words say, in English or Spanish: \"tap Sign In then type hello into Email\"; if … otherwise, until, 3 times. For several sure steps in one call. Returns what each step did; stops at the first that fails.";
    Doctor(diagnostics::Doctor) = "doctor", "Check the set-up", Diagnostics, Observe, READS,
        "Checks what simdrive needs on this machine. Use when sessions don't start. Each check: ok, warn or fail, and the fix.";
    Version(diagnostics::Version) = "version", "Version", Diagnostics, Observe, READS,
        "The version of simdrive.";
}

impl Operation {
    /// Whether the policy lets it begin; `simdrive policy check` asks the same.
    ///
    /// # Errors
    /// Why not. Nothing was done.
    pub fn permitted(&self, context: &Context) -> Result<(), OperationError> {
        context.policy.permits(&Descriptor::named(self.name())?.facts(), self.needs())?;
        self.arguments_permitted(context)
    }

    /// Does it, if the policy lets it; what was decided and what came of it goes to the audit log.
    ///
    /// # Errors
    /// It is not allowed, or fails.
    pub async fn run(self, context: &Context, call: &Call) -> Result<Outcome, OperationError> {
        let (name, needs) = (self.name(), self.needs());
        let admitted = self.permitted(context).and_then(|()| Ok(context.policy.pace(needs)?));
        let outcome = match admitted {
            Ok(()) => self.dispatch(context, call).await,
            Err(refused) => Err(refused),
        };
        // looks that went well are no decisions
        let refused = outcome.as_ref().err().is_some_and(|e| e.is_by_policy());
        if let Some(audit) = context.audit.as_ref().filter(|_| needs > Mode::Observe || refused) {
            audit.write(name, call.caller.as_deref(), &call.audit, outcome.as_ref().err().map(|e| e.code));
        }
        outcome
    }
}

impl Descriptor {
    /// What the policy decides by.
    pub fn facts(&self) -> ToolFacts {
        ToolFacts { name: self.name, toolset: self.toolset, mode: self.mode }
    }

    /// All that there are, in the order in which they are told.
    pub fn all() -> &'static [Descriptor] {
        &CATALOG
    }

    /// # Errors
    /// `invalid_argument` with the nearest name.
    pub fn named(name: &str) -> Result<&'static Descriptor, OperationError> {
        CATALOG.iter().find(|d| d.name == name).ok_or_else(|| unknown(name))
    }
}

fn unknown(name: &str) -> OperationError {
    let names: Vec<&str> = CATALOG.iter().map(|d| d.name).collect();
    let error = OperationError::new(
        ErrorCode::InvalidArgument,
        match arguments::nearest(name, &names) {
            Some(near) => format!("there is no `{name}`; did you mean `{near}`?"),
            None => format!("there is no `{name}`"),
        },
    );
    error.with_hint(format!("there are {}", names.join(", ")))
}
