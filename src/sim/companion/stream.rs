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

/// As `log stream --style compact` writes a line.
fn written(line: &LogLine) -> String {
    format!("{} Df {}[{}] {}\n", line.at.format("%Y-%m-%d %H:%M:%S%.3f"), line.process, line.pid, line.text)
}

/// The pid of a launched app and, where `requests` are given, its output until it ends or is stopped.
pub fn launched(
    live: Arc<Live>,
    bundle: String,
    pid: u64,
    requests: Option<Streaming<wire::LaunchRequest>>,
) -> LaunchStream {
    let debugger = wire::DebuggerInfo { pid, ..Default::default() };
    let first = wire::LaunchResponse { debugger: Some(debugger), output: None };
    let Some(requests) = requests else {
        return Box::pin(tokio_stream::once(Ok(first)));
    };
    let (sender, receiver) = mpsc::channel(8);
    tokio::spawn(async move {
        if sender.send(Ok(first)).await.is_err() {
            return;
        }
        let following = follow_output(&live, &bundle, pid, &sender);
        tokio::select! {
            () = following => {}
            () = stop_asked(requests) => {
                // an app that has ended meanwhile is well ended
                let _ = live.with(|simulator| simulator.terminate(&bundle));
            }
        }
    });
    Box::pin(ReceiverStream::new(receiver))
}

/// Sends what the app writes, until it runs no more or nobody listens.
async fn follow_output(
    live: &Live,
    bundle: &str,
    pid: u64,
    sender: &mpsc::Sender<Result<wire::LaunchResponse, Status>>,
) {
    let mut seen = 0;
    loop {
        let (text, runs) = live.with(|simulator| {
            let new = simulator.log_lines().get(seen..).unwrap_or_default();
            seen += new.len();
            let text: String =
                new.iter().filter(|line| line.pid == pid).map(|line| format!("{}\n", line.text)).collect();
            (text, simulator.apps().iter().any(|app| app.bundle_id == bundle && app.pid == Some(pid)))
        });
        if !text.is_empty() {
            let interface = wire::process_output::Interface::Stdout.into();
            let output = wire::ProcessOutput { interface, data: text.into_bytes() };
            let answer = wire::LaunchResponse { output: Some(output), debugger: None };
            if sender.send(Ok(answer)).await.is_err() {
                return;
            }
        }
        if !runs || !rest(live, sender).await {
            return;
        }
    }
}

/// Returns once a stop came; a caller that only closes its side goes on listening.
async fn stop_asked(mut requests: Streaming<wire::LaunchRequest>) {
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
