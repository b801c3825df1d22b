//! Joins accessibility nodes to what was seen at their place. Uses `device::accessibility` and the types.

use crate::device::AccessibilityNode;
use crate::frame::Frame;
use crate::geometry::{PixelRect, Rect};
use crate::mark::Source;
use crate::role::Role;

use super::text::{contains_words, fold, is_behind_an_icon, reads_like};
use super::tree::agree;
use super::{Draft, Inputs};
use crate::observe::observation::Hidden;

/// How sure a mark is that only the tree knows of.
const SURENESS_OF_THE_TREE: f32 = 0.6;

/// Gives drafts what the tree knows of them, and adds what it alone knows and the pixels don't deny.
///
/// Answers what the pixels deny: controls of the tree that something lies over.
pub fn join(drafts: &mut Vec<Draft>, nodes: &[&AccessibilityNode], inputs: &Inputs<'_>) -> Vec<Hidden> {
    let mut hidden = Vec::new();
    let mut small_first: Vec<(&AccessibilityNode, Rect)> =
        nodes.iter().filter_map(|node| Some((*node, node.frame?))).collect();
    small_first.sort_by(|a, b| a.1.area().total_cmp(&b.1.area()));
    let mut taken = vec![false; drafts.len()];
    for (node, frame) in small_first {
        match counterpart(drafts, &taken, node, &frame) {
            Some(i) => {
                taken[i] = true;
                give(&mut drafts[i], node, &frame);
                absorb(drafts, &mut taken, i, node, &frame);
            }
            None if is_told_already(drafts, node, &frame) => {}
            None => match only_in_the_tree(node, &frame, drafts, inputs) {
                Some(draft) => {
                    drafts.push(draft);
                    taken.push(true);
                    let i = drafts.len() - 1;
                    absorb(drafts, &mut taken, i, node, &frame);
                }
                None => hidden.extend(control(node, &frame)),
            },
        }
    }
    drafts.retain(|draft| !draft.sources.is_empty());
    drafts.iter_mut().for_each(|draft| believe_a_heading(draft, nodes));
    hidden
}

/// What was taken for an empty field because of a line below it, and is plain text to the tree, is text.
fn believe_a_heading(draft: &mut Draft, nodes: &[&AccessibilityNode]) {
    let guessed = draft.role == Role::TextField && !draft.sources.contains(&Source::Accessibility);
    if !guessed || draft.value.is_some() {
        return;
    }
    let label = draft.folded();
    let at = |node: &&&AccessibilityNode| node.frame.is_some_and(|f| draft.frame.contains(f.center()));
    let heading = nodes.iter().filter(at).find(|node| {
        is_text(node) && node.label.as_deref().is_some_and(|told| reads_like(&fold(told), &label))
    });
    let is_field = nodes.iter().filter(at).any(|node| node.role.is_some_and(Role::is_field));
    if let Some(frame) = heading.filter(|_| !is_field).and_then(|node| node.frame) {
        draft.role = Role::Text;
        draft.frame = frame;
        draft.add_source(Source::Accessibility);
    }
}

/// A control with a name, as one that is hidden.
fn control(node: &AccessibilityNode, frame: &Rect) -> Option<Hidden> {
    let role = node.role.filter(|role| role.is_control() && *role != Role::KeyboardKey)?;
    let label = node.label.as_deref().map(str::trim).filter(|label| !label.is_empty())?;
    Some(Hidden { role, label: label.to_owned(), frame: *frame })
}

