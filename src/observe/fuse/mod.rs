//! Text, shapes and accessibility become one list of drafts. Uses `vision`, `device::accessibility`, the types.
//!
//! Pixels lead: what is seen is marked, the tree adds names, values and states to it. What only the tree knows is
//! added where the pixels don't speak against it.

mod alert;
mod draft;
mod group;
mod join;
mod keyboard;
mod paragraph;
pub mod text;
mod tree;

pub use draft::Draft;

use crate::device::AccessibilityTree;
use crate::frame::Frame;
use crate::geometry::{PixelRect, Rect, Screen};
use crate::mark::Source;
use crate::role::Role;
use crate::vision::text::TextLine;

use super::observation::{Alert, Furniture, Hidden, Keyboard};
use super::options::Sources;
use super::sight::Sight;

/// What one screen holds, before its marks have identities.
#[derive(Clone, Debug, Default)]
pub struct Fused {
    /// In reading order.
    pub drafts: Vec<Draft>,
    pub alert: Option<Alert>,
    pub keyboard: Option<Keyboard>,
    pub furniture: Furniture,
    pub hidden: Vec<Hidden>,
    /// Place in `drafts` of the field that has the focus.
    pub focused: Option<usize>,
    pub accessibility_nodes: usize,
    pub notes: Vec<String>,
}

/// Everything that one look brought in.
pub struct Inputs<'a> {
    pub frame: &'a Frame,
    pub screen: &'a Screen,
    pub sight: &'a Sight,
    pub tree: Option<&'a AccessibilityTree>,
    pub sources: Sources,
    /// Process id of the app that the session started.
    pub app_pid: Option<u64>,
}

/// Brings the sources together.
pub fn fuse(inputs: &Inputs<'_>) -> Fused {
    let Inputs { screen, sight, sources, .. } = inputs;
    let points = |rect: Option<PixelRect>| rect.map(|r| screen.to_points(r));
    let mut fused = Fused {
        drafts: from_pixels(sight, screen, *sources),
        keyboard: keyboard::keyboard(sight, screen),
        furniture: Furniture {
            status_bar: points(sight.scene.status_bar),
            home_indicator: points(sight.scene.home_indicator),
            caret: points(sight.scene.caret),
            moving: Vec::new(),
        },
        ..Fused::default()
    };
    let mut focus = None;
    if let Some(tree) = inputs.tree {
        match tree::believable(tree, screen, &sight.lines) {
            Ok(nodes) => {
                fused.accessibility_nodes = nodes.len();
                focus = nodes.iter().find(|n| n.focused == Some(true)).and_then(|n| n.frame);
                group::part(&mut fused.drafts, &nodes);
                fused.hidden = join::join(&mut fused.drafts, &nodes, inputs);
            }
            Err(why) => fused.notes.push(why),
        }
    }
    clip(&mut fused.drafts, screen);
    fused.drafts.retain(|draft| draft.sources.iter().any(|s| sources.allows(*s)));
    draft::reading_order(&mut fused.drafts);
    fused.alert = alert::find(&fused.drafts, inputs);
    fused.focused = focused(&fused, focus);
    fused
}

