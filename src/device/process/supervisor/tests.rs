use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use async_trait::async_trait;

use super::*;

/// Patience for tests: the same steps, a twentieth of the time.
fn quick() -> Timing {
    let ms = Duration::from_millis;
    Timing {
        first_poll: ms(5),
        slowest_poll: ms(50),
        ready_within: ms(1500),
        health_every: ms(40),
        back_off: ms(10),
        tries: 3,
        // a shell that is to hear a signal may be slow on a busy machine
        ask: ms(1500),
        terminate: ms(1500),
    }
}

/// Ready once it has said so; healthy while it is told so.
struct Spoken {
    healthy: AtomicBool,
    looks: AtomicU32,
}

impl Spoken {
    fn new() -> Arc<Self> {
        Arc::new(Self { healthy: AtomicBool::new(true), looks: AtomicU32::new(0) })
    }
}

#[async_trait]
impl Service for Spoken {
    async fn ready(&self, output: &Output) -> Result<(), NotReady> {
        self.looks.fetch_add(1, Ordering::Relaxed);
        match output.lines().iter().find_map(|line| line.strip_prefix("state ")) {
            Some("ready") => Ok(()),
            Some(other) => Err(NotReady::Never(format!("it says {other}"))),
            None => Err(NotReady::Yet("it has not said so".into())),
        }
    }

    async fn healthy(&self) -> Result<(), String> {
        if self.healthy.load(Ordering::Relaxed) { Ok(()) } else { Err("deaf".into()) }
    }
}

fn start(script: &str, service: Arc<Spoken>) -> Supervisor {
    Supervisor::start("the helper", Command::new("sh").arguments(["-c", script]), service, quick(), None)
}

async fn until(supervisor: &Supervisor, wanted: impl Fn(&Status) -> bool) -> Status {
    let mut status = supervisor.status.clone();
    let seen = timeout(Duration::from_secs(20), status.wait_for(|s| wanted(s))).await;
    seen.unwrap_or_else(|_| panic!("still {:?}", supervisor.status())).unwrap().clone()
}

fn is_gone(pid: i32) -> bool {
    let pid = rustix::process::Pid::from_raw(pid).unwrap();
    rustix::process::test_kill_process(pid).is_err()
}

fn counted(folder: &Path) -> usize {
    std::fs::read_to_string(folder.join("starts")).unwrap_or_default().lines().count()
}

#[tokio::test]
async fn it_is_ready_once_it_says_so_whatever_it_said_before() {
    let service = Spoken::new();
    let noisy = "for i in 1 2 3 4 5 6 7 8; do echo noise $i; echo moan >&2; done; sleep 0.2; \
                 echo state ready; sleep 60";
    let supervisor = start(noisy, service.clone());
    assert_eq!(supervisor.status().state, State::Starting);
    supervisor.ready().await.unwrap();
    let pid = supervisor.status().pid.unwrap();
    assert!(service.looks.load(Ordering::Relaxed) > 2);
    supervisor.stop().await;
    assert_eq!(supervisor.status().state, State::Stopped);
    assert!(is_gone(pid));
}

#[tokio::test]
async fn one_that_writes_without_end_is_never_blocked() {
    let script = "head -c 3000000 /dev/zero | tr '\\0' x; head -c 3000000 /dev/zero | tr '\\0' y >&2; \
                  echo; echo state ready; sleep 60";
    start(script, Spoken::new()).ready().await.unwrap();
}

#[tokio::test]
async fn one_that_is_killed_is_started_again_and_says_why() {
    let folder = tempfile::tempdir().unwrap();
    let script =
        format!("echo x >> {}/starts; echo state ready; echo oops >&2; sleep 60", folder.path().display());
    let supervisor = start(&script, Spoken::new());
    supervisor.ready().await.unwrap();
    let first = supervisor.status().pid.unwrap();
    let pid = rustix::process::Pid::from_raw(first).unwrap();
    rustix::process::kill_process(pid, Signal::KILL).unwrap();
    let status = until(&supervisor, |s| s.restarts == 1 && s.state == State::Ready).await;
    assert_ne!(status.pid, Some(first));
    let why = status.last_error.unwrap();
    assert!(why.contains("signal: 9") && why.contains("oops"), "{why}");
    assert_eq!(counted(folder.path()), 2);
}

