//! What a caller may do: modes, offered tools, the rules of configuration files, and taps that must be confirmed.
//! Uses `observe` and the types; `operation` asks here before it does anything.

mod confirmation;
mod error;
mod mode;
mod rate_limit;
mod rules;
mod source;
mod toolset;

use std::time::Duration;

pub use confirmation::{Confirm, PendingTap};
pub use error::PolicyError;
pub use mode::Mode;
pub use rules::{Layer, Rules};
pub use source::layers;
pub use toolset::{ToolChoice, ToolFacts, Toolset};

use confirmation::{Confirmations, is_sensitive};
use rate_limit::RateLimit;
use rules::{Refused, pass};

use crate::role::Role;

/// Decides. By default everything that mode `interact` holds is allowed.
#[derive(Debug, Default)]
pub struct Policy {
    mode: Mode,
    tools: ToolChoice,
    /// All of them must let a call through.
    layers: Vec<Layer>,
    rate_limit: RateLimit,
    confirmations: Confirmations,
}

impl Policy {
    /// `mode` as asked for on the command line or by the environment; files and `read_only` can only lower it.
    pub fn new(mode: Option<Mode>, read_only: bool, tools: ToolChoice, layers: Vec<Layer>) -> Self {
        let by_files = layers.iter().filter_map(|layer| layer.rules.mode).min();
        let asked = match (mode, by_files) {
            (Some(mode), Some(most)) => mode.min(most),
            (Some(mode), None) => mode,
            (None, by_files) => by_files.unwrap_or_default(),
        };
        let mode = if read_only { Mode::Observe } else { asked };
        Self { mode, tools, layers, ..Self::default() }
    }

    pub fn mode(&self) -> Mode {
        self.mode
    }

    /// Whether a client is shown a tool.
    pub fn offers(&self, tool: &ToolFacts) -> bool {
        self.tools.holds(tool) && tool.mode <= self.mode && self.permits_tool(tool.name).is_ok()
    }

