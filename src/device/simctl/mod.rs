//! `xcrun simctl`: what Xcode itself does with the simulators of a Mac. Uses `device::process`.
//!
//! Failures are told by their code first and by their words second; what only says that the wanted state is already
//! there is no failure.

mod list;

use std::path::Path;
use std::time::Duration;

pub use list::{Choice, Simulator, choose};

use crate::device::process::{Command, Finished, Owned, ProcessError, Worker};
use crate::device::{Appearance, ContentSize, DeviceError, patience};

const QUICK: Duration = Duration::from_secs(20);
const INSTALL: Duration = Duration::from_secs(60);
const LOGS: Duration = Duration::from_secs(30);
/// Until the first picture of a video is taken, and until its file is whole.
const VIDEO: Duration = Duration::from_secs(20);
const RECORD_VIDEO: &str = "io recordVideo";

/// The device is in the wanted state already.
const ALREADY: i32 = 149;
/// There was nothing to terminate.
const NOT_RUNNING: i32 = 3;
/// `xcrun` finds no such tool.
const NO_TOOL: i32 = 72;

/// Why `simctl` did not do what it was asked for.
#[derive(Clone, Debug, thiserror::Error)]
pub enum SimctlError {
    /// Xcode, or its command line tools, are not there or not chosen.
    #[error("simulators need Xcode: {0}; install it, then `sudo xcode-select -s /Applications/Xcode.app`")]
    NoXcode(String),
    #[error(transparent)]
    Process(ProcessError),
    #[error("simctl {verb} failed ({}): {reason}", code.map_or_else(|| "killed".to_owned(), |c| format!("code {c}")))]
    Failed { verb: String, code: Option<i32>, reason: String },
    #[error("simctl {verb} answered something unreadable: {reason}")]
    Unreadable { verb: &'static str, reason: String },
}

impl SimctlError {
    /// As the error of a device.
    pub fn of(self, device: &str, call: &'static str) -> DeviceError {
        let device = device.to_owned();
        match self {
            Self::NoXcode(_) => DeviceError::NotFound { selector: device, reason: self.to_string() },
            Self::Process(ProcessError::Overdue { after, .. }) => {
                DeviceError::Timeout { device, call, after }
            }
            Self::Process(error) => DeviceError::Unreachable { device, reason: error.to_string() },
            Self::Unreadable { reason, .. } => DeviceError::Malformed { device, call, reason },
            Self::Failed { .. } => DeviceError::Refused { device, call, reason: self.to_string() },
        }
    }
}

type Result<T> = std::result::Result<T, SimctlError>;

/// All simulators of this Mac.
///
/// # Errors
/// There is no Xcode, or its answer can't be read.
pub async fn list() -> Result<Vec<Simulator>> {
    let finished = run(&["list", "devices", "--json"], QUICK).await?;
    list::read(&finished.stdout)
        .map_err(|e| SimctlError::Unreadable { verb: "list devices", reason: e.to_string() })
}

/// One simulator, by its UDID.
#[derive(Clone, Debug)]
pub struct Simctl {
    udid: String,
}

impl Simctl {
    pub fn new(udid: impl Into<String>) -> Self {
        Self { udid: udid.into() }
    }

    /// Starts it and waits until it can be used; one that is booted already is well.
    ///
    /// # Errors
    /// It can't be booted, or not in time.
    pub async fn boot(&self) -> Result<()> {
        benign(run(&["boot", &self.udid], patience::BOOT / 2).await, ALREADY)?;
        run(&["bootstatus", &self.udid, "-b"], patience::BOOT / 2).await.map(drop)
    }

    /// Shuts the simulator down; one that isn't booted is no error.
    pub async fn shut_down(&self) -> Result<()> {
        benign(run(&["shutdown", &self.udid], patience::BOOT).await, ALREADY)
    }

    /// Adds a picture or a video to the photo library.
    pub async fn add_media(&self, file: &Path) -> Result<()> {
        run(&["addmedia", &self.udid, &file.display().to_string()], LOGS).await.map(drop)
    }

