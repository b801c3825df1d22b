//! Journeys: loaded, refused with file, line and key, and verified on the embedded simulator without a model.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::{Value, json};
use simdrive::journey::{Budget, Journey};
use simdrive::operation::{Call, Context, Operation};
use simdrive::recording::Store;
use simdrive::session::KeptSessions;

#[path = "mcp/companion.rs"]
mod companion;

use companion::Companion;

const JOURNEY: &str = r#"schema: simdrive.journey/1
name: count
goals: [Count to two]
persona: hurried
app: com.example.demo
budget: {steps: 5}
success:
  - screen: {label: Count up, role: button}
  - text: a short tour
  - gone: {label: Payment failed}
  - app: in_front
  - no_crash: true
  - number: {label: Counter, at_least: 2, at_most: 2}
  - usage: {memory_mb: 5000}
  - log: {regex: "Demo.*launched"}
  - step: {recording: recordings/count}
  - step: {recording: recordings/count, step: 2}
"#;

const PERSONA: &str = "schema_version: 1\nslug: hurried\nname: Hu\nrole: commuter\npatience: low\n\
                       goals: [Be done]\naccessibility_needs: {large_text: true}\nage: 33\n";

const ORIGINAL: &str = r#"schema_version: 1
name: Guest checkout
persona: hurried
target: device
device_selector: {name: My iPhone, os_version: "18"}
app_bundle_id: com.acme.shop
preconditions: {app_installed: true}
goals: ["Buy one item as a guest"]
success_criteria:
  - text_visible: "Order confirmed"
    no_crash: true
  - screen_matches: 33d275b4c7e2
  - perf_under: {cpu_pct: 80, memory_mb: 300}
budget: {max_steps: 25, max_seconds: 240}
replay_id: checkout
tags: [smoke]
"#;

struct Shell {
    home: tempfile::TempDir,
}

impl Shell {
    fn new() -> Self {
        let shell = Self { home: tempfile::tempdir().unwrap() };
        shell.file("personas/hurried.yaml", PERSONA);
        shell
    }

    fn file(&self, name: &str, text: &str) -> PathBuf {
        let path = self.home.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
        path
    }

    fn run(&self, arguments: &[&str]) -> Output {
        let output = Command::new(env!("CARGO_BIN_EXE_simdrive"))
            .args(arguments)
            .env("SIMDRIVE_HOME", self.home.path().join("home"))
            .current_dir(self.home.path())
            .output()
            .unwrap();
        let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        println!("{arguments:?}: {}\n{out}{err}", output.status);
        output
    }
}

fn json_of(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).unwrap()
}

