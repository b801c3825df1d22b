//! Whatever can be recorded can be replayed: every kind of action, and every form of each, recorded and replayed on
//! the embedded simulator.

use serde_json::{Value, json};

use crate::wire::{SECRET, Wire};

/// A clock that stands still but for waiting: how fast this machine is makes no difference.
const DEMO: &str = "sim:demo?clock=2026-01-01T09:41:00Z";
const SHOP: &str = "sim:shop?clock=2026-01-01T09:41:00Z";

/// Acts, looks at what came of each, and replays them all in a session of their own.
fn recorded_and_replayed(device: &str, name: &str, acts: &[(&str, Value, &str)]) {
    let mut wire = Wire::initialized();
    wire.well("session_start", json!({"device": device}));
    wire.well("record_start", json!({"name": name}));
    for (tool, arguments, expected) in acts {
        let (text, is_error) = wire.text(tool, arguments.clone());
        assert!(!is_error && text.contains(expected), "{tool} {arguments} wants “{expected}”: {text}");
    }
    let steps = acts.len();
    let stopped = wire.well("record_stop", json!({}));
    assert!(stopped.contains(&format!("recorded {name}: {steps} steps")), "{stopped}");
    assert!(!stopped.contains("warning"), "{stopped}");
    wire.well("session_end", json!({}));
    let (replayed, is_error) = wire.text("replay", json!({"name": name}));
    assert!(!is_error && replayed.contains("1 passed, 0 failed"), "{replayed}");
    assert_eq!(replayed.matches("\n  passed ").count(), steps, "{replayed}");
}

#[test]
fn taps_and_keys_of_every_form() {
    recorded_and_replayed(
        DEMO,
        "taps",
        &[
            ("tap", json!({"label": "Count up", "role": "button"}), "Counter: 1"),
            ("tap", json!({"label": "Count up", "count": 2}), "Counter: 3"),
            ("tap", json!({"label": "Count up", "hold_ms": 700}), "Counter: 4"),
            ("tap", json!({"x": 103, "y": 444}), "Counter: 5"),
            ("tap", json!({"label": "Count", "near": "Reset"}), "Counter: 6"),
            ("wait_for", json!({"label": "Counter: 6"}), "wait_for"),
            ("wait_for", json!({"stable": true}), "wait_for"),
            ("wait_for", json!({"role": "alert", "gone": true}), "wait_for"),
            ("press_key", json!({"key": "home"}), "effect changed"),
            ("open_url", json!({"url": "demo://controls"}), "effect changed"),
        ],
    );
}

#[test]
fn text_of_every_form() {
    let email = json!({"label": "Email", "role": "text_field"});
    let password = json!({"label": "Password", "role": "secure_field"});
    let read_back = |text: &str| format!("read back as “{text}”");
    let [grace, linus, barbara] = ["grace@example.com", "linus@example.com", "barbara@example.com"];
    let (grace_read, linus_read, barbara_read) = (read_back(grace), read_back(linus), read_back(barbara));
    recorded_and_replayed(
        SHOP,
        "texts",
        &[
            ("tap_and_wait_keyboard", email.clone(), "effect changed"),
            ("type_text", json!({"text": "ada@example.com", "into": email}), "effect changed"),
            ("press_key", json!({"key": "delete"}), "=ada@example.co "),
            ("press_key", json!({"key": "n", "modifiers": ["shift"]}), "=ada@example.coN "),
            ("clear_field", json!({}), "effect changed"),
            ("type_text", json!({"text": grace}), &grace_read),
            ("clear_field", email.clone(), "effect changed"),
            ("type_text", json!({"text": linus, "into": email}), &linus_read),
            ("type_text", json!({"text": barbara, "into": email, "clear_first": true}), &barbara_read),
            (
                "type_text",
                json!({"secret": SECRET, "into": password, "submit": true}),
                "the field shows 13 characters",
            ),
        ],
    );
}

#[test]
fn swipes_of_every_form() {
    recorded_and_replayed(
        DEMO,
        "swipes",
        &[
            ("tap", json!({"label": "Cities", "role": "tab"}), "Amsterdam"),
            ("swipe", json!({"direction": "up"}), "effect changed"),
            ("swipe", json!({"direction": "down", "distance": 200}), "effect changed"),
            (
                "swipe",
                json!({"from": {"x": 196, "y": 650}, "to": {"x": 196, "y": 450}, "duration_ms": 500}),
                "effect changed",
            ),
            ("swipe", json!({"direction": "down", "until": "Amsterdam"}), "came into view"),
            (
                "swipe",
                json!({"from": {"label": "Edinburgh"}, "to": {"label": "Barcelona"}}),
                "effect changed",
            ),
            (
                "swipe",
                json!({"direction": "up", "from": {"label": "Helsinki"}, "distance": 150}),
                "effect changed",
            ),
            ("swipe", json!({"direction": "up", "until": "Vienna", "max_swipes": 8}), "came into view"),
        ],
    );
}

#[test]
fn sheets_and_appearances() {
    recorded_and_replayed(
        DEMO,
        "sheets",
        &[
            ("set_appearance", json!({"appearance": "dark"}), "effect changed"),
            ("set_appearance", json!({"content_size": "extra-large"}), "effect changed"),
            ("set_appearance", json!({"appearance": "light", "content_size": "large"}), "effect changed"),
            ("tap", json!({"label": "More", "role": "tab"}), "Likes"),
            ("tap", json!({"label": "Sign in", "role": "cell"}), "Any name"),
            ("dismiss_sheet", json!({}), "Likes"),
            ("tap", json!({"label": "Sign in", "role": "cell"}), "Any name"),
            ("dismiss_sheet", json!({"direction": "down"}), "Likes"),
        ],
    );
}
