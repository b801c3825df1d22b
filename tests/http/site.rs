//! A server, and the plainest of HTTP clients.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::{Value, json};

/// Long enough for a loaded machine; a test that waits so long has failed.
const PATIENCE: Duration = Duration::from_secs(120);
pub const TOKEN: &str = "a-token-of-the-tests";

/// `simdrive serve` with a home of its own.
pub struct Site {
    child: Child,
    pub address: SocketAddr,
    /// What it said when it started.
    pub said: String,
    pub home: tempfile::TempDir,
}

/// What came back.
#[derive(Debug)]
pub struct Reply {
    pub status: u16,
    pub headers: String,
    pub body: String,
}

pub fn command(home: &tempfile::TempDir) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_simdrive"));
    let user_file = home.path().join("config");
    command
        .env("SIMDRIVE_HOME", home.path().join("home"))
        .env("XDG_CONFIG_HOME", user_file)
        .env_remove("SIMDRIVE_TOKEN")
        .current_dir(home.path());
    command
}

impl Site {
    pub fn open() -> Self {
        let home = tempfile::tempdir().unwrap();
        let mut command = command(&home);
        command.args(["serve", "--http", "127.0.0.1:0"]).env("SIMDRIVE_TOKEN", TOKEN);
        Self::over(command, home)
    }

    pub fn over(mut command: Command, home: tempfile::TempDir) -> Self {
        let mut child =
            command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        let mut stderr = BufReader::new(child.stderr.take().unwrap());
        let mut said = String::new();
        stderr.read_line(&mut said).unwrap();
        // read on, so that it never waits for us
        std::thread::spawn(move || std::io::copy(&mut stderr, &mut std::io::sink()));
        let address = said.split("http://").nth(1).and_then(|rest| rest.split('/').next());
        let address = address.unwrap_or_else(|| panic!("{said}")).parse().unwrap();
        Self { child, address, said, home }
    }

