//! `wda:UDID`: WebDriverAgent brought up on a phone of a Mac, as far as that goes without one: stand-ins for
//! `xcodebuild`, `xcrun` and `iproxy`, and behind them a phone that lives.

use std::io;
use std::net::{Shutdown, TcpListener, TcpStream};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::mac::{Mac, has_files, runs, signal};
use crate::standin::StandIn;
use crate::wire::Wire;

/// The agent lives in it.
const XCODEBUILD: &str = r#"
[ "$1" = -version ] && { echo 'Xcode 16.2'; exit; }
echo $$ >> "$MAC/companions"
echo $$ > "$MAC/runner"
echo 'Testing started'
echo "    t =     0.02s ServerURLHere->http://10.0.0.7:$TEST_RUNNER_USE_PORT<-ServerURLHere"
exec sleep 600
"#;

/// The test below, which forwards.
const IPROXY: &str = r#"
echo $$ >> "$MAC/companions"
# with the real `ps`
LOCAL=$1 PATH=${PATH#*:} exec "$FORWARDER" --exact bring_up::iproxy --ignored --nocapture
"#;

#[test]
#[ignore = "the stand-in for iproxy, which the tests here run"]
fn iproxy() {
    let port = |name| std::env::var(name).ok()?.parse::<u16>().ok();
    let (Some(local), Some(agent)) = (port("LOCAL"), port("AGENT")) else { return };
    // the process that the agent lives in, where it lives in one
    let runner = std::env::var("RUNNER");
    let is_there = || {
        let pid = |file: &String| std::fs::read_to_string(file).unwrap_or_default().trim().to_owned();
        runner.as_ref().is_err() || runner.as_ref().is_ok_and(|file| runs_now(&pid(file)))
    };
    let listener = TcpListener::bind(("127.0.0.1", local)).unwrap();
    for here in listener.incoming().flatten() {
        // as the real one does, it takes every connection, and drops those that nobody on the phone takes
        let Some(there) = is_there().then(|| TcpStream::connect(("127.0.0.1", agent)).ok()).flatten() else {
            continue;
        };
        let back = (there.try_clone().unwrap(), here.try_clone().unwrap());
        for (mut from, mut to) in [(here, there), back] {
            std::thread::spawn(move || {
                let _ = io::copy(&mut from, &mut to);
                let _ = (from.shutdown(Shutdown::Both), to.shutdown(Shutdown::Both));
            });
        }
    }
}

fn runs_now(pid: &str) -> bool {
    !pid.is_empty() && runs(pid)
}

/// A Mac with a phone; `environment` chooses the way.
struct Desk {
    mac: Mac,
    phone: StandIn,
}

impl Desk {
    fn new() -> Self {
        let mac = Mac::new();
        mac.program("xcodebuild", XCODEBUILD);
        mac.program("iproxy", IPROXY);
        mac.write("wda.xctestrun", "");
        Self { mac, phone: StandIn::of("demo") }
    }

    fn built(&self) -> (&'static str, String) {
        ("SIMDRIVE_WDA_XCTESTRUN", self.mac.path("wda.xctestrun").display().to_string())
    }

    fn server(&self, environment: &[(&str, String)]) -> Wire {
        self.server_at(environment, tempfile::tempdir().unwrap())
    }

    fn server_at(&self, environment: &[(&str, String)], home: tempfile::TempDir) -> Wire {
        let mut command = self.mac.command(&home);
        if !environment.is_empty() {
            command.env("RUNNER", self.mac.path("runner"));
        }
        command
            .env("FORWARDER", std::env::current_exe().unwrap())
            .env("AGENT", self.phone.port.to_string())
            .envs(environment.iter().map(|(name, value)| (name, value)));
        Wire::over(command, home).greeted()
    }

    /// The process that a stand-in became last.
    fn last_of(&self, program: &str) -> String {
        let of = |pid: &&String| {
            let command = std::process::Command::new("ps").args(["-o", "args=", "-p", pid]).output().unwrap();
            let command = String::from_utf8(command.stdout).unwrap();
            command.contains(if program == "xcodebuild" { "sleep 600" } else { "bring_up::iproxy" })
        };
        self.mac.companions().iter().rfind(of).unwrap_or_else(|| panic!("no {program} runs")).clone()
    }
}

fn start(device: &str) -> Value {
    json!({"device": device, "app": "com.example.demo"})
}

fn until(what: &str, is_so: impl Fn() -> bool) {
    let end = Instant::now() + Duration::from_secs(30);
    while !is_so() {
        assert!(Instant::now() < end, "{what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn a_phone_is_brought_up_driven_and_let_go() {
    let desk = Desk::new();
    let mut server = desk.server(&[desk.built()]);
    let started = server.well("session_start", start("wda:0000-9"));
    assert!(started.starts_with("session s1: wda:0000-9 ("), "{started}");
    let tapped = server.well("tap", json!({"label": "Count up"}));
    assert!(tapped.contains("Counter: 1"), "{tapped}");
    let status = server.well("session_status", json!({}));
    assert!(status.contains("WebDriverAgent well") && status.contains("iPhone 15"), "{status}");
    let (again, refused) = server.text("session_start", start("wda:Ann"));
    assert!(refused && again.contains("session_exists"), "{again}");

    // the runner dies, with the agent in it, and both come back
    desk.phone.die();
    signal(&desk.last_of("xcodebuild"), "KILL");
    until("it is started again", || desk.mac.calls("xcodebuild").len() == 2);
    desk.phone.come_back();
    let tapped = server.well("tap", json!({"label": "Count up"}));
    assert!(tapped.contains("Counter: 2"), "{tapped}");
    let status = server.well("session_status", json!({}));
    assert!(status.contains("WebDriverAgent runs again after 1 restarts"), "{status}");
    // the cable is pulled and put back
    signal(&desk.last_of("iproxy"), "KILL");
    let seen = server.well("observe", json!({"image": "none"}));
    assert!(seen.contains("Counter: 2"), "{seen}");
    assert_eq!(desk.phone.done("POST /actions"), 2);

    server.well("session_end", json!({}));
    desk.mac.assert_no_companion_is_left();
    assert!(!has_files(&server.home.path().join("agents")), "no record of it is left");
    let file = desk.built().1;
    let wanted = ["xcodebuild", "test-without-building", "-xctestrun", &file, "-destination", "id=0000-9"];
    assert_eq!(desk.mac.calls("xcodebuild"), [wanted, wanted]);
    assert_eq!(desk.mac.calls("iproxy")[0][2..], ["8100", "-u", "0000-9"]);
}

#[test]
fn an_agent_is_built_and_signed_by_the_users_team() {
    let desk = Desk::new();
    let project = desk.mac.path("wda.xctestrun").display().to_string();
    let environment = [
        ("SIMDRIVE_WDA_PROJECT", project.clone()),
        ("SIMDRIVE_WDA_TEAM", "TEAM123456".to_owned()),
        ("SIMDRIVE_WDA_BUNDLE", "com.ann.wda".to_owned()),
    ];
    let mut server = desk.server(&environment);
    server.well("session_start", start("wda:Ann"));
    let call = desk.mac.calls("xcodebuild")[0][1..].join(" ");
    let begin = format!(
        "build-for-testing test-without-building -project {project} -scheme WebDriverAgentRunner -destination \
         id=0000-9 -derivedDataPath "
    );
    let end = "-allowProvisioningUpdates -allowProvisioningDeviceRegistration DEVELOPMENT_TEAM=TEAM123456 \
               CODE_SIGN_IDENTITY=Apple Development PRODUCT_BUNDLE_IDENTIFIER=com.ann.wda \
               GCC_TREAT_WARNINGS_AS_ERRORS=0 COMPILER_INDEX_STORE_ENABLE=NO";
    assert!(call.starts_with(&begin) && call.ends_with(end), "{call}");
    // killed with no warning, the server leaves both; the next one ends them
    let left = desk.mac.companions();
    server.signal("KILL");
    server.exit();
    assert!(left.iter().all(|pid| runs(pid)));
    let home = std::mem::replace(&mut server.home, tempfile::tempdir().unwrap());
    let mut next = desk.server_at(&environment, home);
    next.well("session_start", start("wda:0000-9"));
    assert!(!left.iter().any(|pid| runs(pid)), "what was left behind is ended");
    next.end_input();
    next.exit();
    desk.mac.assert_no_companion_is_left();
}

#[test]
fn an_installed_agent_is_launched_and_shut_down() {
    let desk = Desk::new();
    desk.phone.die();
    let mut server = desk.server(&[]);
    let id = server.call("session_start", start("wda:0000-9"));
    let launches = || {
        let calls: Vec<String> = desk.mac.calls("xcrun").iter().map(|call| call[1..].join(" ")).collect();
        calls.into_iter().filter(|call| call.contains("process launch")).collect::<Vec<_>>()
    };
    until("it is launched", || !launches().is_empty());
    desk.phone.come_back();
    let started = server.response(id);
    assert_ne!(started["result"]["isError"], true, "{started}");
    let tapped = server.well("tap", json!({"label": "Count up"}));
    assert!(tapped.contains("Counter: 1"), "{tapped}");
    assert_eq!(
        launches(),
        ["devicectl device process launch --device 0000-9 --terminate-existing --environment-variables \
          {\"USE_PORT\":\"8100\"} com.facebook.WebDriverAgentRunner.xctrunner"]
    );
    server.well("session_end", json!({}));
    assert_eq!(desk.phone.count("GET /wda/shutdown"), 1);
    desk.mac.assert_no_companion_is_left();
    assert!(desk.mac.calls("xcodebuild").is_empty());
}

#[test]
fn an_agent_of_before_is_ended_first() {
    let desk = Desk::new();
    // it runs by itself, whatever becomes of this Mac's processes
    desk.mac.write("runner", &std::process::id().to_string());
    let mut server = desk.server(&[desk.built()]);
    let id = server.call("session_start", start("wda:0000-9"));
    until("it is ended", || desk.phone.count("GET /wda/shutdown") == 1);
    until("the new one is started", || !desk.mac.calls("xcodebuild").is_empty());
    assert_eq!(desk.phone.count("POST /session"), 0, "the one of before is not taken for it");
    desk.phone.die();
    desk.phone.come_back();
    let started = server.response(id);
    assert_ne!(started["result"]["isError"], true, "{started}");
}

#[test]
fn what_keeps_a_phone_from_being_driven_is_told_in_plain_words() {
    let dies = |said: &str| format!("echo \"{said}\" >&2; exit 65\n");
    let phones = |from: &str, to: &str| format!("sed -i 's/{from}/{to}/' \"$MAC/phones.json\"\n");
    for (name, program, script, is_built, parts) in [
        (
            "signing",
            "xcodebuild",
            dies("error: Signing for WebDriverAgentRunner requires a development team."),
            true,
            ["device_unreachable", "set SIMDRIVE_WDA_TEAM"],
        ),
        (
            "trust",
            "xcodebuild",
            dies("Unable to launch: its profile has not been explicitly trusted by the user"),
            true,
            ["device_unreachable", "VPN & Device Management"],
        ),
        (
            "locked",
            "xcodebuild",
            dies("The device was not, or could not be, unlocked."),
            true,
            ["device_unreachable", "unlock it"],
        ),
        (
            "pulled",
            "xcodebuild",
            dies("xcodebuild: error: Unable to find a device matching the provided destination specifier"),
            true,
            ["device_unreachable", "connect it by cable"],
        ),
        (
            "no xcode",
            "xcodebuild",
            dies("xcode-select: error: tool 'xcodebuild' requires Xcode, but active developer directory is"),
            true,
            ["device_unreachable", "sudo xcode-select -s"],
        ),
        (
            "port taken",
            "iproxy",
            dies("Error creating socket for listen port 8100: Address already in use"),
            true,
            ["device_unreachable", "port is taken"],
        ),
        (
            "trust of an installed one",
            "xcrun",
            "[ \"$3\" = process ] && { echo 'ERROR: its profile has not been explicitly trusted' >&2; exit 1; }\n".to_owned(),
            false,
            ["device_unreachable", "tap Trust"],
        ),
        (
            "not installed",
            "xcrun",
            "[ \"$3\" = process ] && { echo 'ERROR: The requested application is not installed.' >&2; exit 1; }\n".to_owned(),
            false,
            ["device_unreachable", "SIMDRIVE_WDA_PROJECT"],
        ),
        (
            "iOS 27",
            "xcrun",
            phones("18.1", "27.0"),
            false,
            ["device_unreachable", "starts without its server"],
        ),
        ("not connected", "xcrun", phones("wired", "none"), true, ["device_unreachable", "by cable"]),
        ("not paired", "xcrun", phones("\"paired\"", "\"unpaired\""), true, ["device_unreachable", "tap Trust"]),
        (
            "Developer Mode",
            "xcrun",
            phones("\"osVersionNumber\"", "\"developerModeStatus\": \"disabled\", \"osVersionNumber\""),
            true,
            ["device_unreachable", "Developer Mode"],
        ),
        ("another phone", "xcrun", phones("0000-9", "0000-8"), true, ["device_not_found", "wda:0000-8"]),
        (
            "none",
            "xcrun",
            "[ \"$1\" = devicectl ] && exit 72\n".to_owned(),
            true,
            ["device_not_found", "xcrun devicectl list devices"],
        ),
    ] {
        let desk = Desk::new();
        if !is_built {
            desk.phone.die();
        }
        desk.mac.fault(program, &script);
        let environment = if is_built { vec![desk.built()] } else { Vec::new() };
        let mut server = desk.server(&environment);
        let (text, refused) = server.text("session_start", start("wda:0000-9"));
        assert!(refused && parts.iter().all(|part| text.contains(part)), "{name}: {text}");
        assert!(desk.mac.calls(program).iter().filter(|call| call[0] != "xcrun").count() <= 1, "{name}: once");
        desk.mac.assert_no_companion_is_left();
        assert_eq!(desk.phone.count("POST /session"), 0, "{name}");
    }
}

#[test]
fn a_runner_that_dies_again_and_again_is_given_up() {
    let desk = Desk::new();
    desk.mac.fault("xcodebuild", "echo 'Segmentation fault' >&2; exit 139\n");
    let mut server = desk.server(&[desk.built()]);
    let (text, refused) = server.text("session_start", start("wda:0000-9"));
    assert!(refused && text.contains("Segmentation fault") && text.contains("started 4 times"), "{text}");
    assert_eq!(desk.mac.calls("xcodebuild").len(), 4);
    desk.mac.assert_no_companion_is_left();
}

#[test]
fn elsewhere_than_on_a_mac_it_says_that_one_is_needed() {
    if cfg!(target_os = "macos") {
        return;
    }
    let mut server = Wire::initialized();
    let (text, refused) = server.text("session_start", start("wda:0000-9"));
    assert!(refused && text.contains("device_not_found") && text.contains("wda+http://HOST:PORT"), "{text}");
}

#[test]
fn doctor_says_what_a_phone_needs() {
    let desk = Desk::new();
    let home = tempfile::tempdir().unwrap();
    let doctor = |environment: &[(&str, String)]| {
        let mut command = desk.mac.command(&home);
        command.args(["doctor", "--json"]).envs(environment.iter().map(|(name, value)| (name, value)));
        let told: Value = serde_json::from_slice(&command.output().unwrap().stdout).unwrap();
        let checks = told["checks"].as_array().unwrap().clone();
        move |name: &str| checks.iter().find(|check| check["name"] == name).unwrap().clone()
    };
    let well = doctor(&[desk.built()]);
    for (name, part) in
        [("phones", "Ann, iPhone 15"), ("iproxy", "/bin/iproxy"), ("webdriveragent", "wda.xctestrun")]
    {
        let check = well(name);
        assert!(check["state"] == "ok" && check["detail"].as_str().unwrap().contains(part), "{check}");
    }
    let check = doctor(&[("SIMDRIVE_WDA_PROJECT", "/no/where".to_owned())])("webdriveragent");
    assert!(check["state"] == "warn" && check["detail"].as_str().unwrap().contains("/no/where"), "{check}");
    // a phone of iOS 27 with its Developer Mode off, and no forwarder
    let phones =
        desk.mac.read("phones.json").replace("18.1\"", "27.0\", \"developerModeStatus\": \"disabled\"");
    desk.mac.write("phones.json", &phones);
    std::fs::remove_file(desk.mac.path("bin").join("iproxy")).unwrap();
    let ill = doctor(&[]);
    for (name, fix) in
        [("phones", "Developer Mode"), ("iproxy", "libusbmuxd"), ("webdriveragent", "SIMDRIVE_WDA_TEAM")]
    {
        let check = ill(name);
        assert!(check["state"] == "warn" && check["fix"].as_str().unwrap().contains(fix), "{check}");
    }
}
