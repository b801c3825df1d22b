//! The folder of `--report`: the page for people, the pictures, and `report.json`, from which reports of several
//! machines become one. Uses the outcome's types.

use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::html;
use crate::replay::events::{Event, Reporter};
use crate::replay::outcome::{GateReport, RecordingReport, RunReport};

const PAGE: &str = "index.html";
const DATA: &str = "report.json";
const PICTURES: &str = "pictures";
/// The version of `report.json` that this build writes and reads.
const SCHEMA: &str = "simdrive.report/1";

/// Why reports could not be merged.
#[derive(Debug, thiserror::Error)]
pub enum ReportError {
    #[error("{} can't be read: {source}", path.display())]
    Read { path: PathBuf, source: io::Error },
    #[error("{} can't be written: {source}", path.display())]
    Write { path: PathBuf, source: io::Error },
    #[error("{} is no report of this version of simdrive: {why}", path.display())]
    Invalid { path: PathBuf, why: String },
    #[error("{} is one of the reports that are merged; name another folder", .0.display())]
    IntoItself(PathBuf),
}

/// Writes the page and the data when the run ends.
pub struct Folder {
    folder: PathBuf,
}

impl Folder {
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self { folder: folder.into() }
    }

    /// Where the pictures of one recording of a run go.
    pub fn pictures(folder: &Path, run: usize, name: &str) -> PathBuf {
        folder.join(PICTURES).join(format!("{:03}-{name}", run + 1))
    }
}

impl Reporter for Folder {
    fn tell(&mut self, event: &Event) -> io::Result<()> {
        let Event::RunFinished { report } = event else { return Ok(()) };
        save(&self.folder, report)
    }
}

#[derive(Serialize, Deserialize)]
struct Data {
    schema: String,
    #[serde(flatten)]
    report: RunReport,
}

fn save(folder: &Path, report: &RunReport) -> io::Result<()> {
    std::fs::create_dir_all(folder)?;
    std::fs::write(folder.join(PAGE), html::page(report))?;
    let mut report = report.clone();
    // what lies in the folder is named from there, so that the folder can be moved
    each_picture(&mut report, |path| {
        *path = match path.strip_prefix(folder) {
            Ok(inside) => inside.to_owned(),
            Err(_) => std::path::absolute(&*path)?,
        };
        Ok(())
    })?;
    let data = Data { schema: SCHEMA.into(), report };
    std::fs::write(folder.join(DATA), serde_json::to_vec_pretty(&data)?)
}

/// Writes a page of what waits for a review, and says where it is.
pub fn save_review(folder: &Path, proposals: &[RecordingReport]) -> io::Result<PathBuf> {
    std::fs::create_dir_all(folder)?;
    let page = folder.join(PAGE);
    std::fs::write(&page, html::review_page(proposals))?;
    Ok(page)
}

fn read(folder: &Path) -> Result<RunReport, ReportError> {
    let path = folder.join(DATA);
    let bytes = std::fs::read(&path).map_err(|source| ReportError::Read { path: path.clone(), source })?;
    let invalid = |why: String| ReportError::Invalid { path: path.clone(), why };
    let data: Data = serde_json::from_slice(&bytes).map_err(|e| invalid(e.to_string()))?;
    if data.schema != SCHEMA {
        return Err(invalid(format!("its schema is `{}`, not `{SCHEMA}`", data.schema)));
    }
    let mut report = data.report;
    each_picture(&mut report, |path| {
        *path = folder.join(&*path);
        Ok(())
    })
    .map_err(|source| ReportError::Read { path, source })?;
    Ok(report)
}

/// Makes one report of several, with its own copies of their pictures. Its duration is that of the longest, for
/// shards run side by side.
///
/// # Errors
/// One of them can't be read or is of another version, or the new one can't be written.
pub fn merge(folders: &[PathBuf], out: &Path) -> Result<RunReport, ReportError> {
    if let Some(folder) = folders.iter().find(|folder| same(folder, out)) {
        return Err(ReportError::IntoItself(folder.clone()));
    }
    let reports = folders.iter().map(|folder| read(folder)).collect::<Result<Vec<_>, _>>()?;
    let duration_ms = reports.iter().map(|report| report.duration_ms).max().unwrap_or(0);
    let recordings = reports.into_iter().flat_map(|report| report.recordings).collect();
    let mut merged = RunReport::new(recordings, duration_ms);
    for (run, recording) in merged.recordings.iter_mut().enumerate() {
        let pictures = Folder::pictures(out, run, &recording.name);
        for gate in recording.steps.iter_mut().flat_map(|step| &mut step.gates).filter(|g| g.actual.is_some())
        {
            for path in paths(gate) {
                *path = copied(path, &pictures)?;
            }
        }
    }
    save(out, &merged).map_err(|source| ReportError::Write { path: out.to_owned(), source })?;
    Ok(merged)
}

