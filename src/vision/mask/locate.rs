//! Where masks lie in two frames that are compared. What is found in either is masked in both.
//!
//! Only what is asked for is looked for, and only where something changed that it could hide: the caret in the places
//! that changed, the status bar by the text in the top of the screen, the indicators at its edges, everything else in
//! the whole frame, whose text is read only for masks that go by text.
//! Uses `vision::shapes`, `vision::text` lines and the types.

use super::caret::{Bar, bar, may_hold_carets};
use super::{Mask, NamedMask};
use crate::frame::Frame;
use crate::geometry::{PixelRect, Rect, Screen, Size};
use crate::mark::Mark;
use crate::role::Role;
use crate::vision::shapes::{self, Scene};
use crate::vision::text::TextLine;

/// The status bar ends above this, in points.
const STATUS_BAR: f64 = 62.0;
/// The home indicator lies below this, in points from the bottom.
const HOME_INDICATOR: f64 = 30.0;
/// Scroll indicators lie as near to the right or the bottom edge, in points.
const SCROLL_INDICATOR: f64 = 16.0;

/// One of two frames that are compared.
#[derive(Clone, Copy)]
pub struct Side<'a> {
    pub frame: &'a Frame,
    /// What was observed on it; otherwise all is found in the pixels.
    pub observed: Option<Observed<'a>>,
}

/// What is known of a frame.
#[derive(Clone, Copy)]
pub struct Observed<'a> {
    pub marks: &'a [Mark],
    /// In points.
    pub status_bar: Option<Rect>,
}

impl<'a> Side<'a> {
    /// A frame that nothing is known of.
    pub fn of(frame: &'a Frame) -> Self {
        Self { frame, observed: None }
    }

    fn marks(&self) -> Option<&'a [Mark]> {
        self.observed.map(|observed| observed.marks)
    }
}

/// Reads the text of a frame. An error is told as words.
pub type ReadText<'a> = dyn FnMut(&Frame) -> Result<Vec<TextLine>, String> + 'a;

/// A mask, and one place where it lies.
#[derive(Clone, Debug, PartialEq)]
pub struct Located {
    pub mask: Mask,
    pub rect: PixelRect,
}

/// Why masks could not be found.
#[derive(Debug, thiserror::Error, PartialEq)]
pub enum LocateError {
    #[error("the mask {}×{} at {}, {} lies outside the screen of {width}×{height} points", mask.width, mask.height, mask.x, mask.y)]
    Outside { mask: Rect, width: f64, height: f64 },
    #[error("text could not be read: {0}")]
    Text(String),
}

