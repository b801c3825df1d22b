//! The companion and its client, against each other.

use std::path::{Path, PathBuf};
use std::time::Duration;

use prost::Message;
use tokio::net::{UnixListener, UnixStream};
use tokio::sync::watch;
use tokio_stream::StreamExt;
use tonic::{Code, Request};

use super::*;
use crate::code::ErrorCode;
use crate::device::idb::IdbDevice;
use crate::device::idb::link::{Call, Link};
use crate::device::idb::protocol::companion as wire;
use crate::device::idb::protocol::companion::companion_service_server::CompanionService;
use crate::device::{Device, DeviceError, HidEvent, Launch};
use crate::frame::Frame;
use crate::geometry::{PanelPoint, PixelSize, Size};
use crate::sim::records::TouchPhase;

const DEMO: &str = "com.example.demo";

async fn companion_at(options: &str, listen: Listen) -> RunningCompanion {
    start("demo", SimulatorOptions::parse(options).unwrap(), listen).await.unwrap()
}

/// A companion whose clock stands still, and its client.
async fn pair() -> (RunningCompanion, IdbDevice) {
    let companion = companion_at("clock=2026-01-01T09:41:00Z", Listen::Private).await;
    let device = IdbDevice::connect(companion.endpoint().clone(), "sim:demo").await.unwrap();
    (companion, device)
}

fn at(x: f64, y: f64) -> PanelPoint {
    PanelPoint { x, y }
}

/// What arrived: where, and in which phase.
fn touches(companion: &RunningCompanion) -> Vec<(f64, f64, TouchPhase)> {
    companion
        .simulator()
        .with(|s| s.touches().iter().map(|touch| (touch.panel.x, touch.panel.y, touch.phase)).collect())
}

fn service(companion: &RunningCompanion) -> service::Companion {
    service::Companion::new(Arc::clone(companion.simulator()), "UDID".to_owned())
}

/// Passes connections on to a companion until it is told to break them all.
struct Relay {
    path: PathBuf,
    broken: watch::Sender<u32>,
}

impl Relay {
    fn to(socket: &Path, folder: &Path) -> Self {
        let path = folder.join("relay.sock");
        let listener = UnixListener::bind(&path).unwrap();
        let (broken, watched) = watch::channel(0);
        let socket = socket.to_owned();
        tokio::spawn(async move {
            while let Ok((mut near, _)) = listener.accept().await {
                let (socket, mut watched) = (socket.clone(), watched.clone());
                tokio::spawn(async move {
                    watched.mark_unchanged();
                    let mut far = UnixStream::connect(socket).await.unwrap();
                    tokio::select! {
                        _ = tokio::io::copy_bidirectional(&mut near, &mut far) => {}
                        _ = watched.changed() => {}
                    }
                });
            }
        });
        Self { path, broken }
    }

    fn break_connections(&self) {
        self.broken.send_modify(|count| *count += 1);
    }
}

fn socket_of(companion: &RunningCompanion) -> PathBuf {
    match companion.endpoint() {
        Endpoint::Unix(path) => path.clone(),
        Endpoint::Tcp { .. } => panic!("not on a socket"),
    }
}

#[tokio::test]
async fn the_same_device_answers_on_a_port_and_on_a_socket() {
    let folder = tempfile::tempdir().unwrap();
    for listen in [Listen::Port(0), Listen::Socket(folder.path().join("c.sock")), Listen::Private] {
        let companion = companion_at("", listen).await;
        let device = IdbDevice::connect(companion.endpoint().clone(), "x").await.unwrap();
        let described = device.describe().await.unwrap();
        assert_eq!(described.panel_pixels, PixelSize::new(1179, 2556));
        assert_eq!(described.panel_points, Size::new(393.0, 852.0));
        assert_eq!((described.model.as_str(), described.os.as_str()), ("iPhone 16", "iOS 18.2"));
        let capture = device.screenshot().await.unwrap();
        assert_eq!(Frame::decode(&capture.bytes).unwrap().size(), PixelSize::new(1179, 2556));
        let tree = device.accessibility().await.unwrap().unwrap();
        assert_eq!(tree.size(), Some(Size::new(393.0, 852.0)));
        assert_eq!(device.default_app().as_deref(), Some(DEMO));
        assert!(device.apps().await.unwrap().iter().any(|a| a.bundle_id == DEMO && a.running == Some(true)));
    }
}

