//! The text cursor among letters: no letter, though it stands in line with them. Uses nothing of this crate but types.

use image::RgbaImage;

use crate::geometry::PixelRect;

/// How far a cursor's colour is from grey at least, largest less smallest channel.
const TINTED: u8 = 70;

/// Columns of the frame (the second exclusive) that a text cursor fills.
///
/// `middle` is the part of the line that every letter crosses, `line` the height of the whole line. A cursor is an
/// upright bar there, in a tint that nothing else in the line has; the `l` of a tinted word is not.
pub(super) fn columns(pixels: &RgbaImage, middle: PixelRect, line: u32) -> Option<(u32, u32)> {
    let tinted = |x: u32, y: u32| {
        let [r, g, b, _] = pixels.get_pixel(x, y).0;
        r.max(g).max(b) - r.min(g).min(b) >= TINTED
    };
    let height = middle.height;
    let mut counts: Vec<u32> = (middle.x..middle.right())
        .map(|x| (middle.y..middle.bottom()).filter(|&y| tinted(x, y)).count() as u32)
        .collect();
    // outside of the line; a cursor is somewhat higher than the letters, the box of a field twice as high
    let margin = line.saturating_sub(height) / 2 + line * 3 / 10 + 1;
    let (above, below) = (middle.y.checked_sub(margin), middle.bottom() + margin);
    let mut bars: Vec<(usize, usize)> = Vec::new();
    for (i, count) in counts.iter_mut().enumerate().filter(|(_, count)| **count == height) {
        let x = middle.x + i as u32;
        let on = |y: Option<u32>| y.is_some_and(|y| y < pixels.height() && tinted(x, y));
        if on(above) && on(Some(below)) {
            // the side of the box that the line stands in
            *count = 0;
        } else {
            match bars.last_mut().filter(|bar| bar.1 == i) {
                Some(bar) => bar.1 = i + 1,
                None => bars.push((i, i + 1)),
            }
        }
    }
    let [(first, end)] = *bars.as_slice() else { return None };
    let width = (end - first) as u32;
    // at its sides it fades
    let (left, right) = (first.saturating_sub(1), (end + 1).min(counts.len()));
    let elsewhere: u32 = counts[..left].iter().chain(&counts[right..]).sum();
    let thin = width >= 2 && width * 4 <= line.max(8);
    (thin && elsewhere * 10 <= width * height).then_some((middle.x + left as u32, middle.x + right as u32))
}

#[cfg(test)]
mod tests {
    use super::*;
    use image::Rgba;

    const BLUE: Rgba<u8> = Rgba([0, 122, 255, 255]);
    const BLACK: Rgba<u8> = Rgba([0, 0, 0, 255]);

    /// Bars of ink, 6 pixels wide and 30 high, one each 20 pixels.
    fn bars(colours: &[Rgba<u8>]) -> RgbaImage {
        RgbaImage::from_fn(20 * colours.len() as u32, 30, |x, _| {
            if x % 20 < 6 { colours[(x / 20) as usize] } else { Rgba([255; 4]) }
        })
    }

    fn found(picture: &RgbaImage) -> Option<(u32, u32)> {
        columns(picture, PixelRect::new(0, 0, picture.width(), picture.height()), 30)
    }

    #[test]
    fn a_tinted_bar_among_black_letters_is_a_cursor() {
        assert_eq!(found(&bars(&[BLACK, BLACK, BLUE])), Some((39, 47)));
        assert_eq!(found(&bars(&[BLUE, BLACK])), Some((0, 7)));
    }

    #[test]
    fn the_side_of_a_focused_field_is_no_cursor() {
        let letters = bars(&[BLACK, BLACK, BLUE]);
        let mut picture = RgbaImage::from_fn(100, 90, |x, _| if x < 4 { BLUE } else { Rgba([255; 4]) });
        image::imageops::replace(&mut picture, &letters, 20, 30);
        assert_eq!(columns(&picture, PixelRect::new(0, 30, 100, 30), 40), Some((59, 67)));
    }

    #[test]
    fn a_cursor_may_be_higher_than_the_letters() {
        let mut picture = RgbaImage::from_pixel(100, 60, Rgba([255; 4]));
        image::imageops::replace(&mut picture, &bars(&[BLACK, BLACK]), 20, 15);
        (11..49).for_each(|y| (64..68).for_each(|x| picture.put_pixel(x, y, BLUE)));
        assert_eq!(columns(&picture, PixelRect::new(0, 15, 100, 30), 32), Some((63, 69)));
    }

    #[test]
    fn letters_of_one_tint_are_none() {
        assert_eq!(found(&bars(&[BLUE, BLUE, BLUE])), None);
        assert_eq!(found(&bars(&[BLACK, BLACK])), None);
    }
}
