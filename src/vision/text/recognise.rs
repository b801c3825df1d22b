//! Reads crops: a quick network first, a careful one where the quick one is unsure.
//!
//! Crops of similar width go through a network together; several batches run at once on all cores.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use image::RgbaImage;
use rten_tensor::{AsView, Layout, NdTensor};

use super::ctc::{Reading, decode};
use super::ink::Strip;
use super::judge::{Recognised, judge};
use super::models::{Alphabet, Cascade, TextError};
use crate::geometry::PixelRect;
use crate::vision::resample::resample;

/// The height the networks were trained on.
const HEIGHT: usize = 48;
/// Widths are rounded up to this.
const STEP: usize = 32;
/// A longer line is squeezed.
const MAX_WIDTH: usize = 2400;
const MAX_BATCH: usize = 6;
/// The quick network is believed where its least sure character and the mean reach these.
const SURE_LEAST: f32 = 0.80;
const SURE_MEAN: f32 = 0.95;
/// Latin script that is read this surely needs no look at the other characters.
const LATIN_MEAN: f32 = 0.80;

/// A crop scaled to the networks' height: interleaved rows, (x / 255 - 0.5) / 0.5.
struct Scaled {
    width: usize,
    values: Vec<f32>,
}

/// Reads strips, in their order.
pub(super) fn recognise(
    models: &Cascade,
    pixels: &RgbaImage,
    strips: &[&Strip],
) -> Result<Vec<Recognised>, TextError> {
    let scaled: Vec<Scaled> = strips.iter().map(|strip| Scaled::of(pixels, strip)).collect();
    let all: Vec<usize> = (0..strips.len()).filter(|&i| strips[i].dots.is_none()).collect();
    let mut read: Vec<Option<Reading>> = vec![None; strips.len()];
    for (i, reading) in all.iter().zip(read_all(&models.quick, &scaled, &all)?) {
        read[*i] = Some(reading);
    }
    let mut again: Vec<Option<Reading>> = vec![None; strips.len()];
    let sure = |i: &usize| read[*i].as_ref().is_some_and(|r| r.least >= SURE_LEAST && r.mean >= SURE_MEAN);
    let unsure: Vec<usize> = all.into_iter().filter(|i| !sure(i)).collect();
    // without need it is not waited for
    if let Some(careful) = models.careful.as_ref().filter(|_| !unsure.is_empty()) {
        for (i, reading) in unsure.iter().zip(read_all(careful.get()?, &scaled, &unsure)?) {
            again[*i] = Some(reading);
        }
    }
    let judged = strips.iter().zip(read.into_iter().zip(again));
    Ok(judged.map(|(strip, (quick, careful))| judge(strip, quick, careful)).collect())
}

impl Scaled {
    fn of(pixels: &RgbaImage, strip: &Strip) -> Self {
        let crop = strip.crop;
        let natural = f64::from(crop.width) * HEIGHT as f64 / f64::from(crop.height);
        let width = (natural.round() as usize).clamp(8, MAX_WIDTH);
        let mut values = resample(pixels, crop, width, HEIGHT);
        if let Some((left, right)) = strip.caret {
            paint(&mut values, width, crop, (left, right), strip.ground);
        }
        for v in &mut values {
            *v = *v / 127.5 - 1.0;
        }
        Self { width, values }
    }

    /// Writes the strip as BGR planes of a batch; the right is left at zero.
    fn write(&self, planes: &mut [f32], width: usize) {
        for (channel, plane) in planes.chunks_exact_mut(HEIGHT * width).enumerate() {
            for (y, row) in plane.chunks_exact_mut(width).enumerate() {
                let from = &self.values[y * self.width * 3..(y + 1) * self.width * 3];
                for (out, colour) in row.iter_mut().zip(from.chunks_exact(3)) {
                    *out = colour[2 - channel];
                }
            }
        }
    }
}

