//! Opens the device that a selector names. Uses `device`, and starts `sim` where it is asked for.

use std::sync::Arc;

use crate::device::idb::IdbDevice;
use crate::device::mac::{self, MacSimulator};
use crate::device::webdriver::{WebDriverDevice, runner};
use crate::device::{Device, DeviceError, Selector};
use crate::sim::companion::{self, Listen, StartError};
use crate::sim::{SimError, SimulatorOptions};

/// Connects to the device; `sim:` is started in this process and stops when the device is closed or dropped.
///
/// # Errors
/// What the selector names is wrong, not there, or does not answer.
pub async fn open(selector: &Selector) -> Result<Arc<dyn Device>, DeviceError> {
    match selector {
        Selector::Embedded { app, options } => {
            let unusable = |error: StartError| refused(selector, error);
            let options = SimulatorOptions::parse(options).map_err(|e| unusable(e.into()))?;
            let companion = companion::start(app, options, Listen::Private).await.map_err(unusable)?;
            let device = IdbDevice::connect(companion.endpoint().clone(), selector.to_string()).await?;
            Ok(Arc::new(device.keeping(companion)))
        }
        Selector::Companion(endpoint) => {
            Ok(Arc::new(IdbDevice::connect(endpoint.clone(), selector.to_string()).await?))
        }
        Selector::Phone { name } => Ok(Arc::new(WebDriverDevice::bring_up(name).await?)),
        Selector::WebDriver(address) => Ok(Arc::new(WebDriverDevice::open(address).await?)),
        Selector::Mac { name, driver } => Ok(Arc::new(MacSimulator::open(name, *driver).await?)),
    }
}

/// The selector by which a device is always called, however it was named: a simulator or phone of a Mac by its UDID.
///
/// # Errors
/// [`DeviceError::NotFound`] where a name means none, or several.
pub async fn settle(selector: Selector) -> Result<Selector, DeviceError> {
    match selector {
        Selector::Mac { name, driver } => Ok(Selector::Mac { name: mac::find(&name).await?.udid, driver }),
        Selector::Phone { name } => Ok(Selector::Phone { name: runner::find(&name).await?.udid }),
        other => Ok(other),
    }
}

fn refused(selector: &Selector, error: StartError) -> DeviceError {
    let selector = selector.to_string();
    match error {
        StartError::App(error @ SimError::UnknownApp { .. }) => {
            DeviceError::NotFound { selector, reason: error.to_string() }
        }
        StartError::App(error) => DeviceError::InvalidSelector(format!("`{selector}`: {error}")),
        error @ StartError::Listen { .. } => {
            DeviceError::Unreachable { device: selector, reason: error.to_string() }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::code::ErrorCode;

    async fn error(selector: &str) -> DeviceError {
        match open(&selector.parse().unwrap()).await {
            Ok(_) => panic!("{selector} was opened"),
            Err(error) => error,
        }
    }

    #[tokio::test]
    async fn an_embedded_app_is_opened_and_described() {
        let device = open(&"sim:demo?device=iphone-mini".parse().unwrap()).await.unwrap();
        let described = device.describe().await.unwrap();
        assert_eq!(described.selector, "sim:demo?device=iphone-mini");
        assert_eq!((described.panel_pixels.width, described.panel_points.width), (1080, 360.0));
        assert!(device.default_app().is_some());
    }

    #[tokio::test]
    async fn what_can_not_be_opened_says_why() {
        let unknown = error("sim:no-such-app").await;
        assert_eq!(unknown.code(), ErrorCode::DeviceNotFound);
        assert!(unknown.to_string().contains("demo"), "{unknown}");
        assert_eq!(error("sim:demo?colour=red").await.code(), ErrorCode::InvalidArgument);
        assert_eq!(error("iPhone 16 Pro").await.code(), ErrorCode::DeviceNotFound);
        assert_eq!(error("idb+unix:///nowhere/x.sock").await.code(), ErrorCode::DeviceUnreachable);
    }
}
