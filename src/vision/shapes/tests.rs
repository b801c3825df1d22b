//! Small drawn pictures and what must be found in them. Three pixels a point, as on a phone.

use image::{Rgba, RgbaImage};

use crate::frame::Frame;
use crate::geometry::{PixelRect, Rect};
use crate::role::Role;
use crate::vision::text::TextLine;

use super::{Scene, Shape, find};

const SCALE: f64 = 3.0;
const WHITE: [u8; 3] = [255, 255, 255];
const GROUPED: [u8; 3] = [242, 242, 247];
const BLUE: [u8; 3] = [0, 122, 255];
const GREEN: [u8; 3] = [52, 199, 89];
const GREY: [u8; 3] = [142, 142, 147];
const LINE: [u8; 3] = [198, 198, 200];
const PLACEHOLDER: [u8; 3] = [196, 196, 198];
const BLACK: [u8; 3] = [0, 0, 0];

/// A page that is drawn on in points, with the texts that a reader would find on it.
struct Page {
    pixels: RgbaImage,
    lines: Vec<TextLine>,
}

impl Page {
    fn new(ground: [u8; 3]) -> Self {
        Self { pixels: RgbaImage::from_pixel(1179, 2556, rgba(ground)), lines: Vec::new() }
    }

    /// Fills what `inside` covers, its edge antialiased.
    fn fill(&mut self, bounds: Rect, colour: [u8; 3], inside: impl Fn(f64, f64) -> f64) {
        for y in (bounds.y * SCALE) as u32..(bounds.bottom() * SCALE).ceil() as u32 {
            for x in (bounds.x * SCALE) as u32..(bounds.right() * SCALE).ceil() as u32 {
                let at = |v: u32| (f64::from(v) + 0.5) / SCALE;
                let cover = (0.5 - inside(at(x), at(y)) * SCALE).clamp(0.0, 1.0);
                let pixel = self.pixels.get_pixel_mut(x, y);
                for c in 0..3 {
                    pixel[c] =
                        (f64::from(pixel[c]) * (1.0 - cover) + f64::from(colour[c]) * cover).round() as u8;
                }
            }
        }
    }

    fn plate(&mut self, rect: Rect, radius: f64, colour: [u8; 3]) {
        let center = rect.center();
        self.fill(rect, colour, |x, y| {
            let dx = (x - center.x).abs() - rect.width / 2.0 + radius;
            let dy = (y - center.y).abs() - rect.height / 2.0 + radius;
            dx.max(0.0).hypot(dy.max(0.0)) + dx.max(dy).min(0.0) - radius
        });
    }

    fn outline(&mut self, rect: Rect, radius: f64, width: f64, colour: [u8; 3], fill: [u8; 3]) {
        self.plate(rect, radius, colour);
        let inner =
            Rect::new(rect.x + width, rect.y + width, rect.width - 2.0 * width, rect.height - 2.0 * width);
        self.plate(inner, radius - width, fill);
    }

    fn stroke(&mut self, points: &[(f64, f64)], width: f64, colour: [u8; 3]) {
        for ends in points.windows(2) {
            let ((ax, ay), (bx, by)) = (ends[0], ends[1]);
            let bounds = Rect::new(
                ax.min(bx) - width,
                ay.min(by) - width,
                (ax - bx).abs() + 2.0 * width,
                (ay - by).abs() + 2.0 * width,
            );
            self.fill(bounds, colour, |x, y| {
                let (dx, dy) = (bx - ax, by - ay);
                let t = (((x - ax) * dx + (y - ay) * dy) / (dx * dx + dy * dy)).clamp(0.0, 1.0);
                (x - ax - dx * t).hypot(y - ay - dy * t) - width / 2.0
            });
        }
    }

    /// A text of 17 points as bars of ink, one a letter.
    fn text(&mut self, text: &str, x: f64, y: f64, ink: [u8; 3]) {
        self.text_of_size(text, x, y, 17.0, ink);
    }

