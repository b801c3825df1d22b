//! The devices that can be simulated, by name. Uses `geometry`.

use crate::geometry::{PixelSize, Size};

/// A device's sizes, portrait-native.
#[derive(Debug, PartialEq)]
pub struct Profile {
    /// As in `device=NAME`.
    pub name: &'static str,
    pub model: &'static str,
    pub os: &'static str,
    pub pixels: PixelSize,
    /// Points that touches are sent in.
    pub panel: Size,
    /// Points the interface is laid out in; on a mini larger than the panel.
    pub interface: Size,
    /// Heights of the status bar and of the area around the home indicator, in interface points.
    pub status_bar: f64,
    pub home_area: f64,
}

impl Profile {
    /// Pixels an interface point.
    pub fn scale(&self) -> f64 {
        f64::from(self.pixels.width) / self.interface.width
    }

    pub fn is_pad(&self) -> bool {
        self.interface.width >= 700.0
    }

    pub fn named(name: &str) -> Option<&'static Profile> {
        PROFILES.iter().find(|p| p.name == name)
    }
}

/// The first is the default.
pub static PROFILES: [Profile; 4] = [
    Profile {
        name: "iphone",
        model: "iPhone 16",
        os: "iOS 18.2",
        pixels: PixelSize { width: 1179, height: 2556 },
        panel: Size { width: 393.0, height: 852.0 },
        interface: Size { width: 393.0, height: 852.0 },
        status_bar: 59.0,
        home_area: 34.0,
    },
    Profile {
        name: "iphone-mini",
        model: "iPhone 13 mini",
        os: "iOS 18.2",
        pixels: PixelSize { width: 1080, height: 2340 },
        panel: Size { width: 360.0, height: 780.0 },
        interface: Size { width: 375.0, height: 812.0 },
        status_bar: 50.0,
        home_area: 34.0,
    },
    Profile {
        name: "iphone-max",
        model: "iPhone 16 Plus",
        os: "iOS 18.2",
        pixels: PixelSize { width: 1290, height: 2796 },
        panel: Size { width: 430.0, height: 932.0 },
        interface: Size { width: 430.0, height: 932.0 },
        status_bar: 59.0,
        home_area: 34.0,
    },
    Profile {
        name: "ipad",
        model: "iPad (10th generation)",
        os: "iPadOS 18.2",
        pixels: PixelSize { width: 1640, height: 2360 },
        panel: Size { width: 820.0, height: 1180.0 },
        interface: Size { width: 820.0, height: 1180.0 },
        status_bar: 24.0,
        home_area: 20.0,
    },
];