fn text_of(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

async fn operate(context: &Context, name: &str, arguments: Value) -> String {
    let Value::Object(arguments) = arguments else { panic!("an object") };
    let operation = Operation::parse(name, arguments).unwrap();
    operation.run(context, &Call::default()).await.unwrap_or_else(|e| panic!("{name}: {e}")).text
}

#[tokio::test]
async fn a_journey_is_told_with_its_persona() {
    let shell = Shell::new();
    let path = shell.file("count.yaml", JOURNEY);
    let context = Context::new(Store::at(shell.home.path()), None);
    let told = operate(&context, "load_journey", json!({"path": path})).await;
    for line in [
        "journey count",
        "app com.example.demo",
        "goal: Count to two",
        "must hold: screen has button “Count up”",
        "must hold: number of “Counter” at least 2 at most 2",
        "budget: 5 acts, 180 s, 40 calls of a model",
        "act as Hu, commuter: technical comfort intermediate, patience low, locale en-US",
        "  needs: large_text",
    ] {
        assert!(told.lines().any(|is| is == line), "{line} in {told}");
    }
    let other = shell.file("other.yaml", "slug: calm\nname: Cal\nrole: reader\n");
    let told = operate(&context, "load_journey", json!({"path": path, "persona": other})).await;
    assert!(told.contains("act as Cal, reader"), "{told}");
    // what is written reads back
    let journey = Journey::read(&path).unwrap();
    let yaml = serde_json::to_string(&journey).unwrap();
    assert_eq!(Journey::parse(Path::new("again.yaml"), &yaml).unwrap(), journey);
}

#[test]
fn a_journey_of_the_original_loads_and_what_it_can_not_say_is_told() {
    let shell = Shell::new();
    let journey = Journey::read(&shell.file("checkout.yaml", ORIGINAL)).unwrap();
    let criteria: Vec<String> = journey.success.iter().map(ToString::to_string).collect();
    assert_eq!(
        criteria,
        ["screen shows “Order confirmed”", "no crash", "app uses at most 80 % of a core at most 300 MB"]
    );
    assert_eq!(journey.budget, Budget { steps: 25, seconds: 240, calls: 40 });
    assert_eq!(journey.device.as_deref(), Some("My iPhone"));
    let left_out: Vec<(&str, Option<u64>)> =
        journey.left_out.iter().map(|left| (left.key.as_str(), left.line)).collect();
    assert_eq!(left_out, [("screen_matches", Some(12)), ("preconditions", Some(7)), ("replay_id", Some(15))]);
    // a criterion that can't be told is never seen to hold
    let verified = shell.run(&["journey", "verify", "checkout.yaml", "--device", "sim:demo", "--json"]);
    assert_eq!(verified.status.code(), Some(2), "another app than the device has");
    shell.file("checkout.yaml", &ORIGINAL.replace("com.acme.shop", "com.example.demo"));
    let verified = shell.run(&["journey", "verify", "checkout.yaml", "--device", "sim:demo", "--json"]);
    assert_eq!(verified.status.code(), Some(1));
    let criteria = json_of(&verified)["criteria"].clone();
    let holds: Vec<bool> =
        criteria.as_array().unwrap().iter().map(|c| c["holds"].as_bool().unwrap()).collect();
    assert_eq!(holds, [false, true, true, false]);
    assert!(criteria[3]["detail"].as_str().unwrap().starts_with("can't be told: "), "{criteria}");
}

#[test]
fn what_is_wrong_is_told_with_file_line_and_key() {
    let shell = Shell::new();
    let is_told = |text: &str, told: &str| {
        shell.file("journeys/bad.yaml", text);
        let output = shell.run(&["journey", "check", "journeys"]);
        assert_eq!(output.status.code(), Some(2), "{told}");
        let line = format!("invalid journeys/bad.yaml:{told}");
        assert!(text_of(&output).contains(&line), "{line}\nin {}", text_of(&output));
    };
    for (from, to, told) in [
        ("schema: simdrive.journey/1", "schema: simdrive.journey/2", "1: `schema` is `simdrive.journey/2`"),
        ("schema: simdrive.journey/1\n", "", " the key `schema` is missing"),
        ("goals:", "goal:", "3: unknown key `goal`; did you mean `goals`?"),
        ("[Count to two]", "[]", "3: `goals` needs at least one goal"),
        ("name: count", "name: ''", "2: `name` is empty"),
        ("steps: 5", "steps: 0", "6: `budget` must be 1 at least"),
        ("steps: 5", "step: 5", "6: unknown key `step`; did you mean `steps`?"),
        ("- text:", "- txt:", "9: `txt` is not known here; did you mean `text`?"),
        ("role: button", "role: buton", "8: `buton` is not known here; did you mean `button`?"),
        ("{label: Payment failed}", "{}", "10: give at least one of `label`, `role` and `value`"),
        ("in_front", "front", "11: `front` is not known here; did you mean `in_front`?"),
        ("no_crash: true", "no_crash: false", "12: `no_crash` is `true`, or is left out"),
        ("at_most: 2", "at_most: 1", "13: `at_least` is 2, more than `at_most`, 1"),
        (", at_least: 2, at_most: 2", "", "13: `number` needs `at_least`, `at_most` or both"),
        ("\"Demo.*launched\"", "\"(\"", "15: `regex` is no regular expression"),
        ("  - text: a", "    text: a", "9: one entry holds one key"),
        ("persona: hurried", "persona: ../x", " `persona` is `../x`; use a-z"),
        ("success:", "success: [", ""),
    ] {
        assert!(JOURNEY.contains(from), "{from}");
        is_told(&JOURNEY.replacen(from, to, 1), told);
    }
    for (from, to, told) in [
        ("schema_version: 1", "schema_version: 3", "1: `schema_version` must be 1"),
        ("name: Guest checkout\n", "", " `name` is missing"),
        (
            "- text_visible",
            "- text_visibel",
            "10: `text_visibel` is no criterion; did you mean `text_visible`?",
        ),
        ("max_steps: 25", "max_steps: 0", "14: `budget` needs a whole number from 1 for `max_steps`"),
        ("goals: [", "goals: [1, ", "8: `goals` must be a list of texts"),
    ] {
        is_told(&ORIGINAL.replacen(from, to, 1), told);
    }
    shell.file("journeys/bad.yaml", JOURNEY);
    shell.file("personas/hurried.yaml", "slug: hurried\nname: Hu\nrole: commuter\npatience: none\n");
    let output = shell.run(&["journey", "check", "journeys", "--json"]);
    let error = json_of(&output)["journeys"][0]["error"].clone();
    assert_eq!(
        (&error["code"], &error["details"]["line"]),
        (&json!("invalid_argument"), &json!(4)),
        "{error}"
    );
    let nothing = shell.run(&["journey", "check", "personas"]);
    assert_eq!(nothing.status.code(), Some(2));
}

#[test]
fn good_journeys_are_listed() {
    let shell = Shell::new();
    shell.file("journeys/count.yaml", JOURNEY);
    shell.file("journeys/more/checkout.yaml", ORIGINAL);
    let output = shell.run(&["journey", "check", "journeys"]);
    assert_eq!(output.status.code(), Some(0));
    let told = text_of(&output);
    assert!(told.contains("ok journeys/count.yaml: count, 1 goals, 10 criteria"), "{told}");
    assert!(told.contains("note: line 12: `screen_matches` is left out"), "{told}");
}

#[tokio::test(flavor = "multi_thread")]
async fn criteria_are_held_against_what_is_on_the_screen() {
    let shell = Shell::new();
    let companion = Companion::of("demo");
    let home = shell.home.path().to_owned();
    shell.file("count.yaml", JOURNEY);
    let kept = KeptSessions::at(home.join("home/sessions"));
    let context = Context::new(Store::at(home.join("recordings")), None).keeping(kept);
    operate(&context, "session_start", json!({"device": companion.selector})).await;
    operate(&context, "record_start", json!({"name": "count"})).await;
    operate(&context, "tap", json!({"label": "Count up"})).await;
    operate(&context, "tap", json!({"label": "Count up"})).await;
    operate(&context, "record_stop", json!({})).await;
    // gone without an end, as with a server that is killed
    drop(context);

    for arguments in [
        &["journey", "verify", "count.yaml", "--session", "s1", "--json"][..],
        // the session is still there for who goes on with it
        &["journey", "verify", "count.yaml", "--session", "s1", "--json"],
        // and so is the app on the device, as it was
        &["journey", "verify", "count.yaml", "--device", &companion.selector, "--json"],
    ] {
        let verified = shell.run(arguments);
        assert_eq!(verified.status.code(), Some(0), "{arguments:?}");
        assert_eq!(json_of(&verified)["criteria"].as_array().unwrap().len(), 10);
    }
    shell.file(
        "count.yaml",
        &JOURNEY.replace("at_most: 2", "at_most: 9").replace("at_least: 2", "at_least: 3"),
    );
    let verified = shell.run(&["journey", "verify", "count.yaml", "--session", "s1"]);
    assert_eq!(verified.status.code(), Some(1));
    let told = text_of(&verified);
    assert!(told.contains("fails number of “Counter” at least 3 at most 9: it is 2\n"), "{told}");
    assert!(told.contains("9 of 10 hold: count"), "{told}");

    shell.file("steps.yaml", &JOURNEY.replace("step: 2}", "step: 1}").replace("in_front", "not_running"));
    let told = text_of(&shell.run(&["journey", "verify", "steps.yaml", "--device", &companion.selector]));
    assert!(told.contains("fails screen is as after step 1 of recordings/count: drift"), "{told}");
    assert!(told.contains("fails app does not run: it runs"), "{told}");
    assert!(told.contains("8 of 10 hold"), "{told}");

    for (arguments, code) in [
        (&["journey", "verify", "count.yaml", "--session", "s7"][..], 2),
        (&["journey", "verify", "count.yaml", "--session", "s1", "--device", "sim:demo"], 2),
        (&["journey", "verify", "nowhere.yaml", "--device", "sim:demo"], 2),
        (&["journey", "verify", "count.yaml", "--device", "sim:nowhere"], 3),
    ] {
        assert_eq!(shell.run(arguments).status.code(), Some(code), "{arguments:?}");
    }
}
