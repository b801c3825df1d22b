//! Films of a phone's screen: Appium makes them; WebDriverAgent alone and browsers don't.

use serde_json::json;

use crate::standin::{Fault, StandIn};
use crate::wire::Wire;

const START: &str = "POST /appium/start_recording_screen";
const STOP: &str = "POST /appium/stop_recording_screen";

fn say(wire: &mut Wire, text: &str) -> String {
    wire.text("instruct", json!({"text": text})).0
}

#[test]
fn a_film_is_fetched_from_appium_when_it_ends() {
    let server = StandIn::appium();
    let mut wire = Wire::initialized();
    wire.well("session_start", json!({"device": server.selector()}));
    let told = say(&mut wire, "record the screen to tour");
    assert!(told.contains("/tour.mp4"), "{told}");
    assert_eq!(server.last_body(START)["options"]["videoType"], "libx264");
    let told = say(&mut wire, "stop the video");
    let film = std::fs::read_to_string(wire.home.path().join("tour.mp4")).unwrap();
    assert!(told.contains("tour.mp4 (1 KB)") && film == "film of a phone", "{told}");
    // the end of the session fetches it, too
    say(&mut wire, "record the screen to end.mov");
    let ended = wire.well("session_end", json!({}));
    let film = std::fs::read_to_string(wire.home.path().join("end.mov")).unwrap();
    assert!(ended.contains("the video is ") && film == "film of a phone", "{ended}");
}

#[test]
fn a_film_that_is_not_to_be_had_says_why() {
    let server = StandIn::appium();
    let mut wire = Wire::initialized();
    wire.well("session_start", json!({"device": server.selector()}));
    let ffmpeg = Fault::Error(500, "unknown error", "'ffmpeg' binary is not found in PATH");
    server.fault(START, ffmpeg, 1);
    let told = say(&mut wire, "record the screen to tour");
    assert!(told.contains("'ffmpeg' binary is not found"), "{told}");
    server.fault(START, Fault::Error(404, "unknown command", "no such route"), 1);
    let told = say(&mut wire, "record the screen to tour");
    assert!(told.starts_with("error unsupported_on_target: "), "{told}");
    assert!(!wire.home.path().join("tour.mp4").exists(), "nothing is left of what did not begin");
    for broken in [json!(null), json!(""), json!("***"), json!({"film": 1})] {
        say(&mut wire, "record the screen to tour");
        server.fault(STOP, Fault::Value(broken.clone()), 1);
        let told = say(&mut wire, "stop the video");
        assert!(told.starts_with("error ") && told.contains("film"), "{broken}: {told}");
        assert!(!wire.home.path().join("tour.mp4").exists(), "{broken}");
    }
    for other in [StandIn::start(), StandIn::browser()] {
        let device = other.selector();
        let started = wire.well("session_start", json!({"device": device}));
        let id = started.strip_prefix("session ").and_then(|rest| rest.split(':').next()).unwrap();
        let asked = json!({"text": "start a video", "session": id});
        let told = wire.text("instruct", asked).0;
        assert!(told.starts_with("error unsupported_on_target: ") && told.contains("Appium"), "{told}");
        assert_eq!(other.count(START), 0);
    }
}
