//! Doing what an app's actions say.

use std::time::Duration;

use serde_json::Value;

use super::{ActiveAlert, ActiveAlertButton, ActiveToast, Locals, Outcome, Process};
use crate::device::Appearance;
use crate::sim::app::expression::{display, number, number_value, truthy};
use crate::sim::app::{Action, Actions, Alert, AlertStyle, Permission, PermissionName, Template, Toast};
use crate::sim::motion::Presence;
use crate::sim::system::{Request, System};

impl Process {
    /// What a touch asked for: done after the app's latency.
    pub fn respond(&mut self, actions: &Actions, locals: Locals, system: &mut System) {
        let latency = system.latency();
        if latency.is_zero() {
            self.perform(actions, locals, system);
        } else {
            self.after(system.elapsed + latency, actions.clone(), locals);
        }
    }

    pub fn perform(&mut self, actions: &Actions, locals: Locals, system: &mut System) {
        for action in actions.iter() {
            self.perform_one(action, &locals, system);
        }
    }

    fn perform_one(&mut self, action: &Action, locals: &Locals, system: &mut System) {
        match action {
            Action::Navigate(screen) => self.push(&screen.name, system),
            Action::Back => self.pop(false, system),
            Action::BackToRoot => self.pop(true, system),
            Action::Root(screen) => self.start_over(&screen.name, system),
            Action::Sheet(screen) => self.present(&screen.name, system),
            Action::Dismiss => self.dismiss_sheet(system),
            Action::Tab(screen) => self.select_tab_of(&screen.name, system),
            Action::Set(values) => {
                // all are computed before any is stored
                let scope = self.scope(system, locals);
                let values: Vec<_> = values.iter().map(|(k, v)| (k.clone(), v.value(&scope))).collect();
                self.state.extend(values);
            }
            Action::Toggle(name) => {
                let held = self.state.get(&name.name).is_some_and(truthy);
                self.state.insert(name.name.clone(), Value::Bool(!held));
            }
            Action::Add(add) => {
                let value = add.value.value(&self.scope(system, locals));
                match self.state.get_mut(&add.to.name) {
                    Some(Value::Array(list)) => list.push(value),
                    Some(other) => *other = number_value(number(other) + number(&value)),
                    None => {}
                }
            }
            Action::Remove(remove) => {
                let scope = self.scope(system, locals);
                let mut inner = scope.clone();
                let Some(Value::Array(list)) = self.state.get(&remove.from.name) else { return };
                let kept = list.iter().filter(|item| {
                    inner.locals.push(("it".to_owned(), (*item).clone()));
                    let fits = remove.condition.holds(&inner);
                    inner.locals.pop();
                    !fits
                });
                let kept = Value::Array(kept.cloned().collect());
                self.state.insert(remove.from.name.clone(), kept);
            }
            Action::Alert(alert) => self.alert(alert, locals, system),
            Action::Permission(permission) => self.ask(permission, locals, system),
            Action::Toast(toast) => self.show_toast(toast, locals, system),
            Action::Delay(delay) => {
                let latency = system.latency();
                let due = system.elapsed + Duration::from_millis(delay.ms) + latency;
                self.after(due, delay.actions.clone(), locals.clone());
            }
            Action::If(branch) => {
                let holds = branch.test.holds(&self.scope(system, locals));
                let actions = if holds { &branch.then } else { &branch.otherwise };
                self.perform(actions, locals.clone(), system);
            }
            Action::Log(text) => {
                let text = self.text(text, locals, system);
                system.log(&self.app.name, self.pid, text);
            }
            Action::Crash(reason) => {
                let reason = self.text(reason, locals, system);
                system.requests.push(Request::Crash { bundle: self.app.bundle.clone(), reason });
            }
            Action::Open(url) => system.requests.push(Request::Open(self.text(url, locals, system))),
            Action::Appearance(name) => match self.text(name, locals, system).to_lowercase().as_str() {
                "dark" => system.options.appearance = Appearance::Dark,
                "light" => system.options.appearance = Appearance::Light,
                _ => {}
            },
            Action::Focus(id) => self.wanted_focus = Some(id.clone()),
            Action::HideKeyboard => self.unfocus(system),
            Action::Copy(text) => system.pasteboard = self.text(text, locals, system),
            Action::ScrollToTop => {
                if let Some(page) = self.front_page_mut() {
                    page.scroll.ease_to(0.0, system.elapsed);
                }
            }
        }
    }

