//! What a user relies on when something is done.

use std::sync::Arc;
use std::time::Duration;

use super::action::{Condition, Direction, SwipePath, TypedText};
use super::stage::{Item, Play, Stage, item};
use super::*;
use crate::code::ErrorCode;
use crate::device::DeviceError;
use crate::geometry::{Point, Rect};
use crate::observe::Observer;
use crate::role::Role;

fn label(label: &str) -> Target {
    Target::Label { label: label.into(), role: None, nth: None, near: None }
}

fn tap(target: Target) -> Action {
    Action::Tap { target, count: 1, hold_ms: 0 }
}

async fn act(stage: &Stage, observer: &mut Observer, action: Action) -> Result<ActOutcome, ActError> {
    let device = stage.device();
    Hands::new(&device, observer).perform(action).await
}

/// Looks once, then acts.
async fn look_and_act(stage: &Stage, action: Action) -> Result<ActOutcome, ActError> {
    let mut observer = stage.observer();
    observer.observe(&*stage.device(), &Default::default()).await.unwrap();
    act(stage, &mut observer, action).await
}

/// Looks, lets the stage change, then acts.
async fn look_change_and_act(
    stage: &Stage,
    change: impl FnOnce(&mut Play),
    action: Action,
) -> Result<ActOutcome, ActError> {
    let mut observer = stage.observer();
    observer.observe(&*stage.device(), &Default::default()).await.unwrap();
    change(&mut stage.play());
    act(stage, &mut observer, action).await
}

fn refused(stage: &Stage, result: Result<ActOutcome, ActError>) -> ActError {
    assert_eq!(stage.play().touches, [], "a touch was sent");
    result.expect_err("it was done")
}

fn buttons(labels: &[(&str, f64)]) -> Vec<Item> {
    labels.iter().map(|(label, y)| item(Role::Button, label, 20.0, *y)).collect()
}

#[tokio::test]
async fn two_equal_buttons_are_ambiguous_and_neither_is_touched() {
    let stage = Stage::with(buttons(&[("Continue", 50.0), ("Continue", 150.0), ("Cancel", 250.0)]));
    let error = refused(&stage, look_and_act(&stage, tap(label("Continue"))).await);
    assert_eq!((error.code(), error.candidates().len()), (ErrorCode::TargetAmbiguous, 2));
    let second =
        Target::Label { label: "continue".into(), role: Some(Role::Button), nth: Some(2), near: None };
    let done = look_and_act(&stage, tap(second)).await.unwrap();
    assert_eq!(stage.play().touches, [Point::new(60.0, 165.0)]);
    assert_eq!((done.targets[0].nth, done.targets[0].of), (2, 2));
}

#[tokio::test]
async fn a_button_that_vanished_is_stale_and_the_new_screen_comes_with_the_error() {
    let stage = Stage::with(buttons(&[("Offer", 50.0), ("Stay", 150.0)]));
    let gone = |play: &mut Play| drop(play.items.remove(0));
    let error = refused(&stage, look_change_and_act(&stage, gone, tap(label("Offer"))).await);
    assert_eq!(error.code(), ErrorCode::TargetStale);
    let labels: Vec<_> = error.observation().unwrap().marks.iter().map(|m| m.label.clone()).collect();
    assert_eq!(labels, ["Stay"]);
}

#[tokio::test]
async fn a_button_that_moved_is_followed() {
    let stage = Stage::with(buttons(&[("Catch me", 50.0)]));
    let moved = |play: &mut Play| play.items[0].rect.y = 250.0;
    let done = look_change_and_act(&stage, moved, tap(label("Catch me"))).await.unwrap();
    assert_eq!(stage.play().touches, [Point::new(60.0, 265.0)]);
    assert_eq!(done.targets[0].moved_by, Some((0.0, 200.0)));
}

#[tokio::test]
async fn a_button_that_is_moving_is_touched_where_it_comes_to_rest() {
    let stage = Stage::with(buttons(&[("Catch me", 50.0)]));
    let mut observer = stage.observer();
    observer.observe(&*stage.device(), &Default::default()).await.unwrap();
    stage.on_look(|play| play.items[0].rect.y = (play.items[0].rect.y + 40.0).min(250.0));
    act(&stage, &mut observer, tap(label("Catch me"))).await.unwrap();
    assert_eq!(stage.play().touches, [Point::new(60.0, 265.0)]);
}

#[tokio::test]
async fn what_an_alert_or_the_keyboard_covers_is_not_touched() {
    for cover in ["alert", "keyboard"] {
        let stage = Stage::with(buttons(&[("Pay", 300.0)]));
        let covered = |play: &mut Play| match cover {
            "alert" => play.alert = Some(Rect::new(20.0, 100.0, 160.0, 80.0)),
            _ => {
                play.keyboard = Some(Rect::new(0.0, 240.0, 200.0, 160.0));
                play.items.clear();
            }
        };
        let error = refused(&stage, look_change_and_act(&stage, covered, tap(label("Pay"))).await);
        assert_eq!(error.code(), ErrorCode::TargetCovered, "{cover}: {error}");
        assert!(error.to_string().contains(cover), "{error}");
    }
}

