//! From masks to the places they cover on one screen. Uses `observe`, `vision` masks.

use crate::geometry::{PixelRect, Rect, Screen};
use crate::mark::Mark;
use crate::observe::{Observation, contains_words, fold};
use crate::vision::mask::{Mask, NamedMask};

use super::options::MaskOptions;

/// Points that a caret or an indicator may be wider than it was seen.
const MARGIN: f64 = 1.0;
const DEFAULT: [NamedMask; 3] = [NamedMask::StatusBar, NamedMask::Caret, NamedMask::HomeIndicator];

/// What is left out on this screen, in pixels. A thing that is not there masks nothing.
pub fn places(asked: &[&[Mask]], options: &MaskOptions, seen: &Observation) -> Vec<PixelRect> {
    let defaults = DEFAULT.into_iter().filter(|_| options.default).map(Mask::Named);
    let all = asked.iter().flat_map(|masks| masks.iter()).chain(&options.more).cloned().chain(defaults);
    let moving = seen.furniture.moving.iter().copied().filter(|_| options.default);
    let rects: Vec<Rect> = all.flat_map(|mask| covered(&mask, seen)).chain(moving).collect();
    pixels(&rects, &seen.screen)
}

fn covered(mask: &Mask, seen: &Observation) -> Vec<Rect> {
    let marks =
        |fits: &dyn Fn(&Mark) -> bool| seen.marks.iter().filter(|m| fits(m)).map(|m| m.frame).collect();
    match mask {
        Mask::Named(named) => thing(*named, seen).into_iter().collect(),
        Mask::Label(label) => {
            let label = fold(label);
            marks(&|m| {
                let own = fold(&m.label);
                own == label || contains_words(&own, &label)
            })
        }
        Mask::Role(role) => marks(&|m| m.role == *role),
        Mask::Content(content) => marks(&|m| {
            content.is_in(&m.label) || m.value.as_deref().is_some_and(|value| content.is_in(value))
        }),
        Mask::Rect(rect) => vec![*rect],
    }
}

fn thing(named: NamedMask, seen: &Observation) -> Option<Rect> {
    let furniture = &seen.furniture;
    let wider =
        |r: Rect| Rect::new(r.x - MARGIN, r.y - MARGIN, r.width + 2.0 * MARGIN, r.height + 2.0 * MARGIN);
    match named {
        NamedMask::StatusBar => furniture.status_bar,
        NamedMask::HomeIndicator => furniture.home_indicator.map(wider),
        NamedMask::Caret => furniture.caret.map(wider),
        NamedMask::Keyboard => seen.keyboard.as_ref().map(|k| k.frame),
        // a settled screen shows none: they fade once the content rests
        NamedMask::ScrollIndicator => None,
    }
}

fn pixels(rects: &[Rect], screen: &Screen) -> Vec<PixelRect> {
    let mut places: Vec<PixelRect> = rects.iter().filter_map(|rect| screen.to_pixels(*rect)).collect();
    places.sort_by_key(|p| (p.y, p.x, p.height, p.width));
    places.dedup();
    places
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recording::samples::{mark, screen};
    use crate::role::Role;

    #[test]
    fn masks_cover_what_they_name_where_it_is() {
        let balance = mark(1, Role::Text, "Balance: $5", Rect::new(2.0, 10.0, 10.0, 4.0));
        let button = mark(2, Role::Button, "Pay", Rect::new(2.0, 20.0, 10.0, 4.0));
        let mut seen = (*screen(1, vec![balance, button])).clone();
        seen.furniture.status_bar = Some(Rect::new(0.0, 0.0, 30.0, 5.0));
        let none = MaskOptions { default: false, more: Vec::new() };
        assert_eq!(
            places(&[&[Mask::Label("balance".into())]], &none, &seen),
            [PixelRect::new(6, 30, 30, 12)]
        );
        assert_eq!(places(&[&[Mask::Role(Role::Button)]], &none, &seen), [PixelRect::new(6, 60, 30, 12)]);
        assert_eq!(places(&[], &MaskOptions::default(), &seen), [PixelRect::new(0, 0, 90, 15)]);
        assert_eq!(places(&[], &none, &seen), []);
    }
}
