//! Masks as they are given on a command line. Uses `role`.

use std::str::FromStr;

use super::{ContentMask, Mask, NamedMask};
use crate::geometry::Rect;

/// Something that names no mask.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[error(
    "`{0}` is no mask: give status-bar, caret, scroll-indicator, home-indicator, keyboard, label=TEXT, role=ROLE, \
     content=time, content=date, content=number, or X,Y,WIDTH,HEIGHT in points"
)]
pub struct UnknownMask(pub String);

impl FromStr for Mask {
    type Err = UnknownMask;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let unknown = || UnknownMask(text.to_owned());
        let text = text.trim();
        match text.split_once('=') {
            Some(("label", label)) if !label.trim().is_empty() => Ok(Self::Label(label.trim().to_owned())),
            Some(("role", role)) => role.parse().map(Self::Role).map_err(|_| unknown()),
            Some(("content", "time")) => Ok(Self::Content(ContentMask::Time)),
            Some(("content", "date")) => Ok(Self::Content(ContentMask::Date)),
            Some(("content", "number")) => Ok(Self::Content(ContentMask::Number)),
            Some(_) => Err(unknown()),
            None => named(text).or_else(|| rectangle(text)).ok_or_else(unknown),
        }
    }
}

fn named(text: &str) -> Option<Mask> {
    NamedMask::ALL.into_iter().find(|name| name.as_str() == text).map(Mask::Named)
}

fn rectangle(text: &str) -> Option<Mask> {
    let numbers: Option<Vec<f64>> = text.split(',').map(|n| n.trim().parse().ok()).collect();
    match numbers?[..] {
        [x, y, width, height] if width > 0.0 && height > 0.0 && x.is_finite() && y.is_finite() => {
            Some(Mask::Rect(Rect::new(x, y, width, height)))
        }
        _ => None,
    }
}

/// The masks of a command line: the default ones and `given`; without the default ones where `none` is among them.
pub fn from_arguments(given: &[String]) -> Result<Vec<Mask>, UnknownMask> {
    let masks: Vec<Mask> =
        given.iter().filter(|text| *text != "none").map(|text| text.parse()).collect::<Result<_, _>>()?;
    if given.iter().any(|text| text == "none") { Ok(masks) } else { Ok(super::with_defaults(&masks)) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::role::Role;

    #[test]
    fn every_form_of_a_mask_can_be_given() {
        let parsed = |text: &str| text.parse::<Mask>().unwrap();
        assert_eq!(parsed("status-bar"), Mask::Named(NamedMask::StatusBar));
        assert_eq!(parsed("label=Balance due"), Mask::Label("Balance due".into()));
        assert_eq!(parsed("role=image"), Mask::Role(Role::Image));
        assert_eq!(parsed("content=time"), Mask::Content(ContentMask::Time));
        assert_eq!(parsed("0, 700,393,40.5"), Mask::Rect(Rect::new(0.0, 700.0, 393.0, 40.5)));
    }

    #[test]
    fn what_is_no_mask_is_refused_with_the_forms() {
        for text in ["", "clock", "label=", "role=cat", "1,2,3", "0,0,0,5", "0,0,inf,nan", "content=colour"] {
            let refused = text.parse::<Mask>().unwrap_err();
            assert!(refused.to_string().contains("home-indicator"), "{text}");
        }
    }

    #[test]
    fn none_clears_the_default_masks_and_keeps_the_others() {
        let given = |texts: &[&str]| from_arguments(&texts.iter().map(|t| t.to_string()).collect::<Vec<_>>());
        assert_eq!(given(&[]).unwrap().len(), 4);
        assert_eq!(given(&["caret", "keyboard"]).unwrap().len(), 5);
        assert_eq!(given(&["none"]).unwrap(), []);
        assert_eq!(given(&["keyboard", "none"]).unwrap(), [Mask::Named(NamedMask::Keyboard)]);
    }
}
