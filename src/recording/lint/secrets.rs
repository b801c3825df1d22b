//! Looks for secrets in clear: in every text of the file, in its comments, and in what can be read in a frame.
//! Uses `secret_text`, `vision::text` lines.

use std::collections::BTreeSet;

use super::finding::{Findings, Rule, Spot};
use super::layout::Scalar;
use super::secret_text::{SecretKind, holds_email, is_left_open, named_secret, secrets_in};
use crate::act::Action;
use crate::act::action::TypedText;
use crate::recording::{RecordedTarget, Recording, Secrets, Side, StepBody, Variables};
use crate::vision::text::TextLine;

/// Keys that hold digests: by chance some are all digits, and some of these would pass for card numbers.
const DIGESTS: [&str; 3] = ["before", "after", "stable_id"];

/// What counts as secret in one recording.
pub(super) struct Betrayals {
    typed: Secrets,
    emails: bool,
}

impl Betrayals {
    /// E-mail addresses count where the recording types one as a secret; values as far as the environment knows them.
    pub(super) fn of(recording: Option<&Recording>) -> Self {
        let Some(recording) = recording else { return Self { typed: Secrets::default(), emails: false } };
        let types_email = |body: &StepBody| match body {
            StepBody::Act(action) => match &**action {
                Action::TypeText { text: TypedText::Secret(name), into, .. } => {
                    says_email(name) || into.as_ref().is_some_and(is_email_field)
                }
                _ => false,
            },
            StepBody::Check(_) => false,
        };
        Self {
            typed: Secrets::of(recording, &Variables::default()),
            emails: recording.steps.iter().any(|step| types_email(&step.body)),
        }
    }

    fn kinds(&self, text: &str) -> Vec<SecretKind> {
        let mut kinds = secrets_in(text);
        if self.emails && holds_email(text) {
            kinds.push(SecretKind::Email);
        }
        if self.typed.shows(text) {
            kinds.push(SecretKind::Typed);
        }
        kinds
    }

    /// Whether a text may be written.
    pub(super) fn is_harmless(&self, text: &str) -> bool {
        self.kinds(text).is_empty()
    }

    pub(super) fn in_file(&self, recording: Option<&Recording>, found: &mut Findings) {
        let layout = std::mem::take(&mut found.layout);
        let mut kinds: Vec<(Spot, SecretKind)> = Vec::new();
        let mut lines: BTreeSet<(u64, SecretKind)> = BTreeSet::new();
        for (i, scalar) in layout.scalars.iter().enumerate() {
            let flag = i.checked_sub(1).and_then(|before| layout.scalars.get(before));
            for kind in self.of_scalar(scalar, flag, recording) {
                lines.insert((scalar.line, kind));
                kinds.push((Spot::Key(scalar.key.clone()), kind));
            }
        }
        for (text, line) in layout.text.lines().zip(1..) {
            // a file without keys is no YAML, and read as it is
            let text = if layout.scalars.is_empty() { without_digest(text) } else { comment(text) };
            let new = self.kinds(text).into_iter().filter(|kind| lines.insert((line, *kind)));
            kinds.extend(new.map(|kind| (Spot::Line(line), kind)));
        }
        found.layout = layout;
        for (spot, kind) in kinds {
            let known = matches!(&spot, Spot::Key(key) if found.has(|f| {
                f.code == Rule::SecretInFile && f.key.as_ref() == Some(key)
            }));
            if !known {
                let message = match &spot {
                    Spot::Key(key) => format!("`{key}` holds {} in clear", kind.as_str()),
                    _ => format!("this line holds {} in clear", kind.as_str()),
                };
                found.add(Rule::SecretInFile, spot, message, FIX_FILE);
            }
        }
    }

    fn of_scalar(
        &self,
        scalar: &Scalar,
        before: Option<&Scalar>,
        recording: Option<&Recording>,
    ) -> Vec<SecretKind> {
        let name = scalar.key.rsplit('.').next().unwrap_or_default();
        if DIGESTS.contains(&name) {
            return Vec::new();
        }
        let mut kinds = self.kinds(&scalar.text);
        let named = if let Some(variable) = scalar.key.strip_prefix("setup.environment.") {
            named_secret(variable)
        } else if scalar.key.starts_with("setup.launch_arguments[") {
            // `--password hunter2` is two arguments
            before
                .filter(|flag| flag.key.starts_with("setup.launch_arguments[") && flag.text.starts_with('-'))
                .filter(|flag| !flag.text.contains('=') && !scalar.text.starts_with('-'))
                .and_then(|flag| named_secret(&flag.text))
        } else {
            recording.and_then(|recording| typed_into_secret_field(recording, &scalar.key))
        };
        if let Some(kind) = named.filter(|kind| is_left_open(&scalar.text) && !kinds.contains(kind)) {
            kinds.push(kind);
        }
        kinds
    }

    pub(super) fn in_frame(
        &self,
        (step, side): (usize, Side),
        name: &str,
        lines: &[TextLine],
        scale: f64,
        found: &mut Findings,
    ) {
        for line in lines {
            let (x, y) = (f64::from(line.rect.x) / scale, f64::from(line.rect.y) / scale);
            for kind in self.kinds(&line.text) {
                let message = format!("the frame {name} shows {} at {x:.0}, {y:.0}", kind.as_str());
                found.add(Rule::SecretInFrame, Spot::Step(step, side.as_str()), message, FIX_FRAME);
            }
        }
    }
}

const FIX_FILE: &str = "type it by `secret: NAME`, or write `${NAME}`, and set the variable where it is replayed; \
                        if it was ever committed, change it where it is valid";
const FIX_FRAME: &str = "record again with test data, or type it by `secret: NAME`, which blanks its field; \
                         if it was ever committed, change it where it is valid";

/// What kind of secret a field is for that this key's text is typed into, by the field's label or identifier.
fn typed_into_secret_field(recording: &Recording, key: &str) -> Option<SecretKind> {
    let index: usize = key.strip_prefix("steps[")?.strip_suffix("].text")?.parse().ok()?;
    let StepBody::Act(action) = &recording.steps.get(index)?.body else { return None };
    match &**action {
        Action::TypeText { into: Some(RecordedTarget::Mark(field)), .. } => {
            named_secret(&field.label).or_else(|| named_secret(field.identifier.as_deref()?))
        }
        _ => None,
    }
}

fn is_email_field(target: &RecordedTarget) -> bool {
    match target {
        RecordedTarget::Mark(mark) => {
            says_email(&mark.label) || mark.identifier.as_deref().is_some_and(says_email)
        }
        RecordedTarget::Point(_) => false,
    }
}

fn says_email(name: &str) -> bool {
    name.to_lowercase().replace('-', "").contains("email")
}

/// What stands behind `#`; in a text it is looked at twice, and told once.
fn comment(line: &str) -> &str {
    match line.find('#') {
        Some(at) if at == 0 || line[..at].ends_with([' ', '\t']) => &line[at..],
        _ => "",
    }
}

/// A line of a file that can't be parsed, unless it is the name of a frame.
fn without_digest(line: &str) -> &str {
    let key = line.trim_start_matches([' ', '-']).split(':').next().unwrap_or_default();
    if DIGESTS.contains(&key) { "" } else { line }
}
