//! Sessions on the embedded simulator, whose log of touches tells what really arrived.

use std::sync::Arc;
use std::time::Duration;

use super::*;
use crate::act::{Effect, Target};
use crate::code::ErrorCode;
use crate::device::Selector;
use crate::mark::Mark;
use crate::recording::{RecordOptions, Store};
use crate::role::Role;
use crate::sim::SimulatorOptions;
use crate::sim::companion::{self, Listen, RunningCompanion};

/// A simulator whose clock moves only when the device sleeps, and a session on it.
async fn drive(app: &str, options: &str) -> (RunningCompanion, Arc<Session>) {
    let options = format!("clock=2026-01-01T09:41:00Z&{options}");
    let options = SimulatorOptions::parse(options.trim_end_matches('&')).unwrap();
    let companion = companion::start(app, options, Listen::Private).await.unwrap();
    let selector = Selector::Companion(companion.endpoint().clone());
    let session = Session::start(SessionStart::new(selector)).await.unwrap();
    (companion, session)
}

fn touches(companion: &RunningCompanion) -> usize {
    companion.simulator().with(|simulator| simulator.touches().len())
}

fn label(label: &str) -> Target {
    Target::Label { label: label.into(), role: None, nth: None, near: None }
}

fn tap(text: &str) -> Action {
    Action::Tap { target: label(text), count: 1, hold_ms: 0 }
}

/// Taps and must succeed.
async fn go(session: &Session, text: &str) -> ActOutcome {
    let done = session.act(tap(text)).await;
    done.unwrap_or_else(|error| panic!("{text}: {error}\n{}", seen(session)))
}

fn seen(session: &Session) -> String {
    session.last().map(|last| last.compact(&Default::default())).unwrap_or_default()
}

fn labels(marks: &[Mark]) -> Vec<&str> {
    marks.iter().map(|m| m.label.as_str()).collect()
}

#[tokio::test]
async fn two_equal_buttons_are_ambiguous_and_no_touch_arrives() {
    let (companion, session) = drive("chaos", "").await;
    go(&session, "Two equal buttons").await;
    let before = touches(&companion);
    let error = session.act(tap("Continue")).await.unwrap_err();
    assert_eq!((error.code(), error.candidates().len()), (ErrorCode::TargetAmbiguous, 2), "{error}");
    assert_eq!(touches(&companion), before);
    let premium =
        Target::Label { label: "Continue".into(), role: None, nth: None, near: Some("Premium plan".into()) };
    let done = session.act(Action::Tap { target: premium, count: 1, hold_ms: 0 }).await.unwrap();
    let now = done.after.compact(&Default::default());
    assert!(now.contains("Chosen: Premium plan"), "{now}");
}

#[tokio::test]
async fn a_button_that_vanished_is_stale_and_no_touch_arrives() {
    let (companion, session) = drive("chaos", "").await;
    let done = go(&session, "Vanishing button").await;
    assert!(labels(&done.after.marks).contains(&"Now or never"), "{}", seen(&session));
    session.device().sleep(Duration::from_secs(3)).await;
    let before = touches(&companion);
    let error = session.act(tap("Now or never")).await.unwrap_err();
    assert_eq!(error.code(), ErrorCode::TargetStale, "{error}");
    assert_eq!(touches(&companion), before);
    assert!(labels(&error.observation().unwrap().marks).contains(&"Too late."));
}

#[tokio::test]
async fn a_button_that_moves_is_followed() {
    let (_companion, session) = drive("chaos", "").await;
    go(&session, "Moving button").await;
    session.device().sleep(Duration::from_secs(3)).await;
    let done = go(&session, "Catch me").await;
    assert!(done.targets[0].moved_by.is_some());
    let now = done.after.compact(&Default::default());
    assert!(now.contains("Caught 1 time"), "{now}");
}

#[tokio::test]
async fn a_covered_button_is_refused_and_no_touch_arrives() {
    let (companion, session) = drive("chaos", "").await;
    go(&session, "Covered button").await;
    let before = touches(&companion);
    let error = session.act(tap("Buy Now")).await.unwrap_err();
    assert_eq!(error.code(), ErrorCode::TargetCovered, "{error}\n{}", seen(&session));
    assert_eq!(touches(&companion), before);
    go(&session, "Accept Cookies").await;
    let done = go(&session, "Buy Now").await;
    assert_eq!(done.effect, Effect::Changed);
}