#[tokio::test]
async fn one_that_keeps_dying_is_given_up_after_three_more_tries() {
    let folder = tempfile::tempdir().unwrap();
    let script = format!("echo x >> {}/starts; echo Xcode is missing >&2; exit 7", folder.path().display());
    let supervisor = start(&script, Spoken::new());
    let why = supervisor.ready().await.unwrap_err();
    assert!(why.contains("exit status: 7") && why.contains("Xcode is missing"), "{why}");
    assert!(why.contains("started 4 times"), "{why}");
    assert_eq!((supervisor.status().state, counted(folder.path())), (State::Error, 4));
}

#[tokio::test]
async fn one_that_is_not_there_or_says_something_else_is_not_tried_again() {
    let missing =
        Supervisor::start("the helper", Command::new("no-such-program"), Spoken::new(), quick(), None);
    assert!(missing.ready().await.unwrap_err().contains("`no-such-program` is not on the PATH"));
    let wrong = start("echo state wrong; sleep 60", Spoken::new());
    assert!(wrong.ready().await.unwrap_err().contains("it says wrong"));
    assert_eq!((wrong.status().restarts, wrong.status().pid), (0, None));
}

#[tokio::test]
async fn one_that_never_gets_ready_is_given_up_in_time() {
    let timing = Timing { ready_within: Duration::from_millis(200), tries: 1, ..quick() };
    let command = Command::new("sh").arguments(["-c", "echo waiting for godot >&2; sleep 60"]);
    let supervisor = Supervisor::start("the helper", command, Spoken::new(), timing, None);
    let why = supervisor.ready().await.unwrap_err();
    assert!(why.contains("was not ready within 0.2 s: it has not said so"), "{why}");
    assert!(why.contains("waiting for godot"), "{why}");
}

#[tokio::test]
async fn one_that_turns_deaf_is_started_again() {
    let service = Spoken::new();
    let supervisor = start("echo state ready; sleep 60", service.clone());
    supervisor.ready().await.unwrap();
    service.healthy.store(false, Ordering::Relaxed);
    let status = until(&supervisor, |s| s.restarts == 1).await;
    assert!(status.last_error.unwrap().contains("stopped answering: deaf"));
    service.healthy.store(true, Ordering::Relaxed);
    until(&supervisor, |s| s.state == State::Ready).await;
}

/// A shell that runs a command in the background has it, and all that it starts, ignore SIGINT: no trap helps there.
fn ignores_interrupts() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let ignored = ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0);
    ignored & 0b10 != 0
}

#[tokio::test]
async fn it_is_stopped_by_the_gentlest_step_that_works() {
    let folder = tempfile::tempdir().unwrap();
    let heard = folder.path().join("heard");
    let first = if ignores_interrupts() { "TERM\n" } else { "INT\n" };
    for (trap, expected) in [
        ("trap 'echo INT >> H; exit' INT; trap 'echo TERM >> H; exit' TERM", first),
        ("trap '' INT; trap 'echo TERM >> H; exit' TERM", "TERM\n"),
        ("trap '' INT TERM", ""),
    ] {
        let _ = std::fs::remove_file(&heard);
        let trap = trap.replace('H', &heard.display().to_string());
        let script = format!("{trap}; echo state ready; while :; do sleep 0.05; done");
        let supervisor = start(&script, Spoken::new());
        supervisor.ready().await.unwrap();
        let pid = supervisor.status().pid.unwrap();
        supervisor.stop().await;
        assert_eq!(std::fs::read_to_string(&heard).unwrap_or_default(), expected, "{trap}");
        assert!(is_gone(pid), "{trap}");
    }
}

#[tokio::test]
async fn dropping_it_leaves_nothing() {
    let supervisor = start("sleep 60 & echo state ready; wait", Spoken::new());
    supervisor.ready().await.unwrap();
    let pid = supervisor.status().pid.unwrap();
    drop(supervisor);
    for _ in 0..100 {
        if is_gone(pid) {
            return;
        }
        sleep(Duration::from_millis(20)).await;
    }
    panic!("the process runs on");
}