#[tokio::test]
async fn what_lies_on_top_is_meant_where_the_covered_page_says_the_same() {
    let covers: [fn(&mut Play); 3] = [
        |play| play.alert = Some(Rect::new(10.0, 30.0, 180.0, 60.0)),
        |play| {
            play.items
                .push(Item { rect: Rect::new(0.0, 30.0, 200.0, 60.0), ..item(Role::Sheet, "", 0.0, 0.0) })
        },
        |play| play.keyboard = Some(Rect::new(0.0, 240.0, 200.0, 160.0)),
    ];
    for (i, cover) in covers.into_iter().enumerate() {
        let stage = Stage::with(buttons(&[("Place Order", 50.0), ("Place Order", 300.0), ("Back", 340.0)]));
        cover(&mut stage.play());
        let done =
            look_and_act(&stage, tap(label("Place Order"))).await.unwrap_or_else(|e| panic!("{i}: {e}"));
        assert_eq!(stage.play().touches, [Point::new(60.0, 65.0)], "{i}");
        // a recording counts all equals, whatever covers some of them
        assert_eq!((done.targets[0].nth, done.targets[0].of), (1, 2), "{i}");
        // alone it is there, and covered
        let error = look_and_act(&stage, tap(label("Back"))).await.unwrap_err();
        assert_eq!((error.code(), stage.play().touches.len()), (ErrorCode::TargetCovered, 1), "{i}: {error}");
    }
}

#[tokio::test]
async fn a_disabled_button_is_not_touched() {
    let stage = Stage::with(buttons(&[("Pay", 300.0)]));
    let disabled = |play: &mut Play| play.items[0].enabled = false;
    let error = refused(&stage, look_change_and_act(&stage, disabled, tap(label("Pay"))).await);
    assert_eq!(error.code(), ErrorCode::TargetDisabled);
}

#[tokio::test]
async fn coordinates_are_finite_and_on_the_screen() {
    let stage = Stage::with(buttons(&[("Pay", 300.0)]));
    for (x, y, code) in [
        (200.0, 10.0, ErrorCode::TargetOffscreen),
        (-1.0, 10.0, ErrorCode::TargetOffscreen),
        (f64::NAN, 1.0, ErrorCode::InvalidArgument),
        (1.0, f64::INFINITY, ErrorCode::InvalidArgument),
    ] {
        let error = refused(&stage, look_and_act(&stage, tap(Target::Point(Point::new(x, y)))).await);
        assert_eq!(error.code(), code, "{x},{y}");
    }
}

#[tokio::test]
async fn a_label_looks_first_where_nothing_was_seen_and_a_number_does_not() {
    let stage = Stage::with(buttons(&[("Pay", 300.0)]));
    let number = act(&stage, &mut stage.observer(), tap(Target::Mark(crate::mark::MarkId(1)))).await;
    assert_eq!(refused(&stage, number).code(), ErrorCode::NoObservation);
    act(&stage, &mut stage.observer(), tap(label("Pay"))).await.unwrap();
    assert_eq!(stage.play().touches.len(), 1);
}

#[tokio::test]
async fn nothing_changed_is_said_and_nothing_is_tapped_twice() {
    let stage = Stage::with(buttons(&[("Dead", 50.0)]));
    let done = look_and_act(&stage, tap(label("Dead"))).await.unwrap();
    assert_eq!((done.effect, stage.play().touches.len()), (Effect::NoneObserved, 1));
}

#[tokio::test]
async fn what_came_went_and_changed_is_told() {
    let mut items = buttons(&[("Add", 50.0), ("Hint", 100.0)]);
    items.push(Item { value: "off".into(), ..item(Role::Switch, "Wi-Fi", 20.0, 150.0) });
    let stage = Stage::with(items);
    stage.on_touch(|play, _| {
        play.items.remove(1);
        play.items[1].value = "on".into();
        play.items.push(item(Role::Text, "Added", 20.0, 300.0));
    });
    let done = look_and_act(&stage, tap(label("Add"))).await.unwrap();
    let labels = |marks: &[crate::mark::Mark]| marks.iter().map(|m| m.label.clone()).collect::<Vec<_>>();
    assert_eq!(done.effect, Effect::Changed);
    assert_eq!(
        (labels(&done.appeared), labels(&done.disappeared), labels(&done.updated)),
        (vec!["Added".into()], vec!["Hint".into()], vec!["Wi-Fi".into()])
    );
}