#[tokio::test]
async fn a_late_alert_covers_what_was_seen_before_it() {
    let (companion, session) = drive("chaos", "").await;
    go(&session, "Late alert").await;
    session.device().sleep(Duration::from_secs(3)).await;
    let before = touches(&companion);
    let error = session.act(tap("Tap me before it comes")).await.unwrap_err();
    assert_eq!(error.code(), ErrorCode::TargetCovered, "{error}\n{}", seen(&session));
    assert_eq!(touches(&companion), before);
    let alert = error.observation().unwrap().alert.clone().unwrap();
    assert_eq!(
        (alert.title.as_str(), alert.buttons),
        ("Are you still there?", vec!["No".into(), "Yes".into()])
    );
    let done = go(&session, "Yes").await;
    assert!(done.after.alert.is_none());
}

#[tokio::test]
async fn without_accessibility_everything_visible_is_marked_and_works() {
    let (_companion, session) = drive("chaos", "").await;
    let done = go(&session, "No accessibility").await;
    let marks = &done.after.marks;
    for (role, text) in [
        (Role::Button, "Increase"),
        (Role::Button, "Decrease"),
        (Role::Switch, "Turbo"),
        (Role::TextField, "Write a note"),
        (Role::BackButton, ""),
    ] {
        let there = marks.iter().any(|m| m.role == role && m.label.starts_with(text));
        assert!(there, "{role} {text}\n{}", seen(&session));
    }
    let done = go(&session, "Increase").await;
    assert!(done.after.compact(&Default::default()).contains("Count: 1"), "{}", seen(&session));
}

#[tokio::test]
async fn an_endless_spinner_does_not_keep_the_screen_from_settling() {
    let (_companion, session) = drive("chaos", "").await;
    let done = go(&session, "Endless spinner").await;
    assert!(done.after.settled && done.after.settle_time < Duration::from_secs(3));
    assert!(labels(&done.after.marks).contains(&"Give up"), "{}", seen(&session));
}

#[tokio::test]
async fn a_crash_is_told() {
    let (_companion, session) = drive("chaos", "").await;
    let until = Action::Swipe {
        path: crate::act::action::SwipePath::Toward {
            direction: crate::act::action::Direction::Up,
            from: None,
            distance: None,
        },
        duration_ms: 300,
        until: Some("Crash".into()),
        max_swipes: 5,
    };
    session.act(until).await.unwrap();
    let done = go(&session, "Crash").await;
    assert!(done.notes.iter().any(|note| note.contains("crashed")), "{:?}\n{}", done.notes, seen(&session));
    assert!(session.status().crash.is_some());
}

#[tokio::test]
async fn an_act_that_fails_after_its_touch_stands_in_the_recording() {
    let dir = tempfile::tempdir().unwrap();
    let store = Store::at(dir.path());
    let (companion, session) = drive("demo", "").await;
    let options = RecordOptions { name: "gap".into(), ..RecordOptions::default() };
    session.start_recording(&store, options).await.unwrap();
    go(&session, "Count up").await;
    let before = touches(&companion);
    let no_field = Action::TapAndWaitKeyboard { target: label("Count up"), timeout_ms: 300 };
    assert!(session.act(no_field).await.unwrap_err().reached_the_device());
    assert!(touches(&companion) > before);
    // a refusal touches nothing and leaves no gap
    session.act(tap("Nowhere at all")).await.unwrap_err();
    let status = session.status().recording.unwrap();
    assert_eq!((status.steps, status.gaps), (1, 1));
    let finished = session.stop_recording(false).await.unwrap().unwrap();
    let said = "after step 1 tap_and_wait_keyboard reached the device and failed (timeout)";
    assert!(finished.warnings.iter().any(|w| w.starts_with(said)), "{:?}", finished.warnings);
    let validation = crate::recording::validate(&finished.path);
    assert!(validation.is_valid() && validation.warnings[0].message.starts_with(said), "{validation:?}");
}

#[tokio::test]
async fn a_session_that_ended_does_nothing_more() {
    let (_companion, session) = drive("demo", "").await;
    session.end(true).await.unwrap();
    assert_eq!(session.observe(&Default::default()).await.unwrap_err().code(), ErrorCode::NoSession);
    assert_eq!(session.act(tap("Hello")).await.unwrap_err().code(), ErrorCode::NoSession);
}

