//! Both eras of the protocol, and several clients at a time.

use serde_json::json;

use crate::companion::Companion;
use crate::site::{Client, Site};

#[test]
fn both_protocol_eras_list_and_call_tools() {
    let site = Site::open();
    for client in [Client::legacy(&site), Client::modern(&site, "one")] {
        let tools = client.ask("tools/list", json!({}))["tools"].clone();
        assert!(tools.as_array().unwrap().iter().any(|tool| tool["name"] == "observe"), "{tools}");
        assert!(client.well("version", json!({})).starts_with("simdrive "));
        let started = client.well("session_start", json!({"device": "sim:demo"}));
        let session = started.split([' ', ':']).nth(1).unwrap();
        let seen = client.well("observe", json!({"session": session, "image": "none"}));
        assert!(seen.contains("Count up"), "{seen}");
        let tapped = client.well("tap", json!({"session": session, "label": "Count up"}));
        assert!(tapped.contains("Counter: 1"), "{tapped}");
        client.well("session_end", json!({"session": session}));
    }
}

#[test]
fn each_client_means_its_own_session() {
    let site = Site::open();
    let (one, other) = (Client::legacy(&site), Client::legacy(&site));
    assert!(one.well("session_start", json!({"device": "sim:demo"})).starts_with("session s1: "));
    one.well("tap", json!({"label": "Count up"}));
    // the only session there is, but not this client's
    other.refused("no_session", "tap", json!({"label": "Count up"}));
    assert_eq!(other.well("session_status", json!({})), "no session is open");
    let busy = other.refused("device_busy", "tap", json!({"label": "Count up", "session": "s1"}));
    assert!(busy.contains("`s1`"), "{busy}");
    other.refused("device_busy", "session_end", json!({"session": "s1"}));
    other.refused("device_busy", "session_start", json!({"attach": "s1"}));

    assert!(other.well("session_start", json!({"device": "sim:shop"})).starts_with("session s2: "));
    assert!(one.well("tap", json!({"label": "Count up"})).contains("Counter: 2"));
    assert!(other.well("session_status", json!({})).starts_with("s2: sim:shop"));
    assert!(other.well("session_end", json!({})).starts_with("session s2 has ended"));
    assert!(one.well("session_end", json!({})).starts_with("session s1 has ended"));
}

#[test]
fn a_device_has_one_owner_until_that_client_leaves() {
    let companion = Companion::of("demo");
    let site = Site::open();
    let (one, other) = (Client::legacy(&site), Client::legacy(&site));
    let device = json!({"device": companion.selector});
    one.well("session_start", device.clone());
    let busy = other.refused("device_busy", "session_start", device.clone());
    assert!(busy.contains("`s1`"), "{busy}");
    let replacing = json!({"device": companion.selector, "replace_existing": true});
    other.refused("device_busy", "session_start", replacing.clone());
    one.refused("session_exists", "session_start", device.clone());
    one.well("session_start", replacing);

    one.leave();
    other.well("session_start", device);
}

#[test]
fn two_starts_at_a_time_on_one_device_are_not_both_served() {
    let companion = Companion::of("demo");
    let site = Site::open();
    let clients: Vec<Client> = (0..4).map(|_| Client::legacy(&site)).collect();
    let device = json!({"device": companion.selector});
    let served = std::thread::scope(|scope| {
        let starts: Vec<_> = clients
            .iter()
            .map(|client| scope.spawn(|| client.text("session_start", device.clone())))
            .collect();
        starts.into_iter().map(|start| start.join().unwrap()).collect::<Vec<_>>()
    });
    assert_eq!(served.iter().filter(|(_, is_error)| !is_error).count(), 1, "{served:?}");
    let refused = served.iter().filter(|(text, _)| text.starts_with("error device_busy: "));
    assert_eq!(refused.count(), 3, "{served:?}");
}

#[test]
fn a_client_without_a_session_of_the_protocol_names_its_session() {
    let companion = Companion::of("demo");
    let site = Site::open();
    let (one, twin, other) =
        (Client::modern(&site, "one"), Client::modern(&site, "one"), Client::modern(&site, "other"));
    one.well("session_start", json!({"device": companion.selector}));
    // it can't be told whether these two are the same
    for client in [&one, &twin] {
        let unclear = client.refused("no_session", "tap", json!({"label": "Count up"}));
        assert!(unclear.contains("pass `session`: s1"), "{unclear}");
        let again = json!({"device": companion.selector, "replace_existing": true});
        client.refused("device_busy", "session_start", again);
    }
    let tap = json!({"label": "Count up", "session": "s1"});
    assert!(one.well("tap", tap.clone()).contains("Counter: 1"));
    other.refused("device_busy", "tap", tap);
}
