//! How long what is slow on a device may take. A device waits so long for it; whoever asked the device waits longer,
//! so that what is told is the device's reason and not that nobody waited.

use std::time::Duration;

/// A simulator, until its home screen is there or it is off.
pub const BOOT: Duration = Duration::from_secs(240);
/// An app that is copied to a device.
pub const INSTALL: Duration = Duration::from_secs(300);
/// A film that is made into one file and fetched.
pub const FILM: Duration = Duration::from_secs(180);
/// A session of a WebDriver server: a phone of a farm may be waited for.
pub const WEBDRIVER_SESSION: Duration = Duration::from_secs(230);
/// WebDriverAgent, built from its sources and started on a phone.
pub const AGENT: Duration = Duration::from_secs(600);
