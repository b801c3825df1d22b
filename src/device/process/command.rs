//! A program, its arguments and environment; run once with a deadline. Uses `groups` and `tail`.

use std::ffi::OsString;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use tokio::io::AsyncWriteExt;
use tokio::time::timeout;

use super::groups::Group;
use super::tail::Tail;
use super::{ProcessError, find};

/// The most that is kept of what a command writes: a screenshot of the largest screen fits many times.
const OUTPUT: usize = 64 << 20;
const ERRORS: usize = 64 << 10;
/// Once a command has ended, what it started may hold its pipes open only so long.
const PIPES: Duration = Duration::from_millis(500);

/// What is to be run. Arguments go as they are: no shell reads them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Command {
    pub program: String,
    pub arguments: Vec<OsString>,
    /// Added to the environment of this process.
    pub environment: Vec<(String, String)>,
    /// For its standard input, which is empty otherwise.
    pub input: Vec<u8>,
}

/// A command that has ended by itself.
#[derive(Clone, Debug)]
pub struct Finished {
    /// `None` where a signal ended it.
    pub code: Option<i32>,
    pub stdout: Vec<u8>,
    pub stderr: String,
}

impl Finished {
    pub fn succeeded(&self) -> bool {
        self.code == Some(0)
    }

    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.stdout).into_owned()
    }
}

impl Command {
    pub fn new(program: impl Into<String>) -> Self {
        Self { program: program.into(), arguments: Vec::new(), environment: Vec::new(), input: Vec::new() }
    }

    pub fn arguments(mut self, arguments: impl IntoIterator<Item = impl Into<OsString>>) -> Self {
        self.arguments.extend(arguments.into_iter().map(Into::into));
        self
    }

    pub fn path(mut self, path: &Path) -> Self {
        self.arguments.push(path.into());
        self
    }

    pub fn environment(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.environment.push((name.into(), value.into()));
        self
    }

    pub fn input(mut self, input: impl Into<Vec<u8>>) -> Self {
        self.input = input.into();
        self
    }

    /// Runs it to its end. Where that doesn't come in time, or nobody waits any longer, its group is killed.
    ///
    /// # Errors
    /// It is not there, can't be started, or takes too long. An exit code is no error here.
    pub async fn run(&self, deadline: Duration) -> Result<Finished, ProcessError> {
        let mut child = self.spawn(Stdio::piped())?;
        let group = Group::of(&child);
        let (out, err) = (Tail::new(OUTPUT), Tail::new(ERRORS));
        let pipes = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let (input, stdout, stderr) = (self.input.clone(), out.clone(), err.clone());
        let mut moving = tokio::spawn(async move {
            let (stdin, from_out, from_err) = pipes;
            let feed = async {
                if let Some(mut stdin) = stdin {
                    // a program that does not want it closes the pipe
                    let _ = stdin.write_all(&input).await;
                }
            };
            let read = async {
                if let Some(pipe) = from_out {
                    stdout.drain(pipe).await;
                }
            };
            let read_errors = async {
                if let Some(pipe) = from_err {
                    stderr.drain(pipe).await;
                }
            };
            tokio::join!(feed, read, read_errors);
        });
        let waited = timeout(deadline, child.wait()).await;
        if waited.is_ok() {
            // the task ends with its pipes, or is given up below
            let _ = timeout(PIPES, &mut moving).await;
        }
        moving.abort();
        drop(group);
        match waited {
            Ok(Ok(status)) => Ok(Finished { code: status.code(), stdout: out.bytes(), stderr: err.text() }),
            Ok(Err(e)) => Err(ProcessError::Start { program: self.program.clone(), reason: e.to_string() }),
            Err(_) => {
                // reaped here, so that no zombie is left
                let _ = child.wait().await;
                let program = self.program.clone();
                Err(ProcessError::Overdue { program, after: deadline, stderr: err.text() })
            }
        }
    }

