//! Pictures as bytes.

use image::codecs::jpeg::JpegEncoder;
use image::codecs::png::{CompressionType, FilterType, PngEncoder};
use image::{ExtendedColorType, ImageEncoder, RgbImage};

/// From fine to coarse; text stays readable down to the fourth.
const QUALITIES: [u8; 9] = [90, 82, 74, 64, 52, 40, 28, 16, 6];

/// A JPEG of the best quality that keeps within `max_bytes`; the coarsest where none does.
pub fn jpeg(picture: &RgbImage, max_bytes: usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    for quality in QUALITIES {
        bytes.clear();
        // writing to memory can't fail, and both sides are below what JPEG can hold
        let _ = JpegEncoder::new_with_quality(&mut bytes, quality).encode_image(picture);
        if bytes.len() <= max_bytes {
            break;
        }
    }
    bytes
}

pub fn png(picture: &RgbImage) -> Vec<u8> {
    let mut bytes = Vec::new();
    let encoder = PngEncoder::new_with_quality(&mut bytes, CompressionType::Default, FilterType::Adaptive);
    // writing to memory can't fail
    let _ = encoder.write_image(picture, picture.width(), picture.height(), ExtendedColorType::Rgb8);
    bytes
}
