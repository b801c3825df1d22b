//! A dialog that a server tells of and gives no picture of: drawn, so that it is seen, marked and tapped like any.
//! Uses `device::accessibility`, `font` and the types.

use std::io::Cursor;

use cosmic_text::{Align, Attrs, Buffer, Color, Family, FontSystem, Metrics, Shaping, SwashCache, fontdb};
use image::{ImageFormat, Rgba, RgbaImage};

use crate::device::{AccessibilityNode, AccessibilityTree};
use crate::font;
use crate::geometry::{PixelSize, Point, Rect, Size};
use crate::role::Role;

/// Points: the box, its margins, its text and its buttons.
const WIDTH: f64 = 270.0;
const MARGIN: f64 = 18.0;
const LETTERS: f64 = 15.0;
const LINE: f64 = 20.0;
const BUTTON: f64 = 44.0;
/// Text beyond is cut off.
const MOST_CHARACTERS: usize = 600;

const BEHIND: [u8; 3] = [120, 120, 124];
const BOX: [u8; 3] = [246, 246, 248];
const RULE: [u8; 3] = [200, 200, 205];
const INK: [u8; 3] = [0, 0, 0];
const LINK: [u8; 3] = [0, 98, 220];

/// How a dialog is answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    Accept,
    Dismiss,
    /// By the name of a button.
    Named(String),
}

/// An open dialog, laid out.
#[derive(Clone, Debug, PartialEq)]
pub struct OpenAlert {
    text: String,
    points: Size,
    frame: Rect,
    buttons: Vec<(String, Answer, Rect)>,
}

/// Letters, shaped for one picture.
struct Letters {
    fonts: FontSystem,
    rasters: SwashCache,
    scale: f64,
}

impl OpenAlert {
    /// `named` are its buttons where the server tells them; else it is accepted or dismissed.
    pub fn lay_out(text: &str, named: Vec<String>, points: Size) -> Self {
        let text: String = text.chars().take(MOST_CHARACTERS).collect();
        let width = WIDTH.min(points.width);
        let text_height = Letters::new(1.0).lines(&text, width - 2.0 * MARGIN) as f64 * LINE;
        let answers = if named.is_empty() {
            vec![("Cancel".to_owned(), Answer::Dismiss), ("OK".to_owned(), Answer::Accept)]
        } else {
            named.into_iter().map(|name| (name.clone(), Answer::Named(name))).collect()
        };
        let beside = answers.len() == 2;
        let rows = if beside { 1 } else { answers.len() };
        let height = 2.0 * MARGIN + text_height + rows as f64 * BUTTON;
        let (x, y) = ((points.width - width) / 2.0, ((points.height - height) / 2.0).max(0.0));
        let top = y + 2.0 * MARGIN + text_height;
        let place = |i: usize| {
            if beside {
                Rect::new(x + i as f64 * width / 2.0, top, width / 2.0, BUTTON)
            } else {
                Rect::new(x, top + i as f64 * BUTTON, width, BUTTON)
            }
        };
        let buttons = answers.into_iter().enumerate().map(|(i, (name, answer))| (name, answer, place(i)));
        let buttons = buttons.collect();
        Self { text, points, frame: Rect::new(x, y, width, height), buttons }
    }

    /// What a touch at this point answers; `None` beside the buttons.
    pub fn answer_at(&self, at: Point) -> Option<Answer> {
        let hit = self.buttons.iter().find(|(_, _, frame)| frame.contains(at));
        hit.map(|(_, answer, _)| answer.clone())
    }

    /// The tree that belongs to the picture.
    pub fn tree(&self) -> AccessibilityTree {
        let node = |kind: &str, role: Role, label: &str, frame: Rect| AccessibilityNode {
            kind: kind.to_owned(),
            role: Some(role),
            label: Some(label.to_owned()),
            enabled: Some(true),
            frame: Some(frame),
            ..AccessibilityNode::default()
        };
        let mut alert = node("Alert", Role::Alert, &self.text, self.frame);
        let above = self.buttons.first().map_or(self.frame.bottom(), |(_, _, frame)| frame.y);
        let inside = Rect::new(
            self.frame.x + MARGIN,
            self.frame.y + MARGIN,
            self.frame.width - 2.0 * MARGIN,
            (above - self.frame.y - 2.0 * MARGIN).max(LINE),
        );
        alert.children.push(node("StaticText", Role::Text, &self.text, inside));
        alert
            .children
            .extend(self.buttons.iter().map(|(name, _, at)| node("Button", Role::Button, name, *at)));
        let root = AccessibilityNode {
            kind: "Application".to_owned(),
            frame: Some(Rect::new(0.0, 0.0, self.points.width, self.points.height)),
            children: vec![alert],
            ..AccessibilityNode::default()
        };
        AccessibilityTree { root }
    }

