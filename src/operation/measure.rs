//! How an app fares: processor, memory and threads, now and compared with before.

use std::sync::Arc;
use std::time::Duration;

use chrono::Utc;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use crate::code::ErrorCode;
use crate::diagnostics::baseline::{Baseline, BaselineError};
use crate::diagnostics::perf::{self, Profile, Severity};
use crate::operation::{Call, Context, OperationError, Outcome, Run};
use crate::session::Session;

/// Measurements where nobody says how many.
const DEFAULT_SAMPLES: u32 = 5;
/// A Mac's tools take a moment for each.
const A_SAMPLE: Duration = Duration::from_secs(4);
const MIB: f64 = 1_048_576.0;

/// Whose measurements, and how many.
struct Subject {
    session_id: String,
    session: Arc<Session>,
    app: String,
    samples: u32,
}

impl Subject {
    fn of(
        context: &Context,
        session: Option<&str>,
        app: Option<String>,
        samples: Option<u32>,
    ) -> Result<Self, OperationError> {
        let (session_id, session) = context.sessions.get(session)?;
        let app = app.or_else(|| session.app().map(|app| app.bundle_id.clone()));
        let app = app.ok_or_else(|| OperationError::invalid("this session started no app: pass `app`"))?;
        Ok(Self { session_id, session, app, samples: samples.unwrap_or(DEFAULT_SAMPLES) })
    }

    /// The device is free for others between two measurements.
    async fn profile(&self, call: &Call) -> Result<Profile, OperationError> {
        let mut measured = Vec::new();
        for i in 0..self.samples {
            if i > 0 {
                self.session.device().sleep(perf::INTERVAL).await;
            }
            if call.cancellation.is_cancelled() {
                return Err(OperationError::cancelled("measuring"));
            }
            measured.push(perf::sample(&*self.session.hold().await?, &self.app).await?);
            call.progress(f64::from(i + 1), Some(self.samples.into()), "measured");
        }
        Ok(Profile::of(&measured))
    }

    fn baseline(&self, profile: Profile) -> Baseline {
        let device = self.session.description();
        Baseline {
            app: self.app.clone(),
            device: format!("{}, {}", device.model, device.os),
            taken: Utc::now(),
            profile,
        }
    }
}

fn deadline(samples: Option<u32>) -> Duration {
    Duration::from_secs(30) + A_SAMPLE * samples.unwrap_or(DEFAULT_SAMPLES)
}

#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct Perf {
    session: Option<String>,
    /// Bundle id; default the session's app
    app: Option<String>,
    #[schemars(range(min = 1, max = 50))]
    samples: Option<u32>,
}

impl Run for Perf {
    fn deadline(&self) -> Duration {
        deadline(self.samples)
    }

    async fn run(self, context: &Context, call: &Call) -> Result<Outcome, OperationError> {
        let subject = Subject::of(context, self.session.as_deref(), self.app, self.samples)?;
        let profile = subject.profile(call).await?;
        let text = format!("{}\n{}", subject.app, profile.told());
        Ok(Outcome::new(text, json!({"app": subject.app, "profile": profile})))
    }
}

#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct PerfBaseline {
    session: Option<String>,
    app: Option<String>,
    /// Keeps it on disk under this name, for other sessions too
    label: Option<String>,
    #[schemars(range(min = 1, max = 50))]
    samples: Option<u32>,
}

impl Run for PerfBaseline {
    fn deadline(&self) -> Duration {
        deadline(self.samples)
    }

    async fn run(self, context: &Context, call: &Call) -> Result<Outcome, OperationError> {
        let subject = Subject::of(context, self.session.as_deref(), self.app, self.samples)?;
        let baseline = subject.baseline(subject.profile(call).await?);
        let file = context.baselines.keep(&subject.session_id, self.label.as_deref(), &baseline)?;
        let kept = file.as_ref().map_or_else(|| "this session".to_owned(), |file| file.display().to_string());
        let text = format!("baseline of {} kept in {kept}\n{}", subject.app, baseline.profile.told());
        Ok(Outcome::new(text, json!({"baseline": baseline, "file": file})))
    }
}

#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct PerfCompare {
    session: Option<String>,
    app: Option<String>,
    /// As given to perf_baseline; default the session's own
    label: Option<String>,
    #[schemars(range(min = 1, max = 50))]
    samples: Option<u32>,
}

impl Run for PerfCompare {
    fn deadline(&self) -> Duration {
        deadline(self.samples)
    }

    async fn run(self, context: &Context, call: &Call) -> Result<Outcome, OperationError> {
        let subject = Subject::of(context, self.session.as_deref(), self.app, self.samples)?;
        let found = context.baselines.find(&subject.session_id, self.label.as_deref(), &subject.app);
        let before = match found {
            Ok(before) => before,
            Err(none) => {
                // who is told to take a baseline must be able to
                perf::sample(&*subject.session.hold().await?, &subject.app).await?;
                return Err(none.into());
            }
        };
        let now = subject.baseline(subject.profile(call).await?);
        let differences = perf::compare(&before.profile, &now.profile);
        let worst = differences.iter().map(|d| d.severity).max().unwrap_or(Severity::None);
        let mut lines: Vec<String> = differences
            .iter()
            .map(|d| {
                let percent = d.percent.map_or_else(String::new, |p| format!(" ({p:+.0} %)"));
                let severity = format!("{:?}", d.severity).to_lowercase();
                format!("{}: {:.1} to {:.1}{percent}, regression {severity}", d.figure, d.before, d.now)
            })
            .collect();
        if before.device != now.device {
            lines.push(format!("note: the baseline is of {}, this is {}", before.device, now.device));
        }
        lines.push(format!("rules: {}", perf::RULES));
        let facts = json!({"before": before, "now": now, "differences": differences, "worst": worst,
            "rules": perf::RULES});
        Ok(Outcome::new(lines.join("\n"), facts))
    }
}

#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct Memory {
    session: Option<String>,
    /// Bundle id; default the session's app
    app: Option<String>,
}

impl Run for Memory {
    async fn run(self, context: &Context, _: &Call) -> Result<Outcome, OperationError> {
        let subject = Subject::of(context, self.session.as_deref(), self.app, None)?;
        let footprint = subject.session.hold().await?.footprint(&subject.app).await?;
        let megabytes = |bytes: u64| format!("{:.1} MB", bytes as f64 / MIB);
        let mut text = format!("{}: {}", subject.app, megabytes(footprint.total_bytes));
        if let Some(peak) = footprint.peak_bytes {
            text += &format!(", at most {}", megabytes(peak));
        }
        for region in &footprint.regions {
            text += &format!("\n  {}  {}", megabytes(region.bytes), region.category);
        }
        if footprint.regions.is_empty() {
            text += "\nno breakdown on this device";
        }
        Ok(Outcome::new(text, json!({"app": subject.app, "footprint": footprint})))
    }
}

impl From<BaselineError> for OperationError {
    fn from(error: BaselineError) -> Self {
        match &error {
            BaselineError::Label(_) => Self::invalid(error.to_string()).with_detail("argument", "label"),
            BaselineError::Unknown { known, .. } => {
                let known = json!(known);
                Self::invalid(error.to_string()).with_detail("labels", known)
            }
            BaselineError::NoneTaken(_) => {
                Self::invalid(error.to_string()).with_hint("take one with perf_baseline, or pass its `label`")
            }
            BaselineError::File { .. } => Self::new(ErrorCode::Internal, error.to_string()),
        }
    }
}
