//! What a process uses, as `ps` tells: the apps of a simulator are processes of its Mac. Uses `device::process`.

use std::time::Duration;

use crate::device::metrics::Metrics;
use crate::device::process::Command;

const DEADLINE: Duration = Duration::from_secs(5);

/// Measures a process.
///
/// # Errors
/// It is gone, or `ps` says something else than it should; in words.
pub async fn metrics(pid: u64) -> Result<Metrics, String> {
    let pid = pid.to_string();
    let usage = Command::new("ps").arguments(["-o", "%cpu=,rss=", "-p", &pid]).environment("LC_ALL", "C");
    // one line a thread below a heading
    let threads = Command::new("ps").arguments(["-M", "-p", &pid]);
    let (usage, threads) = tokio::join!(usage.run(DEADLINE), threads.run(DEADLINE));
    let usage = usage.map_err(|e| e.to_string())?.text();
    let (cpu_percent, memory_bytes) = read(&usage).ok_or_else(|| match usage.trim() {
        "" => format!("there is no process {pid}"),
        other => format!("ps answered {other:?}"),
    })?;
    let lines =
        threads.map_or(0, |finished| finished.text().lines().filter(|l| !l.trim().is_empty()).count());
    Ok(Metrics { cpu_percent, memory_bytes, threads: u32::try_from(lines.saturating_sub(1)).unwrap_or(0) })
}

/// Percent of a core, and bytes from kibibytes.
fn read(usage: &str) -> Option<(f64, u64)> {
    let mut words = usage.split_whitespace();
    let cpu = words.next()?.replace(',', ".").parse().ok()?;
    let kib: u64 = words.next()?.parse().ok()?;
    Some((cpu, kib * 1024))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_ps_tells_is_read() {
        assert_eq!(read("  12.5  40960\n"), Some((12.5, 41_943_040)));
        assert_eq!(read("0,3 1"), Some((0.3, 1024)));
        for other in ["", "12.5", "%CPU RSS", "x 1"] {
            assert_eq!(read(other), None, "{other}");
        }
    }
}