#[tokio::test]
async fn a_blinking_caret_is_no_effect() {
    let stage = Stage::with(buttons(&[("Dead", 50.0)]));
    stage.on_look(|play| {
        play.caret = play.caret.is_none().then(|| Rect::new(30.0, 200.0, 2.0, 20.0));
    });
    let done = look_and_act(&stage, tap(label("Dead"))).await.unwrap();
    assert_eq!(done.effect, Effect::NoneObserved);
    assert!(done.after.settled);
}

#[tokio::test]
async fn labels_match_exactly_then_by_prefix_then_by_part() {
    let stage = Stage::with(buttons(&[("Pay", 50.0), ("Pay later", 100.0), ("Card to pay with", 150.0)]));
    for (asked, y) in [("PAY", 65.0), ("pay  l", 115.0), ("to pay", 165.0)] {
        look_and_act(&stage, tap(label(asked))).await.unwrap();
        assert_eq!(stage.play().touches.last(), Some(&Point::new(60.0, y)), "{asked}");
    }
    let mut observer = stage.observer();
    let error = act(&stage, &mut observer, tap(label("Pay latest"))).await.unwrap_err();
    assert_eq!(error.code(), ErrorCode::TargetNotFound);
    assert_eq!(error.closest()[0], "Pay later");
}

#[tokio::test]
async fn a_button_is_meant_where_its_heading_says_the_same() {
    let stage = Stage::with(vec![
        item(Role::Text, "Sign In", 20.0, 20.0),
        item(Role::Button, "Sign In", 20.0, 200.0),
    ]);
    look_and_act(&stage, tap(label("Sign In"))).await.unwrap();
    assert_eq!(stage.play().touches, [Point::new(60.0, 215.0)]);
}

#[tokio::test]
async fn near_means_the_one_in_the_same_row() {
    let row = |name: &str, y: f64| [item(Role::Text, name, 10.0, y), item(Role::Button, "Add", 110.0, y)];
    let stage = Stage::with([row("Apple", 50.0), row("Pear", 90.0), row("Plum", 130.0)].concat());
    let target = Target::Label { label: "Add".into(), role: None, nth: None, near: Some("Pear".into()) };
    look_and_act(&stage, tap(target)).await.unwrap();
    assert_eq!(stage.play().touches, [Point::new(150.0, 105.0)]);
}

fn type_text(text: &str, into: Option<Target>) -> Action {
    Action::TypeText { text: TypedText::Text(text.into()), into, clear_first: false, submit: false }
}

fn sign_in() -> Stage {
    let stage = Stage::with(vec![item(Role::TextField, "Email", 20.0, 60.0)]);
    stage.on_touch(|play, _| {
        play.keyboard = Some(Rect::new(0.0, 240.0, 200.0, 160.0));
        play.caret = Some(Rect::new(30.0, 65.0, 2.0, 20.0));
    });
    stage
}

#[tokio::test]
async fn typing_into_a_field_taps_it_once_and_reads_it_back() {
    let stage = sign_in();
    let mut observer = stage.observer();
    let done = act(&stage, &mut observer, type_text("ann@example.com", Some(label("Email")))).await.unwrap();
    assert_eq!(stage.play().touches.len(), 1);
    assert!(done.notes.contains(&"read back as “ann@example.com”".to_owned()), "{:?}", done.notes);
    // it has the focus now: no second tap
    act(&stage, &mut observer, type_text("x", Some(label("Email")))).await.unwrap();
    let play = stage.play();
    assert_eq!((play.touches.len(), play.typed.as_str()), (1, "ann@example.comx"));
}

#[tokio::test]
async fn what_can_not_be_typed_is_refused_before_anything_is_sent() {
    let stage = sign_in();
    let error = refused(&stage, look_and_act(&stage, type_text("Zoë ✓", Some(label("Email")))).await);
    assert_eq!(error.code(), ErrorCode::TextUnsupported);
    assert_eq!(error.details()["characters"], serde_json::json!(['ë', '✓']));
    let secret = Action::TypeText {
        text: TypedText::Secret("SIMDRIVE_TEST_UNSET_SECRET".into()),
        into: Some(label("Email")),
        clear_first: false,
        submit: false,
    };
    assert_eq!(refused(&stage, look_and_act(&stage, secret).await).code(), ErrorCode::SecretUnset);
    assert_eq!(stage.play().typed, "");
}

#[tokio::test]
async fn nothing_is_typed_where_no_keyboard_comes() {
    let stage = Stage::with(vec![item(Role::Button, "Help", 20.0, 60.0)]);
    let device = stage.device();
    let mut observer = stage.observer();
    let action = Action::TapAndWaitKeyboard { target: label("Help"), timeout_ms: 300 };
    let error = Hands::new(&device, &mut observer).perform(action).await.unwrap_err();
    assert_eq!((error.code(), stage.play().touches.len()), (ErrorCode::Timeout, 1));
    assert!(error.observation().is_some());
}