/// The draft that shows this node: the best by place and text among those no other node has.
fn counterpart(drafts: &[Draft], taken: &[bool], node: &AccessibilityNode, frame: &Rect) -> Option<usize> {
    let label = node.label.as_deref().map(fold).unwrap_or_default();
    let scored = drafts.iter().enumerate().filter(|(i, d)| !taken[*i] && !d.sources.is_empty()).filter_map(
        |(i, draft)| {
            let common = draft.frame.intersection(frame)?.area();
            let within = common / draft.frame.area().min(frame.area()).max(1.0);
            let alike = common / (draft.frame.area() + frame.area() - common).max(1.0);
            if within < 0.5 {
                return None;
            }
            let text = draft.folded();
            let same_text = !label.is_empty() && reads_like(&label, &text);
            let some_text = !label.is_empty() && !text.is_empty() && agree(&label, &text);
            let is_key = draft.role == Role::KeyboardKey;
            let fits = if is_key {
                // what a keyboard hides is not its keys
                node.role == Some(Role::KeyboardKey) || same_text
            } else if draft.role == Role::Text {
                // a text is shown by any node that says it
                some_text
            } else if is_text(node) {
                // a text inside a control is that control's label, unless they are one in place
                same_text && alike >= 0.7
            } else if alike >= 0.7 && shows_content_of_field(draft, node) {
                // whatever the box looks like: it holds what the tree's field holds
                true
            } else {
                let part = same_text && kin(draft.role, node.role);
                (alike >= 0.3 || part)
                    && (kin(draft.role, node.role) || same_text)
                    && !says_another_thing(draft, node)
            };
            let by_text = if same_text && draft.role != Role::Text && kin(draft.role, node.role) {
                // the switch or box itself, not the words beside it
                2.0
            } else if same_text {
                1.0
            } else if some_text {
                0.4
            } else {
                0.0
            };
            let score = alike + by_text;
            fits.then_some((i, score))
        },
    );
    scored.max_by(|a, b| a.1.total_cmp(&b.1)).map(|(i, _)| i)
}

/// Whether a box shows the value or placeholder of a field, is being typed into, or shows nothing that could be
/// read, such as dots.
fn shows_content_of_field(draft: &Draft, node: &AccessibilityNode) -> bool {
    let read = draft.folded();
    let shown =
        || [&node.value, &node.placeholder].into_iter().flatten().any(|t| reads_like(&read, &fold(t)));
    // a short word beside a caret is misread as often as not
    let is_typed_into = node.focused == Some(true);
    node.role.is_some_and(Role::is_field) && (read.is_empty() || is_typed_into || shown())
}

/// Whether words are read on a control of which the node has none: then something else lies over the node.
/// A field holds what was typed, and one or two letters may be an icon.
fn says_another_thing(draft: &Draft, node: &AccessibilityNode) -> bool {
    let read = draft.folded();
    let told: Vec<String> = [&node.label, &node.value].into_iter().flatten().map(|t| fold(t)).collect();
    let is_read = draft.sources.contains(&Source::Text) && read.chars().count() > 2 && !draft.role.is_field();
    let common = |told: &String| {
        agree(told, &read)
            || read.split(' ').any(|word| word.chars().count() > 2 && contains_words(told, word))
    };
    is_read && told.iter().any(|t| !t.is_empty()) && !told.iter().any(common)
}

fn is_text(node: &AccessibilityNode) -> bool {
    matches!(node.role, None | Some(Role::Text))
}

/// Roles that sources may see in one and the same element.
fn kin(seen: Role, told: Option<Role>) -> bool {
    let Some(told) = told else { return false };
    let family = |role: Role| match role {
        Role::TextField | Role::SecureField | Role::SearchField => 1,
        Role::Switch | Role::Checkbox => 2,
        Role::Slider | Role::Progress => 3,
        Role::Image => 4,
        Role::Alert | Role::Sheet => 5,
        Role::Text => 6,
        Role::KeyboardKey => 7,
        _ => 0,
    };
    seen == told
        || family(seen) == family(told)
        || (told == Role::Button && family(seen) != 5)
        || seen == Role::Other
}

