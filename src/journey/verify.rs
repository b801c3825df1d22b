//! Holds the criteria of a journey against what is on a device now, without a model. Uses `session`, `replay`.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use serde::Serialize;

use super::criterion::showing;
use super::{AppIs, Criterion, Journey, LogLine, StepReached, Usage};
use crate::code::ErrorCode;
use crate::device::{AppInfo, DeviceError, LogQuery};
use crate::observe::{Observation, ObserveOptions};
use crate::recording::Store;
use crate::replay::{in_words, reached};
use crate::session::{Session, SessionError};

/// Log lines that are looked through.
const LOG_LINES: usize = 5_000;
/// How long they are gathered.
const GATHERING: Duration = Duration::from_millis(500);

/// Whether one criterion holds, and by what that is told.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Verdict {
    pub criterion: String,
    pub holds: bool,
    pub detail: String,
}

/// What one criterion came to; an error is why it can't be told.
type Told = Result<(bool, String), Untold>;

enum Untold {
    /// Here; elsewhere it might.
    Why(String),
    /// The device is gone.
    Lost(SessionError),
}

impl From<DeviceError> for Untold {
    fn from(error: DeviceError) -> Self {
        match error.code() {
            ErrorCode::DeviceUnreachable | ErrorCode::DeviceNotFound | ErrorCode::Timeout => {
                Self::Lost(error.into())
            }
            _ => Self::Why(error.to_string()),
        }
    }
}

impl From<SessionError> for Untold {
    fn from(error: SessionError) -> Self {
        Self::Lost(error)
    }
}

/// Looks once, and says of every criterion whether it holds; one that can't be told does not. `path` is the
/// journey's file.
///
/// # Errors
/// The device is not to be had.
pub async fn verify(
    journey: &Journey,
    path: &Path,
    session: &Session,
    store: &Store,
) -> Result<Vec<Verdict>, SessionError> {
    let screen = session.observe(&ObserveOptions::default()).await?;
    let app = journey.app.clone().or_else(|| session.app().map(|app| app.bundle_id.clone()));
    let live = Live { session, screen, app, path, store };
    let mut verdicts = Vec::new();
    for criterion in &journey.success {
        let (holds, detail) = match live.holds(criterion).await {
            Ok(told) => told,
            Err(Untold::Why(why)) => (false, format!("can't be told: {why}")),
            Err(Untold::Lost(error)) => return Err(error),
        };
        verdicts.push(Verdict { criterion: criterion.to_string(), holds, detail });
    }
    let untold = journey.left_out.iter().filter(|left_out| left_out.is_criterion);
    verdicts.extend(untold.map(|left_out| Verdict {
        criterion: left_out.key.clone(),
        holds: false,
        detail: format!("can't be told: {}", left_out.why),
    }));
    Ok(verdicts)
}

/// A device as it is now.
struct Live<'a> {
    session: &'a Session,
    screen: Arc<Observation>,
    /// Bundle id of the app that is meant.
    app: Option<String>,
    path: &'a Path,
    store: &'a Store,
}

