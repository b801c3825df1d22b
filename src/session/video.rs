//! The film of a session's screen: one at a time, and finished with the session. Uses `device`.

use std::path::{Path, PathBuf};

use crate::device::DeviceError;
use crate::session::{Session, SessionError};

impl Session {
    /// Films the screen into a file that is not there yet.
    ///
    /// # Errors
    /// It is being filmed already, or can't be.
    pub async fn start_video(&self, file: &Path) -> Result<(), SessionError> {
        let device = self.hold().await?;
        if let Some(file) = self.memory().video.clone() {
            return Err(SessionError::AlreadyFilming(file));
        }
        device.start_video(file).await?;
        self.memory().video = Some(file.to_owned());
        Ok(())
    }

    /// Ends the film; its file.
    ///
    /// # Errors
    /// There is none, or it could not be finished; then it is given up.
    pub async fn stop_video(&self) -> Result<PathBuf, SessionError> {
        let _device = self.hold().await?;
        self.finish_video().await?.ok_or(SessionError::NotFilming)
    }

    /// The same, for who holds the device; `None` where there was none.
    pub(super) async fn finish_video(&self) -> Result<Option<PathBuf>, DeviceError> {
        let Some(file) = self.memory().video.take() else { return Ok(None) };
        self.device().stop_video(&file).await?;
        Ok(Some(file))
    }
}
