//! `simdrive compare A B`: do two screenshots show the same screen?

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use image::DynamicImage;
use serde_json::{Value, json};

use super::gate::GateArgs;
use super::{Settings, output};
use crate::exit::Exit;
use crate::frame::Frame;
use crate::geometry::{PixelSize, Rect, Screen};
use crate::operation::OperationError;
use crate::vision::annotate;
use crate::vision::gate::{self, Comparison, GateError};
use crate::vision::mask::{self, Side};
use crate::vision::text::{TextLine, TextModels, TextReader};

#[derive(Debug, Args)]
pub struct CompareArgs {
    /// The screenshot that is expected (PNG or JPEG)
    expected: PathBuf,
    /// The one to compare with it
    actual: PathBuf,
    /// Pixels a point [default: told from the size]
    #[arg(long, value_name = "N")]
    scale: Option<f64>,
    /// Leave something out besides status bar, caret, scroll indicator and home indicator: keyboard, label=TEXT,
    /// role=ROLE, content=time, content=date, content=number, content=number:PATTERN, X,Y,WIDTH,HEIGHT in points;
    /// `none` leaves out nothing
    #[arg(long = "mask", value_name = "MASK", allow_hyphen_values = true)]
    masks: Vec<String>,
    #[command(flatten)]
    gate: GateArgs,
    /// What to compare by
    #[arg(long, value_enum, default_value_t)]
    metric: Metric,
    /// With --metric image-compare: below this similarity it is drift [default: 0.99]
    #[arg(long, value_name = "SCORE")]
    threshold: Option<f64>,
    /// Write a picture of both and of what differs
    #[arg(long, value_name = "PNG")]
    out: Option<PathBuf>,
    /// Print one JSON document
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, ValueEnum)]
enum Metric {
    /// The rules of the gate
    #[default]
    Gate,
    /// Mean structural similarity as the crate image-compare has it, for those who gate by it elsewhere
    ImageCompare,
}

/// Compares, prints the verdict; 0 for a match, 1 for drift.
pub fn run(args: CompareArgs) -> Exit {
    match compare(&args) {
        Ok(exit) => exit,
        Err(error) => output::failed(&error, args.json),
    }
}

fn compare(args: &CompareArgs) -> Result<Exit, OperationError> {
    // decoding is most of the work
    let (expected, actual) = rayon::join(|| read(&args.expected), || read(&args.actual));
    let (expected, actual) = (expected?, actual?);
    match args.metric {
        Metric::Gate => by_gate(args, &expected, &actual),
        Metric::ImageCompare => by_image_compare(args, &expected, &actual),
    }
}

fn by_gate(args: &CompareArgs, expected: &Frame, actual: &Frame) -> Result<Exit, OperationError> {
    let given = mask::from_arguments(&args.masks).map_err(|e| OperationError::invalid(e.to_string()))?;
    // as replay compares in this project
    let project = Settings::default().context()?.project;
    let masks = [given, project.masks].concat();
    let options = args.gate.options().over(project.gate);
    let scale = args.scale.unwrap_or_else(|| expected.size().likely_scale());
    options.limits(scale).map_err(refused)?;
    let screen = Screen::of_picture(expected.size(), scale);
    let mut reader = None;
    let mut read_text = |frame: &Frame| read_text(&mut reader, frame, scale);
    let [e, a] = [expected, actual].map(Side::of);
    let comparison =
        gate::compare_masked(e, a, &screen, &masks, &options, &mut read_text).map_err(refused)?;
    if let Some(file) = &args.out {
        let bytes = annotate::png(&gate::picture(expected, actual, &comparison));
        std::fs::write(file, bytes)
            .map_err(|e| OperationError::invalid(format!("{} can't be written: {e}", file.display())))?;
    }
    if args.json {
        output::print_json(&document(&comparison, args, actual.size())?);
    } else {
        output::print_line(&told(&comparison, args.scale.is_none()));
    }
    Ok(if comparison.is_drift() { Exit::Failed } else { Exit::Success })
}

/// The models are loaded when text is first asked for.
fn read_text(reader: &mut Option<TextReader>, frame: &Frame, scale: f64) -> Result<Vec<TextLine>, String> {
    let reader = match reader {
        Some(reader) => reader,
        None => reader.insert(TextReader::new(TextModels::shared().map_err(|e| e.to_string())?)),
    };
    reader.read(frame, scale).map(|reading| reading.lines).map_err(|e| e.to_string())
}

fn refused(error: GateError) -> OperationError {
    OperationError::new(error.code(), error.to_string())
}

fn read(file: &Path) -> Result<Frame, OperationError> {
    let refused = |why: String| OperationError::invalid(format!("{}: {why}", file.display()));
    let bytes = std::fs::read(file).map_err(|e| refused(e.to_string()))?;
    Frame::decode(&bytes).map_err(|e| refused(e.to_string()))
}

fn document(comparison: &Comparison, args: &CompareArgs, actual: PixelSize) -> Result<Value, OperationError> {
    let mut document =
        serde_json::to_value(comparison).map_err(|e| OperationError::internal(e.to_string()))?;
    document["scale_from"] = json!(if args.scale.is_some() { "argument" } else { "size" });
    document["size"] = json!(actual);
    document["summary"] = json!(comparison.summary());
    Ok(document)
}

/// The verdict, then a line for each region and each mask.
fn told(comparison: &Comparison, inferred: bool) -> String {
    let mut lines = vec![comparison.summary()];
    let place = |r: &Rect| format!("{:.0},{:.0} {:.0}×{:.0}", r.x, r.y, r.width, r.height);
    for region in &comparison.regions {
        lines.push(format!(
            "  {} at {} pt, {} pixels",
            region.rule.as_str(),
            place(&region.points),
            region.pixels
        ));
    }
    for masked in &comparison.masks {
        let name = masked.mask.as_ref().map_or_else(String::new, ToString::to_string);
        lines.push(format!("  left out {name} at {} pt", place(&masked.points)));
    }
    if inferred {
        lines.push(format!("  scale {} (told from the size; --scale says otherwise)", comparison.scale));
    }
    lines.join("\n")
}

fn by_image_compare(args: &CompareArgs, expected: &Frame, actual: &Frame) -> Result<Exit, OperationError> {
    let limit = args.threshold.unwrap_or(0.99);
    if !(0.0..=1.0).contains(&limit) {
        return Err(OperationError::invalid(format!("--threshold is {limit}; it must lie between 0 and 1")));
    }
    let grey = |frame: &Frame| DynamicImage::ImageRgba8(frame.pixels().clone()).into_luma8();
    let algorithm = image_compare::Algorithm::MSSIMSimple;
    // frames of different size drift, as by the gate
    let score = image_compare::gray_similarity_structure(&algorithm, &grey(expected), &grey(actual))
        .ok()
        .map(|similarity| similarity.score);
    let drift = score.is_none_or(|score| score < limit);
    let verdict = if drift { "drift" } else { "match" };
    let rule = if score.is_some() { "image-compare" } else { "size" };
    if args.json {
        output::print_json(&json!({
            "verdict": verdict, "rule": drift.then_some(rule), "measure": rule, "score": score, "limit": limit,
            "unit": "mean structural similarity of image-compare", "regions": [], "masks": [],
        }));
    } else {
        let score = score.map_or("different sizes".to_owned(), |score| format!("{score:.5}, limit {limit}"));
        output::print_line(&format!("{verdict} by {rule}: {score}"));
    }
    Ok(if drift { Exit::Failed } else { Exit::Success })
}
