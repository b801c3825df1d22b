//! What each of several clients may read.

use serde_json::json;

use crate::site::{Client, Site};

#[test]
fn each_client_reads_its_own_sessions_in_both_eras() {
    let site = Site::open();
    let (one, other) = (Client::legacy(&site), Client::modern(&site, "other"));
    one.well("session_start", json!({"device": "sim:demo"}));
    one.well("tap", json!({"label": "Count up"}));
    let uris = |client: &Client<'_>| client.ask("resources/list", json!({}))["resources"].to_string();
    assert!(uris(&one).contains("simdrive://sessions/s1/picture"));
    assert!(!uris(&other).contains("simdrive://sessions"));

    let read = |client: &Client<'_>, uri: &str| client.ask("resources/read", json!({"uri": uri}));
    let seen = read(&one, "simdrive://sessions/s1/observation").to_string();
    assert!(seen.contains("Counter: 1"), "{seen}");
    let audit = |client: &Client<'_>| read(client, "simdrive://audit")["contents"][0]["text"].to_string();
    assert!(audit(&one).contains("Count up") && !audit(&other).contains("Count up"));

    let started = other.well("session_start", json!({"device": "sim:shop"}));
    let session = started.split([' ', ':']).nth(1).unwrap();
    let own = read(&other, &format!("simdrive://sessions/{session}/observation"));
    assert!(own.to_string().contains("Sign In"), "{own}");
    let refused =
        one.refusal("resources/read", json!({"uri": format!("simdrive://sessions/{session}/picture")}));
    assert_eq!(refused["data"]["code"], "device_busy", "{refused}");
    let refused = other.refusal("resources/read", json!({"uri": "simdrive://sessions/s1/observation"}));
    assert_eq!((&refused["code"], &refused["data"]["code"]), (&json!(-32602), &json!("device_busy")));

    for client in [&one, &other] {
        let prompts = client.ask("prompts/list", json!({}))["prompts"].clone();
        assert_eq!(prompts.as_array().unwrap().len(), 3, "{prompts}");
        let argument = json!({"name": "label", "value": "count u"});
        let reference = json!({"type": "ref/prompt", "name": "explore_app"});
        let completed = client.ask("completion/complete", json!({"ref": reference, "argument": argument}));
        let is_one = client.session.is_some();
        assert_eq!(completed["completion"]["values"] == json!(["Count up"]), is_one, "{completed}");
    }
}
