//! One decoded screenshot: RGBA pixels and the hash of them. Uses `geometry`.

use std::io::Cursor;
use std::sync::{Arc, OnceLock};

use image::{DynamicImage, ImageFormat, ImageReader, RgbaImage};
use sha2::{Digest, Sha256};

use crate::geometry::PixelSize;

/// Neither side of a picture may be longer; larger ones are refused before memory is taken.
pub const MAX_SIDE: u32 = 16_384;
/// The most memory that decoding one picture may take, in bytes.
const MAX_DECODE_BYTES: u64 = 512 << 20;
const PNG_SIGNATURE: &[u8] = b"\x89PNG\r\n\x1a\n";

/// Why bytes could not become a frame.
#[derive(Debug, thiserror::Error)]
pub enum FrameError {
    #[error("the picture can't be read: {0}")]
    Decode(String),
    #[error("the picture is empty")]
    Empty,
    #[error("the picture is {width}×{height} pixels; at most {MAX_SIDE} a side are read")]
    TooLarge { width: u32, height: u32 },
}

/// A screenshot in memory, 8-bit RGBA with alpha composed on white. Cloning shares the pixels.
#[derive(Clone)]
pub struct Frame {
    pixels: Arc<RgbaImage>,
    hash: Arc<OnceLock<String>>,
}

impl Frame {
    /// Takes pixels as they are; transparency is composed on white first.
    pub fn new(mut pixels: RgbaImage) -> Result<Self, FrameError> {
        let (width, height) = pixels.dimensions();
        if width == 0 || height == 0 {
            return Err(FrameError::Empty);
        }
        if width > MAX_SIDE || height > MAX_SIDE {
            return Err(FrameError::TooLarge { width, height });
        }
        compose_on_white(&mut pixels);
        Ok(Self::of(pixels))
    }

    /// Of pixels that are opaque and within bounds.
    fn of(pixels: RgbaImage) -> Self {
        Self { pixels: Arc::new(pixels), hash: Arc::new(OnceLock::new()) }
    }

    /// Decodes a PNG or JPEG of any depth and colour type.
    pub fn decode(bytes: &[u8]) -> Result<Self, FrameError> {
        if bytes.starts_with(PNG_SIGNATURE)
            && let Some(pixels) = decode_opaque_png(bytes)?
        {
            return Ok(Self::of(pixels));
        }
        let refused = |e: image::ImageError| FrameError::Decode(e.to_string());
        let mut reader = ImageReader::new(Cursor::new(bytes))
            .with_guessed_format()
            .map_err(|e| FrameError::Decode(e.to_string()))?;
        if !matches!(reader.format(), Some(ImageFormat::Png | ImageFormat::Jpeg)) {
            return Err(FrameError::Decode("it is neither a PNG nor a JPEG".into()));
        }
        let (width, height) =
            ImageReader::with_format(Cursor::new(bytes), reader.format().unwrap_or(ImageFormat::Png))
                .into_dimensions()
                .map_err(refused)?;
        if width > MAX_SIDE || height > MAX_SIDE {
            return Err(FrameError::TooLarge { width, height });
        }
        let mut limits = image::Limits::default();
        limits.max_alloc = Some(MAX_DECODE_BYTES);
        reader.limits(limits);
        let decoded = reader.decode().map_err(refused)?;
        Self::new(match decoded {
            DynamicImage::ImageRgba8(pixels) => pixels,
            other => other.into_rgba8(),
        })
    }

    pub fn pixels(&self) -> &RgbaImage {
        &self.pixels
    }

    pub fn size(&self) -> PixelSize {
        PixelSize::new(self.pixels.width(), self.pixels.height())
    }

    /// A PNG made to be read again quickly: RGB, filter Up, balanced compression.
    pub fn to_png(&self) -> Vec<u8> {
        let (width, height) = self.pixels.dimensions();
        let rgb: Vec<u8> =
            self.pixels.as_raw().as_chunks::<4>().0.iter().flat_map(|[r, g, b, _]| [*r, *g, *b]).collect();
        let mut bytes = Vec::new();
        let mut encoder = png::Encoder::new(&mut bytes, width, height);
        encoder.set_color(png::ColorType::Rgb);
        encoder.set_depth(png::BitDepth::Eight);
        encoder.set_compression(png::Compression::Balanced);
        // set after the compression, which brings a filter of its own
        encoder.set_filter(png::Filter::Up);
        let written = encoder.write_header().and_then(|mut writer| writer.write_image_data(&rgb));
        // writing to memory can't fail
        debug_assert!(written.is_ok());
        bytes
    }