#[tokio::test]
async fn a_socket_goes_with_its_companion_and_replaces_a_stale_one_only() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("c.sock");
    drop(std::os::unix::net::UnixListener::bind(&path).unwrap());
    assert!(path.exists());
    let companion = companion_at("", Listen::Socket(path.clone())).await;
    IdbDevice::connect(companion.endpoint().clone(), "x").await.unwrap();
    companion.stop().await;
    assert!(!path.exists());

    std::fs::write(&path, "precious").unwrap();
    let refused = start("demo", SimulatorOptions::default(), Listen::Socket(path.clone())).await;
    assert!(matches!(refused, Err(StartError::Listen { .. })));
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "precious");

    let private = companion_at("", Listen::Private).await;
    let own = socket_of(&private);
    assert!(own.exists());
    drop(private);
    assert!(!own.parent().unwrap().exists());
}

#[tokio::test]
async fn nobody_there_is_unreachable() {
    let port = {
        let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        taken.local_addr().unwrap().port()
    };
    let nowhere = [
        Endpoint::Tcp { host: "127.0.0.1".to_owned(), port },
        Endpoint::Unix(PathBuf::from("/nowhere/companion.sock")),
    ];
    for endpoint in nowhere {
        let error = IdbDevice::connect(endpoint, "x").await.err().unwrap();
        assert_eq!(error.code(), ErrorCode::DeviceUnreachable, "{error}");
    }
}

#[tokio::test]
async fn a_companion_that_dies_within_a_call_is_unreachable_and_found_again() {
    let companion = companion_at("", Listen::Private).await;
    let folder = tempfile::tempdir().unwrap();
    let relay = Relay::to(&socket_of(&companion), folder.path());
    let device = IdbDevice::connect(Endpoint::Unix(relay.path.clone()), "x").await.unwrap();

    let path = [HidEvent::TouchDown(at(5.0, 5.0)), HidEvent::Delay(Duration::from_secs(30))];
    let (sent, ()) = tokio::join!(device.hid(&path), async {
        while touches(&companion).is_empty() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        relay.break_connections();
    });
    assert_eq!(sent.unwrap_err().code(), ErrorCode::DeviceUnreachable);
    // sent once; and the finger was lifted over a new connection
    assert_eq!(touches(&companion), [(5.0, 5.0, TouchPhase::Down), (5.0, 5.0, TouchPhase::Up)]);

    relay.break_connections();
    device.describe().await.unwrap();
}

#[tokio::test]
async fn a_call_that_takes_too_long_times_out_alone() {
    let companion = companion_at("", Listen::Private).await;
    let link = Link::new(companion.endpoint().clone());
    let describe = |deadline| {
        link.read(Call::new("describe", deadline), |mut c| async move {
            c.describe(wire::TargetDescriptionRequest::default()).await
        })
    };
    describe(Duration::from_secs(10)).await.unwrap();
    companion.simulator().set_latency(Duration::from_secs(60), Duration::from_secs(60));
    let error = describe(Duration::from_millis(20)).await.unwrap_err();
    assert!(matches!(error, DeviceError::Timeout { call: "describe", .. }), "{error}");
    companion.simulator().set_latency(Duration::ZERO, Duration::ZERO);
    describe(Duration::from_secs(10)).await.unwrap();
}

#[tokio::test]
async fn touches_arrive_in_order_and_are_always_balanced() {
    let (companion, device) = pair().await;
    let tap = [HidEvent::TouchDown(at(10.0, 20.0)), HidEvent::TouchUp(at(10.0, 20.0))];
    device.hid(&tap).await.unwrap();
    assert_eq!(touches(&companion), [(10.0, 20.0, TouchPhase::Down), (10.0, 20.0, TouchPhase::Up)]);

    device.hid(&[HidEvent::TouchDown(at(1.0, 2.0)), HidEvent::TouchDown(at(3.0, 4.0))]).await.unwrap();
    assert_eq!(
        touches(&companion)[2..],
        [(1.0, 2.0, TouchPhase::Down), (3.0, 4.0, TouchPhase::Moved), (3.0, 4.0, TouchPhase::Up)]
    );

    // a companion refuses so long a delay, after the finger came down
    let broken = [HidEvent::TouchDown(at(7.0, 8.0)), HidEvent::Delay(Duration::from_secs(3_600))];
    assert!(device.hid(&broken).await.is_err());
    assert_eq!(touches(&companion)[5..], [(7.0, 8.0, TouchPhase::Down), (7.0, 8.0, TouchPhase::Up)]);

    assert!(device.hid(&[HidEvent::TouchDown(at(f64::NAN, 8.0))]).await.is_err());
    assert_eq!(touches(&companion).len(), 7);
}

