//! What simdrive goes by, through the binary: where each value comes from, and what is wrong with one.

use std::path::Path;
use std::process::{Command, Output, Stdio};

use serde_json::Value;

struct Shell {
    home: tempfile::TempDir,
}

impl Shell {
    fn new(user: &str, project: &str) -> Self {
        let home = tempfile::tempdir().unwrap();
        let shell = Self { home };
        shell.write("config/simdrive/config.toml", user);
        shell.write("project/simdrive.toml", project);
        std::fs::create_dir_all(shell.path("project/deep")).unwrap();
        shell
    }

    fn path(&self, name: &str) -> std::path::PathBuf {
        self.home.path().canonicalize().unwrap().join(name)
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    fn run(&self, arguments: &[&str], variables: &[(&str, &str)]) -> Output {
        Command::new(env!("CARGO_BIN_EXE_simdrive"))
            .args(arguments)
            .env_remove("IDB_COMPANION")
            .env("SIMDRIVE_HOME", self.path("home"))
            .env("XDG_CONFIG_HOME", self.path("config"))
            .envs(variables.iter().copied())
            .current_dir(self.path("project/deep"))
            .stdin(Stdio::null())
            .output()
            .unwrap()
    }

    fn entries(&self, arguments: &[&str], variables: &[(&str, &str)]) -> Vec<Value> {
        let output = self.run(&[&["config", "show", "--json"], arguments].concat(), variables);
        assert_eq!(output.status.code(), Some(0), "{}", words(&output));
        serde_json::from_slice::<Value>(&output.stdout).unwrap()["values"].as_array().unwrap().clone()
    }
}

fn words(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn entry<'e>(entries: &'e [Value], key: &str) -> &'e Value {
    entries.iter().find(|entry| entry["key"] == key).unwrap_or_else(|| panic!("{key}: {entries:?}"))
}

#[test]
fn every_value_is_shown_with_where_it_comes_from() {
    let shell = Shell::new(
        "device = \"sim:demo\"\nlog = \"info\"\ntext_model = \"models\"\n[policy]\ndeny_apps = [\"a\"]\n",
        "# ours\ndevice = \"sim:shop\"\nrecordings = \"flows\"\n\n[gate]\nshift = 1\n[policy]\ndeny_tools = [\"swipe\"]\n",
    );
    let entries = shell.entries(
        &["--device", "sim:chaos", "--toolsets", "action"],
        &[("SIMDRIVE_DEVICE", "sim:settings"), ("SIMDRIVE_LOG", "debug"), ("SIMDRIVE_READ_ONLY", "1")],
    );
    let file =
        |name: &str, line: u64| serde_json::json!({"from": "file", "file": shell.path(name), "line": line});
    for (key, value, origin) in [
        ("device", serde_json::json!("sim:chaos"), serde_json::json!({"from": "flag", "name": "--device"})),
        (
            "toolsets",
            serde_json::json!(["action"]),
            serde_json::json!({"from": "flag", "name": "--toolsets"}),
        ),
        ("log", serde_json::json!("debug"), serde_json::json!({"from": "variable", "name": "SIMDRIVE_LOG"})),
        (
            "read_only",
            serde_json::json!(true),
            serde_json::json!({"from": "variable", "name": "SIMDRIVE_READ_ONLY"}),
        ),
        (
            "text_model",
            serde_json::json!(shell.path("config/simdrive/models")),
            file("config/simdrive/config.toml", 3),
        ),
        ("recordings", serde_json::json!(shell.path("project/flows")), file("project/simdrive.toml", 3)),
        ("gate.shift", serde_json::json!(1), file("project/simdrive.toml", 6)),
        ("gate.tolerance", serde_json::json!(24), serde_json::json!({"from": "default"})),
        ("mode", serde_json::json!("interact"), serde_json::json!({"from": "default"})),
        ("companion", Value::Null, serde_json::json!({"from": "default"})),
        ("policy.deny_apps", serde_json::json!(["a"]), file("config/simdrive/config.toml", 5)),
        ("policy.deny_tools", serde_json::json!(["swipe"]), file("project/simdrive.toml", 8)),
    ] {
        let shown = entry(&entries, key);
        assert_eq!((&shown["value"], &shown["origin"]), (&value, &origin), "{key}");
    }
    let text = shell.run(&["config", "show", "--origin"], &[]);
    let text = String::from_utf8_lossy(&text.stdout).into_owned();
    let line = text.lines().find(|line| line.starts_with("device = ")).unwrap();
    assert!(line.ends_with(&format!("# {}:2", shell.path("project/simdrive.toml").display())), "{line}");
    assert!(text.contains("companion is not set"), "{text}");
    // without --origin, values alone
    let plain = shell.run(&["config", "show"], &[]);
    assert!(!String::from_utf8_lossy(&plain.stdout).contains('#'));
}

