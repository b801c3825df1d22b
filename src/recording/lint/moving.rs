//! What moves by itself and no mask hides: clocks and carets. A thing is masked where the gate does not miss it.
//! Uses `eyes`, `vision::mask`.

use super::eyes::{Eyes, Seen};
use super::finding::{Findings, Rule, Spot};
use super::integrity::Shot;
use super::repair::Repair;
use crate::geometry::{PixelRect, Rect, Screen};
use crate::recording::{Project, Recording, Result, Side};
use crate::vision::gate::GateOptions;
use crate::vision::mask::{Content, ContentKind, Mask, with_defaults};
use crate::vision::text::TextLine;

/// The status bar ends above this, in points.
const STATUS_BAR: f64 = 62.0;
/// Points around a caret that its soft edges take.
const EDGE: f64 = 0.7;
/// Points below a clock that belong to its bar.
const BELOW_CLOCK: f64 = 4.0;

/// A gate that a frame is held against.
struct Gate {
    step: usize,
    side: Side,
    masks: Vec<Mask>,
    options: GateOptions,
}

pub(super) fn check(
    recording: &Recording,
    project: &Project,
    shot: &Shot<'_>,
    seen: &Seen,
    eyes: &mut Eyes,
    found: &mut Findings,
) -> Result<()> {
    let gates = gates(recording, project, shot);
    let scale = recording.device.screen.scale;
    let mut unmasked = |place: PixelRect, ground: [u8; 3]| -> Result<Option<(usize, Side)>> {
        for gate in &gates {
            if eyes.is_held(&shot.frame, scale, (place, ground), &gate.masks, &gate.options)? {
                return Ok(Some((gate.step, gate.side)));
            }
        }
        Ok(None)
    };
    let times = Content::of(ContentKind::Time);
    for line in seen.lines.iter().filter(|line| times.is_in(&line.text)) {
        if let Some((step, side)) = unmasked(line.rect, line.ground)? {
            clock(shot, line, scale, Spot::Step(step, side.as_str()), found);
        }
    }
    let screen = Screen::of_picture(shot.frame.size(), scale);
    if let Some(caret) = seen.screen.furniture.caret
        && let Some(place) = screen.to_pixels(with_edges(caret))
        && let Some((step, side)) = unmasked(place, ground_beside(shot, place))?
    {
        found.add(
            Rule::UnmaskedCaret,
            Spot::Step(step, side.as_str()),
            format!("the frame {} shows a caret at {:.0}, {:.0}, and it blinks", shot.name, caret.x, caret.y),
            "mask the field by its label, or its place",
        );
    }
    Ok(())
}

fn clock(shot: &Shot<'_>, line: &TextLine, scale: f64, spot: Spot, found: &mut Findings) {
    let points = |pixels: u32| f64::from(pixels) / scale;
    let (x, y, bottom) = (points(line.rect.x), points(line.rect.y), points(line.rect.bottom()));
    let message = format!("the frame {} shows a time at {x:.0}, {y:.0} that no mask hides", shot.name);
    if bottom < STATUS_BAR {
        let strip =
            Rect::new(0.0, 0.0, points(shot.frame.size().width).ceil(), (bottom + BELOW_CLOCK).ceil());
        let repair = Repair::Mask(Mask::Rect(strip));
        found.add_repaired(Rule::UnmaskedClock, spot, message, "mask the strip it stands in", Some(repair));
    } else {
        let fix = "mask it: {content: time} hides every time, {label: …} or a rectangle this one; \
                   or stop the clock of the app";
        found.add(Rule::UnmaskedClock, spot, message, fix);
    }
}

/// Where replay holds a frame against the screen: before each step, and after the last. Of gates alike the first.
fn gates(recording: &Recording, project: &Project, shot: &Shot<'_>) -> Vec<Gate> {
    let mut gates: Vec<Gate> = Vec::new();
    for (number, side) in shot.uses.iter().copied() {
        let Some(step) = recording.steps.get(number - 1) else { continue };
        if side == Side::After && number < recording.steps.len() {
            continue;
        }
        let masks = with_defaults(&[&project.masks[..], &recording.masks, &step.masks].concat());
        let options = step.gate.over(recording.gate).over(project.gate);
        if !gates.iter().any(|known| known.masks == masks && known.options == options) {
            gates.push(Gate { step: number, side, masks, options });
        }
    }
    gates
}

/// A caret is found without its soft edges, which blink with it.
fn with_edges(Rect { x, y, width, height }: Rect) -> Rect {
    Rect::new(x - EDGE, y - EDGE, width + 2.0 * EDGE, height + 2.0 * EDGE)
}

/// The colour a little to the left of a caret, or to its right at the edge.
fn ground_beside(shot: &Shot<'_>, place: PixelRect) -> [u8; 3] {
    let pixels = shot.frame.pixels();
    let beside = match place.x.checked_sub(6) {
        Some(x) => x,
        None => (place.right() + 5).min(pixels.width() - 1),
    };
    let [r, g, b, _] = pixels.get_pixel(beside, place.y + place.height / 2).0;
    [r, g, b]
}
