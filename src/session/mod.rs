//! A device bound to its last observation, its recorder and its lock. Uses `recording` and below.
//!
//! One command is in flight a device; others wait their turn in order. What needs no device (`status`, `last`)
//! never waits.

mod client;
mod crash;
pub mod devices;
mod error;
mod kept;
pub mod open;
mod recorder_slot;
mod recordings;
mod registry;
mod start;
mod video;

use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use serde::Serialize;

use crate::act::{ActError, ActOutcome, Action, Consent, Effect, Hands, Wait};
use crate::device::{CrashInfo, Device, DeviceDescription, process};
use crate::frame::Frame;
use crate::observe::{
    AppInFront, Changes, Numbering, Observation, ObservationId, ObserveOptions, Observer, Snapshot,
};
use crate::recording::{Finished, Recorder, Setup};

pub use client::Client;
use crash::CrashWatch;
pub use error::SessionError;
pub use kept::KeptSessions;
use kept::{Facts, Kept};
use recorder_slot::RecorderSlot;
pub use recordings::RecordingStatus;
pub use registry::{DeviceHold, Sessions};
pub use start::SessionStart;

/// Looks whose marks are kept for `since`.
const KEPT_LOOKS: usize = 64;

/// A device, what was seen on it, and what is being recorded.
pub struct Session {
    opened: Opened,
    kept: OnceLock<Arc<Kept>>,
    /// The lock of the device: who holds it looks, acts and records.
    desk: tokio::sync::Mutex<Desk>,
    recorder: RecorderSlot,
    memory: Mutex<Memory>,
    ended: AtomicBool,
}

/// What a start has brought together, and what stays as it is.
struct Opened {
    device: Arc<dyn Device>,
    description: DeviceDescription,
    app: Option<AppInFront>,
    crashes: Option<CrashWatch>,
    setup: Setup,
    /// Unix seconds.
    started: u64,
    /// Its app was not started by this session, but found as another had left it.
    goes_on: bool,
    /// What is to be known of its start.
    note: Option<String>,
}

/// What one command at a time works with.
struct Desk {
    observer: Observer,
}

/// What can be asked without waiting for the device.
#[derive(Default)]
struct Memory {
    last: Option<Arc<Observation>>,
    looks: VecDeque<Snapshot>,
    numbering: Numbering,
    own_time: Duration,
    acts: usize,
    last_action: Option<&'static str>,
    crash: Option<String>,
    recording: Option<RecordingStatus>,
    /// Where the screen is being filmed into.
    video: Option<PathBuf>,
}

/// What a session tells of itself.
#[derive(Clone, Debug, Serialize)]
pub struct SessionStatus {
    pub device: DeviceDescription,
    /// Bundle id.
    pub app: Option<String>,
    pub pid: Option<u64>,
    /// Unix seconds.
    pub started: u64,
    pub ended: bool,
    /// The report of the app's crash, once one was noticed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub crash: Option<String>,
    pub acts: usize,
    pub last_action: Option<&'static str>,
    pub last_observation: Option<ObservationId>,
    pub marks: usize,
    pub recording: Option<RecordingStatus>,
    /// The file that the screen is being filmed into.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub video: Option<PathBuf>,
    /// The process that drives the device, where that is one of ours.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub driver: Option<process::Status>,
}

/// What ending a session left behind.
#[derive(Debug, Default)]
pub struct Ended {
    /// The recording that was still open, now finished.
    pub recording: Option<Finished>,
    /// The video that was still being made, now finished.
    pub video: Option<PathBuf>,
}

/// The device, held so that no command comes in between.
pub struct Held<'s> {
    device: &'s Arc<dyn Device>,
    _desk: tokio::sync::MutexGuard<'s, Desk>,
}

impl std::ops::Deref for Held<'_> {
    type Target = dyn Device;

    fn deref(&self) -> &Self::Target {
        &**self.device
    }
}

impl Session {
    fn new(opened: Opened, observer: Observer) -> Self {
        let session = Self {
            opened,
            kept: OnceLock::new(),
            memory: Mutex::default(),
            ended: AtomicBool::new(false),
            recorder: RecorderSlot::default(),
            desk: tokio::sync::Mutex::new(Desk { observer }),
        };
        session.remember_the_look_of_the_start();
        session
    }

    fn remember_the_look_of_the_start(&self) {
        if let Ok(desk) = self.desk.try_lock() {
            self.remember(&desk.observer);
        }
    }

    /// One look.
    ///
    /// # Errors
    /// The device or vision fails, or the session has ended.
    pub async fn observe(&self, options: &ObserveOptions) -> Result<Arc<Observation>, SessionError> {
        let mut desk = self.desk.lock().await;
        self.alive()?;
        let seen = desk.observer.observe(&*self.opened.device, options).await?;
        self.remember(&desk.observer);
        self.set_numbers_aside().await;
        Ok(seen)
    }