    fn text_of_size(&mut self, text: &str, x: f64, y: f64, size: f64, ink: [u8; 3]) {
        let pixel = self.pixels.get_pixel((x * SCALE) as u32, (y * SCALE) as u32);
        let ground = [pixel[0], pixel[1], pixel[2]];
        let (height, step) = (size * 0.72, size * 0.52);
        for (i, letter) in text.chars().enumerate() {
            if letter != ' ' {
                self.plate(Rect::new(x + step * i as f64, y, step * 0.5, height), 0.0, ink);
            }
        }
        let to = |v: f64| (v * SCALE) as u32;
        let width = step * (text.chars().count() as f64 - 0.5);
        let rect = PixelRect::new(to(x), to(y), to(width), to(height));
        self.lines.push(TextLine {
            text: text.into(),
            rect,
            confidence: 1.0,
            unread: false,
            ink,
            ground,
            reused: false,
        });
    }

    fn chevron(&mut self, x: f64, y: f64) {
        self.stroke(&[(x, y - 5.5), (x + 5.5, y), (x, y + 5.5)], 2.0, PLACEHOLDER);
    }

    fn scene(self) -> (Scene, Vec<TextLine>) {
        (find(&Frame::new(self.pixels).unwrap(), SCALE, &self.lines), self.lines)
    }

    /// The only control that was found.
    fn only(self) -> (Shape, String) {
        let (mut scene, lines) = self.scene();
        assert_eq!(scene.shapes.len(), 1, "{:?}", scene.shapes);
        let shape = scene.shapes.remove(0);
        let label = label(&shape, &lines);
        (shape, label)
    }
}

fn rgba([r, g, b]: [u8; 3]) -> Rgba<u8> {
    Rgba([r, g, b, 255])
}

fn label(shape: &Shape, lines: &[TextLine]) -> String {
    shape.label_lines.iter().map(|i| lines[*i].text.as_str()).collect::<Vec<_>>().join(" ")
}

fn roles(scene: &Scene) -> Vec<Role> {
    scene.shapes.iter().map(|shape| shape.role).collect()
}

#[test]
fn a_blank_picture_has_nothing() {
    for ground in [WHITE, BLACK, GROUPED] {
        let (scene, _) = Page::new(ground).scene();
        assert_eq!(scene, Scene::default());
    }
}

#[test]
fn filled_tinted_and_outlined_plates_with_words_in_the_middle_are_buttons() {
    for draw in [
        |page: &mut Page| page.plate(Rect::new(16.0, 200.0, 361.0, 50.0), 12.0, BLUE),
        |page: &mut Page| page.plate(Rect::new(16.0, 200.0, 361.0, 50.0), 25.0, [224, 242, 248]),
        |page: &mut Page| {
            page.outline(Rect::new(120.0, 200.0, 153.0, 50.0), 25.0, 1.0, [170, 214, 250], WHITE)
        },
    ] {
        let mut page = Page::new(WHITE);
        draw(&mut page);
        let ink = if page.pixels.get_pixel(590, 660)[0] == 0 { WHITE } else { BLUE };
        page.text("Continue", 163.0, 219.0, ink);
        let (shape, label) = page.only();
        assert_eq!((shape.role, label.as_str(), shape.enabled), (Role::Button, "Continue", true));
        assert!((600..=606).contains(&shape.rect.y) && (138..=152).contains(&shape.rect.height));
    }
}

#[test]
fn a_faded_button_is_disabled_and_one_with_a_spinner_is_busy() {
    let mut page = Page::new(WHITE);
    page.plate(Rect::new(16.0, 200.0, 361.0, 50.0), 12.0, [229, 229, 234]);
    page.text("Continue", 163.0, 219.0, [188, 188, 192]);
    let (shape, _) = page.only();
    assert_eq!((shape.role, shape.enabled), (Role::Button, false));

    let mut page = Page::new(WHITE);
    page.plate(Rect::new(16.0, 200.0, 361.0, 50.0), 12.0, BLUE);
    for spoke in 0..8 {
        let (sin, cos) = (f64::from(spoke) * std::f64::consts::FRAC_PI_4).sin_cos();
        let ink = [120 + spoke as u8 * 15, 180 + spoke as u8 * 9, 255];
        page.stroke(
            &[(196.5 + 5.0 * cos, 225.0 + 5.0 * sin), (196.5 + 9.0 * cos, 225.0 + 9.0 * sin)],
            2.0,
            ink,
        );
    }
    let (shape, _) = page.only();
    assert_eq!((shape.role, shape.value.as_deref()), (Role::Button, Some("loading")));
}

