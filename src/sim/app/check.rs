//! What the types can't say: the screens, states and names that are spoken of must exist.

use std::collections::BTreeSet;

use super::action::{Action, Actions, Name, ValueTemplate};
use super::component::Component;
use super::expression::Expression;
use super::screen::{App, BarItem};
use super::template::{Expr, Place, Template};
use crate::sim::error::closest;

pub(super) struct Fault {
    pub line: u64,
    pub column: u64,
    pub message: String,
}

type Checked = Result<(), Fault>;

/// Names that are known without being declared.
const BUILT_IN: [&str; 4] = ["it", "index", "launch", "link"];

pub(super) fn check(app: &App) -> Checked {
    let mut checker = Checker { app, names: known_names(app) };
    checker.screen(&app.start)?;
    checker.actions(&app.on_launch)?;
    for link in &app.links {
        checker.actions(&link.actions)?;
    }
    for tab in &app.tabs {
        checker.screen(&tab.screen)?;
        checker.template(&tab.label)?;
        checker.optional(tab.badge.as_ref())?;
    }
    for screen in app.screens.values() {
        checker.template(&screen.title)?;
        for item in screen.leading.iter().chain(&screen.trailing) {
            checker.bar_item(item)?;
        }
        if let Some(search) = &screen.search {
            checker.state(&search.bind)?;
            checker.template(&search.placeholder)?;
        }
        checker.components(&screen.body)?;
        checker.components(&screen.footer)?;
        checker.actions(&screen.on_appear)?;
        if let Some(every) = &screen.every {
            checker.actions(&every.actions)?;
        }
    }
    Ok(())
}

/// Declared states and data, and what `set` makes; a name that nothing ever gives a value is a slip.
fn known_names(app: &App) -> BTreeSet<String> {
    let mut names: BTreeSet<String> = BUILT_IN.iter().map(|n| (*n).to_owned()).collect();
    names.extend(app.state.keys().chain(app.data.keys()).cloned());
    let mut set = |action: &Action| {
        if let Action::Set(values) = action {
            names.extend(values.keys().cloned());
        }
    };
    visit_all_actions(app, &mut set);
    names
}

impl Place {
    fn fault(self, message: String) -> Fault {
        Fault { line: self.line, column: self.column, message }
    }
}

struct Checker<'a> {
    app: &'a App,
    names: BTreeSet<String>,
}