    /// Films the screen into a file that is not there yet, until [`finish_video`].
    ///
    /// # Errors
    /// It can't be filmed, or the file not be written.
    pub async fn record_video(&self, file: &Path, owned: Owned) -> Result<Worker> {
        let command = simctl(&["io", &self.udid, "recordVideo", "--codec=h264"]).path(file);
        let begun = Worker::start(&command, "Recording started", VIDEO, owned).await;
        begun.map_err(|error| broken_off(RECORD_VIDEO, error))
    }

    /// Grants or takes back what `simctl privacy` calls `service`.
    ///
    /// # Errors
    /// Such as a service that this Xcode doesn't know.
    pub async fn privacy(&self, service: &str, bundle_id: &str, granted: bool) -> Result<()> {
        let verb = if granted { "grant" } else { "revoke" };
        run(&["privacy", &self.udid, verb, service, bundle_id], QUICK).await.map(drop)
    }

    pub async fn set_appearance(&self, appearance: Appearance) -> Result<()> {
        run(&["ui", &self.udid, "appearance", &name_of(&appearance)], QUICK).await.map(drop)
    }

    pub async fn set_content_size(&self, size: ContentSize) -> Result<()> {
        run(&["ui", &self.udid, "content_size", &name_of(&size)], QUICK).await.map(drop)
    }

    /// The appearance and text size in force; `None` for a word that we don't know.
    pub async fn appearance(&self) -> Result<(Option<Appearance>, Option<ContentSize>)> {
        let asked = |what: &'static str| async move { run(&["ui", &self.udid, what], QUICK).await };
        let (appearance, size) = tokio::try_join!(asked("appearance"), asked("content_size"))?;
        Ok((named(appearance.text().trim()), named(size.text().trim())))
    }

    /// Puts text on the pasteboard.
    pub async fn copy(&self, text: &str) -> Result<()> {
        // without a UTF-8 locale simctl mangles what is not ASCII
        let command = simctl(&["pbcopy", &self.udid]).environment("LANG", "en_US.UTF-8").input(text);
        checked("pbcopy", command.run(QUICK).await).map(drop)
    }

    /// Ends an app; one that doesn't run is no error.
    pub async fn terminate(&self, bundle_id: &str) -> Result<()> {
        benign(run(&["terminate", &self.udid, bundle_id], QUICK).await, NOT_RUNNING)
    }

    /// Opens a link.
    pub async fn open_url(&self, url: &str) -> Result<()> {
        run(&["openurl", &self.udid, url], QUICK).await.map(drop)
    }

    /// The log of the last `seconds`, in lines.
    pub async fn log(&self, seconds: u64) -> Result<String> {
        let last = format!("{seconds}s");
        let asked = ["spawn", &self.udid, "log", "show", "--style", "compact", "--last", &last];
        run(&asked, LOGS).await.map(|finished| finished.text())
    }

