//! Screens, acts and actions for the tests of this folder and of `replay`.

use std::sync::Arc;
use std::time::Duration;

use image::RgbaImage;

use crate::act::action::{Condition, Direction, Key, Modifier, SheetDirection, SwipePath, TypedText};
use crate::act::{ActOutcome, Action, Effect, ResolvedTarget, Target, TargetForm};
use crate::device::{Appearance, ContentSize, DeviceDescription, DeviceKind};
use crate::frame::Frame;
use crate::geometry::{PixelSize, Point, Rect, Screen, Size};
use crate::mark::{Mark, MarkId, Source, StableId};
use crate::observe::observation::{Observation, ObservationId, Provenance};
use crate::role::Role;

pub(crate) fn mark(id: u32, role: Role, label: &str, frame: Rect) -> Mark {
    Mark {
        id: MarkId(id),
        stable_id: StableId(format!("{id:012x}")),
        role,
        label: label.into(),
        value: None,
        frame,
        enabled: true,
        selected: None,
        identifier: None,
        confidence: 1.0,
        sources: vec![Source::Text],
        text_unread: false,
    }
}

/// A small screen of one shade with these marks.
pub(crate) fn screen(shade: u8, marks: Vec<Mark>) -> Arc<Observation> {
    let pixels = RgbaImage::from_pixel(90, 180, image::Rgba([shade, shade, 200, 255]));
    Arc::new(Observation {
        id: ObservationId(1),
        frame: Frame::new(pixels).unwrap(),
        screen: Screen::of_picture(PixelSize::new(90, 180), 3.0),
        marks,
        alert: None,
        keyboard: None,
        app: None,
        furniture: Default::default(),
        hidden: Vec::new(),
        focused: None,
        settled: true,
        settle_time: Duration::ZERO,
        provenance: Provenance::default(),
    })
}

pub(crate) fn device() -> DeviceDescription {
    DeviceDescription {
        selector: "sim:shop".into(),
        kind: DeviceKind::Simulator,
        udid: "U".into(),
        name: "iPhone".into(),
        model: "iPhone 16".into(),
        os: "iOS 18.2".into(),
        state: "booted".into(),
        panel_pixels: PixelSize::new(90, 180),
        panel_points: Size::new(30.0, 60.0),
    }
}

pub(crate) fn outcome(
    action: Action,
    targets: Vec<ResolvedTarget>,
    before: Arc<Observation>,
    after: Arc<Observation>,
) -> ActOutcome {
    ActOutcome {
        action,
        targets,
        effect: Effect::Changed,
        before,
        after,
        appeared: Vec::new(),
        disappeared: Vec::new(),
        updated: Vec::new(),
        settle_time: Duration::from_millis(240),
        notes: Vec::new(),
    }
}

pub(crate) fn resolved(form: TargetForm, mark: Mark) -> ResolvedTarget {
    ResolvedTarget { form, point: mark.frame.center(), mark: Some(mark), nth: 1, of: 1, moved_by: None }
}

pub(crate) fn label(label: &str) -> Target {
    Target::Label { label: label.into(), role: None, nth: None, near: None }
}

/// Every action in every shape it can have, and the number of its targets.
pub(crate) fn every_action() -> Vec<Action> {
    let text =
        |text: TypedText, into, clear_first, submit| Action::TypeText { text, into, clear_first, submit };
    let swipe = |path| Action::Swipe { path, duration_ms: 300, until: None, max_swipes: 10 };
    vec![
        Action::Tap { target: label("a"), count: 1, hold_ms: 0 },
        Action::Tap { target: Target::Point(Point::new(3.25, 4.0)), count: 2, hold_ms: 900 },
        Action::TapAndWaitKeyboard { target: label("a"), timeout_ms: 2_500 },
        swipe(SwipePath::FromTo { from: label("a"), to: Target::Point(Point::new(1.0, 2.0)) }),
        swipe(SwipePath::Toward { direction: Direction::Up, from: None, distance: None }),
        Action::Swipe {
            path: SwipePath::Toward {
                direction: Direction::Left,
                from: Some(label("a")),
                distance: Some(120.5),
            },
            duration_ms: 500,
            until: Some("End: of #1 “list”".into()),
            max_swipes: 3,
        },
        text(TypedText::Text("naïve: #yes {a} 😀 ${HOME}\n".into()), None, false, false),
        text(TypedText::Text("no".into()), Some(label("a")), true, true),
        text(TypedText::Secret("SHOP_PASSWORD".into()), Some(label("a")), false, true),
        Action::PressKey { key: Key::VolumeUp, modifiers: Vec::new() },
        Action::PressKey { key: Key::Character('a'), modifiers: vec![Modifier::Command, Modifier::Shift] },
        Action::PressKey { key: Key::Character('7'), modifiers: vec![Modifier::Option] },
        Action::ClearField { target: None },
        Action::ClearField { target: Some(label("a")) },
        Action::DismissSheet { direction: SheetDirection::Down },
        Action::DismissSheet { direction: SheetDirection::Up },
        Action::WaitFor {
            condition: Condition {
                label: Some("Done".into()),
                role: Some(Role::Button),
                gone: true,
                stable: true,
            },
            timeout_ms: 5_000,
        },
        Action::WaitFor { condition: Condition { stable: true, ..Condition::default() }, timeout_ms: 10_000 },
        Action::SetAppearance {
            appearance: Some(Appearance::Dark),
            content_size: Some(ContentSize::AccessibilityLarge),
        },
        Action::OpenUrl { url: "shop://item/7?x=${A}&y=#z".into() },
    ]
}