fn same(a: &Path, b: &Path) -> bool {
    match (a.canonicalize(), b.canonicalize()) {
        (Ok(a), Ok(b)) => a == b,
        _ => a == b,
    }
}

fn copied(picture: &Path, to: &Path) -> Result<PathBuf, ReportError> {
    let target = to.join(picture.file_name().unwrap_or_default());
    let bytes =
        std::fs::read(picture).map_err(|source| ReportError::Read { path: picture.to_owned(), source })?;
    std::fs::create_dir_all(to)
        .and_then(|()| std::fs::write(&target, bytes))
        .map_err(|source| ReportError::Write { path: target.clone(), source })?;
    Ok(target)
}

fn each_picture(report: &mut RunReport, change: impl Fn(&mut PathBuf) -> io::Result<()>) -> io::Result<()> {
    let gates = report.recordings.iter_mut().flat_map(|r| &mut r.steps).flat_map(|step| &mut step.gates);
    gates.flat_map(paths).try_for_each(change)
}

fn paths(gate: &mut GateReport) -> impl Iterator<Item = &mut PathBuf> {
    [Some(&mut gate.expected), gate.actual.as_mut(), gate.difference.as_mut()].into_iter().flatten()
}

#[cfg(test)]
mod tests {
    use super::super::samples::recording;
    use super::*;
    use crate::replay::outcome::StepVerdict;

    /// A report of one recording that drifted, with its pictures.
    fn written(folder: &Path, name: &str) {
        let mut drifted = recording(name, StepVerdict::Drifted);
        let pictures = Folder::pictures(folder, 0, name);
        std::fs::create_dir_all(&pictures).unwrap();
        let picture = |what: &str| {
            let path = pictures.join(format!("001-before-{what}.png"));
            image::RgbImage::from_pixel(9, 12, image::Rgb([9, 8, 7])).save(&path).unwrap();
            path
        };
        let gate = &mut drifted.steps[0].gates[0];
        (gate.expected, gate.actual) = (picture("expected"), Some(picture("actual")));
        gate.difference = Some(picture("difference"));
        save(folder, &RunReport::new(vec![drifted, recording("other", StepVerdict::Passed)], 500)).unwrap();
    }

    #[test]
    fn reports_of_shards_become_one_that_stands_alone() {
        let dir = tempfile::tempdir().unwrap();
        let shards = ["one", "two"].map(|name| dir.path().join(name));
        shards.iter().for_each(|folder| written(folder, "sign-in"));
        // shards come from other machines
        let moved = dir.path().join("moved");
        std::fs::rename(&shards[0], &moved).unwrap();
        let out = dir.path().join("all");
        let merged = merge(&[moved.clone(), shards[1].clone()], &out).unwrap();
        assert_eq!((merged.passed, merged.failed, merged.duration_ms), (2, 2, 500));
        std::fs::remove_dir_all(&moved).unwrap();
        std::fs::remove_dir_all(&shards[1]).unwrap();
        let page = std::fs::read_to_string(out.join(PAGE)).unwrap();
        assert_eq!(page.matches("data:image/png").count(), 6);
        let again = read(&out).unwrap();
        let pictures: Vec<_> =
            again.recordings.iter().filter_map(|r| r.steps[0].gates[0].actual.as_ref()).collect();
        assert_eq!(pictures.len(), 2);
        assert!(pictures.iter().all(|path| path.exists()) && pictures[0] != pictures[1], "{pictures:?}");
    }

    #[test]
    fn what_is_no_report_is_a_typed_error() {
        let dir = tempfile::tempdir().unwrap();
        let (folder, out) = (dir.path().join("report"), dir.path().join("out"));
        let refused = || merge(std::slice::from_ref(&folder), &out).unwrap_err();
        assert!(matches!(refused(), ReportError::Read { .. }));
        std::fs::create_dir_all(&folder).unwrap();
        for text in ["", "{}", r#"{"schema": "simdrive.report/9", "simdrive": "9"}"#] {
            std::fs::write(folder.join(DATA), text).unwrap();
            assert!(matches!(refused(), ReportError::Invalid { .. }), "{text}");
        }
        written(&folder, "sign-in");
        assert!(matches!(merge(std::slice::from_ref(&folder), &folder), Err(ReportError::IntoItself(_))));
        std::fs::remove_dir_all(folder.join(PICTURES)).unwrap();
        assert!(matches!(refused(), ReportError::Read { .. }));
    }
}