#[test]
fn what_is_wrong_is_told_with_place_and_ends_with_2_whatever_the_command() {
    for (user, project, variable, told) in [
        (
            "",
            "\ndevise = \"x\"",
            ("A", ""),
            "project/simdrive.toml:2: unknown key `devise`; did you mean `device`?",
        ),
        (
            "[gate]\ntolerence = 3",
            "",
            ("A", ""),
            "config/simdrive/config.toml:2: unknown key `gate.tolerence`; did you mean `gate.tolerance`?",
        ),
        ("", "[gate]\nshift = 9", ("A", ""), "project/simdrive.toml:2: `gate.shift`: "),
        (
            "",
            "mode = \"full\"",
            ("A", ""),
            "project/simdrive.toml:1: `mode = full` would loosen what the user decided",
        ),
        (
            "tools = [\"tapp\"]",
            "",
            ("A", ""),
            "config/simdrive/config.toml:1: there is no `tapp`; did you mean `tap`?",
        ),
        ("", "", ("SIMDRIVE_MODE", "interakt"), "SIMDRIVE_MODE: `mode`: unknown variant `interakt`"),
        ("", "", ("SIMDRIVE_DEVICE", "simm:demo"), "SIMDRIVE_DEVICE: `device`: "),
    ] {
        let shell = Shell::new(user, project);
        let output = shell.run(&["config", "show"], &[variable]);
        assert_eq!(output.status.code(), Some(2), "{told}");
        assert!(words(&output).contains(told), "wants {told}\ngot {}", words(&output));
        // a server does not run with half of what it was told
        assert_eq!(shell.run(&[], &[variable]).status.code(), Some(2), "{told}");
    }
    let shell = Shell::new("", "[gate]\ntolerence = 3");
    for command in [&["lint"][..], &["recordings", "list"], &["review", "."], &["replay", "x"], &["doctor"]] {
        let output = shell.run(command, &[]);
        assert_eq!(output.status.code(), Some(2), "{command:?}");
        assert!(words(&output).contains("unknown key `gate.tolerence`"), "{command:?}: {}", words(&output));
    }
}

