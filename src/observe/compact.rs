//! The compact text: what a model reads, one mark a line. Uses the types.
//!
//! `id role "label" =value @x,y` with the centre in points; text from the screen is cleaned and cut, since an app can
//! show anything.

use std::fmt::Write;

use crate::geometry::{Point, Rect};
use crate::mark::{Mark, Source};
use crate::role::Role;

use super::changes::tells_of_the_app;
use super::observation::AlertOwner;
use super::{Changes, Observation};

/// Characters of a label that are shown.
const LONGEST_LABEL: usize = 60;
/// Marks less sure than this are counted and not shown, unless asked for.
const SURE_ENOUGH: f32 = 0.5;
/// Bytes of the whole text.
const LONGEST_TEXT: usize = 12_000;

/// What of an observation is shown.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct View {
    /// Marks less sure than this are left out.
    pub min_confidence: f32,
    /// The most marks shown.
    pub limit: usize,
    /// Frames, states and sources too.
    pub full: bool,
}

impl Default for View {
    fn default() -> Self {
        Self { min_confidence: SURE_ENOUGH, limit: 200, full: false }
    }
}

/// Text from the screen made safe to print in one line: control, zero-width and direction characters removed,
/// spaces folded, cut at `longest` characters with the rest counted.
pub fn clean(text: &str, longest: usize) -> String {
    let mut words = String::new();
    let visible = text.chars().map(|c| if c.is_whitespace() { ' ' } else { c }).filter(|c| !is_invisible(*c));
    for c in visible {
        if c != ' ' || !(words.is_empty() || words.ends_with(' ')) {
            words.push(if c == '"' { '\'' } else { c });
        }
    }
    let words = words.trim_end();
    let length = words.chars().count();
    if length <= longest {
        return words.to_owned();
    }
    let kept: String = words.chars().take(longest).collect();
    format!("{}…(+{})", kept.trim_end(), length - longest)
}

fn is_invisible(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{00ad}' | '\u{061c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}'
            | '\u{e0000}'..='\u{e007f}')
}

/// One mark as a line, without its end.
pub fn line(mark: &Mark, full: bool) -> String {
    let Point { x, y } = mark.frame.center();
    let mut line = format!("{} {}", mark.id, mark.role);
    if mark.text_unread && mark.label.is_empty() {
        line.push_str(" (unread text)");
    } else if !mark.label.is_empty() {
        let _ = write!(line, " \"{}\"", clean(&mark.label, LONGEST_LABEL));
    }
    if let Some(value) = &mark.value {
        let _ = write!(line, " ={}", clean(value, LONGEST_LABEL));
    }
    if mark.selected == Some(true) {
        line.push_str(" selected");
    }
    if !mark.enabled {
        line.push_str(" disabled");
    }
    let _ = write!(line, " @{x:.0},{y:.0}");
    if full {
        let Rect { x, y, width, height } = mark.frame;
        let sources: Vec<&str> = mark.sources.iter().map(|s| source(*s)).collect();
        let _ = write!(
            line,
            " [{x:.0},{y:.0} {width:.0}×{height:.0}] {} {:.2} {}",
            mark.stable_id,
            mark.confidence,
            sources.join("+")
        );
        if let Some(identifier) = &mark.identifier {
            let _ = write!(line, " #{}", clean(identifier, LONGEST_LABEL));
        }
    }
    line
}

fn source(source: Source) -> &'static str {
    match source {
        Source::Text => "text",
        Source::Shape => "shape",
        Source::Accessibility => "accessibility",
    }
}

