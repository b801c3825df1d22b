//! A process that is kept running: started, watched, started again, stopped in steps. Uses the rest of this folder.

use std::process::{ExitStatus, Stdio};
use std::sync::Arc;
use std::time::Duration;

use rustix::process::Signal;
use serde::Serialize;
use tokio::process::Child;
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep, timeout};
use tokio_util::sync::CancellationToken;

use super::groups::{Group, is_ending};
use super::tail::Tail;
use super::{Command, NotReady, Output, Owned, Service};

/// What is kept of what it writes.
const KEPT: usize = 64 << 10;
/// Lines of it that an error repeats.
const LAST_WORDS: usize = 10;
/// So many health checks in a row must fail: a machine may be busy for a moment.
const MISSED: u32 = 2;

/// How patient a supervisor is (design.md section 2).
#[derive(Clone, Copy, Debug)]
pub struct Timing {
    /// Between two looks whether it is ready; doubled up to `slowest_poll`.
    pub first_poll: Duration,
    pub slowest_poll: Duration,
    pub ready_within: Duration,
    pub health_every: Duration,
    /// Before it is started again; doubled each time.
    pub back_off: Duration,
    /// How often it is started again before it is given up.
    pub tries: u32,
    /// From asking it to end (SIGINT) to SIGTERM.
    pub ask: Duration,
    /// From SIGTERM to SIGKILL.
    pub terminate: Duration,
}

impl Default for Timing {
    fn default() -> Self {
        Self {
            first_poll: Duration::from_millis(100),
            slowest_poll: Duration::from_secs(1),
            ready_within: Duration::from_secs(60),
            health_every: Duration::from_secs(5),
            back_off: Duration::from_millis(500),
            tries: 3,
            ask: Duration::from_secs(5),
            terminate: Duration::from_secs(2),
        }
    }
}

/// Where a supervised process is in its life.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum State {
    Starting,
    Ready,
    /// It ended, or stopped answering, and is about to be started again.
    Restarting,
    /// It was given up; `last_error` says why.
    Error,
    Stopped,
}

/// What a supervisor tells of its process.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Status {
    /// What is kept running.
    pub name: String,
    pub state: State,
    pub pid: Option<i32>,
    pub restarts: u32,
    pub last_error: Option<String>,
}

/// Keeps a process running until it is stopped or dropped; then nothing of it is left.
pub struct Supervisor {
    name: String,
    status: watch::Receiver<Status>,
    stop: CancellationToken,
    task: std::sync::Mutex<Option<JoinHandle<()>>>,
}

/// What ended a time of service.
enum End {
    Stop,
    /// It died, was deaf, or never came; why.
    Broken(String),
    Never(String),
}

struct Keeper {
    name: String,
    command: Command,
    service: Arc<dyn Service>,
    timing: Timing,
    status: watch::Sender<Status>,
    stop: CancellationToken,
    owned: Option<Owned>,
}

impl Supervisor {
    /// Starts it. `name` is used in messages; `owned` records whose it is for a later run.
    pub fn start(
        name: impl Into<String>,
        command: Command,
        service: Arc<dyn Service>,
        timing: Timing,
        owned: Option<Owned>,
    ) -> Self {
        let (name, stop) = (name.into(), CancellationToken::new());
        let first =
            Status { name: name.clone(), state: State::Starting, pid: None, restarts: 0, last_error: None };
        let (sender, status) = watch::channel(first);
        let keeper = Keeper {
            name: name.clone(),
            command,
            service,
            timing,
            status: sender,
            stop: stop.clone(),
            owned,
        };
        let task = tokio::spawn(keeper.keep());
        Self { name, status, stop, task: std::sync::Mutex::new(Some(task)) }
    }

    pub fn status(&self) -> Status {
        self.status.borrow().clone()
    }

    /// Waits until it can be used.
    ///
    /// # Errors
    /// It was given up or stopped; in words, with what it last said.
    pub async fn ready(&self) -> Result<(), String> {
        let mut status = self.status.clone();
        let settled = status.wait_for(|s| !matches!(s.state, State::Starting | State::Restarting)).await;
        match settled {
            Ok(status) if status.state == State::Ready => Ok(()),
            Ok(status) => Err(match &status.last_error {
                Some(reason) => reason.clone(),
                None => format!("{} was stopped", self.name),
            }),
            Err(_) => Err(format!("{} is no longer watched", self.name)),
        }
    }

    /// Asks it to end, terminates it after 5 s, kills it after 2 s more, and returns once it is gone.
    pub async fn stop(&self) {
        self.stop.cancel();
        let task = self.task.lock().ok().and_then(|mut task| task.take());
        if let Some(task) = task {
            // it can only have panicked, and then its group was killed
            let _ = task.await;
        }
    }
}

impl Drop for Supervisor {
    fn drop(&mut self) {
        // the task owns the group, which is killed with it
        if let Ok(mut task) = self.task.lock()
            && let Some(task) = task.take()
        {
            task.abort();
        }
    }
}

impl Keeper {
    async fn keep(mut self) {
        let mut pause = self.timing.back_off;
        loop {
            let reason = match self.serve().await {
                End::Stop => break self.tell(State::Stopped, None),
                End::Never(reason) => break self.tell(State::Error, Some(reason)),
                End::Broken(reason) => reason,
            };
            tracing::warn!("{}: {reason}", self.name);
            let restarts = self.status.borrow().restarts;
            if is_ending() {
                break self.tell(State::Stopped, Some(reason));
            }
            if restarts >= self.timing.tries {
                let gave_up = format!("{reason}\n(started {} times)", restarts + 1);
                break self.tell(State::Error, Some(gave_up));
            }
            self.tell(State::Restarting, Some(reason));
            self.status.send_modify(|status| status.restarts += 1);
            tokio::select! {
                () = sleep(pause) => pause *= 2,
                () = self.stop.cancelled() => break self.tell(State::Stopped, None),
            }
        }
    }