#[test]
fn words_in_a_tint_are_buttons_and_errors_in_red_are_not() {
    let mut page = Page::new(WHITE);
    page.text("Forgot password?", 110.0, 300.0, BLUE);
    page.text_of_size("Wrong password", 20.0, 400.0, 13.0, [255, 59, 48]);
    page.text("Some words", 20.0, 500.0, BLACK);
    let (shape, label) = page.only();
    assert_eq!((shape.role, label.as_str()), (Role::Button, "Forgot password?"));
}

#[test]
fn switches_tell_their_state_and_their_label() {
    for (on, ground) in [(true, WHITE), (false, WHITE), (true, BLACK), (false, BLACK)] {
        let mut page = Page::new(ground);
        let off = if ground == WHITE { [233, 233, 235] } else { [57, 57, 61] };
        page.plate(Rect::new(326.0, 200.0, 51.0, 31.0), 15.5, if on { GREEN } else { off });
        let knob = if on { 348.0 } else { 328.0 };
        page.plate(Rect::new(knob, 202.0, 27.0, 27.0), 13.5, WHITE);
        page.text("Notifications", 20.0, 209.0, if ground == WHITE { BLACK } else { WHITE });
        let (shape, label) = page.only();
        assert_eq!((shape.role, label.as_str()), (Role::Switch, "Notifications"), "{on} on {ground:?}");
        assert_eq!((shape.value.as_deref(), shape.selected), (Some(if on { "on" } else { "off" }), Some(on)));
        assert!(
            (974..=982).contains(&shape.rect.x) && (148..=158).contains(&shape.rect.width),
            "{:?}",
            shape.rect
        );
    }
}

#[test]
fn checkboxes_tell_their_state() {
    for checked in [true, false] {
        let mut page = Page::new(WHITE);
        if checked {
            page.plate(Rect::new(20.0, 200.0, 22.0, 22.0), 6.0, BLUE);
            page.stroke(&[(25.5, 211.5), (29.3, 215.4), (36.5, 206.5)], 2.0, WHITE);
        } else {
            page.outline(Rect::new(20.0, 200.0, 22.0, 22.0), 11.0, 1.6, LINE, WHITE);
        }
        page.text("Keep me signed in", 54.0, 205.0, BLACK);
        let (shape, label) = page.only();
        assert_eq!((shape.role, label.as_str()), (Role::Checkbox, "Keep me signed in"));
        assert_eq!(shape.selected, Some(checked));
    }
}

#[test]
fn fields_are_told_by_box_underline_placeholder_and_magnifier() {
    let mut page = Page::new(WHITE);
    page.outline(Rect::new(16.0, 100.0, 361.0, 44.0), 8.0, 1.0, LINE, WHITE);
    page.text("Email", 28.0, 116.0, PLACEHOLDER);
    page.plate(Rect::new(16.0, 200.0, 361.0, 36.0), 10.0, [238, 238, 240]);
    page.outline(Rect::new(25.0, 210.0, 12.0, 12.0), 6.0, 1.6, GREY, [238, 238, 240]);
    page.stroke(&[(35.5, 220.5), (40.0, 225.0)], 1.8, GREY);
    page.text("Search", 46.0, 211.0, GREY);
    page.text_of_size("Card number", 16.0, 300.0, 13.0, GREY);
    page.text("4111", 16.0, 324.0, BLACK);
    page.plate(Rect::new(16.0, 346.0, 361.0, 1.0), 0.0, BLUE);
    page.outline(Rect::new(16.0, 400.0, 361.0, 44.0), 8.0, 1.0, LINE, WHITE);
    page.text("••••••••", 28.0, 416.0, BLACK);
    let (scene, lines) = page.scene();
    assert_eq!(roles(&scene), [Role::TextField, Role::SearchField, Role::TextField, Role::SecureField]);
    let labels: Vec<String> = scene.shapes.iter().map(|shape| label(shape, &lines)).collect();
    assert_eq!(labels, ["Email", "Search", "Card number", ""]);
    assert_eq!(lines[scene.shapes[2].value_lines[0]].text, "4111");
}