    fn text(&self, template: &Template, locals: &Locals, system: &System) -> String {
        template.text(&self.scope(system, locals))
    }

    fn alert(&mut self, alert: &Alert, locals: &Locals, system: &mut System) {
        let outcome = |actions: Actions| Outcome { grants: None, actions, locals: locals.clone() };
        let mut buttons: Vec<_> = alert
            .buttons
            .iter()
            .map(|b| ActiveAlertButton {
                label: self.text(&b.label, locals, system),
                style: b.style,
                outcome: outcome(b.actions.clone()),
            })
            .collect();
        if buttons.is_empty() {
            let label = "OK".to_owned();
            buttons.push(ActiveAlertButton {
                label,
                style: AlertStyle::Default,
                outcome: outcome(Actions::default()),
            });
        }
        let shown = ActiveAlert {
            title: self.text(&alert.title, locals, system),
            message: alert.message.as_ref().map(|m| self.text(m, locals, system)),
            buttons,
            permission: None,
            presence: Presence::entering(system.elapsed),
        };
        self.show_alert(shown, system);
    }

    /// Asks as the system does, unless it was answered before.
    fn ask(&mut self, permission: &Permission, locals: &Locals, system: &mut System) {
        let known = system.permissions.get(&(self.app.bundle.clone(), permission.name)).copied();
        if let Some(granted) = known {
            let actions = if granted { &permission.then } else { &permission.otherwise };
            self.perform(actions, locals.clone(), system);
            return;
        }
        let button = |label: &str, granted: bool| {
            let actions = if granted { permission.then.clone() } else { permission.otherwise.clone() };
            let outcome = Outcome { grants: Some(granted), actions, locals: locals.clone() };
            ActiveAlertButton { label: label.to_owned(), style: AlertStyle::Default, outcome }
        };
        let buttons = match permission.name {
            PermissionName::Location => vec![
                button("Allow Once", true),
                button("Allow While Using App", true),
                button("Don’t Allow", false),
            ],
            PermissionName::Photos => vec![button("Allow Full Access", true), button("Don’t Allow", false)],
            _ => vec![button("Don’t Allow", false), button("Allow", true)],
        };
        let shown = ActiveAlert {
            title: question(permission.name, &self.app.name),
            message: permission.reason.as_ref().map(|r| self.text(r, locals, system)),
            buttons,
            permission: Some(permission.name),
            presence: Presence::entering(system.elapsed),
        };
        self.show_alert(shown, system);
    }

    fn show_toast(&mut self, toast: &Toast, locals: &Locals, system: &System) {
        self.toast = Some(ActiveToast {
            text: self.text(&toast.text, locals, system),
            presence: Presence::entering(system.elapsed),
            until: system.elapsed + Duration::from_millis(toast.ms),
        });
    }

    /// After a control has stored a value.
    pub fn store(
        &mut self,
        name: &str,
        value: Value,
        on_change: &Actions,
        locals: Locals,
        system: &mut System,
    ) {
        if self.state.get(name) != Some(&value) {
            self.state.insert(name.to_owned(), value);
            self.respond(on_change, locals, system);
        }
    }

    pub fn stored_text(&self, name: &str) -> String {
        self.state.get(name).map(display).unwrap_or_default()
    }
}

fn question(permission: PermissionName, app: &str) -> String {
    match permission {
        PermissionName::Location => format!("Allow “{app}” to use your location?"),
        PermissionName::Notification => format!("“{app}” Would Like to Send You Notifications"),
        PermissionName::Photos => format!("“{app}” Would Like to Access Your Photo Library"),
        PermissionName::Camera => format!("“{app}” Would Like to Access the Camera"),
        PermissionName::Microphone => format!("“{app}” Would Like to Access the Microphone"),
        PermissionName::Contacts => format!("“{app}” Would Like to Access Your Contacts"),
    }
}