    /// One action, recorded where a recording is going on.
    ///
    /// # Errors
    /// See [`ActError`].
    pub async fn act(&self, action: Action) -> Result<ActOutcome, ActError> {
        self.act_with_consent(action, None).await
    }

    /// The same, where its taps may be withheld; without anybody to ask, none is.
    ///
    /// # Errors
    /// See [`ActError`].
    pub async fn act_with_consent(
        &self,
        action: Action,
        consent: Option<&Consent<'_>>,
    ) -> Result<ActOutcome, ActError> {
        let name = action.name();
        let (result, desk) = match action {
            Action::WaitFor { condition, timeout_ms } => {
                let mut wait = Wait::new(&*self.opened.device, condition, timeout_ms)?;
                loop {
                    let mut desk = self.turn().await?;
                    match wait.look(&mut Hands::new(&self.opened.device, &mut desk.observer)).await {
                        Ok(None) => self.remember(&desk.observer),
                        Ok(Some(outcome)) => break (Ok(outcome), desk),
                        Err(error) => break (Err(error), desk),
                    }
                    // the device is free for others between two looks
                    drop(desk);
                    wait.pause().await;
                }
            }
            action => {
                let mut desk = self.turn().await?;
                let mut hands = Hands::new(&self.opened.device, &mut desk.observer).asking(consent);
                let result = hands.perform(action).await;
                (result, desk)
            }
        };
        self.remember(&desk.observer);
        self.set_numbers_aside().await;
        let was_done = result.as_ref().map_or_else(ActError::reached_the_device, |_| true);
        if was_done {
            self.count(name);
        }
        let mut outcome = match result {
            Ok(outcome) => outcome,
            Err(error) => {
                if error.reached_the_device() {
                    self.record_gap(name, error.code()).await;
                }
                return Err(error);
            }
        };
        self.notice_a_crash(&mut outcome).await;
        self.explain_no_effect(&mut outcome).await;
        self.record(&mut outcome).await;
        drop(desk);
        Ok(outcome)
    }