#[tokio::test]
async fn a_swipe_is_drawn_in_steps_and_held_at_its_end() {
    let (companion, device) = pair().await;
    let before = companion.simulator().with(|s| s.now());
    let duration = Duration::from_millis(600);
    device
        .hid(&[HidEvent::Swipe { from: at(100.0, 500.0), to: at(100.0, 100.0), delta: 100.0, duration }])
        .await
        .unwrap();
    let arrived = touches(&companion);
    let ys: Vec<f64> = arrived.iter().map(|touch| touch.1).collect();
    assert_eq!(ys, [500.0, 400.0, 300.0, 200.0, 100.0, 100.0, 100.0]);
    assert_eq!(arrived.last().unwrap().2, TouchPhase::Up);
    let passed = companion.simulator().with(|s| s.now()) - before;
    assert_eq!(passed.num_milliseconds(), 600);
}

#[tokio::test]
async fn the_bytes_of_the_idb_command_tap_where_they_say() {
    let companion = companion_at("clock=2026-01-01T09:41:00Z", Listen::Private).await;
    let tap = [
        "0a180a160a140a12090000000000002440110000000000003440",
        "0a1a0a160a140a120900000000000024401100000000000034401001",
    ];
    for hex in tap {
        let bytes: Vec<u8> =
            (0..hex.len()).step_by(2).map(|i| u8::from_str_radix(&hex[i..i + 2], 16).unwrap()).collect();
        let event = wire::HidEvent::decode(bytes.as_slice()).unwrap();
        touch::run(companion.simulator(), event).await.unwrap();
    }
    assert_eq!(touches(&companion), [(10.0, 20.0, TouchPhase::Down), (10.0, 20.0, TouchPhase::Up)]);
}

#[tokio::test]
async fn what_no_key_types_goes_by_the_pasteboard() {
    let (companion, device) = pair().await;
    assert!(device.untypable("Ok1!\n").is_empty());
    assert!(device.untypable("naïve ✓").is_empty());
    assert_eq!(device.untypable("a\u{7}b\u{7}\u{1b}"), ['\u{7}', '\u{1b}']);
    assert!(matches!(device.type_text("a\u{7}").await, Err(DeviceError::TextUnsupported(_))));
    device.type_text("naïve ✓").await.unwrap();
    assert_eq!(companion.simulator().with(|s| s.pasteboard().to_owned()), "naïve ✓");
}

#[tokio::test]
async fn apps_are_launched_afresh_and_ended() {
    let (_companion, device) = pair().await;
    let launch = |bundle: &str| Launch { bundle_id: bundle.to_owned(), ..Launch::default() };
    let first = device.launch(&launch(DEMO)).await.unwrap();
    let second = device.launch(&launch(DEMO)).await.unwrap();
    assert_ne!(first, second);
    let front = Launch { foreground_if_running: true, ..launch(DEMO) };
    assert_eq!(device.launch(&front).await.unwrap(), second);
    device.terminate(DEMO).await.unwrap();
    device.terminate(DEMO).await.unwrap();
    for error in [
        device.launch(&launch("com.nobody")).await.unwrap_err(),
        device.reset("com.nobody").await.unwrap_err(),
    ] {
        assert!(
            matches!(&error, DeviceError::AppNotInstalled { installed, .. } if installed.contains(&DEMO.to_owned())),
            "{error}"
        );
    }
}

#[tokio::test]
async fn a_device_with_a_set_clock_sleeps_in_its_own_time() {
    let (companion, device) = pair().await;
    let before = companion.simulator().with(|s| s.now());
    device.sleep(Duration::from_secs(420)).await;
    assert_eq!((companion.simulator().with(|s| s.now()) - before).num_seconds(), 420);
}

