//! Answers that go on: the log, and the output of a launched app. Uses `live`.

use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::mpsc;
use tokio_stream::Stream;
use tokio_stream::wrappers::ReceiverStream;
use tonic::{Status, Streaming};

use crate::device::idb::protocol::companion as wire;
use crate::sim::companion::live::Live;
use crate::sim::records::LogLine;

pub type LogStream = Pin<Box<dyn Stream<Item = Result<wire::LogResponse, Status>> + Send>>;
pub type LaunchStream = Pin<Box<dyn Stream<Item = Result<wire::LaunchResponse, Status>> + Send>>;

/// How often new lines are looked for.
const POLL: Duration = Duration::from_millis(50);
/// How long a caller that has asked for a stop may take to close its side.
const CLOSING: Duration = Duration::from_secs(1);

/// The process that `log stream` is to be limited to, from its arguments.
///
/// # Errors
/// INVALID_ARGUMENT for `--process` without a name.
pub fn wanted_process(arguments: &[String]) -> Result<Option<String>, Status> {
    let Some(place) = arguments.iter().position(|argument| argument == "--process") else {
        return Ok(None);
    };
    let name = arguments.get(place + 1).cloned();
    name.map(Some).ok_or_else(|| Status::invalid_argument("--process needs a name or an id"))
}

/// All lines since the simulator's start, then every new one, until the caller goes away.
pub fn log(live: Arc<Live>, process: Option<String>) -> LogStream {
    let (sender, receiver) = mpsc::channel(8);
    tokio::spawn(async move {
        let mut seen = 0;
        loop {
            let wanted = |line: &&LogLine| match &process {
                Some(p) => *p == line.process || *p == line.pid.to_string(),
                None => true,
            };
            let text: String = live.with(|simulator| {
                let new = simulator.log_lines().get(seen..).unwrap_or_default();
                seen += new.len();
                new.iter().filter(wanted).map(written).collect()
            });
            if !text.is_empty()
                && sender.send(Ok(wire::LogResponse { output: text.into_bytes() })).await.is_err()
            {
                return;
            }
            if !rest(&live, &sender).await {
                return;
            }
        }
    });
    Box::pin(ReceiverStream::new(receiver))
}

/// As `log stream --style compact` writes a line, in local time.
fn written(line: &LogLine) -> String {
    let at = line.at.with_timezone(&chrono::Local).format("%Y-%m-%d %H:%M:%S%.3f");
    format!("{at} Df {}[{}] {}\n", line.process, line.pid, line.text)
}

/// The pid of a launched app and, where `requests` are given, its output until that is stopped.
///
/// The answer outlives an app that ends by itself: it ends after the requests do, because clients take an
/// answer that ends first for a broken call.
pub fn launched(
    live: Arc<Live>,
    bundle: String,
    pid: u64,
    requests: Option<Streaming<wire::LaunchRequest>>,
) -> LaunchStream {
    let debugger = wire::DebuggerInfo { pid, ..Default::default() };
    let first = wire::LaunchResponse { debugger: Some(debugger), output: None };
    let Some(mut requests) = requests else {
        return Box::pin(tokio_stream::once(Ok(first)));
    };
    let (sender, receiver) = mpsc::channel(8);
    tokio::spawn(async move {
        let mut output = Output { live: &live, pid, seen: 0, sender: &sender };
        if sender.send(Ok(first)).await.is_err() {
            return;
        }
        tokio::select! {
            () = output.follow() => return,
            () = stop_asked(&mut requests) => {}
        }
        // an app that has ended meanwhile is well ended
        let _ = live.with(|simulator| simulator.terminate(&bundle));
        if output.send_new().await {
            let _ =
                tokio::time::timeout(CLOSING, async { while let Ok(Some(_)) = requests.message().await {} })
                    .await;
        }
    });
    Box::pin(ReceiverStream::new(receiver))
}

/// What one process writes, from its start.
struct Output<'a> {
    live: &'a Live,
    pid: u64,
    seen: usize,
    sender: &'a mpsc::Sender<Result<wire::LaunchResponse, Status>>,
}

impl Output<'_> {
    /// Sends what comes until nobody listens.
    async fn follow(&mut self) {
        while self.send_new().await && rest(self.live, self.sender).await {}
    }

    /// Sends what is new; false where nobody listens.
    async fn send_new(&mut self) -> bool {
        let text = self.live.with(|simulator| {
            let new = simulator.log_lines().get(self.seen..).unwrap_or_default();
            self.seen += new.len();
            let own = new.iter().filter(|line| line.pid == self.pid);
            own.map(|line| format!("{}\n", line.text)).collect::<String>()
        });
        if text.is_empty() {
            return true;
        }
        let interface = wire::process_output::Interface::Stdout.into();
        let output = wire::ProcessOutput { interface, data: text.into_bytes() };
        self.sender.send(Ok(wire::LaunchResponse { output: Some(output), debugger: None })).await.is_ok()
    }
}

/// Returns once a stop came; a caller that only closes its side goes on listening.
async fn stop_asked(requests: &mut Streaming<wire::LaunchRequest>) {
    loop {
        match requests.message().await {
            Ok(Some(wire::LaunchRequest { control: Some(wire::launch_request::Control::Stop(_)) })) => return,
            Ok(Some(_)) => {}
            Ok(None) | Err(_) => std::future::pending().await,
        }
    }
}

/// Waits until it is time to look again; false where nobody listens any more or the companion stops.
async fn rest<T>(live: &Live, sender: &mpsc::Sender<T>) -> bool {
    tokio::select! {
        () = tokio::time::sleep(POLL) => true,
        () = sender.closed() => false,
        () = live.stopped().cancelled() => false,
    }
}
