//! Numbers on badges. Uses `ink`, `pixels`.

use image::RgbaImage;

use super::detect::TextBox;
use super::ink::{Strip, strips};
use super::pixels::{commonest, distance, row};
use crate::geometry::PixelRect;

/// A number on a coloured badge that lies over a picture, such as on the icon of a tab.
pub(super) fn badge(pixels: &RgbaImage, picture: PixelRect) -> Option<Strip> {
    let vivid = |p: &[u8]| {
        let (least, most) = (p[0].min(p[1]).min(p[2]), p[0].max(p[1]).max(p[2]));
        most - least > 110
    };
    let colour = commonest(pixels, picture, vivid)?;
    let (mut left, mut top, mut right, mut bottom) = (u32::MAX, u32::MAX, 0, 0);
    let mut count = 0u64;
    for y in picture.y..picture.bottom() {
        for (x, p) in (picture.x..).zip(row(pixels, picture, y).chunks_exact(4)) {
            if distance(p, colour) < 24 {
                (left, right) = (left.min(x), right.max(x + 1));
                (top, bottom) = (top.min(y), bottom.max(y + 1));
                count += 1;
            }
        }
    }
    let badge = PixelRect::new(left, top, right.checked_sub(left)?, bottom.checked_sub(top)?);
    let pill = badge.width * 10 >= badge.height * 8 && badge.width <= badge.height * 3;
    // a full pill without its digits; less is a line drawing
    if !pill || badge.height < 12 || count * 10 < badge.area() * 5 || badge.area() * 4 > picture.area() * 3 {
        return None;
    }
    let inset =
        |x: u32, y: u32| PixelRect::new(badge.x + x, badge.y + y, badge.width - 2 * x, badge.height - 2 * y);
    let (rect, core) = (inset(badge.height / 6, badge.height / 6), inset(badge.height / 4, badge.height / 4));
    strips(pixels, &TextBox { core, rect }).into_iter().next()
}