#[tokio::test]
async fn appearance_and_text_size_are_set_apart() {
    use crate::device::{Appearance, ContentSize};
    let (_companion, device) = pair().await;
    device.set_appearance(Some(Appearance::Dark), None).await.unwrap();
    device.set_appearance(None, Some(ContentSize::ExtraLarge)).await.unwrap();
    let now = device.appearance().await.unwrap();
    assert_eq!(now, (Some(Appearance::Dark), Some(ContentSize::ExtraLarge)));
}

#[tokio::test]
async fn a_closed_device_stops_the_simulator_it_kept() {
    let companion = companion_at("", Listen::Private).await;
    let socket = socket_of(&companion);
    let device = IdbDevice::connect(companion.endpoint().clone(), "x").await.unwrap().keeping(companion);
    device.close().await;
    assert!(!socket.exists());
    assert_eq!(device.describe().await.unwrap_err().code(), ErrorCode::DeviceUnreachable);
}

#[tokio::test]
async fn screenshots_are_cropped_scaled_and_encoded_as_asked() {
    use wire::screenshot_request::{Fit, Format, Rect, Scale, Unit};
    let companion = companion_at("clock=2026-01-01T09:41:00Z", Listen::Private).await;
    let service = service(&companion);
    let plain =
        service.screenshot(Request::new(wire::ScreenshotRequest::default())).await.unwrap().into_inner();
    assert_eq!((plain.image_format.as_str(), plain.screen_scale), ("png", 3.0));
    let request = wire::ScreenshotRequest {
        format: Format::Jpeg.into(),
        crop: Some(Rect { x: 0.0, y: 50.0, width: 1_000.0, height: 100.0 }),
        scale: Some(Scale::Fit(Fit { max_width: 131, max_height: 0 })),
        unit: Unit::Points.into(),
        ..Default::default()
    };
    let answer = service.screenshot(Request::new(request)).await.unwrap().into_inner();
    assert_eq!(answer.image_format, "jpeg");
    assert_eq!(Frame::decode(&answer.image_data).unwrap().size(), PixelSize::new(393, 100));
    let bad = [
        wire::ScreenshotRequest { compression_quality: 0.5, ..Default::default() },
        wire::ScreenshotRequest { scale: Some(Scale::ScaleFactor(1.5)), ..Default::default() },
        wire::ScreenshotRequest {
            crop: Some(Rect { x: 5_000.0, y: 0.0, width: 1.0, height: 1.0 }),
            ..Default::default()
        },
    ];
    for request in bad {
        let status = service.screenshot(Request::new(request)).await.unwrap_err();
        assert_eq!(status.code(), Code::InvalidArgument);
    }
}

#[tokio::test]
async fn the_three_accessibility_shapes_are_those_of_a_companion() {
    use wire::accessibility_info_request::Format;
    let companion = companion_at("", Listen::Private).await;
    let service = service(&companion);
    let ask = async |format: Format, point: Option<wire::Point>| {
        let request = wire::AccessibilityInfoRequest { point, format: format.into() };
        let answer = service.accessibility_info(Request::new(request)).await.unwrap().into_inner();
        serde_json::from_str::<Value>(&answer.json).unwrap()
    };
    let legacy = ask(Format::Legacy, None).await;
    let root = legacy[0].as_object().unwrap();
    assert_eq!((&root["role"], &root["type"]), (&json!("AXApplication"), &json!("Application")));
    assert_eq!(root["AXFrame"], json!("{{0, 0}, {393, 852}}"));
    for key in [
        "AXFrame",
        "AXLabel",
        "AXUniqueId",
        "AXValue",
        "content_required",
        "custom_actions",
        "enabled",
        "frame",
        "help",
        "pid",
        "role",
        "role_description",
        "subrole",
        "title",
        "traits",
        "type",
    ] {
        assert!(root.contains_key(key), "{key}");
    }
    let nested = ask(Format::Nested, None).await;
    assert_eq!(nested.as_array().unwrap().len(), 1);
    assert!(nested[0]["children"].is_array());
    assert!(ask(Format::Complete, None).await["elements"].is_array());
    assert!(ask(Format::Legacy, Some(wire::Point { x: 10.0, y: 10.0 })).await.is_object());
    assert!(ask(Format::Legacy, Some(wire::Point { x: -10.0, y: 10.0 })).await.is_null());
}