#[test]
fn rows_of_a_card_are_cells_with_label_and_value() {
    let mut page = Page::new(GROUPED);
    page.plate(Rect::new(16.0, 100.0, 361.0, 88.0), 10.0, WHITE);
    page.plate(Rect::new(32.0, 144.0, 345.0, 0.67), 0.0, LINE);
    page.text("Language", 32.0, 116.0, BLACK);
    page.text("English", 270.0, 116.0, GREY);
    page.chevron(356.0, 122.0);
    page.text("Privacy", 32.0, 160.0, BLACK);
    page.chevron(356.0, 166.0);
    let (scene, lines) = page.scene();
    assert_eq!(roles(&scene), [Role::Cell, Role::Cell]);
    assert_eq!(
        (label(&scene.shapes[0], &lines), scene.shapes[0].value_lines.clone()),
        ("Language".into(), vec![1])
    );
    assert_eq!(label(&scene.shapes[1], &lines), "Privacy");
    assert!(scene.shapes[0].rect.bottom().abs_diff(432) <= 4 && scene.shapes[1].rect.y.abs_diff(432) <= 4);
}

#[test]
fn a_segmented_control_gives_a_shape_a_segment() {
    let mut page = Page::new(WHITE);
    page.plate(Rect::new(16.0, 100.0, 360.0, 32.0), 9.0, [238, 238, 239]);
    page.plate(Rect::new(136.0, 102.0, 120.0, 28.0), 7.0, WHITE);
    for (text, x) in [("Day", 62.0), ("Week", 180.0), ("Month", 296.0)] {
        page.text_of_size(text, x, 111.0, 13.0, BLACK);
    }
    let (scene, lines) = page.scene();
    assert_eq!(roles(&scene), [Role::Segmented; 3]);
    let selected: Vec<Option<bool>> = scene.shapes.iter().map(|shape| shape.selected).collect();
    assert_eq!(selected, [Some(false), Some(true), Some(false)]);
    assert_eq!(label(&scene.shapes[1], &lines), "Week");
}

#[test]
fn a_slider_tells_its_place_and_a_bar_its_share() {
    let mut page = Page::new(WHITE);
    page.plate(Rect::new(20.0, 112.0, 140.0, 4.0), 2.0, BLUE);
    page.plate(Rect::new(160.0, 112.0, 200.0, 4.0), 2.0, [228, 228, 230]);
    page.plate(Rect::new(145.0, 99.0, 30.0, 30.0), 15.0, [200, 200, 204]);
    page.plate(Rect::new(146.0, 100.0, 28.0, 28.0), 14.0, WHITE);
    page.plate(Rect::new(20.0, 200.0, 90.0, 4.0), 0.0, BLUE);
    page.plate(Rect::new(110.0, 200.0, 270.0, 4.0), 0.0, [228, 228, 230]);
    let (scene, _) = page.scene();
    assert_eq!(roles(&scene), [Role::Slider, Role::Progress]);
    let values: Vec<&str> = scene.shapes.iter().filter_map(|shape| shape.value.as_deref()).collect();
    let share: f64 = values[0].trim_end_matches('%').parse().unwrap();
    assert!((39.0..=42.0).contains(&share), "{values:?}");
    assert_eq!(values[1], "25%");
}

#[test]
fn a_stepper_is_two_halves_named_by_what_they_do() {
    let mut page = Page::new(WHITE);
    page.plate(Rect::new(283.0, 100.0, 94.0, 32.0), 8.0, [238, 238, 239]);
    page.stroke(&[(299.0, 116.0), (313.0, 116.0)], 2.0, BLACK);
    page.stroke(&[(347.0, 116.0), (361.0, 116.0)], 2.0, BLACK);
    page.stroke(&[(354.0, 109.0), (354.0, 123.0)], 2.0, BLACK);
    page.text("Quantity", 20.0, 110.0, BLACK);
    let (scene, _) = page.scene();
    assert_eq!(roles(&scene), [Role::Stepper; 2]);
    let names: Vec<_> = scene.shapes.iter().map(|shape| shape.name).collect();
    assert_eq!(names, [Some("Decrement"), Some("Increment")]);
}

