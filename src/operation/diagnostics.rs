//! Asking about the set-up.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use crate::diagnostics::doctor::{self, State};
use crate::operation::{Call, Context, OperationError, Outcome, Run};

#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct Doctor {}

impl Run for Doctor {
    async fn run(self, context: &Context, _: &Call) -> Result<Outcome, OperationError> {
        let checks = doctor::check(context.store.root()).await;
        let worst = |state| checks.iter().any(|c| c.state == state);
        let lines = checks.iter().map(|check| {
            let state = match check.state {
                State::Ok => "ok  ",
                State::Warn => "warn",
                State::Fail => "fail",
            };
            let fix = check.fix.as_ref().map_or_else(String::new, |fix| format!("\n     fix: {fix}"));
            format!("{state} {}: {}{fix}", check.name, check.detail)
        });
        let text = lines.collect::<Vec<_>>().join("\n");
        let failed = worst(State::Fail);
        let facts = json!({"ok": !failed, "checks": checks});
        Ok(Outcome { failed, ..Outcome::new(text, facts) })
    }
}

#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct Version {}

impl Run for Version {
    async fn run(self, _: &Context, _: &Call) -> Result<Outcome, OperationError> {
        let version = env!("CARGO_PKG_VERSION");
        let system = format!("{}-{}", std::env::consts::OS, std::env::consts::ARCH);
        Ok(Outcome::new(
            format!("simdrive {version} on {system}"),
            json!({"simdrive": version, "system": system}),
        ))
    }
}
