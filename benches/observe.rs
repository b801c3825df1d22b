//! How long reading a screen takes, as ratios in one run: `cargo bench --bench observe`.
//!
//! * cold: nothing is known yet
//! * single pass: the careful network alone, each line at full size, one at a time, nothing remembered, as
//!   `ocrs` reads; on the same models and the same lines
//! * one row changed, and nothing changed: the reader has seen the frame before

use std::time::{Duration, Instant};

use image::imageops::{self, FilterType};
use image::{DynamicImage, RgbImage, RgbaImage};
use rten::Model;
use rten_tensor::{AsView, NdTensor};
use simdrive::frame::Frame;
use simdrive::geometry::PixelRect;
use simdrive::sim::{Simulator, SimulatorOptions, app};
use simdrive::vision::text::{TextModels, TextReader};

const ROUNDS: usize = 7;

fn main() {
    let models = TextModels::shared().expect("the built-in models load");
    println!("median of {ROUNDS} rounds, milliseconds; ratios against cold");
    println!(
        "{:<12} {:>5} {:>8} {:>18} {:>18} {:>18}",
        "screen", "lines", "cold", "single pass", "one row", "same"
    );
    for (name, other) in [("demo", "shop"), ("shop", "settings"), ("settings", "demo"), ("chaos", "shop")] {
        let mut simulator = simulator_of(name);
        let scale = simulator.screen().scale_x();
        let first = Frame::new((*simulator.render()).clone()).expect("a frame");
        let fresh = || TextReader::new(models.clone());
        let boxes = |frame: &Frame| -> Vec<PixelRect> {
            fresh().read(frame, scale).expect("it reads").lines.iter().map(|l| l.rect).collect()
        };
        let lines = boxes(&first);
        let other = Frame::new((*simulator_of(other).render()).clone()).expect("a frame");
        let other = (other.clone(), boxes(&other));
        let changed = with_a_changed_row(&first, &lines, &other, scale);
        let cold = median(|| {
            let mut reader = fresh();
            timed(|| drop(reader.read(&first, scale)))
        });
        let single = SinglePass::load();
        let single = median(|| timed(|| single.read(first.pixels(), &lines)));
        let row = median(|| {
            let mut reader = fresh();
            drop(reader.read(&first, scale));
            timed(|| drop(reader.read(&changed, scale)))
        });
        let same = median(|| {
            let mut reader = fresh();
            drop(reader.read(&first, scale));
            let copy = Frame::new(first.pixels().clone()).expect("a frame");
            timed(|| drop(reader.read(&copy, scale)))
        });
        let ms = |t: Duration| t.as_secs_f64() * 1e3;
        println!(
            "{name:<12} {:>5} {:>8.1} {:>9.1} ({:>5.1}×) {:>9.1} ({:>5.1}×) {:>9.2} ({:>5.0}×)",
            lines.len(),
            ms(cold),
            ms(single),
            ms(single) / ms(cold),
            ms(row),
            ms(cold) / ms(row),
            ms(same),
            ms(cold) / ms(same),
        );
    }
}

fn simulator_of(name: &str) -> Simulator {
    let options = SimulatorOptions::parse("clock=2026-01-01T09:41:00Z").expect("options");
    let mut simulator = Simulator::new(app::load(name).expect("an embedded app"), options);
    simulator.advance(Duration::from_millis(2_500));
    simulator
}

/// The row of the line that stands most alone, with such a row of another screen in its place: whole words that were
/// never read before.
fn with_a_changed_row(
    frame: &Frame,
    lines: &[PixelRect],
    other: &(Frame, Vec<PixelRect>),
    scale: f64,
) -> Frame {
    let mut pixels: RgbaImage = frame.pixels().clone();
    let height = (44.0 * scale) as u32;
    let top =
        |lines: &[PixelRect]| (loneliest(lines).y + loneliest(lines).height / 2).saturating_sub(height / 2);
    let row = imageops::crop_imm(other.0.pixels(), 0, top(&other.1), pixels.width(), height).to_image();
    imageops::replace(&mut pixels, &row, 0, i64::from(top(lines)));
    Frame::new(pixels).expect("a frame")
}

/// Of the lines that share their row with none, the one with the most room above and below it.
fn loneliest(lines: &[PixelRect]) -> PixelRect {
    let apart = u32::saturating_sub;
    let gap = |line: &PixelRect, other: &PixelRect| {
        apart(line.y, other.bottom()).max(apart(other.y, line.bottom()))
    };
    let room = |line: &PixelRect| {
        let others = lines.iter().filter(|other| *other != line);
        others.map(|other| gap(line, other)).min().unwrap_or(0)
    };
    // the status bar is no row
    let rows = lines.iter().filter(|line| line.y > 250 && line.bottom() < 2_300);
    rows.max_by_key(|line| room(line)).copied().expect("a screen with text")
}

fn timed(work: impl FnOnce()) -> Duration {
    let started = Instant::now();
    work();
    started.elapsed()
}

fn median(mut round: impl FnMut() -> Duration) -> Duration {
    let mut times: Vec<Duration> = (0..ROUNDS).map(|_| round()).collect();
    times.sort();
    times[ROUNDS / 2]
}

/// Plain reading with the detector and the careful recogniser.
struct SinglePass {
    detector: Model,
    recogniser: Model,
}

impl SinglePass {
    fn load() -> Self {
        let model = |name: &str| {
            let path = format!("{}/src/vision/text/models/{name}.onnx", env!("CARGO_MANIFEST_DIR"));
            Model::load_file(path).expect("a model of this repository")
        };
        Self { detector: model("detect"), recogniser: model("read-small") }
    }

    fn read(&self, pixels: &RgbaImage, lines: &[PixelRect]) {
        let rgb = DynamicImage::ImageRgba8(pixels.clone()).into_rgb8();
        let (width, height) = rgb.dimensions();
        let factor = 960.0 / f64::from(width.max(height));
        let side = |length: u32| ((f64::from(length) * factor / 32.0).round() as u32).max(1) * 32;
        let small = imageops::resize(&rgb, side(width), side(height), FilterType::Triangle);
        self.detector.run_one(tensor(&small).view().into(), None).expect("it detects");
        for line in lines {
            let margin = line.height / 4;
            let (x, y) = (line.x.saturating_sub(margin), line.y.saturating_sub(margin));
            let crop =
                imageops::crop_imm(&rgb, x, y, line.width + 2 * margin, line.height + 2 * margin).to_image();
            let wide = (f64::from(crop.width()) * 48.0 / f64::from(crop.height())).ceil() as u32;
            let scaled = imageops::resize(&crop, wide.div_ceil(32) * 32, 48, FilterType::Triangle);
            let output = self.recogniser.node_id("all").expect("its output");
            let input = self.recogniser.input_ids()[0];
            self.recogniser
                .run(vec![(input, tensor(&scaled).view().into())], &[output], None)
                .expect("it reads");
        }
    }
}

/// Planes of blue, green, red.
fn tensor(picture: &RgbImage) -> NdTensor<f32, 4> {
    let (width, height) = (picture.width() as usize, picture.height() as usize);
    let plane = |c: usize| picture.pixels().map(move |p| f32::from(p.0[c]) / 127.5 - 1.0);
    let values: Vec<f32> = (0..3).rev().flat_map(plane).collect();
    NdTensor::from_data([1, 3, height, width], values)
}
