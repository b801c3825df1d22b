//! A whole run: recordings by devices, side by side, with retries; every event goes to every reporter.
//! Uses the runner, `selection` and `start`.

use std::collections::{BTreeMap, HashMap};
use std::io;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use tokio::sync::Semaphore;
use tokio::task::JoinSet;

use super::events::{Event, Reporter};
use super::options::{OnDrift, ReplayOptions};
use super::outcome::{RecordingReport, RecordingVerdict, RunReport, StepVerdict};
use super::report::Folder;
use super::runner::{Attempt, Runner};
use super::selection::Chosen;
use super::stage::Refusal;
use super::start::start;
use crate::code::ErrorCode;
use crate::device::Selector;
use crate::exit::Exit;
use crate::recording::{Loaded, Pending, validate};

/// How a run goes about its recordings.
#[derive(Clone, Debug, Default)]
pub struct RunOptions {
    pub replay: ReplayOptions,
    /// Each recording is replayed on each of these; on its own device where none is named.
    pub devices: Vec<String>,
    /// Recordings that run side by side; at least 1.
    pub workers: usize,
    /// How often a recording that did not pass is tried again, in a fresh session.
    pub retries: u32,
    pub fail_fast: bool,
    /// Where pictures of what drifted are written, a folder for each recording.
    pub report: Option<PathBuf>,
}

/// Replays what was chosen.
///
/// # Errors
/// A reporter could not write; what was replayed until then is lost with it.
pub async fn run(
    chosen: Vec<Chosen>,
    options: RunOptions,
    reporters: Vec<Box<dyn Reporter>>,
) -> io::Result<RunReport> {
    let begun = Instant::now();
    let jobs = jobs(chosen, &options.devices);
    let crew = Arc::new(Crew {
        slots: Semaphore::new(options.workers.max(1)),
        devices: devices(&jobs),
        failed: AtomicBool::new(false),
        audience: Audience { reporters: Mutex::new(reporters), error: Mutex::new(None) },
        options,
    });
    let steps = jobs.iter().map(Job::steps).sum();
    crew.audience.tell(&Event::RunStarted { recordings: jobs.len(), steps });
    let mut under_way = JoinSet::new();
    for (run, job) in jobs.into_iter().enumerate() {
        let crew = crew.clone();
        under_way.spawn(async move { (run, crew.replay(run, job).await) });
    }
    let mut reports = Vec::new();
    while let Some(done) = under_way.join_next().await {
        reports.push(done.map_err(|e| io::Error::other(format!("a replay was broken off: {e}")))?);
    }
    reports.sort_by_key(|(run, _)| *run);
    let reports = reports.into_iter().map(|(_, report)| report).collect();
    let report = Arc::new(RunReport::new(reports, millis(begun)));
    crew.audience.tell(&Event::RunFinished { report: report.clone() });
    match crew.audience.take_error() {
        Some(error) => Err(error),
        None => Ok(Arc::unwrap_or_clone(report)),
    }
}

/// One recording on one device.
struct Job {
    chosen: Arc<Chosen>,
    device: String,
}

impl Job {
    fn steps(&self) -> usize {
        self.chosen.loaded.as_ref().map_or(0, |loaded| loaded.recording.steps.len())
    }
}

fn jobs(chosen: Vec<Chosen>, devices: &[String]) -> Vec<Job> {
    let on = |chosen: Chosen| {
        let chosen = Arc::new(chosen);
        let own = chosen.loaded.as_ref().map(|l| l.recording.device.selector.clone()).unwrap_or_default();
        let devices = if devices.is_empty() { vec![own] } else { devices.to_vec() };
        devices.into_iter().map(move |device| Job { chosen: chosen.clone(), device })
    };
    chosen.into_iter().flat_map(on).collect()
}

/// In a fresh session; where each recording gets one of its own, a lost one may be had elsewhere, as at a Grid whose
/// node died.
fn may_be_tried_again(verdict: RecordingVerdict, device: &str) -> bool {
    match verdict {
        RecordingVerdict::Drifted | RecordingVerdict::Failed => true,
        RecordingVerdict::NoDevice => gives_each_its_own(device),
        _ => false,
    }
}

/// How a report tells of a device that was lost, after which the recording is tried again.
fn tried_again(report: &RecordingReport) -> String {
    let why = report.message.as_deref().unwrap_or("it says no more");
    let at = report.failing_step().map(|step| format!(" at step {}", step.step)).unwrap_or_default();
    format!("attempt {} lost its device{at}, and it was tried again in a new session: {why}", report.attempts)
}

fn gives_each_its_own(device: &str) -> bool {
    device.parse::<Selector>().is_ok_and(|selector| selector.gives_each_its_own())
}

