//! Joins the lines of a wrapped sentence. Uses `vision::text` lines and `geometry`.

use crate::geometry::PixelRect;
use crate::vision::text::TextLine;

/// Lines that are one text, in reading order: indices into the lines given.
pub fn paragraphs(lines: &[TextLine], free: &[usize], frame_width: u32) -> Vec<Vec<usize>> {
    let mut order = free.to_vec();
    order.sort_by_key(|&i| (lines[i].rect.y, lines[i].rect.x));
    let mut joined: Vec<Vec<usize>> = Vec::new();
    for i in order {
        let before = joined.iter_mut().rev().find(|paragraph| {
            paragraph.last().is_some_and(|&last| goes_on(&lines[last], &lines[i], frame_width))
        });
        match before {
            Some(paragraph) => paragraph.push(i),
            None => joined.push(vec![i]),
        }
    }
    joined
}

/// Whether `next` is the rest of the sentence that `line` began.
fn goes_on(line: &TextLine, next: &TextLine, frame_width: u32) -> bool {
    if line.unread || next.unread {
        return false;
    }
    let (a, b) = (line.rect, next.rect);
    let height = f64::from(a.height.max(b.height));
    let similar = f64::from(a.height.min(b.height)) >= 0.62 * height;
    let gap = f64::from(b.y) - f64::from(a.bottom());
    let below = (-0.2 * height..=0.85 * height).contains(&gap);
    similar && below && aligned(a, b, height) && same_ink(line, next) && was_wrapped(line, next, frame_width)
}

fn aligned(a: PixelRect, b: PixelRect, height: f64) -> bool {
    let center = |r: PixelRect| f64::from(r.x) + f64::from(r.width) / 2.0;
    let left = (f64::from(a.x) - f64::from(b.x)).abs() <= 0.5 * height;
    let right = (f64::from(a.right()) - f64::from(b.right())).abs() <= 0.5 * height;
    left || right || (center(a) - center(b)).abs() <= 0.6 * height
}

fn same_ink(a: &TextLine, b: &TextLine) -> bool {
    let near = |p: [u8; 3], q: [u8; 3]| p.iter().zip(q).all(|(p, q)| p.abs_diff(q) <= 56);
    near(a.ink, b.ink) && near(a.ground, b.ground)
}

/// A line breaks where the next word no longer fits; a label over its value, or rows of a list, do not.
fn was_wrapped(line: &TextLine, next: &TextLine, frame_width: u32) -> bool {
    let goes_on_in_lower_case = next.text.trim_start().chars().next().is_some_and(char::is_lowercase);
    let broken_off = line.text.trim_end().ends_with([',', '-', '/', '&']);
    let long = line.rect.width * 2 >= frame_width && line.text.trim().contains(' ');
    let ended = line.text.trim_end().ends_with(['.', '!', '?', ':']);
    (goes_on_in_lower_case && line.text.trim().contains(' ') && !ended) || broken_off || long
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(text: &str, x: u32, y: u32, width: u32) -> TextLine {
        TextLine {
            text: text.into(),
            rect: PixelRect::new(x, y, width, 40),
            confidence: 0.9,
            unread: false,
            ink: [0; 3],
            ground: [255; 3],
            reused: false,
        }
    }

    #[test]
    fn a_wrapped_sentence_is_one_and_a_label_over_its_value_two() {
        let lines = [
            line("You can change this at any time in", 50, 100, 900),
            line("Settings under Privacy.", 50, 156, 500),
            line("Name", 50, 400, 120),
            line("Katrina", 50, 456, 160),
        ];
        assert_eq!(paragraphs(&lines, &[0, 1, 2, 3], 1179), [vec![0, 1], vec![2], vec![3]]);
    }

    #[test]
    fn two_columns_are_not_mixed() {
        let lines = [
            line("Paid in full by card,", 50, 100, 400),
            line("Shipping takes two,", 700, 100, 400),
            line("thank you", 50, 156, 200),
            line("three days", 700, 156, 200),
        ];
        assert_eq!(paragraphs(&lines, &[0, 1, 2, 3], 1179), [vec![0, 2], vec![1, 3]]);
    }
}