    /// One life of the process, from start to end.
    async fn serve(&mut self) -> End {
        let mut child = match self.command.spawn(Stdio::null()) {
            Ok(child) => child,
            Err(error) => return End::Never(error.to_string()),
        };
        let Some(group) = Group::of(&child) else {
            return End::Broken(format!("{} ended at once", self.name));
        };
        self.status.send_modify(|status| status.pid = Some(group.id()));
        if let Some(owned) = &self.owned {
            owned.record(group.id());
        }
        let output = Output { stdout: Tail::new(KEPT), stderr: Tail::new(KEPT) };
        let pipes = tokio::spawn(drain(&mut child, &output));
        let stop = self.stop.clone();
        let end = tokio::select! {
            () = stop.cancelled() => End::Stop,
            end = self.watch(&mut child, &output) => end,
        };
        if matches!(end, End::Stop) {
            stop_in_steps(&mut child, &group, self.timing).await;
        }
        drop(group);
        // killed or ended by now; reaped, so that no zombie is left
        let _ = child.wait().await;
        pipes.abort();
        if let Some(owned) = &self.owned {
            owned.forget();
        }
        self.status.send_modify(|status| status.pid = None);
        end
    }

    async fn watch(&self, child: &mut Child, output: &Output) -> End {
        let in_time = self.until_ready(output);
        tokio::select! {
            died = child.wait() => return self.stillborn(died, output).await,
            ready = in_time => if let Err(end) = ready { return end },
        }
        self.tell(State::Ready, None);
        tokio::select! {
            died = child.wait() => End::Broken(self.obituary(died, output).await),
            deaf = self.until_deaf() => End::Broken(deaf),
        }
    }

    async fn until_ready(&self, output: &Output) -> Result<(), End> {
        let end = Instant::now() + self.timing.ready_within;
        let mut pause = self.timing.first_poll;
        loop {
            let why = match timeout(self.timing.ready_within, self.service.ready(output)).await {
                Ok(Ok(())) => return Ok(()),
                Ok(Err(NotReady::Never(why))) => return Err(End::Never(self.with_words(&why, output))),
                Ok(Err(NotReady::Yet(why))) => why,
                Err(_) => "it does not answer".to_owned(),
            };
            if Instant::now() + pause > end {
                let within = self.timing.ready_within.as_secs_f64();
                let why = format!("{} was not ready within {within} s: {why}", self.name);
                return Err(End::Broken(self.with_words(&why, output)));
            }
            sleep(pause).await;
            pause = (pause * 2).min(self.timing.slowest_poll);
        }
    }

    async fn until_deaf(&self) -> String {
        let mut missed = 0;
        loop {
            sleep(self.timing.health_every).await;
            missed = match self.service.healthy().await {
                Ok(()) => 0,
                Err(why) if missed + 1 >= MISSED => return format!("{} stopped answering: {why}", self.name),
                Err(_) => missed + 1,
            };
        }
    }

    /// It ended before it was ready.
    async fn stillborn(&self, died: std::io::Result<ExitStatus>, output: &Output) -> End {
        let obituary = self.obituary(died, output).await;
        match self.service.hopeless(output) {
            Some(why) => End::Never(self.with_words(&why, output)),
            None => End::Broken(obituary),
        }
    }

    async fn obituary(&self, died: std::io::Result<ExitStatus>, output: &Output) -> String {
        // its last words may still be in the pipe
        sleep(Duration::from_millis(20)).await;
        let how = match died {
            Ok(status) => status.to_string(),
            Err(e) => e.to_string(),
        };
        self.with_words(&format!("{} ended ({how})", self.name), output)
    }

    fn with_words(&self, what: &str, output: &Output) -> String {
        let words = output.last_words(LAST_WORDS);
        if words.is_empty() { what.to_owned() } else { format!("{what}; it last said:\n{words}") }
    }

    fn tell(&self, state: State, error: Option<String>) {
        self.status.send_modify(|status| {
            status.state = state;
            if error.is_some() {
                status.last_error = error;
            }
        });
    }
}

fn drain(child: &mut Child, output: &Output) -> impl Future<Output = ()> + Send + use<> {
    let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
    let Output { stdout: out, stderr: err } = output.clone();
    async move {
        let read = async {
            if let Some(pipe) = stdout {
                out.drain(pipe).await;
            }
        };
        let read_errors = async {
            if let Some(pipe) = stderr {
                err.drain(pipe).await;
            }
        };
        tokio::join!(read, read_errors);
    }
}

/// Every step goes to the whole group. Where this process is ending it is told at once, and killed soon.
async fn stop_in_steps(child: &mut Child, group: &Group, timing: Timing) {
    let quick = [(Signal::TERM, Duration::from_millis(700))];
    let orderly = [(Signal::INT, timing.ask), (Signal::TERM, timing.terminate)];
    let steps: &[_] = if is_ending() { &quick } else { &orderly };
    for (signal, patience) in steps {
        group.signal(*signal);
        if timeout(*patience, child.wait()).await.is_ok() {
            return;
        }
    }
}

#[cfg(test)]
mod tests;
