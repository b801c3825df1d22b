//! Crash reports, read.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::device::CrashInfo;
use crate::diagnostics::crash_report;
use crate::operation::{Call, Context, OperationError, Outcome, Run};

/// Reports that are told where nobody says how many.
const DEFAULT_LIMIT: u32 = 3;

#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct Crashes {
    session: Option<String>,
    /// Bundle id; default the session's app
    app: Option<String>,
    #[schemars(range(min = 1, max = 20))]
    limit: Option<u32>,
    /// false: older ones too
    since_session_start: Option<bool>,
}

impl Run for Crashes {
    async fn run(self, context: &Context, _: &Call) -> Result<Outcome, OperationError> {
        let (_, session) = context.sessions.get(self.session.as_deref())?;
        let app = self.app.or_else(|| session.app().map(|app| app.bundle_id.clone()));
        let only_new = self.since_session_start.unwrap_or(true);
        let device = session.hold().await?;
        let mut found: Vec<CrashInfo> = device.crashes(0, app.as_deref()).await?;
        found.retain(|crash| !only_new || session.is_new_crash(crash));
        found.sort_by_key(|crash| std::cmp::Reverse(crash.timestamp));
        let total = found.len();
        found.truncate(self.limit.unwrap_or(DEFAULT_LIMIT) as usize);
        let (mut texts, mut facts) = (Vec::new(), Vec::new());
        for crash in &found {
            let (text, report) = read(crash, &device.crash_report(&crash.name).await?);
            texts.push(format!("{}: {text}", crash.name));
            facts.push(json!({"name": crash.name, "timestamp": crash.timestamp, "report": report}));
        }
        if total > found.len() {
            texts.push(format!("{} older ones", total - found.len()));
        }
        if texts.is_empty() {
            texts.push(format!("no crash{}", if only_new { " since the session started" } else { "" }));
        }
        Ok(Outcome::new(texts.join("\n"), json!({"total": total, "crashes": facts})))
    }
}

/// What a report says; one of another format is told by its first lines.
fn read(crash: &CrashInfo, text: &str) -> (String, Value) {
    match crash_report::read(text) {
        Some(report) => (report.told(), json!(report)),
        None => {
            let first = text.lines().take(12).collect::<Vec<_>>().join("\n  ");
            (format!("{}\n  {first}", crash.process), json!({"process": crash.process, "text": first}))
        }
    }
}