impl Checker<'_> {
    fn screen(&self, screen: &Name) -> Checked {
        if self.app.screens.contains_key(&screen.name) {
            return Ok(());
        }
        let names = self.app.screens.keys().map(String::as_str);
        let hint = closest(&screen.name, names.clone())
            .map_or_else(String::new, |n| format!(", did you mean `{n}`?"));
        let known: Vec<_> = names.collect();
        let message = format!("no screen `{}`{hint} (there are: {})", screen.name, known.join(", "));
        Err(screen.place.fault(message))
    }

    /// A state that a control holds must be declared, or what `set` makes.
    fn state(&self, state: &Name) -> Checked {
        if self.names.contains(&state.name) {
            return Ok(());
        }
        let hint = closest(&state.name, self.app.state.keys().map(String::as_str))
            .map_or_else(String::new, |n| format!(", did you mean `{n}`?"));
        Err(state.place.fault(format!("no state `{}`{hint}; declare it under `state`", state.name)))
    }

    fn expression(&self, (expression, place): (&Expression, Place)) -> Checked {
        let mut unknown = None;
        expression.names(&mut |name| {
            if !self.names.contains(name) && unknown.is_none() {
                unknown = Some(name.to_owned());
            }
        });
        let Some(name) = unknown else { return Ok(()) };
        let hint = closest(&name, self.names.iter().map(String::as_str))
            .map_or_else(String::new, |n| format!(", did you mean `{n}`?"));
        let message = format!("nothing is called `{name}`: no state, no data, no item{hint}");
        Err(place.fault(message))
    }

    fn template(&self, template: &Template) -> Checked {
        template.expressions().try_for_each(|e| self.expression(e))
    }

    fn templates<'t>(&self, templates: impl IntoIterator<Item = Option<&'t Template>>) -> Checked {
        templates.into_iter().flatten().try_for_each(|t| self.template(t))
    }

    fn optional(&self, expr: Option<&Expr>) -> Checked {
        expr.map_or(Ok(()), |e| self.expression(e.expression()))
    }

    fn optionals<'e>(&self, expressions: impl IntoIterator<Item = &'e Option<Expr>>) -> Checked {
        expressions.into_iter().try_for_each(|e| self.optional(e.as_ref()))
    }

    fn bar_item(&mut self, item: &BarItem) -> Checked {
        self.templates([item.title.as_ref(), item.label.as_ref()])?;
        self.optionals([&item.badge, &item.disabled])?;
        self.actions(&item.actions)
    }

    fn components(&mut self, components: &[Component]) -> Checked {
        components.iter().try_for_each(|c| self.component(c))
    }

    fn component(&mut self, component: &Component) -> Checked {
        match component {
            Component::Text(c) => self.template(&c.text).and_then(|()| self.actions(&c.actions)),
            Component::Button(c) => {
                self.template(&c.label)?;
                self.optionals([&c.disabled, &c.loading])?;
                self.actions(&c.actions)
            }
            Component::IconButton(c) => {
                self.templates([c.label.as_ref()])?;
                self.optionals([&c.badge, &c.disabled])?;
                self.actions(&c.actions)
            }
            Component::Field(c) => {
                self.state(&c.bind)?;
                self.templates([c.label.as_ref(), Some(&c.placeholder)])?;
                self.optionals([&c.disabled, &c.invalid])?;
                self.actions(&c.submit).and_then(|()| self.actions(&c.on_change))
            }
            Component::Section(c) => {
                self.templates([c.header.as_ref(), c.footer.as_ref()])?;
                self.components(&c.rows)
            }
            Component::Cell(c) => {
                self.templates([Some(&c.title), c.subtitle.as_ref(), c.value.as_ref(), c.image.as_ref()])?;
                self.optionals([&c.checked, &c.badge, &c.disabled])?;
                self.actions(&c.actions)
            }
            Component::Switch(c) => {
                self.state(&c.bind)?;
                self.templates([Some(&c.label), c.subtitle.as_ref()])?;
                self.optional(c.disabled.as_ref()).and_then(|()| self.actions(&c.on_change))
            }
            Component::Checkbox(c) => {
                self.state(&c.bind)?;
                self.template(&c.label)?;
                self.optional(c.disabled.as_ref()).and_then(|()| self.actions(&c.on_change))
            }
            Component::Segmented(c) => self.state(&c.bind).and_then(|()| self.actions(&c.on_change)),
            Component::Slider(c) => {
                self.state(&c.bind)?;
                self.template(&c.label).and_then(|()| self.actions(&c.on_change))
            }
            Component::Stepper(c) => {
                self.state(&c.bind)?;
                self.templates([Some(&c.label), c.value.as_ref()])?;
                self.actions(&c.on_change)
            }
            Component::Progress(c) => {
                self.templates([c.label.as_ref()]).and_then(|()| self.optional(Some(&c.value)))
            }
            Component::Spinner(c) => self.templates([c.label.as_ref()]),
            Component::Card(c) => self.components(&c.body).and_then(|()| self.actions(&c.actions)),
            Component::Image(c) => self.templates([Some(&c.name), c.label.as_ref()]),
            Component::Row(c) => self.components(&c.body),
            Component::Grid(c) => self.components(&c.body),
            Component::Spacer(_) | Component::Divider => Ok(()),
            Component::Each(c) => self.each(c),
            Component::When(c) => {
                self.optional(Some(&c.test))?;
                self.components(&c.then).and_then(|()| self.components(&c.otherwise))
            }
            Component::Cover(c) => self.components(&c.body).and_then(|()| self.components(&c.over)),
            Component::Moving(c) => self.components(&c.body),
        }
    }

    fn each(&mut self, each: &super::component::Each) -> Checked {
        self.optional(Some(&each.list))?;
        let added = self.names.insert(each.name.clone());
        let inside = self.optional(each.condition.as_ref()).and_then(|()| self.components(&each.body));
        if added {
            self.names.remove(&each.name);
        }
        inside.and_then(|()| self.components(&each.empty))
    }

    fn actions(&self, actions: &Actions) -> Checked {
        actions.iter().try_for_each(|action| self.action(action))
    }

    fn action(&self, action: &Action) -> Checked {
        match action {
            Action::Navigate(screen) | Action::Root(screen) | Action::Sheet(screen) | Action::Tab(screen) => {
                self.screen(screen)
            }
            Action::Set(values) => values.values().try_for_each(|v| self.value(v)),
            Action::Add(add) => self.state(&add.to).and_then(|()| self.value(&add.value)),
            Action::Remove(remove) => {
                self.state(&remove.from)?;
                self.optional(Some(&remove.condition))
            }
            Action::Toggle(name) => self.state(name),
            Action::Alert(alert) => {
                self.templates([Some(&alert.title), alert.message.as_ref()])?;
                alert
                    .buttons
                    .iter()
                    .try_for_each(|b| self.template(&b.label).and_then(|()| self.actions(&b.actions)))
            }
            Action::Permission(p) => {
                self.templates([p.reason.as_ref()])?;
                self.actions(&p.then).and_then(|()| self.actions(&p.otherwise))
            }
            Action::Toast(toast) => self.template(&toast.text),
            Action::Delay(delay) => self.actions(&delay.actions),
            Action::If(branch) => {
                self.optional(Some(&branch.test))?;
                self.actions(&branch.then).and_then(|()| self.actions(&branch.otherwise))
            }
            Action::Log(t) | Action::Crash(t) | Action::Open(t) | Action::Appearance(t) | Action::Copy(t) => {
                self.template(t)
            }
            Action::Back
            | Action::BackToRoot
            | Action::Dismiss
            | Action::Focus(_)
            | Action::HideKeyboard
            | Action::ScrollToTop => Ok(()),
        }
    }

    fn value(&self, value: &ValueTemplate) -> Checked {
        match value {
            ValueTemplate::Text(template) => self.template(template),
            ValueTemplate::Map(map) => map.values().try_for_each(|v| self.value(v)),
            ValueTemplate::List(list) => list.iter().try_for_each(|v| self.value(v)),
        }
    }
}

