//! The alert that covers the screen, and whose it is. Uses `device::accessibility` and the types.

use crate::device::AccessibilityNode;
use crate::geometry::Rect;
use crate::role::Role;

use super::text::{contains_words, fold};
use super::{Draft, Inputs, joined};
use crate::observe::observation::{Alert, AlertOwner};

/// What only the system asks for, folded, in the languages that are most used here.
const PERMISSION_PHRASES: [&str; 10] = [
    "would like to",
    "don't allow",
    "allow while using",
    "ask app not to track",
    "möchte auf",
    "möchte dir mitteilungen",
    "nicht erlauben",
    "quiere enviarte",
    "quiere acceder",
    "souhaite accéder",
];

/// The alert among what was found.
pub fn find(drafts: &[Draft], inputs: &Inputs<'_>) -> Option<Alert> {
    let in_tree = || {
        let tree = inputs.tree?;
        let node = tree.root.walk().find(|node| is_alert(node))?;
        node.frame
    };
    let seen = inputs.sight.scene.alert.as_ref().map(|alert| inputs.screen.to_points(alert.rect));
    let frame = seen.or_else(in_tree)?;
    let inside: Vec<&Draft> = drafts
        .iter()
        .filter(|d| d.role != Role::Alert && frame.contains(d.frame.center()) && !d.label.is_empty())
        .collect();
    let (title, message) = words(&inside, inputs);
    let buttons: Vec<String> = inside
        .iter()
        .filter(|d| d.role.is_control() && !d.role.is_field())
        .map(|d| d.label.clone())
        .collect();
    let owner = owner(&frame, &title, &message, &buttons, inputs);
    Some(Alert { owner, title, message, buttons, frame })
}

/// Title and message: as vision parted them, else the first text and the rest.
fn words(inside: &[&Draft], inputs: &Inputs<'_>) -> (String, String) {
    if let Some(alert) = inputs.sight.scene.alert.as_ref().filter(|alert| !alert.title_lines.is_empty()) {
        return (joined(inputs.sight, &alert.title_lines), joined(inputs.sight, &alert.message_lines));
    }
    let mut texts = inside.iter().filter(|d| !d.role.is_control()).map(|d| d.label.as_str());
    let title = texts.next().unwrap_or_default().to_owned();
    (title, texts.collect::<Vec<_>>().join(" "))
}

fn is_alert(node: &AccessibilityNode) -> bool {
    node.role == Some(Role::Alert) || node.kind == "Alert" || node.traits.iter().any(|t| t == "Alert")
}

/// By the process that the tree names; without one, by what only the system says.
fn owner(frame: &Rect, title: &str, message: &str, buttons: &[String], inputs: &Inputs<'_>) -> AlertOwner {
    let by_process = || {
        let ours = inputs.app_pid?;
        let names: Vec<String> = buttons.iter().map(|b| fold(b)).collect();
        let node = inputs.tree?.root.walk().find(|node| {
            let inside = node.frame.is_some_and(|f| frame.contains(f.center()));
            inside && node.label.as_deref().map(fold).is_some_and(|l| names.contains(&l))
        })?;
        let pid = node.pid.or(inputs.tree?.root.pid)?;
        Some(if pid == ours { AlertOwner::App } else { AlertOwner::System })
    };
    by_process().unwrap_or_else(|| {
        let words = fold(&format!("{title} {message} {}", buttons.join(" ")));
        let asked = PERMISSION_PHRASES.iter().any(|phrase| contains_words(&words, phrase));
        if asked { AlertOwner::System } else { AlertOwner::Unknown }
    })
}
