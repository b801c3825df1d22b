//! What can be commanded: each command is a call with what it always passes. The same in every language.
//!
//! What fills a slot becomes the argument of the slot's name; a `target` becomes the call's own target arguments.

use serde_json::{Map, Value};

macro_rules! commands {
    ($($variant:ident = $call:literal $constants:literal;)*) => {
        /// One thing that can be commanded.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Command {
            $($variant,)*
        }

        impl Command {
            pub const ALL: &'static [Command] = &[$(Command::$variant),*];

            /// The call it becomes: a tool, or a command that is no tool.
            pub fn call(self) -> &'static str {
                match self { $(Self::$variant => $call,)* }
            }

            fn constants(self) -> &'static str {
                match self { $(Self::$variant => $constants,)* }
            }
        }
    };
}

commands! {
    // simulators and sessions
    ListDevices = "list_devices" "{}";
    ListSimulators = "list_devices" r#"{"kind":"simulator"}"#;
    Boot = "boot_simulator" "{}";
    ShutDown = "shut_down_simulator" "{}";
    Focus = "focus_simulator" "{}";
    SessionStart = "session_start" "{}";
    SessionEnd = "session_end" "{}";
    SessionEndAndApp = "session_end" r#"{"terminate_app":true}"#;
    Status = "session_status" "{}";
    // apps
    Install = "install_app" "{}";
    Uninstall = "uninstall_app" "{}";
    Launch = "launch_app" "{}";
    Relaunch = "launch_app" r#"{"afresh":true}"#;
    Terminate = "terminate_app" "{}";
    ListApps = "apps" "{}";
    AppState = "app_state" "{}";
    // the screen
    Tap = "tap" "{}";
    DoubleTap = "tap" r#"{"count":2}"#;
    Hold = "tap" r#"{"hold_ms":1000}"#;
    TapField = "tap_and_wait_keyboard" "{}";
    Swipe = "swipe" "{}";
    ScrollTo = "swipe" r#"{"direction":"up"}"#;
    Type = "type_text" "{}";
    TypeAndSubmit = "type_text" r#"{"submit":true}"#;
    Replace = "type_text" r#"{"clear_first":true}"#;
    Clear = "clear_field" "{}";
    Press = "press_key" "{}";
    Shake = "press_key" r#"{"key":"shake"}"#;
    GoHome = "press_key" r#"{"key":"home"}"#;
    Lock = "press_key" r#"{"key":"lock"}"#;
    DismissSheet = "dismiss_sheet" "{}";
    AnswerAlerts = "dismiss_first_launch_alerts" "{}";
    AllowAlerts = "dismiss_first_launch_alerts" r#"{"choice":"allow"}"#;
    DenyAlerts = "dismiss_first_launch_alerts" r#"{"choice":"deny"}"#;
    Pause = "pause" "{}";
    WaitFor = "wait_for" "{}";
    WaitUntilGone = "wait_for" r#"{"gone":true}"#;
    WaitUntilStable = "wait_for" r#"{"stable":true}"#;
    // accessibility
    DescribeAll = "observe" r#"{"image":"none","detail":"full"}"#;
    DescribePoint = "describe_point" "{}";
    Find = "find" "{}";
    // capture
    Look = "observe" "{}";
    Screenshot = "observe" r#"{"image":"plain"}"#;
    StartVideo = "start_video" "{}";
    StopVideo = "stop_video" "{}";
    Logs = "logs" "{}";
    RecordStart = "record_start" "{}";
    RecordStop = "record_stop" "{}";
    RecordDiscard = "record_stop" r#"{"discard":true}"#;
    Replay = "replay" "{}";
    ListReplays = "list_replays" "{}";
    ValidateReplay = "validate_replay" "{}";
    // debugging
    Doctor = "doctor" "{}";
    Version = "version" "{}";
    ListCrashes = "crashes" r#"{"since_session_start":false,"limit":20}"#;
    ShowCrash = "show_crash" "{}";
    DeleteCrash = "delete_crashes" "{}";
    DeleteCrashes = "delete_crashes" r#"{"all":true}"#;
    Memory = "memory" "{}";
    Perf = "perf" "{}";
    // the rest
    OpenUrl = "open_url" "{}";
    SetLocation = "set_location" "{}";
    Grant = "pre_grant_permissions" r#"{"granted":true}"#;
    Revoke = "pre_grant_permissions" r#"{"granted":false}"#;
    AddMedia = "add_media" "{}";
    ClearKeychain = "clear_keychain" "{}";
    Contacts = "update_contacts" "{}";
    ClearContacts = "update_contacts" r#"{"clear":true}"#;
    Appearance = "set_appearance" "{}";
}

impl Command {
    /// The arguments of each call that it becomes: several where several keys are pressed.
    pub fn arguments(self, bindings: Vec<(String, Value)>) -> Vec<Map<String, Value>> {
        let mut arguments: Map<String, Value> = serde_json::from_str(self.constants()).unwrap_or_default();
        let mut keys = Vec::new();
        for (name, value) in bindings {
            match (name.as_str(), value) {
                ("keys", Value::Array(pressed)) => keys = pressed,
                ("target", Value::Object(target)) => arguments.extend(target),
                (_, value) => {
                    arguments.insert(name, value);
                }
            }
        }
        if let Some(granted) = arguments.remove("granted") {
            let named = arguments.remove("permissions").unwrap_or_default();
            let named = named.as_array().cloned().unwrap_or_default();
            let all = named.iter().filter_map(Value::as_str).map(|name| (name.to_owned(), granted.clone()));
            arguments.insert("permissions".into(), all.collect::<Map<_, _>>().into());
        }
        if keys.is_empty() {
            return vec![arguments];
        }
        let pressed = keys.into_iter().filter_map(|key| match key {
            Value::Object(key) => Some(key),
            _ => None,
        });
        pressed.collect()
    }
}