fn visit_all_actions(app: &App, visit: &mut impl FnMut(&Action)) {
    visit_actions(&app.on_launch, visit);
    app.links.iter().for_each(|l| visit_actions(&l.actions, visit));
    for screen in app.screens.values() {
        visit_actions(&screen.on_appear, visit);
        screen.every.iter().for_each(|e| visit_actions(&e.actions, visit));
        screen.leading.iter().chain(&screen.trailing).for_each(|i| visit_actions(&i.actions, visit));
        visit_components(&screen.body, visit);
        visit_components(&screen.footer, visit);
    }
}

fn visit_components(components: &[Component], visit: &mut impl FnMut(&Action)) {
    for component in components {
        match component {
            Component::Text(c) => visit_actions(&c.actions, visit),
            Component::Button(c) => visit_actions(&c.actions, visit),
            Component::IconButton(c) => visit_actions(&c.actions, visit),
            Component::Field(c) => {
                visit_actions(&c.submit, visit);
                visit_actions(&c.on_change, visit);
            }
            Component::Section(c) => visit_components(&c.rows, visit),
            Component::Cell(c) => visit_actions(&c.actions, visit),
            Component::Switch(c) => visit_actions(&c.on_change, visit),
            Component::Checkbox(c) => visit_actions(&c.on_change, visit),
            Component::Segmented(c) => visit_actions(&c.on_change, visit),
            Component::Slider(c) => visit_actions(&c.on_change, visit),
            Component::Stepper(c) => visit_actions(&c.on_change, visit),
            Component::Card(c) => {
                visit_actions(&c.actions, visit);
                visit_components(&c.body, visit);
            }
            Component::Row(c) => visit_components(&c.body, visit),
            Component::Grid(c) => visit_components(&c.body, visit),
            Component::Each(c) => [&c.body, &c.empty].into_iter().for_each(|b| visit_components(b, visit)),
            Component::When(c) => {
                [&c.then, &c.otherwise].into_iter().for_each(|b| visit_components(b, visit))
            }
            Component::Cover(c) => [&c.body, &c.over].into_iter().for_each(|b| visit_components(b, visit)),
            Component::Moving(c) => visit_components(&c.body, visit),
            Component::Progress(_)
            | Component::Spinner(_)
            | Component::Image(_)
            | Component::Spacer(_)
            | Component::Divider => {}
        }
    }
}

fn visit_actions(actions: &Actions, visit: &mut impl FnMut(&Action)) {
    for action in actions.iter() {
        visit(action);
        match action {
            Action::Alert(alert) => alert.buttons.iter().for_each(|b| visit_actions(&b.actions, visit)),
            Action::Permission(p) => {
                visit_actions(&p.then, visit);
                visit_actions(&p.otherwise, visit);
            }
            Action::Delay(delay) => visit_actions(&delay.actions, visit),
            Action::If(branch) => {
                visit_actions(&branch.then, visit);
                visit_actions(&branch.otherwise, visit);
            }
            _ => {}
        }
    }
}