#[tokio::test]
async fn a_waiting_launch_is_told_its_pid_and_ends_when_stopped() {
    use wire::launch_request::{Control, Start, Stop};
    let companion = companion_at("", Listen::Private).await;
    let link = Link::new(companion.endpoint().clone());
    let call = Call::new("launch", Duration::from_secs(10));
    let request = |control| wire::LaunchRequest { control: Some(control) };
    let start = |bundle: &str, wait_for| {
        request(Control::Start(Start { bundle_id: bundle.to_owned(), wait_for, ..Default::default() }))
    };
    let running = link
        .act(call, |mut c| async move { c.launch(tokio_stream::once(start(DEMO, false))).await })
        .await
        .unwrap_err();
    assert!(running.to_string().contains("already running"), "{running}");
    let early = request(Control::Stop(Stop {}));
    let refused = link.act(call, |mut c| async move { c.launch(tokio_stream::once(early)).await }).await;
    assert!(refused.is_err());

    companion.simulator().with(|s| s.terminate(DEMO)).unwrap();
    let requests = tokio_stream::iter([start(DEMO, true), request(Control::Stop(Stop {}))]);
    let answers = link.act(call, |mut c| async move { c.launch(requests).await }).await.unwrap();
    let answers: Vec<_> = answers.collect().await;
    assert!(answers[0].as_ref().unwrap().debugger.as_ref().unwrap().pid > 0);
    let runs =
        companion.simulator().with(|s| s.apps().iter().any(|a| a.bundle_id == DEMO && a.pid.is_some()));
    assert!(!runs);
}

#[tokio::test]
async fn an_app_is_installed_from_a_file_a_bundle_or_an_archive() {
    let folder = tempfile::tempdir().unwrap();
    let yaml = std::fs::read_to_string("fixtures/apps/demo.yaml").unwrap();
    let yaml = yaml.replace(DEMO, "com.example.other");
    let bundle = folder.path().join("Other.app");
    std::fs::create_dir(&bundle).unwrap();
    std::fs::write(bundle.join("app.yaml"), &yaml).unwrap();
    let mut archive = tar::Builder::new(flate2::write::GzEncoder::new(Vec::new(), Default::default()));
    archive.append_dir_all("Other.app", &bundle).unwrap();
    let archive = archive.into_inner().unwrap().finish().unwrap();

    let companion = companion_at("", Listen::Private).await;
    let link = Link::new(companion.endpoint().clone());
    let install = async |sources: Vec<wire::payload::Source>| {
        let destination = wire::install_request::Value::Destination(0);
        let payloads = sources
            .into_iter()
            .map(|s| wire::install_request::Value::Payload(wire::Payload { source: Some(s) }));
        let requests: Vec<_> = std::iter::once(destination)
            .chain(payloads)
            .map(|value| wire::InstallRequest { value: Some(value) })
            .collect();
        let call = Call::new("install", Duration::from_secs(10));
        let mut answers =
            link.act(call, |mut c| async move { c.install(tokio_stream::iter(requests)).await }).await?;
        Ok::<_, DeviceError>(answers.message().await.unwrap().unwrap().name)
    };
    use wire::payload::Source;
    let path = |path: &Path| vec![Source::FilePath(path.to_string_lossy().into_owned())];
    let halves: Vec<Source> =
        archive.chunks(archive.len() / 2 + 1).map(|c| Source::Data(c.to_vec())).collect();
    for sources in [path(&bundle), path(&bundle.join("app.yaml")), halves] {
        assert_eq!(install(sources).await.unwrap(), "com.example.other");
        companion.simulator().with(|s| s.uninstall("com.example.other")).unwrap();
    }
    assert!(install(path(folder.path())).await.is_err());
    assert!(install(vec![Source::Data(vec![0x1f, 0x8b, 1, 2])]).await.is_err());
    assert!(install(Vec::new()).await.is_err());
}

#[tokio::test]
async fn a_message_of_four_megabytes_and_more_is_taken() {
    let companion = companion_at("", Listen::Private).await;
    let link = Link::new(companion.endpoint().clone());
    let call = Call::new("open_url", Duration::from_secs(10));
    let request = wire::OpenUrlRequest { url: "x".repeat(4_194_314) };
    let error = link.act(call, |mut c| async move { c.open_url(request).await }).await.unwrap_err();
    assert!(error.to_string().contains("nothing opens"), "{:.100}", error.to_string());
}
