//! What a caller may do: modes, offered tools, the rules of configuration files, and taps that must be confirmed.
//! Uses `observe` and the types; `operation` asks here before it does anything.

mod confirmation;
mod error;
mod folders;
mod mode;
mod rate_limit;
mod rules;
mod scheme;
mod toolset;

use std::path::Path;
use std::time::Duration;

pub use confirmation::{Asks, Confirm, PendingTap};
pub use error::PolicyError;
pub use folders::Folders;
pub use mode::Mode;
pub use rules::{Layer, Rule, Rules};
pub use scheme::scheme;
pub use toolset::{ToolChoice, ToolFacts, Toolset};

use confirmation::{Confirmations, holds_words, sensitive_word};
use rate_limit::RateLimit;
use rules::{Refused, pass};

use crate::role::Role;

/// A value, and who said so, for refusals to name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Said<T> {
    pub value: T,
    /// A file with its line, a variable or a flag.
    pub by: String,
}

/// What a policy is made of.
#[derive(Debug, Default)]
pub struct PolicyOptions {
    /// As asked for; files can only lower it.
    pub mode: Option<Said<Mode>>,
    /// Who said that clients only look, whatever else is said.
    pub read_only: Option<String>,
    pub tools: ToolChoice,
    /// All of them must let a call through.
    pub layers: Vec<Layer>,
    /// All that may be opened, where given.
    pub url_schemes: Option<Said<Vec<String>>>,
    /// Where paths must lie, where they must.
    pub folders: Option<Folders>,
}

/// Decides. By default everything that mode `interact` holds is allowed.
#[derive(Debug, Default)]
pub struct Policy {
    options: PolicyOptions,
    rate_limit: RateLimit,
    confirmations: Confirmations,
}

impl Policy {
    pub fn new(options: PolicyOptions) -> Self {
        Self { options, ..Self::default() }
    }

    pub fn mode(&self) -> Mode {
        self.mode_said().value
    }

    /// The mode, and who lowered or raised it to that.
    fn mode_said(&self) -> Said<Mode> {
        let PolicyOptions { mode, read_only, layers, .. } = &self.options;
        if let Some(by) = read_only {
            return Said { value: Mode::Observe, by: by.clone() };
        }
        let caps = layers.iter().filter_map(|layer| {
            let value = layer.rules.mode?;
            Some((layer.of_user, Said { value, by: layer.rule("mode").to_string() }))
        });
        let (mut given, mut most): (Option<Said<Mode>>, Option<Said<Mode>>) = (mode.clone(), None);
        for (of_user, cap) in caps {
            // what the user's own file allows at most, they get without asking
            if of_user && given.is_none() {
                given = Some(cap.clone());
            }
            if most.as_ref().is_none_or(|most| cap.value < most.value) {
                most = Some(cap);
            }
        }
        let given = given.unwrap_or(Said { value: Mode::default(), by: String::new() });
        most.filter(|most| most.value < given.value).unwrap_or(given)
    }

    /// Whether a client is shown a tool.
    pub fn offers(&self, tool: &ToolFacts) -> bool {
        self.permits(tool, tool.mode).is_ok()
    }

    /// Whether a tool may be used; `mode` is what its arguments need.
    ///
    /// # Errors
    /// Why not.
    pub fn permits(&self, tool: &ToolFacts, mode: Mode) -> Result<(), PolicyError> {
        if !self.options.tools.holds(tool) {
            return Err(PolicyError::NotOffered { tool: tool.name });
        }
        let Said { value: runs, by } = self.mode_said();
        if mode > runs {
            let by = Some(by).filter(|by| !by.is_empty());
            return Err(PolicyError::Mode { tool: tool.name, needs: mode, runs, by });
        }
        self.permits_tool(tool.name)
    }

    /// Counts a call that needs this mode.
    ///
    /// # Errors
    /// There were too many within a minute.
    pub fn pace(&self, mode: Mode) -> Result<(), PolicyError> {
        let limits = self.layers().filter_map(|layer| Some((layer.rules.max_actions_per_minute?, layer)));
        match limits.min_by_key(|(limit, _)| *limit) {
            Some((limit, layer)) if mode > Mode::Observe && !self.rate_limit.step(limit) => {
                Err(PolicyError::TooFast { limit, rule: layer.rule("max_actions_per_minute").into() })
            }
            _ => Ok(()),
        }
    }

    fn layers(&self) -> impl Iterator<Item = &Layer> {
        self.options.layers.iter()
    }

    fn permits_tool(&self, name: &str) -> Result<(), PolicyError> {
        self.through("tool", name, |r| (r.allow_tools.as_deref(), &r.deny_tools))
    }

    /// # Errors
    /// A file keeps this device from being used.
    pub fn admit_device(&self, selector: &str) -> Result<(), PolicyError> {
        self.through("device", selector, |r| (r.allow_devices.as_deref(), &r.deny_devices))
    }

    /// # Errors
    /// A file keeps this app from being used.
    pub fn admit_app(&self, bundle_id: &str) -> Result<(), PolicyError> {
        self.through("app", bundle_id, |r| (r.allow_apps.as_deref(), &r.deny_apps))
    }

