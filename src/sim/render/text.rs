//! Text: shaped with cosmic-text from the embedded fonts only, measured in points, kept for the next frame.

use std::cell::RefCell;
use std::collections::HashMap;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use cosmic_text::{
    Align, Attrs, Buffer, CacheKey, CacheKeyFlags, Ellipsize, EllipsizeHeightLimit, Family, FontSystem,
    Hinting, Metrics, Shaping, SwashCache, SwashContent, SwashImage, fontdb,
};

/// The fonts in `fixtures/fonts` (its NOTICE.md gives sources and licences).
static FONTS: [&[u8]; 9] = [
    crate::font::REGULAR,
    include_bytes!("../../../fixtures/fonts/Inter-Medium.otf"),
    include_bytes!("../../../fixtures/fonts/Inter-SemiBold.otf"),
    include_bytes!("../../../fixtures/fonts/Inter-Bold.otf"),
    include_bytes!("../../../fixtures/fonts/NotoSansHebrew-Regular.ttf"),
    include_bytes!("../../../fixtures/fonts/NotoSansHebrew-Bold.ttf"),
    include_bytes!("../../../fixtures/fonts/NotoSansArabic-Regular.ttf"),
    include_bytes!("../../../fixtures/fonts/NotoSansArabic-Bold.ttf"),
    include_bytes!("../../../fixtures/fonts/NotoColorEmoji.ttf"),
];

/// Texts are forgotten, all at once, past so many: a screen has a hundred or so.
const MAX_CACHED: usize = 4_000;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Weight {
    Regular,
    Medium,
    Semibold,
    Bold,
}

/// How a text fills its width.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Wrap {
    /// One line, as long as it is.
    None,
    /// Lines of this width; cut off with an ellipsis after `lines`, where given.
    Width { width: f64, lines: Option<usize> },
}

/// What is to be shaped.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TextSpec<'a> {
    pub text: &'a str,
    /// Points.
    pub size: f64,
    pub line_height: f64,
    pub weight: Weight,
    pub wrap: Wrap,
    /// 0 left, 0.5 middle, 1 right; within the width where there is one.
    pub align: f64,
}

/// A text with its glyphs placed, relative to its top left.
#[derive(Debug)]
pub struct Shaped {
    /// Identifies what was shaped and how.
    key: u64,
    /// Points, as wide as its longest line.
    pub width: f64,
    pub height: f64,
    pub size: f64,
    /// Where the longest line begins, for text that is not at the start.
    pub left: f64,
    pub(super) glyphs: Vec<Glyph>,
}

impl PartialEq for Shaped {
    fn eq(&self, other: &Self) -> bool {
        self.key == other.key
    }
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Glyph {
    pub key: CacheKey,
    /// Whole pixels from the top left of the text.
    pub x: i32,
    pub y: i32,
}

/// Shapes texts and rasterises glyphs, at one scale of pixels a point.
pub struct TextEngine {
    scale: f64,
    inner: RefCell<Inner>,
}

struct Inner {
    fonts: FontSystem,
    rasters: SwashCache,
    shaped: HashMap<u64, Arc<Shaped>>,
}

impl TextEngine {
    pub fn new(scale: f64) -> Self {
        let mut db = fontdb::Database::new();
        for font in FONTS {
            db.load_font_data(font.to_vec());
        }
        db.set_sans_serif_family("Inter");
        let fonts = FontSystem::new_with_locale_and_db("en-US".to_owned(), db);
        let inner = Inner { fonts, rasters: SwashCache::new(), shaped: HashMap::new() };
        Self { scale, inner: RefCell::new(inner) }
    }

    pub fn shape(&self, spec: &TextSpec) -> Arc<Shaped> {
        let key = key_of(spec);
        let mut inner = self.inner.borrow_mut();
        if let Some(shaped) = inner.shaped.get(&key) {
            return Arc::clone(shaped);
        }
        if inner.shaped.len() >= MAX_CACHED {
            inner.shaped.clear();
        }
        let shaped = Arc::new(shape(&mut inner.fonts, spec, self.scale, key));
        inner.shaped.insert(key, Arc::clone(&shaped));
        shaped
    }

