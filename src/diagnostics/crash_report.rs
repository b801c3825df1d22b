//! Crash reports as the system writes them (`.ips`): one line of JSON, then the report as JSON. Pure.

use serde::Serialize;
use serde_json::Value;

/// Frames of the thread that crashed that are told.
const FRAMES: usize = 8;

/// What of a crash report says why.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct CrashReport {
    pub process: String,
    pub bundle_id: Option<String>,
    pub pid: Option<u64>,
    /// As the report has it, such as `2026-12-02 10:00:00.000 +0100`.
    pub time: Option<String>,
    pub os: Option<String>,
    /// Such as `EXC_BREAKPOINT (SIGTRAP)`.
    pub exception: Option<String>,
    /// What the process itself said, or why the system ended it.
    pub reason: Option<String>,
    /// The thread that crashed, innermost first: `image symbol + offset (file:line)`.
    pub frames: Vec<String>,
}

/// Reads a report; `None` where it is no `.ips`.
pub fn read(text: &str) -> Option<CrashReport> {
    let (header, body) = text.trim_start().split_once('\n')?;
    let header: Value = serde_json::from_str(header).ok()?;
    let body: Value = serde_json::from_str(body).unwrap_or_default();
    let word = |value: &Value| value.as_str().filter(|s| !s.is_empty()).map(str::to_owned);
    let process =
        word(&body["procName"]).or_else(|| word(&header["app_name"])).or_else(|| word(&header["name"]))?;
    Some(CrashReport {
        process,
        bundle_id: word(&header["bundleID"]).or_else(|| word(&body["bundleInfo"]["CFBundleIdentifier"])),
        pid: body["pid"].as_u64(),
        time: word(&body["captureTime"]).or_else(|| word(&header["timestamp"])),
        os: word(&header["os_version"]),
        exception: exception(&body["exception"]),
        reason: reason(&body),
        frames: frames(&body),
    })
}

fn exception(exception: &Value) -> Option<String> {
    let kind = exception["type"].as_str()?;
    Some(match exception["signal"].as_str() {
        Some(signal) => format!("{kind} ({signal})"),
        None => kind.to_owned(),
    })
}

/// The process's own words say most; then an uncaught exception's; then the system's.
fn reason(body: &Value) -> Option<String> {
    let said = body["asi"].as_object().into_iter().flat_map(|images| images.values());
    let mut said = said.filter_map(Value::as_array).flatten().filter_map(Value::as_str);
    let uncaught = || {
        let exception = &body["exceptionReason"];
        let message = exception["composed_message"].as_str().or(exception["message"].as_str())?;
        Some(message.to_owned())
    };
    let ended = || {
        let end = &body["termination"];
        let words = [&end["namespace"], &end["indicator"]].into_iter().filter_map(Value::as_str);
        Some(words.collect::<Vec<_>>().join(": ")).filter(|words| !words.is_empty())
    };
    let words = said.next().map(str::to_owned).or_else(uncaught).or_else(ended)?;
    Some(words.trim().to_owned())
}

fn frames(body: &Value) -> Vec<String> {
    let Some(threads) = body["threads"].as_array() else { return Vec::new() };
    let at = body["faultingThread"].as_u64().and_then(|at| usize::try_from(at).ok());
    let crashed = at.and_then(|at| threads.get(at));
    let crashed = crashed.or_else(|| threads.iter().find(|thread| thread["triggered"] == true));
    let frames = crashed.and_then(|thread| thread["frames"].as_array());
    frames.into_iter().flatten().take(FRAMES).map(|frame| frame_line(frame, &body["usedImages"])).collect()
}

fn frame_line(frame: &Value, images: &Value) -> String {
    let image = frame["imageIndex"].as_u64().and_then(|at| usize::try_from(at).ok());
    let image = image.and_then(|at| images[at]["name"].as_str()).unwrap_or("?");
    let mut line = match (frame["symbol"].as_str(), frame["symbolLocation"].as_u64()) {
        (Some(symbol), Some(at)) => format!("{image} {symbol} + {at}"),
        (Some(symbol), None) => format!("{image} {symbol}"),
        (None, _) => format!("{image} + {}", frame["imageOffset"].as_u64().unwrap_or_default()),
    };
    if let Some(file) = frame["sourceFile"].as_str() {
        let at = frame["sourceLine"].as_u64().map_or_else(String::new, |n| format!(":{n}"));
        line += &format!(" ({file}{at})");
    }
    line
}

impl CrashReport {
    /// A few lines for people.
    pub fn told(&self) -> String {
        let mut text = self.process.clone();
        if let Some(time) = &self.time {
            text += &format!(", {time}");
        }
        for (name, value) in [("exception", &self.exception), ("reason", &self.reason)] {
            if let Some(value) = value {
                text += &format!("\n  {name}: {value}");
            }
        }
        for frame in &self.frames {
            text += &format!("\n  at {frame}");
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn report(body: Value) -> CrashReport {
        let header = json!({"app_name": "Shop", "bundleID": "com.example.shop", "timestamp": "t", "os_version": "iPhone OS 18.2"});
        read(&format!("{header}\n{body:#}\n")).unwrap()
    }

    #[test]
    fn the_process_the_reason_and_the_frames_are_found() {
        let told = report(json!({
            "procName": "Shop", "pid": 5121, "captureTime": "2026-12-02 10:00:00.0 +0100",
            "exception": {"type": "EXC_BREAKPOINT", "signal": "SIGTRAP"},
            "asi": {"libswiftCore.dylib": ["Fatal error: Index out of range"]},
            "termination": {"namespace": "SIGNAL", "indicator": "Trace/BPT trap: 5"},
            "faultingThread": 1,
            "threads": [{"frames": []}, {"triggered": true, "frames": [
                {"imageIndex": 0, "imageOffset": 4, "symbol": "_assertionFailure", "symbolLocation": 244},
                {"imageIndex": 1, "imageOffset": 99, "symbol": "Cart.total.getter", "sourceFile": "Cart.swift", "sourceLine": 17},
                {"imageIndex": 1, "imageOffset": 1234}, {"imageIndex": 9}]}],
            "usedImages": [{"name": "libswiftCore.dylib"}, {"name": "Shop"}]}))
        .told();
        assert_eq!(
            told,
            "Shop, 2026-12-02 10:00:00.0 +0100\n  exception: EXC_BREAKPOINT (SIGTRAP)\n  \
            reason: Fatal error: Index out of range\n  at libswiftCore.dylib _assertionFailure + 244\n  \
            at Shop Cart.total.getter (Cart.swift:17)\n  at Shop + 1234\n  at ? + 0"
        );
    }

    #[test]
    fn without_its_own_words_the_systems_count() {
        let uncaught = json!({"exceptionReason": {"composed_message": "unrecognized selector"},
            "termination": {"namespace": "SIGNAL", "indicator": "Abort trap: 6"}});
        assert_eq!(report(uncaught).reason.as_deref(), Some("unrecognized selector"));
        let ended = json!({"termination": {"namespace": "FRONTBOARD", "indicator": "scene-create watchdog"}});
        assert_eq!(report(ended).reason.as_deref(), Some("FRONTBOARD: scene-create watchdog"));
        assert_eq!(
            report(json!({})),
            CrashReport {
                process: "Shop".into(),
                bundle_id: Some("com.example.shop".into()),
                time: Some("t".into()),
                os: Some("iPhone OS 18.2".into()),
                ..CrashReport::default()
            }
        );
        for other in ["", "Process: Shop [1]\nPath: /x", "{}", "{}\n{}", "[1]\n{"] {
            assert_eq!(read(other), None, "{other}");
        }
    }
}
