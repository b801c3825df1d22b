//! What only some devices have, and what to use where one has it not. Uses the errors of devices.

use crate::device::DeviceError;

/// What only some devices can do, and is asked about before a plan that needs it begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Feature {
    Video,
    Contacts,
}

impl Feature {
    pub const ALL: [Self; 2] = [Self::Video, Self::Contacts];

    /// The error of a device that has it not.
    pub fn lacking(self, device: &str) -> DeviceError {
        let (what, instead) = match self {
            Self::Video => (
                "filming the screen",
                "simulators of a Mac (`idb:UDID`) and phones behind Appium can; record_start keeps a frame of every act",
            ),
            Self::Contacts => ("changing the contacts", "simulators of a Mac (`idb:UDID`) can"),
        };
        DeviceError::Unsupported {
            device: device.to_owned(),
            what: what.to_owned(),
            instead: instead.to_owned(),
        }
    }
}
