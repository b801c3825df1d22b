//! The log of a device, sifted by words and by time.

use std::time::{Duration, SystemTime};

use chrono::{DateTime, Local, NaiveDateTime, Utc};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use crate::device::LogQuery;
use crate::operation::{Call, Context, OperationError, Outcome, Run};

/// How long log lines are gathered.
const GATHERING: Duration = Duration::from_millis(500);
/// Lines asked of the device where they are sifted afterwards.
const SIFTED_LINES: usize = 5_000;

#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct Logs {
    session: Option<String>,
    /// The last so many, default 50
    #[schemars(range(min = 1, max = 1000))]
    lines: Option<u32>,
    contains: Option<String>,
    regex: Option<String>,
    /// Such as 30s, 5m, or 2026-01-01T09:41:00Z
    since: Option<String>,
}

impl Run for Logs {
    async fn run(self, context: &Context, _: &Call) -> Result<Outcome, OperationError> {
        let (_, session) = context.sessions.get(self.session.as_deref())?;
        let pattern = self.regex.as_deref().map(regex::Regex::new).transpose().map_err(|e| {
            OperationError::invalid(format!("`regex` is no regular expression: {e}"))
                .with_detail("argument", "regex")
        })?;
        let since = self.since.as_deref().map(Since::parse).transpose()?;
        let wanted = self.lines.unwrap_or(50) as usize;
        let sifts = pattern.is_some() || self.contains.is_some() || since.is_some();
        let asked = if sifts { SIFTED_LINES } else { wanted };
        let device = session.hold().await?;
        let since = match since {
            Some(since) => Some(since.before(device.now().await)),
            None => None,
        };
        let mut lines = device.logs(&LogQuery { lines: asked, within: GATHERING, since }).await?;
        if let Some(since) = since {
            since_then(&mut lines, since);
        }
        lines.retain(|line| {
            self.contains.as_ref().is_none_or(|part| line.contains(part.as_str()))
                && pattern.as_ref().is_none_or(|pattern| pattern.is_match(line))
        });
        let lines = lines.split_off(lines.len().saturating_sub(wanted));
        let text = if lines.is_empty() { "no such line".to_owned() } else { lines.join("\n") };
        Ok(Outcome::new(text, json!({"lines": lines})))
    }
}

/// A time, or so long ago.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Since {
    Time(DateTime<Utc>),
    Ago(Duration),
}

impl Since {
    fn parse(text: &str) -> Result<Self, OperationError> {
        if let Ok(time) = DateTime::parse_from_rfc3339(text) {
            return Ok(Self::Time(time.to_utc()));
        }
        let number = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
        let milliseconds: Option<u64> = match &text[number.len()..] {
            "ms" => Some(1),
            "s" => Some(1_000),
            "m" => Some(60_000),
            "h" => Some(3_600_000),
            "d" => Some(86_400_000),
            _ => None,
        };
        let ago = number.parse::<u64>().ok().zip(milliseconds).and_then(|(n, unit)| n.checked_mul(unit));
        ago.map(|ms| Self::Ago(Duration::from_millis(ms))).ok_or_else(|| {
            OperationError::invalid(format!(
                "`since` must be a duration such as 30s or 5m, or a time such as 2026-01-01T09:41:00Z; got {text:?}"
            ))
            .with_detail("argument", "since")
        })
    }

    /// The time, where it is `now` on the device.
    fn before(self, now: SystemTime) -> DateTime<Utc> {
        match self {
            Self::Time(time) => time,
            Self::Ago(ago) => now.checked_sub(ago).map_or(DateTime::<Utc>::MIN_UTC, DateTime::from),
        }
    }
}

/// Leaves the lines from `time` on. A line without a time belongs to the one above it.
fn since_then(lines: &mut Vec<String>, time: DateTime<Utc>) {
    let mut stays = false;
    lines.retain(|line| {
        if let Some(at) = time_of(line) {
            stays = at >= time;
        }
        stays
    });
}

/// When a line was written, as `log stream` begins its lines: a date and a time, in the local zone where no other
/// is said.
fn time_of(line: &str) -> Option<DateTime<Utc>> {
    let mut words = line.split_whitespace();
    let stamp = format!("{} {}", words.next()?, words.next()?);
    if let Ok(time) = DateTime::parse_from_str(&stamp, "%Y-%m-%d %H:%M:%S%.f%z") {
        return Some(time.to_utc());
    }
    let time = NaiveDateTime::parse_from_str(&stamp, "%Y-%m-%d %H:%M:%S%.f").ok()?;
    Some(time.and_local_timezone(Local).earliest()?.to_utc())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn utc(text: &str) -> DateTime<Utc> {
        text.parse().unwrap()
    }

    #[test]
    fn a_time_or_a_duration_says_since_when() {
        let now = SystemTime::from(utc("2026-01-01T09:41:00Z"));
        for (since, time) in [
            ("30s", "2026-01-01T09:40:30Z"),
            ("5m", "2026-01-01T09:36:00Z"),
            ("1500ms", "2026-01-01T09:40:58.500Z"),
            ("2h", "2026-01-01T07:41:00Z"),
            ("1d", "2025-12-31T09:41:00Z"),
            ("2026-01-01T10:41:00+01:00", "2026-01-01T09:41:00Z"),
        ] {
            assert_eq!(Since::parse(since).unwrap().before(now), utc(time), "{since}");
        }
        for wrong in
            ["", "s", "yesterday", "5", "-5m", "1.5h", "99999999999999999999s", "5 m", "2026-01-01", "3ä"]
        {
            assert!(Since::parse(wrong).unwrap_err().message.contains("`since`"), "{wrong}");
        }
    }

    #[test]
    fn lines_of_both_styles_are_sifted_and_what_continues_a_line_goes_with_it() {
        let start = NaiveDateTime::parse_from_str("2026-01-01 09:41:00", "%Y-%m-%d %H:%M:%S").unwrap();
        let start = start.and_local_timezone(Local).unwrap();
        let mut lines: Vec<String> = [
            "Filtering the log data using a predicate",
            "2026-01-01 09:40:59.999 Df Shop[7] early",
            "  early's second line",
            &format!("2026-01-01 09:41:00.000123{} 0x1 Default late", start.format("%z")),
            "  late's second line",
            "2026-01-01 09:41:02.000 Df Shop[7] later",
        ]
        .map(str::to_owned)
        .to_vec();
        since_then(&mut lines, start.to_utc());
        assert_eq!(lines.len(), 3, "{lines:?}");
        assert!(lines[0].ends_with("late") && lines[2].ends_with("later"));
    }
}
