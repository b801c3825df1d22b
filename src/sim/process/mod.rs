//! A running app: its state, what it shows, and what it does next.
//! Uses `app`, `motion` and `system`; knows nothing of layout or pixels.

mod navigation;
mod perform;
mod typing;

pub use typing::Edit;

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Map, Value};

use super::app::expression::Scope;
use super::app::{Actions, AlertStyle, App, FieldKind, PermissionName, ReturnKey, Screen};
use super::motion::{Moment, Presence, Scroll, TRANSITION};
use super::system::System;

/// Names that a repeated component gave its items, for what was written inside.
pub type Locals = Vec<(String, Value)>;

pub struct Process {
    pub pid: u64,
    pub app: Arc<App>,
    pub state: Map<String, Value>,
    pub root: Root,
    pub sheets: Vec<Sheet>,
    /// The first is in front; the others wait.
    pub alerts: Vec<ActiveAlert>,
    pub leaving_alert: Option<ActiveAlert>,
    pub leaving_sheet: Option<Sheet>,
    pub toast: Option<ActiveToast>,
    pub focus: Option<Focus>,
    pub keyboard: Keyboard,
    pub slide: Option<Slide>,
    /// The id of a field that an action wants focused; found by the next layout.
    pub wanted_focus: Option<String>,
    timers: Vec<Timer>,
    timers_page: Option<u64>,
    next_page: u64,
}

/// What is below sheets and alerts.
pub enum Root {
    Single(Vec<Page>),
    Tabs { selected: usize, stacks: Vec<Vec<Page>> },
}

/// A screen on a navigation stack.
pub struct Page {
    pub id: u64,
    pub screen: String,
    pub scroll: Scroll,
    pub appeared: Moment,
    next_tick: Option<Moment>,
}

pub struct Sheet {
    pub stack: Vec<Page>,
    pub presence: Presence,
    /// How far a finger has dragged it down, in points.
    pub dragged: f64,
}

/// A page that slides over another.
pub struct Slide {
    pub since: Moment,
    /// The page that goes, where one is popped.
    pub popped: Option<Page>,
}

pub struct ActiveAlert {
    pub title: String,
    pub message: Option<String>,
    pub buttons: Vec<ActiveAlertButton>,
    /// The system's, not the app's.
    pub permission: Option<PermissionName>,
    pub presence: Presence,
}

pub struct ActiveAlertButton {
    pub label: String,
    pub style: AlertStyle,
    pub outcome: Outcome,
}

pub struct Outcome {
    pub grants: Option<bool>,
    pub actions: Actions,
    pub locals: Locals,
}

pub struct ActiveToast {
    pub text: String,
    pub presence: Presence,
    until: Moment,
}

/// The field that takes what is typed.
#[derive(Clone, Debug)]
pub struct Focus {
    pub field: FieldRef,
    /// In characters from the start.
    pub caret: usize,
    pub all_selected: bool,
    /// The caret blinks from here.
    pub since: Moment,
    /// The next layout scrolls it into view.
    pub reveal: bool,
}

/// What typing into a field needs to know.
#[derive(Clone, Debug)]
pub struct FieldRef {
    pub page: u64,
    pub bind: String,
    pub id: Option<String>,
    pub kind: FieldKind,
    pub return_key: ReturnKey,
    pub submit: Actions,
    pub on_change: Actions,
    pub locals: Locals,
}

/// The drawn keyboard.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Keyboard {
    pub presence: Presence,
    pub plane: Plane,
    pub shift: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Plane {
    Letters,
    Numbers,
    Symbols,
}

struct Timer {
    due: Moment,
    /// The page whose coming began it; it ends with the page.
    page: Option<u64>,
    actions: Actions,
    locals: Locals,
}

