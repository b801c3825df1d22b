//! Reads the text of one frame after another and never the same pixels twice.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, Instant};

use rayon::prelude::*;

use super::badge::badge;
use super::cache::Cache;
use super::changes::changes;
use super::detect::detect;
use super::ink::{Strip, strips};
use super::judge::Recognised;
use super::line::TextLine;
use super::models::{Cascade, Engine, TextError, TextModels};
use super::order;
use super::recognise::recognise;
use crate::frame::Frame;
use crate::geometry::PixelRect;

/// Points around a change that are looked at again with it: what a letter's meaning hangs on. The detector sees more
/// than this around a small one.
const MARGIN: f64 = 9.0;
/// Of the whole frame; where more has changed everything is looked at.
const MOSTLY_CHANGED: f64 = 0.85;

/// Frames that are remembered whole, so that going back to one, or closing an alert over it, is no new screen.
const REMEMBERED: usize = 4;

/// The lines of one frame.
#[derive(Clone, Debug)]
pub struct Reading {
    /// In reading order: top to bottom, left to right.
    pub lines: Vec<TextLine>,
    /// How many of them were taken over from earlier frames.
    pub reused: usize,
    /// Time spent finding text.
    pub detect: Duration,
    /// Time spent reading it.
    pub recognise: Duration,
}

/// Reads frames of one session; keeps what it read.
pub struct TextReader {
    models: Arc<TextModels>,
    cache: Cache,
    /// Newest last.
    recent: VecDeque<Read>,
}

/// A frame that was read.
struct Read {
    frame: Frame,
    scale: f64,
    lines: Vec<TextLine>,
}

impl TextReader {
    pub fn new(models: Arc<TextModels>) -> Self {
        Self { models, cache: Cache::default(), recent: VecDeque::new() }
    }

    /// Reads a frame. `scale`: pixels a point.
    pub fn read(&mut self, frame: &Frame, scale: f64) -> Result<Reading, TextError> {
        let started = Instant::now();
        let whole = PixelRect::new(0, 0, frame.size().width, frame.size().height);
        let (kept, regions) = self.known(frame, scale).unwrap_or_else(|| (Vec::new(), vec![whole]));
        let models = self.models.clone();
        let (read, detect) = match &models.0 {
            Engine::Cascade(cascade) => {
                let found = find(cascade, frame, &kept, &regions, scale)?;
                let detect = started.elapsed();
                let (mut read, pictures) = self.read_strips(cascade, frame, found)?;
                let badges = pictures.iter().filter_map(|&picture| badge(frame.pixels(), picture)).collect();
                read.extend(self.read_strips(cascade, frame, badges)?.0);
                (read, detect)
            }
            Engine::Ocrs(engine) => {
                let mut read: Vec<TextLine> = Vec::new();
                for &region in &regions {
                    for line in engine.read(frame.pixels(), region)? {
                        let mut known = kept.iter().chain(&read);
                        if !known.any(|other| covers(other.rect, line.rect)) {
                            read.push(line);
                        }
                    }
                }
                (read, Duration::ZERO)
            }
        };
        let recognise = started.elapsed() - detect;

        let mut lines = kept;
        lines.extend(read);
        order::sort(&mut lines);
        if self.recent.len() == REMEMBERED {
            self.recent.pop_front();
        }
        self.recent.push_back(Read { frame: frame.clone(), scale, lines: lines.clone() });
        let reused = lines.iter().filter(|l| l.reused).count();
        Ok(Reading { lines, reused, detect, recognise })
    }

    /// What is known of a frame by the remembered one that differs least from it, and the regions to look at.
    fn known(&self, frame: &Frame, scale: f64) -> Option<(Vec<TextLine>, Vec<PixelRect>)> {
        let fits = |read: &&Read| read.frame.size() == frame.size() && read.scale == scale;
        let mut nearest: Option<(u64, &Read, Vec<PixelRect>)> = None;
        for read in self.recent.iter().rev().filter(fits) {
            let changed = changes(&read.frame, frame);
            let area = changed.iter().map(PixelRect::area).sum();
            if nearest.as_ref().is_none_or(|(least, ..)| area < *least) {
                nearest = Some((area, read, changed));
            }
            if area == 0 {
                break;
            }
        }
        nearest.map(|(_, read, changed)| untouched(&read.lines, changed, frame, scale))
    }

