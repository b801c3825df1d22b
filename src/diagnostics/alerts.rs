//! The alerts by which the system asks for permissions when an app first runs. Uses `session` and below.

use std::sync::Arc;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::act::{ActError, Action, Target};
use crate::observe::{Alert, AlertOwner, Observation, ObserveOptions};
use crate::session::{Session, SessionError};

/// How long to wait for another alert once one has gone.
const UNTIL_NEXT: Duration = Duration::from_millis(700);

/// What is answered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Choice {
    #[default]
    Allow,
    Deny,
}

/// The system's words for each answer, the best first, folded.
const ALLOW: [&str; 12] = [
    "allow while using app",
    "allow full access",
    "allow",
    "ok",
    "allow once",
    "permitir al usarse la app",
    "permitir acceso total",
    "permitir",
    "beim verwenden der app erlauben",
    "erlauben",
    "autoriser lorsque l'app est active",
    "autoriser",
];
const DENY: [&str; 9] = [
    "don't allow",
    "ask app not to track",
    "deny",
    "no permitir",
    "pedir a la app que no rastree",
    "nicht erlauben",
    "app-tracking ablehnen",
    "ne pas autoriser",
    "refuser",
];

/// An alert that was answered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Pressed {
    pub title: String,
    pub button: String,
}

/// What became of the alerts.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Dismissed {
    pub pressed: Vec<Pressed>,
    /// What is still over the screen and was left alone, and why.
    pub left: Option<String>,
}

/// Why the alerts could not be answered.
#[derive(Debug, thiserror::Error)]
pub enum AlertsError {
    #[error(transparent)]
    Session(#[from] SessionError),
    #[error(transparent)]
    Act(#[from] ActError),
}

/// Answers the system's permission alerts, `most` at most. An alert of the app itself is left alone, and so is one of
/// which nothing tells whose it is.
///
/// # Errors
/// The screen can't be read, or a touch is refused.
pub async fn dismiss(session: &Arc<Session>, choice: Choice, most: u32) -> Result<Dismissed, AlertsError> {
    let mut dismissed = Dismissed::default();
    for _ in 0..most {
        let seen = look(session).await?;
        let Some(alert) = &seen.alert else { return Ok(dismissed) };
        let button = match button(alert, choice) {
            Ok(button) => button,
            Err(why) => {
                dismissed.left = Some(why);
                return Ok(dismissed);
            }
        };
        // the same word may stand elsewhere on the screen
        let mark = seen.marks.iter().find(|m| m.label == button && alert.frame.contains(m.frame.center()));
        let Some(mark) = mark else {
            dismissed.left = Some(format!("\"{}\" has a button {button} that can't be touched", alert.title));
            return Ok(dismissed);
        };
        session.act(Action::Tap { target: Target::Mark(mark.id), count: 1, hold_ms: 0 }).await?;
        dismissed.pressed.push(Pressed { title: alert.title.clone(), button: button.to_owned() });
        session.device().sleep(UNTIL_NEXT).await;
    }
    if let Some(alert) = &look(session).await?.alert {
        dismissed.left =
            Some(format!("\"{}\" is shown: {most} were answered, which is the most", alert.title));
    }
    Ok(dismissed)
}

async fn look(session: &Session) -> Result<Arc<Observation>, SessionError> {
    session.observe(&ObserveOptions::default()).await
}

/// The button to press, or why the alert is left alone.
fn button(alert: &Alert, choice: Choice) -> Result<&str, String> {
    match alert.owner {
        AlertOwner::System => {}
        AlertOwner::App => return Err(format!("\"{}\" is the app's own alert", alert.title)),
        AlertOwner::Unknown => {
            return Err(format!("nothing tells whether \"{}\" is the system's alert", alert.title));
        }
    }
    let words: &[&str] = match choice {
        Choice::Allow => &ALLOW,
        Choice::Deny => &DENY,
    };
    let with = |word: &&str| alert.buttons.iter().find(|label| folded(label) == **word);
    words.iter().find_map(with).map(String::as_str).ok_or_else(|| {
        format!("no button of \"{}\" is known to mean that: {}", alert.title, alert.buttons.join(", "))
    })
}

/// Apostrophes are written in two ways.
fn folded(label: &str) -> String {
    label.trim().to_lowercase().replace('’', "'")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::Rect;

    fn alert(owner: AlertOwner, buttons: &[&str]) -> Alert {
        Alert {
            owner,
            title: "May I?".to_owned(),
            message: String::new(),
            buttons: buttons.iter().map(|b| (*b).to_owned()).collect(),
            frame: Rect::new(0.0, 0.0, 10.0, 10.0),
        }
    }

    #[test]
    fn only_the_systems_alerts_are_answered_and_by_the_button_that_is_meant() {
        let location = ["Allow Once", "Allow While Using App", "Don’t Allow"];
        let tracking = ["Ask App Not to Track", "Allow"];
        for (buttons, choice, expected) in [
            (&location[..], Choice::Allow, Ok("Allow While Using App")),
            (&location, Choice::Deny, Ok("Don’t Allow")),
            (&tracking, Choice::Allow, Ok("Allow")),
            (&tracking, Choice::Deny, Ok("Ask App Not to Track")),
            (&["No permitir", "Permitir"], Choice::Deny, Ok("No permitir")),
            (&["Update", "Later"], Choice::Allow, Err(())),
        ] {
            assert_eq!(button(&alert(AlertOwner::System, buttons), choice).map_err(drop), expected);
            for owner in [AlertOwner::App, AlertOwner::Unknown] {
                assert!(button(&alert(owner, buttons), choice).is_err(), "{owner:?}");
            }
        }
    }
}
