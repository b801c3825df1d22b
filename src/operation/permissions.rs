//! What an app may do, granted before it asks or answered when it does.

use std::collections::BTreeMap;
use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::diagnostics::alerts::{self, AlertsError, Choice};
use crate::operation::{Call, Context, OperationError, Outcome, Run};

/// Alerts that are answered where nobody says how many.
const DEFAULT_RETRIES: u32 = 5;

#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct PreGrantPermissions {
    session: Option<String>,
    /// Such as {"camera": true, "location": false}; false takes it back
    permissions: BTreeMap<String, bool>,
    /// Bundle id; default the session's app
    app: Option<String>,
}

impl Run for PreGrantPermissions {
    fn permitted(&self, context: &Context) -> Result<(), OperationError> {
        self.app.as_ref().map_or(Ok(()), |app| Ok(context.policy.admit_app(app)?))
    }

    async fn run(self, context: &Context, _: &Call) -> Result<Outcome, OperationError> {
        if self.permissions.is_empty() {
            return Err(OperationError::invalid("`permissions` names none"));
        }
        let (_, session) = context.sessions.get(self.session.as_deref())?;
        let app = self.app.or_else(|| session.app().map(|app| app.bundle_id.clone()));
        let app = app.ok_or_else(|| OperationError::invalid("this session started no app: pass `app`"))?;
        let device = session.hold().await?;
        let (mut lines, mut facts): (Vec<String>, Vec<Value>) = Default::default();
        let mut failed = false;
        for (permission, granted) in &self.permissions {
            let wanted = if *granted { "granted" } else { "taken back" };
            match device.set_permission(&app, permission, *granted).await {
                Ok(by) => {
                    lines.push(format!("{permission}: {wanted} by {by}"));
                    facts.push(json!({"permission": permission, "granted": granted, "by": by}));
                }
                Err(error) => {
                    failed = true;
                    lines.push(format!("{permission}: not {wanted}: {error}"));
                    facts.push(
                        json!({"permission": permission, "error": error.to_string(), "code": error.code()}),
                    );
                }
            }
        }
        Ok(Outcome { failed, ..Outcome::new(lines.join("\n"), json!({"app": app, "permissions": facts})) })
    }
}

#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct DismissFirstLaunchAlerts {
    session: Option<String>,
    /// Default allow
    choice: Option<Choice>,
    /// Alerts answered at most, default 5
    #[schemars(range(min = 1, max = 20))]
    retries: Option<u32>,
}

impl Run for DismissFirstLaunchAlerts {
    fn deadline(&self) -> Duration {
        Duration::from_secs(30) + Duration::from_secs(15) * self.retries.unwrap_or(DEFAULT_RETRIES)
    }

    async fn run(self, context: &Context, call: &Call) -> Result<Outcome, OperationError> {
        let (_, session) = context.sessions.get(self.session.as_deref())?;
        let most = self.retries.unwrap_or(DEFAULT_RETRIES);
        let work = alerts::dismiss(&session, self.choice.unwrap_or_default(), most);
        let dismissed = call.telling("answering alerts", None, work).await?;
        let pressed = dismissed.pressed.iter();
        let mut lines: Vec<String> =
            pressed.map(|p| format!("\"{}\": pressed {}", p.title, p.button)).collect();
        if lines.is_empty() {
            lines.push("no alert of the system was answered".to_owned());
        }
        lines.extend(dismissed.left.iter().map(|why| format!("left alone: {why}")));
        Ok(Outcome::new(lines.join("\n"), json!(dismissed)))
    }
}

impl From<AlertsError> for OperationError {
    fn from(error: AlertsError) -> Self {
        match error {
            AlertsError::Session(error) => error.into(),
            AlertsError::Act(error) => error.into(),
        }
    }
}