#[tokio::test]
async fn what_is_waited_for_is_looked_for_more_than_once_however_little_time_there_is() {
    let stage = Stage::with(vec![item(Role::TextField, "Email", 20.0, 60.0)]);
    let mut touched_at = None;
    stage.on_look(move |play| {
        let touched = !play.touches.is_empty();
        let since = play.looks - *touched_at.get_or_insert(play.looks);
        if !touched {
            touched_at = None;
        } else if since >= 2 {
            play.keyboard = Some(Rect::new(0.0, 240.0, 200.0, 160.0));
        }
    });
    let action = Action::TapAndWaitKeyboard { target: label("Email"), timeout_ms: 0 };
    look_and_act(&stage, action).await.unwrap();
}

#[tokio::test]
async fn what_may_have_arrived_is_told_from_what_was_never_sent() {
    let device = || "stage".to_owned();
    let timeout = DeviceError::Timeout { device: device(), call: "hid", after: Duration::from_secs(1) };
    let half = DeviceError::Refused { device: device(), call: "hid", reason: "half of it".into() };
    let invalid = DeviceError::InvalidRequest { device: device(), call: "hid", reason: "no such key".into() };
    for (fails, code, reached) in [
        (timeout, ErrorCode::Timeout, true),
        (half, ErrorCode::UnsupportedOnTarget, true),
        (invalid, ErrorCode::InvalidArgument, false),
    ] {
        let stage = Stage::with(buttons(&[("Pay", 300.0)]));
        stage.play().fails = Some(fails);
        let error = refused(&stage, look_and_act(&stage, tap(label("Pay"))).await);
        assert_eq!((error.code(), error.reached_the_device()), (code, reached), "{error}");
    }
}

fn list(scrolled: Arc<std::sync::Mutex<f64>>) -> Stage {
    let stage = Stage::default();
    stage.on_look(move |play| {
        let offset = *scrolled.lock().unwrap();
        let row = |i: usize| item(Role::Cell, &format!("Product {i}"), 20.0, 40.0 + 60.0 * i as f64 - offset);
        play.items = (0..20).map(row).filter(|r| r.rect.y >= 0.0 && r.rect.bottom() <= 400.0).collect();
    });
    stage
}

#[tokio::test]
async fn swiping_until_stops_when_it_is_in_view_and_says_where_the_list_ends() {
    let scrolled = Arc::new(std::sync::Mutex::new(0.0));
    let stage = list(scrolled.clone());
    let at = scrolled.clone();
    stage.on_touch(move |_, _| {
        let mut offset = at.lock().unwrap();
        *offset = (*offset + 180.0_f64).min(840.0);
    });
    let until = |label: &str| Action::Swipe {
        path: SwipePath::Toward { direction: Direction::Up, from: None, distance: None },
        duration_ms: 300,
        until: Some(label.into()),
        max_swipes: 10,
    };
    let mut observer = stage.observer();
    let done = act(&stage, &mut observer, until("Product 12")).await.unwrap();
    assert_eq!(stage.play().touches.len(), 3, "{:?}", done.notes);
    let error = act(&stage, &mut observer, until("Product 99")).await.unwrap_err();
    assert_eq!(error.code(), ErrorCode::TargetNotFound);
    assert!(error.to_string().contains("the content ends there"), "{error}");
}

#[tokio::test]
async fn waiting_ends_when_it_is_there_and_says_what_is_there_instead() {
    let stage = Stage::with(buttons(&[("Loading", 50.0)]));
    stage.on_look(|play| {
        if play.looks == 4 {
            play.items = buttons(&[("Order confirmed", 50.0)]);
        }
    });
    let wait = |label: &str, gone: bool, timeout_ms: u64| Action::WaitFor {
        condition: Condition { label: Some(label.into()), gone, ..Condition::default() },
        timeout_ms,
    };
    let mut observer = stage.observer();
    let done = act(&stage, &mut observer, wait("Order confirmed", false, 5_000)).await.unwrap();
    assert_eq!(done.appeared[0].label, "Order confirmed");
    act(&stage, &mut observer, wait("Loading", true, 5_000)).await.unwrap();
    let error = act(&stage, &mut observer, wait("Order confirmed today", false, 200)).await.unwrap_err();
    assert_eq!(
        (error.code(), error.closest().to_vec()),
        (ErrorCode::Timeout, vec!["Order confirmed".to_owned()])
    );
    let nothing = Action::WaitFor { condition: Condition::default(), timeout_ms: 100 };
    assert_eq!(act(&stage, &mut observer, nothing).await.unwrap_err().code(), ErrorCode::InvalidArgument);
}