/// A device that is not started for the recording alone serves one at a time.
fn devices(jobs: &[Job]) -> HashMap<String, tokio::sync::Mutex<()>> {
    let is_shared = |job: &&Job| !gives_each_its_own(&job.device);
    let shared = jobs.iter().filter(is_shared);
    shared.map(|job| (job.device.clone(), tokio::sync::Mutex::new(()))).collect()
}

/// What all recordings of a run share.
struct Crew {
    options: RunOptions,
    slots: Semaphore,
    devices: HashMap<String, tokio::sync::Mutex<()>>,
    failed: AtomicBool,
    audience: Audience,
}

impl Crew {
    async fn replay(&self, run: usize, job: Job) -> RecordingReport {
        let _device = match self.devices.get(&job.device) {
            Some(device) => Some(device.lock().await),
            None => None,
        };
        // never closed, so it is always had
        let _slot = self.slots.acquire().await;
        let begun = Instant::now();
        let mut report = self.attempts(run, &job).await;
        report.duration_ms = millis(begun);
        if report.exit() != Exit::Success {
            self.failed.store(true, Ordering::Release);
        }
        self.audience.tell(&Event::RecordingFinished { run, recording: Arc::new(report.clone()) });
        report
    }

    async fn attempts(&self, run: usize, job: &Job) -> RecordingReport {
        let mut report = blank(job);
        let loaded = match &job.chosen.loaded {
            Ok(loaded) => loaded,
            Err(e) => return with(report, RecordingVerdict::Invalid, e.code(), e.to_string()),
        };
        if self.options.fail_fast && self.failed.load(Ordering::Acquire) {
            let message = "an earlier recording failed".to_owned();
            return RecordingReport { message: Some(message), ..report };
        }
        let folder = loaded.dir.clone();
        let begun = Instant::now();
        let checked = tokio::task::spawn_blocking(move || validate(&folder)).await.unwrap_or_default();
        report.own_ms = millis(begun);
        if let Some(error) = checked.errors.first() {
            return with(report, RecordingVerdict::Invalid, error.code, error.message.clone());
        }
        report.warnings = checked.warnings.into_iter().map(|w| w.message).collect();
        let unset = checked.needs.iter().find(|name| self.options.replay.variables.get(name).is_none());
        if let Some(name) = unset {
            let message = format!(
                "it needs `{name}`, which is not set; give --var {name}=VALUE or set the environment variable"
            );
            return with(report, RecordingVerdict::Invalid, ErrorCode::SecretUnset, message);
        }
        let (steps, from) = (loaded.recording.steps.len(), self.options.replay.resume_from);
        if !(1..=steps.max(1)).contains(&from) {
            let message = format!("it can't go on from step {from}: it has steps 1 to {steps}");
            return with(report, RecordingVerdict::Invalid, ErrorCode::InvalidArgument, message);
        }
        let (mut failed_before, mut losses) = (BTreeMap::new(), 0);
        for attempt in 1..=self.options.retries + 1 {
            report.attempts = attempt;
            self.attempt(run, job, loaded, &failed_before, &mut report).await;
            if attempt > self.options.retries || !may_be_tried_again(report.verdict, &job.device) {
                break;
            }
            if report.verdict == RecordingVerdict::NoDevice {
                losses += 1;
                report.warnings.push(tried_again(&report));
            } else if let Some(step) = report.failing_step() {
                failed_before.insert(step.step, step.reason().unwrap_or_default());
            }
        }
        if report.verdict == RecordingVerdict::Passed && report.attempts > 1 {
            report.verdict = RecordingVerdict::Flaky;
            let mut causes: Vec<String> = failed_before.keys().map(|step| format!("step {step}")).collect();
            if losses > 0 {
                causes.push("a device that was lost".to_owned());
            }
            let cause = causes.join(", ");
            report.message =
                Some(format!("it passed at attempt {} only, because of {cause}", report.attempts));
        }
        report
    }

    /// One attempt in a fresh session; what it came to replaces what the one before came to.
    async fn attempt(
        &self,
        run: usize,
        job: &Job,
        loaded: &Loaded,
        failed_before: &BTreeMap<usize, String>,
        report: &mut RecordingReport,
    ) {
        let name = report.name.clone();
        let attempt = report.attempts;
        self.audience.tell(&Event::RecordingStarted {
            run,
            name: name.clone(),
            path: report.path.clone(),
            device: job.device.clone(),
            steps: loaded.recording.steps.len(),
            attempt,
        });
        (report.code, report.message) = (None, None);
        report.steps.clear();
        let session = match start(loaded, &job.device, &self.options.replay.variables).await {
            Ok(session) => session,
            Err(refusal) => return refuse(report, refusal),
        };
        report.device = session.description().selector.clone();
        let options = ReplayOptions {
            pictures: self.options.report.as_ref().map(|dir| Folder::pictures(dir, run, &name)),
            ..self.options.replay.clone()
        };
        let mut stage = session.clone();
        let other_kind = session.description().kind != loaded.recording.device.kind;
        let runner = Runner::new(loaded, &options, other_kind, &mut stage).after(failed_before.clone());
        let told = |step: &super::outcome::StepReport| {
            let step = Arc::new(step.clone());
            self.audience.tell(&Event::StepFinished { run, name: name.clone(), attempt, step });
        };
        let outcome = runner.run(told).await;
        if let Err(e) = session.end(true).await {
            report.warnings.push(format!("the session did not end well: {e}"));
        }
        conclude(report, outcome, &options);
    }
}

