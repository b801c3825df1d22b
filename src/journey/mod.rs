//! Goals for an agent, and the criteria by which it is told that they were reached. Uses `session`, `replay` and below.
//!
//! A journey is a YAML file (`simdrive schema journey`). An agent drives it; [`verify`] holds its criteria against the
//! live screen without a model. Journeys and personas of the original SimDrive load as well.

mod criterion;
mod error;
mod format;
mod number;
mod original;
mod persona;
mod verify;

pub use criterion::{AppIs, Criterion, LogLine, NumberWithin, Seen, StepReached, Usage};
pub use error::JourneyError;
pub use format::{Budget, Journey, LeftOut, SCHEMA};
pub use persona::{Comfort, Patience, Persona};
pub use verify::{Verdict, verify};

pub type Result<T> = std::result::Result<T, JourneyError>;

/// A journey's file, and the persona that goes with it.
#[derive(Clone, Debug)]
pub struct Loaded {
    pub journey: Journey,
    pub persona: Option<Persona>,
    /// Things worth knowing, such as a persona that is nowhere to be found.
    pub notes: Vec<String>,
}

/// Reads a journey; `persona` is the file of another persona than the one it names.
///
/// # Errors
/// A file can't be read, or is not as it must be.
pub fn load(path: &std::path::Path, persona: Option<&std::path::Path>) -> Result<Loaded> {
    let journey = Journey::read(path)?;
    let mut notes: Vec<String> = journey.left_out.iter().map(|left_out| left_out.to_string()).collect();
    let persona = match (persona, &journey.persona) {
        (Some(file), _) => Some(Persona::read(file)?),
        (None, Some(slug)) => {
            let found = Persona::named(slug, path)?;
            if found.is_none() {
                notes.push(format!(
                    "no file of the persona `{slug}`: personas/{slug}.yaml beside it was looked for"
                ));
            }
            found
        }
        (None, None) => None,
    };
    Ok(Loaded { journey, persona, notes })
}
