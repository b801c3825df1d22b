//! Turns a capture upright and measures its screen: three spaces, sizes of the same moment.
//! Uses `device`, `frame`, `geometry`.

use image::imageops;

use crate::device::DeviceDescription;
use crate::frame::{Frame, FrameError};
use crate::geometry::{Orientation, Screen, Size};

/// How far two aspects, or two sizes, may be apart and still be the same.
const TOLERANCE: f64 = 0.02;

/// Turns a panel-native picture so that the interface stands upright in it.
///
/// A picture that is wide already was turned by whoever took it and is left as it is.
pub fn turn(frame: Frame, orientation: Option<Orientation>) -> Result<Frame, FrameError> {
    let sideways = frame.size().height > frame.size().width;
    match orientation {
        Some(Orientation::LandscapeLeft) if sideways => Frame::new(imageops::rotate90(frame.pixels())),
        Some(Orientation::LandscapeRight) if sideways => Frame::new(imageops::rotate270(frame.pixels())),
        Some(Orientation::PortraitUpsideDown) if sideways => Frame::new(imageops::rotate180(frame.pixels())),
        _ => Ok(frame),
    }
}

/// The screen that an upright frame shows, and what to say about it.
///
/// `interface` is the size of the accessibility root, where there is one: interface points where it fits the
/// frame. Without it they are the panel's.
pub fn measure(
    frame: &Frame,
    orientation: Option<Orientation>,
    device: &DeviceDescription,
    interface: Option<Size>,
) -> (Screen, Option<String>) {
    let pixels = frame.size();
    let wide = pixels.width > pixels.height;
    let panel = device.panel_points;
    let panel_is_wide = panel.width > panel.height;
    let held = if wide == panel_is_wide { panel } else { Size::new(panel.height, panel.width) };
    let aspect = f64::from(pixels.width) / f64::from(pixels.height);
    let (points, note) = match interface {
        Some(size) if fits(size, aspect) => (size, None),
        Some(size) if fits(Size::new(size.height, size.width), aspect) && orientation.is_none() => (
            held,
            Some(
                "the interface is turned and its rotation can't be known: points are those of the panel"
                    .into(),
            ),
        ),
        Some(_) | None => (held, None),
    };
    let rotation = match orientation {
        Some(known) => Some(known),
        None if wide == panel_is_wide && note.is_none() => Some(Orientation::Portrait),
        None => None,
    };
    let note = note.or_else(|| {
        (rotation.is_none() && wide)
            .then(|| "the picture is wide and its rotation can't be known: touches may land elsewhere".into())
    });
    (Screen { pixels, points, panel, rotation }, note)
}

/// Whether a root's size can be the size of a picture of this aspect.
fn fits(size: Size, aspect: f64) -> bool {
    size.width >= 100.0 && size.height >= 100.0 && (size.width / size.height / aspect - 1.0).abs() < TOLERANCE
}

#[cfg(test)]
mod tests {
    use image::{Rgba, RgbaImage};

    use super::*;
    use crate::device::DeviceKind;
    use crate::geometry::{PixelSize, Point};

    fn device(pixels: PixelSize, points: Size) -> DeviceDescription {
        DeviceDescription {
            selector: "sim:demo".into(),
            kind: DeviceKind::Simulator,
            udid: "U".into(),
            name: "iPhone".into(),
            model: "iPhone".into(),
            os: "iOS 18".into(),
            state: "Booted".into(),
            panel_pixels: pixels,
            panel_points: points,
        }
    }

    /// A portrait panel with one red pixel at its top left.
    fn panel(width: u32, height: u32) -> Frame {
        let mut pixels = RgbaImage::from_pixel(width, height, Rgba([255; 4]));
        pixels.put_pixel(0, 0, Rgba([255, 0, 0, 255]));
        Frame::new(pixels).unwrap()
    }

    #[test]
    fn a_sideways_picture_is_turned_so_that_touches_land_on_what_was_seen() {
        let description = device(PixelSize::new(393, 852), Size::new(393.0, 852.0));
        for orientation in
            [Orientation::LandscapeLeft, Orientation::LandscapeRight, Orientation::PortraitUpsideDown]
        {
            let upright = turn(panel(393, 852), Some(orientation)).unwrap();
            let (x, y, _) = upright.pixels().enumerate_pixels().find(|(_, _, p)| p[1] == 0).unwrap();
            let (screen, _) = measure(&upright, Some(orientation), &description, None);
            let at = screen.to_panel(Point::new(f64::from(x) + 0.5, f64::from(y) + 0.5));
            assert!(at.x < 1.0 && at.y < 1.0, "{orientation:?}: {at:?}");
        }
    }

    #[test]
    fn a_mini_s_interface_is_larger_than_its_panel() {
        let description = device(PixelSize::new(1080, 2340), Size::new(360.0, 780.0));
        let (screen, note) = measure(&panel(1080, 2340), None, &description, Some(Size::new(375.0, 812.0)));
        assert_eq!(
            (screen.points, screen.panel, note),
            (Size::new(375.0, 812.0), Size::new(360.0, 780.0), None)
        );
    }

    #[test]
    fn an_unknown_rotation_is_said_and_points_are_the_panel_s() {
        let description = device(PixelSize::new(1179, 2556), Size::new(393.0, 852.0));
        let (screen, note) = measure(&panel(1179, 2556), None, &description, Some(Size::new(852.0, 393.0)));
        assert_eq!((screen.points, screen.rotation), (Size::new(393.0, 852.0), None));
        assert!(note.unwrap().contains("rotation"));
    }
}
