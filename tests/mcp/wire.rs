//! JSON-RPC as it goes over the pipe, written and read line by line.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use serde_json::{Value, json};

/// Long enough for a loaded machine; a test that waits so long has failed.
const PATIENCE: Duration = Duration::from_secs(120);

/// One server, and every line that it wrote to stdout.
pub struct Wire {
    child: Child,
    input: Option<ChildStdin>,
    output: Receiver<String>,
    next: u64,
    /// Messages that were read while another was waited for.
    unread: Vec<Value>,
    pub home: tempfile::TempDir,
}

/// An environment variable of the servers, which holds a password.
pub const SECRET: &str = "SIMDRIVE_TEST_PASSWORD";

/// The binary with a home of its own.
pub fn command(home: &tempfile::TempDir) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_simdrive"));
    command
        .env(SECRET, "correct-horse")
        .env("SIMDRIVE_HOME", home.path())
        .current_dir(home.path())
        .env_remove("IDB_COMPANION");
    command
}

impl Wire {
    pub fn open() -> Self {
        Self::open_at(tempfile::tempdir().unwrap())
    }

    fn open_at(home: tempfile::TempDir) -> Self {
        let command = command(&home);
        Self::over(command, home)
    }

    /// A server started by this command.
    pub fn over(mut command: Command, home: tempfile::TempDir) -> Self {
        let mut child = command
            .env("SIMDRIVE_LOG", "trace")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let (sender, output) = channel();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        std::thread::spawn(move || {
            stdout.lines().map_while(Result::ok).try_for_each(|line| sender.send(line)).ok();
        });
        Self { input: child.stdin.take(), child, output, next: 0, unread: Vec::new(), home }
    }

    /// With the handshake of the protocol before 2026-07-28.
    pub fn initialized() -> Self {
        Self::initialized_at(tempfile::tempdir().unwrap())
    }

    /// The same, with the home of an earlier server.
    pub fn initialized_at(home: tempfile::TempDir) -> Self {
        Self::open_at(home).greeted()
    }

    /// After the handshake.
    pub fn greeted(self) -> Self {
        let mut wire = self;
        let params = json!({"protocolVersion": "2025-11-25", "capabilities": {},
            "clientInfo": {"name": "test", "version": "1"}});
        let id = wire.request("initialize", params);
        wire.response(id);
        wire.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        wire
    }

    /// Kills it in the middle of whatever it does, and starts another with the same home.
    pub fn killed_and_started_again(mut self) -> Self {
        self.signal("KILL");
        self.exit();
        Self::initialized_at(std::mem::replace(&mut self.home, tempfile::tempdir().unwrap()))
    }

    pub fn send(&mut self, message: &Value) {
        writeln!(self.input.as_mut().unwrap(), "{message}").unwrap();
    }

    /// Sends a request and gives its id.
    pub fn request(&mut self, method: &str, params: Value) -> u64 {
        self.next += 1;
        self.send(&json!({"jsonrpc": "2.0", "id": self.next, "method": method, "params": params}));
        self.next
    }

    pub fn call(&mut self, tool: &str, arguments: Value) -> u64 {
        self.request("tools/call", json!({"name": tool, "arguments": arguments}))
    }

    /// The text of a call's result, and whether it is an error.
    pub fn text(&mut self, tool: &str, arguments: Value) -> (String, bool) {
        let id = self.call(tool, arguments);
        let response = self.response(id);
        let result = &response["result"];
        let text = result["content"].as_array().unwrap().iter().filter_map(|c| c["text"].as_str());
        (text.collect::<Vec<_>>().join("\n"), result["isError"] == true)
    }

    /// The text of a call that must go well.
    pub fn well(&mut self, tool: &str, arguments: Value) -> String {
        let (text, is_error) = self.text(tool, arguments);
        assert!(!is_error, "{tool}: {text}");
        text
    }

    /// The next message that `wanted` takes; every line must be a message.
    pub fn message(&mut self, wanted: impl Fn(&Value) -> bool) -> Value {
        if let Some(place) = self.unread.iter().position(&wanted) {
            return self.unread.remove(place);
        }
        loop {
            let line = self.output.recv_timeout(PATIENCE).expect("an answer");
            let message: Value = serde_json::from_str(&line).expect("only JSON-RPC on stdout");
            assert_eq!(message["jsonrpc"], "2.0", "{line}");
            if wanted(&message) {
                return message;
            }
            self.unread.push(message);
        }
    }

    pub fn response(&mut self, id: u64) -> Value {
        self.message(|m| m["id"] == id && m.get("method").is_none())
    }

    /// Whether this request was answered already.
    pub fn is_answered(&mut self, id: u64) -> bool {
        while let Ok(line) = self.output.try_recv() {
            self.unread.push(serde_json::from_str(&line).expect("only JSON-RPC on stdout"));
        }
        self.unread.iter().any(|m| m["id"] == id && m.get("method").is_none())
    }

    pub fn end_input(&mut self) {
        self.input = None;
    }

    pub fn signal(&self, name: &str) {
        let pid = self.child.id().to_string();
        assert!(Command::new("kill").args(["-s", name, &pid]).status().unwrap().success());
    }

    /// Waits for the process to end by itself.
    pub fn exit(&mut self) -> ExitStatus {
        for _ in 0..PATIENCE.as_millis() / 20 {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        panic!("the server did not end");
    }
}

impl Drop for Wire {
    /// Lets the server end by itself, so that it leaves nothing behind; kills one that doesn't.
    fn drop(&mut self) {
        self.input = None;
        for _ in 0..100 {
            if self.child.try_wait().is_ok_and(|status| status.is_some()) {
                return;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        // it may be gone by now
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
