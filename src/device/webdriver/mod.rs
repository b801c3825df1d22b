//! Devices behind a W3C WebDriver server: WebDriverAgent on a phone, Appium, a Grid or farm, chromedriver.
//! Uses `device` and the types.
//!
//! Servers are told apart by what they answer (`features`), never by name. From below: `address` and `client`
//! (one HTTP exchange), `link` (the session over it), `gestures` (touches and keys as W3C actions), `agent_tree`
//! and `chromium_tree` (accessibility), `alert` (an open dialog, drawn), `screen` and `touch` (what is seen and done),
//! `runner` (WebDriverAgent brought up on a phone of this Mac), `device` (all of it as a `Device`).

pub mod address;
mod agent_tree;
mod alert;
mod apps;
mod capabilities;
mod chromium_tree;
mod client;
mod device;
mod error;
mod features;
mod gestures;
mod link;
pub mod runner;
mod screen;
mod scripts;
mod touch;
mod video;

pub use address::Address;
pub use device::WebDriverDevice;
