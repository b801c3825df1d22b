//! Why a look at the screen failed. Uses `device`, `vision`, `frame`.

use crate::code::ErrorCode;
use crate::device::DeviceError;
use crate::frame::FrameError;

/// Why there is no observation.
#[derive(Debug, Clone, thiserror::Error)]
pub enum ObserveError {
    #[error(transparent)]
    Device(#[from] DeviceError),
    /// The device answered, but not with a picture.
    #[error("the screenshot can't be used: {0}")]
    Screenshot(String),
    /// A picture given by the user.
    #[error("{0}")]
    Picture(String),
    #[error("{0}")]
    Invalid(String),
    /// Reading text or finding shapes failed.
    #[error("vision failed: {0}")]
    Vision(String),
}

impl ObserveError {
    pub fn code(&self) -> ErrorCode {
        match self {
            Self::Device(error) => error.code(),
            Self::Picture(_) | Self::Invalid(_) => ErrorCode::InvalidArgument,
            Self::Screenshot(_) | Self::Vision(_) => ErrorCode::Internal,
        }
    }

    /// What the user can do about it.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Device(_) => "check that the device is booted and reachable (`simdrive doctor`)",
            Self::Picture(_) => "give a whole PNG or JPEG of at most 16384 pixels a side",
            Self::Invalid(_) => "correct the argument and call again",
            Self::Screenshot(_) => "take another look; if it stays, restart the device's companion",
            Self::Vision(_) => "take another look; if it stays, please report the picture",
        }
    }
}

impl From<FrameError> for ObserveError {
    fn from(error: FrameError) -> Self {
        Self::Screenshot(error.to_string())
    }
}
