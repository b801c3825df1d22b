//! The table of operations: name, title, mode, hints and description of each, and its way to the code.

use std::sync::LazyLock;
use std::time::Duration;

use serde_json::{Map, Value};

use crate::code::ErrorCode;
use crate::operation::{Call, Context, OperationError, Outcome, Run, arguments, schema};
use crate::operation::{diagnostics, lifecycle, record};

/// What an operation may do, each holding the one before (design.md section 9).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Mode {
    /// Reads only.
    Observe,
    /// Touches, types, records, replays.
    Interact,
}

/// The hints of the Model Context Protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hints {
    pub read_only: bool,
    pub destructive: bool,
    pub idempotent: bool,
    pub open_world: bool,
}

const READS: Hints = Hints { read_only: true, destructive: false, idempotent: true, open_world: false };

/// What is published of an operation.
#[derive(Debug)]
pub struct Descriptor {
    pub name: &'static str,
    pub title: &'static str,
    pub description: &'static str,
    pub mode: Mode,
    pub hints: Hints,
    /// A plain object schema.
    pub schema: Map<String, Value>,
}

macro_rules! operations {
    ($($variant:ident($arguments:ty) = $name:literal, $title:literal, $mode:ident, $hints:ident, $description:literal;)*) => {
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

            pub async fn run(self, context: &Context, call: &Call) -> Result<Outcome, OperationError> {
                match self {
                    $(Self::$variant(arguments) => arguments.run(context, call).await,)*
                }
            }
        }
    };
}

operations! {
    ListDevices(lifecycle::ListDevices) = "list_devices", "List devices", Observe, READS,
        "The devices that session_start can open, each with its selector.";
    ListReplays(record::ListReplays) = "list_replays", "List recordings", Observe, READS,
        "The recordings there are: name, steps, tags, path.";
    ValidateReplay(record::ValidateReplay) = "validate_replay", "Check a recording", Observe, READS,
        "Whether a recording is whole and can be replayed, without touching a device. Tells what is wrong, where, and which variables it needs.";
    Doctor(diagnostics::Doctor) = "doctor", "Check the set-up", Observe, READS,
        "Checks what simdrive needs on this machine. Use when sessions don't start. Each check: ok, warn or fail, and how to fix it.";
    Version(diagnostics::Version) = "version", "Version", Observe, READS,
        "The version of simdrive and of the recording format.";
}

impl Descriptor {
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
