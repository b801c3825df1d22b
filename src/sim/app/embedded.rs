//! The apps that come with the binary.

use super::component::{Color, IconName};

/// One of them; parsed only when it is needed.
#[derive(Debug, PartialEq, Eq)]
pub struct Embedded {
    /// As in `sim:NAME`.
    pub name: &'static str,
    pub bundle: &'static str,
    /// As the home screen shows it.
    pub title: &'static str,
    pub icon: IconName,
    pub tint: Color,
    pub yaml: &'static str,
}

/// The first is the default.
pub static EMBEDDED: [Embedded; 4] = [
    Embedded {
        name: "demo",
        bundle: "com.example.demo",
        title: "Demo",
        icon: IconName::StarFill,
        tint: Color::Indigo,
        yaml: include_str!("../../../fixtures/apps/demo.yaml"),
    },
    Embedded {
        name: "shop",
        bundle: "com.example.shop",
        title: "Shop",
        icon: IconName::Bag,
        tint: Color::Orange,
        yaml: include_str!("../../../fixtures/apps/shop.yaml"),
    },
    Embedded {
        name: "settings",
        bundle: "com.example.settings",
        title: "Settings",
        icon: IconName::Gear,
        tint: Color::Gray,
        yaml: include_str!("../../../fixtures/apps/settings.yaml"),
    },
    Embedded {
        name: "chaos",
        bundle: "com.example.chaos",
        title: "Chaos",
        icon: IconName::Bolt,
        tint: Color::Red,
        yaml: include_str!("../../../fixtures/apps/chaos.yaml"),
    },
];

/// The YAML of an embedded app.
pub fn embedded(name: &str) -> Option<&'static str> {
    EMBEDDED.iter().find(|app| app.name == name).map(|app| app.yaml)
}
