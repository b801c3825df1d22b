//! The few scripts that are run in a page. Uses nothing.

/// Size of what is seen in points, whatever the page's own zoom, and device pixels a point.
pub const VIEWPORT: &str = "const v = window.visualViewport; \
    return v ? [v.width * v.scale, v.height * v.scale, window.devicePixelRatio] \
             : [window.innerWidth, window.innerHeight, window.devicePixelRatio];";
/// Title and address.
pub const PAGE: &str = "return [document.title, location.href];";
pub const DARK: &str = "return matchMedia('(prefers-color-scheme: dark)').matches;";
/// How far the page is zoomed. Touches count from the left top of what is seen, in the page's units.
pub const ZOOM: &str = "return window.visualViewport ? window.visualViewport.scale : 1;";
