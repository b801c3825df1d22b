//! Screenshots as a companion sends them: cropped, scaled, encoded. Uses the protocol's messages.

use std::sync::{Arc, OnceLock};

use image::codecs::jpeg::JpegEncoder;
use image::imageops::{FilterType, crop_imm, resize};
use image::{DynamicImage, RgbaImage};
use tonic::Status;

use crate::device::idb::protocol::companion::screenshot_request::{Format, Rect, Scale, Unit};
use crate::device::idb::protocol::companion::screenshot_response::Size;
use crate::device::idb::protocol::companion::{ScreenshotRequest, ScreenshotResponse};

/// What a companion takes where no quality is asked for.
const DEFAULT_QUALITY: f64 = 0.8;

/// One picture of the screen. Cloning shares the pixels and the PNG once it is made.
#[derive(Clone)]
pub struct Picture {
    pub generation: u64,
    pixels: Arc<RgbaImage>,
    png: Arc<OnceLock<Vec<u8>>>,
}

impl Picture {
    pub fn new(pixels: Arc<RgbaImage>, generation: u64) -> Self {
        Self { generation, pixels, png: Arc::default() }
    }

    /// Answers a request: crop, scale, encode, in this order.
    ///
    /// # Errors
    /// INVALID_ARGUMENT for options that make no sense, UNIMPLEMENTED for TIFF.
    pub fn answer(&self, request: &ScreenshotRequest, density: f64) -> Result<ScreenshotResponse, Status> {
        let size = |image: &RgbaImage| Some(Size { width: image.width(), height: image.height() });
        let format = Format::try_from(request.format)
            .map_err(|_| Status::invalid_argument(format!("unknown picture format {}", request.format)))?;
        let unit = if request.unit() == Unit::Points { density } else { 1.0 };
        let changed = match (request.crop, request.scale) {
            (None, None) => None,
            (crop, scale) => Some(reshaped(&self.pixels, crop, scale, unit)?),
        };
        let shown: &RgbaImage = changed.as_ref().unwrap_or(&self.pixels);
        let (name, image_data) = match format {
            Format::Png if request.compression_quality != 0.0 => {
                return Err(Status::invalid_argument("compression_quality is for lossy formats only"));
            }
            Format::Png if changed.is_none() => ("png", self.png()?.to_vec()),
            Format::Png => ("png", encode_png(shown)?),
            Format::Jpeg => ("jpeg", encode_jpeg(shown, request.compression_quality)?),
            Format::Tiff => {
                return Err(Status::unimplemented("the embedded simulator writes PNG and JPEG, not TIFF"));
            }
        };
        Ok(ScreenshotResponse {
            image_data,
            image_format: name.to_owned(),
            destination: size(shown),
            source: size(&self.pixels),
            screen_scale: density,
        })
    }

    fn png(&self) -> Result<&[u8], Status> {
        if let Some(png) = self.png.get() {
            return Ok(png);
        }
        let encoded = encode_png(&self.pixels)?;
        Ok(self.png.get_or_init(|| encoded))
    }
}

fn reshaped(
    pixels: &RgbaImage,
    crop: Option<Rect>,
    scale: Option<Scale>,
    unit: f64,
) -> Result<RgbaImage, Status> {
    let cropped = match crop {
        None => pixels.clone(),
        Some(Rect { x, y, width, height }) => {
            if ![x, y, width, height].iter().all(|v| v.is_finite()) {
                return Err(Status::invalid_argument("the crop is not finite"));
            }
            let clamp = |v: f64, max: u32| (v * unit).round().clamp(0.0, f64::from(max)) as u32;
            let (left, top) = (clamp(x, pixels.width()), clamp(y, pixels.height()));
            let (right, bottom) = (clamp(x + width, pixels.width()), clamp(y + height, pixels.height()));
            if right <= left || bottom <= top {
                return Err(Status::invalid_argument("the crop lies outside the screen"));
            }
            crop_imm(pixels, left, top, right - left, bottom - top).to_image()
        }
    };
    let (width, height) = (f64::from(cropped.width()), f64::from(cropped.height()));
    let factor = match scale {
        None => 1.0,
        Some(Scale::ScaleFactor(factor)) if factor > 0.0 && factor <= 1.0 => factor,
        Some(Scale::ScaleFactor(_)) => {
            return Err(Status::invalid_argument("the scale factor must be above 0 and at most 1"));
        }
        Some(Scale::Fit(fit)) => {
            let bound = |max: u32, side: f64| if max == 0 { 1.0 } else { f64::from(max) * unit / side };
            bound(fit.max_width, width).min(bound(fit.max_height, height)).min(1.0)
        }
    };
    if factor == 1.0 {
        return Ok(cropped);
    }
    let side = |v: f64| (v * factor).round().max(1.0) as u32;
    Ok(resize(&cropped, side(width), side(height), FilterType::Triangle))
}

/// Fast rather than small: it goes over a socket and is decoded at once.
fn encode_png(pixels: &RgbaImage) -> Result<Vec<u8>, Status> {
    let failed = |e: png::EncodingError| Status::internal(format!("the picture can't be encoded: {e}"));
    let mut bytes = Vec::with_capacity(1 << 20);
    let mut encoder = png::Encoder::new(&mut bytes, pixels.width(), pixels.height());
    encoder.set_color(png::ColorType::Rgba);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_compression(png::Compression::Fastest);
    encoder.set_filter(png::Filter::Up);
    let mut writer = encoder.write_header().map_err(failed)?;
    writer.write_image_data(pixels.as_raw()).map_err(failed)?;
    writer.finish().map_err(failed)?;
    Ok(bytes)
}

fn encode_jpeg(pixels: &RgbaImage, quality: f64) -> Result<Vec<u8>, Status> {
    let quality = match quality {
        0.0 => DEFAULT_QUALITY,
        q if q > 0.0 && q <= 1.0 => q,
        _ => return Err(Status::invalid_argument("compression_quality must be between 0 and 1")),
    };
    let mut bytes = Vec::new();
    let encoder = JpegEncoder::new_with_quality(&mut bytes, (quality * 100.0).round().max(1.0) as u8);
    DynamicImage::ImageRgba8(pixels.clone())
        .into_rgb8()
        .write_with_encoder(encoder)
        .map_err(|e| Status::internal(format!("the picture can't be encoded: {e}")))?;
    Ok(bytes)
}
