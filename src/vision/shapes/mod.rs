//! Controls found in pixels, without an accessibility tree. Uses `vision::text` lines and the types.
//!
//! [`find`] makes the frame smaller (`grid`), cuts it into areas of one colour (`components`) and gathers from them
//! what rules look at, in points (`evidence`): rounded rectangles (`plates`), hairlines, thin bars, blobs of ink.
//! Then the rules take turns, the sure ones first, each in its own module; what one has claimed the next leave alone.

mod alert;
mod bars;
mod blobs;
mod buttons;
mod cells;
mod colour;
mod components;
mod evidence;
mod fields;
mod grid;
mod icon_buttons;
mod icons;
mod images;
mod keyboard;
mod links;
mod plates;
mod scene;
mod secrets;
mod segments;
mod shape;
mod sliders;
mod system;
mod thin;
mod toggles;

#[cfg(test)]
mod tests;

pub use scene::{AlertShape, Scene};
pub use shape::Shape;

use crate::frame::Frame;
use crate::vision::text::TextLine;
use evidence::Evidence;
use scene::Draft;

/// Finds the controls of a frame. `scale` is pixels a point; `lines` are the texts read in the same frame, to which
/// the indices in the answer refer. Any picture gives an answer, in time linear in its pixels.
pub fn find(frame: &Frame, scale: f64, lines: &[TextLine]) -> Scene {
    let scale = if scale.is_finite() && scale > 0.0 { scale } else { 1.0 };
    let evidence = Evidence::gather(frame, scale, lines);
    let mut draft = Draft::new(&evidence);
    let mut scene = Scene::default();
    keyboard::find(&mut draft, &mut scene);
    system::find(&mut draft, &mut scene);
    let alert = alert::find(&mut draft);
    secrets::find(&mut draft);
    toggles::find(&mut draft);
    sliders::find(&mut draft);
    segments::find(&mut draft);
    bars::find(&mut draft, &mut scene);
    fields::find_boxed(&mut draft);
    buttons::find_filled(&mut draft);
    cells::find_in_grids(&mut draft);
    cells::find_in_cards(&mut draft);
    fields::find_underlined(&mut draft);
    cells::find_in_lists(&mut draft);
    sliders::find_spinners(&mut draft);
    links::find(&mut draft);
    buttons::find_plain(&mut draft);
    icon_buttons::find(&mut draft);
    images::find(&mut draft);
    scene.icon_lines.clone_from(&evidence.icon_lines);
    scene.shapes = draft.into_shapes();
    scene.alert = alert.map(|alert| alert.onto(&evidence, &scene.shapes));
    scene
}
