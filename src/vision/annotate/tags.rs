//! Where the number of each box goes: beside it, over nothing that is worth seeing.

use image::RgbImage;

use super::canvas::{Area, Canvas};

/// How restless a picture is anywhere, summed up so that any area is looked up at once.
pub(super) struct Unrest {
    width: usize,
    height: usize,
    /// One row and column more than the picture.
    sums: Vec<u32>,
}

impl Unrest {
    pub(super) fn of(picture: &RgbImage) -> Self {
        let (width, height) = (picture.width() as usize, picture.height() as usize);
        let luma: Vec<i32> = picture
            .pixels()
            .map(|p| (i32::from(p.0[0]) * 2 + i32::from(p.0[1]) * 5 + i32::from(p.0[2])) / 8)
            .collect();
        let mut sums = vec![0u32; (width + 1) * (height + 1)];
        for y in 0..height {
            let mut row = 0u32;
            for x in 0..width {
                let here = luma[y * width + x];
                let right = luma[y * width + (x + 1).min(width - 1)];
                let below = luma[(y + 1).min(height - 1) * width + x];
                row += here.abs_diff(right).max(here.abs_diff(below)).min(96);
                sums[(y + 1) * (width + 1) + x + 1] = sums[y * (width + 1) + x + 1] + row;
            }
        }
        Self { width, height, sums }
    }

    /// Mean unrest over an area, 0 to 96.
    fn mean(&self, area: &Area) -> f32 {
        let clip = |v: f32, most: usize| (v.max(0.0) as usize).min(most);
        let (left, right) = (clip(area.left, self.width), clip(area.right.ceil(), self.width));
        let (top, bottom) = (clip(area.top, self.height), clip(area.bottom.ceil(), self.height));
        if right <= left || bottom <= top {
            return 0.0;
        }
        let at = |x: usize, y: usize| u64::from(self.sums[y * (self.width + 1) + x]);
        let sum = at(right, bottom) + at(left, top) - at(left, bottom) - at(right, top);
        sum as f32 / ((right - left) * (bottom - top)) as f32
    }
}

/// A place for each number, in the order of `wanted` (boxes and their numbers).
pub(super) fn places(canvas: &Canvas, unrest: &Unrest, wanted: &[(Area, String)]) -> Vec<Area> {
    let mut taken: Vec<Area> = Vec::with_capacity(wanted.len());
    for (own, number) in wanted {
        let size = canvas.tag_size(number);
        let cost = |(rank, area): &(usize, Area)| {
            let tags: f32 = taken.iter().map(|t| t.overlap(area)).sum();
            let boxes: f32 = wanted.iter().filter(|(b, _)| b != own).map(|(b, _)| across(b, own, area)).sum();
            let share = area.size();
            // a place that the picture's edge pushed back into the box is none beside it
            let pushed = if *rank < BESIDE { own.overlap(area) / share } else { 0.0 };
            tags / share * 400.0 + unrest.mean(area) * 3.0 + boxes * 12.0 + pushed * 30.0 + *rank as f32 * 1.5
        };
        let best = candidates(own, size, &canvas.extent())
            .into_iter()
            .enumerate()
            .min_by(|a, b| cost(a).total_cmp(&cost(b)))
            .map_or(*own, |(_, area)| area);
        taken.push(best);
    }
    taken
}

/// How much a number of `own` disturbs another box: most within one beside it, whose number it would be taken for;
/// little within one that holds its own box too.
fn across(other: &Area, own: &Area, tag: &Area) -> f32 {
    let common = other.overlap(tag);
    let share = |area: &Area| common / area.size();
    if common == 0.0 {
        0.0
    } else if share(tag) <= 0.99 {
        1.0
    } else if other.overlap(own) > own.size() * 0.9 {
        0.2
    } else {
        2.0
    }
}

/// How many of the candidates lie beside the box.
const BESIDE: usize = 8;

/// Beside the box, then inside it; all within the picture.
fn candidates(own: &Area, (width, height): (f32, f32), extent: &Area) -> Vec<Area> {
    let middle = (own.top + own.bottom - height) / 2.0;
    let inner = 2.0;
    let mut corners = vec![
        (own.left - width, middle),
        (own.left, own.top - height),
        (own.right, middle),
        (own.right - width, own.top - height),
        (own.left - width, own.top),
        (own.right, own.top),
        (own.left, own.bottom),
        (own.right - width, own.bottom),
    ];
    if own.right - own.left > width + 8.0 && own.bottom - own.top > height + 4.0 {
        corners.extend([
            (own.left + inner, own.top + inner),
            (own.right - width - inner, own.top + inner),
            (own.left + inner, own.bottom - height - inner),
            (own.right - width - inner, own.bottom - height - inner),
            (own.left + inner, middle),
            (own.right - width - inner, middle),
        ]);
    }
    corners
        .into_iter()
        .map(|(left, top)| {
            let left = left.round().min(extent.right - width).max(0.0);
            let top = top.round().min(extent.bottom - height).max(0.0);
            Area { left, top, right: left + width, bottom: top + height }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use image::Rgb;

    use super::*;

    #[test]
    fn no_number_stands_in_the_box_of_a_neighbour() {
        let area = |left, top, width, height| Area { left, top, right: left + width, bottom: top + height };
        let tabs = (0..4).map(|i| area(i as f32 * 98.0, 780.0, 98.0, 50.0));
        let cells = (0..6).map(|i| area(0.0, 250.0 + i as f32 * 80.0, 393.0, 80.0));
        let boxes: Vec<Area> = tabs.chain(cells).collect();
        let picture = RgbImage::from_pixel(393, 852, Rgb([255; 3]));
        let wanted: Vec<(Area, String)> =
            boxes.iter().enumerate().map(|(i, area)| (*area, (i + 10).to_string())).collect();
        let canvas = Canvas::new(picture.clone(), 1.0);
        let places = places(&canvas, &Unrest::of(&picture), &wanted);
        for (i, tag) in places.iter().enumerate() {
            let strangers = boxes
                .iter()
                .enumerate()
                .filter(|(j, other)| *j != i && other.overlap(tag) > 0.6 * tag.size());
            assert_eq!(strangers.count(), 0, "{} at {tag:?}", i + 10);
        }
    }
}
