//! One gate: polls until the screen is as recorded or the time is over, so that a slow screen is no drift.
//! Uses `vision::gate`, `recording`, `observe`.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::outcome::{GateReport, Measured, RegionReport};
use super::stage::{Refusal, Stage, Waited};
use crate::code::ErrorCode;
use crate::frame::Frame;
use crate::geometry::{Rect, Screen};
use crate::mark::{Mark, smallest_at};
use crate::observe::Observation;
use crate::recording::Side;
use crate::vision::gate::{Comparison, GateOptions, Region, compare_masked};
use crate::vision::mask::{self, Mask, NamedMask};
use crate::vision::text::{TextLine, TextModels, TextReader};

/// How long a gate polls where nobody says.
const TIMEOUT: Duration = Duration::from_secs(5);
const BETWEEN_LOOKS: Duration = Duration::from_millis(100);

/// What the screen is held against.
pub struct Gate {
    pub side: Side,
    pub expected: Frame,
    /// Where the expected frame is stored.
    pub path: PathBuf,
    /// Pixels a point.
    pub scale: f64,
    pub options: GateOptions,
    pub masks: Vec<Mask>,
}

/// What a gate said, and the look it said it of.
pub struct Passage {
    pub report: GateReport,
    pub comparison: Comparison,
    pub screen: Arc<Observation>,
    pub expected: Frame,
    /// Time spent comparing.
    pub own_time: Duration,
}

impl Gate {
    /// Polls, beginning with a look that was already taken.
    pub async fn pass(self, stage: &mut dyn Stage, first: Arc<Observation>) -> Result<Passage, Refusal> {
        let timeout = self.options.timeout_ms.map_or(TIMEOUT, Duration::from_millis);
        let (mut waited, mut screen, mut looks) = (Waited::start(), first, 1);
        let mut own_time = Duration::ZERO;
        loop {
            let begun = Instant::now();
            let comparison = self.compare(&screen).await?;
            own_time += begun.elapsed();
            let so_far = waited.elapsed(stage);
            if !comparison.is_drift() || so_far >= timeout {
                let so_far = if looks == 1 { Duration::ZERO } else { so_far };
                let report = self.report(&comparison, &screen, so_far, looks);
                return Ok(Passage { report, comparison, screen, expected: self.expected, own_time });
            }
            screen = waited.look_again(stage, BETWEEN_LOOKS).await?;
            looks += 1;
        }
    }

    /// Masks are looked for in both frames, in the pixels; text is read only where one goes by text.
    pub(super) async fn compare(&self, screen: &Arc<Observation>) -> Result<Comparison, Refusal> {
        let failed = |message: String| Refusal { code: ErrorCode::Internal, message };
        let (expected, seen) = (self.expected.clone(), screen.clone());
        let (scale, options) = (self.scale, self.options);
        let mut masks = self.masks.clone();
        if masks.contains(&Mask::Named(NamedMask::Caret)) {
            // what never rests can't be as recorded
            masks.extend(seen.furniture.moving.iter().copied().map(Mask::Rect));
        }
        let compared = tokio::task::spawn_blocking(move || {
            let size = Screen::of_picture(expected.size(), scale);
            let expected = mask::Side::of(&expected);
            let observed = mask::Observed { marks: &seen.marks, status_bar: seen.furniture.status_bar };
            let actual = mask::Side { frame: &seen.frame, observed: Some(observed) };
            compare_masked(expected, actual, &size, &masks, &options, &mut |frame| read_text(frame, scale))
        });
        compared.await.map_err(|e| failed(format!("the gate was broken off: {e}")))?.map_err(Refusal::from)
    }

    fn report(
        &self,
        comparison: &Comparison,
        screen: &Observation,
        waited: Duration,
        looks: u32,
    ) -> GateReport {
        GateReport {
            frame: self.side,
            measured: Measured::from(comparison),
            regions: regions(comparison, &screen.marks),
            masked: comparison.masks.iter().map(|masked| masked.rect).collect(),
            waited_ms: u64::try_from(waited.as_millis()).unwrap_or(u64::MAX),
            looks,
            expected: self.path.clone(),
            actual: None,
            difference: None,
        }
    }
}

/// Where a comparison drifted, each place by the mark it lies in or next to.
pub(super) fn regions(comparison: &Comparison, marks: &[Mark]) -> Vec<RegionReport> {
    let report = |region: &Region| RegionReport {
        pixels: region.rect,
        points: region.points,
        rule: region.rule,
        changed_pixels: region.pixels,
        nearest: nearest(&region.points, marks),
    };
    comparison.regions.iter().map(report).collect()
}

pub(super) fn read_text(frame: &Frame, scale: f64) -> Result<Vec<TextLine>, String> {
    let models = TextModels::shared().map_err(|e| e.to_string())?;
    TextReader::new(models).read(frame, scale).map(|reading| reading.lines).map_err(|e| e.to_string())
}

/// Points that a mark may be away and still say where a region is.
const NEAR: f64 = 40.0;

/// The smallest mark that a region lies in, else the nearest, in words.
fn nearest(region: &Rect, marks: &[Mark]) -> Option<String> {
    let mark = smallest_at(marks, region.center()).or_else(|| {
        let distances = marks.iter().map(|m| (distance(region, &m.frame), m));
        distances.filter(|(d, _)| *d <= NEAR).min_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, mark)| mark)
    })?;
    Some(super::locate::in_words(mark))
}

/// Between the edges of two rectangles; 0 where they touch.
fn distance(a: &Rect, b: &Rect) -> f64 {
    let gap = |lower: f64, upper: f64| (lower - upper).max(0.0);
    let x = gap(a.x, b.right()).max(gap(b.x, a.right()));
    let y = gap(a.y, b.bottom()).max(gap(b.y, a.bottom()));
    x.hypot(y)
}
