//! The system's colours, light and dark, and its text sizes.

use crate::device::{Appearance, ContentSize};
use crate::sim::app::{Color, TextStyle};
use crate::sim::render::{Rgba, Weight};

/// Colours and sizes in force.
#[derive(Clone, Copy, Debug)]
pub struct Look {
    pub dark: bool,
    pub size: ContentSize,
    /// The app's accent.
    pub tint: Color,
    /// On a sheet dark grounds are a step lighter.
    pub raised: bool,
}

/// A font in points.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Font {
    pub size: f64,
    pub line: f64,
    pub weight: Weight,
}

impl Font {
    pub fn of(size: f64, weight: Weight) -> Self {
        Self { size, line: (size * 1.28).round(), weight }
    }

    pub fn weighing(self, weight: Weight) -> Self {
        Self { weight, ..self }
    }
}

/// Sizes for each content size, smallest first (Apple's Human Interface Guidelines, Typography).
const LARGE_TITLE: [u8; 12] = [31, 32, 33, 34, 36, 38, 40, 44, 48, 52, 56, 60];
const TITLE_1: [u8; 12] = [25, 26, 27, 28, 30, 32, 34, 38, 43, 48, 53, 58];
const TITLE_2: [u8; 12] = [19, 20, 21, 22, 24, 26, 28, 34, 39, 44, 50, 56];
const TITLE_3: [u8; 12] = [17, 18, 19, 20, 22, 24, 26, 31, 37, 43, 49, 55];
const BODY: [u8; 12] = [14, 15, 16, 17, 19, 21, 23, 28, 33, 40, 47, 53];
const CALLOUT: [u8; 12] = [13, 14, 15, 16, 18, 20, 22, 26, 32, 38, 44, 51];
const SUBHEAD: [u8; 12] = [12, 13, 14, 15, 17, 19, 21, 25, 30, 36, 42, 49];
const FOOTNOTE: [u8; 12] = [12, 12, 12, 13, 15, 17, 19, 23, 27, 33, 38, 44];
const CAPTION: [u8; 12] = [11, 11, 11, 12, 14, 16, 18, 22, 26, 32, 37, 43];

impl Look {
    pub fn new(appearance: Appearance, size: ContentSize, tint: Color) -> Self {
        Self { dark: appearance == Appearance::Dark, size, tint, raised: false }
    }

    pub fn font(&self, style: TextStyle) -> Font {
        let (table, weight) = match style {
            TextStyle::LargeTitle => (&LARGE_TITLE, Weight::Bold),
            TextStyle::Title1 => (&TITLE_1, Weight::Bold),
            TextStyle::Title2 => (&TITLE_2, Weight::Bold),
            TextStyle::Title3 => (&TITLE_3, Weight::Semibold),
            TextStyle::Headline => (&BODY, Weight::Semibold),
            TextStyle::Body => (&BODY, Weight::Regular),
            TextStyle::Callout => (&CALLOUT, Weight::Regular),
            TextStyle::Subhead => (&SUBHEAD, Weight::Regular),
            TextStyle::Footnote => (&FOOTNOTE, Weight::Regular),
            TextStyle::Caption => (&CAPTION, Weight::Regular),
        };
        Font::of(f64::from(table[self.size as usize]), weight)
    }

    pub fn body(&self) -> Font {
        self.font(TextStyle::Body)
    }

    /// The accessibility sizes stack what otherwise stands side by side.
    pub fn is_huge(&self) -> bool {
        self.size >= ContentSize::AccessibilityMedium
    }

    fn pick(&self, light: u32, dark: u32) -> Rgba {
        Rgba::hex(if self.dark { dark } else { light })
    }

