//! Masks as they are given on a command line. Uses `role`.

use std::str::FromStr;

use super::{BadPattern, Content, ContentKind, Mask, NamedMask};
use crate::geometry::Rect;

/// Why a text is no mask.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum MaskError {
    #[error(
        "`{0}` is no mask: give status-bar, caret, scroll-indicator, home-indicator, keyboard, label=TEXT, \
         role=ROLE, content=time, content=date, content=number, content=number:PATTERN, or X,Y,WIDTH,HEIGHT in points"
    )]
    Unknown(String),
    #[error(transparent)]
    Pattern(#[from] BadPattern),
}

impl FromStr for Mask {
    type Err = MaskError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let unknown = || MaskError::Unknown(text.to_owned());
        let text = text.trim();
        match text.split_once('=') {
            Some(("label", label)) if !label.trim().is_empty() => Ok(Self::Label(label.trim().to_owned())),
            Some(("role", role)) => role.parse().map(Self::Role).map_err(|_| unknown()),
            Some(("content", content)) => {
                let (kind, pattern) = match content.split_once(':') {
                    Some((kind, pattern)) => (kind, Some(pattern)),
                    None => (content, None),
                };
                let kind = ContentKind::ALL.into_iter().find(|k| k.as_str() == kind).ok_or_else(unknown)?;
                let matching = pattern.map(str::parse).transpose()?;
                Ok(Self::Content(Content { kind, matching }))
            }
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
pub fn from_arguments(given: &[String]) -> Result<Vec<Mask>, MaskError> {
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
        assert_eq!(parsed("content=time"), Mask::Content(Content::of(ContentKind::Time)));
        assert_eq!(parsed("content=date"), Mask::Content(Content::of(ContentKind::Date)));
        let prices = r"content=number:^\$\d+=:";
        assert_eq!(parsed(prices).to_string(), prices);
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
    fn a_broken_pattern_says_so() {
        let refused = "content=number:(".parse::<Mask>().unwrap_err();
        assert!(matches!(refused, MaskError::Pattern(_)), "{refused}");
        assert!(matches!("content=colour:x".parse::<Mask>(), Err(MaskError::Unknown(_))));
    }

    #[test]
    fn a_mask_reads_back_as_it_was_written() {
        for text in
            ["keyboard", "label=Balance", "role=image", "content=time", "content=number:^[0-9]+$", "1,2,3,4"]
        {
            let mask: Mask = text.parse().unwrap();
            let written = serde_json::to_string(&mask).unwrap();
            assert_eq!(serde_json::from_str::<Mask>(&written).unwrap(), mask, "{written}");
        }
        for wrong in [
            r#"{"matching": "a"}"#,
            r#"{"content": "number", "matching": "("}"#,
            r#"{"label": "a", "matching": "a"}"#,
        ] {
            assert!(serde_json::from_str::<Mask>(wrong).is_err(), "{wrong}");
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
