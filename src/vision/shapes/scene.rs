//! What finding shapes answers, and the draft of it that the rules write into. Uses `shape`, `evidence`.

use crate::geometry::{PixelRect, Rect};
use crate::role::Role;

use super::Shape;
use super::evidence::Evidence;

/// The controls of one frame and the parts of the system around them. All places are pixels of the frame.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Scene {
    /// From the top, and from the left where they stand beside each other.
    pub shapes: Vec<Shape>,
    pub alert: Option<AlertShape>,
    pub keyboard: Option<PixelRect>,
    /// The keys of the keyboard, row by row.
    pub keys: Vec<PixelRect>,
    pub status_bar: Option<PixelRect>,
    pub home_indicator: Option<PixelRect>,
    pub nav_bar: Option<PixelRect>,
    pub tab_bar: Option<PixelRect>,
    /// The text cursor.
    pub caret: Option<PixelRect>,
    pub scroll_indicators: Vec<PixelRect>,
    /// Indices of text lines that are icons read as text.
    pub icon_lines: Vec<usize>,
}

/// An alert over a dimmed screen.
#[derive(Clone, Debug, PartialEq)]
pub struct AlertShape {
    pub rect: PixelRect,
    /// Indices of text lines.
    pub title_lines: Vec<usize>,
    pub message_lines: Vec<usize>,
    /// Indices into `Scene::shapes`, in reading order.
    pub buttons: Vec<usize>,
}

/// A control as the rules find it, in points.
#[derive(Clone, Debug)]
pub(super) struct Found {
    pub role: Role,
    pub rect: Rect,
    pub confidence: f32,
    pub label: Vec<usize>,
    pub value_lines: Vec<usize>,
    pub name: Option<&'static str>,
    pub words: Option<String>,
    pub value: Option<String>,
    pub enabled: bool,
    pub selected: Option<bool>,
}

impl Found {
    pub fn new(role: Role, rect: Rect, confidence: f32) -> Self {
        Self {
            role,
            rect,
            confidence,
            label: Vec::new(),
            value_lines: Vec::new(),
            name: None,
            words: None,
            value: None,
            enabled: true,
            selected: None,
        }
    }

    pub fn labelled(mut self, lines: Vec<usize>) -> Self {
        self.label = lines;
        self
    }

    pub fn holding(mut self, lines: Vec<usize>) -> Self {
        self.value_lines = lines;
        self
    }

    pub fn named(mut self, name: Option<&'static str>) -> Self {
        self.name = name;
        self
    }

    pub fn worded(mut self, words: String) -> Self {
        self.words = Some(words);
        self
    }

    pub fn valued(mut self, value: impl Into<String>) -> Self {
        self.value = Some(value.into());
        self
    }

    pub fn selected(mut self, selected: bool) -> Self {
        self.selected = Some(selected);
        self
    }

    pub fn enabled(mut self, enabled: bool) -> Self {
        self.enabled = enabled;
        self
    }
}

/// What was found so far, and which lines and places are spoken for.
pub(super) struct Draft<'e, 'a> {
    pub evidence: &'e Evidence<'a>,
    pub found: Vec<Found>,
    pub line_taken: Vec<bool>,
    /// Places where nothing more is looked for: bars of the system, the keyboard.
    pub closed: Vec<Rect>,
}

impl<'e, 'a> Draft<'e, 'a> {
    pub fn new(evidence: &'e Evidence<'a>) -> Self {
        Self {
            evidence,
            found: Vec::new(),
            line_taken: vec![false; evidence.lines.len()],
            closed: Vec::new(),
        }
    }

    /// Adds a control; its lines belong to nothing else from now on.
    pub fn add(&mut self, found: Found) {
        for line in found.label.iter().chain(&found.value_lines) {
            self.line_taken[*line] = true;
        }
        self.found.push(found);
    }

    /// The lines in `rect` that nothing owns yet.
    pub fn free_lines(&self, rect: &Rect) -> Vec<usize> {
        let mut lines = self.evidence.lines_in(rect);
        lines.retain(|line| !self.line_taken[*line]);
        lines
    }

    /// Whether the centre of `rect` is in a control or a closed place.
    pub fn is_taken(&self, rect: &Rect) -> bool {
        let center = rect.center();
        self.closed.iter().any(|closed| closed.contains(center))
            || self.found.iter().any(|found| found.rect.contains(center))
    }

    /// Whether a control's centre lies in `rect`.
    pub fn holds_control(&self, rect: &Rect) -> bool {
        self.found.iter().any(|found| rect.contains(found.rect.center()))
    }

    pub fn into_shapes(mut self) -> Vec<Shape> {
        self.found.sort_by(|a, b| a.rect.y.total_cmp(&b.rect.y).then(a.rect.x.total_cmp(&b.rect.x)));
        let evidence = self.evidence;
        let shape = |found: Found| Shape {
            role: found.role,
            rect: evidence.pixels(&found.rect),
            confidence: found.confidence,
            label_lines: evidence.indices(&found.label),
            value_lines: evidence.indices(&found.value_lines),
            name: found.name,
            words: found.words,
            value: found.value,
            enabled: found.enabled,
            selected: found.selected,
        };
        self.found.into_iter().map(shape).collect()
    }
}