impl Observation {
    /// The whole screen as compact text: alert on top, then bars and content, keyboard last.
    pub fn compact(&self, view: &View) -> String {
        let mut text = self.headline();
        let shown: Vec<&Mark> = self.marks.iter().filter(|m| self.is_shown(m, view)).collect();
        let on_top = |m: &&&Mark| self.alert.as_ref().is_some_and(|a| a.frame.contains(m.frame.center()));
        if let Some(alert) = &self.alert {
            let owner = match alert.owner {
                AlertOwner::System => "system ",
                AlertOwner::App => "app ",
                AlertOwner::Unknown => "",
            };
            let _ = writeln!(text, "{owner}alert (covers the rest):");
            push_lines(&mut text, shown.iter().filter(on_top).copied(), view);
        }
        let rest: Vec<&Mark> = shown.iter().filter(|m| !on_top(m)).copied().collect();
        let (bars, content): (Vec<&Mark>, Vec<&Mark>) = rest.into_iter().partition(|m| m.role == Role::Tab);
        if self.alert.is_some() && !content.is_empty() {
            text.push_str("behind it:\n");
        }
        push_lines(&mut text, content.into_iter(), view);
        if !bars.is_empty() {
            text.push_str("tab bar:\n");
            push_lines(&mut text, bars.into_iter(), view);
        }
        if let Some(keyboard) = &self.keyboard {
            let plane = keyboard.plane.map(|plane| format!(" ({})", plane.as_str())).unwrap_or_default();
            let _ = writeln!(text, "keyboard{plane} shown from y {:.0}", keyboard.frame.y);
        }
        self.push_notes(&mut text, shown.len(), view);
        cap(text)
    }

    /// Only what changed since an earlier look.
    pub fn compact_changes(&self, changes: &Changes, view: &View) -> String {
        let mut text = self.headline();
        push_changes(&mut text, changes, view);
        if changes.is_empty() {
            text.push_str("nothing changed\n");
        }
        cap(text)
    }

    fn headline(&self) -> String {
        let size = self.screen.points;
        let mut text = format!("{} {:.0}×{:.0}", self.id, size.width, size.height);
        if let Some(app) = &self.app {
            let name = app.bundle_id.as_deref().unwrap_or(&app.name);
            let _ = write!(text, " {}", clean(name, LONGEST_LABEL));
        }
        if !self.settled {
            text.push_str(" still moving");
        }
        text.push('\n');
        text
    }

    fn is_shown(&self, mark: &Mark, view: &View) -> bool {
        mark.confidence >= view.min_confidence && tells_of_the_app(self, mark)
    }

    /// How many marks of the app are not shown because they are not sure enough.
    pub fn left_out(&self, view: &View) -> usize {
        let unsure = |m: &&Mark| m.confidence < view.min_confidence && tells_of_the_app(self, m);
        self.marks.iter().filter(unsure).count()
    }

    fn push_notes(&self, text: &mut String, shown: usize, view: &View) {
        let unsure = self.left_out(view);
        if unsure > 0 {
            let _ = writeln!(text, "{unsure} less sure than {:.2} not shown", view.min_confidence);
        }
        if shown > view.limit {
            let _ = writeln!(text, "{} more marks not shown", shown - view.limit);
        }
        for note in &self.provenance.notes {
            let _ = writeln!(text, "note: {}", clean(note, 240));
        }
    }
}

/// Appeared with `+`, disappeared with `-`, updated with `~`; what only moved is counted.
pub fn push_changes(text: &mut String, changes: &Changes, view: &View) {
    for (sign, marks) in [('+', &changes.appeared), ('-', &changes.disappeared), ('~', &changes.updated)] {
        for mark in marks.iter().filter(|m| m.confidence >= view.min_confidence).take(view.limit) {
            let _ = writeln!(text, "{sign} {}", line(mark, view.full));
        }
    }
    if !changes.moved.is_empty() {
        let _ = writeln!(text, "{} marks moved", changes.moved.len());
    }
}

fn push_lines<'a>(text: &mut String, marks: impl Iterator<Item = &'a Mark>, view: &View) {
    for mark in marks.take(view.limit) {
        text.push_str(&line(mark, view.full));
        text.push('\n');
    }
}

/// Cuts at the end of a line and says so.
fn cap(mut text: String) -> String {
    if text.len() > LONGEST_TEXT {
        let end = text.floor_char_boundary(LONGEST_TEXT);
        let end = text[..end].rfind('\n').map_or(end, |at| at + 1);
        text.truncate(end);
        text.push_str("(cut: ask with `limit` or `min_confidence` for less)\n");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_an_app_shows_can_break_the_line() {
        assert_eq!(clean("a\n\tb\u{202e}c\u{200b}\u{7} \"d\"", 60), "a bc 'd'");
        assert_eq!(clean(&"ü".repeat(70), 60), format!("{}…(+10)", "ü".repeat(60)));
    }
}
