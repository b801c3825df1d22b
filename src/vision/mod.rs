//! Pure functions from pixels to facts; knows no device. Uses the types only.

pub mod annotate;
pub mod gate;
mod resample;
pub mod shapes;
pub mod ssim;
pub mod text;
