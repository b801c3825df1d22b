//! A line of text found in a frame. Uses `geometry`.

use crate::geometry::PixelRect;

/// One line as the reader found it; two texts with a wide gap between them are two lines.
#[derive(Clone, Debug, PartialEq)]
pub struct TextLine {
    /// Empty where `unread`.
    pub text: String,
    /// Tight on the ink, in pixels of the frame.
    pub rect: PixelRect,
    /// 0 to 1.
    pub confidence: f32,
    /// Found as text, but in a script the model can't read.
    pub unread: bool,
    /// Colour of the ink and of the ground behind it, sRGB.
    pub ink: [u8; 3],
    pub ground: [u8; 3],
    /// Taken over from an earlier frame instead of being read again.
    pub reused: bool,
}
