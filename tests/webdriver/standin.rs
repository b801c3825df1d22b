//! A WebDriver server that answers as it is told, and notes what it was asked: WebDriverAgent's answers or a plain
//! browser's, one fault at a time. Behind it is a screen that never changes, or a phone that lives (`phone`).

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use base64::Engine;
use serde_json::{Value, json};

use crate::phone::Phone;

/// The value of an answer, or HTTP status, code and message of an error.
pub type Answer = Result<Value, (u16, &'static str, String)>;

/// What is done instead of the usual answer.
#[derive(Clone, Debug)]
pub enum Fault {
    /// An error of the protocol: HTTP status, code, message.
    Error(u16, &'static str, &'static str),
    /// No answer for so long, then the usual one.
    Hang(Duration),
    /// The connection is closed without an answer.
    Drop,
    /// What was asked for is done, and the connection closed in the middle of the answer.
    Cut,
    /// Half of the usual answer, and then nothing for so long.
    Stall(Duration),
    /// The usual answer, as this type of content.
    Type(&'static str),
    /// An answer of somebody in between.
    Html,
    /// Another value.
    Value(Value),
}

/// What the server stands before.
type Screen = dyn Fn(&str, &Value) -> Answer + Send + Sync;

/// What a stand-in is taken for.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Kind {
    #[default]
    Phone,
    Browser,
    /// A phone behind Appium.
    Appium,
}

#[derive(Default)]
struct Script {
    kind: Kind,
    /// By method and path without the session; each is used up by so many calls.
    faults: HashMap<String, (Fault, usize)>,
    asked: Vec<(String, Value)>,
    /// What of it was done.
    done: Vec<String>,
    sessions: usize,
    /// Every connection, to be closed when the server dies.
    connections: Vec<TcpStream>,
    is_dead: bool,
}

/// Serves until the test ends.
#[derive(Clone)]
pub struct StandIn {
    script: Arc<Mutex<Script>>,
    screen: Arc<Screen>,
    pub port: u16,
}

impl StandIn {
    /// Before a screen that never changes.
    pub fn start() -> Self {
        Self::before(Kind::Phone, Box::new(|call, _| still(call)))
    }

    /// A browser without CDP.
    pub fn browser() -> Self {
        Self::before(Kind::Browser, Box::new(of_a_browser))
    }

    /// Appium before its iOS driver, as far as filming needs it.
    pub fn appium() -> Self {
        Self::before(Kind::Appium, Box::new(of_appium))
    }

    /// Before a phone on which this app of the embedded simulator is installed.
    pub fn of(app: &str) -> Self {
        let phone = Phone::with(app);
        Self::before(Kind::Phone, Box::new(move |call, body| phone.answer(call, body)))
    }

    fn before(kind: Kind, screen: Box<Screen>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let script = Script { kind, ..Script::default() };
        let server = Self { script: Arc::new(Mutex::new(script)), screen: Arc::from(screen), port };
        server.listen(listener);
        server
    }

    fn listen(&self, listener: TcpListener) {
        let Self { script, screen, .. } = self.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                {
                    let mut script = script.lock().unwrap();
                    if script.is_dead {
                        return;
                    }
                    script.connections.push(stream.try_clone().unwrap());
                }
                let (script, screen) = (script.clone(), screen.clone());
                std::thread::spawn(move || {
                    let connection = stream.try_clone().unwrap();
                    serve(stream, &script, &*screen);
                    // the other copy of it would keep it open
                    let _ = connection.shutdown(std::net::Shutdown::Both);
                });
            }
        });
    }

    /// The runner dies: connections break, and new ones are refused.
    pub fn die(&self) {
        let connections = {
            let mut script = self.script.lock().unwrap();
            script.is_dead = true;
            std::mem::take(&mut script.connections)
        };
        for connection in connections {
            // it may be gone already
            let _ = connection.shutdown(std::net::Shutdown::Both);
        }
        // the listener ends with the next one that knocks
        while TcpStream::connect(("127.0.0.1", self.port)).is_ok() {
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// It comes back, at the same port; of the sessions from before it knows nothing.
    pub fn come_back(&self) {
        {
            let mut script = self.script.lock().unwrap();
            script.is_dead = false;
            script.sessions += 1;
        }
        self.listen(TcpListener::bind(("127.0.0.1", self.port)).unwrap());
    }

    pub fn selector(&self) -> String {
        let family = match self.script.lock().unwrap().kind {
            Kind::Phone => "wda",
            Kind::Browser | Kind::Appium => "webdriver",
        };
        format!("{family}+http://127.0.0.1:{}", self.port)
    }

    /// The next `times` calls of this fail so.
    pub fn fault(&self, call: &str, fault: Fault, times: usize) {
        self.script.lock().unwrap().faults.insert(call.to_owned(), (fault, times));
    }

    /// How often this was asked.
    pub fn count(&self, call: &str) -> usize {
        self.script.lock().unwrap().asked.iter().filter(|(asked, _)| asked == call).count()
    }

    /// How often this was done.
    pub fn done(&self, call: &str) -> usize {
        self.script.lock().unwrap().done.iter().filter(|done| *done == call).count()
    }

    pub fn last_body(&self, call: &str) -> Value {
        let script = self.script.lock().unwrap();
        script.asked.iter().rev().find(|(asked, _)| asked == call).map(|(_, body)| body.clone()).unwrap()
    }
}

fn serve(stream: TcpStream, script: &Mutex<Script>, screen: &Screen) {
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    let mut writer = stream;
    while let Some((method, path, body)) = read(&mut reader) {
        let (call, session) = call(&method, &path);
        let fault = {
            let mut script = script.lock().unwrap();
            script.asked.push((call.clone(), body.clone()));
            let left = script.faults.get_mut(&call).filter(|(_, times)| *times > 0);
            left.map(|(fault, times)| {
                *times -= 1;
                fault.clone()
            })
        };
        let (status, text) = match &fault {
            Some(Fault::Drop) => return,
            Some(Fault::Html) => (502, "<html>Bad gateway</html>".to_owned()),
            Some(Fault::Error(status, code, message)) => (*status, error(code, message)),
            Some(Fault::Value(value)) => (200, json!({"value": value, "sessionId": null}).to_string()),
            Some(Fault::Hang(time)) => {
                std::thread::sleep(*time);
                usual(&call, session, &body, script, screen)
            }
            Some(Fault::Cut | Fault::Stall(_) | Fault::Type(_)) | None => {
                usual(&call, session, &body, script, screen)
            }
        };
        let content = if let Some(Fault::Type(content)) = fault { content } else { "application/json" };
        let head = format!(
            "HTTP/1.1 {status} X\r\nContent-Type: {content}\r\nContent-Length: {}\r\n\r\n",
            text.len()
        );
        let half =
            if matches!(fault, Some(Fault::Cut | Fault::Stall(_))) { text.len() / 2 } else { text.len() };
        let sent =
            writer.write_all(head.as_bytes()).and_then(|()| writer.write_all(&text.as_bytes()[..half]));
        if let Some(Fault::Stall(time)) = fault {
            std::thread::sleep(time);
        }
        if sent.is_err() || half < text.len() || script.lock().unwrap().is_dead {
            return;
        }
    }
}

fn read(reader: &mut BufReader<TcpStream>) -> Option<(String, String, Value)> {
    let mut line = String::new();
    reader.read_line(&mut line).ok().filter(|read| *read > 0)?;
    let mut words = line.split(' ');
    let (method, path) = (words.next()?.to_owned(), words.next()?.to_owned());
    let mut length = 0;
    loop {
        let mut header = String::new();
        reader.read_line(&mut header).ok()?;
        if header.trim().is_empty() {
            break;
        }
        let (name, value) = header.split_once(':')?;
        if name.eq_ignore_ascii_case("content-length") {
            length = value.trim().parse().ok()?;
        }
        if name.eq_ignore_ascii_case("content-type") {
            assert_eq!(value.trim(), "application/json; charset=utf-8");
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    Some((method, path, serde_json::from_slice(&body).unwrap_or(Value::Null)))
}

/// `POST /actions`, and the session's number.
fn call(method: &str, path: &str) -> (String, Option<usize>) {
    let Some(rest) = path.strip_prefix("/session/S") else { return (format!("{method} {path}"), None) };
    let (number, path) = rest.find('/').map_or((rest, ""), |at| rest.split_at(at));
    (format!("{method} {path}"), number.parse().ok())
}

fn error(code: &str, message: &str) -> String {
    json!({"value": {"error": code, "message": message, "traceback": "at -[FBRoute …]"}, "sessionId": null})
        .to_string()
}

fn usual(
    call: &str,
    session: Option<usize>,
    body: &Value,
    script: &Mutex<Script>,
    screen: &Screen,
) -> (u16, String) {
    let begun = {
        let mut script = script.lock().unwrap();
        if call == "POST /session" {
            script.sessions += 1;
        }
        script.sessions
    };
    if session.is_some_and(|number| number != begun) {
        return (404, error("invalid session id", "Session does not exist"));
    }
    let kind = script.lock().unwrap().kind;
    let answer = match call {
        "GET /status" if kind == Kind::Phone => {
            Ok(json!({"ready": true, "state": "success", "os": {"name": "iOS", "version": "18.2"},
            "ios": {"ip": "10.0.0.7"}, "device": "iphone",
            "build": {"productBundleIdentifier": "com.facebook.WebDriverAgentRunner", "version": "16.7.0"}}))
        }
        "POST /session" => {
            let capabilities = match kind {
                Kind::Phone => json!({"device": "iphone", "sdkVersion": "18.2"}),
                Kind::Browser => json!({"browserName": "chrome", "browserVersion": "156.0"}),
                Kind::Appium => json!({"platformName": "iOS", "automationName": "XCUITest"}),
            };
            Ok(json!({"sessionId": format!("S{begun}"), "capabilities": capabilities}))
        }
        "DELETE " => Ok(Value::Null),
        "GET /wda/shutdown" => {
            // it answers nothing from here on
            script.lock().unwrap().is_dead = true;
            Ok(Value::Null)
        }
        other => screen(other, body),
    };
    match answer {
        Ok(value) => {
            script.lock().unwrap().done.push(call.to_owned());
            let session = session.map(|number| format!("S{number}"));
            (200, json!({"value": value, "sessionId": session}).to_string())
        }
        Err((status, code, message)) => (status, error(code, &message)),
    }
}

/// No route of this name.
pub fn unknown(call: &str) -> Answer {
    Err((404, "unknown command", format!("Unhandled endpoint: {call}")))
}

fn still(call: &str) -> Answer {
    Ok(match call {
        "GET /window/size" => json!({"width": 390, "height": 844}),
        "GET /wda/locked" => json!(false),
        "GET /orientation" => json!("PORTRAIT"),
        "GET /screenshot" => json!(base64::engine::general_purpose::STANDARD.encode(picture())),
        "GET /source?format=json" => json!({"type": "Application", "label": "Notes", "isEnabled": "1",
            "rect": {"x": 0, "y": 0, "width": 390, "height": 844}, "children": [
                {"type": "Button", "label": "Done", "isEnabled": "1", "isVisible": "1",
                 "rect": {"x": 300, "y": 60, "width": 60, "height": 44}}]}),
        "GET /wda/apps/list" => json!([{"pid": 71, "bundleId": "com.example.notes"}]),
        "GET /wda/activeAppInfo" => json!({"pid": 71, "bundleId": "com.example.notes", "name": "Notes"}),
        "GET /wda/device/info" => json!({"userInterfaceStyle": "dark"}),
        "GET /wda/alert/buttons" => json!(["Don’t Allow", "Allow"]),
        "GET /alert/text" => json!("“Notes” Would Like to Send You Notifications"),
        "GET /window/rect" | "DELETE /actions" => return unknown(call),
        _ => Value::Null,
    })
}

/// A page that never changes.
fn of_a_browser(call: &str, body: &Value) -> Answer {
    Ok(match call {
        "GET /status" => json!({"ready": true}),
        "POST /execute/sync" => match body["script"].as_str().unwrap_or_default() {
            text if text.contains("v.width") => json!([390, 844, 2]),
            text if text.contains("innerWidth") => json!(true),
            text if text.contains("scale") => json!(1),
            text if text.contains("title") => json!(["Garden", "http://127.0.0.1/garden"]),
            _ => json!(false),
        },
        "POST /goog/cdp/execute" => return unknown(call),
        _ => return still(call),
    })
}

fn of_appium(call: &str, body: &Value) -> Answer {
    Ok(match call {
        "GET /status" => json!({"ready": true, "build": {"version": "3.8.0"}}),
        "GET /source" => json!(
            "<AppiumAUT><XCUIElementTypeApplication type=\"XCUIElementTypeApplication\" name=\"Notes\" \
             label=\"Notes\" enabled=\"true\" visible=\"true\" x=\"0\" y=\"0\" width=\"390\" height=\"844\"/></AppiumAUT>"
        ),
        "POST /execute/sync" if body["script"] == "mobile: activeAppInfo" => {
            json!({"pid": 71, "bundleId": "com.example.notes", "name": "Notes"})
        }
        "POST /execute/sync" => return unknown(call),
        // in lines, as some servers write it
        "POST /appium/stop_recording_screen" => json!("ZmlsbSBv\nZiBhIHBo\nb25l\n"),
        _ => return still(call),
    })
}

/// 390×844 points at 2 pixels a point.
fn picture() -> Vec<u8> {
    let mut png = std::io::Cursor::new(Vec::new());
    let picture = image::RgbaImage::from_pixel(780, 1688, image::Rgba([250, 250, 250, 255]));
    picture.write_to(&mut png, image::ImageFormat::Png).unwrap();
    png.into_inner()
}