/// Finds `masks` in two frames of one size, of which `changed` differ.
pub fn locate(
    masks: &[Mask],
    sides: [Side<'_>; 2],
    screen: &Screen,
    changed: &[PixelRect],
    read: &mut ReadText<'_>,
) -> Result<Vec<Located>, LocateError> {
    let mut look = Look { sides, screen, changed, read, lines: None, scenes: None };
    let mut located: Vec<Located> = Vec::new();
    for mask in masks {
        let rects = look.rects(mask)?;
        for rect in rects {
            let known = Located { mask: mask.clone(), rect };
            if !located.contains(&known) {
                located.push(known);
            }
        }
    }
    Ok(located)
}

/// The masks that need no looking: rectangles.
pub fn rectangles(masks: &[Mask], screen: &Screen) -> Result<Vec<Located>, LocateError> {
    let rects = masks.iter().filter_map(|mask| match mask {
        Mask::Rect(rect) => Some((mask, *rect)),
        _ => None,
    });
    rects
        .map(|(mask, rect)| {
            let Screen { points, .. } = screen;
            let outside = LocateError::Outside { mask: rect, width: points.width, height: points.height };
            Ok(Located { mask: mask.clone(), rect: screen.to_pixels(rect).ok_or(outside)? })
        })
        .collect()
}

/// Something with a label or a role, seen on one of the sides.
struct Seen {
    rect: PixelRect,
    label: String,
    role: Role,
}

/// What was looked at so far.
struct Look<'a, 'r> {
    sides: [Side<'a>; 2],
    screen: &'a Screen,
    changed: &'a [PixelRect],
    read: &'a mut ReadText<'r>,
    lines: Option<[Vec<TextLine>; 2]>,
    scenes: Option<[Scene; 2]>,
}

impl Look<'_, '_> {
    fn rects(&mut self, mask: &Mask) -> Result<Vec<PixelRect>, LocateError> {
        Ok(match mask {
            Mask::Rect(_) => {
                rectangles(std::slice::from_ref(mask), self.screen)?.iter().map(|l| l.rect).collect()
            }
            Mask::Named(NamedMask::StatusBar) => self.status_bar()?,
            Mask::Named(NamedMask::Caret) => self.carets()?,
            Mask::Named(NamedMask::ScrollIndicator) => {
                let Size { width, height } = self.screen.points;
                let right = Rect::new(width - SCROLL_INDICATOR, 0.0, SCROLL_INDICATOR, height);
                let bottom = Rect::new(0.0, height - SCROLL_INDICATOR, width, SCROLL_INDICATOR);
                if !self.changed_within(right) && !self.changed_within(bottom) {
                    return Ok(Vec::new());
                }
                self.with_edges(|s| s.scroll_indicators.clone())?
            }
            Mask::Named(NamedMask::HomeIndicator) => {
                let Size { width, height } = self.screen.points;
                if !self.changed_within(Rect::new(0.0, height - HOME_INDICATOR, width, HOME_INDICATOR)) {
                    return Ok(Vec::new());
                }
                self.with_edges(|s| s.home_indicator.into_iter().collect())?
            }
            Mask::Named(NamedMask::Keyboard) => self.in_scenes(|s| s.keyboard.into_iter().collect())?,
            Mask::Label(label) => self.labelled(label)?,
            Mask::Role(role) => self.seen()?.iter().filter(|s| s.role == *role).map(|s| s.rect).collect(),
            Mask::Content(content) => {
                let lines = self.lines()?;
                lines.iter().flatten().filter(|l| content.is_in(&l.text)).map(|l| l.rect).collect()
            }
        })
    }

    /// Whether a changed place lies wholly in a zone; what reaches out of it, no mask there could hide.
    fn changed_within(&self, zone: Rect) -> bool {
        let zone = self.screen.to_pixels(zone);
        zone.is_some_and(|zone| self.changed.iter().any(|place| zone.intersection(place) == Some(*place)))
    }

    /// Of today's frame first: where its bar covers all that changed up there, the other one need not be read.
    fn status_bar(&mut self) -> Result<Vec<PixelRect>, LocateError> {
        let zone = Rect::new(0.0, 0.0, self.screen.points.width, STATUS_BAR);
        if !self.changed_within(zone) {
            return Ok(Vec::new());
        }
        let bottom = (STATUS_BAR * self.screen.scale_y()).ceil() as u32;
        let mut found: Vec<PixelRect> = Vec::new();
        for side in self.sides.into_iter().rev() {
            let bar = match side.observed {
                Some(observed) => observed.status_bar.and_then(|bar| self.screen.to_pixels(bar)),
                None => self.status_bar_of(side.frame, bottom)?,
            };
            found.extend(bar);
            let covered =
                |place: &&PixelRect| found.iter().any(|bar| bar.intersection(place) == Some(**place));
            let mut up_there = self.changed.iter().filter(|place| place.bottom() <= bottom);
            if up_there.all(|place| covered(&place)) {
                break;
            }
        }
        Ok(found)
    }

    /// By the text above `bottom`.
    fn status_bar_of(&mut self, frame: &Frame, bottom: u32) -> Result<Option<PixelRect>, LocateError> {
        let Some(top) = top_of(frame, bottom) else { return Ok(None) };
        let lines = (self.read)(&top).map_err(LocateError::Text)?;
        Ok(shapes::find(&top, self.screen.scale_x(), &lines).status_bar)
    }

    /// Those that came or went; where one moved a little, those that a scene shows. A bar that might be a letter is a
    /// caret only in a field.
    fn carets(&mut self) -> Result<Vec<PixelRect>, LocateError> {
        let [expected, actual] = self.sides.map(|side| side.frame);
        let bar = |rect: &PixelRect| bar(*rect, expected, actual, self.screen);
        let (mut found, mut unsure): (Vec<PixelRect>, Vec<PixelRect>) = (Vec::new(), Vec::new());
        for place in self.changed {
            match bar(place) {
                Some(Bar::Tinted) => found.push(*place),
                Some(Bar::Plain) => unsure.push(*place),
                None => {}
            }
        }
        let moved = found.is_empty() && self.changed.iter().any(|place| may_hold_carets(*place, self.screen));
        if !unsure.is_empty() || moved {
            let fields = self.fields()?;
            let in_field = |rect: &PixelRect| fields.iter().any(|f| f.intersection(rect) == Some(*rect));
            found.extend(unsure.into_iter().filter(in_field));
            if found.is_empty() {
                let carets = self.with_edges(|s| s.caret.into_iter().collect())?;
                found.extend(carets.into_iter().filter(in_field));
            }
        }
        Ok(found)
    }

    /// The fields that take text, on either side.
    fn fields(&mut self) -> Result<Vec<PixelRect>, LocateError> {
        let fields = |s: &Scene| {
            s.shapes.iter().filter(|shape| shape.role.is_field()).map(|shape| shape.rect).collect::<Vec<_>>()
        };
        let mut found = self.in_scenes(fields)?;
        let marks = self.sides.iter().filter_map(Side::marks).flatten();
        found.extend(marks.filter(|m| m.role.is_field()).filter_map(|m| self.screen.to_pixels(m.frame)));
        Ok(found)
    }

    /// Thin things in scenes, a point wider all round: they are found without the soft pixels at their edges.
    fn with_edges(&mut self, find: impl Fn(&Scene) -> Vec<PixelRect>) -> Result<Vec<PixelRect>, LocateError> {
        let screen = self.screen;
        let wider = |rect: PixelRect| {
            let points = screen.to_points(rect);
            let wider = Rect::new(points.x - 1.0, points.y - 1.0, points.width + 2.0, points.height + 2.0);
            screen.to_pixels(wider).unwrap_or(rect)
        };
        Ok(self.in_scenes(find)?.into_iter().map(wider).collect())
    }

    fn in_scenes(&mut self, find: impl Fn(&Scene) -> Vec<PixelRect>) -> Result<Vec<PixelRect>, LocateError> {
        Ok(self.scenes()?.iter().flat_map(find).collect())
    }

    /// Things whose label is exactly this; where there are none, begins with it; where there are none, holds it.
    fn labelled(&mut self, label: &str) -> Result<Vec<PixelRect>, LocateError> {
        let fold = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase();
        let wanted = fold(label);
        let seen = self.seen()?;
        let labels: Vec<String> = seen.iter().map(|s| fold(&s.label)).collect();
        let ranks: [&dyn Fn(&str) -> bool; 3] =
            [&|l| l == wanted, &|l| l.starts_with(&wanted), &|l| l.contains(&wanted)];
        let rank = ranks.into_iter().find(|fits| labels.iter().any(|label| fits(label)));
        let Some(fits) = rank else { return Ok(Vec::new()) };
        Ok(seen.iter().zip(&labels).filter(|(_, label)| fits(label)).map(|(seen, _)| seen.rect).collect())
    }

    fn seen(&mut self) -> Result<Vec<Seen>, LocateError> {
        let mut seen = Vec::new();
        if self.sides.iter().any(|side| side.observed.is_none()) {
            self.lines()?;
            self.scenes = None;
            self.scenes()?;
        }
        for (i, side) in self.sides.iter().enumerate() {
            if let Some(marks) = side.marks() {
                seen.extend(marks.iter().filter_map(|mark| {
                    let rect = self.screen.to_pixels(mark.frame)?;
                    Some(Seen { rect, label: mark.label.clone(), role: mark.role })
                }));
            } else if let (Some(lines), Some(scenes)) = (&self.lines, &self.scenes) {
                seen.extend(seen_in(&lines[i], &scenes[i]));
            }
        }
        Ok(seen)
    }

    fn lines(&mut self) -> Result<&[Vec<TextLine>; 2], LocateError> {
        if self.lines.is_none() {
            let [expected, actual] = self.sides.map(|side| side.frame);
            let expected = (self.read)(expected).map_err(LocateError::Text)?;
            let actual = (self.read)(actual).map_err(LocateError::Text)?;
            self.lines = Some([expected, actual]);
        }
        Ok(self.lines.get_or_insert_default())
    }

    /// With the text where it was read already, without it otherwise.
    fn scenes(&mut self) -> Result<&[Scene; 2], LocateError> {
        if self.scenes.is_none() {
            let scale = self.screen.scale_x();
            let none = [Vec::new(), Vec::new()];
            let [expected, actual] = self.lines.as_ref().unwrap_or(&none);
            let [e, a] = self.sides.map(|side| side.frame);
            self.scenes = Some([shapes::find(e, scale, expected), shapes::find(a, scale, actual)]);
        }
        Ok(self.scenes.get_or_insert_default())
    }
}

/// Controls with their labels, and the lines of text.
fn seen_in(lines: &[TextLine], scene: &Scene) -> Vec<Seen> {
    let controls = scene.shapes.iter().map(|shape| {
        let words: Vec<&str> =
            shape.label_lines.iter().filter_map(|i| lines.get(*i)).map(|line| line.text.as_str()).collect();
        let label = if words.is_empty() { shape.name.unwrap_or("").to_owned() } else { words.join(" ") };
        Seen { rect: shape.rect, label, role: shape.role }
    });
    let texts = lines.iter().map(|l| Seen { rect: l.rect, label: l.text.clone(), role: Role::Text });
    controls.chain(texts).collect()
}

fn top_of(frame: &Frame, bottom: u32) -> Option<Frame> {
    let height = bottom.min(frame.size().height);
    let top = image::imageops::crop_imm(frame.pixels(), 0, 0, frame.size().width, height).to_image();
    Frame::new(top).ok()
}
