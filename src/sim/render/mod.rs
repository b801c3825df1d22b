//! From a display list to pixels. Uses `geometry`, the icon names and the fonts; knows no app and no device.
//!
//! A scene is a list of [`Item`]s in interface points, painted in order. [`Renderer`] keeps the last list and
//! its pixels: the same list costs nothing, a changed one only the rows in which the two differ.

mod backdrop;
mod canvas;
mod icons;
mod item;
mod pictures;
mod renderer;
mod text;

pub use item::{Brush, Item, Paint, Rgba};
pub use renderer::Renderer;
pub use text::{Shaped, TextEngine, TextSpec, Weight, Wrap};