/// Role, state, identifier and value come from the tree; the label stays as it is read.
fn give(draft: &mut Draft, node: &AccessibilityNode, frame: &Rect) {
    let mut told = node.role.unwrap_or(Role::Text);
    if draft.role == Role::Text && told != Role::Text {
        if told == Role::Button && is_row(&draft.frame, frame) {
            told = Role::Cell;
        }
        // the text of a control without a visible edge: what can be touched is the node's frame
        draft.frame = *frame;
    }
    draft.role = the_more_telling(draft.role, told);
    draft.enabled = node.enabled.unwrap_or(draft.enabled);
    draft.selected = node.selected.filter(|s| *s || draft.role.is_control()).or(draft.selected);
    draft.identifier = node.identifier.clone().filter(|i| !i.trim().is_empty()).or(draft.identifier.take());
    if let Some(label) = node.label.as_deref().map(str::trim).filter(|l| !l.is_empty()) {
        let read = draft.folded();
        // a field without a caption shows what it holds, or a placeholder
        let shows_content = draft.role.is_field()
            && [&node.value, &node.placeholder].into_iter().flatten().any(|t| reads_like(&read, &fold(t)));
        let told = fold(label);
        let same = reads_like(&read, &told) || is_behind_an_icon(&read, &told);
        if shows_content || read.is_empty() || same || draft.text_unread {
            draft.label = label.to_owned();
            draft.text_unread = false;
        }
    } else if draft.label.is_empty()
        && let Some(placeholder) = &node.placeholder
    {
        draft.label.clone_from(placeholder);
    }
    draft.value = value_of(draft.role, node).or(draft.value.take());
    draft.confidence = draft.confidence.max(0.9);
    draft.add_source(Source::Accessibility);
}

/// Rows read as buttons in small vocabularies: wide, and what they say begins at the left.
fn is_row(text: &Rect, frame: &Rect) -> bool {
    frame.width >= 240.0
        && (36.0..=140.0).contains(&frame.height)
        && text.center().x < frame.x + frame.width * 0.45
}

/// The more special of two roles for one element. The trees' vocabularies are small: rows, tabs and icons
/// read as buttons there.
fn the_more_telling(seen: Role, told: Role) -> Role {
    match (seen, told) {
        (
            Role::Cell
            | Role::Tab
            | Role::BackButton
            | Role::IconButton
            | Role::Link
            | Role::Checkbox
            | Role::Switch
            | Role::Segmented
            | Role::Stepper
            | Role::KeyboardKey,
            Role::Button,
        ) => seen,
        (Role::SecureField | Role::SearchField, Role::TextField) => seen,
        (Role::Switch, Role::Checkbox) => seen,
        (seen, Role::Text | Role::Image | Role::Other) if seen != Role::Other => seen,
        _ => told,
    }
}

fn value_of(role: Role, node: &AccessibilityNode) -> Option<String> {
    let value = node.value.as_deref()?.trim();
    match role {
        Role::Switch | Role::Checkbox => Some(match value {
            "1" | "true" | "on" => "on".to_owned(),
            "0" | "false" | "off" => "off".to_owned(),
            other => other.to_owned(),
        }),
        Role::Text | Role::Button | Role::Image => None,
        _ if role.is_field() && node.placeholder.as_deref() == Some(value) => Some(String::new()),
        _ => Some(value.to_owned()),
    }
}

/// Texts inside a control that say what its node says are its label or its value, no marks of their own.
/// A draft that is taken in loses its sources.
fn absorb(drafts: &mut [Draft], taken: &mut [bool], into: usize, node: &AccessibilityNode, frame: &Rect) {
    if !drafts[into].role.is_control() {
        return;
    }
    let label = node.label.as_deref().map(fold).unwrap_or_default();
    let value = node.value.as_deref().map(fold).unwrap_or_default();
    for i in 0..drafts.len() {
        let text = &drafts[i];
        if i == into || taken[i] || !frame.contains(text.frame.center()) {
            continue;
        }
        if is_ornament(text, frame) {
            taken[i] = true;
            drafts[i].sources.clear();
            continue;
        }
        if text.role != Role::Text || text.label.is_empty() {
            continue;
        }
        let folded = text.folded();
        if agree(&label, &folded) || agree(&value, &folded) {
            taken[i] = true;
            let text = std::mem::take(&mut drafts[i].label);
            drafts[i].sources.clear();
            let draft = &mut drafts[into];
            draft.add_source(Source::Text);
            if draft.label.is_empty() {
                draft.label = text;
            }
        }
    }
}