    /// # Errors
    /// A file keeps addresses of this scheme, or of this host, from being opened.
    pub fn admit_address(&self, url: &str) -> Result<(), PolicyError> {
        let (scheme, rest) = url.split_once(':').unwrap_or(("", url));
        scheme::check(scheme, self.options.url_schemes.as_ref())
            .map_err(|why| PolicyError::Scheme { scheme: scheme.to_owned(), why })?;
        self.through("scheme", scheme, |r| (r.allow_schemes.as_deref(), &r.deny_schemes))?;
        let Some(authority) = rest.strip_prefix("//") else { return Ok(()) };
        let authority = authority.split(['/', '?', '#', '\\']).next().unwrap_or_default();
        let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
        let host = match host.strip_prefix('[') {
            Some(v6) => v6.split(']').next().unwrap_or_default(),
            None => host.split(':').next().unwrap_or_default(),
        };
        // an app's own links have no host to speak of: only web addresses are held to these lists
        if !matches!(scheme.to_ascii_lowercase().as_str(), "http" | "https" | "ws" | "wss") {
            return Ok(());
        }
        self.through("host", host.trim_end_matches('.'), |r| (r.allow_hosts.as_deref(), &r.deny_hosts))
    }

    /// # Errors
    /// The path leads out of the folders that clients may use.
    pub fn admit_path(&self, path: &Path) -> Result<(), PolicyError> {
        self.options.folders.as_ref().map_or(Ok(()), |folders| folders.admit(path))
    }

    /// # Errors
    /// The session is older than a file allows.
    pub fn admit_age(&self, age: Duration) -> Result<(), PolicyError> {
        let limits = self.layers().filter_map(|layer| Some((layer.rules.max_session_minutes?, layer)));
        match limits.min_by_key(|(minutes, _)| *minutes) {
            Some((minutes, layer)) if age >= Duration::from_secs(minutes.saturating_mul(60)) => {
                Err(PolicyError::SessionTooLong { minutes, rule: layer.rule("max_session_minutes").into() })
            }
            _ => Ok(()),
        }
    }

    /// Why a tap on this label must be confirmed, where it must.
    pub fn asks_for(&self, role: Role, label: &str, on_real_device: bool) -> Option<Asks> {
        let confirm = self.layers().filter_map(|layer| layer.rules.confirm).max().unwrap_or_default();
        let asks = match confirm {
            Confirm::Never => false,
            Confirm::Devices => on_real_device,
            Confirm::Always => true,
        };
        if !asks || role.is_field() {
            return None;
        }
        let own: Vec<(&Layer, &[String])> =
            self.layers().filter_map(|layer| Some((layer, layer.rules.confirm_labels.as_deref()?))).collect();
        if own.is_empty() {
            return sensitive_word(label).map(Asks::Word);
        }
        own.into_iter().find_map(|(layer, labels)| {
            let (place, word) = labels.iter().enumerate().find(|(_, word)| holds_words(label, word))?;
            Some(Asks::Rule(layer.item("confirm_labels", place, word)))
        })
    }

    /// Lets a sensitive tap through with the token that was given for it; without one, refuses and gives one.
    ///
    /// # Errors
    /// It has to be confirmed, or the token is void.
    pub fn confirm(&self, tap: PendingTap, token: Option<&str>) -> Result<(), PolicyError> {
        match token {
            Some(token) => self.confirmations.redeem(token, &tap),
            None => {
                let (role, label) = (tap.role, tap.label.clone());
                let token = self.confirmations.ask(tap)?;
                Err(PolicyError::Confirmation { role, label, token })
            }
        }
    }

    /// Takes a token away; the tap that it was given for.
    pub fn decline(&self, token: &str) -> Option<PendingTap> {
        self.confirmations.withdraw(token)
    }

