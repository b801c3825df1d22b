//! What the gate tolerates, as commands take it.

use crate::vision::gate::GateOptions;

#[derive(Clone, Copy, Debug, clap::Args)]
pub struct GateArgs {
    /// Levels that a pixel may lie outside what is around its place [default: 24]
    #[arg(long, value_name = "LEVELS")]
    tolerance: Option<u8>,
    /// As many outlying pixels in a tile are drift, at scale 3 [default: 12]
    #[arg(long, value_name = "N")]
    outlying_pixels: Option<f64>,
    /// Pixels that a tile may be moved by, at scale 3 [default: 2]
    #[arg(long, value_name = "N")]
    shift: Option<f64>,
    /// Colour difference (CIEDE2000) at which a flat area is drift [default: 2]
    #[arg(long, value_name = "N")]
    colour_delta: Option<f64>,
}

impl GateArgs {
    pub fn options(self) -> GateOptions {
        GateOptions {
            tolerance: self.tolerance,
            outlying_pixels: self.outlying_pixels,
            shift: self.shift,
            colour_delta: self.colour_delta,
            timeout_ms: None,
        }
    }
}