#[tokio::test]
async fn touches_land_on_a_mini_and_in_landscape() {
    for options in ["device=iphone-mini", "orientation=landscape_left", "orientation=landscape_right"] {
        let (_companion, session) = drive("chaos", options).await;
        let done = go(&session, "Moving button").await;
        assert_eq!(done.effect, Effect::Changed, "{options}");
        assert!(labels(&done.after.marks).contains(&"Catch me"), "{options}\n{}", seen(&session));
    }
}

#[tokio::test]
async fn an_unchanged_screen_is_not_read_again() {
    let (_companion, session) = drive("demo", "").await;
    let first = session.observe(&Default::default()).await.unwrap();
    let again = session.observe(&Default::default()).await.unwrap();
    assert_eq!(again.marks, first.marks);
    assert_eq!((again.provenance.text_ms, again.provenance.text_reused), (0.0, again.provenance.text_lines));
}

/// Types and presses return, which puts the keyboard away: it may lie over what is tapped next.
fn type_text(text: &str, into: &str) -> Action {
    let text = crate::act::action::TypedText::Text(text.into());
    Action::TypeText { text, into: Some(label(into)), clear_first: true, submit: false }
}

async fn act(session: &Session, action: Action) -> ActOutcome {
    let name = action.name();
    session.act(action).await.unwrap_or_else(|error| panic!("{name}: {error}\n{}", seen(session)))
}

#[tokio::test]
async fn a_shopper_signs_in_finds_a_product_and_puts_it_into_the_cart() {
    let (companion, session) = drive("shop", "").await;
    let typed = act(&session, type_text("ada@example.com", "Email")).await;
    assert!(
        typed.notes.iter().any(|n| n == "read back as “ada@example.com”"),
        "{:?}\n{}",
        typed.notes,
        seen(&session)
    );
    act(&session, type_text("wrong", "Password")).await;
    let refused = go(&session, "Sign In").await;
    assert!(labels(&refused.appeared).contains(&"Wrong email or password"), "{}", seen(&session));
    let typed = act(&session, type_text("correct-horse", "Password")).await;
    assert!(!format!("{:?}", typed.notes).contains("horse"), "{:?}", typed.notes);
    // the message above has pushed the button under the keyboard
    let arrived = touches(&companion);
    let covered = session.act(tap("Sign In")).await.unwrap_err();
    assert_eq!(covered.code(), ErrorCode::TargetCovered, "{covered}\n{}", seen(&session));
    assert!(covered.to_string().ends_with("is covered by the keyboard"), "{covered}");
    assert!(covered.hint().contains("press_key return"), "{}", covered.hint());
    assert_eq!(touches(&companion), arrived);
    let away =
        act(&session, Action::PressKey { key: crate::act::action::Key::Return, modifiers: Vec::new() }).await;
    assert!(away.after.keyboard.is_none(), "{}", seen(&session));
    go(&session, "Sign In").await;
    let shelf =
        crate::act::action::Condition { label: Some("Aurora Desk Lamp".into()), ..Default::default() };
    let signed_in = act(&session, Action::WaitFor { condition: shelf, timeout_ms: 10_000 }).await;
    assert!(
        labels(&signed_in.after.marks).iter().any(|l| l.starts_with("Aurora Desk Lamp")),
        "{}",
        seen(&session)
    );
    let until = Action::Swipe {
        path: crate::act::action::SwipePath::Toward {
            direction: crate::act::action::Direction::Up,
            from: None,
            distance: None,
        },
        duration_ms: 300,
        until: Some("Granite Mortar".into()),
        max_swipes: 10,
    };
    act(&session, until).await;
    let product = go(&session, "Granite Mortar").await;
    assert!(product.after.compact(&Default::default()).contains("Add to Cart"), "{}", seen(&session));
    let added = go(&session, "Add to Cart").await;
    assert!(labels(&added.appeared).contains(&"Added to cart"), "{}", seen(&session));
}

#[tokio::test]
async fn the_compact_text_of_a_full_screen_is_short() {
    let (_companion, session) = drive("settings", "").await;
    let seen = session.last().unwrap();
    let text = seen.compact(&Default::default());
    let marks = text.lines().filter(|line| line.starts_with(|c: char| c.is_ascii_digit())).count();
    let of_25 = text.len() as f64 / 4.0 / marks.max(1) as f64 * 25.0;
    assert!(marks >= 15 && of_25 <= 250.0, "{of_25} tokens for 25 marks\n{text}");
}