    /// Gives the picture of a glyph to `draw`; nothing for blanks.
    pub(super) fn with_glyph(&self, key: CacheKey, draw: impl FnOnce(&SwashImage, bool)) {
        let mut inner = self.inner.borrow_mut();
        let Inner { fonts, rasters, .. } = &mut *inner;
        if let Some(image) = rasters.get_image(fonts, key) {
            draw(image, image.content == SwashContent::Color);
        }
    }
}

fn key_of(spec: &TextSpec) -> u64 {
    let mut hasher = std::hash::DefaultHasher::new();
    spec.text.hash(&mut hasher);
    spec.weight.hash(&mut hasher);
    for number in [spec.size, spec.line_height, spec.align] {
        number.to_bits().hash(&mut hasher);
    }
    if let Wrap::Width { width, lines } = spec.wrap {
        (width.to_bits(), lines).hash(&mut hasher);
    }
    hasher.finish()
}

fn shape(fonts: &mut FontSystem, spec: &TextSpec, scale: f64, key: u64) -> Shaped {
    let size = (spec.size * scale) as f32;
    let metrics = Metrics::new(size, (spec.line_height * scale) as f32);
    let mut buffer = Buffer::new(fonts, metrics);
    buffer.set_hinting(Hinting::Disabled);
    let width = match spec.wrap {
        Wrap::None => {
            buffer.set_wrap(cosmic_text::Wrap::None);
            None
        }
        Wrap::Width { width, lines } => {
            buffer.set_wrap(cosmic_text::Wrap::WordOrGlyph);
            if let Some(lines) = lines {
                buffer.set_ellipsize(Ellipsize::End(EllipsizeHeightLimit::Lines(lines)));
            }
            // a hair more, so that a text fits the width that was measured for it
            Some((width * scale) as f32 + 0.5)
        }
    };
    buffer.set_size(width, None);
    let weight = fontdb::Weight(match spec.weight {
        Weight::Regular => 400,
        Weight::Medium => 500,
        Weight::Semibold => 600,
        Weight::Bold => 700,
    });
    let attrs = Attrs::new()
        .family(Family::Name("Inter"))
        .weight(weight)
        .letter_spacing(tracking(spec.size))
        .cache_key_flags(CacheKeyFlags::DISABLE_HINTING);
    // without a width nothing can be aligned
    let align = width.and(match spec.align {
        0.5 => Some(Align::Center),
        1.0 => Some(Align::Right),
        _ => Some(Align::Left),
    });
    buffer.set_text(spec.text, &attrs, Shaping::Advanced, align);
    buffer.shape_until_scroll(fonts, false);
    collect(&buffer, spec, scale, key)
}

fn collect(buffer: &Buffer, spec: &TextSpec, scale: f64, key: u64) -> Shaped {
    let mut glyphs = Vec::new();
    let (mut left, mut right, mut bottom) = (f32::MAX, 0f32, 0f32);
    for run in buffer.layout_runs() {
        bottom = bottom.max(run.line_top + run.line_height);
        for glyph in run.glyphs {
            left = left.min(glyph.x);
            right = right.max(glyph.x + glyph.w);
            let physical = glyph.physical((0.0, run.line_y), 1.0);
            glyphs.push(Glyph { key: physical.cache_key, x: physical.x, y: physical.y });
        }
    }
    let left = f64::from(if left == f32::MAX { 0.0 } else { left }) / scale;
    let right = f64::from(right) / scale;
    Shaped {
        key,
        width: (right - left).max(0.0),
        height: (f64::from(bottom) / scale).max(spec.line_height),
        size: spec.size,
        left,
        glyphs,
    }
}

/// Letters stand closer the larger they are, as in the system font; in ems.
fn tracking(size: f64) -> f32 {
    match size {
        s if s >= 28.0 => -0.021,
        s if s >= 20.0 => -0.018,
        s if s >= 15.0 => -0.012,
        s if s >= 12.0 => -0.004,
        _ => 0.005,
    }
}