/// What one attempt means for its recording.
fn conclude(report: &mut RecordingReport, attempt: Attempt, options: &ReplayOptions) {
    report.own_ms += u64::try_from(attempt.own_time.as_millis()).unwrap_or(u64::MAX);
    report.steps = attempt.steps;
    if options.update {
        match keep(&attempt.pending) {
            Ok(Some(note)) => report.warnings.push(note),
            Ok(None) => {}
            Err(e) => report.warnings.push(format!("the proposals were not written: {e}")),
        }
    }
    let ungated = report.steps.iter().filter(|step| step.verdict == StepVerdict::Ungated).count();
    if options.other_screens && ungated > 0 {
        let of = report.steps.len();
        report.warnings.push(format!("{ungated} of {of} steps were checked by their targets alone"));
    }
    let any = |verdict| report.steps.iter().any(|s| s.verdict == verdict);
    report.verdict = if any(StepVerdict::Missing) || any(StepVerdict::Failed) {
        RecordingVerdict::Failed
    } else if any(StepVerdict::Drifted) {
        RecordingVerdict::Drifted
    } else {
        RecordingVerdict::Passed
    };
    report.forced = report.verdict == RecordingVerdict::Drifted && options.on_drift == OnDrift::Force;
    if let Some(refusal) = attempt.refusal {
        refuse(report, refusal);
    } else if let Some(step) = report.failing_step() {
        let message = format!("step {}: {}", step.step, step.reason().unwrap_or_default());
        (report.code, report.message) = (step.code, Some(message));
    }
}

/// Writes what a reviewer may accept.
fn keep(pending: &Pending) -> crate::recording::Result<Option<String>> {
    pending.save()?;
    let count = pending.changes.len();
    Ok((count > 0)
        .then(|| format!("{count} changes are proposed; `simdrive review` accepts or rejects them")))
}

fn refuse(report: &mut RecordingReport, refusal: Refusal) {
    report.verdict = match refusal.code {
        ErrorCode::DeviceNotFound | ErrorCode::DeviceUnreachable | ErrorCode::DeviceBusy => {
            RecordingVerdict::NoDevice
        }
        ErrorCode::InvalidArgument | ErrorCode::RecordingInvalid | ErrorCode::SecretUnset => {
            RecordingVerdict::Invalid
        }
        _ => RecordingVerdict::Failed,
    };
    (report.code, report.message) = (Some(refusal.code), Some(refusal.message));
}

fn with(
    report: RecordingReport,
    verdict: RecordingVerdict,
    code: ErrorCode,
    message: String,
) -> RecordingReport {
    RecordingReport { verdict, code: Some(code), message: Some(message), ..report }
}

fn blank(job: &Job) -> RecordingReport {
    let folder = std::path::absolute(&job.chosen.path).unwrap_or_else(|_| job.chosen.path.clone());
    RecordingReport {
        name: folder.file_name().unwrap_or_default().to_string_lossy().into_owned(),
        path: folder,
        device: job.device.clone(),
        verdict: RecordingVerdict::NotRun,
        code: None,
        message: None,
        forced: false,
        attempts: 0,
        steps: Vec::new(),
        warnings: Vec::new(),
        duration_ms: 0,
        own_ms: 0,
    }
}

/// The reporters, and the first of their errors.
struct Audience {
    reporters: Mutex<Vec<Box<dyn Reporter>>>,
    error: Mutex<Option<io::Error>>,
}

impl Audience {
    fn tell(&self, event: &Event) {
        let mut reporters = self.reporters.lock().unwrap_or_else(PoisonError::into_inner);
        for reporter in reporters.iter_mut() {
            if let Err(e) = reporter.tell(event) {
                self.error.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(e);
            }
        }
    }

    fn take_error(&self) -> Option<io::Error> {
        self.error.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

fn millis(since: Instant) -> u64 {
    u64::try_from(since.elapsed().as_millis()).unwrap_or(u64::MAX)
}
