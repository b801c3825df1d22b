//! A program that works until it is interrupted, and then finishes what it wrote, such as a video. Uses `command`,
//! `groups`, `owner`.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::process::Stdio;
use std::time::Duration;

use rustix::process::Signal;
use tokio::process::Child;
use tokio::time::{Instant, sleep, timeout};

use super::groups::{Group, is_ending};
use super::{Command, Owned, ProcessError};

/// What is read of what it says.
const SAID: usize = 16 << 10;
/// Between two looks at what it says.
const PAUSE: Duration = Duration::from_millis(20);

/// What it says goes into a file and not a pipe: who writes to a pipe that nobody holds any more is ended by it, and
/// should finish its work also when this process was killed.
#[derive(Debug)]
struct Said(File);

impl Said {
    fn text(&self) -> String {
        let mut said = vec![0; SAID];
        // at a place of its own, so that the writer's stays where it is
        let read = self.0.read_at(&mut said, 0).unwrap_or(0);
        String::from_utf8_lossy(&said[..read]).into_owned()
    }
}

/// A program at work; dropped, it is killed, but for the end of this process, which lets it finish.
#[derive(Debug)]
pub struct Worker {
    program: String,
    child: Child,
    group: Group,
    said: Said,
    owned: Owned,
}

impl Worker {
    /// Starts it, and waits until it says that its work has begun.
    ///
    /// # Errors
    /// It is not there, ends by itself, or does not begin in time; then it is killed.
    pub async fn start(
        command: &Command,
        begun: &str,
        within: Duration,
        owned: Owned,
    ) -> Result<Self, ProcessError> {
        let program = command.program.clone();
        let failed =
            |e: std::io::Error| ProcessError::Start { program: program.clone(), reason: e.to_string() };
        let said = tempfile::tempfile().map_err(failed)?;
        let mut prepared = command.prepared(Stdio::null())?;
        prepared
            .stdout(said.try_clone().map_err(failed)?)
            .stderr(said.try_clone().map_err(failed)?)
            .kill_on_drop(false);
        let child = prepared.spawn().map_err(failed)?;
        let group =
            Group::that_finishes(&child).ok_or_else(|| failed(std::io::ErrorKind::NotFound.into()))?;
        owned.record(group.id());
        let mut worker = Self { program, child, group, said: Said(said), owned };
        let end = Instant::now() + within;
        while !worker.said.text().contains(begun) {
            if worker.has_ended() {
                return Err(worker.ended().await);
            }
            if Instant::now() >= end {
                let stderr = worker.said.text();
                return Err(ProcessError::Overdue { program: worker.program.clone(), after: within, stderr });
            }
            sleep(PAUSE).await;
        }
        Ok(worker)
    }

    /// Interrupts it, and waits until it has finished.
    ///
    /// # Errors
    /// It had ended by itself before, ends with a failure, or does not end in time; then it is killed.
    pub async fn finish(mut self, within: Duration) -> Result<(), ProcessError> {
        if self.has_ended() {
            return Err(self.ended().await);
        }
        // at the end of this process all have been told already
        if !is_ending() {
            self.group.signal(Signal::INT);
        }
        match timeout(within, self.child.wait()).await {
            Ok(Ok(status)) if status.success() => {
                self.owned.forget();
                Ok(())
            }
            Ok(_) => Err(self.ended().await),
            Err(_) => Err(ProcessError::Overdue {
                program: self.program.clone(),
                after: within,
                stderr: self.said.text(),
            }),
        }
    }

    fn has_ended(&mut self) -> bool {
        !matches!(self.child.try_wait(), Ok(None))
    }

    /// The error of one that has ended, with its last words.
    async fn ended(&mut self) -> ProcessError {
        // what it wrote last may still be on its way
        sleep(PAUSE).await;
        let code = self.child.try_wait().ok().flatten().and_then(|status| status.code());
        ProcessError::Ended { program: self.program.clone(), code, stderr: self.said.text() }
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        // one that is left to finish stays on record
        if !is_ending() {
            self.owned.forget();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LONG: Duration = Duration::from_secs(20);

    async fn start(script: &str, within: Duration) -> Result<Worker, ProcessError> {
        // as every command of simdrive does; else what a shell has started in the background ignores it
        let _ = tokio::signal::unix::signal(tokio::signal::unix::SignalKind::interrupt()).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let command = Command::new("sh").arguments(["-c", script]);
        Worker::start(&command, "begun", within, Owned::new(folder.path(), "work", None)).await
    }

    #[tokio::test]
    async fn it_finishes_its_work_when_it_is_interrupted() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("work");
        let script = format!(
            "trap 'sleep 0.3; echo whole > {}; exit 0' INT; echo begun >&2; while :; do sleep 0.05; done",
            file.display()
        );
        start(&script, LONG).await.unwrap().finish(LONG).await.unwrap();
        assert_eq!(std::fs::read_to_string(file).unwrap(), "whole\n");
    }

    #[tokio::test]
    async fn one_that_ends_by_itself_or_never_begins_or_never_ends_says_so() {
        let error = start("echo no disk >&2; exit 3", LONG).await.unwrap_err();
        assert!(matches!(error, ProcessError::Ended { code: Some(3), .. }), "{error}");
        assert!(error.to_string().ends_with("it last said: no disk"), "{error}");
        let error = start("sleep 60", Duration::from_millis(200)).await.unwrap_err();
        assert!(matches!(error, ProcessError::Overdue { .. }), "{error}");
        let early = start("echo begun; sleep 0.1; echo full >&2; exit 1", LONG).await.unwrap();
        sleep(Duration::from_millis(500)).await;
        let error = early.finish(LONG).await.unwrap_err();
        assert!(matches!(error, ProcessError::Ended { code: Some(1), .. }), "{error}");
        let deaf = start("trap '' INT; echo begun; while :; do sleep 0.05; done", LONG).await.unwrap();
        let error = deaf.finish(Duration::from_millis(300)).await.unwrap_err();
        assert!(matches!(error, ProcessError::Overdue { .. }), "{error}");
    }
}
