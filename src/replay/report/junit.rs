//! JUnit XML as CI systems read it: one suite a recording, one case a step, pictures by path. Uses `events`.

use std::fmt::Write as _;
use std::io;
use std::path::{Path, PathBuf};

use super::escaped;
use crate::replay::events::{Event, Reporter};
use crate::replay::outcome::{RecordingReport, RecordingVerdict, RunReport, StepReport, StepVerdict};

/// Written whole when the run ends.
pub struct JUnit {
    path: PathBuf,
}

impl JUnit {
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into() }
    }
}

impl Reporter for JUnit {
    fn tell(&mut self, event: &Event) -> io::Result<()> {
        let Event::RunFinished { report } = event else { return Ok(()) };
        write(&self.path, report)
    }
}

/// Writes the document of a whole run.
pub fn write(path: &Path, report: &RunReport) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)?;
    }
    std::fs::write(path, document(report))
}

fn document(report: &RunReport) -> String {
    let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    let count = Count::of(report.recordings.iter());
    // writing to a String can't fail
    let _ = writeln!(out, "<testsuites name=\"simdrive\"{count} time=\"{}\">", seconds(report.duration_ms));
    report.recordings.iter().for_each(|r| suite(&mut out, r));
    out.push_str("</testsuites>\n");
    out
}

fn suite(out: &mut String, recording: &RecordingReport) {
    let count = Count::of(std::iter::once(recording));
    let (name, time) = (escaped(&recording.name), seconds(recording.duration_ms));
    let file = escaped(&recording.path.join("recording.yaml").display().to_string());
    let _ = writeln!(out, "  <testsuite name=\"{name}\" file=\"{file}\"{count} time=\"{time}\">");
    let device = escaped(&recording.device);
    let _ = writeln!(
        out,
        "    <properties><property name=\"device\" value=\"{device}\"/>\
         <property name=\"attempts\" value=\"{}\"/></properties>",
        recording.attempts
    );
    recording.steps.iter().for_each(|step| case(out, &name, recording, step));
    if without_step(recording) {
        let message = escaped(recording.message.as_deref().unwrap_or("not run"));
        let tag = if recording.verdict == RecordingVerdict::NotRun { "skipped" } else { "error" };
        let kind = recording.code.map(|c| format!(" type=\"{c}\"")).unwrap_or_default();
        let _ = writeln!(
            out,
            "    <testcase classname=\"{name}\" name=\"start\" time=\"0\"><{tag} message=\"{message}\"{kind}/></testcase>"
        );
    }
    out.push_str("  </testsuite>\n");
}

/// A recording that failed before or beside its steps needs a case of its own to be seen.
fn without_step(recording: &RecordingReport) -> bool {
    let bad = !matches!(recording.verdict, RecordingVerdict::Passed | RecordingVerdict::Flaky);
    bad && recording.failing_step().is_none()
}

fn case(out: &mut String, suite: &str, recording: &RecordingReport, step: &StepReport) {
    let name = escaped(&format!("{:03} {}", step.step, step.description));
    let time = seconds(step.duration_ms);
    let _ = write!(out, "    <testcase classname=\"{suite}\" name=\"{name}\" time=\"{time}\"");
    let reason = step.reason().unwrap_or_default();
    let message = escaped(&reason);
    match step.verdict {
        StepVerdict::Passed => out.push_str("/>\n"),
        StepVerdict::Ungated => out.push_str("><system-out>done without its gate</system-out></testcase>\n"),
        StepVerdict::Healed | StepVerdict::Flaky => {
            let _ = writeln!(out, "><system-out>{message}</system-out></testcase>");
        }
        StepVerdict::NotRun => {
            out.push_str("><skipped message=\"an earlier step halted the recording\"/></testcase>\n")
        }
        StepVerdict::Drifted if recording.forced => {
            let _ = writeln!(out, "><system-out>gone past: {message}</system-out></testcase>");
        }
        StepVerdict::Drifted | StepVerdict::Missing | StepVerdict::Failed => {
            let kind = step.code.map_or("failed", |c| c.as_str());
            let body = escaped(&body(&reason, step));
            let _ = writeln!(
                out,
                ">\n      <failure message=\"{message}\" type=\"{kind}\">{body}</failure>{}\n    </testcase>",
                attachments(step)
            );
        }
    }
}

fn body(reason: &str, step: &StepReport) -> String {
    let mut body = reason.to_owned();
    if let Some(suggestion) = &step.suggestion {
        let _ = write!(body, "\n{suggestion}");
    }
    for region in step.gates.iter().flat_map(|g| &g.regions) {
        let p = region.points;
        let near = region.nearest.as_deref().unwrap_or("no mark near");
        let rule = region.rule.as_str();
        let _ = write!(body, "\n{rule} at {:.0},{:.0} {:.0}×{:.0} pt: {near}", p.x, p.y, p.width, p.height);
    }
    body
}

/// The form that Jenkins and GitLab read: one line for each file.
fn attachments(step: &StepReport) -> String {
    let mut files: Vec<String> = Vec::new();
    for gate in step.gates.iter().filter(|g| !g.measured.matched) {
        let pictures = [Some(&gate.expected), gate.actual.as_ref(), gate.difference.as_ref()];
        files.extend(
            pictures.into_iter().flatten().map(|p| format!("[[ATTACHMENT|{}]]", absolute(p).display())),
        );
    }
    if files.is_empty() {
        return String::new();
    }
    format!("\n      <system-out>{}</system-out>", escaped(&files.join("\n")))
}

fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}

#[derive(Default)]
struct Count {
    tests: usize,
    failures: usize,
    errors: usize,
    skipped: usize,
}

impl Count {
    fn of<'a>(recordings: impl Iterator<Item = &'a RecordingReport>) -> Self {
        let mut count = Self::default();
        for recording in recordings {
            count.tests += recording.steps.len();
            for step in &recording.steps {
                match step.verdict {
                    StepVerdict::NotRun => count.skipped += 1,
                    StepVerdict::Drifted if recording.forced => {}
                    verdict => count.failures += usize::from(verdict.is_failure()),
                }
            }
            if without_step(recording) {
                count.tests += 1;
                match recording.verdict {
                    RecordingVerdict::NotRun => count.skipped += 1,
                    _ => count.errors += 1,
                }
            }
        }
        count
    }
}

impl std::fmt::Display for Count {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { tests, failures, errors, skipped } = self;
        write!(f, " tests=\"{tests}\" failures=\"{failures}\" errors=\"{errors}\" skipped=\"{skipped}\"")
    }
}

fn seconds(millis: u64) -> String {
    format!("{:.3}", millis as f64 / 1e3)
}
