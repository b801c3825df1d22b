//! A browser whose session is lost: what was opened in it is gone, so that is told before anything goes on.

use serde_json::json;
use simdrive::act::{Action, Target};
use simdrive::code::ErrorCode;
use simdrive::device::{Device, DeviceError, Launch};
use simdrive::geometry::Point;
use simdrive::recording::{RecordOptions, Store};
use simdrive::replay::outcome::RecordingVerdict;
use simdrive::replay::selection::choose;
use simdrive::replay::{RunOptions, run};
use simdrive::session::open::open;
use simdrive::session::{Session, SessionStart};

use super::standin::{Fault, StandIn};
use super::{TAP_AT, tap};

const PAGE: &str = "http://127.0.0.1/garden";
const GONE: Fault = Fault::Error(404, "invalid session id", "session deleted as the browser has closed");

async fn opened(server: &StandIn) -> std::sync::Arc<dyn Device> {
    let device = open(&server.selector().parse().unwrap()).await.unwrap();
    device.describe().await.unwrap();
    device.launch(&Launch { bundle_id: PAGE.into(), ..Launch::default() }).await.unwrap();
    device
}

fn expect_loss(error: &DeviceError) {
    assert_eq!(error.code(), ErrorCode::DeviceUnreachable);
    assert!(error.to_string().contains("session was lost") && error.to_string().contains(PAGE), "{error}");
}

#[tokio::test]
async fn a_lost_browser_is_told_and_then_begun_anew_where_it_started() {
    let server = StandIn::browser();
    let device = opened(&server).await;
    server.fault("GET /screenshot", GONE, 1);
    expect_loss(&device.screenshot().await.unwrap_err());
    // it is begun only when somebody goes on
    assert_eq!((server.count("POST /session"), server.count("POST /url")), (1, 1));
    device.screenshot().await.unwrap();
    assert_eq!((server.count("POST /session"), server.count("POST /url")), (2, 2));
    assert_eq!(server.last_body("POST /url"), json!({ "url": PAGE }));
}

#[tokio::test]
async fn a_loss_that_a_mere_question_met_is_told_by_the_next_touch_and_nothing_is_touched() {
    let server = StandIn::browser();
    let device = opened(&server).await;
    server.fault("POST /execute/sync", GONE, 1);
    expect_loss(&device.appearance().await.unwrap_err());
    expect_loss(&device.appearance().await.unwrap_err());
    expect_loss(&device.hid(&tap(TAP_AT)).await.unwrap_err());
    expect_loss(&device.screenshot().await.unwrap_err());
    assert_eq!((server.count("POST /session"), server.count("POST /actions")), (1, 0));
    device.hid(&tap(TAP_AT)).await.unwrap();
    assert_eq!((server.count("POST /session"), server.count("POST /actions")), (2, 1));
}

#[tokio::test]
async fn a_lost_browser_is_not_begun_anew_to_be_ended() {
    let server = StandIn::browser();
    let device = opened(&server).await;
    server.fault("POST /actions", GONE, 1);
    expect_loss(&device.hid(&tap(TAP_AT)).await.unwrap_err());
    device.terminate(PAGE).await.unwrap();
    device.close().await;
    assert_eq!((server.count("POST /session"), server.count("DELETE ")), (1, 0));
}

/// A recording of one tap.
async fn recorded(server: &StandIn, store: &Store) -> std::path::PathBuf {
    let start =
        SessionStart { app: Some(PAGE.into()), ..SessionStart::new(server.selector().parse().unwrap()) };
    let session = Session::start(start).await.unwrap();
    let options = RecordOptions { name: "garden".into(), ..RecordOptions::default() };
    session.start_recording(store, options).await.unwrap();
    let target = Target::Point(Point::new(200.0, 400.0));
    session.act(Action::Tap { target, count: 1, hold_ms: 0 }).await.unwrap();
    session.end(true).await.unwrap().recording.unwrap().path
}

#[tokio::test(flavor = "multi_thread")]
async fn a_recording_whose_browser_is_lost_is_tried_again_and_says_so() {
    let server = StandIn::browser();
    let folder = tempfile::tempdir().unwrap();
    let recording = recorded(&server, &Store::at(folder.path())).await;
    let replay = |retries| {
        let chosen = choose(&[recording.display().to_string()], &Store::at("."), &[]).unwrap();
        run(chosen, RunOptions { retries, ..RunOptions::default() }, Vec::new())
    };
    server.fault("POST /actions", GONE, 1);
    let report = &replay(1).await.unwrap().recordings[0];
    assert_eq!((report.verdict, report.attempts), (RecordingVerdict::Flaky, 2), "{report:?}");
    let (message, warning) = (report.message.as_deref().unwrap(), report.warnings.join(" "));
    assert!(message.contains("attempt 2 only, because of a device that was lost"), "{message}");
    assert!(warning.contains("attempt 1 lost its device at step 1"), "{warning}");
    assert!(warning.contains("session was lost"), "{warning}");
    // so does a Grid whose node died
    let dead = "Unable to execute request for an existing session: Connection error (POST http://10.0.0.9)";
    server.fault("POST /actions", Fault::Error(500, "unknown error", dead), 1);
    let report = &replay(1).await.unwrap().recordings[0];
    assert_eq!((report.verdict, report.attempts), (RecordingVerdict::Flaky, 2), "{report:?}");
    assert!(report.warnings.join(" ").contains("does not reach this session's node"), "{report:?}");
    // without retries it is a device that was not to be had, and no drift
    server.fault("POST /actions", GONE, 1);
    let report = &replay(0).await.unwrap().recordings[0];
    assert_eq!((report.verdict, report.attempts), (RecordingVerdict::NoDevice, 1), "{report:?}");
    // a server that stays away is no passing fault
    server.fault("POST /session", Fault::Drop, 9);
    let report = &replay(2).await.unwrap().recordings[0];
    assert_eq!((report.verdict, report.attempts), (RecordingVerdict::NoDevice, 3), "{report:?}");
}
