//! Where a WebDriver server is. Uses nothing of this crate.

use std::fmt;
use std::path::PathBuf;

/// What stands between the address and the name of a capabilities file.
const CAPABILITIES: &str = "?capabilities=";

/// Which servers an address may be of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// `wda+http:`: WebDriverAgent itself.
    Agent,
    /// `webdriver+http:`: whatever speaks the protocol.
    Any,
}

/// The address of a server, and what its session is to be capable of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Address {
    pub family: Family,
    pub tls: bool,
    /// With port, as written.
    pub authority: String,
    /// Empty, or begins with `/` and does not end so.
    pub path: String,
    /// A JSON file.
    pub capabilities: Option<PathBuf>,
}

impl Address {
    /// Reads what stands behind `webdriver+http://`.
    ///
    /// # Errors
    /// What is wrong, as the end of a sentence that begins with the selector.
    pub fn parse(family: Family, tls: bool, rest: &str) -> Result<Self, String> {
        let rest = rest.strip_prefix("//").ok_or("has no `//` behind its scheme")?;
        let (rest, capabilities) = match rest.split_once(CAPABILITIES) {
            Some((_, "")) => return Err("names no file behind `capabilities=`".to_owned()),
            Some((rest, file)) => (rest, Some(PathBuf::from(file))),
            None if rest.contains('?') => {
                return Err("has an option; there is `?capabilities=FILE`".to_owned());
            }
            None => (rest, None),
        };
        if rest.contains('@') {
            return Err("holds a user name, which would be seen in logs; \
                        set SIMDRIVE_WEBDRIVER_USER and SIMDRIVE_WEBDRIVER_KEY instead"
                .to_owned());
        }
        let (authority, path) = match rest.find('/') {
            Some(at) => rest.split_at(at),
            None => (rest, ""),
        };
        let url = format!("http://{authority}/").parse::<reqwest::Url>();
        let url = url.map_err(|why| format!("has no valid host and port: {why}"))?;
        if url.port() == Some(0) {
            return Err("has the port 0, which is none from 1 to 65535".to_owned());
        }
        // a farm has the port of its scheme; a phone or a driver on this machine has never
        if !tls && url.port().is_none() && !authority.ends_with(":80") {
            return Err("has no port".to_owned());
        }
        let path = path.trim_end_matches('/').to_owned();
        Ok(Self { family, tls, authority: authority.to_owned(), path, capabilities })
    }

    /// What paths of the protocol are added to.
    pub fn url(&self) -> String {
        format!("http{}://{}{}", if self.tls { "s" } else { "" }, self.authority, self.path)
    }
}

/// The selector that parses to this address again.
impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let family = match self.family {
            Family::Agent => "wda",
            Family::Any => "webdriver",
        };
        write!(f, "{family}+{}", self.url())?;
        match &self.capabilities {
            Some(file) => write!(f, "{CAPABILITIES}{}", file.display()),
            None => Ok(()),
        }
    }
}