    /// Starts it as the leader of a process group of its own.
    pub(super) fn spawn(&self, stdin: Stdio) -> Result<tokio::process::Child, ProcessError> {
        let spawned = self.prepared(stdin)?.kill_on_drop(true).spawn();
        spawned.map_err(|e| ProcessError::Start { program: self.program.clone(), reason: e.to_string() })
    }

    /// What is to be started so.
    pub(super) fn prepared(&self, stdin: Stdio) -> Result<tokio::process::Command, ProcessError> {
        let program = find(&self.program).ok_or_else(|| ProcessError::Missing(self.program.clone()))?;
        let mut command = tokio::process::Command::new(program);
        command
            .args(&self.arguments)
            .envs(self.environment.iter().map(|(name, value)| (name, value)))
            .stdin(stdin)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .process_group(0);
        Ok(command)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::*;

    const LONG: Duration = Duration::from_secs(20);

    fn sh(script: &str) -> Command {
        Command::new("sh").arguments(["-c", script])
    }

    #[tokio::test]
    async fn arguments_arrive_as_they_are_and_the_answer_comes_back() {
        let odd = ["a b", "$HOME", "; rm", "\"quoted\"", "*"];
        let echo = sh("printf '%s\\n' \"$@\"; echo noise >&2; exit 3").arguments(["sh"]).arguments(odd);
        let finished = echo.run(LONG).await.unwrap();
        assert_eq!(finished.text().lines().collect::<Vec<_>>(), odd);
        assert_eq!((finished.code, finished.stderr.as_str()), (Some(3), "noise\n"));
        let cat = Command::new("cat").input("é\n".repeat(100_000)).run(LONG).await.unwrap();
        assert_eq!(cat.stdout.len(), 300_000);
        let env = sh("echo $WORD").environment("WORD", "yes").run(LONG).await.unwrap();
        assert_eq!(env.text(), "yes\n");
    }

    #[tokio::test]
    async fn what_takes_too_long_ends_with_all_that_it_started() {
        let folder = tempfile::tempdir().unwrap();
        let pid = folder.path().join("pid");
        let script = format!("sleep 60 & echo $! > {}; echo still busy >&2; wait", pid.display());
        let error = sh(&script).run(Duration::from_millis(400)).await.unwrap_err();
        assert!(error.to_string().ends_with("it last said: still busy"), "{error}");
        let grandchild: i32 = std::fs::read_to_string(pid).unwrap().trim().parse().unwrap();
        let grandchild = rustix::process::Pid::from_raw(grandchild).unwrap();
        // whoever reaps orphans here may take a moment
        for _ in 0..100 {
            if !is_running(grandchild) {
                return;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        panic!("the grandchild runs on");
    }

    fn is_running(pid: rustix::process::Pid) -> bool {
        let state = std::process::Command::new("ps")
            .args(["-o", "stat=", "-p", &pid.as_raw_nonzero().to_string()])
            .output()
            .unwrap();
        let state = String::from_utf8(state.stdout).unwrap();
        !state.trim().is_empty() && !state.trim().starts_with('Z')
    }

    #[tokio::test]
    async fn a_pipe_that_a_grandchild_holds_open_delays_no_answer() {
        let started = Instant::now();
        let finished = sh("sleep 30 & echo done").run(LONG).await.unwrap();
        assert_eq!(finished.text(), "done\n");
        assert!(started.elapsed() < Duration::from_secs(10));
    }

    #[tokio::test]
    async fn a_program_that_is_not_there_is_named() {
        let error = Command::new("no-such-program").run(LONG).await.unwrap_err();
        assert!(matches!(error, ProcessError::Missing(ref name) if name == "no-such-program"));
        let folder = tempfile::tempdir().unwrap();
        let error = Command::new(folder.path().display().to_string()).run(LONG).await.unwrap_err();
        assert!(matches!(error, ProcessError::Missing(_)), "{error}");
    }
}
