//! A control found in pixels. Uses `geometry`, `role`.

use crate::geometry::PixelRect;
use crate::role::Role;

/// One control, bar or picture that was found without any accessibility tree.
#[derive(Clone, Debug, PartialEq)]
pub struct Shape {
    pub role: Role,
    /// The visible extent, in pixels of the frame.
    pub rect: PixelRect,
    /// 0 to 1.
    pub confidence: f32,
    /// Indices into the text lines that make this control's label, in reading order. Those inside `rect` are no marks
    /// of their own; those outside (a caption over a field, the words beside a switch) stay marks as well.
    pub label_lines: Vec<usize>,
    /// Indices of the lines that are its value (what a field holds).
    pub value_lines: Vec<usize>,
    /// A name for an icon without text, only where it is sure (`Back`, `Close`, `Search`, …).
    pub name: Option<&'static str>,
    /// Its words, where they are a part of a line: a link in a sentence.
    pub words: Option<String>,
    /// `on`/`off` of a switch, the place of a slider (`40%`), the selected segment.
    pub value: Option<String>,
    pub enabled: bool,
    pub selected: Option<bool>,
}
