//! What may stand where a user is still typing: devices, labels of the last look, names of recordings and sessions.
//! Uses `session`, `recording`.

use crate::operation::Context;
use crate::recording::FrameName;
use crate::session::devices;

/// Values of the argument `name` that go on from `typed`, the likeliest first. `given` are arguments that are known
/// already, by name.
pub async fn complete(
    context: &Context,
    name: &str,
    typed: &str,
    given: impl Fn(&str) -> Option<String>,
) -> Vec<String> {
    let values = match name {
        "device" => {
            let known = devices::known(context.companion.as_deref()).await.devices.into_iter();
            let selectors = known.map(|device| device.selector);
            selectors.filter(|selector| context.policy.admit_device(selector).is_ok()).collect()
        }
        "label" => labels(context),
        "recording" | "name" => context.store.names(),
        "session" => context.sessions.all().into_iter().map(|(id, _)| id).collect(),
        "report" => context.reports.all().into_iter().map(|(id, _)| id).collect(),
        "frame" => given("name").map(|recording| frames(context, &recording)).unwrap_or_default(),
        "app" => apps(context),
        _ => Vec::new(),
    };
    fitting(values, typed)
}

fn labels(context: &Context) -> Vec<String> {
    let looks = context.sessions.all().into_iter().filter_map(|(_, session)| session.last());
    looks.flat_map(|seen| seen.marks.iter().map(|mark| mark.label.clone()).collect::<Vec<_>>()).collect()
}

fn apps(context: &Context) -> Vec<String> {
    let sessions = context.sessions.all().into_iter();
    sessions.filter_map(|(_, session)| session.app().map(|app| app.bundle_id.clone())).collect()
}

fn frames(context: &Context, recording: &str) -> Vec<String> {
    let Ok(loaded) = context.store.named(recording) else { return Vec::new() };
    let steps = loaded.recording.steps.iter();
    steps.flat_map(|step| [&step.before, &step.after]).flatten().map(FrameName::to_string).collect()
}

/// Those that begin so, then those that hold it, each once.
fn fitting(values: Vec<String>, typed: &str) -> Vec<String> {
    let typed = typed.trim().to_lowercase();
    let (mut begin, mut hold) = (Vec::new(), Vec::new());
    for value in values.into_iter().filter(|value| !value.is_empty()) {
        let folded = value.to_lowercase();
        let fits = if folded.starts_with(&typed) { &mut begin } else { &mut hold };
        if folded.contains(&typed) && !fits.contains(&value) {
            fits.push(value);
        }
    }
    begin.append(&mut hold);
    begin
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn beginnings_come_before_parts_and_nothing_comes_twice() {
        let values = ["Sign up", "Design", "Sign up", "", "Home"].map(str::to_owned).to_vec();
        assert_eq!(fitting(values, "sign"), ["Sign up", "Design"]);
    }
}