    /// sha256 (hex) of the size and the pixels: equal pictures are equal however they were encoded.
    pub fn hash(&self) -> &str {
        self.hash.get_or_init(|| {
            let mut sha = Sha256::new();
            sha.update(self.pixels.width().to_le_bytes());
            sha.update(self.pixels.height().to_le_bytes());
            sha.update(self.pixels.as_raw());
            hex(&sha.finalize())
        })
    }
}

impl std::fmt::Debug for Frame {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Frame({}×{})", self.pixels.width(), self.pixels.height())
    }
}

/// Lower-case hexadecimal.
pub fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write;
    bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut out, b| {
        // writing to a String can't fail
        let _ = write!(out, "{b:02x}");
        out
    })
}

/// Decodes a PNG without transparency and interlacing, row by row into its final form: most screenshots are of this
/// kind, and a second buffer for the whole picture would cost more than unpacking it. `None` for all others.
fn decode_opaque_png(bytes: &[u8]) -> Result<Option<RgbaImage>, FrameError> {
    let refused = |e: png::DecodingError| FrameError::Decode(e.to_string());
    let limits = png::Limits { bytes: MAX_DECODE_BYTES as usize };
    let mut decoder = png::Decoder::new_with_limits(Cursor::new(bytes), limits);
    decoder.set_transformations(png::Transformations::normalize_to_color8());
    let mut reader = decoder.read_info().map_err(refused)?;
    let (width, height) = reader.info().size();
    if width > MAX_SIDE || height > MAX_SIDE {
        return Err(FrameError::TooLarge { width, height });
    }
    if reader.info().interlaced || reader.output_color_type().0 != png::ColorType::Rgb {
        return Ok(None);
    }
    let mut pixels = RgbaImage::new(width, height);
    for out in pixels.chunks_exact_mut(width as usize * 4) {
        let Some(row) = reader.next_row().map_err(refused)? else {
            return Err(FrameError::Decode("it ends before its last row".into()));
        };
        let (out, row) = (out.as_chunks_mut::<4>().0, row.data().as_chunks::<3>().0);
        out.iter_mut().zip(row).for_each(|(out, [r, g, b])| *out = [*r, *g, *b, 255]);
    }
    Ok(Some(pixels))
}

fn compose_on_white(pixels: &mut RgbaImage) {
    for p in pixels.chunks_exact_mut(4) {
        let alpha = u32::from(p[3]);
        if alpha != 255 {
            for c in &mut p[..3] {
                *c = ((u32::from(*c) * alpha + 255 * (255 - alpha) + 127) / 255) as u8;
            }
            p[3] = 255;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_pixels_have_equal_hashes_however_encoded() {
        let pixels = RgbaImage::from_fn(7, 5, |x, y| image::Rgba([x as u8, y as u8, 9, 255]));
        let mut rgb = Vec::new();
        DynamicImage::ImageRgba8(pixels.clone())
            .into_rgb8()
            .write_to(&mut Cursor::new(&mut rgb), ImageFormat::Png)
            .unwrap();
        let a = Frame::new(pixels).unwrap();
        assert_eq!(a.hash(), Frame::decode(&rgb).unwrap().hash());
    }

    #[test]
    fn a_frame_written_as_png_is_the_same_frame() {
        let pixels = RgbaImage::from_fn(37, 23, |x, y| image::Rgba([x as u8 * 3, y as u8 * 5, 9, 255]));
        let frame = Frame::new(pixels).unwrap();
        assert_eq!(Frame::decode(&frame.to_png()).unwrap().hash(), frame.hash());
    }

    #[test]
    fn broken_pictures_are_typed_errors() {
        let mut png = Vec::new();
        RgbaImage::new(64, 64).write_to(&mut Cursor::new(&mut png), ImageFormat::Png).unwrap();
        let opaque = Frame::new(RgbaImage::from_fn(64, 64, |x, y| {
            image::Rgba([(x * y % 256) as u8, (x * 5 + y * 13) as u8, 9, 255])
        }));
        for png in [png, opaque.unwrap().to_png()] {
            for cut in [0, 4, 20, 40, png.len() / 2] {
                assert!(matches!(Frame::decode(&png[..cut]), Err(FrameError::Decode(_))), "{cut}");
            }
        }
        assert!(matches!(Frame::new(RgbaImage::new(0, 3)), Err(FrameError::Empty)));
    }

    #[test]
    fn a_bomb_is_refused_before_memory_is_taken() {
        let mut png = Vec::new();
        RgbaImage::new(1, 1).write_to(&mut Cursor::new(&mut png), ImageFormat::Png).unwrap();
        png[16..24].copy_from_slice(&[0, 0, 0xff, 0xff, 0, 0, 0xff, 0xff]);
        assert!(Frame::decode(&png).is_err());
    }
}
