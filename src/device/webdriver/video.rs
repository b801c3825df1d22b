//! Films of a phone's screen, which Appium keeps until they are fetched. Uses `link`.

use std::path::Path;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::json;

use super::client::Command;
use super::error::Failure;
use super::link::Link;
use crate::device::{DeviceError, Feature, Result, patience};

const START: Command = Command::post("start the video", "/appium/start_recording_screen").within(60);
/// It is made into one file first, and comes whole.
const STOP: Command =
    Command::post("stop the video", "/appium/stop_recording_screen").within(patience::FILM.as_secs());
/// The longest that Appium films, in seconds; three minutes without being told.
const LONGEST: &str = "1800";

/// Begins to film; where the file is to go must be known to be writable, as the film is there only afterwards.
pub async fn start(link: &Link, file: &Path) -> Result<()> {
    std::fs::File::create_new(file).map_err(|e| unwritable(link, START, file, &e))?;
    let options = json!({"options": {"videoType": "libx264", "timeLimit": LONGEST, "forceRestart": true}});
    let begun = match link.send(START, Some(&options)).await {
        Ok(_) => return Ok(()),
        Err(failure) if failure.is_unknown_command() => Feature::Video.lacking(link.device()),
        Err(failure) => link.error(START, failure),
    };
    // nothing came of it
    let _ = std::fs::remove_file(file);
    Err(begun)
}

/// Ends the film and fetches it; where it does not come, nothing is left of it.
pub async fn stop(link: &Link, file: &Path) -> Result<()> {
    let fetched = match fetch(link).await {
        Ok(film) => std::fs::write(file, film).map_err(|e| unwritable(link, STOP, file, &e)),
        Err(error) => Err(error),
    };
    if fetched.is_err() {
        // an empty file would be taken for a film
        let _ = std::fs::remove_file(file);
    }
    fetched
}

async fn fetch(link: &Link) -> Result<Vec<u8>> {
    let film = link.send(STOP, Some(&json!({}))).await.map_err(|failure| link.error(STOP, failure))?;
    let broken = || link.error(STOP, Failure::Unreadable("a film that is none".to_owned()));
    let text: String = film.as_str().ok_or_else(broken)?.split_whitespace().collect();
    STANDARD.decode(text).ok().filter(|film| !film.is_empty()).ok_or_else(broken)
}

fn unwritable(link: &Link, command: Command, file: &Path, error: &std::io::Error) -> DeviceError {
    DeviceError::InvalidRequest {
        device: link.device().to_owned(),
        call: command.name,
        reason: format!("{} can't be written: {error}", file.display()),
    }
}
