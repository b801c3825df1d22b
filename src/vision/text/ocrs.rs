//! Reading with models of the `ocrs` crate, by its own detection and layout. Uses `ink`, `line`, `models`.

use std::path::Path;

use ::ocrs::{ImageSource, OcrEngine, OcrEngineParams, TextItem};
use image::RgbaImage;

use super::detect::TextBox;
use super::ink::strips;
use super::line::TextLine;
use super::models::{TextError, unreadable};
use super::pixels::plain;
use crate::geometry::PixelRect;

/// `ocrs` tells no probabilities; what it reads is taken for this sure.
const CONFIDENCE: f32 = 0.8;

/// The two networks of an `ocrs` engine.
pub(super) struct OcrsModels {
    engine: OcrEngine,
}

impl OcrsModels {
    /// Models of the `ocrs` contract, as `.rten` or ONNX files. `alphabet`: characters by class without the blank;
    /// `None` is the one of the models that the project `ocrs` offers.
    pub(super) fn load(
        detector: &Path,
        recogniser: &Path,
        alphabet: Option<String>,
    ) -> Result<Self, TextError> {
        let engine = OcrEngine::new(OcrEngineParams {
            detection_model: Some(model(detector)?),
            recognition_model: Some(model(recogniser)?),
            alphabet,
            ..OcrEngineParams::default()
        });
        let refused = |e| TextError::Model {
            model: format!("{} with {}", detector.display(), recogniser.display()),
            reason: format!("{e:#}"),
        };
        Ok(Self { engine: engine.map_err(refused)? })
    }

    /// The lines in a part of a frame.
    pub(super) fn read(&self, pixels: &RgbaImage, region: PixelRect) -> Result<Vec<TextLine>, TextError> {
        let part = image::imageops::crop_imm(pixels, region.x, region.y, region.width, region.height);
        let part = part.to_image();
        let source = ImageSource::from_bytes(part.as_raw(), part.dimensions());
        let source = source.map_err(|e| TextError::Run(e.to_string()))?;
        let failed = |e| TextError::Run(format!("{e:#}"));
        let input = self.engine.prepare_input(source).map_err(failed)?;
        let words = self.engine.detect_words(&input).map_err(failed)?;
        let lines = self.engine.find_text_lines(&input, &words);
        let read = self.engine.recognize_text(&input, &lines).map_err(failed)?;
        Ok(read.iter().flatten().filter_map(|line| described(pixels, region, line)).collect())
    }
}

/// A line with its place in the frame and its colours; `None` where nothing but spaces was read.
fn described(pixels: &RgbaImage, region: PixelRect, line: &::ocrs::TextLine) -> Option<TextLine> {
    let text = line.to_string().split_whitespace().collect::<Vec<_>>().join(" ");
    let bounds = line.bounding_rect();
    let clip = |v: i32, most: u32| u32::try_from(v).unwrap_or(0).min(most);
    let (left, top) = (clip(bounds.left(), region.width), clip(bounds.top(), region.height));
    let (right, bottom) = (clip(bounds.right(), region.width), clip(bounds.bottom(), region.height));
    if text.is_empty() || right <= left || bottom <= top {
        return None;
    }
    let rect = PixelRect::new(region.x + left, region.y + top, right - left, bottom - top);
    // the colours come from the ink; where it can't be told from its ground the place alone is known
    let inked =
        strips(pixels, &TextBox { core: rect, rect }).into_iter().max_by_key(|strip| strip.rect.area());
    let (ink, ground) = inked.map_or_else(|| plain(pixels, rect), |strip| (strip.ink, strip.ground));
    Some(TextLine { text, rect, confidence: CONFIDENCE, unread: false, ink, ground, reused: false })
}

fn model(path: &Path) -> Result<rten::Model, TextError> {
    let bytes = std::fs::read(path).map_err(|e| unreadable(path, &e))?;
    rten::Model::load(bytes)
        .map_err(|e| TextError::Model { model: path.display().to_string(), reason: e.to_string() })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use image::Rgba;

    use super::super::{TextModels, TextReader, small_models};
    use crate::code::ErrorCode;
    use crate::frame::Frame;

    /// A folder with the two models and their alphabet.
    fn folder(detector: &[u8], recogniser: &[u8]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("text-detection.onnx"), detector).unwrap();
        std::fs::write(folder.path().join("text-recognition.onnx"), recogniser).unwrap();
        std::fs::write(folder.path().join("alphabet.txt"), "ab").unwrap();
        folder
    }

    /// Bright words on black, each 50×20 pixels.
    fn words(places: &[(u32, u32)]) -> Frame {
        let mut picture = image::RgbaImage::from_pixel(400, 200, Rgba([0, 0, 0, 255]));
        for (x, y) in places {
            for (x, y) in (*x..x + 50).flat_map(|x| (*y..y + 20).map(move |y| (x, y))) {
                picture.put_pixel(x, y, Rgba([255; 4]));
            }
        }
        Frame::new(picture).unwrap()
    }

    #[test]
    fn ocrs_models_are_loaded_by_path_and_read_only_what_changed() {
        let folder = folder(&small_models::detector(), &small_models::recogniser());
        let mut reader = TextReader::new(Arc::new(TextModels::in_folder(folder.path()).unwrap()));
        let first = reader.read(&words(&[(40, 30)]), 1.0).unwrap();
        let [line] = first.lines.as_slice() else { panic!("{:?}", first.lines) };
        assert!(!line.text.is_empty() && line.text.chars().all(|c| c == 'a'), "{line:?}");
        assert!(line.rect.x.abs_diff(40) <= 4 && line.rect.y.abs_diff(30) <= 4, "{line:?}");
        assert!(line.rect.width.abs_diff(50) <= 8, "{line:?}");
        let second = reader.read(&words(&[(40, 30), (300, 150)]), 1.0).unwrap();
        assert_eq!((second.lines.len(), second.reused), (2, 1), "{:?}", second.lines);
    }

    #[test]
    fn what_is_no_model_is_told_with_its_path() {
        let broken = folder(b"no model", &small_models::recogniser());
        let swapped = folder(&small_models::recogniser(), b"");
        let empty = tempfile::tempdir().unwrap();
        for (folder, says) in
            [(&broken, "text-detection.onnx"), (&swapped, "text-recognition.onnx"), (&empty, "neither")]
        {
            let Err(error) = TextModels::in_folder(folder.path()) else { panic!("{says} was taken") };
            assert_eq!(error.code(), ErrorCode::InvalidArgument);
            assert!(error.to_string().contains(says), "{error}");
        }
    }
}