impl Live<'_> {
    async fn holds(&self, criterion: &Criterion) -> Told {
        let screen = &*self.screen;
        Ok(match criterion {
            Criterion::Screen(seen) => match seen.find(screen) {
                Some(mark) => (true, in_words(mark)),
                None => (false, self.closest(seen.label.as_deref())),
            },
            Criterion::Text(text) => match showing(text, screen) {
                Some(mark) => (true, in_words(mark)),
                None => (false, self.closest(Some(text))),
            },
            Criterion::Gone(seen) => match seen.find(screen) {
                Some(mark) => (false, format!("{} is there", in_words(mark))),
                None => (true, "it is not there".into()),
            },
            Criterion::Number(within) => match within.find(screen) {
                Some((number, is_within)) => (is_within, format!("it is {number}")),
                None => (false, "there is no such number".into()),
            },
            Criterion::App(is) => self.app_is(*is).await?,
            Criterion::NoCrash(_) => self.no_crash().await?,
            Criterion::Log(line) => self.log(line).await?,
            Criterion::Usage(usage) => self.usage(*usage).await?,
            Criterion::Step(step) => self.step(step).await?,
        })
    }

    fn closest(&self, label: Option<&str>) -> String {
        let closest = label.map(|label| crate::act::closest_labels(&self.screen, label)).unwrap_or_default();
        match &closest[..] {
            [] => "it is not there".into(),
            labels => format!("it is not there; most like it: “{}”", labels.join("”, “")),
        }
    }

    fn app(&self) -> Result<&str, Untold> {
        self.app.as_deref().ok_or_else(|| Untold::Why("the journey names no `app`".into()))
    }

    async fn info(&self) -> Result<Option<AppInfo>, Untold> {
        let app = self.app()?;
        let apps = self.session.hold().await?.apps().await?;
        Ok(apps.into_iter().find(|info| info.bundle_id == app))
    }

    async fn app_is(&self, wanted: AppIs) -> Told {
        let info = self.info().await?;
        let running = info.as_ref().and_then(|info| info.running);
        let front = self.screen.app.as_ref();
        let in_front = front.map(|front| {
            front.bundle_id.as_deref() == self.app.as_deref()
                || (front.pid.is_some() && front.pid == info.as_ref().and_then(|info| info.pid))
        });
        let unsaid = |what: &str| Untold::Why(format!("the device does not say {what}"));
        match wanted {
            AppIs::InFront => {
                let holds = in_front.ok_or_else(|| unsaid("which app is in front"))?;
                let front = front.map(|front| front.name.clone()).unwrap_or_default();
                Ok((holds, format!("in front is {front}")))
            }
            AppIs::Running | AppIs::NotRunning => {
                let running = match &info {
                    None => false,
                    Some(_) => running.ok_or_else(|| unsaid("whether it runs"))?,
                };
                let detail = if running { "it runs" } else { "it does not run" };
                Ok((running == (wanted == AppIs::Running), detail.into()))
            }
        }
    }

    async fn no_crash(&self) -> Told {
        let app = self.app()?.to_owned();
        let reports = self.session.hold().await?.crashes(0, Some(&app)).await?;
        // of a session that is gone on with, also what was written before this process looked
        let since = self.session.started();
        let newest = reports
            .into_iter()
            .filter(|report| self.session.is_new_crash(report) || report.timestamp >= since)
            .max_by_key(|report| report.timestamp);
        if let Some(report) = newest {
            return Ok((false, format!("it crashed: {}", report.name)));
        }
        match self.info().await?.and_then(|info| info.running) {
            Some(false) => Ok((false, "there is no report, but it does not run".into())),
            _ => Ok((true, "no report since the session began".into())),
        }
    }

    async fn log(&self, wanted: &LogLine) -> Told {
        let query = LogQuery { lines: LOG_LINES, within: GATHERING, since: None };
        let lines = self.session.hold().await?.logs(&query).await?;
        Ok(match lines.iter().rev().find(|line| wanted.fits(line)) {
            Some(line) => (true, line.trim().to_owned()),
            None => (false, format!("none of {} lines", lines.len())),
        })
    }

    async fn usage(&self, Usage { cpu_percent, memory_mb }: Usage) -> Told {
        let metrics = self.session.hold().await?.metrics(self.app()?).await?;
        let memory = metrics.memory_bytes as f64 / f64::from(1 << 20);
        let holds = cpu_percent.is_none_or(|most| metrics.cpu_percent <= most)
            && memory_mb.is_none_or(|most| memory <= most);
        Ok((holds, format!("{:.1} % of a core, {memory:.1} MB", metrics.cpu_percent)))
    }

    async fn step(&self, StepReached { recording, step }: &StepReached) -> Told {
        let why = |e: crate::recording::RecordingError| Untold::Why(e.to_string());
        let beside = self.path.parent().unwrap_or(Path::new(".")).join(recording);
        let loaded = match beside.join("recording.yaml").is_file() {
            true => Store::at_path(&beside).map_err(why)?,
            false => self.store.find(recording).map_err(why)?,
        };
        let comparison = reached(&loaded, *step, &self.screen).await.map_err(|e| Untold::Why(e.message))?;
        Ok((!comparison.is_drift(), comparison.summary()))
    }
}
