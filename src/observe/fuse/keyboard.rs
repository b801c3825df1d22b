//! The keyboard and its keys, from pixels. Uses `vision` and the types.

use crate::geometry::{PixelRect, Screen};
use crate::mark::Source;
use crate::observe::observation::{KeyPlane, Keyboard};
use crate::observe::sight::Sight;
use crate::role::Role;

use super::Draft;

/// How sure a key is whose letter was not read: that it is one is told by its row.
const UNLABELLED: f32 = 0.6;

/// The keyboard with what it types, where one is seen.
pub fn keyboard(sight: &Sight, screen: &Screen) -> Option<Keyboard> {
    let frame = screen.to_points(sight.scene.keyboard?);
    let says = |face: &str| sight.scene.keys.iter().any(|key| line_on(sight, key).is_some_and(|l| l == face));
    // each plane offers the way to the others
    let plane = match (says("ABC"), says("123"), says("#+=")) {
        (true, true, _) => Some(KeyPlane::Symbols),
        (true, false, _) | (_, _, true) => Some(KeyPlane::Numbers),
        (false, true, false) => Some(KeyPlane::Letters),
        (false, false, false) => None,
    };
    Some(Keyboard { frame, plane })
}

/// One draft a key. A line of text that runs over several keys names none of them.
pub fn keys(sight: &Sight, screen: &Screen) -> Vec<Draft> {
    let key = |place: &PixelRect| {
        let label = line_on(sight, place).unwrap_or_default().to_owned();
        let mut draft = Draft {
            role: Role::KeyboardKey,
            value: None,
            frame: screen.to_points(*place),
            enabled: true,
            selected: None,
            identifier: None,
            confidence: if label.is_empty() { UNLABELLED } else { 0.8 },
            sources: vec![Source::Shape],
            text_unread: false,
            label,
        };
        if !draft.label.is_empty() {
            draft.add_source(Source::Text);
        }
        draft
    };
    sight.scene.keys.iter().map(key).collect()
}

/// Whether a place lies on the keyboard.
pub fn is_on_keyboard(sight: &Sight, place: &PixelRect) -> bool {
    let (x, y) = (place.x + place.width / 2, place.y + place.height / 2);
    sight.scene.keyboard.is_some_and(|keyboard| keyboard.contains(x, y))
}

/// What is written on a key and nowhere else.
fn line_on<'a>(sight: &'a Sight, key: &PixelRect) -> Option<&'a str> {
    let on = |place: &PixelRect| key.intersection(place).is_some_and(|common| common == *place);
    sight.lines.iter().find(|line| on(&line.rect) && !line.unread).map(|line| line.text.as_str())
}
