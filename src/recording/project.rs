//! What holds for all recordings of a project beside what each says itself. Uses the types of `vision`.

use crate::vision::gate::GateOptions;
use crate::vision::mask::Mask;

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Project {
    /// Departures from the gate's defaults, for every recording that says nothing else.
    pub gate: GateOptions,
    /// Masks beside the default ones, for every recording.
    pub masks: Vec<Mask>,
}
