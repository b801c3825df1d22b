use super::*;

fn read(text: &str, owner: Owner) -> Result<File, ConfigError> {
    let path = match owner {
        Owner::User => "/u/config.toml",
        Owner::Project => "/p/simdrive.toml",
    };
    File::parse(Path::new(path), text, owner)
}

fn merged(user: &str, project: &str, variables: &[(&str, &str)], flags: &[Flag]) -> Config {
    let of =
        |name: &str| variables.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned());
    let (user, project) = (read(user, Owner::User).unwrap(), read(project, Owner::Project).unwrap());
    Config::merge(Some(user), Some(project), of, flags).unwrap()
}

#[test]
fn the_stronger_source_wins_and_every_value_knows_where_it_is_from() {
    let device = |name: &str| format!("device = \"{name}\"\n");
    let flag = Flag { key: "device", value: json!("sim:chaos"), name: "--device" };
    let (user, project) = (device("sim:demo"), format!("\n{}", device("sim:shop")));
    let variable = [("SIMDRIVE_DEVICE", "sim:settings")];
    for (config, device, origin) in [
        (merged("", "", &[], &[]), None, "default"),
        (merged(&user, "", &[], &[]), Some("sim:demo"), "/u/config.toml:1"),
        (merged(&user, &project, &[], &[]), Some("sim:shop"), "/p/simdrive.toml:2"),
        (merged(&user, &project, &variable, &[]), Some("sim:settings"), "SIMDRIVE_DEVICE"),
        (merged(&user, &project, &variable, std::slice::from_ref(&flag)), Some("sim:chaos"), "--device"),
    ] {
        assert_eq!(config.values.device.as_deref(), device, "{origin}");
        assert_eq!(config.origin("device").to_string(), origin);
    }
    // values of one table come from several places
    let config = merged("[gate]\nshift = 1\n", "[gate]\ntolerance = 30\n", &[], &[]);
    assert_eq!((config.values.gate.shift, config.values.gate.tolerance), (Some(1.0), Some(30)));
    assert_eq!(config.values.gate.outlying_pixels, None);
    let shown = |key: &str| config.entries().iter().find(|e| e.key == key).map(|e| e.value.clone()).unwrap();
    assert_eq!((shown("gate.outlying_pixels"), shown("gate.shift")), (json!(12.0), json!(1)));
}

#[test]
fn paths_are_relative_to_their_file() {
    let config = merged("text_model = \"models\"", "recordings = \"flows\"", &[], &[]);
    assert_eq!(config.values.text_model, Some("/u/models".into()));
    assert_eq!(config.recordings(), PathBuf::from("/p/flows"));
    assert_eq!(config.project, Some("/p".into()));
    let layer = merged("[policy]\nallow_folders = [\"flows\", \"/x\"]", "", &[], &[]).layers.remove(0);
    assert_eq!(layer.rules.allow_folders, Some(vec!["/u/flows".into(), "/x".into()]));
}

#[test]
fn what_is_wrong_is_told_with_file_line_and_key() {
    for (text, told) in [
        ("\ndevise = \"sim:demo\"", "/p/simdrive.toml:2: unknown key `devise`; did you mean `device`?"),
        (
            "[gate]\ntolerence = 3",
            "/p/simdrive.toml:2: unknown key `gate.tolerence`; did you mean `gate.tolerance`?",
        ),
        (
            "[policy]\n\ndeny_app = []",
            "/p/simdrive.toml:3: unknown key `policy.deny_app`; did you mean `policy.deny_apps`?",
        ),
        ("[gates]\nshift = 1", "/p/simdrive.toml:1: unknown key `gates`; did you mean `gate`?"),
        ("gate.shfit = 1", "/p/simdrive.toml:1: unknown key `gate.shfit`; did you mean `gate.shift`?"),
        (
            "[http]\ntoken = \"x\"",
            "/p/simdrive.toml:2: unknown key `http.token`; did you mean `http.token_file`?",
        ),
        ("\n\ntext_model = 7", "/p/simdrive.toml:3: invalid type: integer `7`"),
        ("mode = \"all\"", "/p/simdrive.toml:1: unknown variant `all`"),
        ("[gate]\nshift = 9", "/p/simdrive.toml:2: `gate.shift`: `shift` is 9; it must lie between 0 and 3"),
        ("[gate]\ntolerance = 300", "/p/simdrive.toml:2: "),
        ("device = \"simm:demo\"", "/p/simdrive.toml:1: `device`: "),
        ("masks = [\n\"status-bar\",\n\"nose\"]", "/p/simdrive.toml:3: "),
        ("log = \"loud=very\"", "/p/simdrive.toml:1: `log`: "),
        ("http.address = \"here\"", "/p/simdrive.toml:1: "),
        ("recordings = [", "/p/simdrive.toml:1: "),
        ("x = 1\nx = 2", "/p/simdrive.toml:"),
        ("url_schemes = [\"tel\"]", "/p/simdrive.toml:1: `url_schemes` would loosen"),
        ("[http]\nallow_hosts = [\"x\"]", "/p/simdrive.toml:2: `http.allow_hosts` would loosen"),
        ("mode = \"full\"", "/p/simdrive.toml:1: `mode = full` would loosen"),
    ] {
        let error = read(text, Owner::Project).unwrap_err().to_string();
        assert!(error.starts_with(told), "{text}\nwants {told}\ngot   {error}");
    }
    read("url_schemes = [\"tel\"]\nmode = \"full\"\n[http]\nallow_hosts = [\"x\"]", Owner::User).unwrap();
    let wrong = |name: &'static str, value: &'static str| {
        let of = move |asked: &str| (asked == name).then(|| value.to_owned());
        Config::merge(None, None, of, &[]).unwrap_err().to_string()
    };
    assert!(wrong("SIMDRIVE_MODE", "all").starts_with("SIMDRIVE_MODE: `mode`: unknown variant `all`"));
    assert!(wrong("SIMDRIVE_GATE_SHIFT", "many").starts_with("SIMDRIVE_GATE_SHIFT: `many` is no number"));
    assert!(wrong("SIMDRIVE_GATE_SHIFT", "8").starts_with("SIMDRIVE_GATE_SHIFT: `gate.shift`: "));
}

#[test]
fn a_project_does_not_loosen_what_its_user_decided() {
    let strict = "mode = \"observe\"\nread_only = true\n";
    let config = merged(strict, "mode = \"interact\"\nread_only = false\n", &[], &[]);
    assert_eq!((config.values.mode, config.values.read_only), (Some(Mode::Observe), Some(true)));
    let config = merged("mode = \"full\"", "mode = \"observe\"\nread_only = true\n", &[], &[]);
    assert_eq!((config.values.mode, config.values.read_only), (Some(Mode::Observe), Some(true)));
    assert_eq!(config.origin("mode").to_string(), "/p/simdrive.toml:1");
    // read only wins over everything
    let config = merged(strict, "", &[("SIMDRIVE_READ_ONLY", "0"), ("SIMDRIVE_MODE", "full")], &[]);
    assert_eq!((config.values.mode, config.values.read_only), (Some(Mode::Full), Some(true)));
}

#[test]
fn a_list_that_is_set_to_nothing_names_nothing() {
    let config = merged("", "", &[("SIMDRIVE_URL_SCHEMES", ""), ("SIMDRIVE_MODE", "")], &[]);
    assert_eq!((config.values.url_schemes, config.values.mode), (Some(Vec::new()), None));
}