    async fn turn(&self) -> Result<tokio::sync::MutexGuard<'_, Desk>, ActError> {
        let desk = self.desk.lock().await;
        if self.ended.load(Ordering::Acquire) { Err(ActError::SessionEnded) } else { Ok(desk) }
    }

    /// Time of its looks that is ours and not the device's.
    pub fn own_time(&self) -> Duration {
        self.memory().own_time
    }

    /// The screen of this moment for somebody who only looks on; `None` where the device is busy or gives none.
    pub async fn glance(&self) -> Option<Frame> {
        let mut desk = self.desk.try_lock().ok()?;
        self.alive().ok()?;
        desk.observer.glance(&*self.opened.device).await.ok()
    }

    /// The last look, without waiting.
    pub fn last(&self) -> Option<Arc<Observation>> {
        self.memory().last.clone()
    }

    /// What the last look has that an earlier one had not.
    ///
    /// # Errors
    /// The earlier one is no longer kept.
    pub fn changes_since(&self, id: ObservationId, now: &Observation) -> Result<Changes, SessionError> {
        let memory = self.memory();
        let earlier = memory.looks.iter().find(|look| look.id == id).ok_or(SessionError::Forgotten(id))?;
        Ok(Changes::between(earlier, now))
    }

    pub fn device(&self) -> &Arc<dyn Device> {
        &self.opened.device
    }

    /// The device for one more command, once it is this caller's turn.
    ///
    /// # Errors
    /// The session has ended.
    pub async fn hold(&self) -> Result<Held<'_>, SessionError> {
        let desk = self.desk.lock().await;
        self.alive()?;
        Ok(Held { device: &self.opened.device, _desk: desk })
    }

    pub fn description(&self) -> &DeviceDescription {
        &self.opened.description
    }

    pub fn app(&self) -> Option<&AppInFront> {
        self.opened.app.as_ref()
    }

    /// What is to be known of its start.
    pub fn note(&self) -> Option<&str> {
        self.opened.note.as_deref()
    }

    /// Unix seconds.
    pub fn started(&self) -> u64 {
        self.opened.started
    }

    /// Whether a crash report was written since the session started.
    pub fn is_new_crash(&self, crash: &CrashInfo) -> bool {
        let watched = self.opened.crashes.as_ref().filter(|_| {
            self.opened
                .app
                .as_ref()
                .is_some_and(|app| crash.bundle_id.is_empty() || app.bundle_id == crash.bundle_id)
        });
        watched.map_or(crash.timestamp >= self.opened.started, |watch| watch.is_new(crash))
    }

    pub fn status(&self) -> SessionStatus {
        let memory = self.memory();
        SessionStatus {
            device: self.opened.description.clone(),
            app: self.opened.app.as_ref().map(|app| app.bundle_id.clone()),
            pid: self.opened.app.as_ref().and_then(|app| app.pid),
            started: self.opened.started,
            ended: self.ended.load(Ordering::Acquire),
            crash: memory.crash.clone(),
            acts: memory.acts,
            last_action: memory.last_action,
            last_observation: memory.last.as_ref().map(|last| last.id),
            marks: memory.last.as_ref().map_or(0, |last| last.marks.len()),
            recording: memory.recording.clone(),
            video: memory.video.clone(),
            driver: self.opened.device.driver_status(),
        }
    }

    /// Finishes what is being recorded, ends the app where asked, and lets go of the device.
    ///
    /// # Errors
    /// The recording could not be finished; the session is ended all the same.
    pub async fn end(&self, terminate_app: bool) -> Result<Ended, SessionError> {
        let _desk = self.desk.lock().await;
        if self.ended.swap(true, Ordering::AcqRel) {
            return Ok(Ended::default());
        }
        let recording = self.recorder.with(|slot| slot.take().map(Recorder::stop).transpose()).await;
        self.memory().recording = None;
        if let Some(app) = self.opened.app.as_ref().filter(|_| terminate_app)
            && let Err(error) = self.opened.device.terminate(&app.bundle_id).await
        {
            tracing::warn!("ending {}: {error}", app.bundle_id);
        }
        let video = self.finish_video().await.unwrap_or_else(|error| {
            tracing::warn!("finishing the video: {error}");
            None
        });
        self.opened.device.close().await;
        if let Some(Err(error)) = self.kept.get().map(|kept| kept.delete()) {
            tracing::warn!("the folder of a session that ended can't be deleted: {error}");
        }
        Ok(Ended { recording: recording?, video })
    }

    fn alive(&self) -> Result<(), SessionError> {
        match self.ended.load(Ordering::Acquire) {
            true => Err(SessionError::Ended(self.opened.description.selector.clone())),
            false => Ok(()),
        }
    }

    fn remember(&self, observer: &Observer) {
        let Some(last) = observer.last() else { return };
        let mut memory = self.memory();
        if memory.last.as_ref().is_some_and(|known| known.id == last.id) {
            return;
        }
        memory.last = Some(last.clone());
        memory.numbering = observer.numbering();
        memory.own_time = observer.own_time();
        memory.looks.push_back(Snapshot::from(&**last));
        while memory.looks.len() > KEPT_LOOKS {
            memory.looks.pop_front();
        }
    }

    /// What another server needs to go on with this session.
    fn facts(&self) -> Facts {
        Facts {
            selector: self.opened.description.selector.clone(),
            app: self.opened.app.as_ref().map(|app| app.bundle_id.clone()),
            pid: self.opened.app.as_ref().and_then(|app| app.pid),
            setup: self.opened.setup.clone(),
            started: self.opened.started,
            numbering: self.memory().numbering,
        }
    }

    /// Keeps this session for the case that its server is killed.
    fn keep(&self, kept: Kept) {
        // a session is kept once
        let _ = self.kept.set(Arc::new(kept));
    }

    /// So that who goes on with this session gives no number again.
    async fn set_numbers_aside(&self) {
        let given = self.memory().numbering;
        let Some(kept) = self.kept.get().filter(|kept| kept.lacks(given)).cloned() else { return };
        match tokio::task::spawn_blocking(move || kept.set_aside(given)).await {
            Ok(Ok(())) => {}
            Ok(Err(error)) => tracing::warn!("the session's file can't be written: {error}"),
            Err(broken) => tracing::warn!("the session's file was not written: {broken}"),
        }
    }

    fn count(&self, action: &'static str) {
        let mut memory = self.memory();
        memory.acts += 1;
        memory.last_action = Some(action);
    }

    /// Asks for a crash where another app than ours is in front afterwards.
    async fn notice_a_crash(&self, outcome: &mut ActOutcome) {
        let (Some(app), Some(crashes)) = (&self.opened.app, &self.opened.crashes) else { return };
        let front = outcome.after.app.as_ref().and_then(|front| front.pid);
        let left = front.is_some() && front != app.pid;
        let already = self.memory().crash.is_some();
        if !left || already {
            return;
        }
        if let Some(report) = crashes.report(&*self.opened.device).await {
            let first = report.lines().next().unwrap_or_default();
            outcome.notes.push(format!("{} crashed: {first}", app.bundle_id));
            self.memory().crash = Some(report);
        }
    }

    /// A touch that did nothing may never have arrived.
    async fn explain_no_effect(&self, outcome: &mut ActOutcome) {
        if outcome.effect == Effect::NoneObserved && !outcome.targets.is_empty() {
            outcome.notes.extend(self.opened.device.touch_caution().await);
        }
    }

    fn memory(&self) -> MutexGuard<'_, Memory> {
        self.memory.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests;
