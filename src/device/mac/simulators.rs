//! The simulators of this Mac as such: found by name, booted, shut down, brought to the front. Uses `device::simctl`,
//! `devicectl`.

use std::time::Duration;

use crate::device::process::Command;
use crate::device::simctl::{self, Choice, Simctl, Simulator};
use crate::device::{DeviceError, Result, devicectl};

const TO_THE_FRONT: Duration = Duration::from_secs(30);

/// The simulator of this Mac that a UDID or name means.
///
/// # Errors
/// [`DeviceError::NotFound`]: no Xcode, none of this name, or several, which are listed.
pub async fn find(name: &str) -> Result<Simulator> {
    let not_found = |reason: String| DeviceError::NotFound { selector: name.to_owned(), reason };
    let simulators = simctl::list().await.map_err(|error| match error.of(name, "simctl list") {
        error @ DeviceError::NotFound { .. } => error,
        error => not_found(error.to_string()),
    })?;
    let reason = match simctl::choose(&simulators, name) {
        Choice::One(Simulator { problem: Some(problem), .. }) => format!("it can't be used: {problem}"),
        Choice::One(one) => return Ok(one.clone()),
        Choice::Several(several) => {
            let each = several.iter().map(|s| format!("\n  idb:{}  {}", s.udid, s.described()));
            format!("{} simulators have this name; say which:{}", several.len(), each.collect::<String>())
        }
        Choice::None(near) => match devicectl::find(name).await {
            Some(phone) => format!(
                "it is a real device ({}): name it `wda:{}`, which is driven through WebDriverAgent",
                phone.described(),
                phone.udid
            ),
            None if near.is_empty() => "Xcode has no simulators; add some in Xcode's settings".to_owned(),
            None => format!("the nearest names are {}", near.join(", ")),
        },
    };
    Err(not_found(reason))
}

/// Boots a simulator of this Mac; one that is booted is no error.
///
/// # Errors
/// It is not there, or can't be booted.
pub async fn boot(name: &str) -> Result<Simulator> {
    let simulator = find(name).await?;
    let booted = Simctl::new(&simulator.udid).boot().await;
    booted.map_err(|e| e.of(name, "simctl boot")).map(|()| simulator)
}

/// Shuts a simulator of this Mac down; one that isn't booted is no error.
///
/// # Errors
/// It is not there, or can't be shut down.
pub async fn shut_down(name: &str) -> Result<Simulator> {
    let simulator = find(name).await?;
    let down = Simctl::new(&simulator.udid).shut_down().await;
    down.map_err(|e| e.of(name, "simctl shutdown")).map(|()| simulator)
}

/// Brings the window of a simulator of this Mac to the front.
///
/// # Errors
/// It is not there, or Xcode's Simulator can't be opened.
pub async fn focus(name: &str) -> Result<Simulator> {
    let simulator = find(name).await?;
    let opened = Command::new("open")
        .arguments(["-a", "Simulator", "--args", "-CurrentDeviceUDID", &simulator.udid])
        .run(TO_THE_FRONT)
        .await;
    let reason = match opened {
        Ok(finished) if finished.succeeded() => return Ok(simulator),
        Ok(finished) => finished.stderr.trim().to_owned(),
        Err(error) => error.to_string(),
    };
    Err(DeviceError::Refused { device: name.to_owned(), call: "open -a Simulator", reason })
}
