//! Linting recordings, as a tool; commands ask for the same report.

use std::path::{Path, PathBuf};
use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::code::ErrorCode;
use crate::operation::{Call, Context, OperationError, Outcome, Run};
use crate::policy::Mode;
use crate::recording::lint::{Finding, Linted, Linter, Severity};
use crate::recording::{Project, Store, recordings_under};

/// Findings that a tool tells in words; a model reads no more, and can ask for one recording.
const TOLD: usize = 60;

#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct LintRecordings {
    /// A recording, or a folder of them; else all
    path: Option<PathBuf>,
    /// Do what is safe
    fix: Option<bool>,
}

impl Run for LintRecordings {
    fn deadline(&self) -> Duration {
        Duration::from_secs(1_800)
    }

    fn needs(&self) -> Mode {
        if self.fix == Some(true) { Mode::Interact } else { Mode::Observe }
    }

    fn permitted(&self, context: &Context) -> Result<(), OperationError> {
        let root = absolute(context.store.root());
        let path = self.path.clone().unwrap_or_else(|| root.clone());
        context.policy.admit_path(&path)?;
        let path = absolute(&path);
        if self.fix == Some(true) && !lies_in(&path, &root) {
            let message =
                format!("{} lies outside of the recordings folder {}", path.display(), root.display());
            return Err(OperationError::new(ErrorCode::PolicyDenied, message)
                .with_hint("nothing was changed; `simdrive lint --fix` takes any path"));
        }
        Ok(())
    }

    async fn run(self, context: &Context, call: &Call) -> Result<Outcome, OperationError> {
        let fix = self.fix.unwrap_or(false);
        let path = self.path.map_or_else(|| absolute(context.store.root()), |path| absolute(&path));
        let report = lint(chosen(&context.store, &[path])?, context.project.clone(), fix, call).await?;
        let failed = report.count(Severity::Error) > 0;
        Ok(Outcome { failed, ..Outcome::new(report.to_text(TOLD), report.to_json()) })
    }
}

/// What was found in all of them.
#[derive(Debug)]
pub struct LintReport {
    pub linted: Vec<Linted>,
}

/// The folders of the recordings at and below these paths, each once; a name of the store is taken, too.
///
/// # Errors
/// Nothing is there, or a file that is no recording.
pub fn chosen(store: &Store, paths: &[PathBuf]) -> Result<Vec<PathBuf>, OperationError> {
    let mut folders: Vec<PathBuf> = Vec::new();
    for path in paths {
        let below = if path.is_dir() {
            recordings_under(path)
        } else if path.file_name().is_some_and(|name| name == "recording.yaml") && path.is_file() {
            vec![path.parent().unwrap_or(Path::new(".")).to_owned()]
        } else if path.is_file() {
            let message = format!("{} is no recording: give its folder", path.display());
            return Err(OperationError::invalid(message));
        } else if absolute(path) == absolute(store.root()) {
            // a folder of recordings comes to be with the first one
            Vec::new()
        } else {
            match path.to_str().map(|name| store.existing(name)) {
                Some(Ok(folder)) => vec![folder],
                _ => {
                    let message = format!("there is nothing at {}", path.display());
                    return Err(OperationError::new(ErrorCode::RecordingNotFound, message));
                }
            }
        };
        for folder in below {
            if !folders.iter().any(|known| absolute(known) == absolute(&folder)) {
                folders.push(folder);
            }
        }
    }
    Ok(folders)
}

/// Lints one recording after the other.
///
/// # Errors
/// The models fail, a file can't be written, or nobody waits any more.
pub async fn lint(
    folders: Vec<PathBuf>,
    project: Project,
    fix: bool,
    call: &Call,
) -> Result<LintReport, OperationError> {
    let mut linter = Linter::new(project);
    let call = call.clone();
    let work = tokio::task::spawn_blocking(move || {
        let mut linted = Vec::new();
        for (done, folder) in folders.iter().enumerate() {
            if call.cancellation.is_cancelled() {
                return Err(OperationError::cancelled("lint"));
            }
            call.progress(done as f64, Some(folders.len() as f64), &folder.display().to_string());
            linted.push(if fix { linter.fix(folder)? } else { linter.lint(folder)? });
        }
        Ok(LintReport { linted })
    });
    work.await.map_err(|e| OperationError::internal(e.to_string()))?
}

impl LintReport {
    pub fn count(&self, severity: Severity) -> usize {
        self.findings().filter(|finding| finding.severity == severity).count()
    }

    fn findings(&self) -> impl Iterator<Item = &Finding> {
        self.linted.iter().flat_map(|linted| &linted.findings)
    }

    fn fixed(&self) -> impl Iterator<Item = &Finding> {
        self.linted.iter().flat_map(|linted| &linted.fixed)
    }

    /// A line for each finding and one for what to do, at most `most` of them.
    pub fn to_text(&self, most: usize) -> String {
        let mut lines: Vec<String> = self.fixed().map(|finding| format!("fixed {}", line(finding))).collect();
        for finding in self.findings().take(most) {
            lines.push(line(finding));
            let does = if finding.repair.is_some() { " (--fix does it)" } else { "" };
            lines.push(format!("  fix: {}{does}", finding.fix));
        }
        let left_out = self.findings().count().saturating_sub(most);
        if left_out > 0 {
            lines.push(format!("… and {left_out} more; lint one recording to see all of its own"));
        }
        lines.push(self.summary());
        lines.join("\n")
    }

    pub fn summary(&self) -> String {
        let counted =
            |number: usize, of: &str| format!("{number} {of}{}", if number == 1 { "" } else { "s" });
        let mut summary = format!(
            "{}: {}, {}, {}",
            counted(self.linted.len(), "recording"),
            counted(self.count(Severity::Error), "error"),
            counted(self.count(Severity::Warning), "warning"),
            counted(self.count(Severity::Note), "note"),
        );
        let fixed = self.fixed().count();
        if fixed > 0 {
            summary += &format!("; {fixed} fixed");
        }
        summary
    }

    pub fn to_json(&self) -> Value {
        json!({
            "recordings": self.linted.len(),
            "errors": self.count(Severity::Error),
            "warnings": self.count(Severity::Warning),
            "notes": self.count(Severity::Note),
            "findings": self.findings().collect::<Vec<_>>(),
            "fixed": self.fixed().collect::<Vec<_>>(),
        })
    }
}

fn line(finding: &Finding) -> String {
    let at = finding.line.map_or_else(String::new, |line| format!(":{line}"));
    let step = finding.step.map_or_else(String::new, |step| format!("step {step}: "));
    let Finding { severity, code, file, message, .. } = finding;
    format!("{}{at}: {} {}: {step}{message}", file.display(), severity.as_str(), code.code())
}

fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}

/// Whether a path, wherever its links lead, is this folder or in it.
fn lies_in(path: &Path, folder: &Path) -> bool {
    match (path.canonicalize(), folder.canonicalize()) {
        (Ok(path), Ok(folder)) => path.starts_with(folder),
        // what is not there is refused as such
        _ => true,
    }
}