    /// Whether a call may begin; `mode` is what its arguments need.
    ///
    /// # Errors
    /// Why not.
    pub fn admit(&self, tool: &ToolFacts, mode: Mode) -> Result<(), PolicyError> {
        if !self.tools.holds(tool) {
            return Err(PolicyError::NotOffered { tool: tool.name });
        }
        if mode > self.mode {
            return Err(PolicyError::Mode { tool: tool.name, needs: mode, runs: self.mode });
        }
        self.permits_tool(tool.name)?;
        let limit = self.layers.iter().filter_map(|layer| layer.rules.max_actions_per_minute).min();
        match limit {
            Some(limit) if mode > Mode::Observe => self.rate_limit.step(limit),
            _ => Ok(()),
        }
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
    /// The session is older than a file allows.
    pub fn admit_age(&self, age: Duration) -> Result<(), PolicyError> {
        let most = self.layers.iter().filter_map(|layer| layer.rules.max_session_minutes).min();
        match most {
            Some(minutes) if age >= Duration::from_secs(minutes * 60) => {
                Err(PolicyError::SessionTooLong { minutes })
            }
            _ => Ok(()),
        }
    }

    /// Whether a tap on this label must be confirmed.
    pub fn asks_for(&self, role: Role, label: &str, on_real_device: bool) -> bool {
        let confirm = self.layers.iter().filter_map(|layer| layer.rules.confirm).max().unwrap_or_default();
        let asks = match confirm {
            Confirm::Never => false,
            Confirm::Devices => on_real_device,
            Confirm::Always => true,
        };
        let own: Vec<&[String]> =
            self.layers.iter().filter_map(|layer| layer.rules.confirm_labels.as_deref()).collect();
        asks && if own.is_empty() {
            is_sensitive(role, label, None)
        } else {
            own.iter().any(|labels| is_sensitive(role, label, Some(labels)))
        }
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

    fn through<'s>(
        &'s self,
        what: &'static str,
        name: &str,
        lists: impl Fn(&'s Rules) -> (Option<&'s [String]>, &'s Vec<String>),
    ) -> Result<(), PolicyError> {
        for Layer { file, rules } in &self.layers {
            let (allowed, denied) = lists(rules);
            let refusal = match pass(name, allowed, denied) {
                Ok(()) => continue,
                Err(Refused::Denied(pattern)) => format!("deny_{what}s names `{pattern}`"),
                Err(Refused::NotAllowed) => format!("allow_{what}s does not name it"),
            };
            return Err(PolicyError::Denied { what, name: name.to_owned(), file: file.clone(), refusal });
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::code::ErrorCode;

    fn policy(text: &str) -> Policy {
        let layer = Layer { file: "simdrive.toml".into(), rules: toml::from_str(text).unwrap() };
        Policy::new(None, false, ToolChoice::default(), vec![layer])
    }

    const TAP: ToolFacts = ToolFacts { name: "tap", toolset: Toolset::Action, mode: Mode::Interact };

    #[test]
    fn files_lower_the_mode_and_read_only_wins() {
        let layers =
            |mode| vec![Layer { rules: Rules { mode: Some(mode), ..Rules::default() }, ..Layer::default() }];
        let mode =
            |asked, read_only, layers| Policy::new(asked, read_only, ToolChoice::default(), layers).mode();
        assert_eq!(mode(None, false, Vec::new()), Mode::Interact);
        assert_eq!(mode(Some(Mode::Full), false, Vec::new()), Mode::Full);
        assert_eq!(mode(Some(Mode::Full), false, layers(Mode::Observe)), Mode::Observe);
        assert_eq!(mode(None, false, layers(Mode::Full)), Mode::Full);
        assert_eq!(mode(Some(Mode::Full), true, layers(Mode::Full)), Mode::Observe);
        let error =
            Policy::new(None, true, ToolChoice::default(), Vec::new()).admit(&TAP, TAP.mode).unwrap_err();
        assert_eq!(error.code(), ErrorCode::PolicyDenied);
        assert_eq!(error.to_string(), "tap needs mode interact; this server runs in mode observe");
    }

    #[test]
    fn lists_hold_for_tools_devices_apps_and_addresses() {
        let policy = policy(
            "deny_tools = [\"swipe\"]\nallow_apps = [\"com.example.*\"]\ndeny_apps = [\"*.bank\"]\n\
             allow_devices = [\"sim:*\"]\ndeny_schemes = [\"tel\"]\nallow_hosts = [\"*.example.com\", \"::1\"]",
        );
        assert!(policy.admit(&TAP, TAP.mode).is_ok());
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
        assert!(policy.admit(&TAP, TAP.mode).is_ok() && policy.admit(&TAP, TAP.mode).is_ok());
        assert_eq!(policy.admit(&TAP, TAP.mode).unwrap_err().code(), ErrorCode::LimitExceeded);
        // looking costs nothing
        assert!(policy.admit(&ToolFacts { mode: Mode::Observe, ..TAP }, Mode::Observe).is_ok());
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
        assert!(plain.asks_for(Role::Button, "Pay", true) && !plain.asks_for(Role::Button, "Pay", false));
        assert!(!plain.asks_for(Role::Button, "Back", true));
        assert!(policy("confirm = \"always\"").asks_for(Role::Button, "Pay", false));
        assert!(!policy("confirm = \"never\"").asks_for(Role::Button, "Pay", true));
        let own = policy("confirm = \"always\"\nconfirm_labels = [\"Launch\"]");
        assert!(own.asks_for(Role::Button, "Launch", false) && !own.asks_for(Role::Button, "Pay", false));
        let Err(PolicyError::Confirmation { token, .. }) = plain.confirm(tap("Pay"), None) else { panic!() };
        assert!(plain.confirm(tap("Pay"), Some(&token)).is_ok());
    }
}
