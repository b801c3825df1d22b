//! Where masks lie in two frames that are compared. What is found in either is masked in both.
//!
//! Only what is asked for is looked for: the caret in the places that changed, the status bar by the text in the top
//! of the screen, everything else in the whole frame, whose text is read only for masks that go by text.
//! Uses `vision::shapes`, `vision::text` lines and the types.

use super::caret::is_caret;
use super::{Mask, NamedMask};
use crate::frame::Frame;
use crate::geometry::{PixelRect, Rect, Screen};
use crate::mark::Mark;
use crate::role::Role;
use crate::vision::shapes::{self, Scene};
use crate::vision::text::TextLine;

/// The status bar ends above this, in points.
const STATUS_BAR: f64 = 62.0;

/// One of two frames that are compared.
#[derive(Clone, Copy)]
pub struct Side<'a> {
    pub frame: &'a Frame,
    /// What was observed on it, where it was; otherwise labels and roles are found in the pixels.
    pub marks: Option<&'a [Mark]>,
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
            Mask::Named(NamedMask::ScrollIndicator) => self.in_scenes(|s| s.scroll_indicators.clone())?,
            Mask::Named(NamedMask::HomeIndicator) => {
                self.in_scenes(|s| s.home_indicator.into_iter().collect())?
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

    /// Looked for only where something changed in the top of the screen.
    fn status_bar(&mut self) -> Result<Vec<PixelRect>, LocateError> {
        let bottom = (STATUS_BAR * self.screen.scale_y()).ceil() as u32;
        if !self.changed.iter().any(|changed| changed.y < bottom) {
            return Ok(Vec::new());
        }
        let mut found = Vec::new();
        for side in self.sides {
            let Some(top) = top_of(side.frame, bottom) else { continue };
            let lines = (self.read)(&top).map_err(LocateError::Text)?;
            found.extend(shapes::find(side.frame, self.screen.scale_x(), &lines).status_bar);
        }
        Ok(found)
    }

    /// Those that came or went, and those that only a scene shows.
    fn carets(&mut self) -> Result<Vec<PixelRect>, LocateError> {
        let [expected, actual] = self.sides.map(|side| side.frame);
        let is_caret = |rect: &&PixelRect| is_caret(**rect, expected, actual, self.screen);
        let blinking: Vec<_> = self.changed.iter().filter(is_caret).copied().collect();
        if blinking.is_empty() { self.in_scenes(|s| s.caret.into_iter().collect()) } else { Ok(blinking) }
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
        if self.sides.iter().any(|side| side.marks.is_none()) {
            self.lines()?;
            self.scenes = None;
            self.scenes()?;
        }
        for (i, side) in self.sides.iter().enumerate() {
            if let Some(marks) = side.marks {
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
