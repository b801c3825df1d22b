//! Pages, tabs, sheets and alerts: what is in front of what.

use std::time::Duration;

use super::{ActiveAlert, ActiveAlertButton, Locals, Outcome, Page, Process, Root, Sheet, Slide};
use crate::sim::motion::{Presence, Scroll};
use crate::sim::system::System;

impl Process {
    /// The stack in front: of the top sheet, or of the selected tab.
    pub fn front_stack(&self) -> &[Page] {
        match (self.sheets.last(), &self.root) {
            (Some(sheet), _) => &sheet.stack,
            (None, root) => root.stack(),
        }
    }

    fn front_stack_mut(&mut self) -> &mut Vec<Page> {
        match (self.sheets.last_mut(), &mut self.root) {
            (Some(sheet), _) => &mut sheet.stack,
            (None, Root::Single(stack)) => stack,
            (None, Root::Tabs { selected, stacks }) => &mut stacks[*selected],
        }
    }

    pub fn front_page(&self) -> Option<&Page> {
        self.front_stack().last()
    }

    pub fn front_page_mut(&mut self) -> Option<&mut Page> {
        self.front_stack_mut().last_mut()
    }

    fn page(&mut self, screen: &str, system: &System) -> Page {
        let now = system.elapsed;
        let every = self.app.screens.get(screen).and_then(|s| s.every.as_ref());
        let next_tick = every.map(|e| now + Duration::from_millis(e.ms.max(50)));
        let id = self.next_page;
        self.next_page += 1;
        Page { id, screen: screen.to_owned(), scroll: Scroll::at(0.0), appeared: now, next_tick }
    }

    /// Throws away all pages and begins with one; where it belongs to a tab, with all tabs.
    pub fn start_over(&mut self, screen: &str, system: &mut System) {
        self.unfocus(system);
        self.sheets.clear();
        self.slide = None;
        let tabs: Vec<_> = self.app.tabs.iter().map(|t| t.screen.name.clone()).collect();
        self.root = match tabs.iter().position(|t| t == screen) {
            Some(selected) => {
                let stacks = tabs.iter().map(|t| vec![self.page(t, system)]).collect();
                Root::Tabs { selected, stacks }
            }
            None => Root::Single(vec![self.page(screen, system)]),
        };
        self.appear(system);
    }

    /// The front page has come to the front.
    fn appear(&mut self, system: &mut System) {
        let now = system.elapsed;
        let Some(page) = self.front_page_mut() else { return };
        page.appeared = now;
        let Some(screen) = self.front_page().and_then(|p| self.screen(p)) else { return };
        let (actions, every) = (screen.on_appear.clone(), screen.every.as_ref().map(|e| e.ms));
        if let Some(page) = self.front_page_mut() {
            page.next_tick = every.map(|ms| now + Duration::from_millis(ms.max(50)));
        }
        let page = self.front_page().map(|p| p.id);
        self.for_page(page, |process| process.perform(&actions, Locals::new(), system));
    }

    /// Whether a page is still somewhere on the stacks.
    pub(super) fn has_page(&self, id: u64) -> bool {
        let roots: Vec<_> = match &self.root {
            Root::Single(stack) => vec![stack],
            Root::Tabs { stacks, .. } => stacks.iter().collect(),
        };
        let sheets = self.sheets.iter().map(|s| &s.stack);
        roots.into_iter().chain(sheets).flatten().any(|p| p.id == id)
    }

    pub fn push(&mut self, screen: &str, system: &mut System) {
        self.unfocus(system);
        let page = self.page(screen, system);
        self.front_stack_mut().push(page);
        self.slide = Some(Slide { since: system.elapsed, popped: None });
        self.appear(system);
    }

    /// Goes back by one page, or to the first; on the first page nothing happens.
    pub fn pop(&mut self, to_root: bool, system: &mut System) {
        if self.front_stack().len() < 2 {
            return;
        }
        self.unfocus(system);
        let stack = self.front_stack_mut();
        let popped = stack.pop();
        if to_root {
            stack.truncate(1);
        }
        self.slide = Some(Slide { since: system.elapsed, popped });
        self.appear(system);
    }

    /// Selects a tab; the selected one goes back to its first page.
    pub fn select_tab(&mut self, index: usize, system: &mut System) {
        self.unfocus(system);
        let Root::Tabs { selected, stacks } = &mut self.root else { return };
        if *selected == index {
            if stacks[index].len() > 1 {
                self.pop(true, system);
            } else if let Some(page) = stacks[index].last_mut() {
                page.scroll.ease_to(0.0, system.elapsed);
            }
            return;
        }
        *selected = index.min(stacks.len() - 1);
        self.slide = None;
        self.appear(system);
    }

    pub fn select_tab_of(&mut self, screen: &str, system: &mut System) {
        let Some(index) = self.app.tabs.iter().position(|t| t.screen.name == screen) else { return };
        if matches!(self.root, Root::Tabs { selected, .. } if selected == index) {
            return;
        }
        match self.root {
            Root::Tabs { .. } => self.select_tab(index, system),
            Root::Single(_) => self.start_over(screen, system),
        }
    }

    pub fn present(&mut self, screen: &str, system: &mut System) {
        self.unfocus(system);
        let stack = vec![self.page(screen, system)];
        self.slide = None;
        self.sheets.push(Sheet { stack, presence: Presence::entering(system.elapsed), dragged: 0.0 });
        self.appear(system);
    }

    /// Closes the top sheet, if there is one.
    pub fn dismiss_sheet(&mut self, system: &mut System) {
        if self.sheets.is_empty() {
            return;
        }
        self.unfocus(system);
        self.slide = None;
        self.leaving_sheet = self.sheets.pop().map(|mut sheet| {
            sheet.presence = Presence::leaving(system.elapsed);
            sheet
        });
        self.appear(system);
    }

    pub fn show_alert(&mut self, mut alert: ActiveAlert, system: &System) {
        alert.presence = Presence::entering(system.elapsed);
        self.alerts.push(alert);
    }

    /// A button of the front alert was pressed.
    pub fn answer_alert(&mut self, button: usize, system: &mut System) {
        if self.alerts.is_empty() {
            return;
        }
        let mut alert = self.alerts.remove(0);
        alert.presence = Presence::leaving(system.elapsed);
        if let Some(next) = self.alerts.first_mut() {
            next.presence = Presence::entering(system.elapsed);
        }
        let chosen = (button < alert.buttons.len()).then(|| alert.buttons.swap_remove(button));
        let permission = alert.permission;
        if let Some(chosen) = chosen {
            // it goes on showing what it showed
            let (label, style) = (chosen.label, chosen.style);
            let Outcome { grants, actions, locals } = chosen.outcome;
            let nothing = Outcome { grants: None, actions: Default::default(), locals: Locals::new() };
            alert.buttons.push(ActiveAlertButton { label, style, outcome: nothing });
            let last = alert.buttons.len() - 1;
            alert.buttons.swap(button, last);
            self.leaving_alert = Some(alert);
            if let (Some(granted), Some(name)) = (grants, permission) {
                system.permissions.insert((self.app.bundle.clone(), name), granted);
            }
            self.perform(&actions, locals, system);
        }
    }
}

impl Root {
    pub fn stack(&self) -> &[Page] {
        match self {
            Self::Single(stack) => stack,
            Self::Tabs { selected, stacks } => &stacks[*selected],
        }
    }
}