    /// As PNG, of the size that the screen's pictures have.
    ///
    /// # Errors
    /// The picture can't be written.
    pub fn draw(&self, pixels: PixelSize) -> Result<Vec<u8>, image::ImageError> {
        let scale = f64::from(pixels.width) / self.points.width;
        let [r, g, b] = BEHIND;
        let mut picture = RgbaImage::from_pixel(pixels.width, pixels.height, Rgba([r, g, b, 255]));
        fill(&mut picture, self.frame, scale, BOX);
        let mut letters = Letters::new(scale);
        let text = Point::new(self.frame.x + MARGIN, self.frame.y + MARGIN);
        letters.write(&mut picture, &self.text, text, self.frame.width - 2.0 * MARGIN, INK);
        for (name, _, frame) in &self.buttons {
            fill(&mut picture, Rect::new(frame.x, frame.y, frame.width, 1.0), scale, RULE);
            if frame.x > self.frame.x {
                fill(&mut picture, Rect::new(frame.x, frame.y, 1.0, frame.height), scale, RULE);
            }
            let at = Point::new(frame.x, frame.y + (BUTTON - LINE) / 2.0);
            letters.write(&mut picture, name, at, frame.width, LINK);
        }
        let mut png = Cursor::new(Vec::new());
        picture.write_to(&mut png, ImageFormat::Png)?;
        Ok(png.into_inner())
    }
}

impl Letters {
    fn new(scale: f64) -> Self {
        let mut fonts = fontdb::Database::new();
        fonts.load_font_data(font::REGULAR.to_vec());
        let fonts = FontSystem::new_with_locale_and_db("en-US".to_owned(), fonts);
        Self { fonts, rasters: SwashCache::new(), scale }
    }

    fn shape(&mut self, text: &str, width: f64) -> Buffer {
        let metrics = Metrics::new((LETTERS * self.scale) as f32, (LINE * self.scale) as f32);
        let mut buffer = Buffer::new(&mut self.fonts, metrics);
        buffer.set_size(Some((width * self.scale) as f32), None);
        let attributes = Attrs::new().family(Family::Name("Inter"));
        buffer.set_text(text, &attributes, Shaping::Advanced, Some(Align::Center));
        buffer.shape_until_scroll(&mut self.fonts, false);
        buffer
    }

    fn lines(&mut self, text: &str, width: f64) -> usize {
        self.shape(text, width).layout_runs().count().max(1)
    }

    fn write(&mut self, picture: &mut RgbaImage, text: &str, at: Point, width: f64, ink: [u8; 3]) {
        let mut buffer = self.shape(text, width);
        let (left, top) = ((at.x * self.scale).round() as i64, (at.y * self.scale).round() as i64);
        let colour = Color::rgb(ink[0], ink[1], ink[2]);
        buffer.draw(&mut self.fonts, &mut self.rasters, colour, |x, y, _, _, colour| {
            let place = (u32::try_from(left + i64::from(x)), u32::try_from(top + i64::from(y)));
            let (Ok(x), Ok(y)) = place else { return };
            if let Some(pixel) = picture.get_pixel_mut_checked(x, y) {
                let part = u16::from(colour.a());
                for (channel, ink) in pixel.0.iter_mut().zip([colour.r(), colour.g(), colour.b()]) {
                    *channel = ((u16::from(ink) * part + u16::from(*channel) * (255 - part)) / 255) as u8;
                }
            }
        });
    }
}

fn fill(picture: &mut RgbaImage, rect: Rect, scale: f64, colour: [u8; 3]) {
    let clip = |v: f64, most: u32| (v * scale).round().clamp(0.0, f64::from(most)) as u32;
    let (width, height) = picture.dimensions();
    let [r, g, b] = colour;
    for y in clip(rect.y, height)..clip(rect.bottom(), height) {
        for x in clip(rect.x, width)..clip(rect.right(), width) {
            picture.put_pixel(x, y, Rgba([r, g, b, 255]));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_touch_on_a_button_answers_and_one_beside_does_not() {
        let points = Size::new(390.0, 844.0);
        let alert = OpenAlert::lay_out("Delete everything?", Vec::new(), points);
        let tree = alert.tree();
        let button = |name: &str| {
            let node = tree.root.walk().find(|n| n.label.as_deref() == Some(name)).unwrap();
            node.frame.unwrap().center()
        };
        assert_eq!(alert.answer_at(button("OK")), Some(Answer::Accept));
        assert_eq!(alert.answer_at(button("Cancel")), Some(Answer::Dismiss));
        assert_eq!(alert.answer_at(Point::new(5.0, 5.0)), None);
        let named = vec!["Allow Once".to_owned(), "Allow".to_owned(), "Don’t Allow".to_owned()];
        let alert = OpenAlert::lay_out("Shop would like to use your location", named, points);
        let last = alert.buttons[2].2.center();
        assert_eq!(alert.answer_at(last), Some(Answer::Named("Don’t Allow".to_owned())));
        let png = alert.draw(PixelSize::new(1170, 2532)).unwrap();
        assert_eq!(image::load_from_memory(&png).unwrap().to_rgb8().dimensions(), (1170, 2532));
    }
}