#[test]
fn tabs_stand_at_the_bottom_with_the_chosen_one_in_its_tint() {
    let mut page = Page::new(WHITE);
    for (i, text) in ["Home", "Cart", "You"].into_iter().enumerate() {
        let (x, ink) = (65.5 + 131.0 * i as f64, if i == 1 { BLUE } else { GREY });
        page.plate(Rect::new(x - 11.0, 780.0, 22.0, 20.0), 4.0, ink);
        page.text_of_size(text, x - 2.6 * text.len() as f64, 806.0, 10.0, ink);
    }
    let (scene, lines) = page.scene();
    assert_eq!(roles(&scene), [Role::Tab; 3]);
    assert!(scene.tab_bar.is_some());
    let chosen: Vec<String> =
        scene.shapes.iter().filter(|s| s.selected == Some(true)).map(|s| label(s, &lines)).collect();
    assert_eq!(chosen, ["Cart"]);
}

#[test]
fn the_top_bar_has_a_back_button_and_the_screen_its_furniture() {
    let mut page = Page::new(WHITE);
    page.text_of_size("9:41", 50.0, 22.0, 17.0, BLACK);
    page.stroke(&[(18.0, 73.0), (9.0, 82.0), (18.0, 91.0)], 2.6, BLUE);
    page.text("Shop", 24.0, 76.0, BLUE);
    page.plate(Rect::new(129.5, 838.0, 134.0, 5.0), 2.5, BLACK);
    page.plate(Rect::new(387.0, 200.0, 3.0, 120.0), 1.5, [150, 150, 150]);
    let (scene, lines) = page.scene();
    assert_eq!(roles(&scene), [Role::BackButton]);
    assert_eq!(label(&scene.shapes[0], &lines), "Shop");
    assert!(scene.status_bar.is_some_and(|bar| bar.width == 1179 && (90..190).contains(&bar.height)));
    assert!(scene.home_indicator.is_some_and(|bar| bar.y.abs_diff(2514) <= 3));
    assert_eq!(scene.scroll_indicators.len(), 1);
}

#[test]
fn icons_are_named_where_they_are_sure() {
    let mut page = Page::new(WHITE);
    page.plate(Rect::new(16.0, 62.0, 44.0, 44.0), 22.0, [236, 236, 240]);
    page.stroke(&[(31.0, 77.0), (45.0, 91.0)], 2.2, BLACK);
    page.stroke(&[(45.0, 77.0), (31.0, 91.0)], 2.2, BLACK);
    page.stroke(&[(352.0, 82.0), (368.0, 82.0)], 2.2, BLUE);
    page.stroke(&[(360.0, 74.0), (360.0, 90.0)], 2.2, BLUE);
    let (scene, _) = page.scene();
    assert_eq!(roles(&scene), [Role::IconButton; 2]);
    assert_eq!(scene.shapes.iter().map(|shape| shape.name).collect::<Vec<_>>(), [Some("Close"), Some("Add")]);
}

#[test]
fn an_alert_is_its_card_its_words_and_its_buttons() {
    let mut page = Page::new([153, 153, 153]);
    page.plate(Rect::new(61.5, 350.0, 270.0, 150.0), 14.0, WHITE);
    page.plate(Rect::new(61.5, 456.0, 270.0, 0.67), 0.0, LINE);
    page.plate(Rect::new(196.5, 456.0, 0.67, 44.0), 0.0, LINE);
    page.text("Place order?", 143.0, 372.0, BLACK);
    page.text_of_size("You pay later.", 150.0, 400.0, 13.0, BLACK);
    page.text("Cancel", 102.0, 472.0, BLUE);
    page.text("Order", 242.0, 472.0, BLUE);
    let (scene, lines) = page.scene();
    let alert = scene.alert.as_ref().unwrap();
    assert_eq!(
        (alert.title_lines.as_slice(), alert.message_lines.as_slice()),
        ([0].as_slice(), [1].as_slice())
    );
    let buttons: Vec<String> = alert.buttons.iter().map(|i| label(&scene.shapes[*i], &lines)).collect();
    assert_eq!(buttons, ["Cancel", "Order"]);
}

