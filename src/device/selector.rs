//! The one string that names a device everywhere (design.md section 2). Uses `device::idb`, `device::webdriver` and the
//! device error.

use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::device::DeviceError;
use crate::device::idb::Endpoint;
use crate::device::webdriver::Address;
use crate::device::webdriver::address::Family;

/// Which device is meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Selector {
    /// `sim:APP?OPTIONS`: the embedded simulator, running an app by its name or the path of its YAML file.
    Embedded { app: String, options: String },
    /// `idb://HOST:PORT` or `idb+unix:///PATH`: a companion that somebody else started.
    Companion(Endpoint),
    /// `idb:UDID`, a bare UDID or a name, with `?driver=cli` where the `idb` command is to drive it: a simulator on
    /// this Mac.
    Mac { name: String, driver: Driver },
    /// `wda:UDID`, or its name: an iPhone or iPad that is paired with this Mac, whose WebDriverAgent is started and
    /// kept running.
    Phone { name: String },
    /// `wda+http://HOST:PORT`, `webdriver+http(s)://HOST:PORT[/PATH]`, with `?capabilities=FILE` where the session is
    /// to be capable of something: a phone, a browser or a farm behind a WebDriver server.
    WebDriver(Address),
}

/// Who drives a simulator of a Mac.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema, clap::ValueEnum,
)]
#[serde(rename_all = "snake_case")]
pub enum Driver {
    /// A companion that is started and kept running.
    #[default]
    Companion,
    /// The `idb` command, once a call.
    Cli,
}

const FORMS: &str = "use `sim:APP` (such as `sim:demo`), `idb://HOST:PORT`, `idb+unix:///PATH`, \
                     `wda:UDID`, `wda+http://HOST:PORT`, `webdriver+http://HOST:PORT`, or the UDID or name of a simulator on this \
                     Mac";

impl FromStr for Selector {
    type Err = DeviceError;

    fn from_str(selector: &str) -> Result<Self, DeviceError> {
        let selector = selector.trim();
        let invalid = |why: &str| DeviceError::InvalidSelector(format!("`{selector}` {why}; {FORMS}"));
        if selector.is_empty() {
            return Err(DeviceError::InvalidSelector(format!("the device selector is empty; {FORMS}")));
        }
        let Some((scheme, rest)) = selector.split_once(':') else {
            return match selector {
                "sim" | "idb" => Err(invalid("names no app or device")),
                name => mac(name).map_err(|why| invalid(&why)),
            };
        };
        match scheme {
            "sim" => {
                let (app, options) = rest.split_once('?').unwrap_or((rest, ""));
                if app.is_empty() {
                    return Err(invalid("names no app"));
                }
                Ok(Self::Embedded { app: app.to_owned(), options: options.to_owned() })
            }
            "idb" => match rest.strip_prefix("//") {
                Some(address) => tcp(address).map(Self::Companion).map_err(|why| invalid(&why)),
                None if rest.is_empty() => Err(invalid("names no device")),
                None => mac(rest).map_err(|why| invalid(&why)),
            },
            "idb+unix" => match rest.strip_prefix("//") {
                Some(path) if path.starts_with('/') && path.len() > 1 => {
                    Ok(Self::Companion(Endpoint::Unix(PathBuf::from(path))))
                }
                _ => Err(invalid("has no absolute path behind `idb+unix://`")),
            },
            "wda+http" => webdriver(Family::Agent, false, rest).map_err(|why| invalid(&why)),
            "webdriver+http" => webdriver(Family::Any, false, rest).map_err(|why| invalid(&why)),
            "webdriver+https" => webdriver(Family::Any, true, rest).map_err(|why| invalid(&why)),
            "wda" if rest.trim().is_empty() => Err(invalid("names no phone")),
            "wda" if rest.starts_with("//") => Err(invalid("is an address: name it `wda+http://HOST:PORT`")),
            "wda" if rest.contains('?') => Err(invalid("takes no options")),
            "wda" => Ok(Self::Phone { name: rest.trim().to_owned() }),
            _ => Err(invalid("has an unknown scheme")),
        }
    }
}

fn webdriver(family: Family, tls: bool, rest: &str) -> Result<Selector, String> {
    Address::parse(family, tls, rest).map(Selector::WebDriver)
}

fn mac(named: &str) -> Result<Selector, String> {
    let (name, options) = named.split_once('?').unwrap_or((named, ""));
    let driver = match options {
        "" | "driver=companion" => Driver::Companion,
        "driver=cli" => Driver::Cli,
        other => return Err(format!("has the option `{other}`; there is `driver=cli`")),
    };
    if name.trim().is_empty() {
        return Err("names no device".to_owned());
    }
    Ok(Selector::Mac { name: name.to_owned(), driver })
}

impl Selector {
    /// The same, driven by `driver` where it is a simulator of a Mac and names no driver itself.
    pub fn with_driver(self, driver: Driver) -> Self {
        match self {
            Self::Mac { name, driver: Driver::Companion } => Self::Mac { name, driver },
            other => other,
        }
    }

