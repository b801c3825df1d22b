//! The one string that names a device everywhere (design.md section 2). Uses `device::idb` and the device error.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use crate::device::DeviceError;
use crate::device::idb::Endpoint;

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
}

/// Who drives a simulator of a Mac.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Driver {
    /// A companion that is started and kept running.
    #[default]
    Companion,
    /// The `idb` command, once a call.
    Cli,
}

const FORMS: &str = "use `sim:APP` (such as `sim:demo`), `idb://HOST:PORT`, `idb+unix:///PATH`, \
                     or the UDID or name of a simulator on this Mac";

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
            "wda" | "wda+http" | "wda+https" | "webdriver+http" | "webdriver+https" => {
                Err(invalid("is a WebDriver device, which this version does not drive"))
            }
            _ => Err(invalid("has an unknown scheme")),
        }
    }
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
            "wda:1234",
        ] {
            let error = selector.parse::<Selector>().unwrap_err();
            assert_eq!(error.code(), ErrorCode::InvalidArgument);
            assert!(error.to_string().contains("sim:demo"), "{error}");
        }
    }
}