/// Paints columns of the frame over with the ground, in what a crop was scaled to.
fn paint(values: &mut [f32], width: usize, crop: PixelRect, (left, right): (u32, u32), ground: [u8; 3]) {
    let scaled = |x: u32| (f64::from(x) - f64::from(crop.x)) * width as f64 / f64::from(crop.width);
    let from = (scaled(left) - 1.0).clamp(0.0, width as f64) as usize;
    let to = (scaled(right) + 1.0).ceil().clamp(0.0, width as f64) as usize;
    for row in values.chunks_exact_mut(width * 3) {
        for pixel in row[from * 3..to.max(from) * 3].chunks_exact_mut(3) {
            pixel.iter_mut().zip(ground).for_each(|(v, ground)| *v = f32::from(ground));
        }
    }
}

/// Indices of strips that go through the network together, and their common width.
struct Batch {
    width: usize,
    members: Vec<usize>,
}

fn batches(strips: &[Scaled], chosen: &[usize]) -> Vec<Batch> {
    let mut by_width = chosen.to_vec();
    by_width.sort_by_key(|&i| std::cmp::Reverse(strips[i].width));
    let mut batches: Vec<Batch> = Vec::new();
    for i in by_width {
        let width = strips[i].width.div_ceil(STEP) * STEP;
        match batches.last_mut() {
            // a quarter of padding costs less than another run
            Some(batch) if batch.members.len() < MAX_BATCH && width * 5 >= batch.width * 4 => {
                batch.members.push(i);
            }
            _ => batches.push(Batch { width, members: vec![i] }),
        }
    }
    batches
}

fn read_all(alphabet: &Alphabet, strips: &[Scaled], chosen: &[usize]) -> Result<Vec<Reading>, TextError> {
    let batches = batches(strips, chosen);
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let next = AtomicUsize::new(0);
    let done: Mutex<Vec<(usize, Reading)>> = Mutex::new(Vec::with_capacity(chosen.len()));
    let work = || -> Result<(), TextError> {
        while let Some(batch) = batches.get(next.fetch_add(1, Ordering::Relaxed)) {
            let read = read_batch(alphabet, strips, batch)?;
            if let Ok(mut done) = done.lock() {
                done.extend(batch.members.iter().copied().zip(read));
            }
        }
        Ok(())
    };
    std::thread::scope(|scope| {
        let helpers: Vec<_> = (1..cores.min(batches.len())).map(|_| scope.spawn(work)).collect();
        let own = work();
        helpers.into_iter().fold(own, |result, helper| {
            result.and(helper.join().unwrap_or_else(|_| Err(TextError::Run("a reading thread died".into()))))
        })
    })?;
    let mut done = done.into_inner().unwrap_or_default();
    let place = |i: usize| chosen.iter().position(|&c| c == i);
    done.sort_by_key(|(i, _)| place(*i));
    Ok(done.into_iter().map(|(_, reading)| reading).collect())
}

fn read_batch(alphabet: &Alphabet, strips: &[Scaled], batch: &Batch) -> Result<Vec<Reading>, TextError> {
    let (count, plane) = (batch.members.len(), 3 * HEIGHT * batch.width);
    let mut input = vec![0f32; count * plane];
    for (&i, planes) in batch.members.iter().zip(input.chunks_exact_mut(plane)) {
        strips[i].write(planes, batch.width);
    }
    let input = NdTensor::from_data([count, 3, HEIGHT, batch.width], input);
    let network = &alphabet.network;
    let Some(split) = &alphabet.split else {
        return Ok(decoded(&network.run((network.input, &input), network.output)?, alphabet));
    };
    let features: NdTensor<f32, 3> = network.run((network.input, &input), split.features)?;
    let latin = decoded(&network.run((split.features, &features), split.latin)?, alphabet);
    if latin.iter().all(|reading| reading.mean >= LATIN_MEAN) {
        return Ok(latin);
    }
    Ok(decoded(&network.run((split.features, &features), split.all)?, alphabet))
}

fn decoded(probabilities: &NdTensor<f32, 3>, alphabet: &Alphabet) -> Vec<Reading> {
    let [_, steps, classes] = probabilities.shape();
    let values = probabilities.to_vec();
    values.chunks_exact(steps * classes).map(|line| decode(line, classes, &alphabet.characters)).collect()
}