    pub fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream
    }

    /// One request on a connection of its own, with these headers beside Host and Connection.
    pub fn request(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> Reply {
        let host = self.address.to_string();
        let mut all = vec![("Host", host.as_str())];
        all.extend(headers);
        self.raw(method, path, &all, body)
    }

    /// The same, with these headers alone.
    pub fn raw(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> Reply {
        let mut head = format!("{method} {path} HTTP/1.1\r\nConnection: close\r\n");
        for (name, value) in headers {
            head += &format!("{name}: {value}\r\n");
        }
        head += &format!("Content-Length: {}\r\n\r\n", body.len());
        let mut stream = self.connect();
        // who is refused may be cut off while still writing
        let _ = stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(body.as_bytes()));
        reply(&mut stream)
    }

    /// A request of the protocol, with the right token.
    pub fn post(&self, headers: &[(&str, &str)], message: &Value) -> Reply {
        let bearer = format!("Bearer {TOKEN}");
        let mut all = vec![
            ("Authorization", bearer.as_str()),
            ("Content-Type", "application/json"),
            ("Accept", "application/json, text/event-stream"),
        ];
        all.extend(headers);
        self.request("POST", "/mcp", &all, &message.to_string())
    }

    pub fn signal(&self, name: &str) {
        let pid = self.child.id().to_string();
        assert!(Command::new("kill").args(["-s", name, &pid]).status().unwrap().success());
    }

    /// Waits for the process to end by itself.
    pub fn exit(&mut self) -> Option<i32> {
        for _ in 0..PATIENCE.as_millis() / 20 {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status.code();
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        panic!("the server did not end");
    }

    /// What the audit log holds.
    pub fn audit(&self) -> String {
        std::fs::read_to_string(self.home.path().join("home/audit.jsonl")).unwrap_or_default()
    }

    pub fn recordings(&self) -> PathBuf {
        self.home.path().join("home/recordings")
    }
}

impl Drop for Site {
    fn drop(&mut self) {
        // it may be gone by now
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

pub fn reply(stream: &mut TcpStream) -> Reply {
    let mut bytes = Vec::new();
    // a server that cuts off has said before what it had to say
    let _ = stream.read_to_end(&mut bytes);
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let (headers, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
    let status = headers.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0);
    Reply { status, headers: headers.to_ascii_lowercase(), body: body.to_owned() }
}

impl Reply {
    /// The last message of the protocol in it, be it JSON or a stream of events, chunked or not.
    pub fn message(&self) -> Value {
        let lines = self.body.lines().map(|line| line.strip_prefix("data: ").unwrap_or(line));
        let mut messages = lines.filter_map(|line| serde_json::from_str::<Value>(line).ok());
        messages.rfind(Value::is_object).unwrap_or_else(|| panic!("{self:?}"))
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "))
    }
}

/// A client of either era.
pub struct Client<'s> {
    pub site: &'s Site,
    /// Of the protocol before 2026-07-28.
    pub session: Option<String>,
    name: &'s str,
}

impl<'s> Client<'s> {
    pub fn legacy(site: &'s Site) -> Self {
        let params = json!({"protocolVersion": "2025-11-25", "capabilities": {},
            "clientInfo": {"name": "test", "version": "1"}});
        let hello =
            site.post(&[], &json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params}));
        assert_eq!(hello.status, 200, "{hello:?}");
        assert_eq!(hello.message()["result"]["serverInfo"]["name"], "simdrive");
        let session = hello.header("mcp-session-id").unwrap().to_owned();
        let ready = site.post(
            &[("Mcp-Session-Id", &session)],
            &json!({"jsonrpc": "2.0", "method": "notifications/initialized"}),
        );
        assert_eq!(ready.status, 202, "{ready:?}");
        Self { site, session: Some(session), name: "" }
    }

    pub fn modern(site: &'s Site, name: &'s str) -> Self {
        Self { site, session: None, name }
    }

    pub fn ask(&self, method: &str, params: Value) -> Value {
        let reply = self.reply(method, params);
        assert_eq!(reply.status, 200, "{reply:?}");
        reply.message()["result"].clone()
    }

    /// The error of a request that must be refused.
    pub fn refusal(&self, method: &str, params: Value) -> Value {
        let reply = self.reply(method, params);
        let message = reply.message();
        assert!(message["error"].is_object(), "{reply:?}");
        message["error"].clone()
    }

    fn reply(&self, method: &str, mut params: Value) -> Reply {
        let tool = params["name"].as_str().or(params["uri"].as_str()).map(str::to_owned);
        let mut headers = Vec::new();
        match &self.session {
            Some(session) => {
                headers
                    .extend([("Mcp-Session-Id", session.as_str()), ("MCP-Protocol-Version", "2025-11-25")]);
            }
            None => {
                params["_meta"] = json!({"io.modelcontextprotocol/protocolVersion": "2026-07-28",
                    "io.modelcontextprotocol/clientInfo": {"name": self.name, "version": "1"},
                    "io.modelcontextprotocol/clientCapabilities": {}});
                headers.extend([("MCP-Protocol-Version", "2026-07-28"), ("Mcp-Method", method)]);
                headers.extend(tool.as_deref().map(|tool| ("Mcp-Name", tool)));
            }
        }
        let message = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
        self.site.post(&headers, &message)
    }

    /// The text of a call's result, and whether it is an error.
    pub fn text(&self, tool: &str, arguments: Value) -> (String, bool) {
        let result = self.ask("tools/call", json!({"name": tool, "arguments": arguments}));
        let content = result["content"].as_array().unwrap_or_else(|| panic!("{result}"));
        let text: Vec<&str> = content.iter().filter_map(|c| c["text"].as_str()).collect();
        (text.join("\n"), result["isError"] == true)
    }

    /// The text of a call that must go well.
    pub fn well(&self, tool: &str, arguments: Value) -> String {
        let (text, is_error) = self.text(tool, arguments);
        assert!(!is_error, "{tool}: {text}");
        text
    }

    /// The text of a call that must be refused so.
    pub fn refused(&self, code: &str, tool: &str, arguments: Value) -> String {
        let (text, _) = self.text(tool, arguments);
        assert!(text.starts_with(&format!("error {code}: ")), "{tool}: {text}");
        text
    }

    /// Ends the session of the protocol.
    pub fn leave(&self) {
        let bearer = format!("Bearer {TOKEN}");
        let session = self.session.as_deref().unwrap();
        let headers = [("Authorization", bearer.as_str()), ("Mcp-Session-Id", session)];
        assert_eq!(self.site.request("DELETE", "/mcp", &headers, "").status, 202);
    }
}
