//! Pure functions from pixels to facts; knows no device. Uses the types only.

pub mod annotate;
pub mod difference;
pub mod gate;
pub mod mask;
mod resample;
pub mod shapes;
pub mod ssim;
pub mod text;