    /// Takes an app away with its data and installs it again.
    ///
    /// # Errors
    /// It is not installed, or a part of the system.
    pub async fn reinstall(&self, bundle_id: &str) -> Result<()> {
        let found = run(&["get_app_container", &self.udid, bundle_id, "app"], QUICK).await?;
        let installed = found.text().trim().to_owned();
        let failed =
            |reason: String| SimctlError::Failed { verb: "reinstall".to_owned(), code: None, reason };
        let folder = tempfile::tempdir().map_err(|e| failed(e.to_string()))?;
        let name =
            Path::new(&installed).file_name().ok_or_else(|| failed(format!("no app at {installed}")))?;
        let copy = folder.path().join(name);
        let copying = Command::new("cp").arguments(["-Rp", &installed]).path(&copy);
        checked("reinstall", copying.run(INSTALL).await)?;
        run(&["uninstall", &self.udid, bundle_id], INSTALL).await?;
        let install = simctl(&["install", &self.udid]).path(&copy);
        checked("install", install.run(INSTALL).await).map(drop)
    }
}

/// Ends a video; its file is whole afterwards.
///
/// # Errors
/// Filming had ended by itself, such as with the simulator, or the file can't be finished.
pub async fn finish_video(worker: Worker) -> Result<()> {
    worker.finish(VIDEO).await.map_err(|error| broken_off(RECORD_VIDEO, error))
}

fn simctl(arguments: &[&str]) -> Command {
    Command::new("xcrun").arguments(["simctl"]).arguments(arguments.iter().copied())
}

async fn run(arguments: &[&str], deadline: Duration) -> Result<Finished> {
    checked(arguments.first().unwrap_or(&""), simctl(arguments).run(deadline).await)
}

fn checked(verb: &str, finished: std::result::Result<Finished, ProcessError>) -> Result<Finished> {
    let finished = match finished {
        Ok(finished) => finished,
        Err(error @ ProcessError::Missing(_)) => return Err(SimctlError::NoXcode(error.to_string())),
        Err(error) => return Err(SimctlError::Process(error)),
    };
    if finished.succeeded() {
        return Ok(finished);
    }
    let reason = reason_in(&finished.stderr);
    if finished.code == Some(NO_TOOL) || finished.stderr.contains("xcrun: error:") {
        return Err(SimctlError::NoXcode(reason));
    }
    let code = code_in(&finished.stderr).or(finished.code);
    Err(SimctlError::Failed { verb: verb.to_owned(), code, reason })
}

/// The failure of something that went on until it ended by itself.
fn broken_off(verb: &str, error: ProcessError) -> SimctlError {
    let finished = match error {
        ProcessError::Ended { code, stderr, .. } => Ok(Finished { code, stdout: Vec::new(), stderr }),
        error => Err(error),
    };
    let reason = "it ended before it was told to".to_owned();
    let too_early = SimctlError::Failed { verb: verb.to_owned(), code: None, reason };
    checked(verb, finished).err().unwrap_or(too_early)
}

/// A failure with this code only says that nothing was to be done. An exit code is the low byte of the error's code.
fn benign(answer: Result<Finished>, code: i32) -> Result<()> {
    match answer {
        Err(SimctlError::Failed { code: Some(found), .. }) if found & 0xff == code => Ok(()),
        answer => answer.map(drop),
    }
}

/// `N` of `(domain=…, code=N)`.
fn code_in(stderr: &str) -> Option<i32> {
    let rest = stderr.split_once("code=")?.1;
    rest[..rest.find(|c: char| !c.is_ascii_digit() && c != '-').unwrap_or(rest.len())].parse().ok()
}

/// The lines after the announcement of an error, else all.
fn reason_in(stderr: &str) -> String {
    let lines: Vec<&str> = stderr.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let from =
        lines.iter().position(|line| line.starts_with("An error was encountered")).map_or(0, |at| at + 1);
    let told = if from < lines.len() { &lines[from..] } else { &lines[..] };
    if told.is_empty() { "it gave no reason".to_owned() } else { told.join(" ") }
}

/// The word for an enum's value, as its serialised form has it.
fn name_of(value: &impl serde::Serialize) -> String {
    serde_json::to_value(value).ok().and_then(|v| v.as_str().map(str::to_owned)).unwrap_or_default()
}

fn named<T: serde::de::DeserializeOwned>(word: &str) -> Option<T> {
    serde_json::from_value(word.into()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finished(code: i32, stderr: &str) -> std::result::Result<Finished, ProcessError> {
        Ok(Finished { code: Some(code), stdout: Vec::new(), stderr: stderr.to_owned() })
    }

    #[test]
    fn a_failure_is_told_by_its_code_and_its_reason() {
        let booted = "An error was encountered processing the command \
                      (domain=com.apple.CoreSimulator.SimError, code=405):\n\
                      Unable to boot device in current state: Booted\n";
        let error = checked("boot", finished(149, booted)).unwrap_err();
        assert_eq!(
            error.to_string(),
            "simctl boot failed (code 405): Unable to boot device in current state: Booted"
        );
        assert!(benign(checked("boot", finished(149, booted)), ALREADY).is_ok());
        let plain = checked("boot", finished(149, "Unable to boot\n")).unwrap_err();
        assert_eq!(plain.to_string(), "simctl boot failed (code 149): Unable to boot");
        let tool = "xcrun: error: unable to find utility \"simctl\", not a developer tool or in PATH";
        let error = checked("boot", finished(72, tool)).unwrap_err();
        assert!(matches!(error, SimctlError::NoXcode(_)) && error.to_string().contains("xcode-select"));
    }
}