    pub fn color(&self, color: Color) -> Rgba {
        match color {
            Color::Primary => self.label(),
            Color::Secondary => self.secondary(),
            Color::Tertiary => self.tertiary(),
            Color::Tint if self.tint == Color::Tint => self.color(Color::Blue),
            Color::Tint => self.color(self.tint),
            Color::Blue => self.pick(0x0000_7AFF, 0x000A_84FF),
            Color::Green => self.pick(0x0034_C759, 0x0030_D158),
            Color::Red => self.pick(0x00FF_3B30, 0x00FF_453A),
            Color::Orange => self.pick(0x00FF_9500, 0x00FF_9F0A),
            Color::Yellow => self.pick(0x00FF_CC00, 0x00FF_D60A),
            Color::Purple => self.pick(0x00AF_52DE, 0x00BF_5AF2),
            Color::Pink => self.pick(0x00FF_2D55, 0x00FF_375F),
            Color::Teal => self.pick(0x0030_B0C7, 0x0040_C8E0),
            Color::Indigo => self.pick(0x0058_56D6, 0x005E_5CE6),
            Color::Brown => self.pick(0x00A2_845E, 0x00AC_8E68),
            Color::Gray => Rgba::hex(0x008E_8E93),
            Color::White => Rgba::hex(0x00FF_FFFF),
            Color::Black => Rgba::hex(0),
        }
    }

    pub fn accent(&self) -> Rgba {
        self.color(Color::Tint)
    }

    pub fn label(&self) -> Rgba {
        self.pick(0, 0x00FF_FFFF)
    }

    pub fn secondary(&self) -> Rgba {
        self.pick(0x003C_3C43, 0x00EB_EBF5).faded(0.6)
    }

    pub fn tertiary(&self) -> Rgba {
        self.pick(0x003C_3C43, 0x00EB_EBF5).faded(0.3)
    }

    pub fn separator(&self) -> Rgba {
        if self.dark { Rgba::hex(0x0054_5458).faded(0.6) } else { Rgba::hex(0x003C_3C43).faded(0.29) }
    }

    /// Behind groups.
    pub fn grouped(&self) -> Rgba {
        self.pick(0x00F2_F2F7, if self.raised { 0x001C_1C1E } else { 0 })
    }

    /// Behind plain screens.
    pub fn plain(&self) -> Rgba {
        self.pick(0x00FF_FFFF, if self.raised { 0x001C_1C1E } else { 0 })
    }

    pub fn card(&self) -> Rgba {
        self.pick(0x00FF_FFFF, if self.raised { 0x002C_2C2E } else { 0x001C_1C1E })
    }

    /// A row under a finger.
    pub fn pressed_row(&self) -> Rgba {
        self.pick(0x00D1_D1D6, 0x003A_3A3C)
    }

    /// Grounds of fields, segments, steppers.
    pub fn fill(&self) -> Rgba {
        Rgba::hex(0x0076_7680).faded(if self.dark { 0.24 } else { 0.12 })
    }

    /// The rail of a switch that is off, and of sliders and progress.
    pub fn rail(&self) -> Rgba {
        Rgba::hex(0x0078_7880).faded(if self.dark { 0.36 } else { 0.2 })
    }

    /// The glass of bars.
    pub fn bar(&self) -> Rgba {
        self.pick(0x00F9_F9F9, 0x001D_1D1D).faded(0.88)
    }

    /// The ground of alerts and banners.
    pub fn alert(&self) -> Rgba {
        self.pick(0x00F4_F4F5, 0x0025_2525)
    }

    /// What darkens the screen behind alerts and sheets.
    pub fn dimming(&self) -> Rgba {
        Rgba::hex(0).faded(if self.dark { 0.48 } else { 0.25 })
    }

    pub fn keyboard(&self) -> Rgba {
        self.pick(0x00D1_D3D9, 0x002B_2B2D)
    }

    pub fn key(&self) -> Rgba {
        self.pick(0x00FF_FFFF, 0x0069_696B)
    }

    pub fn special_key(&self) -> Rgba {
        self.pick(0x00AB_B0BA, 0x0046_4648)
    }
}