    fn through<'s>(
        &'s self,
        what: &'static str,
        name: &str,
        lists: impl Fn(&'s Rules) -> (Option<&'s [String]>, &'s Vec<String>),
    ) -> Result<(), PolicyError> {
        for layer in self.layers() {
            let (allowed, denied) = lists(&layer.rules);
            let rule = match pass(name, allowed, denied) {
                Ok(()) => continue,
                Err(Refused::Denied(place, pattern)) => layer.item(&format!("deny_{what}s"), place, pattern),
                Err(Refused::NotAllowed) => layer.rule(&format!("allow_{what}s")),
            };
            return Err(PolicyError::Denied { what, name: name.to_owned(), rule: rule.into() });
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::code::ErrorCode;

    fn policy(text: &str) -> Policy {
        let layer =
            Layer { file: "simdrive.toml".into(), rules: toml::from_str(text).unwrap(), ..Layer::default() };
        Policy::new(PolicyOptions { layers: vec![layer], ..PolicyOptions::default() })
    }

    const TAP: ToolFacts = ToolFacts { name: "tap", toolset: Toolset::Action, mode: Mode::Interact };

    #[test]
    fn files_lower_the_mode_and_read_only_wins() {
        let layer = |mode, of_user| Layer {
            file: "file".into(),
            rules: Rules { mode: Some(mode), ..Rules::default() },
            of_user,
            ..Layer::default()
        };
        let policy = |asked: Option<Mode>, read_only: bool, layers: &[Layer]| {
            Policy::new(PolicyOptions {
                mode: asked.map(|value| Said { value, by: "--mode".into() }),
                read_only: read_only.then(|| "--read-only".into()),
                layers: layers.to_vec(),
                ..PolicyOptions::default()
            })
        };
        let (own, project) = (|mode| layer(mode, true), |mode| layer(mode, false));
        for (asked, read_only, layers, expected) in [
            (None, false, vec![], Mode::Interact),
            (Some(Mode::Full), false, vec![], Mode::Full),
            (Some(Mode::Full), false, vec![project(Mode::Observe)], Mode::Observe),
            (None, false, vec![own(Mode::Full)], Mode::Full),
            (None, false, vec![own(Mode::Full), project(Mode::Observe)], Mode::Observe),
            // a project only takes away
            (None, false, vec![project(Mode::Full)], Mode::Interact),
            (None, false, vec![own(Mode::Observe), project(Mode::Full)], Mode::Observe),
            (Some(Mode::Full), true, vec![own(Mode::Full)], Mode::Observe),
        ] {
            assert_eq!(policy(asked, read_only, &layers).mode(), expected, "{asked:?} {layers:?}");
        }
        let error = policy(None, true, &[]).permits(&TAP, TAP.mode).unwrap_err();
        assert_eq!(error.code(), ErrorCode::PolicyDenied);
        assert_eq!(
            error.to_string(),
            "tap needs mode interact; this server runs in mode observe (--read-only)"
        );
        let error = policy(None, false, &[project(Mode::Observe)]).permits(&TAP, TAP.mode).unwrap_err();
        assert!(error.to_string().ends_with("in mode observe (file)"), "{error}");
    }

    #[test]
    fn lists_hold_for_tools_devices_apps_and_addresses() {
        let policy = policy(
            "deny_tools = [\"swipe\"]\nallow_apps = [\"com.example.*\"]\ndeny_apps = [\"*.bank\"]\n\
             allow_devices = [\"sim:*\"]\ndeny_schemes = [\"tel\"]\nallow_hosts = [\"*.example.com\", \"::1\"]",
        );
        assert!(policy.permits(&TAP, TAP.mode).is_ok());
        assert!(
            policy.admit_app("com.example.shop").is_ok() && policy.admit_app("com.example.bank").is_err()
        );
        assert!(policy.admit_app("com.other").is_err());
        assert!(policy.admit_device("sim:shop").is_ok() && policy.admit_device("wda:1").is_err());
        for (url, passes) in [
            ("https://www.example.com/a", true),
            ("https://user@evil.org/www.example.com", false),
            ("https://www.example.com@evil.org", false),
            ("https://evil.org\\@www.example.com", false),
            ("http://[::1]:80/", true),
            ("http://evil.org?www.example.com", false),
            ("shop://cart", true),
            ("TEL:112", false),
        ] {
            assert_eq!(policy.admit_address(url).is_ok(), passes, "{url}");
        }
        let error = policy.admit_app("com.other").unwrap_err().to_string();
        assert_eq!(error, "the app `com.other` may not be used: allow_apps does not name it (simdrive.toml)");
    }

    #[test]
    fn a_pace_is_held() {
        let policy = policy("max_actions_per_minute = 2");
        assert!(policy.pace(Mode::Interact).is_ok() && policy.pace(Mode::Interact).is_ok());
        assert_eq!(policy.pace(Mode::Interact).unwrap_err().code(), ErrorCode::LimitExceeded);
        // looking costs nothing
        assert!(policy.pace(Mode::Observe).is_ok());
    }

    #[test]
    fn taps_on_real_devices_are_asked_about_unless_a_file_says_otherwise() {
        let tap = |label: &str| PendingTap {
            tool: "tap",
            session: "s1".into(),
            arguments: String::new(),
            role: Role::Button,
            label: label.into(),
            screen: String::new(),
        };
        let plain = Policy::default();
        let asks = |policy: &Policy, label: &str, real| policy.asks_for(Role::Button, label, real).is_some();
        assert!(asks(&plain, "Pay", true) && !asks(&plain, "Pay", false) && !asks(&plain, "Back", true));
        assert!(asks(&policy("confirm = \"always\""), "Pay", false));
        assert!(!asks(&policy("confirm = \"never\""), "Pay", true));
        let own = policy("confirm = \"always\"\nconfirm_labels = [\"Launch\"]");
        assert!(asks(&own, "Launch", false) && !asks(&own, "Pay", false));
        let why = own.asks_for(Role::Button, "Launch now", false).unwrap();
        assert_eq!(why.to_string(), "confirm_labels names `Launch` (simdrive.toml)");
        assert_eq!(
            plain.asks_for(Role::Button, "Pay now", true).unwrap().to_string(),
            "`pay` is a word of paying, deleting or sending"
        );
        let Err(PolicyError::Confirmation { token, .. }) = plain.confirm(tap("Pay"), None) else { panic!() };
        assert!(plain.confirm(tap("Pay"), Some(&token)).is_ok());
    }
}