#[test]
fn a_keyboard_is_one_region() {
    let mut page = Page::new(WHITE);
    page.plate(Rect::new(0.0, 560.0, 393.0, 292.0), 0.0, [209, 211, 217]);
    for (row, keys) in [(0, 10), (1, 9), (2, 7)] {
        let left = (393.0 - 39.0 * f64::from(keys)) / 2.0 + 3.0;
        for key in 0..keys {
            page.plate(
                Rect::new(left + 39.0 * f64::from(key), 572.0 + 54.0 * f64::from(row), 33.0, 42.0),
                5.0,
                WHITE,
            );
        }
    }
    for (x, width) in [(6.0, 72.0), (84.0, 216.0), (306.0, 81.0)] {
        page.plate(Rect::new(x, 734.0, width, 42.0), 5.0, WHITE);
    }
    let (scene, _) = page.scene();
    assert_eq!(scene.keys.len(), 29);
    assert!(
        scene.keyboard.is_some_and(|rect| rect.y.abs_diff(1680) <= 4 && rect.bottom() == 2556),
        "{:?}",
        scene.keyboard
    );
    assert_eq!(roles(&scene), []);
}

#[test]
fn hostile_pictures_get_an_answer() {
    let noise = |width, height| {
        let mut state = 7u32;
        RgbaImage::from_fn(width, height, |_, _| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let [r, g, b, _] = state.to_be_bytes();
            Rgba([r, g, b, 255])
        })
    };
    for (width, height) in [(1, 1), (2, 900), (900, 2), (700, 500)] {
        for scale in [1.0, 3.0, 0.0, f64::NAN, 50.0] {
            find(&Frame::new(noise(width, height)).unwrap(), scale, &[]);
        }
    }
    let stripes = RgbaImage::from_fn(800, 800, |x, _| rgba(if x % 2 == 0 { WHITE } else { BLACK }));
    find(&Frame::new(stripes).unwrap(), 1.0, &[]);
}

/// A line of 17 points whose words are bars in their inks, a space apart.
fn sentence(page: &mut Page, words: &[(&str, [u8; 3])], y: f64) {
    let (x0, mut x, mut text) = (20.0, 20.0, Vec::new());
    for (word, ink) in words {
        let width = 8.0 * word.chars().count() as f64;
        page.plate(Rect::new(x, y, width, 12.0), 0.0, *ink);
        x += width + 4.5;
        text.push(*word);
    }
    let to = |v: f64| (v * SCALE) as u32;
    page.lines.push(TextLine {
        text: text.join(" "),
        rect: PixelRect::new(to(x0), to(y), to(x - 4.5 - x0), to(12.0)),
        confidence: 1.0,
        unread: false,
        ink: words[0].1,
        ground: WHITE,
        reused: false,
    });
}

#[test]
fn words_in_a_tint_within_a_sentence_are_links() {
    let mut page = Page::new(WHITE);
    sentence(
        &mut page,
        &[("Shall", BLACK), ("we?", BLACK), ("See", BLUE), ("plans,", BLUE), ("or", BLACK)],
        200.0,
    );
    // a sentence all of one ink has none
    sentence(&mut page, &[("Nothing", BLACK), ("else", BLACK)], 240.0);
    let (scene, _) = page.scene();
    assert_eq!(roles(&scene), [Role::Link]);
    assert_eq!(scene.shapes[0].words.as_deref(), Some("See plans"));
    let rect = scene.shapes[0].rect;
    let near = |a: u32, b: f64| (f64::from(a) - b * SCALE).abs() < 6.0;
    assert!(near(rect.x, 93.0) && near(rect.right(), 169.5), "{rect:?}");
}

#[test]
fn a_card_without_separators_is_as_many_rows_as_it_has_chevrons() {
    let mut page = Page::new(GROUPED);
    page.plate(Rect::new(0.0, 200.0, 393.0, 132.0), 0.0, WHITE);
    for (i, name) in ["About", "Services", "Form"].into_iter().enumerate() {
        let y = 222.0 + 44.0 * i as f64;
        page.text(name, 16.0, y - 6.0, BLACK);
        page.chevron(370.0, y);
    }
    let (scene, lines) = page.scene();
    assert_eq!(roles(&scene), [Role::Cell; 3]);
    assert_eq!(label(&scene.shapes[1], &lines), "Services");
    assert!(scene.shapes.iter().all(|shape| shape.rect.height == 132), "{:?}", scene.shapes);
}
