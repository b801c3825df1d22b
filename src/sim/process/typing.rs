//! The focused field and what keys do to it.

use super::{FieldRef, Focus, Plane, Process};
use crate::sim::app::FieldKind;
use crate::sim::motion::Presence;
use crate::sim::system::System;

/// What a key does to the text, wherever it was pressed.
#[derive(Clone, Debug, PartialEq)]
pub enum Edit {
    Insert(String),
    Delete,
    DeleteForward,
    Return,
    Left,
    Right,
    Home,
    End,
    SelectAll,
    Paste,
    Copy,
    Cut,
}

impl Process {
    /// Puts the caret at the end of a field.
    pub fn focus_on(&mut self, field: FieldRef, system: &System) {
        let now = system.elapsed;
        let caret = self.stored_text(&field.bind).chars().count();
        if self.focus.is_none() {
            self.keyboard.presence = Presence::entering(now);
        }
        self.keyboard.plane = if field.kind == FieldKind::Number { Plane::Numbers } else { Plane::Letters };
        self.keyboard.shift = capitalises(field.kind) && caret == 0;
        self.focus = Some(Focus { field, caret, all_selected: false, since: now, reveal: true });
    }

    pub fn unfocus(&mut self, system: &System) {
        if self.focus.take().is_some() {
            self.keyboard.presence = Presence::leaving(system.elapsed);
        }
    }

    /// Changes the focused field; without one nothing happens.
    pub fn edit(&mut self, edit: &Edit, system: &mut System) {
        let Some(mut focus) = self.focus.take() else { return };
        let before = self.stored_text(&focus.field.bind);
        let mut text: Vec<char> = before.chars().collect();
        focus.caret = focus.caret.min(text.len());
        focus.since = system.elapsed;
        let selected = std::mem::take(&mut focus.all_selected) && !text.is_empty();
        match edit {
            Edit::Insert(_) | Edit::Paste | Edit::Delete | Edit::DeleteForward | Edit::Cut if selected => {
                if *edit == Edit::Cut {
                    system.pasteboard.clone_from(&before);
                }
                text.clear();
                focus.caret = 0;
                match edit {
                    Edit::Insert(new) => insert(&mut text, &mut focus, new),
                    Edit::Paste => insert(&mut text, &mut focus, &system.pasteboard),
                    _ => {}
                }
            }
            Edit::Insert(new) => insert(&mut text, &mut focus, new),
            Edit::Paste => insert(&mut text, &mut focus, &system.pasteboard),
            Edit::Delete if focus.caret > 0 => {
                focus.caret -= 1;
                text.remove(focus.caret);
            }
            Edit::DeleteForward if focus.caret < text.len() => {
                text.remove(focus.caret);
            }
            Edit::Left => focus.caret = if selected { 0 } else { focus.caret.saturating_sub(1) },
            Edit::Right => {
                focus.caret = if selected { text.len() } else { (focus.caret + 1).min(text.len()) }
            }
            Edit::Home => focus.caret = 0,
            Edit::End => focus.caret = text.len(),
            Edit::SelectAll => focus.all_selected = true,
            Edit::Copy => {
                if selected {
                    system.pasteboard.clone_from(&before);
                    focus.all_selected = true;
                }
            }
            Edit::Return => {
                self.focus = Some(focus);
                self.submit(system);
                return;
            }
            Edit::Delete | Edit::DeleteForward | Edit::Cut => {}
        }
        let text: String = text.into_iter().collect();
        self.keyboard.shift = capitalises(focus.field.kind) && text.is_empty();
        let field = focus.field.clone();
        self.focus = Some(focus);
        if text != before {
            self.state.insert(field.bind, text.into());
            self.perform(&field.on_change, field.locals, system);
        }
    }

    /// Return: what the field says, or the keyboard goes.
    fn submit(&mut self, system: &mut System) {
        let Some(focus) = &self.focus else { return };
        let field = focus.field.clone();
        self.unfocus(system);
        self.respond(&field.submit, field.locals, system);
    }
}

fn insert(text: &mut Vec<char>, focus: &mut Focus, new: &str) {
    for c in new.chars().filter(|c| !c.is_control()) {
        text.insert(focus.caret, c);
        focus.caret += 1;
    }
}

fn capitalises(kind: FieldKind) -> bool {
    matches!(kind, FieldKind::Text | FieldKind::Search)
}
