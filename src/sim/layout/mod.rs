//! From what the device shows to a display list and the elements on it, in interface points.
//! Uses `app`, `process`, `render`'s items, `motion` and `system`; touches nothing, draws nothing.

mod bars;
mod builder;
mod controls;
mod element;
mod field;
mod flow;
mod home;
mod keyboard;
mod look;
mod overlays;
mod page;
mod rows;
mod scene;

pub use element::{Element, KeyCap, Touch};
pub use home::HomeApp;
pub use overlays::Banner;
pub use scene::{Scene, Stage, build};
