//! The gate with masks. Frames are compared as they are first: masks can only turn drift into a match, so nothing is
//! looked for on a screen that matches without them. Uses `vision::mask`.

use super::{Comparison, GateError, GateOptions, compare};
use crate::geometry::{PixelRect, Screen};
use crate::vision::mask::{self, Located, Mask, ReadText, Side};

/// Compares two frames of one screen, leaving out `masks` where they are found in either.
///
/// `read` is asked for text only where a mask needs it.
pub fn compare_masked(
    expected: Side<'_>,
    actual: Side<'_>,
    screen: &Screen,
    masks: &[Mask],
    options: &GateOptions,
    read: &mut ReadText<'_>,
) -> Result<Comparison, GateError> {
    let scale = screen.scale_x();
    let compare = |located: &[Located]| {
        let rects: Vec<PixelRect> = located.iter().map(|l| l.rect).collect();
        compare(expected.frame, actual.frame, scale, &rects, options)
    };
    let rectangles = mask::rectangles(masks, screen)?;
    let first = compare(&rectangles)?;
    if !first.is_drift() || first.mean_ssim.is_none() || rectangles.len() == masks.len() {
        return Ok(first.naming(&rectangles));
    }
    let located = mask::locate(masks, [expected, actual], screen, &first.patches, read)?;
    if located.len() == rectangles.len() {
        return Ok(first.naming(&rectangles));
    }
    let mut second = compare(&located)?;
    second.duration += first.duration;
    Ok(second.naming(&located))
}

impl Comparison {
    fn naming(mut self, located: &[Located]) -> Self {
        for (masked, located) in self.masks.iter_mut().zip(located) {
            masked.mask = Some(located.mask.clone());
        }
        self
    }
}