    /// The lines, and the places that hold no text.
    fn read_strips(
        &mut self,
        models: &Cascade,
        frame: &Frame,
        strips: Vec<Strip>,
    ) -> Result<(Vec<TextLine>, Vec<PixelRect>), TextError> {
        let keys: Vec<u64> = strips.iter().map(|s| Cache::key(frame.pixels(), s.crop)).collect();
        let known: Vec<_> = keys.iter().map(|&key| self.cache.get(key)).collect();
        let new: Vec<&Strip> =
            strips.iter().zip(&known).filter(|(_, known)| known.is_none()).map(|(s, _)| s).collect();
        let mut read = recognise(models, frame.pixels(), &new)?.into_iter();
        let (mut lines, mut pictures) = (Vec::with_capacity(strips.len()), Vec::new());
        for ((strip, key), known) in strips.iter().zip(keys).zip(known) {
            let reused = known.is_some();
            let Some(recognised) = known.or_else(|| read.next()) else { break };
            if !reused {
                self.cache.put(key, recognised.clone());
            }
            match line(strip, recognised, reused) {
                Some(line) => lines.push(line),
                None => pictures.push(strip.rect),
            }
        }
        Ok((lines, pictures))
    }
}

/// Strips of text in the regions that no kept line covers.
fn find(
    models: &Cascade,
    frame: &Frame,
    kept: &[TextLine],
    regions: &[PixelRect],
    scale: f64,
) -> Result<Vec<Strip>, TextError> {
    let mut found = Vec::new();
    for &region in regions {
        let boxes = order::joined(detect(models, frame.pixels(), region, scale)?);
        found.par_extend(boxes.par_iter().flat_map_iter(|b| strips(frame.pixels(), b)));
    }
    // the larger of two that lie on each other is the whole line
    found.sort_by_key(|strip| std::cmp::Reverse(strip.rect.area()));
    let mut single: Vec<Strip> = Vec::with_capacity(found.len());
    for strip in found {
        let known = kept.iter().map(|l| l.rect).chain(single.iter().map(|s| s.rect));
        if !known.into_iter().any(|rect| covers(rect, strip.rect)) {
            single.push(strip);
        }
    }
    Ok(single)
}

fn line(strip: &Strip, recognised: Recognised, reused: bool) -> Option<TextLine> {
    let (text, confidence, unread) = match recognised {
        Recognised::Text { text, confidence } => (text, confidence, false),
        Recognised::Unread { confidence } => (String::new(), confidence, true),
        Recognised::Nothing => return None,
    };
    let Strip { rect, ink, ground, .. } = *strip;
    Some(TextLine { text, rect, confidence, unread, ink, ground, reused })
}

/// Lines that nothing near has changed of, and the regions to look at again.
fn untouched(
    lines: &[TextLine],
    changed: Vec<PixelRect>,
    frame: &Frame,
    scale: f64,
) -> (Vec<TextLine>, Vec<PixelRect>) {
    let keep = |line: &TextLine| TextLine { reused: true, ..line.clone() };
    if changed.is_empty() {
        return (lines.iter().map(keep).collect(), Vec::new());
    }
    let size = frame.size();
    let whole = PixelRect::new(0, 0, size.width, size.height);
    if changed.iter().map(PixelRect::area).sum::<u64>() as f64 > whole.area() as f64 * MOSTLY_CHANGED {
        return (Vec::new(), vec![whole]);
    }
    let touches = |line: &TextLine, region: &PixelRect| {
        let around = order::widened(line.rect, line.rect.height, line.rect.height / 2, whole);
        around.intersection(region).is_some()
    };
    let (gone, kept): (Vec<_>, Vec<_>) =
        lines.iter().partition(|line| changed.iter().any(|region| touches(line, region)));
    let margin = (MARGIN * scale) as u32;
    let regions = changed
        .iter()
        .map(|region| {
            let all = gone.iter().filter(|line| touches(line, region)).fold(*region, |r, l| r.union(&l.rect));
            order::widened(all, margin, margin, whole)
        })
        .collect();
    (kept.into_iter().map(keep).collect(), regions)
}

/// Most of the second lies in the first, or the other way round.
fn covers(a: PixelRect, b: PixelRect) -> bool {
    a.intersection(&b).is_some_and(|common| common.area() * 2 > a.area().min(b.area()))
}
