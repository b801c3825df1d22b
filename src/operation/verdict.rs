//! What a call would get from the policy, told without doing it: asks what [`Operation::run`] asks. Uses `policy`.

use serde_json::{Value, json};

use crate::act::Target;
use crate::device::Selector;
use crate::operation::{Context, Descriptor, Operation, OperationError, Outcome, allow};
use crate::policy::Asks;
use crate::role::Role;

/// What became of a call.
enum Verdict {
    Allowed,
    /// A tap on this label needs a confirmation.
    ToConfirm {
        label: String,
        asks: Asks,
    },
    Denied(OperationError),
}

/// Says what the policy of `context` makes of a call, on the device it names.
///
/// # Errors
/// The device is none, or a target.
pub fn verdict(operation: &Operation, context: &Context) -> Result<Outcome, OperationError> {
    let device = context.device.as_deref().map(|named| context.selector(named)).transpose()?;
    let is_real = device.as_ref().is_some_and(is_real);
    let (targets, mut notes) = (operation.tapped()?, Vec::new());
    let verdict = match admitted(operation, context) {
        Err(error) => Verdict::Denied(error),
        Ok(()) => confirmed(targets, context, is_real, &mut notes),
    };
    Ok(told(operation.name(), &verdict, &notes))
}

fn admitted(operation: &Operation, context: &Context) -> Result<(), OperationError> {
    operation.permitted(context)?;
    let takes_session = Descriptor::named(operation.name())?.schema["properties"].get("session").is_some();
    // its session was let begin on the device only if that may be used
    match &context.device {
        Some(named) if takes_session => allow::device(context, named),
        _ => Ok(()),
    }
}

/// What of it the screen decides, as far as the arguments name labels.
fn confirmed(targets: Vec<Target>, context: &Context, is_real: bool, notes: &mut Vec<String>) -> Verdict {
    for target in targets {
        let Target::Label { label, role, .. } = target else {
            notes.push(
                "what is at the target decides whether a tap must be confirmed: name it by its label to know"
                    .to_owned(),
            );
            continue;
        };
        let role = role.unwrap_or(Role::Button);
        if let Some(asks) = context.policy.asks_for(role, &label, is_real) {
            return Verdict::ToConfirm { label, asks };
        }
        if let Some(asks) = context.policy.asks_for(role, &label, true) {
            notes.push(format!("on a real phone or browser it would have to be confirmed: {asks}"));
        }
    }
    Verdict::Allowed
}

fn is_real(selector: &Selector) -> bool {
    matches!(selector, Selector::WebDriver(_))
}

fn told(tool: &str, verdict: &Verdict, notes: &[String]) -> Outcome {
    let (text, mut facts) = match verdict {
        Verdict::Allowed => (format!("allowed: {tool}"), json!({"verdict": "allowed"})),
        Verdict::ToConfirm { label, asks } => {
            let rule = match asks {
                Asks::Rule(rule) => json!(rule),
                Asks::Word(_) => Value::Null,
            };
            let facts = json!({"verdict": "to_confirm", "code": "confirmation_required", "label": label,
                "why": asks.to_string(), "rule": rule});
            (format!("to confirm: {tool} on “{label}”: {asks}"), facts)
        }
        Verdict::Denied(error) => {
            let mut text = format!("denied: {}", error.message);
            if let Some(hint) = &error.hint {
                text += &format!("\nhint: {hint}");
            }
            let facts = json!({"verdict": "denied", "code": error.code, "why": error.message,
                "hint": error.hint, "rule": error.details.get("rule")});
            (text, facts)
        }
    };
    facts["tool"] = tool.into();
    facts["notes"] = json!(notes);
    let notes = notes.iter().map(|note| format!("\nnote: {note}")).collect::<String>();
    let failed = !matches!(verdict, Verdict::Allowed);
    Outcome { failed, ..Outcome::new(text + &notes, facts) }
}
