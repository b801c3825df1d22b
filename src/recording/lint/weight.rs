//! Files of frames that are larger than their pixels need. Uses `frame`.

use super::finding::{Findings, Rule, Spot};
use super::integrity::Shot;
use super::repair::Repair;
use crate::frame::Frame;
use crate::recording::FrameFolder;

const SIGNATURE: &[u8] = b"\x89PNG\r\n\x1a\n";
/// Chunks that make the picture. Others are kept by no frame that simdrive writes, and read by none.
const PICTURE: [&[u8; 4]; 5] = [b"IHDR", b"PLTE", b"tRNS", b"IDAT", b"IEND"];

pub(super) fn check(shot: &Shot<'_>, frames: &FrameFolder, repairable: bool, found: &mut Findings) {
    let bare = without_extras(&shot.bytes);
    let extras = bare.as_ref().is_some_and(|bare| bare.len() < shot.bytes.len());
    let lean = lean(&shot.bytes, &shot.frame).len();
    // a saving of a few bytes is not worth a new name
    if !extras && lean * 10 >= shot.bytes.len() * 9 {
        return;
    }
    let with = if extras { ", with data beside the picture" } else { "" };
    let message = format!("{} bytes{with}; {lean} hold the same picture", shot.bytes.len());
    let repair = repairable.then(|| Repair::Shrink(shot.name.clone()));
    let spot = Spot::Frame(frames.path(shot.name));
    found.add_repaired(Rule::OversizedFrame, spot, message, "write it again, under its new name", repair);
}

/// The smallest file for this picture: as it is without anything beside the pixels, or written anew.
pub(super) fn lean(bytes: &[u8], frame: &Frame) -> Vec<u8> {
    let anew = frame.to_png();
    match without_extras(bytes) {
        // dropping chunks must not change what is read
        Some(bare)
            if bare.len() <= anew.len()
                && Frame::decode(&bare).is_ok_and(|decoded| decoded.hash() == frame.hash()) =>
        {
            bare
        }
        _ => anew,
    }
}

/// A PNG without the chunks that say nothing of its pixels, and without what stands behind its end.
fn without_extras(bytes: &[u8]) -> Option<Vec<u8>> {
    let mut rest = bytes.strip_prefix(SIGNATURE)?;
    let mut bare = SIGNATURE.to_vec();
    loop {
        let (length, behind) = rest.split_first_chunk::<4>()?;
        let (kind, _) = behind.split_first_chunk::<4>()?;
        // length, kind, data and checksum
        let whole = usize::try_from(u32::from_be_bytes(*length)).ok()?.checked_add(12)?;
        let chunk = rest.get(..whole)?;
        if PICTURE.contains(&kind) {
            bare.extend_from_slice(chunk);
        }
        if kind == b"IEND" {
            return Some(bare);
        }
        rest = &rest[whole..];
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use image::RgbaImage;

    #[test]
    fn a_frame_as_it_is_written_is_lean_and_text_beside_it_is_not() {
        let frame = Frame::new(RgbaImage::from_pixel(90, 90, image::Rgba([9, 10, 20, 255]))).unwrap();
        let bytes = frame.to_png();
        assert_eq!(lean(&bytes, &frame), bytes);
        let mut told = Vec::new();
        let mut encoder = png::Encoder::new(&mut told, 90, 90);
        encoder.set_color(png::ColorType::Rgb);
        encoder.add_text_chunk("Author".into(), "Ada".into()).unwrap();
        let mut writer = encoder.write_header().unwrap();
        let rgb: Vec<u8> = frame.pixels().pixels().flat_map(|p| [p[0], p[1], p[2]]).collect();
        writer.write_image_data(&rgb).unwrap();
        drop(writer);
        let bare = without_extras(&told).unwrap();
        assert!(bare.len() < told.len());
        let lean = lean(&told, &frame);
        assert_eq!(Frame::decode(&lean).unwrap().hash(), frame.hash());
        assert_eq!(without_extras(&lean).unwrap(), lean);
        assert_eq!(without_extras(&told[..20]), None);
    }
}