    /// Whether opening it again gives another device, beside the first: an embedded simulator, or a session on a
    /// server that has many (and queues those for which it has no place).
    pub fn gives_each_its_own(&self) -> bool {
        match self {
            Self::Embedded { .. } => true,
            Self::WebDriver(address) => address.family == Family::Any,
            Self::Companion(_) | Self::Mac { .. } | Self::Phone { .. } => false,
        }
    }

    /// The file that it names: an app of the embedded simulator, or capabilities.
    pub fn file(&self) -> Option<&Path> {
        match self {
            Self::Embedded { app, .. } => {
                let path = Path::new(app);
                (app.contains(['/', '.']) || path.exists()).then_some(path)
            }
            Self::WebDriver(address) => address.capabilities.as_deref(),
            Self::Companion(_) | Self::Mac { .. } | Self::Phone { .. } => None,
        }
    }

    /// The same, with the capabilities in `file` where it is a WebDriver server and names none itself.
    pub fn with_capabilities(self, file: Option<&Path>) -> Self {
        match (self, file) {
            (Self::WebDriver(address), Some(file)) if address.capabilities.is_none() => {
                Self::WebDriver(Address { capabilities: Some(file.to_owned()), ..address })
            }
            (other, _) => other,
        }
    }
}

fn tcp(address: &str) -> Result<Endpoint, String> {
    let address = address.trim_end_matches('/');
    let (host, port) = address.rsplit_once(':').ok_or("has no port")?;
    let port = port
        .parse()
        .ok()
        .filter(|port| *port != 0)
        .ok_or_else(|| format!("has the port `{port}`, which is none from 1 to 65535"))?;
    let host = host.strip_prefix('[').and_then(|h| h.strip_suffix(']')).unwrap_or(host);
    if host.is_empty() || host.contains(['/', '[', ']']) {
        return Err("has no valid host".to_owned());
    }
    Ok(Endpoint::Tcp { host: host.to_owned(), port })
}

/// The string that parses to this selector again.
impl fmt::Display for Selector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Embedded { app, options } if options.is_empty() => write!(f, "sim:{app}"),
            Self::Embedded { app, options } => write!(f, "sim:{app}?{options}"),
            Self::Companion(endpoint) => endpoint.fmt(f),
            Self::Phone { name } => write!(f, "wda:{name}"),
            Self::WebDriver(address) => address.fmt(f),
            Self::Mac { name, driver: Driver::Companion } => write!(f, "idb:{name}"),
            Self::Mac { name, driver: Driver::Cli } => write!(f, "idb:{name}?driver=cli"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::code::ErrorCode;

    fn parse(selector: &str) -> Selector {
        selector.parse().unwrap()
    }

    #[test]
    fn every_form_is_read_and_written_back() {
        for selector in [
            "sim:demo",
            "sim:shop?device=iphone-mini&clock=2026-01-01T09:41:00Z",
            "sim:apps/my.yaml?seed=7",
            "idb://localhost:10882",
            "idb://[::1]:10882",
            "idb+unix:///tmp/a b.sock",
            "idb:6A1F-22",
            "idb:6A1F-22?driver=cli",
            "wda:00008140-001C",
            "wda+http://10.0.0.7:8100",
            "webdriver+http://127.0.0.1:9515",
            "webdriver+http://[::1]:4444/wd/hub?capabilities=phone.json",
            "webdriver+https://hub.example.com/wd/hub",
        ] {
            assert_eq!(parse(selector).to_string(), selector);
        }
        let named = |driver| Selector::Mac { name: "iPhone 16 Pro".to_owned(), driver };
        assert_eq!(parse(" iPhone 16 Pro "), named(Driver::Companion));
        assert_eq!(parse("iPhone 16 Pro").with_driver(Driver::Cli), named(Driver::Cli));
        let endpoint = Endpoint::Tcp { host: "::1".to_owned(), port: 10882 };
        assert_eq!(parse("idb://[::1]:10882/"), Selector::Companion(endpoint));
    }

    #[test]
    fn what_names_no_device_is_refused_with_the_known_forms() {
        for selector in [
            "",
            "  ",
            "sim",
            "sim:",
            "sim:?seed=1",
            "idb:",
            "idb:?driver=cli",
            "idb:6A1F?driver=magic",
            "idb://host",
            "idb://:1",
            "idb://host:0",
            "idb://host:70000",
            "idb+unix://relative",
            "simm:demo",
            "wda:",
            "wda://10.0.0.7:8100",
            "wda:00008140-1?team=X",
            "wda+http:10.0.0.7:8100",
            "webdriver+http://",
            "webdriver+http://host",
            "webdriver+http://host:0",
            "webdriver+https://user:key@hub.example.com",
            "webdriver+http://host:1?caps=x",
        ] {
            let error = selector.parse::<Selector>().unwrap_err();
            assert_eq!(error.code(), ErrorCode::InvalidArgument);
            assert!(error.to_string().contains("sim:demo"), "{error}");
        }
    }
}
