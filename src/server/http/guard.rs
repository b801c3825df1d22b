//! Which hosts a request may name and which pages it may come from: a page of the web that had its name resolved to
//! this machine must reach nothing. Uses nothing of this crate but `operation`'s errors.

use std::net::SocketAddr;

use hyper::header::{HOST, HeaderValue, ORIGIN};
use hyper::http::request::Parts;
use hyper::http::uri::{Authority, Uri};

use super::HttpOptions;
use crate::operation::OperationError;

const LOOPBACK: [&str; 3] = ["localhost", "127.0.0.1", "[::1]"];

/// Why a request is not let in.
#[derive(Debug, thiserror::Error)]
pub enum Refused {
    #[error("this server does not answer to that Host; --allow-host lets a name in")]
    Host,
    #[error("pages of that Origin may not come in here; --allow-origin lets one in")]
    Origin,
}

#[derive(Debug)]
pub struct Guard {
    /// Lower case; IPv6 in brackets.
    hosts: Vec<String>,
    origins: Vec<Origin>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Origin {
    scheme: String,
    host: String,
    port: u16,
}

impl Guard {
    /// # Errors
    /// A host or an origin that is none.
    pub fn new(options: &HttpOptions, bound: SocketAddr) -> Result<Self, OperationError> {
        let mut hosts: Vec<String> = LOOPBACK.map(str::to_owned).into();
        if !bound.ip().is_unspecified() {
            hosts.push(match bound {
                SocketAddr::V4(address) => address.ip().to_string(),
                SocketAddr::V6(address) => format!("[{}]", address.ip()),
            });
        }
        for given in &options.hosts {
            let bare = given.parse::<Authority>().ok().filter(|name| name.as_str() == name.host());
            let bare = bare.ok_or_else(|| {
                OperationError::invalid(format!("--allow-host: `{given}` is no name of a host"))
                    .with_hint("give the name alone, without scheme and port; IPv6 in brackets")
            })?;
            hosts.push(bare.host().to_ascii_lowercase());
        }
        let origins = options.origins.iter().map(|given| {
            Origin::parse(given).ok_or_else(|| {
                OperationError::invalid(format!("--allow-origin: `{given}` is no origin"))
                    .with_hint("give a scheme, a host and perhaps a port, such as https://app.example.com")
            })
        });
        Ok(Self { origins: origins.collect::<Result<_, _>>()?, hosts })
    }

    /// # Errors
    /// The host or the origin is foreign, or not given as it should be.
    pub fn admit(&self, request: &Parts) -> Result<(), Refused> {
        let mut named = request.headers.get_all(HOST).iter();
        let host = named.next().and_then(text).and_then(|host| host.parse::<Authority>().ok());
        let is_ours = host.is_some_and(|host| self.is_ours(&host)) && named.next().is_none();
        if !is_ours || !request.uri.authority().is_none_or(|target| self.is_ours(target)) {
            return Err(Refused::Host);
        }
        let mut origins = request.headers.get_all(ORIGIN).iter();
        if origins.all(|origin| text(origin).and_then(Origin::parse).is_some_and(|o| self.lets_in(&o))) {
            Ok(())
        } else {
            Err(Refused::Origin)
        }
    }

    fn is_ours(&self, host: &Authority) -> bool {
        let has_user = host.as_str().contains('@');
        !has_user && self.hosts.contains(&host.host().to_ascii_lowercase())
    }

    fn lets_in(&self, origin: &Origin) -> bool {
        let is_local =
            LOOPBACK.contains(&origin.host.as_str()) && matches!(&*origin.scheme, "http" | "https");
        is_local || self.origins.contains(origin)
    }
}

impl Origin {
    /// `null` is none.
    fn parse(text: &str) -> Option<Self> {
        let uri = text.parse::<Uri>().ok()?;
        let scheme = uri.scheme_str()?.to_ascii_lowercase();
        let authority = uri.authority()?;
        let bare =
            authority.as_str().contains('@') || !matches!(uri.path(), "" | "/") || uri.query().is_some();
        let port = authority.port_u16().or(match &*scheme {
            "http" => Some(80),
            "https" => Some(443),
            _ => None,
        })?;
        (!bare).then(|| Self { scheme, host: authority.host().to_ascii_lowercase(), port })
    }
}

fn text(value: &HeaderValue) -> Option<&str> {
    value.to_str().ok()
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroU32;

    use hyper::Request;

    use super::*;

    fn guard() -> Guard {
        let options = HttpOptions {
            address: ([127, 0, 0, 1], 7333).into(),
            token_file: None,
            allow_remote: false,
            origins: vec!["https://app.example.com".to_owned()],
            hosts: vec!["Mac.local".to_owned()],
            rate: NonZeroU32::MIN,
            idle: std::time::Duration::MAX,
        };
        Guard::new(&options, options.address).unwrap()
    }

    fn admitted(host: &str, origin: Option<&str>) -> bool {
        let mut request = Request::builder().uri("/mcp").header(HOST, host);
        if let Some(origin) = origin {
            request = request.header(ORIGIN, origin);
        }
        guard().admit(&request.body(()).unwrap().into_parts().0).is_ok()
    }

    #[test]
    fn only_names_of_this_machine_are_answered_to() {
        for ours in ["localhost:7333", "LOCALHOST", "127.0.0.1:1", "[::1]:7333", "mac.local:7333"] {
            assert!(admitted(ours, None), "{ours}");
        }
        for foreign in [
            "evil.example",
            "localhost.evil.example",
            "127.0.0.1.nip.io",
            "",
            "localhost@evil.example",
            "a b",
        ] {
            assert!(!admitted(foreign, None), "{foreign}");
        }
    }

    #[test]
    fn only_pages_of_this_machine_and_allowed_ones_come_in() {
        for ours in
            ["http://localhost:3000", "http://127.0.0.1", "https://[::1]:8", "https://app.example.com:443"]
        {
            assert!(admitted("localhost", Some(ours)), "{ours}");
        }
        for foreign in [
            "null",
            "https://evil.example",
            "http://app.example.com",
            "https://app.example.com:444",
            "http://localhost.evil.example",
            "http://localhost@evil.example",
            "file://localhost",
            "localhost",
        ] {
            assert!(!admitted("localhost", Some(foreign)), "{foreign}");
        }
    }
}