/// Shapes with their labels; what text is left becomes marks of its own.
fn from_pixels(sight: &Sight, screen: &Screen, sources: Sources) -> Vec<Draft> {
    let mut free = vec![true; sight.lines.len()];
    let mut drafts = Vec::new();
    if sources.shape {
        for shape in &sight.scene.shapes {
            let label = joined(sight, &shape.label_lines);
            let label = if shape.role.is_field() { label } else { text::without_icon(&label).to_owned() };
            let value = joined(sight, &shape.value_lines);
            let of_text: Vec<usize> = shape.label_lines.iter().chain(&shape.value_lines).copied().collect();
            // words beside a switch or over a field name it and stay to be read in their place
            let inside =
                |line: &PixelRect| shape.rect.contains(line.x + line.width / 2, line.y + line.height / 2);
            of_text
                .iter()
                .filter(|&&i| sight.lines.get(i).is_some_and(|line| inside(&line.rect)))
                .for_each(|&i| free[i] = false);
            // what was read off an icon, a knob or a box is no text
            if matches!(
                shape.role,
                Role::IconButton
                    | Role::BackButton
                    | Role::Stepper
                    | Role::Switch
                    | Role::Checkbox
                    | Role::Slider
                    | Role::Tab
            ) {
                (0..free.len()).filter(|&i| inside(&sight.lines[i].rect)).for_each(|i| free[i] = false);
            } else if shape.role.is_control() {
                let icons = sight.scene.icon_lines.iter().copied();
                icons
                    .filter(|&i| sight.lines.get(i).is_some_and(|line| inside(&line.rect)))
                    .for_each(|i| free[i] = false);
            }
            let texts = of_text.iter().filter_map(|&i| sight.lines.get(i));
            let read = texts.clone().filter(|l| !l.unread);
            let sureness = read.map(|l| l.confidence).fold(shape.confidence, f32::min);
            let known = shape.words.as_deref().or(shape.name).unwrap_or_default();
            let mut draft = Draft {
                role: shape.role,
                label: if label.is_empty() { known.to_owned() } else { label },
                value: shape.value.clone().or((!value.is_empty()).then_some(value)),
                frame: screen.to_points(shape.rect),
                enabled: shape.enabled,
                selected: shape.selected,
                identifier: None,
                confidence: sureness,
                sources: vec![Source::Shape],
                text_unread: texts.clone().any(|l| l.unread),
            };
            if texts.count() > 0 || shape.words.is_some() {
                draft.add_source(Source::Text);
            }
            drafts.push(draft);
        }
    }
    drafts.extend(keyboard::keys(sight, screen));
    if sources.text {
        let of_the_app = |&i: &usize| {
            free[i] && !keyboard::is_on_keyboard(sight, &sight.lines[i].rect) && !is_sign_of_an_icon(sight, i)
        };
        let rest: Vec<usize> = (0..free.len()).filter(of_the_app).collect();
        let width = screen.pixels.width;
        drafts.extend(
            paragraph::paragraphs(&sight.lines, &rest, width)
                .iter()
                .filter_map(|p| text_mark(sight, screen, p)),
        );
    }
    drafts
}

/// Whether something was read off an icon: signs among the bars, waves and battery of the status bar, and a lone sign
/// elsewhere. A letter may be meant, as the initial of a name is.
fn is_sign_of_an_icon(sight: &Sight, line: usize) -> bool {
    let TextLine { text, rect, .. } = &sight.lines[line];
    if sight.scene.status_bar.is_some_and(|bar| bar.intersection(rect) == Some(*rect)) {
        return !text.chars().any(|c| c.is_ascii_alphanumeric());
    }
    let mut signs = text.chars();
    let sign = signs.next().filter(|c| !c.is_ascii_alphanumeric());
    sign.is_some() && signs.next().is_none() && sight.scene.icon_lines.contains(&line)
}

/// Lines in reading order, as one text.
fn joined(sight: &Sight, lines: &[usize]) -> String {
    let texts: Vec<&str> = lines
        .iter()
        .filter_map(|&i| sight.lines.get(i))
        .map(|l| l.text.trim())
        .filter(|t| !t.is_empty())
        .collect();
    texts.join(" ")
}

fn text_mark(sight: &Sight, screen: &Screen, lines: &[usize]) -> Option<Draft> {
    let of = |&i: &usize| &sight.lines[i];
    let rect = lines.iter().map(|i| of(i).rect).reduce(|a, b| a.union(&b))?;
    let label = joined(sight, lines);
    let text_unread = lines.iter().any(|i| of(i).unread);
    (!label.is_empty() || text_unread).then(|| Draft {
        role: Role::Text,
        label,
        value: None,
        frame: screen.to_points(rect),
        enabled: true,
        selected: None,
        identifier: None,
        confidence: lines.iter().map(|i| of(i).confidence).fold(1.0, f32::min),
        sources: vec![Source::Text],
        text_unread,
    })
}

/// Cuts frames to the screen and drops what lies outside.
fn clip(drafts: &mut Vec<Draft>, screen: &Screen) {
    let bounds = Rect::new(0.0, 0.0, screen.points.width, screen.points.height);
    drafts.retain_mut(|draft| match draft.frame.intersection(&bounds) {
        Some(seen) => {
            draft.frame = seen;
            true
        }
        None => false,
    });
}

/// The field with the focus: by the tree, else the one around the caret.
fn focused(fused: &Fused, by_tree: Option<Rect>) -> Option<usize> {
    let at = by_tree.or(fused.furniture.caret)?.center();
    fused.drafts.iter().position(|d| d.role.is_field() && d.frame.contains(at))
}

#[cfg(test)]
mod tests;