/// A small tile or picture in a control that the tree has as one: the icon of a row.
fn is_ornament(draft: &Draft, frame: &Rect) -> bool {
    matches!(draft.role, Role::Button | Role::IconButton | Role::Image)
        && !draft.sources.contains(&Source::Accessibility)
        && draft.frame.width <= 44.0
        && draft.frame.center().x < frame.x + 64.0
        && draft.frame.area() * 6.0 < frame.area()
}

/// Whether what the node says is part of a mark already: the caption within a button, the text within a row. A field
/// within a row is more than what it says.
fn is_told_already(drafts: &[Draft], node: &AccessibilityNode, frame: &Rect) -> bool {
    let Some(label) = node.label.as_deref().map(fold).filter(|l| !l.is_empty()) else { return false };
    let is_field = node.role.is_some_and(Role::is_field);
    drafts.iter().filter(|draft| draft.role.is_field() || !is_field).any(|draft| {
        draft.frame.contains(frame.center())
            && (agree(&draft.folded(), &label)
                || draft.value.as_deref().map(fold).is_some_and(|value| agree(&value, &label)))
    })
}

/// A mark that only the tree knows of; none where the pixels speak against it.
fn only_in_the_tree(
    node: &AccessibilityNode,
    frame: &Rect,
    drafts: &[Draft],
    inputs: &Inputs<'_>,
) -> Option<Draft> {
    let role = node.role.filter(|role| !matches!(role, Role::Other | Role::Image))?;
    let scene = &inputs.sight.scene;
    let alert = scene.alert.as_ref().map(|alert| alert.rect);
    let covered = [alert, inputs.sight.sheet(), scene.keyboard].into_iter().flatten();
    let hidden =
        covered.map(|rect| inputs.screen.to_points(rect)).any(|cover| cover.contains(frame.center()));
    let another_text = role == Role::Text && drafts.iter().any(|d| frame.contains(d.frame.center()));
    let label = node.label.as_deref().map(str::trim).unwrap_or_default();
    if hidden || another_text || (role == Role::Text && label.is_empty()) {
        return None;
    }
    let contradicted = !label.is_empty() && is_contradicted(node, frame, drafts);
    let pixels = inputs.screen.to_pixels(*frame)?;
    (!contradicted && !is_flat(inputs.frame, pixels)).then(|| Draft {
        role,
        label: if label.is_empty() { node.placeholder.clone().unwrap_or_default() } else { label.to_owned() },
        value: value_of(role, node),
        frame: *frame,
        enabled: node.enabled.unwrap_or(true),
        selected: node.selected,
        identifier: node.identifier.clone().filter(|i| !i.trim().is_empty()),
        confidence: SURENESS_OF_THE_TREE,
        sources: vec![Source::Accessibility],
        text_unread: false,
    })
}

/// Whether other words than the node's are read where it should be: then something lies over it.
fn is_contradicted(node: &AccessibilityNode, frame: &Rect, drafts: &[Draft]) -> bool {
    let says: Vec<String> =
        [&node.label, &node.value, &node.placeholder].into_iter().flatten().map(|t| fold(t)).collect();
    let over: Vec<String> = drafts
        .iter()
        .filter(|d| {
            !d.label.is_empty() && d.sources.contains(&Source::Text) && frame.contains(d.frame.center())
        })
        .map(Draft::folded)
        .collect();
    !over.is_empty() && !over.iter().any(|text| says.iter().any(|said| agree(said, text)))
}

/// Whether a place is of one colour: there is nothing to be seen.
fn is_flat(frame: &Frame, place: PixelRect) -> bool {
    const STEPS: u32 = 24;
    let pixels = frame.pixels();
    let (mut low, mut high) = ([u8::MAX; 3], [u8::MIN; 3]);
    let (dx, dy) = ((place.width / STEPS).max(1), (place.height / STEPS).max(1));
    for y in (place.y..place.bottom()).step_by(dy as usize) {
        for x in (place.x..place.right()).step_by(dx as usize) {
            let p = pixels.get_pixel(x, y);
            for c in 0..3 {
                low[c] = low[c].min(p[c]);
                high[c] = high[c].max(p[c]);
            }
        }
    }
    (0..3).all(|c| high[c].saturating_sub(low[c]) < 24)
}
