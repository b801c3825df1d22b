//! What the outside can do to the device besides touching it: permissions, links, notifications, settings.

use std::time::Duration;

use super::app::{self, PermissionName};
use super::error::SimError;
use super::layout::Banner;
use super::motion::{Moment, Presence};
use super::process::Locals;
use super::simulator::Simulator;

/// A notification at the top of the screen.
pub(super) struct ActiveBanner {
    pub content: Banner,
    pub presence: Presence,
    until: Moment,
}

const BANNER: Duration = Duration::from_secs(5);
impl Simulator {
    pub(super) fn tick_banner(&mut self) {
        let now = self.system.elapsed;
        if let Some(banner) = &mut self.banner {
            if banner.presence.shown && now >= banner.until {
                banner.presence = Presence::leaving(banner.until);
            }
            if banner.presence.is_gone(now) {
                self.banner = None;
            }
        }
    }

    /// Grants a permission or takes it back; an app that asks later is answered so at once.
    ///
    /// # Errors
    /// [`SimError::NotInstalled`], [`SimError::UnknownPermission`].
    pub fn set_permission(&mut self, bundle: &str, permission: &str, granted: bool) -> Result<(), SimError> {
        if !self.installed.contains_key(bundle) {
            return Err(self.not_installed(bundle));
        }
        let name = PermissionName::named(permission).ok_or_else(|| SimError::UnknownPermission {
            name: permission.to_owned(),
            known: PermissionName::ALL.iter().map(|(_, n)| (*n).to_owned()).collect(),
        })?;
        self.system.permissions.insert((bundle.to_owned(), name), granted);
        Ok(())
    }

    /// Whether a permission was granted; `None` where the app was never answered.
    pub fn permission(&self, bundle: &str, permission: PermissionName) -> Option<bool> {
        self.system.permissions.get(&(bundle.to_owned(), permission)).copied()
    }

    /// Opens a link in the app that knows its prefix; a web page shows as a banner, as there is no browser.
    ///
    /// # Errors
    /// [`SimError::NoHandler`].
    pub fn open_url(&mut self, url: &str) -> Result<(), SimError> {
        let bundles: Vec<_> = self.installed.keys().cloned().collect();
        for bundle in bundles {
            let app = self.parsed(&bundle)?;
            let Some(link) = app.links.iter().find(|l| url.starts_with(&l.prefix)) else { continue };
            let locals: Locals = vec![("link".to_owned(), url[link.prefix.len()..].into())];
            self.bring_to_front(&bundle)?;
            self.system.log(
                &app.name,
                self.processes.get(&bundle).map_or(0, |p| p.pid),
                format!("opened {url}"),
            );
            self.with_front(|process, system| process.perform(&link.actions, locals, system));
            self.after_input();
            return Ok(());
        }
        if !(url.starts_with("http://") || url.starts_with("https://")) {
            return Err(SimError::NoHandler { url: url.to_owned() });
        }
        self.system.log("SpringBoard", 1, format!("opened {url}"));
        self.show_banner(Banner {
            bundle: self.front.clone().unwrap_or_default(),
            app: "Safari".to_owned(),
            icon: app::IconName::Globe,
            color: app::Color::Blue,
            title: "Safari".to_owned(),
            body: url.to_owned(),
        });
        Ok(())
    }

    fn show_banner(&mut self, content: Banner) {
        let now = self.system.elapsed;
        self.banner = Some(ActiveBanner { content, presence: Presence::entering(now), until: now + BANNER });
    }

    /// A value of the system's settings, such as `hardware_keyboard`; empty where never set.
    pub fn setting(&self, name: &str) -> &str {
        match name {
            "locale" => &self.system.options.locale,
            _ => self.system.settings.get(name).map_or("", String::as_str),
        }
    }

    /// Changes a setting; `hardware_keyboard=1` hides the drawn keyboard.
    pub fn set_setting(&mut self, name: &str, value: &str) {
        if name == "locale" {
            self.set_locale(value);
        } else {
            self.system.settings.insert(name.to_owned(), value.to_owned());
        }
    }

    pub fn locale(&self) -> &str {
        &self.system.options.locale
    }

    pub fn set_locale(&mut self, locale: &str) {
        self.system.options.locale = locale.to_owned();
    }

    /// Shows a banner with what the payload's `aps.alert` says.
    ///
    /// # Errors
    /// [`SimError::NotInstalled`], or [`SimError::InvalidArgument`] where the payload is not JSON.
    pub fn send_notification(&mut self, bundle: &str, payload: &str) -> Result<(), SimError> {
        if !self.installed.contains_key(bundle) {
            return Err(self.not_installed(bundle));
        }
        let payload: serde_json::Value = serde_json::from_str(payload)
            .map_err(|e| SimError::InvalidArgument(format!("the notification is not JSON: {e}")))?;
        let alert = &payload["aps"]["alert"];
        let app = self.app_name(bundle);
        let text = |key: &str| alert[key].as_str().unwrap_or_default().to_owned();
        let (title, body) = match alert.as_str() {
            Some(body) => (app.clone(), body.to_owned()),
            None => (text("title"), text("body")),
        };
        let home = self.home_apps().into_iter().find(|a| a.bundle == bundle);
        let (icon, color) = home.map_or_else(Default::default, |a| (a.icon, a.color));
        self.show_banner(Banner { bundle: bundle.to_owned(), app, icon, color, title, body });
        Ok(())
    }

    pub fn set_location(&mut self, latitude: f64, longitude: f64) {
        self.system.location = Some((latitude, longitude));
        self.log_front(format!("location is now {latitude:.4}, {longitude:.4}"));
    }

    pub fn location(&self) -> Option<(f64, f64)> {
        self.system.location
    }

    /// The app in front hears of it and logs it.
    pub fn memory_warning(&mut self) {
        self.log_front("Received memory warning.".to_owned());
    }

    pub fn clear_keychain(&mut self) {
        self.log_front("keychain cleared".to_owned());
    }

    /// Brings the simulator's window to the front; there is none.
    pub fn focus(&mut self) {}

    pub(super) fn log_front(&mut self, text: String) {
        let (name, pid) =
            self.front_process().map_or(("SpringBoard".to_owned(), 1), |p| (p.app.name.clone(), p.pid));
        self.system.log(&name, pid, text);
    }
}