#[test]
fn a_policy_is_explained_with_rule_file_and_line() {
    let rules = "[policy]\nmode = \"interact\"\ndeny_apps = [\n  \"com.a\",\n  \"*.bank\",\n]\n\
                 allow_devices = [\"sim:*\"]\ndeny_tools = [\"swipe\"]\nallow_hosts = [\"example.com\"]\n\
                 confirm = \"always\"\nconfirm_labels = [\"Launch\"]\n";
    let shell = Shell::new("", rules);
    let file = shell.path("project/simdrive.toml");
    for (call, verdict, code, why, line) in [
        (&["tap", "label=Back"][..], "allowed", 0, "", None),
        (&["tap", "label=Launch it"], "to_confirm", 1, "confirm_labels names `Launch`", Some(11)),
        (&["tap", "{\"label\": \"Launch\", \"role\": \"text_field\"}"], "allowed", 0, "", None),
        (&["tap", "mark=3"], "allowed", 0, "", None),
        (&["swipe", "direction=up"], "denied", 1, "deny_tools names `swipe`", Some(8)),
        (&["instruct", "text=tap Back then swipe up"], "denied", 1, "deny_tools names `swipe`", Some(8)),
        (&["instruct", "text=tap Launch"], "to_confirm", 1, "confirm_labels names `Launch`", Some(11)),
        (&["session_start", "app=com.x.bank"], "denied", 1, "deny_apps names `*.bank`", Some(5)),
        (&["session_start", "device=wda+http://a:1"], "denied", 1, "allow_devices does not name it", Some(7)),
        (&["tap", "label=Back", "--device", "wda+http://a:1"], "denied", 1, "allow_devices", Some(7)),
        (&["open_url", "url=https://evil.org"], "denied", 1, "allow_hosts does not name it", Some(9)),
        (&["open_url", "url=tel:112"], "denied", 1, "url_schemes", None),
        (&["replay", "path=/etc"], "denied", 1, "outside of the folders", None),
        (&["replay", "path=a/../b"], "denied", 1, "leads up", None),
        (&["tap", "label=Back", "--read-only"], "denied", 1, "mode observe (--read-only)", None),
        (&["instruct", "text=install /tmp/x.app"], "denied", 1, "needs mode full", None),
        (&["observe", "--tools", "tap"], "denied", 1, "not among the tools", None),
    ] {
        let output = shell.run(&[&["policy", "check", "--json"], call].concat(), &[]);
        let told: Value =
            serde_json::from_slice(&output.stdout).unwrap_or_else(|e| panic!("{e}: {output:?}"));
        assert_eq!(
            (&told["verdict"], output.status.code()),
            (&verdict.into(), Some(code)),
            "{call:?}: {told}"
        );
        assert!(told["why"].as_str().unwrap_or_default().contains(why), "{call:?}: {told}");
        assert_eq!(told["rule"]["line"].as_u64(), line, "{call:?}: {told}");
        if line.is_some() {
            assert_eq!(told["rule"]["file"], file.display().to_string(), "{call:?}");
        }
    }
    let text = shell.run(&["policy", "check", "swipe", "direction=up"], &[]);
    let text = String::from_utf8_lossy(&text.stdout).into_owned();
    assert!(text.starts_with("denied: ") && text.contains(&format!("{}:8", file.display())), "{text}");
    for wrong in [&["tapp"][..], &["tap", "lable=x"], &["tap", "{"], &["tap", "label"], &["tap"]] {
        let output = shell.run(&[&["policy", "check"], wrong].concat(), &[]);
        assert_eq!(output.status.code(), Some(2), "{wrong:?}: {}", words(&output));
    }
    assert!(!shell.path("home/audit.jsonl").exists(), "asking is no call");
}

#[test]
fn the_schema_takes_what_the_readme_shows() {
    let shell = Shell::new("", "");
    let printed = |arguments: &[&str]| -> Value {
        let output = shell.run(arguments, &[]);
        serde_json::from_slice(&output.stdout).unwrap()
    };
    let schema = printed(&["config", "schema"]);
    assert_eq!(schema, printed(&["schema", "config"]));
    assert_eq!(schema["additionalProperties"], false);
    assert_eq!(schema["properties"]["policy"]["properties"]["deny_apps"]["type"], "array");
    // every TOML example of the README is one that the binary takes
    let readme = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md")).unwrap();
    let examples: Vec<&str> =
        readme.split("```toml\n").skip(1).filter_map(|rest| rest.split("```").next()).collect();
    assert!(!examples.is_empty());
    for example in examples {
        let shell = Shell::new(example, "");
        let output = shell.run(&["config", "show"], &[]);
        assert_eq!(output.status.code(), Some(0), "{}\n{example}", words(&output));
    }
}

#[test]
fn the_project_s_device_and_recordings_are_used() {
    let shell = Shell::new("", "device = \"sim:settings\"\nrecordings = \"flows\"\n");
    let output = shell.run(&["observe", "--json"], &[]);
    let seen: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|e| panic!("{e}: {output:?}"));
    assert_eq!(seen["app"]["bundle_id"], "com.example.settings");
    let listed = shell.run(&["recordings", "list", "--json"], &[("SIMDRIVE_RECORDINGS", "other")]);
    let listed: Value = serde_json::from_slice(&listed.stdout).unwrap();
    assert_eq!(listed["recordings"], serde_json::json!([]));
}