impl Process {
    pub fn launch(
        pid: u64,
        app: Arc<App>,
        arguments: &[String],
        environment: Value,
        system: &mut System,
    ) -> Self {
        let mut state: Map<_, _> = app.state.clone().into_iter().collect();
        let launch = serde_json::json!({"arguments": arguments, "environment": environment});
        state.insert("launch".to_owned(), launch);
        let mut process = Self {
            pid,
            state,
            root: Root::Single(Vec::new()),
            sheets: Vec::new(),
            alerts: Vec::new(),
            leaving_alert: None,
            leaving_sheet: None,
            toast: None,
            focus: None,
            keyboard: Keyboard { presence: Presence::absent(), plane: Plane::Letters, shift: false },
            slide: None,
            wanted_focus: None,
            timers: Vec::new(),
            timers_page: None,
            next_page: 1,
            app,
        };
        let app = Arc::clone(&process.app);
        system.log(&app.name, pid, format!("{} {} launched", app.bundle, app.version));
        process.start_over(&app.start.name, system);
        process.perform(&app.on_launch, Locals::new(), system);
        process
    }

    pub fn scope<'a>(&'a self, system: &System, locals: &[(String, Value)]) -> Scope<'a> {
        Scope { state: &self.state, data: &self.app.data, locals: locals.to_vec(), now: system.now() }
    }

    /// The screen of a page. Loading has checked that it exists.
    pub fn screen(&self, page: &Page) -> Option<&Screen> {
        self.app.screens.get(&page.screen)
    }

    /// When something is due next by itself.
    pub fn next_due(&self) -> Option<Moment> {
        let timers = self.timers.iter().map(|t| t.due);
        let ticks = self.front_page().and_then(|p| p.next_tick);
        timers.chain(ticks).chain(self.toast.as_ref().filter(|t| t.presence.shown).map(|t| t.until)).min()
    }

    /// Does what is due and forgets what is over.
    pub fn tick(&mut self, system: &mut System) {
        let now = system.elapsed;
        let mut due = Vec::new();
        self.timers.retain_mut(|timer| {
            let ripe = timer.due <= now;
            if ripe {
                due.push((timer.due, timer.page, timer.actions.clone(), std::mem::take(&mut timer.locals)));
            }
            !ripe
        });
        due.sort_by_key(|(due, ..)| *due);
        for (_, page, actions, locals) in due {
            if page.is_none_or(|p| self.has_page(p)) {
                self.for_page(page, |process| process.perform(&actions, locals, system));
            }
        }
        self.tick_page(system);
        if let Some(toast) = &mut self.toast {
            if toast.presence.shown && now >= toast.until {
                toast.presence = Presence::leaving(toast.until);
            }
            if toast.presence.is_gone(now) {
                self.toast = None;
            }
        }
        if self.slide.as_ref().is_some_and(|s| now >= s.since + TRANSITION) {
            self.slide = None;
        }
        if self.leaving_alert.as_ref().is_some_and(|a| a.presence.is_gone(now)) {
            self.leaving_alert = None;
        }
        if self.leaving_sheet.as_ref().is_some_and(|s| s.presence.is_gone(now)) {
            self.leaving_sheet = None;
        }
        if let Some(page) = self.front_page_mut() {
            page.scroll.settle(now);
        }
    }

    fn tick_page(&mut self, system: &mut System) {
        let now = system.elapsed;
        let Some(page) = self.front_page() else { return };
        let Some(every) = self.screen(page).and_then(|s| s.every.clone()) else { return };
        if page.next_tick.is_some_and(|t| t <= now) {
            let period = Duration::from_millis(every.ms.max(50));
            if let Some(page) = self.front_page_mut() {
                page.next_tick = page.next_tick.map(|t| t + period);
            }
            self.perform(&every.actions, Locals::new(), system);
        }
    }

    fn after(&mut self, due: Moment, actions: Actions, locals: Locals) {
        self.timers.push(Timer { due, page: self.timers_page, actions, locals });
    }

    /// What `act` delays ends with a page.
    fn for_page(&mut self, page: Option<u64>, act: impl FnOnce(&mut Self)) {
        let before = std::mem::replace(&mut self.timers_page, page);
        act(self);
        self.timers_page = before;
    }
}
